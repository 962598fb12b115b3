"""A PodDisruptionBudget refuses the evictions of a drain as things are today.

Why it matters
    Too few of its pods are healthy, its status is stale, or a replacement that it waits for fits nowhere. The drain goes on when that
    changes, and hangs until then: an error where kubectl waits without an end, a warning where a `--timeout` ends it. Pods that only wait
    for a replacement that fits are not reported.
How to fix
    Get the pods Ready that the budget waits for, before the drain; make room for replacements. `unhealthyPodEvictionPolicy:
    AlwaysAllow` lets pods go that are not Ready.
Example
    A budget with `maxUnavailable: 1`, one of whose three pods is in CrashLoopBackOff.
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
