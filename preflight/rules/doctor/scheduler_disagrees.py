"""The scheduler finds no node for a pod that fits on a node according to preflight.

Why it matters
    Either the scheduler has not retried since capacity became free, or its view of the nodes is outdated: then only a restart of the
    scheduler helps. The fault is easily missed, because the message looks like any other.
How to fix
    Compare the message with the node that is named. If it does not hold, restart kube-scheduler, and check whether the pod is bound. A
    scheduler with its own configuration or plugins may have reasons that are not visible here.
Example
    `0/13 nodes are available: 12 node(s) didn't match node selector` for the pod of a DaemonSet whose node is fine.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.pending.causes import WaitCause
from preflight.messages.doctor.known_bugs import describe_possible_bug
from preflight.messages.doctor.node_fits import describe_count_mismatch
from preflight.messages.doctor.pending import describe_disagreement
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis
from preflight.rules.doctor._pending_hits import iter_wait_groups, make_wait_hit, make_wait_list_command


def check(context: Context) -> Iterator[Hit]:
    """One hit for all pods that the same nodes take: an error for a DaemonSet without which workloads break, else a warning."""
    index = get_diagnosis(context).index
    for group, key in iter_wait_groups(context, WaitCause.SCHEDULER_DISAGREES):
        wait = group.first_wait
        mismatch = describe_count_mismatch(wait.counted_nodes, len(index.occupancy.nodes))
        yield make_wait_hit(
            context,
            group,
            key,
            Severity.WARNING,
            describe_disagreement(group, index.latest_time),
            *((("note", mismatch),) if mismatch else ()),
            *(("note", describe_possible_bug(match)) for match in wait.possible_bugs),
            commands=(make_wait_list_command(group),),
        )


RULE = Rule(id="PF441", name="scheduler-disagrees", severity=Severity.ERROR, check=check)
