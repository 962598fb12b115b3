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

from preflight.doctor.kubectl_hints import events_of, get
from preflight.doctor.pending.causes import Cause, groups
from preflight.doctor.pending.schedulers import scheduler_of
from preflight.messages.lists import names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import facts_of
from preflight.rules.doctor._pending_hits import begun, hit, pods


def check(context: Context) -> Iterator[Hit]:
    """One hit for each scheduler and each DaemonSet: an error for a DaemonSet without which workloads break, else a warning."""
    for group in groups(facts_of(context), Cause.UNANSWERED):
        pod, name = group.first.pod, scheduler_of(group.first.pod)
        where = f" for {names(group.nodes)}" if group.nodes else ""
        yield hit(
            context,
            group,
            Severity.WARNING,
            f"{pods(group)}{where}{begun(context, group)} for the scheduler {name}, and nobody of that name answers",
            ("note", f"no event and no condition is of {name}, and no other pod or workload says this name"),
            commands=(events_of("Pod", pod.metadata.name, pod.metadata.namespace), get("pods", output="wide") + " -A"),
        )


RULE = Rule(id="PF443", name="no-such-scheduler", severity=Severity.ERROR, check=check)
