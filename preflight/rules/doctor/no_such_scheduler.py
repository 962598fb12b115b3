"""Pods name a scheduler that nobody answers to.

Why it matters
    A pod is only looked at by the scheduler that it names. Where none of that name runs, it stays Pending for ever, without an event and
    without a condition: kubectl describe shows nothing at all.
How to fix
    Correct `schedulerName`, leave it out for the default scheduler, or start the scheduler. It cannot be changed in a pod that is there.
Example
    `schedulerName: volcano` in a DaemonSet, copied to a cluster where Volcano is not installed.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.kubectl_hints import make_events_command, make_get_command
from preflight.doctor.pending.causes import WaitCause, group_waits
from preflight.doctor.pending.schedulers import get_scheduler
from preflight.messages.lists import join_node_names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_cluster_facts
from preflight.rules.doctor._pending_hits import describe_waiting_count, format_wait_start, make_wait_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for each scheduler and each DaemonSet: an error for a DaemonSet without which workloads break, else a warning."""
    for group in group_waits(get_cluster_facts(context), WaitCause.NO_SCHEDULER):
        pod, name = group.first_wait.pod, get_scheduler(group.first_wait.pod)
        where = f" for {join_node_names(group.nodes)}" if group.nodes else ""
        yield make_wait_hit(
            context,
            group,
            Severity.WARNING,
            (
                f"{describe_waiting_count(group)}{where}{format_wait_start(context, group)} for "
                f"the scheduler {name}, and nobody of that name answers"
            ),
            ("note", f"no event and no condition is of {name}, and no other pod or workload says this name"),
            commands=(
                make_events_command("Pod", pod.metadata.name, pod.metadata.namespace),
                make_get_command("pods", output="wide") + " -A",
            ),
        )


RULE = Rule(id="PF443", name="no-such-scheduler", severity=Severity.ERROR, check=check)
