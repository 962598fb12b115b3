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

from preflight.doctor.pending.causes import WaitCause, group_waits
from preflight.doctor.pending.known_bugs import iter_possible_bugs
from preflight.doctor.pending.node_fit import describe_count_mismatch
from preflight.messages.lists import join_node_names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_cluster_facts
from preflight.rules.doctor._pending_hits import describe_waiting_count, format_wait_start, make_wait_hit, make_wait_list_command


def check(context: Context) -> Iterator[Hit]:
    """One hit for all pods that the same nodes take: an error for a DaemonSet without which workloads break, else a warning."""
    facts = get_cluster_facts(context)
    for group in group_waits(facts, WaitCause.SCHEDULER_DISAGREES):
        first = group.first_wait
        takers = first.pod_fit.fitting_nodes if first.pod_fit else ()
        verb = f"{'takes' if len(takers) == 1 else 'take'} {'it' if group.owners[0][1] == 1 else 'one'}"
        other = describe_count_mismatch(first.scheduler_message, len(facts.occupancy.nodes))
        waits = f"{describe_waiting_count(group)} for {join_node_names(group.nodes) or 'a node'}{format_wait_start(context, group)}"
        yield make_wait_hit(
            context,
            group,
            Severity.WARNING,
            f"{waits}, though by our own account {join_node_names(takers)} {verb}: {first.scheduler_message}",
            *((("note", other),) if other else ()),
            *(("note", text) for text in iter_possible_bugs(facts, first)),
            commands=(make_wait_list_command(group),),
        )


RULE = Rule(id="PF441", name="scheduler-disagrees", severity=Severity.ERROR, check=check)
