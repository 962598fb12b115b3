"""The data in emptyDir volumes is lost with the pods that a change removes.

Why it matters
    An emptyDir is deleted with its pod. That does not matter for a cache, but it does for work in progress, or for a database that
    stores its data there. kubectl requires `--delete-emptydir-data`; a NoExecute taint and the removal of a node require no confirmation.
How to fix
    Copy the data first, or use a volume that outlives the pod.
Example
    A notebook with `volumes: [{name: work, emptyDir: {}}]`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.evictions._hits import find_local_data_loss


def check(context: Context) -> Iterator[Hit]:
    """One hit for each node whose pods lose data."""
    yield from find_local_data_loss(context)


RULE = Rule(id="PF306", name="local-data-lost", severity=Severity.NOTE, check=check)
