"""A DaemonSet has a pod on a node where no new one would be created: the next change sets it off.

Why it matters
    All is well today. An update, a deleted pod or a node that is replaced takes the pod for good, with no pod Pending and no alert. What is
    under way already is said: an update that has reached other nodes, a node that is cordoned for a maintenance.
How to fix
    Tolerate exactly the taint (`operator: Equal`) before anything re-creates the pod, or leave the node out on purpose with node affinity.
Example
    A CSI driver from before the taint of its nodes, and an image update that has begun.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.lists import names
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import facts_of, shows
from preflight.rules.merged_groups import merged


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason; an error where what sets it off is under way."""
    facts = facts_of(context)
    if facts.impact is None:
        return
    groups = [group for group in facts.impact.with_outcome(Outcome.ALREADY_FRAGILE) if not (group.assumed or group.nodes <= facts.leaving)]
    for each in merged(groups):
        if each.passing or not each.taints:
            continue  # a node that is not well: that is said of the node
        daemonset = each.first.daemonset
        component = facts.worst(daemonset)
        near = facts.sets_off(daemonset, each.nodes)
        yield Hit(
            subject=each.subject,
            nodes=each.nodes,
            place=each.place,
            severity=Severity.ERROR if near else None,
            message=f"has a pod on {names(each.nodes)} that does not come back once it ends: {each.reason}",
            label=each.label,
            notes=(
                *((("then", component.kind.symptom),) if component else ()),
                *each.notes,
                *(("now", text) for text in near),
                ("note", "set off by an update of the DaemonSet, a deleted or evicted pod, a graceful reboot or a replacement of the node"),
                *shows(f"preflight rollout restart ds/{each.subject.name} -n {each.subject.namespace}"),
            ),
            suggestion=each.suggestion,
        )


RULE = Rule(id="PF417", name="time-bomb", severity=Severity.WARNING, check=check)
