"""A PodDisruptionBudget with a percentage or maxUnavailable covers pods of a Job or a DaemonSet.

Why it matters
    Both values are computed from the scale of the controller of the pods. A Job and a DaemonSet have no scale, so the disruption
    controller cannot evaluate the budget and allows no disruption, for all pods that it covers. A drain does not evict pods of
    DaemonSets, so for these alone it is a note.
How to fix
    Use a number for minAvailable, which needs no scale, or exclude these pods.
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
