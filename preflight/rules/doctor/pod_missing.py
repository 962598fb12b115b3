"""A DaemonSet should run on a node, and no pod of it is there or on its way.

Why it matters
    What the DaemonSet provides is missing on the node. No pod is Pending and no counter may say so: the controller is at fault, is not
    running, or its creations are refused and the events of that have expired.
How to fix
    Look whether kube-controller-manager runs and what it logs. `kubectl describe daemonset` shows refused creations for about an hour.
    A pod that is deleted by hand shows whether the controller creates a new one.
Example
    A node that joined last night, and a kube-proxy that has a pod on every other node.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.coverage_gaps import GapKind
from preflight.messages.doctor.gaps import describe_missing_events, describe_missing_pod
from preflight.messages.kubectl_hints import make_events_command
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis, iter_gaps, make_daemonset_command, make_gap_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet: an error where workloads break without it, else a warning."""
    for gap, key in iter_gaps(context, GapKind.MISSING):
        metadata = gap.daemonset.metadata
        yield make_gap_hit(
            gap,
            key,
            Severity.WARNING,
            describe_missing_pod(gap),
            ("note", describe_missing_events(has_events=get_diagnosis(context).index.has_events)),
            commands=(make_daemonset_command(gap), make_events_command("DaemonSet", metadata.name, metadata.namespace)),
        )


RULE = Rule(id="PF410", name="pod-missing", severity=Severity.ERROR, check=check)
