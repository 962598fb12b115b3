"""The status of every recorded budget, against what we make of the recorded pods."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from preflight.scheduling.budgets import evaluate_budget_health, find_covering_budgets
from tests.paths import VECTORS
from tests.replay import drain as recorded

RECORDINGS = sorted(VECTORS.glob("drain-*.jsonl.gz"))


def _states(path: Path) -> Iterator[tuple[str, dict[str, Any], list[dict[str, Any]], dict[str, dict[str, Any]]]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            world = json.loads(line)
            name = f"world {world['world']}"
            yield name, world, world["pods"], {recorded.name_of(budget): budget["status"] for budget in world["pdbs"]}
            for number, done in enumerate(world["drains"]):
                yield f"{name} after drain {number}", world, done["podsAfter"], done["pdbStatusAfter"]


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name)
def test_every_recorded_status_is_what_we_make_of_the_pods(path: Path) -> None:
    """But for budgets that share a pod with another one: of these the controller keeps one up to date, and the others are stale."""
    different = []
    alone = 0
    for name, world, pods, statuses in _states(path):
        known, graces = recorded.owners_in(world["workloads"]), recorded.graces_in(world["workloads"])
        running = [recorded.pod_of(pod, graces) for pod in pods]
        budgets = [recorded.budget_of(each, statuses[recorded.name_of(each)]) for each in world["pdbs"]]
        sharing = {each.key for one in running for found in [find_covering_budgets(one, budgets)] if len(found) > 1 for each in found}
        for budget in budgets:
            if budget.key in sharing:
                continue
            alone += 1
            made, was = evaluate_budget_health(budget, running, known), budget.status
            assert was is not None
            failure = next((condition.message for condition in was.conditions if condition.reason == "SyncFailed"), "")
            have = failure or (was.currentHealthy, was.desiredHealthy, was.expectedPods, was.disruptionsAllowed)
            want = made.failure or (made.current, made.desired, made.expected, made.allowed)
            if have != want:
                different.append((name, budget.key, have, want))
    assert different == []
    assert alone
