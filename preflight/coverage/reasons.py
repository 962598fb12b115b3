"""Reasons as words: why a DaemonSet is kept from a node, in sentences that a tired person can act on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from preflight.coverage.model import CoverageGroup
from preflight.coverage.outcome import PodAfter
from preflight.messages.lists import join_and, join_node_names
from preflight.model.objects import PodSpec, SelectorRequirement, Taint
from preflight.model.report import Outcome
from preflight.scheduling.affinity import AffinityMatch, TermMismatch
from preflight.scheduling.placement import Placement
from preflight.scheduling.tolerations import NEVER, NearMiss, add_implicit_tolerations, find_near_miss, find_toleration

if TYPE_CHECKING:
    from preflight.coverage.rollout.simulation import UpdateUncertainty

_IF_LABELS = "if its selector matches"


def describe_untolerated(taints: Sequence[Taint]) -> str:
    """`does not tolerate a=b:NoSchedule and c:NoExecute`."""
    return f"does not tolerate {join_and(taints)}"


def describe_near_miss(miss: NearMiss, taint: Taint) -> str:
    """Why the toleration that comes nearest to a taint does not tolerate it."""
    own = miss.toleration
    if miss.reason == "empty-value":
        return f"tolerates {taint.key} only with an empty value (no operator means Equal)"
    if miss.reason == "value":
        return f"tolerates {own.key} only with {repr(own.value) if own.value else 'an empty value'}, not {taint}"
    if miss.reason == "effect":
        return f"tolerates {own.key} only with the effect {own.effect}, not {taint.effect}"
    if miss.reason == "comparison":
        return f"tolerates {own.key} only with a number {'above' if own.operator == 'Gt' else 'below'} {own.value}, not {taint}"
    if miss.reason == "operator":
        return f"tolerates nothing of {own.key}: {own.operator!r} is no operator"
    return f"tolerates {own.key}, not {taint.key}: the case differs"


def describe_near_misses(spec: PodSpec, taints: Iterable[Taint]) -> tuple[str, ...]:
    """A sentence for each taint that some toleration nearly tolerates."""
    tolerations = add_implicit_tolerations(spec)
    found = [(find_near_miss(tolerations, taint), taint) for taint in taints]
    return tuple(describe_near_miss(miss, taint) for miss, taint in found if miss)


def describe_exclusion(placement: Placement, spec: PodSpec) -> tuple[str, ...]:
    """Everything that keeps a DaemonSet from a node: name, nodeSelector, affinity, taints; empty where it should run.

    A taint that some toleration nearly tolerates is answered by why it does not.
    """
    reasons = list(describe_unselected(placement))
    tolerations = add_implicit_tolerations(spec)
    plain = []
    for taint in placement.untolerated_taints:
        miss = find_near_miss(tolerations, taint)
        if miss:
            reasons.append(describe_near_miss(miss, taint))
        else:
            plain.append(taint)
    if plain:
        reasons.append(describe_untolerated(plain))
    return tuple(reasons)


def describe_cascade(group: CoverageGroup) -> tuple[str, ...]:
    """What a second wave takes: `selects on nvidia.com/gpu.count, which goes with gpu/feature-discovery`."""
    return tuple(
        f"selects on {join_and(fall.labels)}, which {'goes' if len(fall.labels) == 1 else 'go'} with {fall.producer}"
        for fall in group.cascade_losses
    )


def describe_unselected(placement: Placement) -> tuple[str, ...]:
    """What in nodeName, nodeSelector and affinity leaves the node out."""
    if placement.is_selected is not False:
        return ()
    reasons = []
    if placement.other_node:
        reasons.append(f"its nodeName is {placement.other_node}")
    return (*reasons, *describe_mismatch(placement.affinity))


def describe_mismatch(match: AffinityMatch) -> tuple[str, ...]:
    """What in nodeSelector and affinity leaves a node out."""
    reasons = []
    for entry in match.selector_mismatches:
        found = "the label is absent" if entry.actual is None else f"the node has {entry.actual!r}"
        reasons.append(f"its nodeSelector asks for {entry.key}={entry.required}: {found}")
    if match.has_no_terms:
        reasons.append("its node affinity has no term, which matches no node")
    if match.term_mismatches:
        reasons.append(f"its node affinity does not match: {'; or '.join(_format_term(term) for term in match.term_mismatches)}")
    return tuple(reasons)


def _format_term(term: TermMismatch) -> str:
    if term.errors:
        return f"a term is broken ({', '.join(term.errors)})"
    failed = [format_requirement(requirement) for requirement in (*term.expressions, *term.fields)]
    return f"it asks for {join_and(failed)}" if failed else "an empty term matches no node"


def format_requirement(requirement: SelectorRequirement) -> str:
    """`zone In (a, b)`, `gpu Exists`."""
    return f"{requirement.key} {requirement.operator}" + (f" ({', '.join(requirement.values)})" if requirement.values else "")


def describe_unknowns(group: CoverageGroup) -> tuple[str, ...]:
    """What is not known of a group's pairs, before the change or after it."""
    placements = [placement for placement in (group.placement_before, group.placement_after) if placement]
    labels = tuple(dict.fromkeys(key for placement in placements for key in placement.affinity.unknown_labels))
    unsure = tuple(dict.fromkeys(taint for placement in placements for taint in placement.unsure_taints))
    reasons = []
    if labels:
        one = len(labels) == 1
        reasons.append(f"the node's {'label' if one else 'labels'} {join_and(labels)} {'is' if one else 'are'} not known")
    if unsure:
        gate = "the gate TaintTolerationComparisonOperators is not known (--feature-gates)"
        reasons.append(f"whether it tolerates {join_and(unsure)} depends on Lt or Gt: {gate}")
    return tuple(reasons)


