"""The API server's answer to an eviction, in its words: semantics 10, `pkg/registry/core/pod/storage/eviction.go`."""

from __future__ import annotations

import msgspec
import pytest

from preflight.model.eviction_reasons import HealthyPods, MissingInput, MissingKind
from preflight.model.pod_status import ClusterPod
from preflight.model.policy import BudgetCondition, BudgetStatus, PodDisruptionBudget
from preflight.scheduling.budgets import BudgetHealth
from preflight.scheduling.eviction import (
    EVICTION_ALLOWED,
    SEVERAL_BUDGETS,
    VIOLATES_BUDGET,
    BudgetView,
    EvictionResponse,
    answer_eviction,
    view_budget,
)
from tests.scheduling.drain_objects import budget, pod, status

MISSING = MissingInput(MissingKind.NAMESPACE_PODS, name="shop")
FULL = BudgetView("guard", False, current=3, desired=2, allowed=1)
SPENT = BudgetView("guard", False, current=2, desired=2)
SICK = pod(ready=False)
ALWAYS = msgspec.structs.replace(SPENT, always_allow=True)
UNSYNCED = msgspec.structs.replace(FULL, is_synced=False)
WAITS = EvictionResponse(
    429, VIOLATES_BUDGET, "The disruption budget guard is still being processed by the server.", "guard", retry_after=10
)


def lacks(needed: int, current: int) -> EvictionResponse:
    cause = f"The disruption budget guard needs {needed} healthy pods and has {current} currently"
    return EvictionResponse(429, VIOLATES_BUDGET, cause, "guard", healthy_pods=HealthyPods(needed, current))


NEEDS = lacks(2, 2)


@pytest.mark.parametrize(
    ("one", "guards", "expected"),
    [
        pytest.param(pod(), (), EVICTION_ALLOWED, id="no budget"),
        pytest.param(pod(phase="Pending", ready=False), (SPENT, SPENT), EVICTION_ALLOWED, id="a Pending pod asks none"),
        pytest.param(pod(phase="Succeeded", ready=False), (SPENT,), EVICTION_ALLOWED, id="nor does one that has succeeded"),
        pytest.param(pod(phase="Failed", ready=False), (SPENT,), EVICTION_ALLOWED, id="or failed"),
        pytest.param(pod(deletion="now"), (SPENT,), EVICTION_ALLOWED, id="or is being deleted"),
        pytest.param(pod(), (FULL, FULL), EvictionResponse(500, SEVERAL_BUDGETS), id="two budgets refuse, though each would allow it"),
        pytest.param(SICK, (ALWAYS, FULL), EvictionResponse(500, SEVERAL_BUDGETS), id="and though it is not Ready and one does not mind"),
        pytest.param(pod(), (FULL,), EvictionResponse(201, budget="guard", takes_disruption=True), id="one is allowed, and is taken"),
        pytest.param(pod(), (SPENT,), NEEDS, id="none is allowed"),
        pytest.param(pod(), (ALWAYS,), NEEDS, id="AlwaysAllow is for pods that are not Ready"),
        pytest.param(SICK, (ALWAYS,), EvictionResponse(201, budget="guard"), id="AlwaysAllow lets those go and takes nothing"),
        pytest.param(SICK, (SPENT,), EvictionResponse(201, budget="guard"), id="so does a budget that has what it desires"),
        pytest.param(
            SICK,
            (msgspec.structs.replace(SPENT, current=1),),
            lacks(2, 1),
            id="one that lacks some does not",
        ),
        pytest.param(
            SICK,
            (BudgetView("guard", False),),
            lacks(0, 0),
            id="one that desires nothing does not either",
        ),
        pytest.param(
            SICK,
            (BudgetView("guard", False, allowed=2),),
            EvictionResponse(201, budget="guard", takes_disruption=True),
            id="but it may have some to take",
        ),
        pytest.param(pod(), (UNSYNCED,), WAITS, id="not synced"),
        pytest.param(
            SICK,
            (msgspec.structs.replace(UNSYNCED, always_allow=True),),
            EvictionResponse(201, budget="guard"),
            id="AlwaysAllow does not wait for the controller",
        ),
        pytest.param(
            pod(),
            (msgspec.structs.replace(SPENT, failure="no scale"),),
            EvictionResponse(
                429,
                VIOLATES_BUDGET,
                "The disruption budget guard does not allow evicting pods currently because it failed sync: no scale",
                "guard",
            ),
            id="a sync that failed",
        ),
        pytest.param(
            pod(),
            (msgspec.structs.replace(SPENT, current=3),),
            EvictionResponse(429, VIOLATES_BUDGET, "The disruption budget guard does not allow evicting pods currently", "guard"),
            id="nothing expected, though more are healthy than desired",
        ),
        pytest.param(
            pod(),
            (msgspec.structs.replace(FULL, allowed=-1),),
            EvictionResponse(
                403,
                'poddisruptionbudget.policy "guard" is forbidden: pdb disruptions allowed is negative',
                "The disruption budget guard does not allow evicting pods currently: pdb disruptions allowed is negative",
                "guard",
            ),
            id="less than none allowed",
        ),
        pytest.param(
            pod(),
            (msgspec.structs.replace(SPENT, disrupted_count=2001),),
            EvictionResponse(
                403,
                'poddisruptionbudget.policy "guard" is forbidden: '
                "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
                "The disruption budget guard does not allow evicting pods currently: "
                "too many pending evictions not confirmed by PDB controller",
                "guard",
            ),
            id="more than 2,000 pods that are not gone yet",
        ),
        pytest.param(pod(), (msgspec.structs.replace(SPENT, disrupted_count=2000),), NEEDS, id="2,000 are fine"),
        pytest.param(
            pod(),
            (BudgetView("guard", True, missing_input=MISSING),),
            EvictionResponse(0, budget="guard", missing_input=MISSING),
            id="nobody can tell",
        ),
        pytest.param(
            SICK,
            (BudgetView("guard", True, missing_input=MISSING),),
            EvictionResponse(201, budget="guard"),
            id="AlwaysAllow does not need to be told",
        ),
    ],
)
def test_answer(one: ClusterPod, guards: tuple[BudgetView, ...], expected: EvictionResponse) -> None:
    assert answer_eviction(one, guards) == expected


