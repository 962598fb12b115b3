"""A DaemonSet loses its pod on a node as a direct result of the change.

Why it matters
    An untolerated NoExecute taint, or the loss of a node label that the DaemonSet selects on, deletes running pods at once: no
    PodDisruptionBudget is checked and no eviction is refused. An update also deletes the old pod if no new pod may be created, and if the
    new pod does not fit: it requests more than is free after the old pod has ended, or a port of the node that another pod uses. DESIRED
    shrinks together with READY, so no alert fires.
How to fix
    Tolerate exactly the taint (`operator: Equal`), or keep the label, before the change. If the node is excluded on purpose, say so with
    node affinity.
Example
    `preflight taint nodes gpu-1 maintenance=true:NoExecute`, and no toleration for it in the DaemonSet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from preflight.coverage.model import CoverageGroup
from preflight.coverage.reasons import find_timed_toleration
from preflight.messages.coverage import describe_lost_now
from preflight.model.fit_reasons import StaysPending
from preflight.model.reasons import LossCause
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, FixKind, Hit, Rule
from preflight.rules.coverage._consequence_notes import make_impact_note
from preflight.rules.merged_groups import MergedGroups, iter_new_groups, merge_groups


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason; a warning where only taints stand in the way that the cluster clears by itself."""
    lost = list(iter_new_groups(context, Outcome.LOST_NOW))
    partly = [group for group in iter_new_groups(context, Outcome.LOST_ON_RECREATION) if group.partial_loss is not None]
    yield from _iter_hits_without_fit(context, [*(group for group in lost if isinstance(group.fit, StaysPending)), *partly])
    for group in merge_groups(group for group in lost if not isinstance(group.fit, StaysPending)):
        timed = find_timed_toleration(group.first_group)
        yield Hit(
            subject=group.subject,
            nodes=group.nodes,
            location=group.location,
            severity=Severity.WARNING if group.is_transient else None,
            message=describe_lost_now(group.nodes, _find_cause(context, group), group.reasons, timed),
            label=group.label,
            notes=group.notes + make_impact_note(context, group),
            suggestion=group.suggestion,
            key=group.key,
            effect=replace(group.effect, seconds=timed.seconds if timed is not None else 0),
        )


def _iter_hits_without_fit(context: Context, groups: Sequence[CoverageGroup]) -> Iterator[Hit]:
    """One hit for each DaemonSet and what is in the way of its new pods."""
    if not groups:
        return
    from preflight.messages.pod_fit import describe_loss_without_fit  # no part of a run where all new pods fit
    from preflight.rules.coverage._fit_facts import make_example, make_help

    impact = context.impact
    assert impact is not None
    seen: set[object] = set()
    for group in merge_groups(groups):
        first = group.first_group
        partial = first.partial_loss
        if partial is not None and (first.key, partial) in seen:
            continue
        seen.add((first.key, partial))
        nodes = group.nodes if partial is None else partial.nodes
        example = make_example(impact, first.key, nodes, first.fit if isinstance(first.fit, StaysPending) else None)
        cause = LossCause.UPDATED if first.key in impact.rollouts else LossCause.ENDED
        yield Hit(
            subject=group.subject,
            nodes=nodes,
            location=group.location,
            message=describe_loss_without_fit(nodes, cause, example, partial),
            notes=(*make_help(example.obstacles), *make_impact_note(context, group)),
            key=(*group.key, "pending") if partial is None else (*group.key, "some-pending"),
        )


def _find_cause(context: Context, merged_groups: MergedGroups) -> LossCause:
    assert context.impact is not None
    change, group = context.impact.change, merged_groups.first_group
    if group.placement_after is None:
        return LossCause.UNOWNED if group.key in change.before.orphaned_daemonsets else LossCause.DELETED
    if not any(merged.forecast.had_pod for merged in merged_groups.groups):
        return LossCause.NOT_CREATED
    if not group.placement_after.may_stay:
        return LossCause.EVICTED
    return LossCause.UPDATED if group.key in change.updated_daemonsets else LossCause.ENDED


RULE = Rule(id="PF101", name="lost-now", severity=Severity.ERROR, needs_nodes=True, check=check, fix=FixKind.COVERAGE)
