"""A DaemonSet keeps its pod for now, and does not get it back when the pod is re-created.

Why it matters
    This is a time bomb: a NoSchedule taint does not affect running pods, so everything looks fine. Days later an image update, a deletion
    or an eviction re-creates the pods, and they never come back. DESIRED shrinks together with READY, `rollout status` reports success, no
    pod is Pending and no event says why.
How to fix
    Tolerate exactly the taint (`operator: Equal`) before you set it, or exclude the node on purpose with node affinity.
Example
    `preflight taint nodes -l pool=rdma dedicated=rdma:NoSchedule`, and no toleration for it in the RDMA device plugin.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from preflight.messages.coverage import describe_lost_on_recreation
from preflight.model.fit_reasons import StaysPending
from preflight.model.meta import ObjectKey
from preflight.model.reasons import RecreationEvent
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, FixKind, Hit, Rule
from preflight.rules.coverage._consequence_notes import make_impact_note
from preflight.rules.merged_groups import MergedGroups, iter_new_groups, merge_groups


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason; a warning where only taints stand in the way that the cluster clears by itself.

    A note where the taints say that the node is about to be removed.

    PF101 says where an update takes some of the pods, and the others are lost on re-creation.
    """
    lost = (group for group in iter_new_groups(context, Outcome.LOST_ON_RECREATION) if group.partial_loss is None)
    for group in merge_groups(lost):
        event, producers = _find_event(context, group)
        yield Hit(
            subject=group.subject,
            nodes=group.nodes,
            location=group.location,
            severity=Severity.NOTE if group.is_leaving else Severity.WARNING if group.is_transient else None,
            message=_describe_unfit(context, group) or describe_lost_on_recreation(group.nodes, event, producers, group.reasons),
            label=group.label,
            notes=group.notes + make_impact_note(context, group),
            suggestion=group.suggestion,
            key=group.key,
            effect=replace(group.effect, event=event),
        )


def _describe_unfit(context: Context, merged_groups: MergedGroups) -> str:
    """The message where the new pod does not fit, "" where that is not the reason."""
    group = merged_groups.first_group
    if not isinstance(group.fit, StaysPending):
        return ""
    from preflight.messages.pod_fit import describe_recreation_without_fit  # no part of a run where all new pods fit
    from preflight.rules.coverage._fit_facts import make_example

    assert context.impact is not None
    return describe_recreation_without_fit(merged_groups.nodes, make_example(context.impact, group.key, merged_groups.nodes, group.fit))


def _find_event(context: Context, merged_groups: MergedGroups) -> tuple[RecreationEvent, tuple[ObjectKey, ...]]:
    """What the loss waits for, and of which label producers."""
    assert context.impact is not None
    if all(name in context.impact.change.delayed_pools for name in merged_groups.nodes):
        return RecreationEvent.NODES, ()
    producers = tuple(dict.fromkeys(loss.producer for loss in merged_groups.first_group.cascade_losses))
    return (RecreationEvent.PODS, ()) if merged_groups.taints or not producers else (RecreationEvent.PRODUCERS, producers)


RULE = Rule(id="PF102", name="lost-on-recreation", severity=Severity.ERROR, needs_nodes=True, check=check, fix=FixKind.COVERAGE)
