"""What a cluster does to the pods of DaemonSets, seen on a real one: the facts that every prediction rests on."""

from __future__ import annotations

import time

import pytest

from tests.cluster.bed import Bed, Unsettled
from tests.cluster.objects import daemonset, node, uids

pytestmark = pytest.mark.cluster

TOLERATES = {"key": "k", "operator": "Exists"}
PAIRS = {("d1", "n1"), ("d1", "n2"), ("d2", "n1"), ("d2", "n2")}
RESTART = ("rollout", "restart", "ds/d1")


def settled(bed: Bed) -> dict[tuple[str, str], str]:
    """The pods once nothing moves, by DaemonSet and node."""
    bed.settle(quiet=2)
    return uids(bed.list("pods"))


@pytest.fixture
def world(bed: Bed) -> Bed:
    """Two nodes and two DaemonSets, of which d2 tolerates the taint k."""
    bed.create([node("n1"), node("n2"), daemonset("d1"), daemonset("d2", TOLERATES)])
    assert set(settled(bed)) == PAIRS
    return bed


def test_a_world_settles_with_every_pod_ready(world: Bed) -> None:
    pods = world.list("pods")
    assert {pod["status"]["phase"] for pod in pods} == {"Running"}
    assert [condition["status"] for pod in pods for condition in pod["status"]["conditions"] if condition["type"] == "Ready"] == [
        "True"
    ] * 4
    assert len({pod["status"]["podIP"] for pod in pods}) == 4
    assert [daemonset["status"]["numberAvailable"] for daemonset in world.list("daemonsets")] == [2, 2]


def test_a_taint_of_no_schedule_leaves_pods_until_they_are_deleted_and_nothing_says_so(world: Bed) -> None:
    before = settled(world)
    world.kubectl("taint", "nodes", "n1", "k=v:NoSchedule")
    assert settled(world) == before
    world.kubectl("delete", "pods", "--all")
    assert set(settled(world)) == PAIRS - {("d1", "n1")}
    assert world.kubectl("rollout", "status", "ds/d1").out == 'daemon set "d1" successfully rolled out\n'
    status = world.list("daemonsets")[0]["status"]
    assert (status["desiredNumberScheduled"], status["numberReady"]) == (1, 1)


def test_a_taint_of_no_execute_takes_pods_at_once(world: Bed) -> None:
    before = settled(world)
    world.kubectl("taint", "nodes", "n1", "k=v:NoExecute")
    assert settled(world) == {pair: uid for pair, uid in before.items() if pair != ("d1", "n1")}


