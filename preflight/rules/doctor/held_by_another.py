"""A pod is blocked by another scheduler, a pod group or the quota of a queue, not by a lack of capacity.

Why it matters
    Schedulers of groups and queues also watch pods of other schedulers, or a webhook assigns pods to them that were not intended for them.
    The pod stays Pending although its node has capacity, and the message of the default scheduler does not explain it. A DaemonSet that is
    blocked like this leaves its nodes without what it provides.
How to fix
    Look at the component that blocks it: the event names it. Exclude the namespace, or DaemonSets, from the queue or from the webhook that
    assigns pods to it; raise the quota of the queue; complete the group.
Example
    A device plugin in a namespace with a queue: `InsufficientQuota` from the queue's scheduler, on every new GPU node.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.pending.causes import WaitCause
from preflight.messages.doctor.pending import describe_held_pods, iter_hold_notes
from preflight.messages.kubectl_hints import make_events_command
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis
from preflight.rules.doctor._pending_hits import iter_wait_groups, make_wait_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for all pods that the same holds: an error for a DaemonSet without which workloads break, else a warning."""
    diagnosis = get_diagnosis(context)
    for group, key in iter_wait_groups(context, WaitCause.ON_HOLD):
        wait, hold = group.first_wait, group.first_wait.hold
        assert hold is not None
        fitting_nodes = diagnosis.pod_fits.explain(wait.pod).fitting_nodes if hold.is_foreign else ()
        yield make_wait_hit(
            context,
            group,
            key,
            Severity.WARNING,
            describe_held_pods(group, hold, diagnosis.index.latest_time),
            *(("note", text) for text in iter_hold_notes(wait, hold, fitting_nodes)),
            commands=(make_events_command("Pod", wait.pod.metadata.name, wait.pod.metadata.namespace),),
        )


RULE = Rule(id="PF442", name="held-by-another", severity=Severity.ERROR, check=check)
