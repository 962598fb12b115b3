"""A Job fails because of the pods that it loses.

Why it matters
    A pod that is evicted or deleted counts as a failure. If that exceeds `backoffLimit`, the Job is Failed and all its other pods are
    deleted; if it exceeds `backoffLimitPerIndex`, its index fails and the Job ends as Failed. A warning if that depends on how the pods
    end. Jobs that a JobSet restarts are not reported.
How to fix
    Let the Job finish first, or create it with a podFailurePolicy that ignores DisruptionTarget: this helps against evictions and
    taints, not against `--disable-eviction`.
Example
    `backoffLimit: 0`, and a drain of a node with one of its pods.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.evictions._hits import find_failing_jobs


def check(context: Context) -> Iterator[Hit]:
    """One hit for each Job that fails, or may."""
    yield from find_failing_jobs(context, lower_severity=Severity.WARNING)


RULE = Rule(id="PF307", name="job-fails", severity=Severity.ERROR, check=check)
