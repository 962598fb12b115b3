"""A PodDisruptionBudget permanently refuses the evictions of a drain.

Why it matters
    kubectl retries every 5 seconds, without end unless `--timeout` is given. The answer does not change without intervention: the budget
    allows no unavailable pod (`maxUnavailable: 0`), requires as many pods as its owners run, or cannot be evaluated because an owner has
    no scale (a Job, a DaemonSet). The drain never reaches the nodes after this one.
How to fix
    Scale the owner up, allow one unavailable pod, or change the budget during the drain. `--disable-eviction` deletes the pods without
    checking PodDisruptionBudgets.
Example
    `minAvailable: 2` for a Deployment with `replicas: 2`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.evictions._hits import find_permanent_blocks


def check(context: Context) -> Iterator[Hit]:
    """One hit for each budget that blocks a pod permanently."""
    yield from find_permanent_blocks(context)


RULE = Rule(id="PF302", name="budget-blocks-for-ever", severity=Severity.ERROR, check=check)
