"""A pod that has to go is let go and never ends: it stays in Terminating.

Why it matters
    A pod is gone once its kubelet says so. A kubelet that is silent says nothing, and one that cannot unmount a volume, because the node
    pod of its CSI driver is not there, waits. `kubectl drain` waits with it, without an end unless `--timeout` is given, and never gets to
    the nodes after this one. A StatefulSet creates no new pod before the old one is gone. An error where kubectl waits, or such an owner
    does; else a warning. A warning, too, where it is unknown whether a pod ends, and the exit code is 3 then.
How to fix
    Bring the driver's pod back to the node, or start the kubelet, before. `--skip-wait-for-delete-timeout` lets kubectl go on. Once a node
    is shut down for certain, delete it, or add the taint `node.kubernetes.io/out-of-service`: pod garbage collection then deletes its
    terminating pods by force. Never do so while the node may still write to a volume.
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
