"""A PodDisruptionBudget allows no disruption.

Why it matters
    With `maxUnavailable: 0`, with `minAvailable: 100%`, with neither of the two, or with a minAvailable that its workloads reach only
    with every replica, every drain of a node with a pod that it covers hangs, and so do node upgrades that evict pods. The replicas are
    those that an autoscaler in the input may scale down to (`minReplicas` of a HorizontalPodAutoscaler, `minReplicaCount` of a
    ScaledObject), else those in the manifest, else 1. A note if a kustomization in the input patches the budget or the workload.
How to fix
    Allow one unavailable pod (`maxUnavailable: 1`), or run so many replicas that the budget allows one: the message names the number.
Example
    `minAvailable: 80%` and `minReplicas: 1`: the budget allows one disruption from 5 replicas on.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.budgets._hits import find_zero_budgets


def check(context: Context) -> Iterator[Hit]:
    """One hit for each such budget. Only in lint."""
    yield from find_zero_budgets(context, partial_severity=Severity.NOTE)


RULE = Rule(id="PF321", name="budget-allows-none", severity=Severity.WARNING, check=check)
