"""Reasons as words: why a DaemonSet is kept from a node, in sentences that a tired person can act on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from preflight.coverage.model import Group
from preflight.coverage.outcome import PodAfter
from preflight.messages.lists import listed, names
from preflight.model.objects import PodSpec, SelectorRequirement, Taint
from preflight.model.report import Outcome
from preflight.scheduling.affinity import AffinityMatch, TermMismatch
from preflight.scheduling.placement import Placement
from preflight.scheduling.tolerations import NEVER, NearMiss, daemon_tolerations, find_toleration, near_miss

if TYPE_CHECKING:
    from preflight.coverage.rollout.simulation import Fate

_IF_LABELS = "if its selector matches"


def untolerated(taints: Sequence[Taint]) -> str:
    """`does not tolerate a=b:NoSchedule and c:NoExecute`."""
    return f"does not tolerate {listed(taints)}"


def nearly(miss: NearMiss, taint: Taint) -> str:
    """Why the toleration that comes nearest to a taint does not tolerate it."""
    own = miss.toleration
    if miss.why == "empty-value":
        return f"tolerates {taint.key} only with an empty value (no operator means Equal)"
    if miss.why == "value":
        return f"tolerates {own.key} only with {repr(own.value) if own.value else 'an empty value'}, not {taint}"
    if miss.why == "effect":
        return f"tolerates {own.key} only with the effect {own.effect}, not {taint.effect}"
    if miss.why == "comparison":
        return f"tolerates {own.key} only with a number {'above' if own.operator == 'Gt' else 'below'} {own.value}, not {taint}"
    if miss.why == "operator":
        return f"tolerates nothing of {own.key}: {own.operator!r} is no operator"
    return f"tolerates {own.key}, not {taint.key}: the case differs"


def near_misses(spec: PodSpec, taints: Iterable[Taint]) -> tuple[str, ...]:
    """A sentence for each taint that some toleration nearly tolerates."""
    tolerations = daemon_tolerations(spec)
    found = [(near_miss(tolerations, taint), taint) for taint in taints]
    return tuple(nearly(miss, taint) for miss, taint in found if miss)


def kept_out(placement: Placement, spec: PodSpec) -> tuple[str, ...]:
    """Everything that keeps a DaemonSet from a node: name, nodeSelector, affinity, taints; empty where it should run.

    A taint that some toleration nearly tolerates is answered by why it does not.
    """
    reasons = list(unselected(placement))
    tolerations = daemon_tolerations(spec)
    plain = []
    for taint in placement.untolerated:
        miss = near_miss(tolerations, taint)
        if miss:
            reasons.append(nearly(miss, taint))
        else:
            plain.append(taint)
    if plain:
        reasons.append(untolerated(plain))
    return tuple(reasons)


def fallen(group: Group) -> tuple[str, ...]:
    """What a second wave takes: `selects on nvidia.com/gpu.count, which goes with gpu/feature-discovery`."""
    return tuple(
        f"selects on {listed(fall.labels)}, which {'goes' if len(fall.labels) == 1 else 'go'} with {fall.producer}" for fall in group.falls
    )


def unselected(placement: Placement) -> tuple[str, ...]:
    """What in nodeName, nodeSelector and affinity leaves the node out."""
    if placement.selected is not False:
        return ()
    reasons = []
    if placement.other_node:
        reasons.append(f"its nodeName is {placement.other_node}")
    return (*reasons, *unmatched(placement.affinity))


def unmatched(match: AffinityMatch) -> tuple[str, ...]:
    """What in nodeSelector and affinity leaves a node out."""
    reasons = []
    for entry in match.selector:
        found = "the label is absent" if entry.found is None else f"the node has {entry.found!r}"
        reasons.append(f"its nodeSelector asks for {entry.key}={entry.wanted}: {found}")
    if match.no_terms:
        reasons.append("its node affinity has no term, which matches no node")
    if match.terms:
        reasons.append(f"its node affinity does not match: {'; or '.join(_term(term) for term in match.terms)}")
    return tuple(reasons)


def _term(term: TermMismatch) -> str:
    if term.errors:
        return f"a term is broken ({', '.join(term.errors)})"
    failed = [requirement_text(requirement) for requirement in (*term.expressions, *term.fields)]
    return f"it asks for {listed(failed)}" if failed else "an empty term matches no node"


def requirement_text(requirement: SelectorRequirement) -> str:
    """`zone In (a, b)`, `gpu Exists`."""
    return f"{requirement.key} {requirement.operator}" + (f" ({', '.join(requirement.values)})" if requirement.values else "")


def unknowns(group: Group) -> tuple[str, ...]:
    """What is not known of a group's pairs, before the change or after it."""
    placements = [placement for placement in (group.before, group.after) if placement]
    labels = tuple(dict.fromkeys(key for placement in placements for key in placement.affinity.unknown))
    unsure = tuple(dict.fromkeys(taint for placement in placements for taint in placement.unsure))
    reasons = []
    if labels:
        one = len(labels) == 1
        reasons.append(f"the node's {'label' if one else 'labels'} {listed(labels)} {'is' if one else 'are'} not known")
    if unsure:
        gate = "the gate TaintTolerationComparisonOperators is not known (--feature-gates)"
        reasons.append(f"whether it tolerates {listed(unsure)} depends on Lt or Gt: {gate}")
    return tuple(reasons)


