"""Several clusters side by side: asked at the same time, and one that fails hides none of the others."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from preflight.engine.multi_cluster import ask_clusters, list_inputs
from preflight.engine.session import Session
from preflight.errors import InputError, UsageError
from preflight.load.inputs import Files, Live, Snapshot, name_input
from preflight.load.live.target import ClusterTarget
from preflight.load.snapshot.recognize import is_snapshot
from tests.builders import write_list
from tests.capacity.snapshots import GPU, asked, deployment, node, pod, snapshot
from tests.cli.program import program
from tests.load.live.api_server import ApiServer, Asked, serving, status

ASKS = ("--request", f"{GPU}=1")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, nodes in (("east", 2), ("west", 1)):
        Path(f"{name}.json").write_text(snapshot([node(f"{name}-{number}") for number in range(nodes)]))
    return tmp_path


def _name(session: Session) -> str:
    return name_input(session.input)


def _sessions(*names: str) -> list[Session]:
    return [Session(Files((name,))) for name in names]


def test_nowhere_to_ask_is_no_answer() -> None:
    assert ask_clusters([], _name) == []


def test_each_is_asked_while_the_others_are() -> None:
    all_there = threading.Barrier(3, timeout=10)

    def ask(session: Session) -> str:
        all_there.wait()
        return _name(session).upper()

    found = ask_clusters(_sessions("a", "b", "c"), ask)
    assert [(answer.name, answer.value, answer.error) for answer in found] == [
        ("a", "A", ""),
        ("b", "B", ""),
        ("c", "C", ""),
    ]


def test_one_that_fails_has_its_reason_in_the_place_of_its_answer() -> None:
    def ask(session: Session) -> str:
        if _name(session) == "a":
            raise InputError("no such host")
        return _name(session)

    assert [(answer.value, answer.error) for answer in ask_clusters(_sessions("a", "b"), ask)] == [
        (None, "no such host"),
        ("b", ""),
    ]
    with pytest.raises(InputError, match="no such host"):
        ask_clusters(_sessions("a"), ask)


def test_a_fault_of_ours_and_a_wrong_command_line_are_not_hidden() -> None:
    for fault in (AssertionError, UsageError):

        def ask(session: Session, fault: type[Exception] = fault) -> str:
            raise fault(_name(session))

        with pytest.raises(fault):
            ask_clusters(_sessions("a", "b"), ask)


def test_several_files_are_one_world_unless_each_is_a_snapshot() -> None:
    Path("nodes.json").write_text(write_list([node("n")]))
    (both,) = list_inputs(["east.json", "nodes.json"], (), None)
    assert (both, name_input(both)) == (Files(("east.json", "nodes.json")), "east.json, nodes.json")
    apart = list_inputs(["east.json", "west.json"], (), None)
    assert apart == (Snapshot("east.json"), Snapshot("west.json"))
    assert [name_input(source) for source in apart] == ["east.json", "west.json"]
    assert [is_snapshot(each) for each in ("east.json", "nodes.json", "nowhere", "-", ".")] == [True, False, False, False, False]


def test_a_packed_snapshot_is_one_and_a_broken_pack_is_none() -> None:
    assert program("snapshot", "--from", "east.json", "-o", "east.json.gz").code == 0
    packed = Path("east.json.gz").read_bytes()
    Path("broken.gz").write_bytes(packed[:20])
    Path("garbled.gz").write_bytes(packed[:10] + b"garbage garbage garbage")
    assert [is_snapshot(each) for each in ("east.json.gz", "broken.gz", "garbled.gz")] == [True, False, False]


def test_contexts_are_a_cluster_each() -> None:
    (current,) = list_inputs([], (), ClusterTarget())
    assert (current, name_input(current)) == (Live(), "the current context")
    found = list_inputs([], ("a", "b"), ClusterTarget(user="sre"))
    assert found == (Live(ClusterTarget(context="a", user="sre")), Live(ClusterTarget(context="b", user="sre")))
    assert [name_input(source) for source in found] == ["a", "b"]
    with pytest.raises(UsageError, match="--context a is given twice"):
        list_inputs([], ("a", "a"), ClusterTarget())


def test_snapshots_side_by_side() -> None:
    result, report = asked(*ASKS, "--from", "east.json", "--from", "west.json")
    assert result.code == 0
    assert [(cluster["name"], cluster["room"]["copies"]) for cluster in report["clusters"]] == [("east.json", 16), ("west.json", 8)]
    assert program("capacity", *ASKS, "--from", "east.json", "--from", "west.json", "--at-least", "17").code == 1
    lines = program("capacity", *ASKS, "--from", "east.json", "--from", "west.json").out.splitlines()
    assert lines[:5] == [
        f"capacity for a pod that requests {GPU}=1",
        "",
        "  CLUSTER    FIT  FREE  ALLOCATABLE  LARGEST",
        "  east.json   16    16           16        8",
        "  west.json    8     8            8        8",
    ]
    assert not [line for line in lines if "WHY NOT MORE" in line]


def test_a_snapshot_that_has_nothing_hides_no_other() -> None:
    Path("none.json").write_text(snapshot([]))
    result, report = asked(*ASKS, "--from", "none.json", "--from", "west.json")
    assert result.code == 3
    assert [(cluster["error"], cluster["room"] and cluster["room"]["copies"]) for cluster in report["clusters"]] == [
        ("none.json: no nodes in the input (add the output of `kubectl get nodes -o json`)", None),
        ("", 8),
    ]
    for form in ("text", "concise", "markdown"):
        said = program("capacity", *ASKS, "--from", "none.json", "--from", "west.json", "-o", form)
        assert said.code == 3
        assert "no nodes in the input" in said.out
        assert "8 copies fit" in said.out


# Live clusters.


def quota_free(nodes: int) -> list[dict[str, Any]]:
    return [*(node(f"n{number}") for number in range(nodes)), pod("p", "n0", 3), pod("q", "n0", 1, namespace="other"), deployment("web")]


@contextmanager
def clusters(folder: Path, **servers: ApiServer) -> Iterator[None]:
    """A kubeconfig with a context for each server, which `--kubeconfig` names; certificates and keys make the client write files."""
    with ExitStack() as stack:
        found: dict[str, Any] = {"contexts": [], "clusters": [], "users": []}
        for name, server in servers.items():
            (folder / name).mkdir()
            config = json.loads(stack.enter_context(serving(server, folder / name)).read_text())
            user = {"token": "t", "client-certificate-data": "Y2VydA==", "client-key-data": "a2V5"}
            found["clusters"].append({"name": name, "cluster": config["clusters"][0]["cluster"]})
            found["users"].append({"name": name, "user": user})
            found["contexts"].append({"name": name, "context": {"cluster": name, "user": name, "namespace": "team"}})
        (folder / "config").write_text(json.dumps(found))
        yield


def test_live_clusters_side_by_side_and_one_that_is_silent(here: Path) -> None:
    def fault(_: Asked) -> tuple[int, bytes]:
        return status(403, "no")

    with clusters(here, east=ApiServer(quota_free(3)), west=ApiServer(quota_free(1)), dark=ApiServer([], fault)):
        words = ("--context", "east", "--context", "dark", "--context", "west", "--kubeconfig", "config")
        result, report = asked("--like", "deploy/web", *words)
    assert result.code == 3
    assert [(cluster["name"], cluster["pod"], cluster["room"] and cluster["room"]["copies"]) for cluster in report["clusters"]] == [
        ("east", "Deployment team/web", 20),
        ("dark", "", None),
        ("west", "Deployment team/web", 4),
    ]
    why = "no permission to list deployments.apps in namespace team: `preflight rbac` prints the role"
    assert report["clusters"][1]["error"].endswith(f"deployments: {why}")
    assert report["clusters"][0]["cluster"]["version"] == "v1.37.2"
    assert [path.name for path in here.parent.glob("preflight-*")] == []


def test_only_what_capacity_needs_is_asked_for(here: Path) -> None:
    server = ApiServer(quota_free(2))
    with clusters(here, east=server):
        result, report = asked("--like", "deploy/web", "--context", "east", "--kubeconfig", "config")
    assert (result.code, report["clusters"][0]["room"]["copies"]) == (0, 12)
    asks = ["daemonsets", "deployments -n team fieldSelector=metadata.name=web", "namespaces", "nodes", "pods", "resourcequotas"]
    assert server.questions() == [*asks, "runtimeclasses"]


def test_a_pod_and_a_workload_that_a_cluster_lacks(here: Path) -> None:
    with clusters(here, east=ApiServer(quota_free(2))):
        words = ("--context", "east", "--kubeconfig", "config", "-o", "concise")
        assert program("capacity", "--like", "sts/web", *words).err.endswith(": StatefulSet team/web not found\n")
        assert program("capacity", "--like", "pod/x", *words).err == "error: east: Pod team/x not found\n"
        assert program("capacity", "--like", "pod/p", *words).out.startswith("east: 3 copies fit now: ")


def test_pods_that_may_not_be_listed_may_take_the_room(here: Path) -> None:
    def fault(asked: Asked) -> tuple[int, bytes] | None:
        return status(403, "no") if asked.resource == "pods" else None

    with clusters(here, east=ApiServer(quota_free(2), fault)):
        result, report = asked(*ASKS, "--context", "east", "--kubeconfig", "config")
    found = report["clusters"][0]["room"]
    assert (result.code, found["copies"], found["atMost"]) == (3, 0, 16)
    assert found["unknown"] == ["not all pods are known: no permission to list pods: `preflight rbac` prints the role"]


def test_the_slowest_decides_how_long_it_takes(here: Path) -> None:
    def slow(asked: Asked) -> None:
        if asked.resource == "version":
            time.sleep(0.7)

    servers = {name: ApiServer(quota_free(1), slow) for name in ("a", "b", "c", "d")}
    with clusters(here, **servers):
        begin = time.monotonic()
        words = [word for name in servers for word in ("--context", name)]
        assert program("capacity", *ASKS, *words, "--kubeconfig", "config", "-o", "concise").code == 0
        assert time.monotonic() - begin < 2.8
