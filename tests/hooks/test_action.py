"""The GitHub Action and the examples of CI: their structure, and the action's own script over real repositories."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.hooks.test_helm import helm
from tests.hooks.test_pre_commit import BAD, GOOD, committed, git
from tests.paths import ROOT

__all__ = ["helm"]

ACTION = ROOT / "action.yml"
EXAMPLES = sorted((ROOT / "examples" / "ci").iterdir())
ON_GITHUB = [ACTION, ROOT / "examples" / "ci" / "github-actions.yaml"]
STEPS: list[dict[str, Any]] = yaml.safe_load(ACTION.read_text(encoding="utf-8"))["runs"]["steps"]
LINT = STEPS[-1]


def every(data: object, key: str) -> Iterator[Any]:
    """All values of a key, however deep."""
    if isinstance(data, dict):
        for name, value in data.items():
            if name == key:
                yield value
            yield from every(value, key)
    elif isinstance(data, list):
        for value in data:
            yield from every(value, key)


# Structure.


@pytest.mark.parametrize("path", ON_GITHUB, ids=lambda path: path.name)
def test_no_expression_is_pasted_into_a_script(path: Path) -> None:
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert [script for script in every(data, "run") if "${{" in script] == []


@pytest.mark.parametrize("path", ON_GITHUB, ids=lambda path: path.name)
def test_every_action_is_pinned_by_its_commit(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert list(every(yaml.safe_load(text), "uses"))
    assert [line for line in re.findall(r"uses: (.*)", text) if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # .+", line)] == []


def test_every_input_reaches_the_script_through_its_environment() -> None:
    inputs = yaml.safe_load(ACTION.read_text(encoding="utf-8"))["inputs"]
    assert {name for name in inputs if f"${{{{ inputs.{name} }}}}" not in LINT["env"].values()} == set()
    assert {name for step in STEPS for name in step.get("env", {}) if f"${name}" not in step["run"]} == set()
    assert [step["shell"] for step in STEPS if "run" in step] == ["bash", "bash"]


def test_what_is_installed_is_pinned() -> None:
    assert [line for line in STEPS[1]["run"].splitlines() if "install" in line and "--require-hashes" not in line] == []
    for path in EXAMPLES:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert [commit for commit in every(data, "PREFLIGHT_COMMIT") if not re.fullmatch(r"[0-9a-f]{40}", commit)] == [], path
        assert "install --quiet kube-preflight" not in path.read_text(encoding="utf-8"), path  # it is not published yet
        assert [image for image in every(data, "image") if ":" not in image or image.endswith(":latest")] == [], path


def test_what_the_examples_type_exists() -> None:
    """Each command line is accepted: with one more word it is that word that is refused, and nothing before it."""
    for path in EXAMPLES:
        for line in re.findall(r"\bpreflight ((?:lint|diff|taint) .*)", path.read_text(encoding="utf-8")):
            options = [word for word in shlex.split(line) if word.startswith("-") and word != "-"]
            command = [sys.executable, "-m", "preflight", shlex.split(line)[0], "--help"]
            known = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
            assert [option for option in options if option not in known and option != "-l"] == [], path


# The script.


def act(at: Path, env: dict[str, str], **given: str) -> subprocess.CompletedProcess[str]:
    """The last step as a runner runs it, over the repository in a folder."""
    temp = at.parent / "temp"
    (temp / "preflight" / "bin").mkdir(parents=True, exist_ok=True)
    python = temp / "preflight" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    inputs = {"ACTION": str(ROOT), "BASE": "", "PATHS": ".", "FROM": "", "FAIL_ON": "warning", "POLICY": ".preflight.yaml"}
    inputs |= {"SARIF": "", "EXCLUDE": ""}
    runner = {"RUNNER_TEMP": str(temp), "GITHUB_STEP_SUMMARY": str(temp / "summary.md")}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", LINT["run"]]
    return subprocess.run(command, cwd=at, env={**env, **inputs, **runner, **given}, capture_output=True, text=True, check=False)


@pytest.fixture
def env() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTHON", "COV_"))}
    who = {f"GIT_{role}_{what}": "a@example.com" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return {**kept, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "PYTHONDONTWRITEBYTECODE": "1"}


def commits(folder: Path, env: dict[str, str], *trees: dict[str, str]) -> list[str]:
    """The commits of a repository, one a tree over the one before."""
    made = []
    for files in trees:
        committed(folder, files, env)
        git("commit", "--quiet", "--message", "more", at=folder, env=env)
        made.append(git("rev-parse", "HEAD", at=folder, env=env))
    return made


STRICT = {".preflight.yaml": "extends: team/base.yaml\n", "team/base.yaml": "rules:\n  PF201: warning\n", "README": ""}
LAX = {"team/base.yaml": 'rules:\n  PF201: "off"\n', "deploy/ds.yaml": BAD}


def test_a_pull_request_is_held_to_the_policy_of_its_base(env: dict[str, str], tmp_path: Path) -> None:
    base, _ = commits(tmp_path / "origin", env, STRICT, LAX)
    git("clone", "--quiet", "--depth=1", f"file://{tmp_path}/origin", "work", at=tmp_path, env=env)
    result = act(tmp_path / "work", env, BASE=base, SARIF="out.sarif")
    assert result.returncode == 1, result.stdout + result.stderr
    assert re.search(r"^::warning file=deploy/ds\.yaml,line=10,.*PF201", result.stdout, re.MULTILINE), result.stdout
    assert "PF201" in (tmp_path / "temp" / "summary.md").read_text(encoding="utf-8")
    assert (tmp_path / "work" / "out.sarif").exists()


def test_what_is_excluded_is_not_read(env: dict[str, str], tmp_path: Path) -> None:
    commits(tmp_path / "work", env, STRICT, {"deploy/ds.yaml": BAD, "vendor/broken.yaml": "kind: Pod\n  a: [\n"})
    assert act(tmp_path / "work", env).returncode == 3
    assert act(tmp_path / "work", env, EXCLUDE="vendor").returncode == 1
    assert act(tmp_path / "work", env, EXCLUDE="deploy/*.yaml\nvendor\n").returncode == 0


def test_a_push_is_held_to_its_own_policy(env: dict[str, str], tmp_path: Path) -> None:
    commits(tmp_path / "work", env, STRICT, LAX)
    result = act(tmp_path / "work", env)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_policy_that_only_the_pull_request_has_does_not_count(env: dict[str, str], tmp_path: Path) -> None:
    base, _ = commits(tmp_path / "work", env, {"README": ""}, {".preflight.yaml": 'rules:\n  PF201: "off"\n', "ds.yaml": BAD})
    result = act(tmp_path / "work", env, BASE=base)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "::notice::the base branch has no .preflight.yaml: without a policy" in result.stdout


def test_nothing_of_the_repository_is_run(env: dict[str, str], tmp_path: Path) -> None:
    planted = "raise SystemExit('planted')\n"
    code = {"preflight/__init__.py": planted, "click.py": planted, "yaml.py": planted, "deploy/$(touch taken).yaml": GOOD}
    base, _ = commits(tmp_path / "work", env, STRICT, code)
    result = act(tmp_path / "work", env, BASE=base, PATHS="deploy/\ndeploy/$(touch taken).yaml\n")
    assert result.returncode == 0, result.stdout + result.stderr
    assert not (tmp_path / "work" / "taken").exists()


def test_the_job_of_the_chart_runs_with_a_real_helm(helm: Path, env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "helm").symlink_to(helm)
    path = os.pathsep.join((str(tmp_path), str(Path(sys.executable).parent), env["PATH"]))
    job = yaml.safe_load((ROOT / "examples" / "ci" / "helm.yaml").read_text(encoding="utf-8"))["chart"]
    command = ["bash", "-euc", "\n".join(job["script"])]
    result = subprocess.run(command, cwd=ROOT, env={**env, "PATH": path}, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "   = note: rendered from log-agent/templates/daemonset.yaml" in result.stdout
    assert "taint dedicated=rdma:NoSchedule on rdma-1" in result.stdout
