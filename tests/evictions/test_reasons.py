"""Why a pod goes or stays, as facts: of a drain, of taint eviction, and of its replacement."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.evictions.reasons import iter_drain_reasons, iter_taint_reasons
from preflight.model.core import Taint
from preflight.model.eviction_reasons import (
    BypassesBudgets,
    CoveredBySeveralBudgets,
    DrainReason,
    EvictionFact,
    HealthyPods,
    LastReadyPods,
    MissingInput,
    MissingKind,
    PodFilter,
    RefusedByBudget,
    RefusedByKubectl,
    SharesBudget,
    TimeLimitedTaints,
    UnknownPlacement,
    UnprotectedByBudgets,
    UntoleratedTaints,
)
from preflight.model.owners import OwnerKey
from preflight.model.termination_reasons import HangReason, StaysTerminating
from preflight.scheduling.drain import DrainVerdict, PodDrain
from preflight.scheduling.taint_eviction import TaintEviction
from tests.evictions.clusters import budget, node, owned, pod, pods
from tests.scheduling import drain_objects

POD = drain_objects.pod()
WEB, API = ("shop", "web"), ("shop", "api")
NUMBERS = HealthyPods(4, 3)
UNKNOWN = MissingInput(MissingKind.BUDGETS)
HANG = StaysTerminating(HangReason.SILENT_KUBELET, "n1")
TAINT = Taint("a", "b", "NoExecute")


def drained(verdict: DrainVerdict, reason: DrainReason, **more: Any) -> PodDrain:
    return PodDrain(POD, verdict, reason, **more)


@pytest.mark.parametrize(
    ("drain", "expected"),
    [
        pytest.param(drained(DrainVerdict.EVICTED, DrainReason.NO_BUDGET, evicted_at=0.0), [], id="it goes"),
        pytest.param(drained(DrainVerdict.EVICTED, DrainReason.ALLOWED, budgets=(WEB,), evicted_at=0.0), [], id="its budget allows it"),
        pytest.param(
            drained(DrainVerdict.BLOCKED_FOREVER, DrainReason.SEVERAL_BUDGETS, budgets=(WEB, API)),
            [CoveredBySeveralBudgets(("shop/web", "shop/api"))],
            id="two budgets",
        ),
        *(
            pytest.param(
                drained(DrainVerdict.BLOCKED_NOW, reason, budgets=(WEB,), healthy_pods=NUMBERS),
                [RefusedByBudget("shop/web", reason, NUMBERS)],
                id=f"its budget refuses it: {reason}",
            )
            for reason in (
                *(DrainReason.NEEDS_ALL_HEALTHY, DrainReason.CANNOT_SYNC, DrainReason.NONE_EXPECTED, DrainReason.NO_LIMIT),
                *(DrainReason.ZERO_UNAVAILABLE, DrainReason.NOT_ENOUGH_HEALTHY, DrainReason.SHARED, DrainReason.NOT_SYNCED),
                *(DrainReason.STALE_STATUS, DrainReason.FORBIDDEN),
            )
        ),
        pytest.param(drained(DrainVerdict.UNKNOWN, DrainReason.UNKNOWN, missing_input=UNKNOWN), [UNKNOWN], id="the budgets are unknown"),
        pytest.param(
            drained(DrainVerdict.REFUSED, DrainReason.FILTERED, filter=PodFilter.LOCAL_DATA),
            [RefusedByKubectl(PodFilter.LOCAL_DATA)],
            id="kubectl refuses it",
        ),
        pytest.param(drained(DrainVerdict.SKIPPED, DrainReason.FILTERED, filter=PodFilter.MIRROR), [], id="kubectl skips it"),
        pytest.param(drained(DrainVerdict.HELD, DrainReason.NODE_REFUSED), [EvictionFact.NODE_REFUSED], id="kubectl refuses its node"),
        pytest.param(
            drained(DrainVerdict.DELETED, DrainReason.BYPASSED, budgets=(WEB,), evicted_at=0.0),
            [BypassesBudgets(("shop/web",))],
            id="its budget is not asked",
        ),
        pytest.param(drained(DrainVerdict.DELETED, DrainReason.BYPASSED, evicted_at=0.0), [], id="it has no budget that could be asked"),
        pytest.param(
            drained(DrainVerdict.EVICTED, DrainReason.UNHEALTHY_ALLOWED, budgets=(WEB,), evicted_at=0.0),
            [EvictionFact.UNREADY_ALLOWED],
            id="it is not Ready",
        ),
        pytest.param(
            drained(DrainVerdict.EVICTED, DrainReason.ALLOWED, budgets=(WEB,), evicted_at=0.0, budget_peers=3, may_return=True, hang=HANG),
            [SharesBudget(3), HANG, EvictionFact.TOLERATES_CORDON],
            id="all else, in order",
        ),
        pytest.param(drained(DrainVerdict.HELD, DrainReason.NODE_REFUSED, may_return=True), [EvictionFact.NODE_REFUSED], id="it stays"),
    ],
)
def test_a_drain_treats_a_pod_so_because(drain: PodDrain, expected: list[object]) -> None:
    assert list(iter_drain_reasons(drain, drain.hang, waits=False)) == expected


def test_a_pod_that_waits_for_a_replacement_says_so() -> None:
    drain = drained(DrainVerdict.BLOCKED_NOW, DrainReason.SHARED, budgets=(WEB,))
    assert list(iter_drain_reasons(drain, HANG, waits=True)) == [RefusedByBudget("shop/web", DrainReason.SHARED, waits=True), HANG]


@pytest.mark.parametrize(
    ("eviction", "hang", "expected"),
    [
        pytest.param(TaintEviction(POD, None, untolerated_taints=(TAINT,)), HANG, [EvictionFact.GATE_UNKNOWN], id="a gate decides"),
        pytest.param(TaintEviction(POD, 0.0, untolerated_taints=(TAINT,)), None, [UntoleratedTaints((TAINT,))], id="not tolerated"),
        pytest.param(
            TaintEviction(POD, 60.0, time_limited_taints=(TAINT,)), None, [TimeLimitedTaints((TAINT,), 60)], id="tolerated for a minute"
        ),
        pytest.param(
            TaintEviction(POD, 0.0, untolerated_taints=(TAINT,), time_limited_taints=(TAINT,)),
            None,
            [UntoleratedTaints((TAINT,))],
            id="what is not tolerated at all comes first",
        ),
        pytest.param(
            TaintEviction(POD, 60.0, time_limited_taints=(TAINT,), budgets=(WEB,), may_return=True),
            HANG,
            [TimeLimitedTaints((TAINT,), 60), UnprotectedByBudgets(("shop/web",)), HANG, EvictionFact.TOLERATES_TAINTS],
            id="all else, in order",
        ),
    ],
)
def test_taint_eviction_deletes_a_pod_because(eviction: TaintEviction, hang: StaysTerminating | None, expected: list[object]) -> None:
    assert list(iter_taint_reasons(eviction, hang)) == expected


# With what becomes of the replacement.

ANY = budget("other", "nothing", maxUnavailable=1)
OWNED = (owned("ReplicaSet", "web", 1), pod("web-1", "n1", "ReplicaSet/web"))
SILENT = {**node("n1"), "status": {**node("n1")["status"], "conditions": [{"type": "Ready", "status": "Unknown"}]}}
STATEFUL = (owned("StatefulSet", "db", 1), pod("db-1", "n1", "StatefulSet/db"))


@pytest.mark.parametrize(
    ("line", "objects", "name", "expected"),
    [
        pytest.param("drain n1 --force", (node("n1"), node("n2"), ANY, pod("x-1", "n1")), "x-1", [EvictionFact.NOT_RECREATED], id="bare"),
        pytest.param(
            "drain n1",
            (node("n1"), node("n2"), ANY, *OWNED),
            "web-1",
            [LastReadyPods(OwnerKey("ReplicaSet", "shop", "web"), 1)],
            id="the only one of its owner",
        ),
        pytest.param(
            "drain n1",
            (node("n1"), node("n2"), ANY, *OWNED, pod("web-2", "n2", "ReplicaSet/web")),
            "web-1",
            [],
            id="one of two of its owner",
        ),
        pytest.param(
            "delete node n1",
            (node("n1"), ANY, *OWNED),
            "web-1",
            [EvictionFact.WAITS_FOR_NODE, LastReadyPods(OwnerKey("ReplicaSet", "shop", "web"), 1)],
            id="no other node takes it once its node has ended",
        ),
    ],
)
def test_a_pod_goes_and(line: str, objects: tuple[dict[str, Any], ...], name: str, expected: list[object]) -> None:
    assert list(pods(line, *objects)[name].reasons) == expected


def test_a_replacement_whose_place_is_unknown_says_why() -> None:
    claim = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "v"}}]}
    there = (owned("StatefulSet", "db", 1), pod("db-1", "n1", "StatefulSet/db", spec=claim), pod("db-2", "n2", "StatefulSet/db"))
    (reason,) = pods("drain n1", node("n1"), node("n2"), ANY, *there)["db-1"].reasons
    assert isinstance(reason, UnknownPlacement)
    assert reason.causes


def test_nothing_replaces_a_pod_of_a_stateful_set_before_it_ends() -> None:
    found = pods("drain n1", SILENT, node("n2"), ANY, *STATEFUL)["db-1"]
    assert EvictionFact.AWAITS_END in found.reasons
    assert EvictionFact.WAITS_FOR_NODE not in found.reasons
