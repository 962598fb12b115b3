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

from preflight.messages.lists import names
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.coverage._consequence_notes import few, hit, when, where


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet that leaves nodes with the taint which it removes."""
    for each in context.consequences():
        if not each.stuck or each.is_old_and_passes:
            continue
        keep = f"{names(each.stuck)} {'keeps' if len(each.stuck) == 1 else 'keep'} it"
        removes = f"is what removes the startup taint {few(each.gone, 'taints')}"
        if each.outcome is Outcome.NEVER:
            yield hit(each, f"{removes}, and is kept out of {where(each)}: {keep}", milder=Severity.WARNING)
        else:
            yield hit(each, f"{removes}, and goes {when(each)}: {keep}", milder=Severity.WARNING)


RULE = Rule(id="PF115", name="startup-taint-stays", severity=Severity.ERROR, needs_nodes=True, check=check)
