"""The pod of a DaemonSet is Pending: the scheduler does not bind it to its node.

Why it matters
    The DaemonSet counts as desired and current there, but no container runs. The scheduler's message covers all nodes, although only the
    node in the pod's affinity matters. What that node lacks is computed and shown in addition to the scheduler's message.
How to fix
    Make room on this one node: remove pods of lower priority, or give the DaemonSet a priority class. If the scheduler counts fewer nodes
    than exist, or its message does not hold for this node, the scheduler is at fault: restart it, and check its version.
Example
    A log agent that requests 2 CPUs, on a node with one CPU left.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.coverage_gaps import GapKind
from preflight.doctor.pending.node_fit import iter_own_node_fits
from preflight.messages.doctor.gaps import describe_pending_pod
from preflight.messages.doctor.node_fits import describe_own_node
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis, iter_gaps, make_gap_hit, make_list_command, make_pod_command

_MAX_PODS = 3


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and message: an error where workloads break without it, else a warning."""
    diagnosis = get_diagnosis(context)
    explained_pods = {wait.pod.key for wait in diagnosis.pod_waits if wait.is_not_capacity}
    for gap, key in iter_gaps(context, GapKind.PENDING):
        if all(pending_pod.pod.key in explained_pods for pending_pod in gap.pending_pods):
            continue  # another rule says what holds them
        pods = [pending_pod.pod for pending_pod in gap.pending_pods[:_MAX_PODS]]
        yield make_gap_hit(
            gap,
            key,
            Severity.WARNING,
            describe_pending_pod(gap, diagnosis.index.latest_time),
            *(("note", describe_own_node(own)) for own in iter_own_node_fits(diagnosis.index, pods)),
            commands=(make_pod_command(gap), make_list_command(gap)),
        )


RULE = Rule(id="PF412", name="pod-pending", severity=Severity.ERROR, check=check)
