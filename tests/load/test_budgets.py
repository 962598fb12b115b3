"""PodDisruptionBudgets as they are read: what they select and want, and the status that a server has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from preflight.model.meta import LabelSelector, Metadata, SelectorRequirement
from preflight.model.policy import BudgetCondition, BudgetSpec, BudgetStatus, PodDisruptionBudget
from tests.builders import Object, make_budget, make_list
from tests.load.plain_objects import loaded, problems

BUDGET: Object = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "guard", "namespace": "shop", "generation": 2},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "tier", "operator": "In", "values": ["front"]}]},
        "maxUnavailable": "25%",
        "unhealthyPodEvictionPolicy": "AlwaysAllow",
    },
    "status": {
        "observedGeneration": 1,
        "disruptionsAllowed": 1,
        "currentHealthy": 4,
        "desiredHealthy": 3,
        "expectedPods": 5,
        "disruptedPods": {"web-1": "2026-01-01T00:00:00Z"},
        "conditions": [{"type": "DisruptionAllowed", "status": "False", "reason": "SyncFailed", "message": "no scale"}],
    },
}
READ = (
    Metadata(name="guard", namespace="shop", generation=2),
    BudgetSpec(LabelSelector({"app": "web"}, (SelectorRequirement("tier", "In", ("front",)),)), None, "25%", "AlwaysAllow"),
    BudgetStatus(
        1, 1, 4, 3, 5, {"web-1": "2026-01-01T00:00:00Z"}, (BudgetCondition("DisruptionAllowed", "False", "SyncFailed", "no scale"),)
    ),
)


def parts(budget: PodDisruptionBudget) -> tuple[object, ...]:
    return budget.metadata, budget.spec, budget.status


def manifest(**spec: Any) -> Object:
    return make_budget("guard", None, **spec)


@pytest.mark.parametrize("data", [pytest.param(BUDGET, id="a document"), pytest.param(make_list(BUDGET), id="an item of a list")])
def test_a_budget_of_a_server(data: Object, folder: Path) -> None:
    (budget,) = loaded(data, folder=folder).world.budgets
    assert parts(budget) == READ
    assert budget.key == ("shop", "guard")


@pytest.mark.parametrize(
    ("spec", "read"),
    [
        pytest.param({}, BudgetSpec(), id="nothing stated"),
        pytest.param({"selector": {}, "minAvailable": 1}, BudgetSpec(LabelSelector(), 1), id="everything selected"),
        pytest.param({"selector": None, "minAvailable": None}, BudgetSpec(), id="null is absent"),
        pytest.param({"maxUnavailable": 0}, BudgetSpec(maxUnavailable=0), id="0 is not absent"),
    ],
)
def test_a_budget_of_a_manifest(spec: Object, read: BudgetSpec, folder: Path) -> None:
    (budget,) = loaded(manifest(**spec), folder=folder).world.budgets
    assert (budget.spec, budget.status) == (read, None)


def test_two_budgets_of_one_name_that_want_something_else_are_a_problem_for_a_change(folder: Path) -> None:
    result = loaded(manifest(minAvailable=1), manifest(minAvailable=2), folder=folder)
    assert problems(result) == []
    named = {**manifest(minAvailable=1), "metadata": {"name": "guard", "namespace": "shop"}}
    result = loaded(named, {**named, "spec": {"minAvailable": 2}}, folder=folder)
    assert [problem.rpartition(": ")[2] for problem in problems(result)] == [
        "PodDisruptionBudget shop/guard is in 0.yaml:1 and 1.yaml:1 with different content"
    ]
