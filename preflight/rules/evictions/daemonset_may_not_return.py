"""The pod of a DaemonSet does not fit on its node when it is re-created.

Why it matters
    A DaemonSet's pod can run on no other node. While it runs, nothing shows the problem; once it is re-created, by a reboot after a drain
    or by an update, it stays Pending, because other pods use the capacity that it requests.
How to fix
    Give it a priority class such as `system-node-critical`, so that it can preempt other pods; or lower its requests.
Example
    A DaemonSet that requests 2 CPUs on a node where a pod that cannot be evicted uses the rest.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.evictions._hits import find_daemonsets_without_capacity


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet."""
    yield from find_daemonsets_without_capacity(context)


RULE = Rule(id="PF311", name="daemonset-may-not-return", severity=Severity.WARNING, check=check)
