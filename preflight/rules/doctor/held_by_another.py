"""Another scheduler, a group of pods or a quota of a queue holds a pod; no lack of room does.

Why it matters
    Schedulers of groups and queues watch pods that are not theirs, or a webhook hands them pods that nobody meant. The pod stays Pending
    although its node has room, and what the default scheduler would say of it is beside the point. A DaemonSet that is held so leaves its
    nodes without what it provides.
How to fix
    Ask the one who holds it: the event names it. Leave the namespace, or DaemonSets, out of the queue or of the webhook that puts pods into
    it; raise the quota of the queue; complete the group.
Example
    A device plugin in a namespace with a queue: `InsufficientQuota` from the queue's scheduler, on every new GPU node.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.kubectl_hints import events_of
from preflight.doctor.pending.causes import Cause, Group, groups
from preflight.doctor.pending.schedulers import scheduler_of
from preflight.doctor.pending.unschedulable import account
from preflight.messages.lists import names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import facts_of
from preflight.rules.doctor._pending_hits import begun, hit, pods


def check(context: Context) -> Iterator[Hit]:
    """One hit for all pods that the same holds: an error for a DaemonSet without which workloads break, else a warning."""
    for group in groups(facts_of(context), Cause.HELD):
        hold, pod = group.first.hold, group.first.pod
        assert hold is not None
        one = group.owners[0][1] == 1
        who = f"{hold.component} holds {'it' if one else 'them'}" if hold.component else f"{'it is' if one else 'they are'} held"
        yield hit(
            context,
            group,
            Severity.WARNING,
            f"{pods(group)}{_where(group)}{begun(context, group)}: {who}: {hold.words}",
            *(("note", text) for text in _notes(context, group)),
            commands=(events_of("Pod", pod.metadata.name, pod.metadata.namespace),),
        )


def _where(group: Group) -> str:
    return f" for {names(group.nodes)}" if group.nodes else ""


def _notes(context: Context, group: Group) -> Iterator[str]:
    hold, pod = group.first.hold, group.first.pod
    assert hold is not None
    if hold.foreign and hold.component:
        yield f"its schedulerName is {scheduler_of(pod)}: {hold.component} is another one"
    if hold.means:
        yield hold.means
    takers = account(facts_of(context), pod).takers if hold.foreign else ()
    if takers:
        verb = "takes" if len(takers) == 1 else "take"
        yield f"by our own account {names(takers)} {verb} it: it does not wait for room"


RULE = Rule(id="PF442", name="held-by-another", severity=Severity.ERROR, check=check)
