"""More than one PodDisruptionBudget covers a pod, so no eviction of the pod is ever allowed.

Why it matters
    The eviction API answers 500 for such a pod, regardless of what the budgets allow, and kubectl reports an error after it has drained
    the other pods. A drain of its node cannot succeed.
How to fix
    Delete all but one of the budgets that cover the pod, or narrow their selectors.
Example
    A chart contains a budget for `app: web`, and a platform team has another one for `team: shop` in the same namespace.
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
