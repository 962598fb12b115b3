"""A PodDisruptionBudget with a percentage or maxUnavailable selects pods of a Job or a DaemonSet.

Why it matters
    Both are taken from the scale of what controls the pods. A Job and a DaemonSet have none, so the disruption controller fails to
    count the budget and allows nothing, for all pods that it selects. Pods of a DaemonSet are not asked to go by a drain, so for these
    alone it is a note.
How to fix
    Use a number for minAvailable, which needs no scale, or leave these pods out.
Example
    `maxUnavailable: 1` for the pods of a training Job.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.budgets._hits import find_budgets_without_scale


def check(context: Context) -> Iterator[Hit]:
    """One hit for each such budget. Only in lint."""
    yield from find_budgets_without_scale(context, lower_severity=Severity.NOTE)


RULE = Rule(id="PF324", name="budget-without-scale", severity=Severity.WARNING, check=check)