MADE = BudgetHealth(3, 2, 3, 1, capacity=3)
INSUFFICIENT = BudgetCondition("DisruptionAllowed", "False", "InsufficientPods", "why")


@pytest.mark.parametrize(
    ("one", "made", "expected"),
    [
        pytest.param(budget(2), MADE, FULL, id="a manifest stands as the controller will make it"),
        pytest.param(budget(2), BudgetHealth(failure="no scale"), BudgetView("guard", False, failure="no scale"), id="also where it fails"),
        pytest.param(budget(2), BudgetHealth(unknown=MISSING), BudgetView("guard", False, missing_input=MISSING), id="or nobody can tell"),
        pytest.param(budget(2, status=status(2, 2, 3, 0)), MADE, SPENT, id="a status counts, whatever the pods say"),
        pytest.param(budget(2, status=status(2, 2, 3, 0)), BudgetHealth(unknown=MISSING), SPENT, id="and where nobody can tell"),
        pytest.param(
            budget(2, policy="AlwaysAllow", status=status(2, 2, 3, 0)), MADE, ALWAYS, id="the policy is that of the budget as it is"
        ),
        pytest.param(budget(2, status=status(3, 2, 3, 1), generation=2), MADE, UNSYNCED, id="an edit that the controller has not seen"),
        pytest.param(
            budget(2, status=status(0, 0, 0, 0, failure="no scale")),
            MADE,
            BudgetView("guard", False, failure="no scale"),
            id="a sync that failed",
        ),
        pytest.param(
            budget(2, status=BudgetStatus(1, conditions=(BudgetCondition("Other"), INSUFFICIENT), disruptedPods={"web-1": ""})),
            MADE,
            BudgetView("guard", False, disrupted_count=1),
            id="another condition, and another reason, are no failure",
        ),
    ],
)
def test_standing(one: PodDisruptionBudget, made: BudgetHealth, expected: BudgetView) -> None:
    assert view_budget(one, made) == expected
