"""Pods on their way out or in, updates that were held up, and pods that are not Ready."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.model.core import CoveragePod
from tests.coverage.impacts import daemonset, node, outcomes, pod, pods_after, rolling, run, world

NOT_READY: dict[str, Any] = {"conditions": [{"type": "Ready", "status": "False"}]}


@pytest.mark.parametrize(
    "waiting",
    [
        pytest.param(pod("d", "n1", deletionTimestamp="2026-01-01T00:00:00Z"), id="a pod that is being deleted"),
        pytest.param(pod("d", "n1", phase="Failed"), id="a pod that has failed"),
        pytest.param(pod("d", "", phase="Pending"), id="a pod that is not bound yet"),
    ],
)
@pytest.mark.parametrize("effect", ["NoSchedule", "NoExecute"])
def test_a_pod_in_transit_has_no_successor_where_the_daemonset_should_run_no_more(waiting: CoveragePod, effect: str) -> None:
    start = world([node("n1")], [daemonset("d")], [waiting])
    (impact,) = run(start, f"taint nodes n1 t:{effect}")
    assert outcomes(impact) == {("d", "n1"): "lost-now"}


def test_a_pod_in_transit_is_missing_for_now_where_nothing_changes() -> None:
    start = world([node("n1")], [daemonset("d")], [pod("d", "n1", deletionTimestamp="2026-01-01T00:00:00Z")])
    (impact,) = run(start, "reboot n1")
    assert outcomes(impact) == {("d", "n1"): "missing"}


def test_a_live_pod_counts_more_than_one_on_its_way_out() -> None:
    start = world([node("n1")], [daemonset("d")], [pod("d", "n1", deletionTimestamp="2026-01-01T00:00:00Z"), pod("d", "n1")])
    (impact,) = run(start, "taint nodes n1 t:NoSchedule")
    assert outcomes(impact) == {("d", "n1"): "lost-on-recreation"}


def test_an_update_held_by_a_percentage_of_nothing_goes_on_once_a_node_is_wanted_again() -> None:
    start = world([node("n1"), node("n2")], [daemonset("d", strategy=rolling(maxUnavailable="50%"))])
    _, held, goes_on = run(start, "taint nodes n1 n2 t:NoSchedule", "rollout restart ds/d -n truth", "taint nodes n1 t-")
    assert pods_after(held) == {("d", "n1"): "same", ("d", "n2"): "same"}
    assert pods_after(goes_on) == {("d", "n1"): "new", ("d", "n2"): "none"}
    assert outcomes(goes_on) == {("d", "n1"): "kept", ("d", "n2"): "lost-now"}


def test_an_update_that_stalls_on_ports_takes_the_pod_of_a_node_that_is_tainted_then_unless_a_new_one_waits_there() -> None:
    ports = [{"name": "c", "image": "c:1", "ports": [{"containerPort": 80, "hostPort": 80}]}]
    start = world([node("n1"), node("n2")], [daemonset("d", strategy=rolling(maxSurge=1, maxUnavailable=0), containers=ports)])
    stalled, tainted = run(start, "rollout restart ds/d -n truth", "taint nodes n1 t:NoSchedule")
    assert set(pods_after(stalled).values()) == {"same"}
    assert outcomes(tainted) == {("d", "n1"): "unknown", ("d", "n2"): "kept"}


def test_old_pods_under_on_delete_stay_old_and_nothing_goes_on_by_itself() -> None:
    start = world([node("n1"), node("n2")], [daemonset("d", strategy={"type": "OnDelete"})])
    _, tainted = run(start, "rollout restart ds/d -n truth", "taint nodes n1 t:NoSchedule")
    assert outcomes(tainted) == {("d", "n1"): "lost-on-recreation"}


def test_a_pod_that_is_not_ready_goes_though_the_budget_of_a_percentage_is_nothing() -> None:
    nodes = [node("n1", "t:NoSchedule"), node("n2", "t:NoSchedule")]
    pods = [pod("d", "n1"), pod("d", "n2", **NOT_READY)]
    start = world(nodes, [daemonset("d", strategy=rolling(maxUnavailable="50%"))], pods)
    (impact,) = run(start, "rollout restart ds/d -n truth")
    assert outcomes(impact) == {("d", "n1"): "already-fragile", ("d", "n2"): "lost-now"}


def test_a_pod_that_is_not_ready_stays_under_on_delete() -> None:
    start = world([node("n1", "t:NoSchedule")], [daemonset("d", strategy={"type": "OnDelete"})], [pod("d", "n1", **NOT_READY)])
    (impact,) = run(start, "rollout restart ds/d -n truth")
    assert outcomes(impact) == {("d", "n1"): "already-fragile"}


def test_a_node_goes_on_with_a_surge_on_ports_where_its_old_pod_is_not_ready() -> None:
    ports = [{"name": "c", "image": "c:1", "ports": [{"containerPort": 80, "hostPort": 80}]}]
    pods = [pod("d", "n1"), pod("d", "n2", **NOT_READY)]
    start = world([node("n1"), node("n2")], [daemonset("d", strategy=rolling(maxSurge=1, maxUnavailable=0), containers=ports)], pods)
    (impact,) = run(start, "rollout restart ds/d -n truth")
    assert pods_after(impact) == {("d", "n1"): "same", ("d", "n2"): "new"}


def test_a_loop_that_its_own_pod_does_not_feel_leaves_the_pod_where_it_is() -> None:
    seconds = {"key": "t", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 0}
    for_ever = {"key": "t", "operator": "Exists", "effect": "NoExecute"}
    start = world([node("n1")], [daemonset("d", seconds)], [pod("d", "n1", [for_ever])])
    (impact,) = run(start, "taint nodes n1 t:NoExecute")
    (group,) = impact.groups
    assert (group.outcome, group.forecast.has_pod, group.forecast.is_recreated) == ("loop", True, False)


def test_a_label_that_one_of_two_terms_may_rest_on_makes_the_answer_unknown() -> None:
    terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": ["true"]}]} for key in ("gpu", "vendor")]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    start = world([], [daemonset("d", affinity=affinity)])
    (impact,) = run(start, "label nodes n1 gpu-")
    assert outcomes(impact) == {("d", "n1"): "unknown"}


def test_a_label_that_no_selector_asks_for_leaves_a_partly_known_node_as_it_was() -> None:
    start = world([], [daemonset("d", nodeSelector={"gpu": "true"})])
    (impact,) = run(start, "label nodes n1 other=x")
    assert outcomes(impact) == {("d", "n1"): "kept"}


def test_where_a_loop_ends_the_next_pod_stays() -> None:
    """Between two of its pods none was listed, or one on its way out."""
    seconds = {"key": "t", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 0}
    nodes = [node("n1", "t:NoExecute"), node("n2", "t:NoExecute")]
    going = pod("d", "n2", deletionTimestamp="2026-01-02T03:04:05Z")
    (impact,) = run(world(nodes, [daemonset("d", seconds)], [going]), "taint nodes n1 n2 t-")
    assert outcomes(impact) == {("d", "n1"): "gained", ("d", "n2"): "gained"}
    assert pods_after(impact) == {("d", "n1"): "new", ("d", "n2"): "new"}


@pytest.mark.parametrize(
    ("pods", "outcome"),
    [
        pytest.param([], "missing", id="no pod at all"),
        pytest.param([pod("d", "n2")], "gained", id="a pod elsewhere"),
        pytest.param([pod("d", "", phase="Pending")], "gained", id="a pod that waits"),
        pytest.param([pod("d", "n2", deletionTimestamp="2026-01-01T00:00:00Z")], "gained", id="a pod that ends"),
        pytest.param(None, "gained", id="no list"),
    ],
)
def test_where_a_daemonset_has_no_pod_on_any_node_that_should_run_it_another_node_gets_none(
    pods: list[CoveragePod] | None, outcome: str
) -> None:
    """A quota, a webhook or Pod Security refuses to create them."""
    start = world([node("n1", "t:NoSchedule"), node("n2")], [daemonset("d")], pods)
    (impact,) = run(start, "taint nodes n1 t-")
    assert outcomes(impact) == {("d", "n1"): outcome}


def test_a_daemonset_that_no_node_should_run_gets_its_first_pod() -> None:
    start = world([node("n1", "t:NoSchedule"), node("n2", "u:NoSchedule")], [daemonset("d")], [])
    first, second = run(start, "taint nodes n1 t-", "taint nodes n2 u-")
    assert outcomes(first) == {("d", "n1"): "gained"}
    assert outcomes(second) == {("d", "n2"): "gained"}
