"""The chain of one loss: from the change to what people see, for one DaemonSet on one node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from preflight.coverage.model import CoverageGroup, Impact
from preflight.coverage.outcome import PodAfter
from preflight.coverage.reasons import find_first_evicting_taints, find_loop, list_outcome_reasons, list_unselected
from preflight.model.fit_reasons import StaysPending
from preflight.model.loss_chain import (
    BrokenComponent,
    ChangeCommand,
    ControllerDecision,
    DaemonSetChange,
    Decision,
    KubectlEvidence,
    KubectlView,
    LabelChange,
    LabelLoss,
    LossLink,
    PodFate,
    PodOutcome,
    Selection,
    TaintChange,
    TolerationGap,
    TolerationLimit,
)
from preflight.model.reasons import reduce_near_miss
from preflight.model.report import Outcome
from preflight.scheduling.tolerations import add_implicit_tolerations, find_nearest_toleration, find_toleration

_FATES = {
    Outcome.LOST_NOW: PodFate.LOST_NOW,
    Outcome.GAINED: PodFate.CREATED,
    Outcome.NEVER: PodFate.KEPT_OUT,
    Outcome.EXCLUDED: PodFate.EXCLUDED,
}


def explain_loss(impact: Impact, group: CoverageGroup, node: str, dependents: Iterable[LossLink] = ()) -> Iterator[LossLink]:
    """The links of the chain, in the order in which things happen.

    1. What the change does to the node or the DaemonSet; for each taint in the way the toleration that comes nearest, and why it is
       not enough; what the DaemonSet controller and taint eviction make of it; what then breaks.
    2. `dependents` are the links of what depends on the DaemonSet there (`dependents.explain`); they come after the outcome.
    3. The kubectl commands that show it, and those that look fine though they should not.
    """
    yield ChangeCommand(impact.change.command)
    yield from _explain_difference(impact, group, node)
    yield from _explain_selection(group)
    yield from _explain_tolerations(group)
    yield _explain_decision(group, node)
    yield _explain_outcome(group)
    for component in impact.component_cache.recognize(group.daemonset):
        yield BrokenComponent(group.key, component.kind.title, component.symptom)
    yield from dependents
    for view in _iter_kubectl_views(impact, group):
        yield KubectlEvidence(view, group.key, node)


def _explain_difference(impact: Impact, group: CoverageGroup, name: str) -> Iterator[LossLink]:
    before, after = impact.change.before.nodes.get(name), impact.change.after.nodes.get(name)
    if before is not None and after is not None and before is not after:
        yield from (TaintChange(name, taint, is_added=True) for taint in after.spec.taints if taint not in before.spec.taints)
        yield from (TaintChange(name, taint, is_added=False) for taint in before.spec.taints if taint not in after.spec.taints)
        old, new = before.metadata.labels, after.metadata.labels
        gone = {label for loss in group.cascade_losses for label in loss.labels}
        for key in sorted({*old, *new}):
            if old.get(key) != new.get(key) and key not in gone:
                yield LabelChange(name, key, new.get(key))
    if group.key in impact.change.updated_daemonsets:
        yield DaemonSetChange(group.key, is_deleted=False)
    if group.key in impact.change.deleted_daemonsets:
        yield DaemonSetChange(group.key, is_deleted=True)
    for reason in group.lost_labels:
        yield LabelLoss(group.key, reason)


def _explain_selection(group: CoverageGroup) -> Iterator[LossLink]:
    placement = group.placement_after or group.placement_before
    if placement is not None and not group.cascade_losses:
        for reason in list_unselected(placement):
            yield Selection(reason)


def _explain_tolerations(group: CoverageGroup) -> Iterator[LossLink]:
    placement = group.placement_after
    tolerations = add_implicit_tolerations(group.daemonset.spec.template.spec)
    for taint in placement.untolerated_taints if placement else ():
        found = find_nearest_toleration(tolerations, taint)
        if found is None:
            yield TolerationGap(taint)
        else:
            nearest, kind = found
            yield TolerationGap(taint, nearest, reduce_near_miss(kind, nearest, taint))
    for taint in find_first_evicting_taints(group):
        toleration, _ = find_toleration(tolerations, taint, None)
        if toleration is not None:
            yield TolerationLimit(toleration, taint)


def _explain_decision(group: CoverageGroup, node: str) -> ControllerDecision:
    placement = group.placement_after
    if placement is None:
        return ControllerDecision(Decision.NO_DAEMONSET, node)
    if placement.should_run is None or placement.may_stay is None:
        return ControllerDecision(Decision.UNKNOWN, node, list_outcome_reasons(group))
    if group.cascade_losses and group.forecast.pod_after is PodAfter.SAME:
        return ControllerDecision(Decision.DELETE_WITHOUT_LABELS, node)
    if placement.should_run:
        return ControllerDecision(Decision.RUN, node)
    return ControllerDecision(Decision.KEEP if placement.may_stay else Decision.DELETE, node)


def _explain_outcome(group: CoverageGroup) -> PodOutcome:
    outcome = group.outcome
    if isinstance(group.fit, StaysPending) and outcome in (Outcome.LOST_NOW, Outcome.MISSING):
        return PodOutcome(PodFate.LOST_PENDING if group.forecast.had_pod else PodFate.STAYS_PENDING, (group.fit,))
    if outcome is Outcome.LOOP:
        return PodOutcome(PodFate.LOOPS, (find_loop(group),))
    if outcome in (Outcome.LOST_ON_RECREATION, Outcome.ALREADY_FRAGILE):
        producers = dict.fromkeys(loss.producer for loss in group.cascade_losses)
        return PodOutcome(PodFate.LOST_ON_RECREATION, producers=tuple(producers))
    if outcome is Outcome.KEPT and group.update_uncertainty is not None:
        return PodOutcome(PodFate.KEPT_OR_REPLACED, (group.update_uncertainty,))
    if outcome is Outcome.KEPT:
        return PodOutcome(PodFate.REPLACED if group.forecast.pod_after is PodAfter.NEW else PodFate.KEPT)
    if outcome is Outcome.MISSING:
        return PodOutcome(PodFate.HANGS if group.forecast.had_pod else PodFate.MISSING)
    fate = _FATES.get(outcome)
    return PodOutcome(PodFate.UNKNOWN, list_outcome_reasons(group)) if fate is None else PodOutcome(fate)


def _never_completes(impact: Impact, group: CoverageGroup) -> bool:
    """Whether `rollout status` never ends: a wanted node keeps the old pod or has none that is available."""
    rollout = impact.rollouts.get(group.key)
    return rollout is not None and (rollout.worst_course.may_stop or bool(rollout.unavailable_nodes))


def _iter_kubectl_views(impact: Impact, group: CoverageGroup) -> Iterator[KubectlView]:
    """The kubectl commands that show the loss, then those that look fine; none where nothing is lost."""
    if group.outcome in (Outcome.KEPT, Outcome.EXCLUDED, Outcome.GAINED):
        return
    placement = group.placement_after
    yield KubectlView.PODS
    if placement is not None and placement.untolerated_taints:
        yield KubectlView.TAINTS
    if placement is not None and placement.is_selected is False:
        yield KubectlView.LABELS
    if any(component.kind.id == "device-plugin" for component in impact.component_cache.recognize(group.daemonset)):
        yield KubectlView.ALLOCATABLE
    if group.outcome is not Outcome.MISSING:
        yield KubectlView.READY_COUNT
        if group.daemonset.spec.updateStrategy.type != "OnDelete" and not _never_completes(impact, group):
            yield KubectlView.ROLLOUT_STATUS
        yield KubectlView.EVENTS
