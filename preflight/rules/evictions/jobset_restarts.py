"""A JobSet fails, or starts Jobs anew that lost nothing.

Why it matters
    A child Job that fails sets off the failure policy of its JobSet: without one the JobSet fails; else all its Jobs are deleted and
    created anew, which costs a restart. With exclusive placement the leader of a Job decides its topology domain: where the leader
    goes, its followers are refused until a new one is scheduled. A warning where the JobSet goes on.
How to fix
    Drain when the JobSet has ended, or make its Jobs ignore DisruptionTarget. See that a domain is free before a leader goes.
Example
    A JobSet with `failurePolicy: {maxRestarts: 3}` whose Jobs have `backoffLimit: 0`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.evictions._hits import find_jobset_restarts


def check(context: Context) -> Iterator[Hit]:
    """One hit for each JobSet that fails, starts Jobs anew or loses a leader."""
    yield from find_jobset_restarts(context, lower_severity=Severity.WARNING)


RULE = Rule(id="PF309", name="jobset-restarts", severity=Severity.ERROR, check=check)
