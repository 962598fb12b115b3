"""The bed itself: who may do what, what is logged, and what is left behind: nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cluster import build
from tests.cluster.api import Api, ApiError
from tests.cluster.bed import Bed, BedError
from tests.cluster.objects import daemonset, node, pod

STARTS_ONE = """
from tests.cluster.bed import Bed

with Bed() as bed:
    print(*(child.process.pid for child in bed.children), flush=True)
    input()
"""
ROOT = Path(__file__).parents[2]
READER = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "ClusterRole",
    "metadata": {"name": "reader"},
    "rules": [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list"]}],
}
BOUND = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "ClusterRoleBinding",
    "metadata": {"name": "reader"},
    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reader"},
    "subjects": [{"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": "readers"}],
}


def test_without_go_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(build, "BUILT", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(build.BuildError, match=r"^go is not in the PATH: .* need Go 1\.26 or later to be installed"):
        build.programs()


def test_what_go_says_of_a_broken_build_is_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "go").write_text("#!/bin/sh\necho no such module >&2\nexit 1\n")
    (tmp_path / "go").chmod(0o755)
    monkeypatch.setattr(build, "BUILT", tmp_path / "built")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(build.BuildError, match=r"^go build failed:\nno such module\n$"):
        build.programs()
    assert [path.name for path in (tmp_path / "built").iterdir()] == ["lock"]


@pytest.mark.cluster
def test_the_go_sources_are_formatted() -> None:
    assert subprocess.run(["gofmt", "-l", str(build.CONTROL)], capture_output=True, text=True, check=True).stdout == ""


@pytest.mark.cluster
def test_a_user_has_the_rights_that_are_given_and_the_audit_log_shows_what_was_asked() -> None:
    with Bed(rbac=True, audit=True, users={"eve": ["readers"]}) as bed:
        bed.create([READER, BOUND, node("n1")])
        assert bed.kubectl("get", "nodes", "-o", "name", user="eve").out == "node/n1\n"
        assert bed.kubectl("get", "pods", user="eve", check=False).code == 1
        bed.kubectl("label", "nodes", "n1", "a=b")
        eve = Api(bed.server, bed.ca, bed.token_of("eve"))
        with pytest.raises(ApiError, match=r'^403: .*User "eve" cannot delete resource "nodes"'):
            eve.ask("DELETE", "/api/v1/nodes/n1")
        eve.close()
        asked = {(each["user"]["username"], each["verb"], each["objectRef"]["resource"]) for each in bed.audit() if "objectRef" in each}
        wanted = {("eve", "list", "nodes"), ("eve", "list", "pods"), ("eve", "delete", "nodes")}
        assert asked == {*wanted, ("admin", "get", "nodes"), ("admin", "patch", "nodes")}


@pytest.mark.cluster
def test_a_gate_is_open() -> None:
    greater = {"key": "k", "operator": "Gt", "value": "5", "effect": "NoSchedule"}
    with Bed(gates={"TaintTolerationComparisonOperators": True}) as bed:
        bed.create([node("n1", "k=6:NoSchedule"), node("n2", "k=5:NoSchedule"), daemonset("d1", greater)])
        bed.settle(quiet=2)
        assert [pod["spec"]["nodeName"] for pod in bed.list("pods")] == ["n1"]


@pytest.mark.cluster
@pytest.mark.parametrize(
    "nodes", [pytest.param(3, id="a small world, piece by piece"), pytest.param(16, id="a large one, by starting anew")]
)
def test_a_world_is_cleared(bed: Bed, nodes: int) -> None:
    names = [f"n{i}" for i in range(nodes)]
    spaces = [{**pod("p"), "metadata": {"name": "p", "namespace": "other"}}]
    bed.create([*map(node, names), *(daemonset(f"d{i}") for i in range(20)), *spaces])
    bed.settle(quiet=2)
    assert len(bed.list("pods")) == nodes * 20 + 1
    bed.clear()
    assert [bed.list(kind) for kind in ("pods", "nodes", "daemonsets", "controllerrevisions")] == [[], [], [], []]
    assert {namespace["metadata"]["name"] for namespace in bed.list("namespaces")} == {
        "default",
        "kube-system",
        "kube-public",
        "kube-node-lease",
    }
    bed.create([node("n1"), daemonset("d1")])
    bed.settle(quiet=2)
    assert [each["status"]["phase"] for each in bed.list("pods")] == ["Running"]


@pytest.mark.cluster
def test_an_error_says_what_was_asked_and_what_was_answered(bed: Bed) -> None:
    with pytest.raises(BedError, match=r'^kubectl get node n1: exit 1: Error from server \(NotFound\): nodes "n1" not found$'):
        bed.kubectl("get", "node", "n1")
    with pytest.raises(ApiError, match=r'^422: POST /api/v1/nodes: Node "N" is invalid: metadata.name'):
        bed.create([node("N")])
    with pytest.raises(BedError, match=r"(?s)^still waiting for nothing after 0 seconds\n.*kube-apiserver.log"):
        bed.wait(lambda: False, 0, "nothing")


@pytest.mark.cluster
@pytest.mark.parametrize("ends", [signal.SIGKILL, signal.SIGINT])
def test_nothing_is_left_when_the_tests_are_stopped(ends: int) -> None:
    command = [sys.executable, "-c", STARTS_ONE]
    was = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it, and its children do too
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
        signal.signal(signal.SIGINT, was)
        assert run.stdout is not None
        pids = [int(word) for word in run.stdout.readline().split()]
        assert [runs(pid) for pid in pids] == [True] * 5
        run.send_signal(ends)
        run.wait(10)
    end = time.monotonic() + 5
    while any(map(runs, pids)) and time.monotonic() < end:
        time.sleep(0.1)
    assert [runs(pid) for pid in pids] == [False] * 5


def runs(pid: int) -> bool:
    """There is a process with this id that has not ended."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
