"""Nodes keep a startup taint, because nothing that removes it is left on them.

Why it matters
    A startup taint keeps pods away until a DaemonSet has set the node up, and this DaemonSet takes it off. Without it the node is Ready and
    stays empty for ever: autoscalers add more such nodes, and none of them helps.
How to fix
    Remove the taint by hand, and from the pool that sets it, when the DaemonSet goes for good. Else let the DaemonSet tolerate what keeps
    it out.
Example
    A network that is uninstalled while nodes still register with its `agent-not-ready` taint.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.lists import join_node_names
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.coverage._consequence_notes import describe_time, join_affected_nodes, join_limited, make_consequence_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet that leaves nodes with the taint which it removes."""
    for consequence in context.get_consequences():
        if not consequence.stuck_nodes or consequence.is_existing_and_transient:
            continue
        keep = f"{join_node_names(consequence.stuck_nodes)} {'keeps' if len(consequence.stuck_nodes) == 1 else 'keep'} it"
        removes = f"is what removes the startup taint {join_limited(consequence.lost_names, 'taints')}"
        if consequence.outcome is Outcome.NEVER:
            yield make_consequence_hit(
                consequence, f"{removes}, and is kept out of {join_affected_nodes(consequence)}: {keep}", lower_severity=Severity.WARNING
            )
        else:
            yield make_consequence_hit(
                consequence, f"{removes}, and goes {describe_time(consequence)}: {keep}", lower_severity=Severity.WARNING
            )


RULE = Rule(id="PF115", name="startup-taint-stays", severity=Severity.ERROR, needs_nodes=True, check=check, is_consequence=True)
