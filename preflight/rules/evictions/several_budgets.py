"""More than one PodDisruptionBudget selects a pod, so that no eviction of it is ever granted.

Why it matters
    The eviction API answers 500 for such a pod, whatever the budgets allow, and kubectl reports it as an error when the other pods are
    done. A drain of its node can not succeed.
How to fix
    Delete all budgets of the pod but one, or narrow their selectors.
Example
    A chart brings a budget for `app: web`, and a platform team has another one for `team: shop` in the same namespace.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.evictions._hits import find_shared_budgets


def check(context: Context) -> Iterator[Hit]:
    """One hit for each set of budgets that share a pod which has to go."""
    yield from find_shared_budgets(context)


RULE = Rule(id="PF304", name="several-budgets", severity=Severity.ERROR, check=check)
