"""Every fault on every list: the answer is never complete, it comes in time, and it names the list."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from preflight.load.live.resources import ALL_RESOURCES
from tests.builders import make_owner, make_pod
from tests.cli.program import Result, program
from tests.load.live.api_server import KINDS, ApiServer, serving
from tests.load.live.faulty_lists import explain, hurry, list_unnamed, plant
from tests.load.live.listed_objects import daemonset, node, pod
from tests.load.live.wire_faults import WIRE_FAULTS, send

_DRAIN = "drain a-0 --ignore-daemonsets --force"
_TAINT = "taint nodes a-0 team=x:NoSchedule"
_UPDATE = "set image -n storage ds/csi main=example.com/agent:2"
LINES = {
    **dict.fromkeys(("daemonsets", "nodes"), _TAINT),
    **dict.fromkeys(("pods", "poddisruptionbudgets", "deployments", "statefulsets", "jobs", "jobsets", "replicasets"), _DRAIN),
    **dict.fromkeys(("namespaces", "runtimeclasses", "resourcequotas"), _UPDATE),
    **dict.fromkeys(("cronjobs", "persistentvolumeclaims", "persistentvolumes", "storageclasses", "configmaps"), _TAINT),
    **dict.fromkeys(("events", "csinodes"), "doctor"),
}
"""The lists, and a command line that needs each."""


def _objects() -> list[dict[str, Any]]:
    """A node, a DaemonSet with a ConfigMap, its pod, and a pod of a ReplicaSet that no Deployment owns."""
    csi = daemonset("storage", "csi", volumes=[{"name": "settings", "configMap": {"name": "plugin-settings"}}])
    return [node("a-0"), csi, pod(csi, "a-0"), make_pod("web", "shop", node="a-0", owner=make_owner("ReplicaSet", "web", "u"))]


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ApiServer, Path]]:
    """A server that the cases give a fault, and a kubeconfig that leads to it."""
    server = ApiServer(_objects())
    with serving(server, tmp_path_factory.mktemp("faulty")) as config:
        yield server, config


@pytest.mark.parametrize("fault", WIRE_FAULTS)
def test_no_list_with_a_fault_is_taken_for_a_whole_one(fault: str, faulty: tuple[ApiServer, Path]) -> None:
    server, config = faulty
    plant(server, fault, KINDS)
    began = time.monotonic()
    assert list_unnamed(fault, config) == []
    assert time.monotonic() - began < 15


def test_each_list_is_whole_where_nothing_is_wrong(faulty: tuple[ApiServer, Path]) -> None:
    server, config = faulty
    server.fault = None
    assert set(explain(config, list(ALL_RESOURCES)).values()) == {""}
    assert {resource.plural for resource in ALL_RESOURCES} == set(LINES)


def _run(line: str, fault: str, resource: str, faulty: tuple[ApiServer, Path]) -> Result:
    server, config = faulty
    plant(server, fault, (resource,))
    began = time.monotonic()
    result = program(*shlex.split(line), "--kubeconfig", str(config), "-o", "json")
    assert time.monotonic() - began < 15
    return result


def _check_incomplete(result: Result, resource: str) -> None:
    assert (result.code, "Traceback" in result.err) == (3, False)
    problems = json.loads(result.out)["problems"] if result.out else []
    said = result.err + " ".join(problem["message"] for problem in problems)
    assert resource in said or KINDS[resource][1] in said


@pytest.mark.parametrize("resource", LINES)
@pytest.mark.parametrize("fault", ["503", "an item that is null"])
def test_a_command_that_needs_a_list_with_a_fault_is_incomplete(fault: str, resource: str, faulty: tuple[ApiServer, Path]) -> None:
    _check_incomplete(_run(LINES[resource], fault, resource, faulty), resource)


@pytest.mark.parametrize("fault", sorted(WIRE_FAULTS.keys() - {"401"}))
def test_a_drain_without_a_whole_list_of_pods_is_incomplete(fault: str, faulty: tuple[ApiServer, Path]) -> None:
    _check_incomplete(_run(_DRAIN, fault, "pods", faulty), "pods")


@pytest.mark.parametrize("fault", ["a page of HTML", "zeros", "no answer at all", "a connection that is reset"])
def test_a_server_that_does_not_say_what_it_serves_is_not_asked_further(fault: str, faulty: tuple[ApiServer, Path]) -> None:
    result = _run(_DRAIN, fault, "apis", faulty)
    assert (result.code, result.out) == (3, "")
    assert fault != "zeros" or "the response to /apis does not list what the server serves" in result.err


@pytest.mark.parametrize(
    ("resource", "name", "line"),
    [
        ("nodes", "a-0", _TAINT),
        ("daemonsets", "storage/csi", _TAINT),
        ("poddisruptionbudgets", "x/odd", _DRAIN),
        ("jobs", "x/odd", _DRAIN),
    ],
)
@pytest.mark.parametrize("spec", ['"yes"', '["a"]', '{"containers": "yes", "selector": "yes", "template": 3, "taints": 3}'])
def test_an_item_with_a_wrong_type_is_named_and_not_taken_for_missing(
    spec: str, resource: str, name: str, line: str, faulty: tuple[ApiServer, Path]
) -> None:
    server, config = faulty

    def spoil(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        data = json.loads(body)
        first = data["items"][0] if data["items"] else {"metadata": {"name": "odd", "namespace": "x"}}
        data["items"] = [{**first, "spec": json.loads(spec)}, *data["items"][1:]]
        send(handler, json.dumps(data).encode())

    server.fault = lambda asked: spoil if asked.resource == resource else None
    result = program(*shlex.split(line), "--kubeconfig", str(config), "-o", "json")
    assert result.code == 3
    assert f"item 1 of the list of {resource} ({name}) cannot be read: " in result.err + result.out
    assert "not found" not in result.err


@pytest.mark.parametrize("spec", ['"yes"', '["a"]', "3"])
def test_a_pod_with_a_wrong_type_is_named(spec: str, faulty: tuple[ApiServer, Path]) -> None:
    server, config = faulty

    def spoil(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        data = json.loads(body)
        for item in data["items"][:1]:
            item["spec"] = json.loads(spec)
        send(handler, json.dumps(data).encode())

    server.fault = lambda asked: spoil if asked.resource == "pods" else None
    result = program(*shlex.split(_DRAIN), "--kubeconfig", str(config), "-o", "json")
    assert result.code == 3
    assert "item 1 of the list of pods (storage/csi-a-0) cannot be read: " in result.out