def why(group: Group) -> tuple[str, ...]:
    """The reasons of a group's outcome, all of them; empty where there is nothing to explain."""
    spec = group.daemonset.spec.template.spec
    outcome, after = group.outcome, group.after
    if outcome is Outcome.UNKNOWN:
        first = group.possible[0][1].outcome if group.possible else None
        conditions = _conditional_words(group, spec) if first else ()
        return (*conditions, *unknowns(group), *([chance(group.fate)] if group.fate else []))
    reasons: list[str] = []
    if outcome is Outcome.LOOP:
        reasons.append(loop_words(group))
    elif after is None:
        reasons.append("the DaemonSet is deleted" if group.verdict.pod is PodAfter.NONE else "nothing owns its pods any more")
    elif outcome is Outcome.MISSING and group.verdict.before:
        reasons.append("the update deletes its pod, which hangs in Terminating: the kubelet of the node is silent")
    elif outcome is Outcome.MISSING:
        reasons.append("it should run and no pod is there")
    elif outcome is Outcome.GAINED:
        reasons.append("a pod is created")
    elif outcome is not Outcome.KEPT:
        reasons += fallen(group)
        reasons += kept_out(after, spec)[len(unselected(after)) if group.falls else 0 :]
        if outcome is Outcome.LOST_NOW and after.evict_after and after.may_stay and after.evict_after != NEVER:
            reasons.append(f"tolerates {listed(timed(spec, group))} for {int(after.evict_after)} s only")
    if group.conditional:
        reasons.insert(0, _IF_LABELS)
    return tuple(reasons)


def _conditional_words(group: Group, spec: PodSpec) -> tuple[str, ...]:
    """`if its selector matches: lost-on-recreation, does not tolerate ...`; `today` where only the labels before the change are unknown."""
    match = next((verdict for matches, verdict in group.possible if matches), None)
    after = group.after is not None and group.after.selected is None
    before = group.before is not None and group.before.selected is None
    if match is None or match.outcome is None or not (after or before):
        return ()
    reasons = kept_out(group.after, spec) if group.after else ()
    condition = _IF_LABELS if after else f"{_IF_LABELS} today"
    return (f"{condition}: {match.outcome.value}" + (f", {', '.join(reasons)}" if reasons else ""),)


def chance(fate: Fate) -> str:
    """Why it cannot be told which nodes an update reaches: `which nodes is chance: 2 of n1, n2 and n3 keep the old pod, ...`."""
    few, many = fate.kept
    number = str(few) if few == many else f"{few} to {many}"
    keep = f"{number} of {names(fate.nodes)} keep{'s' * (few == many == 1)} the old pod"
    if fate.surge:
        why_so = "as many as wanted nodes lack an available one"
    else:
        why_so = f"for the update stops once {fate.budget} node{'s' * (fate.budget != 1)} lack{'s' * (fate.budget == 1)} an available one"
    held = f" ({names(fate.holders)})" if fate.holders else ""
    if not fate.doubtful:
        return f"which nodes is chance: {keep}, {why_so}{held}"
    one = len(fate.doubtful) == 1
    return f"new pods on {names(fate.doubtful)}, which {'is' if one else 'are'} not Ready, decide: {keep}, {why_so}"


def timed(spec: PodSpec, group: Group) -> tuple[Taint, ...]:
    """The NoExecute taints of a group's node that end the DaemonSet's pod first: those tolerated for the fewest seconds."""
    found: list[tuple[int, Taint]] = []
    for taint in group.node.spec.taints:
        if taint.effect == "NoExecute":
            toleration, _ = find_toleration(daemon_tolerations(spec), taint, None)
            if toleration and toleration.tolerationSeconds is not None:
                found.append((max(toleration.tolerationSeconds, 0), taint))
    fewest = min((seconds for seconds, _ in found), default=0)
    return tuple(taint for seconds, taint in found if seconds == fewest)


def loop_words(group: Group) -> str:
    """What a loop looks like: its period and the taints that drive it."""
    taints = listed(timed(group.daemonset.spec.template.spec, group))
    period = group.verdict.period or 0
    if period == 0:
        return f"tolerates {taints} for 0 s: deleted and re-created without a pause, for ever"
    return f"tolerates {taints} for {period} s: deleted and re-created every {period} s, for ever"
