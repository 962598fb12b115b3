"""A DaemonSet has a pod on a node where no new pod would be created: the next change triggers the loss.

Why it matters
    A time bomb is a pod that runs today and will not come back: an update, a deleted pod or a replaced node removes it permanently, with no
    pod Pending and no alert. Triggers in progress are reported: an update that has reached other nodes, a node that is cordoned.
How to fix
    Add a toleration for exactly this taint (`operator: Equal`) before anything re-creates the pod, or exclude the node on purpose with node
    affinity.
Example
    A CSI driver from before the taint of its nodes, and an image update that has started.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.doctor.gaps import RECREATION_NOTE, describe_time_bomb, describe_trigger
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis, make_check_notes
from preflight.rules.merged_groups import merge_groups


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason; an error where what sets it off is under way."""
    diagnosis = get_diagnosis(context)
    if diagnosis.impact is None:
        return
    groups = [
        group
        for group in diagnosis.impact.iter_groups(Outcome.ALREADY_FRAGILE)
        if not (group.is_assumed or group.nodes <= diagnosis.index.nodes_being_removed)
    ]
    # A node that is not well has a finding of its own.
    found = [merged for merged in merge_groups(groups) if merged.taints and not merged.is_transient]
    for merged in found:
        daemonset = merged.first_group.daemonset
        component = diagnosis.providers.get_worst_component(daemonset)
        triggers = diagnosis.find_recreation_triggers(daemonset, merged.nodes)
        yield Hit(
            subject=merged.subject,
            key=merged.key,
            effect=merged.effect,
            nodes=merged.nodes,
            location=merged.location,
            severity=Severity.ERROR if triggers else None,
            message=describe_time_bomb(merged.nodes, merged.reason),
            label=merged.label,
            notes=(
                *((("impact", component.symptom),) if component else ()),
                *merged.notes,
                *(("note", describe_trigger(trigger)) for trigger in triggers),
                ("note", RECREATION_NOTE),
                *make_check_notes(f"preflight rollout restart ds/{merged.subject.name} -n {merged.subject.namespace}"),
            ),
            suggestion=merged.suggestion,
        )


RULE = Rule(id="PF417", name="time-bomb", severity=Severity.WARNING, check=check)
