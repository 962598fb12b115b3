"""Credentials: never left on the disk however a run ends, and in no output, wherever in a kubeconfig they stand."""

from __future__ import annotations

import base64
import json
import os
import signal
import ssl
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from preflight.errors import InputError
from preflight.inert_text import make_inert
from preflight.load.live.access import credentials, tls
from preflight.load.live.access.credentials import ClientCertificate
from preflight.load.live.access.model import User
from preflight.load.live.kubeconfig import open_access
from preflight.load.live.target import ClusterTarget
from tests.cli.program import program
from tests.load.live.api_server import TLS, TOKEN, ApiServer, Asked, kubeconfig, serving, status, tls_of_server
from tests.load.live.listed_objects import cluster
from tests.paths import ROOT

LINE = ("taint", "nodes", "a-1", "team=x:NoSchedule")
_KEY = {name: base64.b64encode((TLS / file).read_bytes()).decode() for name, file in (("certificate", "good.crt"), ("key", "good.key"))}
USER = {"client-certificate-data": _KEY["certificate"], "client-key-data": _KEY["key"]}


_IGNORED_IN_THE_BACKGROUND = (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
"""What a shell's background job and nohup ignore, and their children do too."""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has files in memory")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL])
def test_no_key_is_left_however_a_run_ends(number: signal.Signals, tmp_path: Path) -> None:
    """The server has begun to answer, so that the certificate has been shown; the rest of the answer never comes."""
    folder, home = tmp_path / "temporary", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    server = ApiServer(cluster(), lambda asked: "nothing" if asked.resource == "daemonsets" else None)
    with serving(server, tmp_path, tls_of_server()) as config:
        _change_user(config, {**USER, "token": TOKEN})
        words = [sys.executable, "-m", "preflight", *LINE, "--kubeconfig", str(config)]
        environment = {**os.environ, "TMPDIR": str(folder), "HOME": str(home), "PYTHONPATH": str(ROOT)}
        was = {ignored: signal.signal(ignored, signal.SIG_DFL) for ignored in _IGNORED_IN_THE_BACKGROUND}
        try:
            process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, cwd=home)
        finally:
            for ignored, handler in was.items():
                signal.signal(ignored, handler)
        try:
            while not any(asked.resource == "daemonsets" for asked in server.asked):
                assert process.poll() is None
                time.sleep(0.02)
            assert [*folder.iterdir(), *home.iterdir()] == []
        finally:
            process.send_signal(number)
            process.wait(20)
    assert [*folder.iterdir(), *home.iterdir()] == []


def _change_user(config: Path, user: dict[str, Any]) -> None:
    data = json.loads(config.read_text())
    data["users"][0]["user"] = user
    config.write_text(json.dumps(data))


def _load(folder: Path) -> list[str]:
    """Load the certificate; the files that were in the folder meanwhile, and afterwards."""
    seen: list[str] = []

    class Watching(ssl.SSLContext):
        def load_cert_chain(self, certfile: Any, keyfile: Any = None, password: Any = None) -> None:
            seen.extend(path.name for path in folder.rglob("*") if path.is_file())
            super().load_cert_chain(certfile, keyfile, password)

    shown = ClientCertificate((TLS / "good.crt").read_bytes(), (TLS / "good.key").read_bytes(), "the certificate", "the key")
    tls.load_client_certificate(Watching(ssl.PROTOCOL_TLS_CLIENT), shown)
    return [*seen, *(path.name for path in folder.rglob("*"))]


def test_a_key_is_loaded_from_a_file_without_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert _load(tmp_path) == []


def test_without_files_in_memory_it_is_one_that_has_lost_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.delattr(os, "memfd_create", raising=False)
    assert _load(tmp_path) == []


def test_where_no_path_leads_to_such_a_file_it_is_removed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(tls, "_get_descriptor_path", lambda _: str(tmp_path / "nothing"))
    assert _load(tmp_path) == ["credential"] * 2


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    descriptors = Path("/dev/fd")
    before = len([*descriptors.iterdir()])
    for _ in range(3):
        _load(tmp_path)
    assert len([*descriptors.iterdir()]) == before


# No output has a credential.

ADDRESSES = {
    "a user name and a password": "{scheme}://me:{secret}@{host}",
    "a token in the query": "{scheme}://{host}?token={secret}",
    "a token behind a path": "{scheme}://{host}/base?token={secret}#{secret}",
    "no scheme": "me:{secret}@{host}",
    "a scheme that is none": "htps://{host}/x?token={secret}",
    "a slash in the password": "{scheme}://me:a/{secret}@{host}",
    "a port that is none": "{scheme}://{host}{secret}",
    "a newline": "{scheme}://me:{secret}@{host}\n",
    "a broken escape": "{scheme}://me:%zz{secret}@{host}",
}
FORMATS = ("text", "concise", "json", "sarif", "junit", "github", "gitlab", "markdown", "html")