def explain_outcome(group: CoverageGroup) -> tuple[str, ...]:
    """The reasons of a group's outcome, all of them; empty where there is nothing to explain."""
    spec = group.daemonset.spec.template.spec
    outcome, after = group.outcome, group.placement_after
    if outcome is Outcome.UNKNOWN:
        first = group.possible_forecasts[0][1].outcome if group.possible_forecasts else None
        conditions = _describe_conditions(group, spec) if first else ()
        return (
            *conditions,
            *describe_unknowns(group),
            *([describe_uncertainty(group.update_uncertainty)] if group.update_uncertainty else []),
        )
    reasons: list[str] = []
    if outcome is Outcome.LOOP:
        reasons.append(describe_loop(group))
    elif after is None:
        reasons.append("the DaemonSet is deleted" if group.forecast.pod_after is PodAfter.NONE else "nothing owns its pods any more")
    elif outcome is Outcome.MISSING and group.forecast.had_pod:
        reasons.append("the update deletes its pod, which hangs in Terminating: the kubelet of the node is silent")
    elif outcome is Outcome.MISSING:
        reasons.append("it should run and no pod is there")
    elif outcome is Outcome.GAINED:
        reasons.append("a pod is created")
    elif outcome is not Outcome.KEPT:
        reasons += describe_cascade(group)
        reasons += describe_exclusion(after, spec)[len(describe_unselected(after)) if group.cascade_losses else 0 :]
        if outcome is Outcome.LOST_NOW and after.eviction_delay and after.may_stay and after.eviction_delay != NEVER:
            reasons.append(f"tolerates {join_and(find_first_evicting_taints(spec, group))} for {int(after.eviction_delay)} s only")
    if group.is_conditional:
        reasons.insert(0, _IF_LABELS)
    return tuple(reasons)


def _describe_conditions(group: CoverageGroup, spec: PodSpec) -> tuple[str, ...]:
    """`if its selector matches: lost-on-recreation, does not tolerate ...`; `today` where only the labels before the change are unknown."""
    match = next((verdict for matches, verdict in group.possible_forecasts if matches), None)
    after = group.placement_after is not None and group.placement_after.is_selected is None
    before = group.placement_before is not None and group.placement_before.is_selected is None
    if match is None or match.outcome is None or not (after or before):
        return ()
    reasons = describe_exclusion(group.placement_after, spec) if group.placement_after else ()
    condition = _IF_LABELS if after else f"{_IF_LABELS} today"
    return (f"{condition}: {match.outcome.value}" + (f", {', '.join(reasons)}" if reasons else ""),)


def describe_uncertainty(uncertainty: UpdateUncertainty) -> str:
    """Why it cannot be told which nodes an update reaches: `which nodes is chance: 2 of n1, n2 and n3 keep the old pod, ...`."""
    few, many = uncertainty.kept_range
    number = str(few) if few == many else f"{few} to {many}"
    keep = f"{number} of {join_node_names(uncertainty.nodes)} keep{'s' * (few == many == 1)} the old pod"
    if uncertainty.has_surge:
        why_so = "as many as wanted nodes lack an available one"
    else:
        why_so = (
            f"for the update stops once {uncertainty.budget} node{'s' * (uncertainty.budget != 1)} "
            f"lack{'s' * (uncertainty.budget == 1)} an available one"
        )
    held = f" ({join_node_names(uncertainty.blocking_nodes)})" if uncertainty.blocking_nodes else ""
    if not uncertainty.not_ready_nodes:
        return f"which nodes is chance: {keep}, {why_so}{held}"
    one = len(uncertainty.not_ready_nodes) == 1
    return f"new pods on {join_node_names(uncertainty.not_ready_nodes)}, which {'is' if one else 'are'} not Ready, decide: {keep}, {why_so}"


def find_first_evicting_taints(spec: PodSpec, group: CoverageGroup) -> tuple[Taint, ...]:
    """The NoExecute taints of a group's node that end the DaemonSet's pod first: those tolerated for the fewest seconds."""
    found: list[tuple[int, Taint]] = []
    for taint in group.node.spec.taints:
        if taint.effect == "NoExecute":
            toleration, _ = find_toleration(add_implicit_tolerations(spec), taint, None)
            if toleration and toleration.tolerationSeconds is not None:
                found.append((max(toleration.tolerationSeconds, 0), taint))
    fewest = min((seconds for seconds, _ in found), default=0)
    return tuple(taint for seconds, taint in found if seconds == fewest)


def describe_loop(group: CoverageGroup) -> str:
    """What a loop looks like: its period and the taints that drive it."""
    taints = join_and(find_first_evicting_taints(group.daemonset.spec.template.spec, group))
    period = group.forecast.loop_seconds or 0
    if period == 0:
        return f"tolerates {taints} for 0 s: deleted and re-created without a pause, for ever"
    return f"tolerates {taints} for {period} s: deleted and re-created every {period} s, for ever"
