"""The pod of a DaemonSet hangs in Terminating, and no new one comes before it is gone.

Why it matters
    With the default update strategy a node gets its new pod only once the old one is gone. A pod hangs where a volume cannot be unmounted,
    a finalizer is not taken away, or the container runtime does not answer.
How to fix
    `kubectl describe pod` names the finalizer or the volume. `kubectl delete pod --force` only forgets the pod: what hangs on the node goes
    on hanging.
Example
    A log agent whose volume is of a CSI driver that has no pod on this node any more.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.coverage_gaps import GapKind
from preflight.messages.doctor.gaps import describe_terminating_pod
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis, iter_gaps, make_gap_hit, make_list_command, make_pod_command


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet: an error where workloads break without it, else a warning."""
    for gap, key in iter_gaps(context, GapKind.TERMINATING):
        yield make_gap_hit(
            gap,
            key,
            Severity.WARNING,
            describe_terminating_pod(gap, get_diagnosis(context).index.latest_time),
            commands=(make_pod_command(gap), make_list_command(gap)),
        )


RULE = Rule(id="PF416", name="pod-terminating", severity=Severity.ERROR, check=check)
