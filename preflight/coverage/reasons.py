"""Why a DaemonSet keeps, loses or never gets a node, as data: all reasons of an outcome, in the order in which they are reported."""

from __future__ import annotations

from collections.abc import Iterable

from preflight.coverage.model import CoverageGroup
from preflight.coverage.outcome import PodAfter
from preflight.model.core import PodSpec, Taint
from preflight.model.fit_reasons import StaysPending
from preflight.model.reasons import (
    AffinityMismatch,
    ConditionalOutcome,
    EvictionLoop,
    NearMiss,
    OtherNodeName,
    PlainReason,
    Reason,
    TimedToleration,
    UnknownGate,
    UnknownLabels,
    UnknownVersion,
    Untolerated,
)
from preflight.model.report import Outcome
from preflight.scheduling.affinity import AffinityMatch
from preflight.scheduling.placement import Placement
from preflight.scheduling.tolerations import NEVER, add_implicit_tolerations, find_near_miss, find_toleration
from preflight.scheduling.update_strategy import UpdateEffect


def list_near_misses(spec: PodSpec, taints: Iterable[Taint]) -> tuple[NearMiss, ...]:
    """The near miss of each taint that some toleration nearly tolerates."""
    tolerations = add_implicit_tolerations(spec)
    return tuple(miss for taint in taints if (miss := find_near_miss(tolerations, taint)) is not None)


def list_exclusions(placement: Placement, spec: PodSpec) -> tuple[Reason, ...]:
    """Everything that keeps a DaemonSet from a node: name, nodeSelector, affinity, taints; empty where it should run."""
    return (*list_unselected(placement), *list_untolerated(placement, spec))


def list_untolerated(placement: Placement, spec: PodSpec) -> tuple[Reason, ...]:
    """The taints that keep a DaemonSet from a node: first those that a toleration nearly tolerates, each with why it does not.

    Only tolerations of the template count: those that the controller adds nobody wrote, and nobody can mend.
    """
    tolerations = spec.tolerations
    reasons: list[Reason] = []
    plain: list[Taint] = []
    for taint in placement.untolerated_taints:
        miss = find_near_miss(tolerations, taint)
        if miss is not None:
            reasons.append(miss)
        else:
            plain.append(taint)
    if plain:
        reasons.append(Untolerated(tuple(plain)))
    return tuple(reasons)


def list_unselected(placement: Placement) -> tuple[Reason, ...]:
    """What in nodeName, nodeSelector and affinity leaves the node out."""
    if placement.is_selected is not False:
        return ()
    mismatches = list_mismatches(placement.affinity)
    return (OtherNodeName(placement.other_node), *mismatches) if placement.other_node else mismatches


def list_mismatches(match: AffinityMatch) -> tuple[Reason, ...]:
    """What in nodeSelector and affinity leaves a node out."""
    reasons: list[Reason] = list(match.selector_mismatches)
    if match.has_no_terms:
        reasons.append(AffinityMismatch(()))
    if match.term_mismatches:
        reasons.append(AffinityMismatch(match.term_mismatches))
    return tuple(reasons)


def list_unknowns(group: CoverageGroup) -> tuple[Reason, ...]:
    """What is not known of a group's pairs, before the change or after it."""
    placements = [placement for placement in (group.placement_before, group.placement_after) if placement]
    labels = tuple(dict.fromkeys(key for placement in placements for key in placement.affinity.unknown_labels))
    taints = tuple(dict.fromkeys(taint for placement in placements for taint in placement.unsure_taints))
    reasons: list[Reason] = []
    if labels:
        reasons.append(UnknownLabels(labels))
    if taints:
        since = next((toleration.since for toleration in group.daemonset.spec.template.spec.tolerations if toleration.since), "")
        reasons.append(UnknownVersion(taints, since) if since else UnknownGate(taints))
    return tuple(reasons)


def list_outcome_reasons(group: CoverageGroup) -> tuple[Reason, ...]:
    """The reasons of a group's outcome, all of them; empty where there is nothing to explain."""
    outcome = group.outcome
    if outcome is Outcome.UNKNOWN:
        condition = _find_condition(group)
        return (
            *((condition,) if condition else ()),
            *list_unknowns(group),
            *_list_unknown_pods(group),
            *((group.update_uncertainty,) if group.update_uncertainty else ()),
            *((group.fit,) if group.fit else ()),
        )
    reasons = _list_known_reasons(group)
    return (PlainReason.IF_SELECTED, *reasons) if group.is_conditional else reasons


