"""The pods of a DaemonSet are refused at creation: by a quota, a webhook or Pod Security.

Why it matters
    A refused creation leaves no pod at all: nothing is Pending, and only an event of the DaemonSet reports it, which expires after about
    an hour. The controller retries with longer and longer pauses.
How to fix
    Do what the message says: raise the quota, label the namespace for Pod Security, or fix the webhook.
Example
    A ResourceQuota of 20 pods in the namespace of a log agent, and a 21st node.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.coverage_gaps import GapKind
from preflight.messages.doctor.gaps import describe_refusal_time, describe_refused_pod
from preflight.messages.kubectl_hints import make_events_command
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import iter_gaps, make_daemonset_command, make_gap_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet: an error where workloads break without it, else a warning."""
    for gap, key in iter_gaps(context, GapKind.REFUSED):
        metadata = gap.daemonset.metadata
        yield make_gap_hit(
            gap,
            key,
            Severity.WARNING,
            describe_refused_pod(gap),
            ("note", describe_refusal_time(gap)),
            commands=(make_events_command("DaemonSet", metadata.name, metadata.namespace), make_daemonset_command(gap)),
        )


RULE = Rule(id="PF413", name="pod-refused", severity=Severity.ERROR, check=check)
