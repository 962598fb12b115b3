"""A pod waits because of a known fault of this version of Kubernetes.

Why it matters
    The message of the scheduler looks like any other, and nothing in the cluster is wrong: people look for hours for a label or a taint.
    Only the version tells. The fault is named where its sign is there too, not for the version alone.
How to fix
    Update the component to the version that has the fix. Restarting it often helps until then.
Example
    kube-scheduler 1.18.6, zones of 3, 3 and 4 nodes, and the pod of a DaemonSet that is Pending on a node with room: the message has
    reasons for 8 of 10 nodes.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.pending.causes import WaitCause, group_waits
from preflight.messages.lists import join_node_names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_cluster_facts
from preflight.rules.doctor._pending_hits import describe_waiting_count, format_wait_start, make_wait_hit, make_wait_list_command


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet: an error where workloads break without it, else a warning."""
    for group in group_waits(get_cluster_facts(context), WaitCause.KNOWN_BUG):
        seen = group.first_wait.bug_match
        assert seen is not None
        fault = seen.bug
        yield make_wait_hit(
            context,
            group,
            Severity.WARNING,
            (
                f"{describe_waiting_count(group)} for {join_node_names(group.nodes)}{format_wait_start(context, group)}: "
                f"{fault.component} {seen.version} {fault.what}"
            ),
            ("note", f"the scheduler says: {group.first_wait.scheduler_message}"),
            ("note", seen.sign),
            ("help", fault.help),
            ("note", f"{fault.id}, fixed in {', '.join(fault.links)}"),
            commands=("kubectl version", make_wait_list_command(group)),
        )


RULE = Rule(id="PF444", name="known-fault", severity=Severity.ERROR, check=check)
