"""Pods of nodes whose kubelet is silent: a pod that is deleted there never ends, and none is created beside it."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.model.core import Node
from tests.builders import make_node, read_object
from tests.coverage.impacts import daemonset, node, outcomes, pod, pods_after, run, world

EXISTS = {"operator": "Exists"}
UNREACHABLE = ("node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute")


def silent(name: str, *taints: str) -> Node:
    """A node of which nothing is heard."""
    made = make_node(name, *taints)
    return read_object({**made, "status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}}, Node)


def judged(line: str, *taints: str, tolerations: tuple[dict[str, Any], ...] = (EXISTS,)) -> tuple[dict[tuple[str, str], str], ...]:
    start = world([silent("n1", *taints), node("n2")], [daemonset("d", *tolerations)], [pod("d", "n1"), pod("d", "n2")])
    (impact,) = run(start, line)
    return outcomes(impact), pods_after(impact)


@pytest.mark.parametrize("taints", [(), UNREACHABLE], ids=["before its taints are there", "with its taints"])
@pytest.mark.parametrize("line", ["delete pods --all -n truth", "delete pods --all -n truth --wait=false --now"])
def test_a_pod_that_is_deleted_on_a_silent_node_leaves_it_without_one(line: str, taints: tuple[str, ...]) -> None:
    assert judged(line, *taints) == (
        {("d", "n1"): "missing", ("d", "n2"): "kept"},
        {("d", "n1"): "none", ("d", "n2"): "new"},
    )


def test_where_the_daemonset_should_not_run_it_is_lost_as_on_any_node() -> None:
    found, pods = judged("delete pods --all -n truth", *UNREACHABLE, tolerations=())
    assert (found["d", "n1"], pods["d", "n1"]) == ("lost-now", "none")


@pytest.mark.parametrize("line", ["delete pods --all -n truth --force", "delete pods --all -n truth --force --grace-period=0"])
def test_one_that_is_removed_by_force_is_created_again(line: str) -> None:
    assert judged(line)[0] == {("d", "n1"): "kept", ("d", "n2"): "kept"}


def test_so_is_one_whose_node_is_deleted_and_registers_again() -> None:
    assert judged("delete node n1")[0] == {("d", "n1"): "kept"}


def test_a_step_later_it_hangs_still() -> None:
    start = world([silent("n1"), node("n2")], [daemonset("d", EXISTS)], [pod("d", "n1"), pod("d", "n2")])
    _, later = run(start, "delete pods --all -n truth", "cordon n1 n2")
    assert outcomes(later) == {("d", "n1"): "missing", ("d", "n2"): "kept"}
