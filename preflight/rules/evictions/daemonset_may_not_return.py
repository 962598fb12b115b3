"""The pod of a DaemonSet finds no room on its node when it is created anew.

Why it matters
    It fits nowhere else. While it runs nothing is seen; once it is re-created, by the reboot after a drain or by an update, it stays
    Pending, for other pods take what it asks for.
How to fix
    Give it a priority class such as `system-node-critical`, so that others make room; or let it ask for less.
Example
    A DaemonSet that asks for 2 CPUs on a node where a pod that cannot be evicted takes the rest.
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
