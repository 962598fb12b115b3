"""Nodes keep a startup taint, because no DaemonSet that removes it is left on them.

Why it matters
    A startup taint keeps pods off a node until a DaemonSet has set the node up and removes the taint. Without this DaemonSet the node is
    Ready and stays empty: autoscalers add more such nodes, and none of them helps.
How to fix
    If the DaemonSet is removed permanently, remove the taint from the nodes and from the node pool that sets it. Otherwise let the
    DaemonSet tolerate the taint that keeps it off the nodes.
Example
    A network that is uninstalled while nodes still register with its `agent-not-ready` taint.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.consequences import describe_stuck_taint
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.coverage._consequence_notes import make_broken_nodes, make_consequence_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet that leaves nodes with the taint which it removes."""
    for consequence in context.get_consequences():
        if consequence.stuck_nodes and not consequence.is_existing_and_transient:
            message = describe_stuck_taint(make_broken_nodes(consequence), consequence.stuck_nodes)
            yield make_consequence_hit(consequence, message, lower_severity=Severity.WARNING)


RULE = Rule(id="PF115", name="startup-taint-stays", severity=Severity.ERROR, needs_nodes=True, check=check, is_consequence=True)
