"""Updates that stop, through the front door: what is certain of each pair, what is chance, and what hangs."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from preflight.change.apply_command import perform_command
from preflight.coverage.daemonset_pods import collect_listed_pods
from preflight.coverage.label_cascade import predict_impact
from preflight.coverage.model import Impact
from preflight.coverage.reasons import list_outcome_reasons
from preflight.kubectl.parser import parse_command
from preflight.messages.coverage import describe_reasons
from preflight.model.apps import DaemonSet
from preflight.model.core import CoveragePod, Node
from preflight.model.meta import ObjectKey
from preflight.model.reasons import PlainReason
from preflight.model.world import ClusterState
from preflight.scheduling.rollout_simulation import NewPodOutcome
from tests.builders import read_object
from tests.coverage.impacts import NAMESPACE, daemonset, node, outcomes, pod, pods_after, rolling, run, world

NOT_READY: dict[str, Any] = {"conditions": [{"type": "Ready", "status": "False"}]}
READY: dict[str, Any] = {"conditions": [{"type": "Ready", "status": "True"}]}
TOLERANT = {"operator": "Exists"}
PORTS = [{"name": "c", "image": "c:1", "ports": [{"containerPort": 80, "hostPort": 80}]}]


def silent(name: str) -> Node:
    """A node whose kubelet fell silent, with the taints that it then gets."""
    keys = [{"key": "node.kubernetes.io/unreachable", "effect": effect} for effect in ("NoSchedule", "NoExecute")]
    status = {"conditions": [{"type": "Ready", "status": "Unknown"}]}
    return read_object({"metadata": {"name": name}, "spec": {"taints": keys}, "status": status}, Node)


def restarted(nodes: list[Node], owner: DaemonSet, pods: list[CoveragePod] | None) -> Impact:
    (impact,) = run(world(nodes, [owner], pods), "rollout restart ds/d -n truth")
    return impact


NOT_IN_POOL = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": "pool", "operator": "NotIn", "values": ["x"]}]}]
        }
    }
}
GATED = {"key": "size", "operator": "Gt", "value": "5", "effect": "NoSchedule"}


@pytest.mark.parametrize("gate", [None, False, True], ids=["unknown", "off", "on"])
@pytest.mark.parametrize("line", ["rollout restart ds/d -n truth", "set image ds/d c=c:2 -n truth"], ids=["a restart", "another image"])
@pytest.mark.parametrize("condition", [{}, NOT_READY], ids=["nothing is said of the pod", "the pod is not Ready"])
def test_a_pod_hangs_on_a_silent_node_whatever_is_unknown_of_another(condition: dict[str, Any], line: str, gate: bool | None) -> None:
    quiet = read_object({"metadata": {"name": "n1"}, "status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}}, Node)
    start = world([quiet, node("n2", "size=6:NoSchedule")], [daemonset("d", GATED)], [pod("d", "n1", **condition), *well("n2")], gate=gate)
    (impact,) = run(start, line)
    assert outcomes(impact)["d", "n1"] == "missing"


def test_so_it_does_where_a_label_is_unknown() -> None:
    quiet = read_object({"metadata": {"name": "n1"}, "status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}}, Node)
    partly = replace(node("n2"), is_partial=True)
    owner = daemonset("d", affinity=NOT_IN_POOL)
    (impact,) = run(world([quiet, partly], [owner], [pod("d", "n1"), *well("n2")]), "rollout restart ds/d -n truth")
    assert outcomes(impact) == {("d", "n1"): "missing", ("d", "n2"): "unknown"}


def reasons(impact: Impact) -> set[str]:
    return {reason for group in impact.groups if group.outcome == "unknown" for reason in describe_reasons(list_outcome_reasons(group))}


def well(*names: str) -> list[CoveragePod]:
    return [pod("d", name, **READY) for name in names]


def test_where_all_is_well_nothing_is_chance() -> None:
    impact = restarted([node("n1", ready=True), node("n2", "t:NoSchedule", ready=True)], daemonset("d"), well("n1", "n2"))
    assert outcomes(impact) == {("d", "n1"): "kept", ("d", "n2"): "lost-now"}
    assert [group.update_uncertainty for group in impact.groups] == [None, None]


def test_a_silent_node_that_holds_the_budget_keeps_the_time_bomb_behind_it() -> None:
    nodes = [node("n1", ready=True), node("n2", "t:NoSchedule", ready=True), silent("n3")]
    pods = [*well("n1", "n2"), pod("d", "n3", **NOT_READY)]
    assert outcomes(restarted(nodes, daemonset("d"), pods)) == {
        ("d", "n1"): "kept",
        ("d", "n2"): "already-fragile",
        ("d", "n3"): "lost-now",
    }
    two = daemonset("d", strategy=rolling(maxUnavailable=2))
    assert outcomes(restarted(nodes, two, pods)) == {("d", "n1"): "kept", ("d", "n2"): "lost-now", ("d", "n3"): "lost-now"}


def test_a_pod_on_a_silent_node_is_missing_while_it_hangs_and_the_next_step_knows() -> None:
    start = world([node("n1", ready=True), silent("n2")], [daemonset("d", TOLERANT, strategy=rolling(maxUnavailable=2))])
    first, second = run(start, "rollout restart ds/d -n truth", "rollout restart ds/d -n truth")
    assert outcomes(first) == outcomes(second) == {("d", "n1"): "kept", ("d", "n2"): "missing"}
    (hung,) = (group for group in first.groups if group.outcome == "missing")
    assert hung.forecast.had_pod
    assert list_outcome_reasons(hung) == (PlainReason.HANGING,)
    assert pods_after(second) == {("d", "n1"): "new", ("d", "n2"): "none"}


def test_with_a_surge_a_new_pod_is_created_beside_the_one_that_hangs() -> None:
    owner = daemonset("d", TOLERANT, strategy=rolling(maxSurge=1, maxUnavailable=0))
    impact = restarted([node("n1", ready=True), silent("n2")], owner, [*well("n1"), pod("d", "n2", **NOT_READY)])
    assert pods_after(impact) == {("d", "n1"): "new", ("d", "n2"): "new"}


def test_of_the_pods_on_nodes_that_should_not_run_it_a_surge_leaves_some_and_which_is_chance() -> None:
    nodes = [silent("n1"), *(node(f"n{number}", "t:NoSchedule", ready=True) for number in (2, 3, 4)), node("n5", ready=True)]
    tolerant = {"key": "node.kubernetes.io/unreachable", "operator": "Exists"}
    owner = daemonset("d", tolerant, strategy=rolling(maxSurge=2, maxUnavailable=0))
    impact = restarted(nodes, owner, [*well("n2", "n3", "n4", "n5"), pod("d", "n1", **NOT_READY)])
    assert {name: outcome for (_, name), outcome in outcomes(impact).items()} == {
        "n1": "kept",
        "n2": "unknown",
        "n3": "unknown",
        "n4": "unknown",
        "n5": "kept",
    }
    assert reasons(impact) == {
        "unknown which nodes: 1 of n2, n3, n4 keeps the old pod, "
        "as many as there are nodes that should run it and have no available pod (n1)"
    }


def test_where_none_of_them_may_go_all_are_certain_to_stay() -> None:
    nodes = [silent("n1"), node("n2", "t:NoSchedule", ready=True), node("n3", ready=True)]
    owner = daemonset("d", {"key": "node.kubernetes.io/unreachable", "operator": "Exists"}, strategy=rolling(maxSurge=2, maxUnavailable=0))
    impact = restarted(nodes, owner, [*well("n2", "n3"), pod("d", "n1", **NOT_READY)])
    assert outcomes(impact) == {("d", "n1"): "kept", ("d", "n2"): "already-fragile", ("d", "n3"): "kept"}


def not_ready_node(starts: dict[str, NewPodOutcome] | None) -> Impact:
    """A node that is not Ready and where the DaemonSet should run all the same, a healthy one, and a time bomb."""
    start = world(
        [node("n1", ready=False), node("n2", ready=True), node("n3", "t:NoSchedule", ready=True)], [daemonset("d")], well("n1", "n2", "n3")
    )
    change = perform_command(parse_command(["rollout", "restart", "ds/d", "-n", "truth"]), start, lambda _: ())
    return predict_impact(change, collect_listed_pods(start), starts=None if starts is None else {ObjectKey(NAMESPACE, "d"): starts})


def test_where_it_depends_on_a_node_that_is_not_ready_the_answer_is_unknown() -> None:
    impact = not_ready_node(None)
    assert outcomes(impact) == {("d", "n1"): "kept", ("d", "n2"): "kept", ("d", "n3"): "unknown"}
    assert reasons(impact) == {
        "depends on the new pods on n1, which is not Ready: 0 to 2 of n1, n2, n3 keep the old pod, "
        "because the update stops once 1 node has no available pod"
    }


@pytest.mark.parametrize(
    ("starts", "outcome", "unsure"),
    [
        pytest.param({}, "lost-now", False, id="new pods become Ready there"),
        pytest.param({"n1": NewPodOutcome.UNREADY}, "unknown", True, id="they do not: the update stops there, sooner or later"),
    ],
)
def test_where_somebody_knows_how_new_pods_begin(starts: dict[str, NewPodOutcome], outcome: str, unsure: bool) -> None:
    impact = not_ready_node(starts)
    assert outcomes(impact)["d", "n3"] == outcome
    assert reasons(impact) == (
        {"unknown which nodes: 0 to 2 of n1, n2, n3 keep the old pod, because the update stops once 1 node has no available pod (n1)"}
        if unsure
        else set()
    )


def test_a_pod_that_is_wanted_is_kept_whichever_is_there_and_that_it_is_chance_is_said() -> None:
    (group,) = restarted(
        [node("n1"), node("n2")], daemonset("d", strategy=rolling(maxSurge=1, maxUnavailable=0), containers=PORTS), None
    ).groups
    assert (group.outcome, group.update_uncertainty) == ("kept", None)
    impact = not_ready_node({"n1": NewPodOutcome.UNREADY})
    kept = {group.node_names: group.update_uncertainty is not None for group in impact.groups if group.outcome == "kept"}
    assert kept == {("n1",): False, ("n2",): True}


def test_a_quota_takes_the_pods_of_as_many_nodes_as_may_lack_one() -> None:
    start = world([node("n1", ready=True), node("n2", ready=True)], [daemonset("d")], well("n1", "n2"))
    change = perform_command(parse_command(["rollout", "restart", "ds/d", "-n", "truth"]), start, lambda _: ())
    refused = {ObjectKey(NAMESPACE, "d"): dict.fromkeys(("n1", "n2"), NewPodOutcome.REFUSED)}
    impact = predict_impact(change, collect_listed_pods(start), starts=refused)
    assert impact.rollouts[ObjectKey(NAMESPACE, "d")].likely_course.reached_range == (1, 1)


def test_where_a_node_is_only_partly_known_pods_are_taken_to_be_well() -> None:
    start = ClusterState(
        nodes={}, daemonsets={each.key: each for each in [daemonset("d", nodeSelector={"gpu": "true"})]}, comparison_operators=False
    )
    _, impact = run(start, "label nodes n1 other=x", "rollout restart ds/d -n truth")
    assert not impact.rollouts[ObjectKey(NAMESPACE, "d")].is_exact
    assert outcomes(impact) == {("d", "n1"): "kept"}
