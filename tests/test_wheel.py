"""The wheel is all that a user of files needs: built, installed in a clean environment with the pinned dependencies, and run."""

import os
import subprocess
import sys
import venv
from pathlib import Path

from tests.paths import ROOT

MOST_MEGABYTES = 30
"""What an installation without extras may take, with the compiled modules that Python adds when it runs."""

EXAMPLE = ["plan", "--exit-zero", "--from", "examples/rdma-incident/cluster", "examples/rdma-incident/plan.yaml"]


KUBECONFIG = """\
clusters: [{name: c, cluster: {server: "http://127.0.0.1:9"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
users: [{name: u, user: {token: t}}]
"""


def run(*command: str | Path) -> str:
    """Runs in the root of the repository; answers with the output, or fails with all that was said."""
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def measure_megabytes(folder: Path) -> float:
    """What the files below a folder take, in millions of bytes; a link takes nothing."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


def test_the_wheel_runs_the_example_in_a_clean_environment(tmp_path: Path, wheels: Path) -> None:
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT)
    (wheel,) = tmp_path.glob("kube_preflight-*.whl")

    # The pip of this environment installs into the clean one, which saves the time of a second pip.
    clean = tmp_path / "clean"
    venv.create(clean, symlinks=True)
    python = clean / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    run(*pip, "install", "--quiet", "--require-hashes", "--no-index", "--find-links", wheels, "-r", "requirements.txt")
    run(*pip, "install", "--quiet", "--no-deps", wheel)
    run(*pip, "check")
    assert measure_megabytes(clean) < MOST_MEGABYTES

    for pack in ("baseline", "default", "strict", "gpu-rdma"):
        shown = run(clean / "bin" / "preflight", "policy", "show", pack)
        assert f"<{pack}>" in shown
        assert shown == run(sys.executable, "-m", "preflight", "policy", "show", pack)

    for shell in ("bash", "zsh", "fish"):
        assert run(clean / "bin" / "preflight", "completion", shell) == run(sys.executable, "-m", "preflight", "completion", shell)
    assert run(clean / "bin" / "kubectl_complete-change_preflight", "explain", "PF102").startswith("PF102\tlost-on-recreation: ")
    assert "Usage: kubectl change-preflight " in run(clean / "bin" / "kubectl-change_preflight", "--help")

    page = run(clean / "bin" / "preflight", *EXAMPLE, "-o", "html")
    assert page.startswith("<!DOCTYPE html>")
    assert page == run(sys.executable, "-m", "preflight", *EXAMPLE, "-o", "html")

    output = run(clean / "bin" / "preflight", *EXAMPLE)
    assert "error[PF102] lost-on-recreation: " in output
    assert output == run(sys.executable, "-m", "preflight", *EXAMPLE)

    asked = subprocess.run(
        [clean / "bin" / "preflight", "drain", "gpu-1"],
        cwd=ROOT,
        env=make_live_environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode == 3
    assert "pip install 'kube-preflight[live]'" in asked.stderr


def make_live_environment(folder: Path) -> dict[str, str]:
    """An environment with a cluster to ask."""
    path = folder / "kubeconfig"
    path.write_text(KUBECONFIG, encoding="utf-8")
    return {**os.environ, "KUBECONFIG": str(path)}
