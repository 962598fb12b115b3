"""A PodDisruptionBudget refuses the evictions of a drain for ever.

Why it matters
    kubectl asks again every 5 seconds, without an end unless `--timeout` is given. Nothing that happens by itself changes the answer:
    the budget allows no pod to lack (`maxUnavailable: 0`), wants as many pods as its owners want, or cannot be counted because an owner
    has no scale (a Job, a DaemonSet). Nodes after this one are never reached.
How to fix
    Scale the owner up, allow one pod to lack, or change the budget for the time of the drain. `--disable-eviction` deletes the pods and
    asks no budget.
Example
    `minAvailable: 2` for a Deployment with `replicas: 2`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.evictions._hits import find_permanent_blocks


def check(context: Context) -> Iterator[Hit]:
    """One hit for each budget that blocks a pod for ever."""
    yield from find_permanent_blocks(context)


RULE = Rule(id="PF302", name="budget-blocks-for-ever", severity=Severity.ERROR, check=check)
