"""Two pods of one index of a Job run at once while an old pod ends.

Why it matters
    By default a Job creates the replacement of a pod some seconds after its deletion, though the old pod may use the rest of its grace
    period. Until then two pods have one index: frameworks that register workers by it fail or wait.
How to fix
    `podReplacementPolicy: Failed`, when the Job is created: the replacement then waits for the end of the old pod.
Example
    An Indexed training Job with a grace period of 60 s, one of whose nodes is drained.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.evictions._hits import find_overlapping_job_pods


def check(context: Context) -> Iterator[Hit]:
    """One hit for each Indexed Job that goes on."""
    yield from find_overlapping_job_pods(context)


RULE = Rule(id="PF308", name="job-runs-twice", severity=Severity.WARNING, check=check)
