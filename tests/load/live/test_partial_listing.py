"""Where pods have to go from nodes, only a part of the cluster is asked for, and the answer is that of the whole."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from preflight.load.live import node_search, planner
from preflight.load.live.planner import ClusterQuery
from tests.builders import make_budget, make_node, make_object
from tests.cli.program import Result, program
from tests.load.live import listed_objects
from tests.load.live.api_server import ApiServer, Asked, serving, status
from tests.load.live.busy_cluster import MeasuredServer, build_cluster, measure, measure_all
from tests.safety.clusters import GENERATION, draw_cluster
from tests.truth.drawing import Object

_FLAGS = ("", "--ignore-daemonsets", "--ignore-daemonsets --delete-emptydir-data --force")


def draw_line(random: Random, nodes: Sequence[str]) -> str:
    """A command that lets pods go from one or two nodes."""
    names = " ".join(sorted(random.sample(nodes, random.choice((1, 1, 1, 2)))))
    flags = random.choice((*_FLAGS, *[_FLAGS[-1]] * 5))
    return random.choice(
        (
            *[f"drain {names} {flags}"] * 6,
            f"drain -l zone={random.choice('abc')} {flags}",
            *[f"taint nodes {names} leave=now:NoExecute"] * 2,
            f"delete node {names}",
            f"reboot {names} --graceful",
            f"replace {names}",
        )
    )


def draw(random: Random) -> tuple[list[Object], str]:
    """The objects of a cluster whose DaemonSets state how many of their pods are of their own template, and a command."""
    cluster = draw_cluster(random, listed=True)
    pods = [pod for pod in cluster.of_kind("Pod") if pod["spec"].get("nodeName")]
    is_settled = random.random() < 0.6
    for daemonset in cluster.of_kind("DaemonSet"):
        metadata = daemonset["metadata"]
        own = metadata.get("annotations", {}).get(GENERATION)
        mine = [pod for pod in pods if metadata["name"] in (owner["name"] for owner in pod["metadata"].get("ownerReferences", ()))]
        if is_settled and own:
            for pod in mine:
                pod["metadata"]["labels"]["pod-template-generation"] = own
        updated = sum(pod["metadata"]["labels"].get("pod-template-generation") == own for pod in mine)
        daemonset["status"] = {"currentNumberScheduled": len(mine), "updatedNumberScheduled": updated, "numberMisscheduled": 0}
    return cluster.items, draw_line(random, cluster.nodes)


def ask_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every command ask for all nodes and pods."""
    plan = planner.plan_cluster_query

    def plan_all(*given: Any) -> ClusterQuery:
        return replace(plan(*given), all_nodes=True, daemonsets=None)

    monkeypatch.setattr(planner, "plan_cluster_query", plan_all)


def run(line: str, objects: Sequence[Object], folder: Path, *more: str) -> tuple[Result, list[str]]:
    server = ApiServer(objects)
    with serving(server, folder) as config:
        result = program(*shlex.split(line), "-o", "json", "--kubeconfig", str(config), *more)
    return result, server.questions()


def tell(result: Result) -> object:
    """All that an answer says, but for what it says itself to be of a part.

    That are the nodes that would take a replacement, and why it is unknown whether one does. ReplicaSets are listed for their owners only,
    in the namespaces of the pods that were asked for: the hygiene of others is nobody's question.
    """
    if result.code == 2:
        return result.err
    report = json.loads(result.out)
    report.pop("cluster")
    for name in ("nodes", "objects"):
        report["judged"].pop(name)
    report["findings"] = [finding for finding in report["findings"] if finding["subject"]["kind"] != "ReplicaSet"]
    for step in report["change"]["steps"]:
        evictions = step.get("evictions")
        if not evictions:
            continue
        evictions["notes"] = [note for note in evictions["notes"] if not note.startswith("only the pods of")]
        for node in evictions["nodes"]:
            for pod in node["pods"]:
                pod.pop("where")
                if pod["replacement"] == "unknown":
                    pod.pop("reasons")
    return result.code, report


