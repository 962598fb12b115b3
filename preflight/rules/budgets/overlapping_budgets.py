"""Two PodDisruptionBudgets cover the pods of one workload.

Why it matters
    The eviction API refuses a pod covered by more than one budget (500), regardless of what they allow: no node with such a pod can be
    drained.
How to fix
    Keep one of them, or narrow a selector.
Example
    Two budgets with `matchLabels: {app: web}` in one namespace.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.budgets._hits import find_overlapping_budgets


def check(context: Context) -> Iterator[Hit]:
    """One hit for each workload and its budgets. Only in lint."""
    yield from find_overlapping_budgets(context)


RULE = Rule(id="PF322", name="overlapping-budgets", severity=Severity.WARNING, check=check)
