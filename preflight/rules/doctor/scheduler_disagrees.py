"""The scheduler finds no node for a pod, and by our own account one takes it.

Why it matters
    Either the scheduler has not looked again since room came, or what it knows of the nodes is not what is there: then restarting it helps
    and nothing else does. Nobody looks for the fault there, because its message reads like any other.
How to fix
    Look at its words and at the node that is named. Where they do not hold, restart kube-scheduler, and see whether the pod is bound. A
    scheduler with a configuration or plugins of its own may have reasons that nobody can see here.
Example
    `0/13 nodes are available: 12 node(s) didn't match node selector` for the pod of a DaemonSet whose node is fine.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.pending.causes import Cause, groups
from preflight.doctor.pending.known_bugs import not_ruled_out
from preflight.doctor.pending.node_fit import miscounted
from preflight.messages.lists import names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import facts_of
from preflight.rules.doctor._pending_hits import begun, hit, listing, pods


def check(context: Context) -> Iterator[Hit]:
    """One hit for all pods that the same nodes take: an error for a DaemonSet without which workloads break, else a warning."""
    facts = facts_of(context)
    for group in groups(facts, Cause.DISAGREES):
        first = group.first
        takers = first.account.takers if first.account else ()
        verb = f"{'takes' if len(takers) == 1 else 'take'} {'it' if group.owners[0][1] == 1 else 'one'}"
        other = miscounted(first.words, len(facts.occupancy.rooms))
        waits = f"{pods(group)} for {names(group.nodes) or 'a node'}{begun(context, group)}"
        yield hit(
            context,
            group,
            Severity.WARNING,
            f"{waits}, though by our own account {names(takers)} {verb}: {first.words}",
            *((("note", other),) if other else ()),
            *(("note", text) for text in not_ruled_out(facts, first)),
            commands=(listing(group),),
        )


RULE = Rule(id="PF441", name="scheduler-disagrees", severity=Severity.ERROR, check=check)
