"""Credential plugins: who reads standard input, who sees a prompt, how long one may take, and how often it is run."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from preflight.errors import InputError
from preflight.load.live.access import credential_plugin
from preflight.load.live.access.credential_plugin import CredentialPlugin
from preflight.load.live.access.model import ExecConfig
from preflight.load.live.kubeconfig import open_access
from preflight.load.live.target import ClusterTarget
from tests.builders import write_daemonset
from tests.cli.program import program
from tests.load.live.api_server import TOKEN, ApiServer, Asked, serving, status, tls_of_server
from tests.load.live.listed_objects import cluster
from tests.paths import ROOT

VERSION = "client.authentication.k8s.io/v1"
LINE = ("taint", "nodes", "a-1", "team=x:PreferNoSchedule")
CREDENTIAL = json.dumps({"kind": "ExecCredential", "apiVersion": VERSION, "status": {"token": TOKEN}})
PROMPT = 'printf "MFA code: " >&2; read code || code=none; [ "$code" = 123 ] || { echo "got [$code]" >&2; exit 9; }'


def _script(path: Path, *lines: str) -> str:
    """A plugin that does this, and then prints a token."""
    path.write_text("\n".join(("#!/bin/sh", *lines, f"echo '{CREDENTIAL}'", "")))
    path.chmod(0o755)
    return str(path)


def _plugin(folder: Path, *lines: str, mode: str = "Never") -> ExecConfig:
    return ExecConfig(command=_script(folder / "plugin.sh", *lines), api_version=VERSION, interactive_mode=mode)


def _use_plugin(config: Path, *lines: str, mode: str) -> None:
    command = _script(config.parent / "plugin.sh", *lines)
    data = json.loads(config.read_text())
    data["users"][0]["user"] = {"exec": {"apiVersion": VERSION, "command": command, "interactiveMode": mode}}
    config.write_text(json.dumps(data))


def _only_with_token(asked: Asked) -> tuple[int, bytes] | None:
    return None if asked.headers.get("Authorization") == f"Bearer {TOKEN}" else status(401, "who is there?")


# Standard input and standard error.


@pytest.mark.parametrize("mode", ["IfAvailable", "Always"])
def test_a_prompt_is_seen_and_answered_at_the_terminal_while_the_report_is_piped(mode: str, tmp_path: Path) -> None:
    with serving(ApiServer(cluster(), _only_with_token), tmp_path, tls_of_server()) as config:
        _use_plugin(config, PROMPT, mode=mode)
        code, out, seen = _run_at_terminal(config, answer="123\n")
    assert code == 0, seen
    assert "MFA code: " in seen
    assert json.loads(out)["cluster"]["context"] == "test"


def test_a_plugin_that_may_not_ask_finds_an_empty_input_at_a_terminal(tmp_path: Path) -> None:
    with serving(ApiServer(cluster(), _only_with_token), tmp_path, tls_of_server()) as config:
        _use_plugin(config, PROMPT, mode="Never")
        code, out, seen = _run_at_terminal(config, answer="123\n")
    assert (code, out) == (3, "")
    assert "got [none]" in seen
    assert "failed with exit code 9" in seen


def _run_at_terminal(config: Path, answer: str) -> tuple[int, str, str]:
    """Its code, what it printed into a pipe, and what stands on the terminal, where somebody answers the prompt."""
    import pty

    main, side = pty.openpty()
    words = [sys.executable, "-m", "preflight", *LINE, "--kubeconfig", str(config), "-o", "json"]
    seen = ""
    deadline = time.monotonic() + 30
    with subprocess.Popen(words, stdin=side, stdout=subprocess.PIPE, stderr=side, cwd=ROOT, text=True) as process:
        os.close(side)
        assert process.stdout is not None
        while process.poll() is None and time.monotonic() < deadline and "MFA code: " not in seen:
            seen += _read_terminal(main, 0.1)
        os.write(main, answer.encode())
        out = process.stdout.read()
    while more := _read_terminal(main, 0.0):
        seen += more
    os.close(main)
    return process.returncode, out, seen


def _read_terminal(main: int, seconds: float) -> str:
    try:
        return os.read(main, 4096).decode() if select.select([main], [], [], seconds)[0] else ""
    except OSError:  # nobody has the other side any more
        return ""


@pytest.mark.parametrize("mode", ["Never", "IfAvailable"])
def test_a_plugin_that_reads_takes_nothing_of_a_manifest_that_is_piped_in(mode: str, tmp_path: Path) -> None:
    script = (
        "import sys; from preflight.load.live.connection import ApiConnection; from preflight.load.live.target import ClusterTarget\n"
        "ApiConnection(ClusterTarget(kubeconfig=sys.argv[1])).get('/version'); print(sys.stdin.read(), end='')"
    )
    with serving(ApiServer(cluster(), _only_with_token), tmp_path, tls_of_server()) as config:
        _use_plugin(config, 'eaten=$(cat); [ -z "$eaten" ] || exit 8', mode=mode)
        words = [sys.executable, "-c", script, str(config)]
        done = subprocess.run(words, input="kind: DaemonSet\n", capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("kind: DaemonSet\n", "")


def test_a_manifest_that_is_piped_in_is_judged_though_a_plugin_reads(tmp_path: Path) -> None:
    manifest = write_daemonset("csi", "storage")
    with serving(ApiServer(cluster(), _only_with_token), tmp_path, tls_of_server()) as config:
        _use_plugin(config, 'eaten=$(cat); [ -z "$eaten" ] || exit 8', mode="IfAvailable")
        words = [sys.executable, "-m", "preflight", "apply", "-f", "-", "--kubeconfig", str(config), "-o", "json"]
        done = subprocess.run(words, input=manifest, capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)
    assert done.stderr == ""
    assert "storage/csi" in {row["daemonset"] for row in json.loads(done.stdout)["coverage"]}


def test_its_standard_error_is_ours(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with serving(ApiServer(cluster(), _only_with_token), tmp_path, tls_of_server()) as config:
        _use_plugin(config, "echo 'login expired: run sso login' >&2; exit 7", mode="Never")
        result = program(*LINE, "--kubeconfig", str(config))
    assert result.code == 3
    assert result.err == f"error: context test: no credentials: the credential plugin {tmp_path}/plugin.sh failed with exit code 7\n"
    assert capfd.readouterr().err == "login expired: run sso login\n"


def test_no_plugin_is_run_for_a_command_that_is_about_another_cluster(tmp_path: Path) -> None:
    with serving(ApiServer(cluster()), tmp_path, tls_of_server()) as config:
        _use_plugin(config, f"touch {tmp_path}/was-run", mode="Never")
        result = program("plan", str(_write(tmp_path / "plan.yaml", "- kubectl --context other cordon a-1\n")), "--kubeconfig", str(config))
    assert result.code == 2
    assert not (tmp_path / "was-run").exists()


def _write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


# How long it takes.


def test_one_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(credential_plugin, "LONGEST", 0.4)
    monkeypatch.setattr(credential_plugin, "_PATIENCE", 0.1)
    plugin = _plugin(tmp_path, f"echo $$ >{tmp_path}/pid", "exec sleep 60")
    begin = time.monotonic()
    with pytest.raises(InputError, match=r"plugin\.sh did not finish within 0\.4 seconds"):
        CredentialPlugin(plugin, {}).get_authorization()
    assert time.monotonic() - begin < 10
    assert capsys.readouterr().err == f"waiting for the credential plugin {tmp_path}/plugin.sh (Ctrl-C stops it)\n"
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_one_whose_child_keeps_its_output_open_is_ended_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credential_plugin, "LONGEST", 0.4)
    monkeypatch.setattr(credential_plugin, "_PATIENCE", 0.1)
    begin = time.monotonic()
    with pytest.raises(InputError, match="did not finish"):
        CredentialPlugin(_plugin(tmp_path, "sleep 20"), {}).get_authorization()
    assert time.monotonic() - begin < 10


def test_one_that_leaves_a_child_behind_has_answered(tmp_path: Path) -> None:
    begin = time.monotonic()
    assert CredentialPlugin(_plugin(tmp_path, "sleep 20 &"), {}).get_authorization() == f"Bearer {TOKEN}"
    assert time.monotonic() - begin < 10


def test_one_that_prints_without_end_is_not_read_without_end(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"plugin\.sh (prints more than 1 MiB|was killed by signal)"):
        CredentialPlugin(_plugin(tmp_path, "exec cat /dev/zero"), {}).get_authorization()


# How often it is run.


def _counted(folder: Path, expires: str) -> CredentialPlugin:
    status: dict[str, Any] = {"token": TOKEN, **({"expirationTimestamp": expires} if expires else {})}
    answer = json.dumps({"kind": "ExecCredential", "apiVersion": VERSION, "status": status})
    return CredentialPlugin(_plugin(folder, f"echo run >>{folder}/runs", f"echo '{answer}'; exit"), {})


def _count(folder: Path) -> int:
    return len((folder / "runs").read_text().split())


@pytest.mark.parametrize(
    ("expires", "runs"), [("", 1), ("2100-01-01T00:00:00Z", 1), ("2100-01-01T02:00:00+02:00", 1), ("2020-01-01T00:00:00Z", 3)]
)
def test_it_is_run_again_once_its_credentials_have_expired(expires: str, runs: int, tmp_path: Path) -> None:
    plugin = _counted(tmp_path, expires)
    for _ in range(3):
        plugin.get_authorization()
    assert _count(tmp_path) == runs


def test_it_is_run_once_for_all_requests(tmp_path: Path) -> None:
    server = ApiServer(cluster(), _only_with_token)
    with serving(server, tmp_path, tls_of_server()) as config:
        _use_plugin(config, f"echo run >>{tmp_path}/runs", mode="Never")
        assert program(*LINE, "--kubeconfig", str(config)).code == 0
    assert len(server.asked) > 3
    assert _count(tmp_path) == 1


def test_it_is_run_once_for_requests_at_a_time(tmp_path: Path) -> None:
    with serving(ApiServer(cluster()), tmp_path, tls_of_server()) as config:
        _use_plugin(config, f"echo run >>{tmp_path}/runs; sleep 0.2", mode="Never")
        access = open_access(ClusterTarget(kubeconfig=str(config)))
        ready = threading.Barrier(4)

        def ask(_: int) -> list[tuple[str, str]]:
            ready.wait(10)
            return access.build_headers()

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(ask, range(4))) == [[("Authorization", f"Bearer {TOKEN}")]] * 4
        access.close()
    assert _count(tmp_path) == 1


def test_a_certificate_that_is_renewed_is_shown_from_then_on(tmp_path: Path) -> None:
    """The connections that showed the old one are not used again."""
    from tests.load.live.kubeconfigs.case import pem

    status = {"clientCertificateData": pem("good.crt"), "clientKeyData": pem("good.key"), "expirationTimestamp": "2020-01-01T00:00:00Z"}
    answer = json.dumps({"kind": "ExecCredential", "apiVersion": VERSION, "status": status})
    other = {**status, "clientCertificateData": pem("stranger.crt"), "clientKeyData": pem("stranger.key")}
    with serving(ApiServer(cluster()), tmp_path, tls_of_server()) as config:
        (tmp_path / "answer").write_text(answer)
        _use_plugin(config, f"cat {tmp_path}/answer; exit", mode="Never")
        access = open_access(ClusterTarget(kubeconfig=str(config)))
        access.build_headers()
        first = access.pool
        access.build_headers()
        assert access.pool is first
        (tmp_path / "answer").write_text(answer.replace(json.dumps(status), json.dumps(other)))
        access.build_headers()
        assert access.pool is not first
        access.close()
