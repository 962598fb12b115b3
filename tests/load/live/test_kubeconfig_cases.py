"""Kubeconfigs beside kubectl: what it refuses is refused, and what it sends, where to and by which way, is sent."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from preflight.errors import InputError
from preflight.load.live import connection as connection_module
from preflight.load.live.access import in_cluster
from preflight.load.live.connection import ApiConnection
from preflight.load.live.target import ClusterTarget
from tests.load.live.kubeconfigs.answers import read_answers, read_refusals
from tests.load.live.kubeconfigs.case import TOKEN, Case, Place
from tests.load.live.kubeconfigs.cases import CASES, DIFFERENCES
from tests.load.live.kubeconfigs.listeners import TIMEOUT, Listeners, listening

ANSWERS = read_answers()
REFUSALS = read_refusals()
SECRETS = (TOKEN, "SECRET", "BEGIN ")


@pytest.fixture(scope="module")
def listeners() -> Iterator[Listeners]:
    with listening() as started:
        yield started


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """No name server is asked for the names of these cases, and nothing is waited for."""
    resolve = socket.getaddrinfo

    def find(host: Any, *args: Any, **more: Any) -> Any:
        if str(host).lower().endswith((".test", ".invalid")):
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return resolve(host, *args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", find)
    monkeypatch.setattr(connection_module, "_LONGEST_WAIT", 0.01)
    monkeypatch.setattr(time, "sleep", lambda _: None)


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr("sys.__stdin__", nothing)
        yield


def ask(case: Case, place: Place, monkeypatch: pytest.MonkeyPatch) -> tuple[str, list[Any]]:
    """What is wrong, "" for nothing, and what arrives."""
    given: dict[str, list[str]] = {}
    for flag, value in zip(case.args[::2], case.args[1::2], strict=True):
        given.setdefault(flag, []).append(value)
    with place.laid_out(case) as environment:
        for name in (*os.environ, *environment):
            if name not in environment:
                monkeypatch.delenv(name)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(place.folder)
        monkeypatch.setattr(in_cluster, "FOLDER", str(place.folder / "pod"))
        target = ClusterTarget(
            context=given.get("--context", [""])[0],
            kubeconfig=place.fill(case.kubeconfig),
            user=given.get("--as", [""])[0],
            groups=tuple(given.get("--as-group", ())),
            timeout=TIMEOUT,
        )
        try:
            connection = ApiConnection(target)
            try:
                connection.get("/probe")
            finally:
                connection.close()
        except InputError as error:
            return place.strip(str(error)), place.list_asked()
        return "", place.list_asked()


@pytest.mark.parametrize("name", CASES)
def test_it_is_as_kubectl_has_it(
    name: str, listeners: Listeners, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    case, answer = CASES[name], ANSWERS[name]
    if 0 in case.modes.values() and os.geteuid() == 0:
        pytest.skip("root may read every file")
    problem, asked = ask(case, Place(tmp_path, listeners), monkeypatch)
    expected = (False, []) if name in DIFFERENCES else (answer["works"], answer["asked"])
    assert (not problem, asked) == expected, problem
    refusal = REFUSALS.get(name, "")
    assert problem.startswith(refusal.removesuffix("...")) if refusal.endswith("...") else problem == refusal
    assert not [secret for secret in SECRETS if secret in problem + "".join(capfd.readouterr())]