@pytest.mark.parametrize("seed", range(40))
def test_a_part_answers_as_the_whole_does(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(f"partial {seed}")
    objects, line = draw(random)
    monkeypatch.setattr(node_search, "_NODE_STEPS", (1, 2))
    monkeypatch.setattr(node_search, "_POD_STEPS", (1, 2, 1))
    part, asked = run(line, objects, tmp_path)
    ask_all(monkeypatch)
    whole, _ = run(line, objects, tmp_path)
    assert tell(part) == tell(whole), asked


# How much is asked for


@pytest.fixture(scope="module")
def busy() -> MeasuredServer:
    return MeasuredServer(list(build_cluster(300)))


@pytest.mark.parametrize(
    ("line", "share"),
    [
        ("drain n00007 --ignore-daemonsets --delete-emptydir-data", 0.20),
        ("taint nodes n00007 leave=now:NoExecute", 0.20),
        ("taint nodes n00007 team=x:PreferNoSchedule", 0.01),
        ("taint nodes -l group=a team=x:PreferNoSchedule", 0.21),
    ],
)
def test_a_change_of_one_node_asks_for_a_small_part_of_the_cluster(line: str, share: float, busy: MeasuredServer, tmp_path: Path) -> None:
    """A part of 300 nodes: what a drain needs beside the pods of its node (51 nodes, some with their pods) is a twentieth of 5,000."""
    code, _, sent = measure(busy, line, tmp_path)
    assert code == 0
    assert sent <= share * measure_all(busy)
    assert not [asked for asked in busy.questions() if asked == "pods"]


def _make_web(name: str, node: str, **spec: Any) -> Object:
    metadata = {"labels": {"app": "web"}, "ownerReferences": [_refer("ReplicaSet", "web-1")]}
    containers = [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    return make_object("Pod", name, "shop", metadata=metadata, spec={"containers": containers, "nodeName": node, **spec}, status=status)


def _refer(kind: str, name: str) -> Object:
    return {"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": f"uid-{name}", "controller": True}


def _list_shop(pods: Sequence[Object], *, rooms: Mapping[str, int]) -> list[Object]:
    """Nodes with room for so many pods of one CPU, a Deployment `web` with its budget, and a namespace with as many other pods."""
    nodes = [make_node(name, labels={"zone": name[0]}, allocatable={"cpu": str(room), "pods": "9"}) for name, room in rooms.items()]
    selector = {"matchLabels": {"app": "web"}}
    body = {
        "replicas": 2,
        "selector": selector,
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c"}]}},
    }
    deployment = make_object("Deployment", "web", "shop", metadata={"uid": "uid-web"}, spec=body)
    replicas = make_object("ReplicaSet", "web-1", "shop", metadata={"uid": "uid-web-1", "ownerReferences": [_refer("Deployment", "web")]})
    replicas["spec"] = body
    others = [{**pod, "metadata": {"name": pod["metadata"]["name"], "namespace": "other"}} for pod in pods]
    budget = make_budget("web", "shop", app="web", minAvailable=1)
    return [*nodes, listed_objects.daemonset("system", "agent"), deployment, replicas, budget, *pods, *others]


def test_peers_are_asked_for_and_nodes_until_one_has_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What peers alone leave no room on is not asked for its pods: here a2 and b1."""
    monkeypatch.setattr(node_search, "_NODE_STEPS", (2, 4))
    pods = [_make_web("w1", "a1"), _make_web("w2", "a2"), _make_web("w3", "b1")]
    objects = _list_shop(pods, rooms={"a1": 4, "a2": 1, "b1": 1, "c1": 4, "d1": 4})
    result, asked = run("drain a1 --force", objects, tmp_path)
    report = json.loads(result.out)
    assert [pod["replacement"] for pod in report["change"]["steps"][0]["evictions"]["nodes"][0]["pods"] if pod["owner"]] == ["fits"]
    assert report["change"]["steps"][0]["evictions"]["notes"][0].startswith("only the pods of 2 nodes were requested")
    assert [question for question in asked if question.startswith(("nodes", "pods"))] == [
        *(
            "nodes",
            "nodes",
            "nodes fieldSelector=metadata.name=a1",
            "pods -n shop labelSelector=app=web",
            "pods fieldSelector=spec.nodeName=",
        ),
        *(f"pods fieldSelector=spec.nodeName={name}" for name in ("a1", "c1")),
    ]


def test_a_replacement_asks_for_the_nodes_that_it_selects(tmp_path: Path) -> None:
    pods = [_make_web("w1", "a1", nodeSelector={"zone": "c"}), _make_web("w2", "a2")]
    _, asked = run("drain a1 --force", _list_shop(pods, rooms={"a1": 4, "a2": 4, "b1": 4, "c1": 4}), tmp_path)
    assert [question for question in asked if question.startswith("nodes")] == [
        "nodes fieldSelector=metadata.name=a1",
        "nodes labelSelector=zone=c",
    ]
    assert "pods fieldSelector=spec.nodeName=c1" in asked


def test_that_a_replacement_fits_nowhere_is_known_of_all_nodes(tmp_path: Path) -> None:
    pods = [_make_web("w1", "a1"), _make_web("w2", "a2"), _make_web("w3", "b1")]
    objects = [item for item in _list_shop(pods, rooms={"a1": 4, "a2": 1, "b1": 1}) if item["metadata"].get("namespace") != "other"]
    result, asked = run("drain a1 --force", objects, tmp_path)
    evictions = json.loads(result.out)["change"]["steps"][0]["evictions"]
    assert {"nodes", "pods"} < set(asked)
    assert [pod["replacement"] for pod in evictions["nodes"][0]["pods"]] == ["pending"]
    assert "0/3 nodes are available" in str(evictions)
    assert not [note for note in evictions["notes"] if note.startswith("only the pods of")]


def test_without_the_right_to_list_other_nodes_it_is_unknown_whether_a_replacement_fits(tmp_path: Path) -> None:
    pods = [_make_web("w1", "a1"), _make_web("w2", "a2")]
    server = ApiServer(_list_shop(pods, rooms={"a1": 4, "a2": 4}), _refuse_lists_of_nodes)
    with serving(server, tmp_path) as config:
        result = program("drain", "a1", "--force", "-o", "json", "--kubeconfig", str(config))
    evictions = json.loads(result.out)["change"]["steps"][0]["evictions"]
    assert [pod["replacement"] for pod in evictions["nodes"][0]["pods"] if pod["owner"]] == ["unknown"]


def _refuse_lists_of_nodes(asked: Asked) -> tuple[int, bytes] | None:
    is_refused = asked.resource == "nodes" and "fieldSelector" not in asked.query
    return status(403, "nodes is forbidden") if is_refused else None


def test_an_update_that_goes_on_asks_for_all_nodes_and_the_pods_of_its_daemonset(tmp_path: Path) -> None:
    objects = _list_shop((), rooms={"a1": 4, "a2": 4})
    agent = next(item for item in objects if item["kind"] == "DaemonSet")
    agent["metadata"]["annotations"] = {GENERATION: "2"}
    agent["status"] = {"currentNumberScheduled": 3, "updatedNumberScheduled": 2}
    _, asked = run("drain a1 --ignore-daemonsets", objects, tmp_path)
    assert {"nodes", "pods -n system labelSelector=app=agent"} <= set(asked)


# Which moment the lists are of


def _list_versions(server: ApiServer) -> list[str]:
    names = ("fieldSelector", "resourceVersion", "resourceVersionMatch", "limit")
    requests = (request for request in server.asked if request.resource in ("nodes", "pods", "daemonsets"))
    return sorted(
        " ".join([request.resource, *(f"{name}={request.query[name]}" for name in names if name in request.query)]) for request in requests
    )


def test_what_a_field_selects_comes_from_the_cache_and_no_list_of_pods_is_older_than_the_first(tmp_path: Path) -> None:
    server = ApiServer(_list_shop((), rooms={"a1": 4}))
    with serving(server, tmp_path) as config:
        program("cordon", "a1", "--kubeconfig", str(config))
    assert _list_versions(server) == [
        "daemonsets limit=500",
        "nodes fieldSelector=metadata.name=a1 resourceVersion=0",
        "pods fieldSelector=spec.nodeName= resourceVersion=0",
        "pods fieldSelector=spec.nodeName=a1 resourceVersion=1 resourceVersionMatch=NotOlderThan",
    ]


def test_a_version_that_the_server_does_not_have_yet_is_not_insisted_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("preflight.load.live.connection.time.sleep", lambda _seconds: None)
    objects = _list_shop([_make_web("w1", "a1")], rooms={"a1": 4})
    answers = {}
    for name, fault in (("current", None), ("behind", _lag_behind)):
        server = ApiServer(objects, fault)
        with serving(server, tmp_path) as config:
            answers[name] = tell(program("reboot", "a1", "-o", "json", "--kubeconfig", str(config)))
    assert answers["behind"] == answers["current"]
    assert "pods fieldSelector=spec.nodeName=a1 limit=500" in _list_versions(server)


def _lag_behind(asked: Asked) -> tuple[int, bytes] | None:
    return status(504, "Timeout: Too large resource version: 1, current: 0") if asked.query.get("resourceVersionMatch") else None
