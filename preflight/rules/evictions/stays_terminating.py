"""A pod that a change removes never ends: it stays in Terminating.

Why it matters
    A pod is removed once its kubelet reports that it has ended. A kubelet that does not respond reports nothing, and one that cannot
    unmount a volume, because the node pod of its CSI driver is missing, waits. `kubectl drain` waits with it, without end unless
    `--timeout` is given, and never reaches the nodes after this one. A StatefulSet creates no new pod before the old one ends. An error if
    kubectl waits, or such an owner does; otherwise a warning. Also a warning, with exit code 3, if it is unknown whether a pod ends.
How to fix
    First get the driver's pod running on the node again, or start the kubelet. `--skip-wait-for-delete-timeout` lets kubectl continue. Only
    if a node is certainly shut down, delete it, or add the taint `node.kubernetes.io/out-of-service`: pod garbage collection then
    force-deletes its terminating pods. Never do so while the node may still write to a volume.
Example
    A node whose CSI node pod does not tolerate its taint, and a StatefulSet's pod there with a claim of that driver.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.evictions._termination_hits import find_stuck_pods


def check(context: Context) -> Iterator[Hit]:
    """One hit for each node and reason."""
    yield from find_stuck_pods(context, lower_severity=Severity.WARNING)


RULE = Rule(id="PF314", name="stays-terminating", severity=Severity.ERROR, check=check)
