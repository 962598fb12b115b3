"""A DaemonSet should run on a node, but has no pod there, and none is being created.

Why it matters
    The node lacks what the DaemonSet provides. No pod is Pending and perhaps no counter shows it: the controller is broken or not running,
    or its creations are refused and the events have expired.
How to fix
    Check whether kube-controller-manager runs and what it logs. `kubectl describe daemonset` shows refused creations for about an hour.
    Delete a pod by hand to see whether the controller creates a new one.
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
