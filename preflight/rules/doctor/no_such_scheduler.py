"""Pods name a scheduler that does not respond.

Why it matters
    Only the scheduler that a pod names processes it. If no scheduler of that name runs, the pod stays Pending without an event and without
    a condition: `kubectl describe` shows nothing at all.
How to fix
    Correct `schedulerName`, omit it to use the default scheduler, or start the scheduler. It cannot be changed in an existing pod.
Example
    `schedulerName: volcano` in a DaemonSet, copied to a cluster where Volcano is not installed.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.pending.causes import WaitCause
from preflight.messages.doctor.pending import describe_silence, describe_silent_scheduler
from preflight.messages.kubectl_hints import make_events_command, make_get_command
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis
from preflight.rules.doctor._pending_hits import iter_wait_groups, make_wait_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for each scheduler and each DaemonSet: an error for a DaemonSet without which workloads break, else a warning."""
    for group, key in iter_wait_groups(context, WaitCause.NO_SCHEDULER):
        pod = group.first_wait.pod.metadata
        yield make_wait_hit(
            context,
            group,
            key,
            Severity.WARNING,
            describe_silent_scheduler(group, get_diagnosis(context).index.latest_time),
            ("note", describe_silence(group.first_wait)),
            commands=(make_events_command("Pod", pod.name, pod.namespace), make_get_command("pods", output="wide") + " -A"),
        )


RULE = Rule(id="PF443", name="no-such-scheduler", severity=Severity.ERROR, check=check)
