"""A pod that a change removes is never re-created: it has no controller.

Why it matters
    A bare pod that is evicted or deleted is lost, together with its work. kubectl requires `--force` before it evicts one, so under a
    drain this is a warning; a NoExecute taint and the removal of a node require no confirmation.
How to fix
    Create such pods with a Deployment or a Job. Save what you need from this pod first.
Example
    A debug shell that was left running with `kubectl run`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.evictions._hits import find_unmanaged_pods


def check(context: Context) -> Iterator[Hit]:
    """One hit for each such pod."""
    yield from find_unmanaged_pods(context, lower_severity=Severity.WARNING)


RULE = Rule(id="PF305", name="lost-for-good", severity=Severity.ERROR, check=check)
