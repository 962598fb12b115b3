"""The pod of a DaemonSet is Pending: the scheduler does not bind it to its node.

Why it matters
    The DaemonSet counts as desired and current there, and nothing of it runs. The scheduler's message speaks of all nodes; only one of them
    is meant, the one in the pod's affinity. What the node itself lacks is worked out here and said beside the scheduler's words.
How to fix
    Make room on this one node: pods of lower priority, or a priority class for the DaemonSet. Where the scheduler counts fewer nodes than
    there are, or its words do not hold for this node, the scheduler is at fault: restart it, and look at its version.
Example
    A log agent that asks for 2 CPUs, on a node that has one left.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.coverage_gaps import GapKind
from preflight.messages.lists import join_node_names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import (
    format_gap_start,
    get_cluster_facts,
    iter_gaps,
    make_gap_commands,
    make_gap_hit,
    make_list_command,
)


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and message: an error where workloads break without it, else a warning."""
    facts = get_cluster_facts(context)
    for gap in iter_gaps(context, GapKind.PENDING):
        if all(pending_pod.pod.key in facts.pending_pods.explained_pods for pending_pod in gap.pending_pods):
            continue  # another rule says what holds them
        where = f" for {join_node_names(gap.nodes)}" if gap.nodes else ""
        said = f": {gap.reason}" if gap.reason else ": no scheduler has looked at it"
        yield make_gap_hit(
            gap,
            Severity.WARNING,
            f"has a pod that is Pending{where}{format_gap_start(context, gap)}{said}",
            *(("note", text) for text in facts.explain_own_nodes(gap)),
            commands=(make_gap_commands(gap)[1], make_list_command(gap)),
        )


RULE = Rule(id="PF412", name="pod-pending", severity=Severity.ERROR, check=check)
