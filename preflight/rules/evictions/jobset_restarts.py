"""A JobSet fails, or restarts Jobs that lost no pod.

Why it matters
    A child Job that fails triggers the failure policy of its JobSet: without a policy the JobSet fails; otherwise all its Jobs are
    deleted and re-created, which uses up a restart. With exclusive placement the leader pod of a Job decides its topology domain: when
    the leader is lost, its followers are refused until a new leader is scheduled. A warning if the JobSet continues.
How to fix
    Drain after the JobSet has finished, or make its Jobs ignore DisruptionTarget. Make sure that a domain is free before a leader is
    evicted.
Example
    A JobSet with `failurePolicy: {maxRestarts: 3}` whose Jobs have `backoffLimit: 0`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.evictions._hits import find_jobset_restarts


def check(context: Context) -> Iterator[Hit]:
    """One hit for each JobSet that fails, restarts Jobs or loses a leader."""
    yield from find_jobset_restarts(context, lower_severity=Severity.WARNING)


RULE = Rule(id="PF309", name="jobset-restarts", severity=Severity.ERROR, check=check)
