"""Servers and proxies that fail before a request is answered: one line that says who failed, in bounded time, without a secret."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.program import program
from tests.load.live.api_server import TOKEN, kubeconfig
from tests.paths import ROOT

LINE = ("cordon", "a-1")


@contextmanager
def _answering(answer: bytes | None) -> Iterator[int]:
    """A port where whoever connects gets these bytes once, and then the end; None: nothing, and no end."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        kept: list[socket.socket] = []

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    peer, _ = listening.accept()
                    kept.append(peer)
                    if answer is not None:
                        peer.recv(4096)
                        peer.sendall(answer)
                        peer.close()

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield listening.getsockname()[1]
        finally:
            for peer in kept:
                peer.close()


def _use_server(folder: Path, port: int) -> Path:
    return kubeconfig(folder / "config", f"https://127.0.0.1:{port}")


def _use_proxy(scheme: str) -> Callable[[Path, int], Path]:
    def use(folder: Path, port: int) -> Path:
        path = kubeconfig(folder / "config", "https://api.test:6443")
        data = json.loads(path.read_text())
        data["clusters"][0]["cluster"]["proxy-url"] = f"{scheme}://me:{TOKEN}@127.0.0.1:{port}"
        path.write_text(json.dumps(data))
        return path

    return use


PROXY = "https://api.test:6443: the proxy does not respond: "
FAULTS = {
    "a server that says nothing": (_use_server, None, r".*: no response within 1 seconds \(--request-timeout\)"),
    "a server that ends at once": (_use_server, b"", r".*: (the server closed the TLS handshake: .*|the connection was lost .*)"),
    "a server that speaks http": (_use_server, b"HTTP/1.1 400 no\r\n\r\n", r".*: the server does not use TLS: is it an http address\?"),
    "a proxy that says nothing": (_use_proxy("http"), None, r".*: no response within 1 seconds \(--request-timeout\)"),
    "a proxy that ends at once": (_use_proxy("http"), b"", "https://api.test:6443: the connection was lost in the middle of the response"),
    "a proxy that speaks garbage": (
        _use_proxy("http"),
        b"\x00\x01\x02 garbage\n",
        "https://api.test:6443: the connection was lost in the middle of the response",
    ),
    "a proxy that wants another password": (
        _use_proxy("http"),
        b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
        f"{PROXY}Tunnel connection failed: 407 Proxy Authentication Required",
    ),
    "a proxy of https that speaks http": (_use_proxy("https"), b"HTTP/1.1 400 no\r\n\r\n", f"{PROXY}wrong version number"),
    "a proxy of socks5 that says nothing": (_use_proxy("socks5"), None, r".*: no response within 1 seconds \(--request-timeout\)"),
    "a proxy of socks5 that refuses": (
        _use_proxy("socks5"),
        b"\x05\xff",
        ".+: cannot be reached: All offered SOCKS5 authentication methods were rejected",
    ),
    "a proxy of socks5 that speaks garbage": (
        _use_proxy("socks5"),
        b"\x00\x01\x02 garbage\n",
        ".+: cannot be reached: SOCKS5 proxy server sent invalid data",
    ),
}


@pytest.mark.parametrize(("use", "answer", "pattern"), FAULTS.values(), ids=FAULTS.keys())
def test_a_way_that_fails(
    use: Callable[[Path, int], Path], answer: bytes | None, pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)  # before a request is tried again
    begin = time.monotonic()
    with _answering(answer) as port:
        result = program(*LINE, "--kubeconfig", str(use(tmp_path, port)), "--request-timeout", "1s")
    assert time.monotonic() - begin < 25
    assert result.code == 3
    assert re.fullmatch(f"error: {pattern}\n", result.err), result.err
    assert " at 0x" not in result.err
    assert TOKEN not in result.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_who_has_enough_of_a_plugin_ends_it_too(number: signal.Signals, tmp_path: Path) -> None:
    plugin = tmp_path / "plugin.sh"
    plugin.write_text(f"#!/bin/sh\ntrap '' INT\nsleep 1\necho $$ >{tmp_path}/pid\nexec sleep 60\n")
    plugin.chmod(0o755)
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin), "interactiveMode": "Never"}}
    config = kubeconfig(tmp_path / "config", "https://127.0.0.1:1", user)
    was = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it, and its children do too
    process = subprocess.Popen([sys.executable, "-m", "preflight", *LINE, "--kubeconfig", str(config)], stderr=subprocess.PIPE, cwd=ROOT)
    signal.signal(signal.SIGINT, was)
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert process.poll() is None
        time.sleep(0.02)
    begin = time.monotonic()
    process.send_signal(number)
    _, error = process.communicate(timeout=20)
    assert time.monotonic() - begin < 5
    assert (process.returncode, error) == (130, b"\ninterrupted\n")
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
