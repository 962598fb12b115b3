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

from preflight.messages.lists import join_node_names
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_cluster_facts, make_check_notes
from preflight.rules.merged_groups import merge_groups


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason; an error where what sets it off is under way."""
    facts = get_cluster_facts(context)
    if facts.impact is None:
        return
    groups = [
        group
        for group in facts.impact.iter_groups(Outcome.ALREADY_FRAGILE)
        if not (group.is_assumed or group.nodes <= facts.nodes_being_removed)
    ]
    for each in merge_groups(groups):
        if each.is_transient or not each.taints:
            continue  # a node that is not well: that is said of the node
        daemonset = each.first_group.daemonset
        component = facts.get_worst_component(daemonset)
        near = facts.describe_triggers(daemonset, each.nodes)
        yield Hit(
            subject=each.subject,
            nodes=each.nodes,
            location=each.location,
            severity=Severity.ERROR if near else None,
            message=f"has a pod on {join_node_names(each.nodes)} that does not come back once it ends: {each.reason}",
            label=each.label,
            notes=(
                *((("then", component.kind.symptom),) if component else ()),
                *each.notes,
                *(("now", text) for text in near),
                ("note", "set off by an update of the DaemonSet, a deleted or evicted pod, a graceful reboot or a replacement of the node"),
                *make_check_notes(f"preflight rollout restart ds/{each.subject.name} -n {each.subject.namespace}"),
            ),
            suggestion=each.suggestion,
        )


RULE = Rule(id="PF417", name="time-bomb", severity=Severity.WARNING, check=check)
