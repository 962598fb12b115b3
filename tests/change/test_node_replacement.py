"""reboot, replace and delete node: which nodes restart, and how those look that register anew."""

from __future__ import annotations

import pytest

from preflight.change.model import Change
from preflight.model.core import Node, Taint
from preflight.model.world import ClusterState
from tests.change.changes import node, partial, run, world

OWN = {"kubernetes.io/hostname": "n1", "kubernetes.io/os": "linux", "topology.kubernetes.io/zone": "z"}
CORDON = "node.kubernetes.io/unschedulable:NoSchedule"
ON = world(node("n1", "a:NoSchedule", labels={**OWN, "pool": "a"}), node("n2"))
SAME = "the current labels and taints are assumed, without a cordon; those set by hand are lost unless the pool or the kubelet sets them"
KUBELET = "the kubelet's own labels (hostname, os, arch, zone, region, instance type) are assumed to stay the same"


def looks(change: Change) -> tuple[dict[str, str], list[str]]:
    after = change.after.nodes["n1"]
    return dict(after.metadata.labels), [str(taint) for taint in after.spec.taints]


@pytest.mark.parametrize(
    ("line", "rebooted", "reborn", "headline"),
    [
        ("reboot n1", frozenset(["n1"]), frozenset(), "reboot of n1"),
        ("reboot n1 --graceful", frozenset(), frozenset(["n1"]), "graceful reboot of n1"),
        ("reboot --all --graceful", frozenset(), frozenset(["n1", "n2"]), "graceful reboot of n1, n2"),
    ],
)
def test_a_reboot_changes_no_node(line: str, rebooted: frozenset[str], reborn: frozenset[str], headline: str) -> None:
    change = run(line, ON)
    assert change.after is change.before is ON
    assert (change.rebooted_nodes, change.recreation_nodes, change.headline, change.notes) == (rebooted, reborn, headline, ())


@pytest.mark.parametrize(
    ("line", "labels", "taints", "notes"),
    [
        ("replace n1", {**OWN, "pool": "a"}, ["a:NoSchedule"], [SAME]),
        ("replace n1 --label pool=b", {**OWN, "pool": "b"}, ["a:NoSchedule"], ["the current taints are assumed", KUBELET]),
        ("replace n1 --labels x=y,kubernetes.io/os=other", {**OWN, "kubernetes.io/os": "other", "x": "y"}, ["a:NoSchedule"], None),
        ("replace n1 --taint b=c:NoExecute", {**OWN, "pool": "a"}, ["b=c:NoExecute"], ["the current labels are assumed"]),
        ("replace n1 --taint b:NoExecute --label x=y", {**OWN, "x": "y"}, ["b:NoExecute"], [KUBELET]),
        ("delete node n1", {**OWN, "pool": "a"}, ["a:NoSchedule"], [f"assumed: the node registers again; {SAME}"]),
    ],
)
def test_a_node_that_registers_anew(line: str, labels: dict[str, str], taints: list[str], notes: list[str] | None) -> None:
    change = run(line, ON)
    assert looks(change) == (labels, taints)
    assert change.recreation_nodes == change.nodes == {"n1"}
    if notes is not None:
        assert list(change.notes) == notes
    assert change.after.nodes["n2"] is ON.nodes["n2"]


def test_the_taints_that_a_new_node_is_given_are_those_of_the_change() -> None:
    assert run("replace n1 --taint b=c:NoExecute", ON).taints == (Taint("b", "c", "NoExecute"),)


def test_a_new_node_that_looks_the_same_is_the_same_object() -> None:
    change = run("replace n1", ON)
    assert change.after is ON


def test_a_new_node_is_not_cordoned_and_has_no_taint_of_the_controller() -> None:
    on = world(node("n1", "node.kubernetes.io/not-ready:NoSchedule", "a:NoSchedule", ready=False), node("n2"))
    after = run("delete nodes --all", run("cordon n1", on).after).after.nodes["n1"]
    assert ([str(taint) for taint in after.spec.taints], after.spec.unschedulable, after.is_ready) == (["a:NoSchedule"], False, None)


def test_a_partly_known_node_stays_partly_known() -> None:
    change = run("replace x --label pool=a", ClusterState())
    after = change.after.nodes["x"]
    assert (after.is_partial, after.metadata.labels) == (True, {"pool": "a"})
    assert change.notes[0] == "no nodes in the input: x is treated as a partly known node"


def test_a_label_that_was_removed_by_hand_may_be_there_again() -> None:
    def replaced(old: Node) -> Node:
        return run("replace x --label a=b", ClusterState(nodes={"x": old})).after.nodes["x"]

    assert replaced(partial("x", absent=["pool"])).absent_labels == frozenset()


def test_several_nodes_are_deleted() -> None:
    assert run("delete node n1 n2", ON).notes == (f"assumed: the nodes register again; {SAME}",)
