"""The data in emptyDir volumes goes with the pods that have to go.

Why it matters
    An emptyDir ends with its pod. For a cache that is nothing; for work in progress, or a database that somebody keeps in one, it is a
    loss. kubectl asks for `--delete-emptydir-data`; a NoExecute taint and the end of a node ask nobody.
How to fix
    Copy what is needed before, or keep it in a volume that outlives the pod.
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
