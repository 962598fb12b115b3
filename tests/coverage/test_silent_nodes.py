"""Pods of nodes whose kubelet is silent: a pod that is deleted there never ends, and none is created beside it."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.model.core import Node
from tests.builders import make_node, read_object
from tests.coverage.impacts import daemonset, node, outcomes, pod, pods_after, rolling, run, world

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


SHORT = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}
STAYS = {"operator": "Exists", "effect": "NoSchedule"}


@pytest.mark.parametrize("lines", [["label node n1 a=b"], ["taint nodes n1 t:PreferNoSchedule", "label node n1 a=b"]])
@pytest.mark.parametrize(
    ("strategy", "outcome"),
    [
        pytest.param({"type": "OnDelete"}, "missing", id="on delete"),
        pytest.param(rolling(maxUnavailable=1), "missing", id="one after the other"),
        pytest.param(rolling(maxUnavailable=0, maxSurge=1), "loop", id="a surge does not wait"),
    ],
)
def test_where_a_pod_terminates_for_good_none_comes_and_goes(lines: list[str], strategy: dict[str, Any], outcome: str) -> None:
    start = [silent("n1", *UNREACHABLE), node("n2")], [daemonset("d", SHORT, STAYS, strategy=strategy)]
    pods = [pod("d", "n1", deletionTimestamp="2026-01-01T00:00:00Z"), pod("d", "n2")]
    assert outcomes(run(world(*start, pods), *lines)[-1]) == {("d", "n1"): outcome}


def test_on_a_node_that_is_out_of_service_it_ends_and_the_next_comes_and_goes() -> None:
    start = world(
        [silent("n1", *UNREACHABLE, "node.kubernetes.io/out-of-service:NoExecute")],
        [daemonset("d", SHORT, STAYS)],
        [pod("d", "n1", deletionTimestamp="2026-01-01T00:00:00Z")],
    )
    (impact,) = run(start, "label node n1 a=b")
    assert outcomes(impact) == {("d", "n1"): "loop"}
