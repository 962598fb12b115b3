"""A node is not drained: kubectl refuses it, evicts nothing there, and leaves it cordoned.

Why it matters
    Before it evicts anything, kubectl checks every pod of the node. A pod of a DaemonSet, a pod with an emptyDir, or a pod without a
    controller makes it refuse the whole node, unless a flag allows it. The node is already cordoned by then and stays cordoned. kubectl
    continues with the next node and exits with 1.
How to fix
    Add the flag that the message names: `--ignore-daemonsets` leaves the pods of DaemonSets, `--delete-emptydir-data` gives up local
    data, `--force` gives up pods that nothing re-creates. Or remove the pods first.
Example
    `preflight drain n1`, and a pod on n1 with `volumes: [{name: cache, emptyDir: {}}]`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.evictions._hits import find_refused_drains


def check(context: Context) -> Iterator[Hit]:
    """One hit for each reason for which a node is refused."""
    yield from find_refused_drains(context)


RULE = Rule(id="PF301", name="drain-refused", severity=Severity.ERROR, check=check)