@pytest.mark.parametrize("template", ADDRESSES.values(), ids=ADDRESSES.keys())
def test_a_credential_in_the_address_is_never_shown(template: str, tmp_path: Path) -> None:
    server = ApiServer(cluster())
    with serving(server, tmp_path) as config:
        data = json.loads(config.read_text())
        address = template.format(scheme="http", secret=TOKEN, host=server.url.partition("//")[2])
        data["clusters"][0]["cluster"]["server"] = address
        config.write_text(json.dumps(data))
        runs = [program(*LINE, "--kubeconfig", str(config), "-v", "-o", name) for name in FORMATS]
        runs.append(program("snapshot", "-o", str(tmp_path / "world"), "--kubeconfig", str(config)))
    assert not [run for run in runs if TOKEN in run.out + run.err]
    assert not (tmp_path / "world").exists() or TOKEN.encode() not in (tmp_path / "world").read_bytes()
    assert {run.code for run in runs} <= {0, 1, 3}


@pytest.mark.parametrize("user", [{"token": TOKEN}, {"username": "me", "password": TOKEN}], ids=["a token", "a password"])
def test_what_a_server_repeats_of_a_credential_is_left_out(user: dict[str, str], tmp_path: Path) -> None:
    def fault(asked: Asked) -> tuple[int, bytes] | None:
        sent = asked.headers.get("Authorization", "")
        more = base64.b64decode(sent.partition(" ")[2]).decode() if sent.startswith("Basic") else ""
        return status(403, f"no right for {sent} {more}\x1b]52;c;aGk=\x07") if asked.resource == "daemonsets" else None

    with serving(ApiServer(cluster(), fault), tmp_path, tls_of_server()) as config:
        _change_user(config, user)
        access = open_access(ClusterTarget(kubeconfig=str(config)))
        sent = access.build_headers()[0][1]
        access.close()
        result = program(*LINE, "--kubeconfig", str(config), "-v")
    assert sent.partition(" ")[2] not in result.out + result.err
    assert TOKEN not in access.redact(f"no right for {TOKEN}: {sent}") + result.out + result.err
    assert "\x1b" not in result.err


NAMES = ("\x1b]52;c;aGk=\x07", "\n::error::x", "##[error]x", "\u202ex", "a\rb")


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_name_is_inert_in_every_error(name: str, tmp_path: Path) -> None:
    """A terminal and a machine of CI obey nothing of it."""
    whole: dict[str, Any] = {
        "current-context": name,
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "clusters": [{"name": name, "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": name, "user": {"exec": {"apiVersion": name, "command": name, "interactiveMode": name}}}],
    }
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": f"/none/{name}", "interactiveMode": "Never", "installHint": name}
    variants = [
        whole,
        {**whole, "clusters": []},
        {**whole, "clusters": whole["clusters"] * 2},
        {**whole, "current-context": f"{name}!"},
        {**whole, "kind": name},
        {**whole, "users": [{"name": name, "user": {"client-certificate": name, "client-key": name}}]},
        {**whole, "users": [{"name": name, "user": {"tokenFile": name}}]},
        {**whole, "users": [{"name": name, "user": {"auth-provider": {"name": name}}}]},
        {**whole, "users": [{"name": name, "user": {"exec": plugin}}]},
        {**whole, "users": [{"name": name, "user": {"client-key-data": name}}]},
        {**whole, "users": []},
    ]
    for number, variant in enumerate(variants):
        path = tmp_path / f"{number}"
        path.write_text(json.dumps(variant))
        result = program(*LINE, "--kubeconfig", str(path))
        assert result.code == 3
        lines = result.err.removesuffix("\n").split("\n")
        assert all(line.isprintable() and "##[" not in line and not line.lstrip().startswith("::") for line in lines), lines
        assert lines[0].startswith("error: ")


@pytest.mark.parametrize(
    ("text", "inert"),
    [("größe 日本", "größe 日本"), ("\x1b[1m", r"\x1b[1m"), ("a\nb", r"a\nb"), ("\udc80", r"\udc80"), ("##[e]", r"\x23#[e]")],
    ids=ascii,
)
def test_text_is_made_inert(text: str, inert: str) -> None:
    assert make_inert(text) == inert


# A token file is read again.


@pytest.fixture
def _short_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credentials, "_REREAD", -1.0)


@pytest.mark.usefixtures("_short_lives")
def test_a_token_that_is_renewed_in_its_file_is_sent_and_one_that_vanishes_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("one\n")
    found = credentials.make_static_credentials(User(token_file=str(path), token="given"))
    assert found is not None
    assert found.get_authorization() == "Bearer one"
    path.write_text("two\n")
    assert found.get_authorization() == "Bearer two"
    path.write_text("")
    assert found.get_authorization() == "Bearer two"
    path.unlink()
    assert found.get_authorization() == "Bearer two"


def test_a_broken_certificate_is_blamed_and_not_the_server(tmp_path: Path) -> None:
    """Before anybody is asked: nobody listens there."""
    config = kubeconfig(tmp_path / "config", "https://127.0.0.1:1", {**USER, "client-key-data": "eHg="})
    with pytest.raises(InputError, match="context test: the client-key-data of user u holds no private key"):
        open_access(ClusterTarget(kubeconfig=str(config)))
