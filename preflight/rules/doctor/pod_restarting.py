"""The pod of a DaemonSet ends repeatedly: it crashes, fails, or is evicted because of a taint and re-created.

Why it matters
    Between two starts the pod counts as running, and the pauses grow to five minutes. An eviction loop restarts the pod without end, and
    every restart of a CSI driver or device plugin affects the pods on the node.
How to fix
    `kubectl logs --previous` shows the end of a crash; OOMKilled needs more memory. For an eviction loop, tolerate the NoExecute taint
    without tolerationSeconds, or exclude the node.
Example
    An agent in CrashLoopBackOff since its ConfigMap was changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.coverage_gaps import GapKind
from preflight.messages.doctor.gaps import describe_crashing_pod, describe_pod_loop, describe_update
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import (
    get_diagnosis,
    iter_gaps,
    make_daemonset_command,
    make_gap_hit,
    make_list_command,
    make_pod_command,
)


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason: an error where workloads break without it, else a warning."""
    diagnosis = get_diagnosis(context)
    for gap, key in iter_gaps(context, GapKind.CRASHING, GapKind.LOOP):
        if gap.kind is GapKind.LOOP:
            commands = (make_daemonset_command(gap), make_pod_command(gap))
            yield make_gap_hit(gap, key, Severity.WARNING, describe_pod_loop(gap), commands=commands)
            continue
        update = diagnosis.find_ongoing_update(gap.daemonset)
        yield make_gap_hit(
            gap,
            key,
            Severity.WARNING,
            describe_crashing_pod(gap, diagnosis.index.latest_time),
            *((("note", describe_update(update)),) if update is not None else ()),
            commands=(make_pod_command(gap), make_list_command(gap)),
        )


RULE = Rule(id="PF415", name="pod-restarting", severity=Severity.ERROR, check=check)
