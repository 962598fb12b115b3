"""Every fault on every list, between preflight and a real API server: see `tests/load/live/test_fault_table.py`."""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from preflight.load.live.resources import ALL_RESOURCES
from tests.cli.program import Result, program
from tests.cluster.bed import Bed
from tests.load.live.api_server import KINDS, ApiServer, Asked, serving
from tests.load.live.faulty_lists import explain, hurry, list_unnamed, plant
from tests.load.live.listed_objects import daemonset, node
from tests.load.live.wire_faults import WIRE_FAULTS

pytestmark = pytest.mark.cluster

_LINES = {
    "daemonsets": "taint nodes n1 team=x:NoSchedule",
    "nodes": "taint nodes n1 team=x:NoSchedule",
    "pods": "drain n1 --ignore-daemonsets --force",
    "poddisruptionbudgets": "drain n1 --ignore-daemonsets --force",
    "persistentvolumes": "taint nodes n1 team=x:NoSchedule",
}


class Proxy(ApiServer):
    """Answers what a real API server answers, but for the fault."""

    def __init__(self, bed: Bed) -> None:
        super().__init__([])
        self._bed = bed
        self._context = ssl.create_default_context(cafile=str(bed.ca))

    def answer(self, asked: Asked) -> tuple[int, bytes]:
        """The answer of the real server."""
        headers = {"Authorization": f"Bearer {self._bed.token}", "Accept": asked.headers.get("Accept", "application/json")}
        request = urllib.request.Request(f"{self._bed.server}{asked.url}", headers=headers)
        try:
            with urllib.request.urlopen(request, context=self._context) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()


@pytest.fixture(scope="module")
def proxy(plain: Bed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Proxy, Path]]:
    """A proxy in front of a cluster with a node, a DaemonSet and its pod, and a kubeconfig that leads to it."""
    plain.clear()
    made = node("n1")
    made["status"]["allocatable"] = made["status"]["capacity"] = {"cpu": "4", "memory": "8Gi", "pods": "50"}
    plain.create([made, daemonset("logging", "agent", image="registry.example/c:1")])
    plain.wait(lambda: any(pod["spec"].get("nodeName") for pod in plain.list("pods")), 60, "a pod")
    server = Proxy(plain)
    with serving(server, tmp_path_factory.mktemp("proxy")) as config:
        yield server, config


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def _run(line: str, config: Path) -> Result:
    return program(*line.split(), "--kubeconfig", str(config), "-o", "json")


@pytest.mark.parametrize("is_aggregated", [True, False])
def test_each_list_of_a_real_server_is_whole(is_aggregated: bool, proxy: tuple[Proxy, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """With either kind of discovery documents."""
    server, config = proxy
    if not is_aggregated:
        monkeypatch.setattr("preflight.load.live.discovery._ACCEPT", "application/json")
    server.fault = None
    server.asked.clear()
    assert set(explain(config, list(ALL_RESOURCES)).values()) == {""}
    documents = [asked.path for asked in server.asked if asked.resource == "apis"]
    assert documents == ["/apis"] if is_aggregated else "/apis/policy/v1" in documents
    assert [_run(line, config).code for line in _LINES.values()] == [1, 1, 0, 0, 1]


@pytest.mark.parametrize("fault", WIRE_FAULTS)
def test_no_list_with_a_fault_is_taken_for_a_whole_one(fault: str, proxy: tuple[Proxy, Path]) -> None:
    server, config = proxy
    plant(server, fault, KINDS, 2.0)
    assert list_unnamed(fault, config) == ["jobsets"]  # not installed there


@pytest.mark.parametrize("resource", _LINES)
@pytest.mark.parametrize("fault", sorted(WIRE_FAULTS.keys() - {"401"}))
def test_a_command_that_needs_a_list_with_a_fault_is_incomplete(fault: str, resource: str, proxy: tuple[Proxy, Path]) -> None:
    server, config = proxy
    plant(server, fault, (resource,), 2.0)
    result = _run(_LINES[resource], config)
    assert (result.code, "Traceback" in result.err) == (3, False)
    said = result.err + " ".join(problem["message"] for problem in json.loads(result.out or '{"problems": []}')["problems"])
    assert resource in said or KINDS[resource][1] in said
