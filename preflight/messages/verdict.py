"""The first sentence of a report, in words."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.messages.counts import format_count
from preflight.messages.groups import describe_shared_reasons, select_causes
from preflight.messages.lists import join_limited
from preflight.messages.times import format_seconds
from preflight.model.evictions import EvictionMechanism
from preflight.model.verdict import (
    AffectedWorkloads,
    CoverageGain,
    CoverageLoss,
    DrainEnd,
    DrainResult,
    FailingJobs,
    Faults,
    FindingCount,
    InterruptedWorkloads,
    LeavingPods,
    LossMoment,
    NoFault,
    PlainFact,
    ReplacementLoss,
    StuckPods,
    UnknownCoverage,
    UnreadInput,
    Verdict,
    VerdictFact,
)

_PLAIN_FACTS = {
    PlainFact.RULE_CRASHED: "a rule crashed: this report is incomplete",
    PlainFact.NOTHING_CHECKED: "nothing was checked",
    PlainFact.NOT_ALL_KNOWN: "not everything is known",
    PlainFact.NO_LOSS: "no DaemonSet loses a node",
    PlainFact.NO_PAST_LOSS: "no DaemonSet has lost a node",
    PlainFact.NO_ERROR: "no errors",
    PlainFact.NO_FINDING: "no findings",
    PlainFact.NO_POD_LEAVES: "no pod has to go",
}
_GOING = {
    EvictionMechanism.DRAIN: ("is evicted", "are evicted"),
    EvictionMechanism.DELETION: ("is deleted", "are deleted"),
    EvictionMechanism.TAINT: ("is deleted by the NoExecute taint", "are deleted by the NoExecute taint"),
    EvictionMechanism.SHUTDOWN: ("ends with the node", "end with their nodes"),
    EvictionMechanism.GONE: ("is lost with the node", "are lost with their nodes"),
}


def describe_verdict(verdict: Verdict) -> str:
    """The sentence."""
    return "; ".join(map(describe_fact, verdict.facts))


def describe_fact(fact: VerdictFact) -> str:
    """One fact of the sentence."""
    match fact:
        case CoverageLoss():
            return _describe_loss(fact)
        case CoverageGain(daemonsets, nodes):
            verb = "starts" if len(daemonsets) == 1 else "start"
            return f"{_name_daemonsets(daemonsets)} {verb} on {_name_nodes(nodes)}"
        case ReplacementLoss(daemonsets, nodes):
            verb, which = ("loses" if len(daemonsets) == 1 else "lose"), ("it is" if len(nodes) == 1 else "they are")
            return f"{_name_daemonsets(daemonsets)} {verb} {_name_nodes(nodes)} if {which} replaced"
        case AffectedWorkloads(count):
            return f"{format_count(count, 'workload')} {'is' if count == 1 else 'are'} affected"
        case UnknownCoverage(count, total, text, effect):
            reason = describe_shared_reasons(select_causes(effect)) if effect is not None and effect.reasons else text
            which = f"{count} of {format_count(total, 'DaemonSet')}" if count < total or total > 1 else "the DaemonSet"
            return f"unknown for {which}{f': {reason}' if reason else ''}"
        case UnreadInput(message, count):
            return f"unknown: {message}{f' (and {count - 1} more)' if count > 1 else ''}"
        case DrainResult():
            return _describe_drain(fact)
        case LeavingPods():
            return _describe_leaving_pods(fact)
        case StuckPods(count, is_certain):
            verb = ("stays" if count == 1 else "stay") if is_certain else "may stay"
            return f"{format_count(count, 'pod')} {verb} in Terminating"
        case FailingJobs(count, is_certain):
            verb = ("fails" if count == 1 else "fail") if is_certain else "may fail"
            return f"{format_count(count, 'Job')} {verb}"
        case InterruptedWorkloads(count):
            verb = "has" if count == 1 else "have"
            return f"{format_count(count, 'workload')} {verb} no Ready pod until a replacement is Ready"
        case FindingCount(severity, count, rules):
            return f"{format_count(count, severity)}: {join_limited(rules, 'rules')}"
        case Faults(count, has_causes):
            return f"{format_count(count, 'fault')} found{', root causes first' if has_causes and count > 1 else ''}"
        case NoFault(node_count):
            return f"no fault found on {format_count(node_count, 'node')}"
        case PlainFact():
            return _PLAIN_FACTS[fact]


def _name_daemonsets(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else format_count(len(names), "DaemonSet")


def _name_nodes(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else format_count(len(names), "node")


def _describe_loss(loss: CoverageLoss) -> str:
    is_one = len(loss.daemonsets) == 1
    who, where = _name_daemonsets(loss.daemonsets), _name_nodes(loss.nodes)
    match loss.moment:
        case LossMoment.LOOP:
            return f"{who} {'is' if is_one else 'are'} deleted and re-created again and again on {where}"
        case LossMoment.PAST:
            return f"{who} {'has' if is_one else 'have'} lost {where}"
        case LossMoment.NOW:
            return f"{who} {'loses' if is_one else 'lose'} {where} now"
        case LossMoment.RECREATION:
            return f"{who} {'loses' if is_one else 'lose'} {where} when {'its' if is_one else 'their'} pods are re-created"
        case LossMoment.MIXED:
            return f"{who} {'loses' if is_one else 'lose'} {where}, some now and some when pods are re-created"


def _describe_drain(drain: DrainResult) -> str:
    where = f"{_name_nodes(drain.nodes)}" if len(drain.nodes) == 1 else f"{len(drain.nodes)} of {format_count(drain.total, 'node')}"
    match drain.end:
        case DrainEnd.REFUSED:
            help_text = f": add {' '.join(drain.flags)}" if drain.flags else ""
            return f"kubectl refuses {'this drain' if len(drain.nodes) == drain.total else f'to drain {where}'}{help_text}"
        case DrainEnd.NEVER:
            place = f": kubectl is stuck on {_name_nodes(drain.nodes)}" if drain.nodes else ""
            return f"the drain never ends{place}{_blame_budgets(drain.budgets)}"
        case DrainEnd.UNKNOWN:
            return "unknown whether the drain ends"
        case DrainEnd.REPLACEMENTS:
            return f"the drain ends only after replacement pods are Ready{_blame_budgets(drain.budgets)}"
        case DrainEnd.ENDS:
            return f"the drain ends{f' within {format_seconds(drain.seconds)}' if drain.seconds is not None and drain.seconds >= 1 else ''}"


def _blame_budgets(budgets: Sequence[str]) -> str:
    if not budgets:
        return ""
    verb = "allows" if len(budgets) == 1 else "allow"
    noun = "PodDisruptionBudget" if len(budgets) == 1 else "PodDisruptionBudgets"
    return f" ({noun} {join_limited(budgets)} {verb} no eviction)"


def _describe_leaving_pods(pods: LeavingPods) -> str:
    parts = []
    if pods.lost_count:
        parts.append(f"{pods.lost_count} {'is' if pods.lost_count == 1 else 'are'} lost for good")
    if pods.pending_count:
        parts.append(f"{format_count(pods.pending_count, 'replacement')} {'stays' if pods.pending_count == 1 else 'stay'} Pending")
    if pods.unplaced_count:
        parts.append(f"unknown whether {format_count(pods.unplaced_count, 'replacement')} can be scheduled")
    if not parts and 0 < pods.placed_count == pods.count:
        parts.append("finds another node" if pods.count == 1 else "all find another node")
    text = f"{format_count(pods.count, 'pod')} {_GOING[pods.mechanism][pods.count != 1]}"
    if pods.unknown_count:
        more = f"{format_count(pods.unknown_count, 'pod')} unknown"
        text = f"{text}, {more}" if pods.count else more
    return f"{text}: {', '.join(parts)}" if parts else text
