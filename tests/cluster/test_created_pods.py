"""A pod that a DaemonSet gets must still be bound, and started, and ended: what a real cluster does where that fails."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.bed import Bed
from tests.cluster.objects import daemonset, node, pod
from tests.cluster.silence import UNREACHABLE, fall_silent
from tests.truth.demands import priority_classes

pytestmark = pytest.mark.cluster

EXISTS = {"operator": "Exists"}


def asking(cpu: str, port: int = 0) -> list[dict[str, object]]:
    """A container that asks for cpu, and for a port of the node."""
    ports = [{"containerPort": port, "hostPort": port}] if port else []
    return [{"name": "c", "image": "registry.example/c:1", "resources": {"requests": {"cpu": cpu}}, "ports": ports}]


def settled(bed: Bed) -> dict[str, str]:
    """What pods of each DaemonSet, or of no owner, are doing, once nothing moves: their node, `Pending`, or `ending`."""
    bed.settle(quiet=3)
    found = {}
    for each in bed.list("pods"):
        metadata, name = each["metadata"], each["metadata"]["labels"]["app"]
        found[name] = "ending" if metadata.get("deletionTimestamp") else each["spec"].get("nodeName", "Pending")
    return found


def test_a_pod_without_room_stays_pending_and_counts_as_scheduled(bed: Bed) -> None:
    bed.create([node("n1", cpu="1"), daemonset("d1", containers=asking("2"))])
    assert settled(bed) == {"d1": "Pending"}
    status = bed.list("daemonsets")[0]["status"]
    counts = [status[name] for name in ("desiredNumberScheduled", "currentNumberScheduled", "numberReady")]
    assert counts == [1, 1, 0]


def test_one_host_port_is_for_one_pod_of_a_node(bed: Bed) -> None:
    bed.create([node("n1"), pod("p1", on="n1", containers=asking("1", 9100))])
    bed.settle(quiet=1)
    bed.create([daemonset("d1", containers=asking("1", 9100)), daemonset("d2", containers=asking("1", 9101))])
    bed.settle(quiet=3)
    bound = {each["metadata"].get("labels", {}).get("app"): each["spec"].get("nodeName") for each in bed.list("pods")}
    assert (bound["d1"], bound["d2"]) == (None, "n1")


def test_an_update_gives_its_room_to_a_pod_that_waited_for_it(bed: Bed) -> None:
    bed.create([node("n1", cpu="1"), daemonset("d1", containers=asking("800m"))])
    assert settled(bed) == {"d1": "n1"}
    bed.create([daemonset("d2", containers=asking("800m"))])
    assert settled(bed) == {"d1": "n1", "d2": "Pending"}
    bed.kubectl("rollout", "restart", "ds/d1")
    assert settled(bed) == {"d1": "Pending", "d2": "n1"}


def test_a_pod_of_higher_priority_takes_the_room_of_a_lower_one_unless_its_class_forbids_it(bed: Bed) -> None:
    bed.create([*priority_classes(), node("n1", cpu="1"), daemonset("d1", containers=asking("800m"))])
    assert settled(bed) == {"d1": "n1"}
    bed.create([daemonset("d2", containers=asking("800m"), priorityClassName="patient")])
    assert settled(bed) == {"d1": "n1", "d2": "Pending"}
    bed.create([daemonset("d3", containers=asking("800m"), priorityClassName="more")])
    assert settled(bed) == {"d1": "Pending", "d2": "Pending", "d3": "n1"}


@pytest.mark.parametrize("kind", ["bed", "living"])
def test_on_a_node_that_fell_silent_no_pod_starts_or_ends(kind: str, request: pytest.FixtureRequest) -> None:
    found: Bed = request.getfixturevalue(kind)
    here: dict[str, Any] = {"nodeSelector": {"kubernetes.io/hostname": "n1"}}  # where all nodes are silent the cluster gives none up
    found.create([node("n1"), node("n2"), daemonset("d1", EXISTS, **here), daemonset("d2", **here)])
    assert settled(found) == {"d1": "n1", "d2": "n1"}
    fall_silent(found, ["n1"])
    assert {taint["key"] for taint in found.list("nodes")[0]["spec"]["taints"]} == {UNREACHABLE}
    ready = [
        condition["status"] for each in found.list("pods") for condition in each["status"]["conditions"] if condition["type"] == "Ready"
    ]
    assert ready == ["False", "False"]
    found.create([daemonset("d3", EXISTS, **here), daemonset("d4", **here)])
    found.kubectl("delete", "pod", "-l", "app=d1", "--wait=false")
    assert settled(found) == {"d1": "ending", "d2": "n1", "d3": "n1"}
    assert {each["status"]["phase"] for each in found.list("pods") if each["metadata"]["labels"]["app"] == "d3"} == {"Pending"}


def test_pods_that_hang_on_a_node_out_of_service_are_collected_and_come_again(bed: Bed) -> None:
    bed.create([node("n1"), daemonset("d1", EXISTS), daemonset("d2")])
    settled(bed)
    fall_silent(bed, ["n1"])
    bed.kubectl("delete", "pod", "--all", "--wait=false")
    assert settled(bed) == {"d1": "ending", "d2": "ending"}
    bed.kubectl("taint", "nodes", "n1", "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute")
    bed.wait(lambda: settled(bed) == {"d1": "n1"}, 60, "the pods to be collected")
