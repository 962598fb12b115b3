"""Two pods of the same index of a Job run at the same time while an old pod ends.

Why it matters
    By default a Job creates the replacement of a pod a few seconds after its deletion, while the old pod may use the rest of its grace
    period. Until it ends, two pods have the same index: frameworks that register workers by index fail or wait.
How to fix
    Create the Job with `podReplacementPolicy: Failed`: the replacement then waits for the end of the old pod.
Example
    An Indexed training Job with a grace period of 60 s, and a drain of one of its nodes.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.evictions._hits import find_overlapping_job_pods


def check(context: Context) -> Iterator[Hit]:
    """One hit for each Indexed Job that continues."""
    yield from find_overlapping_job_pods(context)


RULE = Rule(id="PF308", name="job-runs-twice", severity=Severity.WARNING, check=check)
