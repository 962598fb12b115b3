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

from preflight.doctor.kubectl_hints import make_events_command
from preflight.doctor.pending.causes import WaitCause, WaitGroup, group_waits
from preflight.doctor.pending.schedulers import get_scheduler
from preflight.doctor.pending.unschedulable import explain_pod_fit
from preflight.messages.lists import join_node_names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_cluster_facts
from preflight.rules.doctor._pending_hits import describe_waiting_count, format_wait_start, make_wait_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for all pods that the same holds: an error for a DaemonSet without which workloads break, else a warning."""
    for group in group_waits(get_cluster_facts(context), WaitCause.ON_HOLD):
        hold, pod = group.first_wait.hold, group.first_wait.pod
        assert hold is not None
        one = group.owners[0][1] == 1
        who = f"{hold.component} holds {'it' if one else 'them'}" if hold.component else f"{'it is' if one else 'they are'} held"
        yield make_wait_hit(
            context,
            group,
            Severity.WARNING,
            f"{describe_waiting_count(group)}{_describe_holder(group)}{format_wait_start(context, group)}: {who}: {hold.message}",
            *(("note", text) for text in _iter_notes(context, group)),
            commands=(make_events_command("Pod", pod.metadata.name, pod.metadata.namespace),),
        )


def _describe_holder(group: WaitGroup) -> str:
    return f" for {join_node_names(group.nodes)}" if group.nodes else ""


def _iter_notes(context: Context, group: WaitGroup) -> Iterator[str]:
    hold, pod = group.first_wait.hold, group.first_wait.pod
    assert hold is not None
    if hold.is_foreign and hold.component:
        yield f"its schedulerName is {get_scheduler(pod)}: {hold.component} is another one"
    if hold.meaning:
        yield hold.meaning
    takers = explain_pod_fit(get_cluster_facts(context), pod).fitting_nodes if hold.is_foreign else ()
    if takers:
        verb = "takes" if len(takers) == 1 else "take"
        yield f"by our own account {join_node_names(takers)} {verb} it: it does not wait for room"


RULE = Rule(id="PF442", name="held-by-another", severity=Severity.ERROR, check=check)
