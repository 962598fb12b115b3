"""A pod that has to go is never created again: nothing controls it.

Why it matters
    A bare pod that is evicted or deleted is gone, with all that it was doing. kubectl asks for `--force` before it evicts one, so under
    a drain this is a warning; a NoExecute taint and the end of a node ask nobody.
How to fix
    Create such pods by a Deployment or a Job. Save what you need of this one before.
Example
    A debug shell that somebody left with `kubectl run`.
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
