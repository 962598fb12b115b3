"""Listed pods of a template before their DaemonSet's own: what lets an update go on ends them, and nothing else does."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
import pytest

from preflight.coverage.daemonset_pods import collect_listed_pods
from preflight.coverage.evaluate import make_empty_change
from preflight.coverage.label_cascade import predict_impact
from preflight.coverage.model import Impact
from preflight.coverage.rollout.effects import find_running_updates
from preflight.engine.rule_context import make_change_context
from preflight.model.apps import TEMPLATE_GENERATION, DaemonSet
from preflight.model.core import CoveragePod
from preflight.model.meta import ObjectKey
from preflight.model.reasons import RunningUpdate
from preflight.rules.coverage import update_stalls
from tests.builders import read_object
from tests.coverage.impacts import NAMESPACE, daemonset, node, outcomes, pod, pods_after, rolling, run, world

NODES = [node("n1", ready=True), node("n2", "t:NoSchedule", ready=True), node("n3", ready=True)]
ON_DELETE = {"type": "OnDelete"}
ROLL = f'patch ds d -n {NAMESPACE} -p {{"spec":{{"updateStrategy":{{"type":"RollingUpdate"}}}}}}'
TAINT = "taint nodes n3 other:NoSchedule"


def owner(number: int, strategy: dict[str, Any]) -> DaemonSet:
    """The DaemonSet as a cluster has it, with the number of its template."""
    data = copy.deepcopy(daemonset("d", strategy=strategy).data)
    data["metadata"]["annotations"] = {TEMPLATE_GENERATION: str(number)}
    return read_object(data, DaemonSet)


def of(number: int, on: str, revision: str = "", ready: bool = True, **more: Any) -> CoveragePod:
    """A listed pod of the template with a number."""
    found = pod("d", on, **more, conditions=[{"type": "Ready", "status": str(ready)}])
    labels = {"app": "d", "pod-template-generation": str(number), "controller-revision-hash": revision or f"r{number}"}
    data = msgspec.json.decode(msgspec.json.encode(found))
    data["metadata"]["labels"] = labels
    return msgspec.json.decode(msgspec.json.encode(data), type=CoveragePod)


def settled(pods: list[CoveragePod], strategy: dict[str, Any], line: str) -> Impact:
    (impact,) = run(world(NODES, [owner(3, strategy)], pods), line)
    return impact


def test_old_pods_are_replaced_where_the_strategy_is_rolling_from_now_on() -> None:
    impact = settled([of(2, "n1"), of(2, "n2"), of(3, "n3")], ON_DELETE, ROLL)
    assert outcomes(impact) == {("d", "n1"): "kept", ("d", "n2"): "lost-now", ("d", "n3"): "kept"}
    assert pods_after(impact) == {("d", "n1"): "new", ("d", "n2"): "none", ("d", "n3"): "same"}


def test_where_all_pods_are_old_they_are_too() -> None:
    impact = settled([of(2, "n1"), of(1, "n2"), of(2, "n3")], ON_DELETE, ROLL)
    assert pods_after(impact) == {("d", "n1"): "new", ("d", "n2"): "none", ("d", "n3"): "new"}


@pytest.mark.parametrize(
    "pods",
    [
        pytest.param([of(3, "n1"), of(3, "n2"), of(3, "n3")], id="all are up to date"),
        pytest.param([of(1, "n1", "r3"), of(1, "n2", "r3"), of(3, "n3")], id="a rollback left pods that are of the template again"),
        pytest.param([pod("d", "n1"), pod("d", "n2"), of(3, "n3")], id="pods say no number"),
    ],
)
@pytest.mark.parametrize("strategy", [ON_DELETE, {}])
def test_pods_that_are_not_known_to_be_old_stay(pods: list[CoveragePod], strategy: dict[str, Any]) -> None:
    impact = settled(pods, strategy, ROLL)
    assert outcomes(impact)["d", "n2"] == "already-fragile"
    assert set(pods_after(impact).values()) == {"same"}


def test_a_rolling_update_that_has_replaced_no_pod_was_a_rollback() -> None:
    impact = settled([of(1, "n1"), of(2, "n2"), of(1, "n3")], {}, TAINT)
    assert set(pods_after(impact).values()) == {"same"}


@pytest.mark.parametrize(
    ("updated", "observed", "pods"),
    [
        pytest.param(0, 5, {"new", "none"}, id="the status counts none that is up to date"),
        pytest.param(2, 5, {"same"}, id="it counts some"),
        pytest.param(0, 4, {"same"}, id="it is of before the last change"),
    ],
)
def test_an_update_that_could_not_begin_is_no_rollback(updated: int, observed: int, pods: set[str]) -> None:
    data = copy.deepcopy(owner(3, {}).data)
    data["metadata"]["generation"] = 5
    counts = {"desiredNumberScheduled": 3, "currentNumberScheduled": 3, "updatedNumberScheduled": updated}
    data["status"] = {"observedGeneration": observed, **counts}
    (impact,) = run(world(NODES, [read_object(data, DaemonSet)], [of(1, "n1"), of(2, "n2"), of(1, "n3")]), TAINT)
    assert set(pods_after(impact).values()) == pods


def test_an_update_whose_first_new_pod_waits_for_its_node_is_no_rollback() -> None:
    impact = settled([of(2, "n1"), of(2, "n2"), of(3, "", phase="Pending")], {}, TAINT)
    assert {name: group.forecast.pod_after.value for group in impact.groups for name in group.nodes if name != "n3"} == {
        "n1": "new",
        "n2": "none",
    }


def test_an_update_under_way_reaches_what_a_taint_makes_fragile() -> None:
    impact = settled([of(3, "n1"), of(2, "n2"), of(2, "n3")], {}, TAINT)
    assert outcomes(impact) == {("d", "n1"): "kept", ("d", "n2"): "lost-now", ("d", "n3"): "lost-now"}
    held = settled([of(3, "n1"), of(2, "n2"), of(2, "n3")], ON_DELETE, TAINT)
    assert outcomes(held) == {("d", "n3"): "lost-on-recreation"}
    assert {name: group.outcome_before for group in impact.groups for name in group.nodes} == {"n1": "kept", "n2": "lost-now", "n3": "kept"}
    assert list(find_running_updates(impact)) == [RunningUpdate(ObjectKey("truth", "d"), ("n2", "n3"))]


def test_an_update_that_a_change_begins_was_not_under_way() -> None:
    for strategy, line in ((ON_DELETE, ROLL), ({}, f"rollout restart ds/d -n {NAMESPACE}")):
        impact = settled([of(2, "n1"), of(2, "n2"), of(3, "n3")], strategy, line)
        assert list(find_running_updates(impact)) == []
        assert {name: (group.outcome_before, group.outcome) for group in impact.groups for name in group.nodes}["n2"] == (
            "already-fragile",
            "lost-now",
        )


def test_an_update_that_was_stuck_before_is_no_news_of_another_change() -> None:
    pods = [of(3, "n1", ready=False), of(2, "n2"), of(2, "n3")]
    for strategy, line, stops in ((rolling(maxUnavailable=1), TAINT, False), (ON_DELETE, ROLL, True)):
        impact = settled(pods, strategy, line)
        hits = list(update_stalls.check(make_change_context(impact.change, impact)))
        assert [ObjectKey(NAMESPACE, "d") in impact.rollouts, bool(hits)] == [True, stops]


def test_without_a_change_nothing_goes_on() -> None:
    start = world(NODES, [owner(3, {})], [of(3, "n1"), of(2, "n2"), of(2, "n3")])
    impact = predict_impact(make_empty_change(start), collect_listed_pods(start))
    assert outcomes(impact) == {("d", "n1"): "kept", ("d", "n2"): "already-fragile", ("d", "n3"): "kept"}
