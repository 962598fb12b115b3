"""A pod waits because of a known fault of this version of Kubernetes.

Why it matters
    The message of the scheduler looks like any other, and nothing in the cluster is wrong: people look for hours for a label or a taint.
    Only the version tells. The fault is named where its sign is there too, not for the version alone.
How to fix
    Update the component to the version that has the fix. Restarting it often helps until then.
Example
    kube-scheduler 1.18.6, zones of 3, 3 and 4 nodes, and the pod of a DaemonSet that is Pending on a node with room: the message has
    reasons for 8 of 10 nodes.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.pending.causes import Cause, groups
from preflight.messages.lists import names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import facts_of
from preflight.rules.doctor._pending_hits import begun, hit, listing, pods


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet: an error where workloads break without it, else a warning."""
    for group in groups(facts_of(context), Cause.FAULT):
        seen = group.first.fault
        assert seen is not None
        fault = seen.fault
        yield hit(
            context,
            group,
            Severity.WARNING,
            f"{pods(group)} for {names(group.nodes)}{begun(context, group)}: {fault.component} {seen.version} {fault.what}",
            ("note", f"the scheduler says: {group.first.words}"),
            ("note", seen.sign),
            ("help", fault.help),
            ("note", f"{fault.id}, fixed in {', '.join(fault.links)}"),
            commands=("kubectl version", listing(group)),
        )


RULE = Rule(id="PF444", name="known-fault", severity=Severity.ERROR, check=check)
