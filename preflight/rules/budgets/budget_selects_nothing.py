"""A PodDisruptionBudget selects no pod.

Why it matters
    It guards nothing, and nobody notices until a drain takes all replicas at once. Said where the selector is absent, and where
    workloads of its namespace bear some of its labels and none bears them all: the labels have parted.
How to fix
    Select the labels of the pod template.
Example
    `matchLabels: {app: web, tier: front}`, and a Deployment whose pods have `app: web` alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.budgets._hits import find_empty_budgets


def check(context: Context) -> Iterator[Hit]:
    """One hit for each such budget. Only in lint."""
    yield from find_empty_budgets(context)


RULE = Rule(id="PF323", name="budget-selects-nothing", severity=Severity.NOTE, check=check)