def _list_unknown_pods(group: CoverageGroup) -> tuple[Reason, ...]:
    """What is not known of the pods that a change meets."""
    if group.pod_group is not None and group.pod_group.may_be_updated:
        return (PlainReason.UNKNOWN_TEMPLATE,)
    if group.pod_group is not None and group.pod_group.may_be_pending:
        return (PlainReason.UNKNOWN_START,)
    is_unsure = len(group.possible_updates) > 1 and UpdateEffect.HOLD in group.possible_updates
    return (PlainReason.UNKNOWN_SURGE,) if is_unsure and group.update_uncertainty is None else ()


def _list_known_reasons(group: CoverageGroup) -> tuple[Reason, ...]:
    """The reasons of an outcome that is known."""
    outcome, after = group.outcome, group.placement_after
    if outcome is Outcome.LOOP:
        return (find_loop(group),)
    if after is None:
        return (PlainReason.DELETED if group.forecast.pod_after is PodAfter.NONE else PlainReason.ORPHANED,)
    if outcome is Outcome.MISSING:
        if isinstance(group.fit, StaysPending):
            return (group.fit,)
        return (PlainReason.HANGING if group.forecast.had_pod else PlainReason.MISSING,)
    if outcome is Outcome.GAINED:
        return (PlainReason.CREATED,)
    if outcome is Outcome.KEPT:
        return ()
    spec = group.daemonset.spec.template.spec
    timed = find_timed_toleration(group) if outcome is Outcome.LOST_NOW else None
    unfit = (group.fit,) if isinstance(group.fit, StaysPending) else ()
    return (*(group.lost_labels or list_unselected(after)), *list_untolerated(after, spec), *((timed,) if timed else ()), *unfit)


def _find_condition(group: CoverageGroup) -> ConditionalOutcome | None:
    """What holds if the unknown labels match; None where none are unknown."""
    if not group.possible_forecasts or group.possible_forecasts[0].forecast.outcome is None:
        return None
    match = next((possible.forecast for possible in group.possible_forecasts if possible.labels_match), None)
    is_unknown_after = group.placement_after is not None and group.placement_after.is_selected is None
    is_unknown_before = group.placement_before is not None and group.placement_before.is_selected is None
    if match is None or match.outcome is None or not (is_unknown_after or is_unknown_before):
        return None
    reasons = list_exclusions(group.placement_after, group.daemonset.spec.template.spec) if group.placement_after else ()
    return ConditionalOutcome(match.outcome, reasons, is_today=not is_unknown_after)


def find_timed_toleration(group: CoverageGroup) -> TimedToleration | None:
    """The taints that taint eviction waits for, where it ends the group's pods after a while and not at once."""
    after = group.placement_after
    if after is None or not after.may_stay or not after.eviction_delay or after.eviction_delay == NEVER:
        return None
    return TimedToleration(find_first_evicting_taints(group), int(after.eviction_delay))


def find_first_evicting_taints(group: CoverageGroup) -> tuple[Taint, ...]:
    """The NoExecute taints of a group's node that end the DaemonSet's pod first: those tolerated for the fewest seconds."""
    tolerations = add_implicit_tolerations(group.daemonset.spec.template.spec)
    found: list[tuple[int, Taint]] = []
    for taint in group.node.spec.taints:
        if taint.effect == "NoExecute":
            toleration, _ = find_toleration(tolerations, taint, None)
            if toleration and toleration.tolerationSeconds is not None:
                found.append((max(toleration.tolerationSeconds, 0), taint))
    fewest = min((seconds for seconds, _ in found), default=0)
    return tuple(taint for seconds, taint in found if seconds == fewest)


def find_loop(group: CoverageGroup) -> EvictionLoop:
    """The loop of a group: its period and the taints that drive it."""
    return EvictionLoop(find_first_evicting_taints(group), group.forecast.loop_seconds or 0)
