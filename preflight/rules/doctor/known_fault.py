"""A pod waits because of a known bug of this version of Kubernetes.

Why it matters
    The message of the scheduler looks like any other, and nothing in the cluster is misconfigured: the search for a label or a taint is in
    vain. Only the version explains it. Reported only if the symptom of the bug is present too, not for the version alone. Without the
    version of the server, that of the kubelets counts: no kubelet is newer than its server.
How to fix
    Update the component to a version with the fix. Until then, a restart often helps.
Example
    kube-scheduler 1.18.6, zones of 3, 3 and 4 nodes, and the pod of a DaemonSet that is Pending although its node has capacity: the message
    has reasons for 8 of 10 nodes.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.pending.causes import WaitCause
from preflight.messages.doctor.known_bugs import (
    describe_bug_fix,
    describe_bug_help,
    describe_condition,
    describe_sign,
    describe_version_source,
)
from preflight.messages.doctor.pending import describe_known_bug, describe_scheduler_message
from preflight.model.report import Severity
from preflight.model.versions import VersionSource
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis
from preflight.rules.doctor._pending_hits import iter_wait_groups, make_wait_hit, make_wait_list_command


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet: an error where workloads break without it, else a warning."""
    for group, key in iter_wait_groups(context, WaitCause.KNOWN_BUG):
        match = group.first_wait.bug_match
        assert match is not None
        yield make_wait_hit(
            context,
            group,
            key,
            Severity.WARNING,
            describe_known_bug(group, get_diagnosis(context).index.latest_time),
            ("note", describe_scheduler_message(group.first_wait)),
            ("note", describe_sign(match.sign)),
            *((("note", describe_version_source(match)),) if match.version_source is VersionSource.KUBELETS else ()),
            *((("note", describe_condition(match)),) if match.is_conditional else ()),
            ("help", describe_bug_help(match.bug)),
            ("note", describe_bug_fix(match.bug)),
            commands=("kubectl version", make_wait_list_command(group)),
        )


RULE = Rule(id="PF444", name="known-fault", severity=Severity.ERROR, check=check)
