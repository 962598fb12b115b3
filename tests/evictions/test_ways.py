"""All that is said of a pod that goes, for each way in which it can go."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.messages.evictions import describe_advice
from preflight.model.evictions import Eviction
from tests.builders import make_node
from tests.evictions.clusters import budget, evicted, job, node, owned, pod, pods, world

GOING = {"deletionTimestamp": "2026-06-30T06:00:00Z"}
SCRATCH = {"volumes": [{"name": "v", "emptyDir": {}}], "terminationGracePeriodSeconds": 45}
GATE = {"tolerations": [{"key": "a", "operator": "Gt", "value": "5"}]}
WEB = (owned("ReplicaSet", "web", 2), pod("web-1", "n1", "ReplicaSet/web"), pod("web-2", "n2", "ReplicaSet/web"))
GUARD = budget("web", "web", maxUnavailable=1)
BARE = pod("bare-1", "n1", spec=SCRATCH)
ALL = (node("n1"), node("n2"), *WEB, GUARD, BARE)
FLAGS = "--force --delete-emptydir-data"


def told(eviction: Eviction) -> tuple[Any, ...]:
    return (
        *(str(eviction.owner) if eviction.owner else "", str(eviction.verdict), str(eviction.why), eviction.after, eviction.grace),
        *(eviction.budgets, eviction.lost, eviction.localData, eviction.hang is not None),
    )


SET = "ReplicaSet shop/web"
GUARDED = ("shop/web",)


@pytest.mark.parametrize(
    ("line", "web", "bare"),
    [
        pytest.param(
            f"drain n1 {FLAGS}",
            (SET, "evicted", "allowed", 0.0, 30, GUARDED, False, False, False),
            ("", "evicted", "no-budget", 0.0, 45, (), True, True, False),
            id="a drain",
        ),
        pytest.param(
            f"drain n1 {FLAGS} --disable-eviction --grace-period=5",
            (SET, "deleted", "bypassed", 0.0, 5, GUARDED, False, False, False),
            ("", "deleted", "bypassed", 0.0, 5, (), True, True, False),
            id="a drain that deletes",
        ),
        pytest.param(
            "taint nodes n1 a=b:NoExecute",
            (SET, "deleted", "taint", 0.0, 30, GUARDED, False, False, False),
            ("", "deleted", "taint", 0.0, 45, (), True, True, False),
            id="a taint",
        ),
        pytest.param(
            "delete pods web-1 bare-1 -n shop",
            (SET, "deleted", "deleted", 0.0, 30, GUARDED, False, False, False),
            ("", "deleted", "deleted", 0.0, 45, (), True, True, False),
            id="a deletion",
        ),
        pytest.param(
            "delete pods web-1 bare-1 -n shop --grace-period=0 --force",
            (SET, "deleted", "deleted", 0.0, 0, GUARDED, False, False, False),
            ("", "deleted", "deleted", 0.0, 0, (), True, True, False),
            id="a deletion by force",
        ),
        pytest.param(
            "delete node n1",
            (SET, "ends", "node", 0.0, 30, GUARDED, False, False, False),
            ("", "ends", "node", 0.0, 45, (), True, True, False),
            id="the end of the node",
        ),
    ],
)
def test_a_pod_goes(line: str, web: tuple[Any, ...], bare: tuple[Any, ...]) -> None:
    found = pods(line, *ALL)
    assert told(found["web-1"]) == web
    assert told(found["bare-1"]) == bare
    assert "web-2" not in found


def test_a_pod_that_is_being_deleted_is_collected_with_its_node() -> None:
    dead = make_node("n1", ready="Unknown", allocatable={"cpu": "4", "memory": "8Gi", "pods": "20"})
    going = (pod("going-1", "n1", metadata=GOING, spec=SCRATCH), pod("going-2", "n1", metadata=GOING))
    found = pods("taint nodes n1 node.kubernetes.io/out-of-service:NoSchedule", dead, node("n2"), GUARD, *going)
    assert told(found["going-2"]) == ("", "deleted", "out-of-service", 0.0, 0, (), True, False, False)
    assert told(found["going-1"]) == ("", "deleted", "out-of-service", 0.0, 0, (), True, True, False)


def test_whether_a_taint_deletes_a_pod_may_depend_on_a_gate() -> None:
    found = pods("taint nodes n1 a=6:NoExecute", node("n1"), node("n2"), GUARD, pod("bare-1", "n1", spec={**SCRATCH, **GATE}))
    assert told(found["bare-1"]) == ("", "unknown", "taint", None, 45, (), False, False, False)


@pytest.mark.parametrize("line", ["drain n1", "taint nodes n1 a=b:NoExecute", "delete pods over-1 -n shop", "delete node n1"])
def test_what_has_ended_loses_nothing(line: str) -> None:
    over = pod("over-1", "n1", phase="Succeeded", spec=SCRATCH)
    found = pods(line, node("n1"), node("n2"), GUARD, over)
    assert [(each.lost, each.localData) for each in found.values()] == [(False, False)] * len(found)


# What helps.


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        pytest.param((), ("ReplicaSet shop/web",), id="one owner can be scaled up"),
        pytest.param((owned("ReplicaSet", "web-b", 1), pod("web-b1", "n2", "ReplicaSet/web-b")), (), id="of two, neither alone"),
    ],
)
def test_a_budget_that_is_shared_by_a_drain(others: tuple[dict[str, Any], ...], expected: tuple[str, ...]) -> None:
    full = (node("n1"), node("n2", "1", cordoned=True))
    both = (owned("ReplicaSet", "web", 2), pod("web-1", "n1", "ReplicaSet/web"), pod("web-2", "n1", "ReplicaSet/web"))
    found = evicted("drain n1", world(*full, *both, *others, GUARD)).evictions
    advice = [describe_advice(each) for each in found.first]
    assert [name for name in expected if not any(name in text for text in advice)] == []
    assert any("scale" in text for text in advice) is bool(expected)


@pytest.mark.parametrize(
    ("line", "policy", "expected"),
    [
        pytest.param("drain n1", True, [], id="a rule can ignore an eviction"),
        pytest.param("drain n1 --disable-eviction", True, ["ignore-rule-bypassed"], id="and no deletion"),
        pytest.param("drain n1 --disable-eviction", False, [], id="no rule, nothing to bypass"),
    ],
)
def test_a_rule_that_ignores_disruptions_does_not_see_a_deletion(line: str, policy: bool, expected: list[str]) -> None:
    rule: dict[str, Any] = (
        {"podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}} if policy else {}
    )
    there = (node("n1"), node("n2"), GUARD, job("train", **rule), pod("train-1", "n1", "Job/train"))
    (found,) = evicted(line, world(*there)).evictions.jobs
    assert [str(reason) for reason in found.reasons if isinstance(reason, str)] == expected
