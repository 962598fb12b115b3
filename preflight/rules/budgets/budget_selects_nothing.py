"""A PodDisruptionBudget covers no pods.

Why it matters
    It protects nothing, which shows only when a drain evicts all replicas at once. Reported if it has no selector, and if workloads of
    its namespace have some of its labels and none has all of them: the labels no longer match. Not reported if listed pods have them, if
    the input has custom resources there from which an operator may make pods (unless pods are listed), or if a kustomization patches it.
How to fix
    Select on the labels of the pod template.
Example
    `matchLabels: {app: web, tier: front}`, and a Deployment whose pods have only `app: web`.
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
