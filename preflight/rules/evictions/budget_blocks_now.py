"""A PodDisruptionBudget currently refuses the evictions of a drain.

Why it matters
    Too few of the pods that it covers are healthy, its status is stale, or it waits for a replacement that fits on no node. The drain
    hangs until that changes: an error if kubectl waits without end, a warning if a `--timeout` ends the wait. Pods that only wait for a
    replacement that fits are not reported.
How to fix
    Before the drain, get the pods Ready that the budget covers, and make room for replacements. `unhealthyPodEvictionPolicy:
    AlwaysAllow` allows the eviction of pods that are not Ready.
Example
    A budget with `maxUnavailable: 1`, and one of the three pods that it covers is in CrashLoopBackOff.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.evictions._hits import find_temporary_blocks


def check(context: Context) -> Iterator[Hit]:
    """One hit for each budget that blocks a pod for now."""
    yield from find_temporary_blocks(context, endless_severity=Severity.ERROR)


RULE = Rule(id="PF303", name="budget-blocks-now", severity=Severity.WARNING, check=check)