def test_tolerated_for_seconds_is_a_loop(bed: Bed) -> None:
    loop = daemonset("d1", {"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 2})
    bed.create([node("n1"), loop, daemonset("d2", TOLERATES)])
    before = settled(bed)
    bed.kubectl("taint", "nodes", "n1", "k=v:NoExecute")
    with pytest.raises(Unsettled, match=r"pods still move after 7 seconds: .*DaemonSet/d1"):
        bed.settle(quiet=4, limit=7)
    bed.settle(quiet=2, ignore=lambda metadata: metadata["labels"]["app"] == "d1")
    after = uids(bed.list("pods"))
    assert after["d2", "n1"] == before["d2", "n1"]
    assert after.get(("d1", "n1")) != before["d1", "n1"]
    bed.kubectl("taint", "nodes", "n1", "k-")
    assert set(settled(bed)) == set(before)


def test_a_label_that_is_gone_takes_its_pods_at_once(bed: Bed) -> None:
    bed.create([node("n1", labels={"pool": "a"}), daemonset("d1", nodeSelector={"pool": "a"}), daemonset("d2")])
    before = settled(bed)
    bed.kubectl("label", "nodes", "n1", "pool-")
    assert settled(bed) == {("d2", "n1"): before["d2", "n1"]}


@pytest.mark.parametrize(
    ("limits", "kept"),
    [
        pytest.param({"maxUnavailable": 1}, False, id="an integer: an update deletes the last time bombs"),
        pytest.param({"maxUnavailable": "100%"}, True, id="a percentage of no node that should run: an update leaves them"),
    ],
)
def test_an_update_where_no_node_should_run_the_daemonset(bed: Bed, limits: dict[str, int | str], kept: bool) -> None:
    bed.create([node("n1"), daemonset("d1", strategy={"rollingUpdate": limits})])
    before = settled(bed)
    bed.kubectl("taint", "nodes", "n1", "k=v:NoSchedule")
    bed.kubectl(*RESTART)
    assert settled(bed) == (before if kept else {})


def test_a_cordon_sets_no_taint_by_itself(world: Bed) -> None:
    world.kubectl("cordon", "n1")
    assert [node["spec"] for node in world.list("nodes")] == [{"unschedulable": True}, {}]


def test_the_node_lifecycle_controller_owns_its_taints(living: Bed) -> None:
    living.create([node("n1"), daemonset("d1")])
    settled(living)
    living.kubectl("cordon", "n1")
    living.kubectl("taint", "nodes", "n1", "node.kubernetes.io/not-ready:NoSchedule", "node.kubernetes.io/not-ready:PreferNoSchedule")
    wanted = {("node.kubernetes.io/unschedulable", "NoSchedule"), ("node.kubernetes.io/not-ready", "PreferNoSchedule")}
    living.wait(
        lambda: {(taint["key"], taint["effect"]) for taint in living.list("nodes")[0]["spec"]["taints"]} == wanted, 20, "the taints"
    )


def test_a_node_begins_not_ready_where_its_life_is_watched(living: Bed) -> None:
    created = living.create([node("n1")])
    assert [taint["key"] for taint in created[0]["spec"]["taints"]] == ["node.kubernetes.io/not-ready"]
    living.wait(lambda: "taints" not in living.list("nodes")[0]["spec"], 20, "the taint to go")


def test_a_silent_kubelet_makes_a_node_unreachable_and_its_pods_not_ready(living: Bed) -> None:
    living.create([node("n1"), node("n2"), daemonset("d1")])
    before = settled(living)
    living.play("silent", node="n1")
    began = time.monotonic()
    living.wait(lambda: ready(living, "n1") == "Unknown", 30, "the node to be given up")
    assert time.monotonic() - began > 5
    living.wait(lambda: [ready_pods(living, name) for name in ("n1", "n2")] == [0, 1], 20, "its pods to be not ready")
    assert {taint["key"] for taint in living.list("nodes")[0]["spec"]["taints"]} == {"node.kubernetes.io/unreachable"}
    living.kubectl("delete", "pods", "--all", "--wait=false")
    living.settle(quiet=2)
    left = {pod["spec"]["nodeName"]: pod["metadata"] for pod in living.list("pods")}
    assert left["n1"]["uid"] == before["d1", "n1"]
    assert "deletionTimestamp" in left["n1"]
    assert left["n2"]["uid"] != before["d1", "n2"]
    living.play(None, node="n1")
    living.wait(lambda: [ready_pods(living, name) for name in ("n1", "n2")] == [1, 1], 30, "both nodes to have their pod")


def ready(bed: Bed, name: str) -> str:
    """The status of a node's condition Ready."""
    conditions = {condition["type"]: condition["status"] for condition in bed.get(f"/api/v1/nodes/{name}")["status"]["conditions"]}
    return str(conditions["Ready"])


def ready_pods(bed: Bed, name: str) -> int:
    """How many pods of a node are Ready."""
    pods = bed.get(f"/api/v1/pods?fieldSelector=spec.nodeName={name}")["items"]
    return sum(
        {"Ready": "True"}.items() <= {condition["type"]: condition["status"] for condition in pod["status"]["conditions"]}.items()
        for pod in pods
    )
