"""A PodDisruptionBudget can never allow a disruption.

Why it matters
    With `maxUnavailable: 0`, with `minAvailable: 100%`, with neither of the two, or with a minAvailable that its workloads reach only
    with every replica, every drain of a node with a pod that it covers hangs, and so do node upgrades that evict pods. Replicas count as
    written; workloads without `replicas` are not reported, because an autoscaler may set them.
How to fix
    Allow one unavailable pod (`maxUnavailable: 1`), or run one more replica.
Example
    `minAvailable: 1` and `replicas: 1`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.budgets._hits import find_zero_budgets


def check(context: Context) -> Iterator[Hit]:
    """One hit for each such budget. Only in lint."""
    yield from find_zero_budgets(context)


RULE = Rule(id="PF321", name="budget-allows-none", severity=Severity.WARNING, check=check)
