"""Why pods go, stay or wait, what the answer rests on, and what to do before, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from preflight.messages.budgets import describe_budget_change, describe_budget_refusal, format_budget, join_budgets
from preflight.messages.counts import format_count
from preflight.messages.lists import join_and, join_limited, join_node_names
from preflight.messages.termination import describe_hang, describe_help
from preflight.messages.tolerations import describe_untolerated
from preflight.messages.uncertainty import describe_missing_input, describe_uncertainty
from preflight.model.eviction_reasons import (
    AddFlags,
    Advice,
    AwaitJob,
    BudgetWithoutNamespace,
    BypassesBudgets,
    ChangeBudget,
    CoveredBySeveralBudgets,
    EvictionAssumption,
    EvictionFact,
    EvictionNote,
    EvictionReason,
    FreePods,
    KubectlRefusal,
    LastReadyPods,
    MakeRoom,
    MissingInput,
    NodeObstacle,
    OnlyNamespaces,
    OwnerJobFails,
    PartOfNodes,
    PendingReason,
    PlacementFact,
    RefusedByBudget,
    RefusedByKubectl,
    SavePods,
    SharesBudget,
    StaysPending,
    TimeLimitedTaints,
    TooFewFit,
    UnknownPlacement,
    UnprotectedByBudgets,
    UnreadBudgets,
    UnreadPods,
    UntoleratedTaints,
)
from preflight.model.evictions import Eviction
from preflight.model.termination_reasons import StaysTerminating
from preflight.scheduling.drain.pod_filters import quote_kubectl

_MAX_UNCERTAINTIES = 3
_FACT_TEXTS = {
    EvictionFact.NODE_REFUSED: "kubectl refuses the node for another pod",
    EvictionFact.UNREADY_ALLOWED: "it is not Ready, and its budget lets such a pod go",
    EvictionFact.TOLERATES_CORDON: "it tolerates a cordon: its replacement may land on the same node",
    EvictionFact.TOLERATES_TAINTS: "its replacement may land here again, and be deleted again",
    EvictionFact.GATE_UNKNOWN: "whether it tolerates the taint depends on Lt or Gt, and the gate of these is not known (--feature-gates)",
    EvictionFact.NOT_RECREATED: "nothing creates it again",
    EvictionFact.AWAITS_END: "no new one is created before it is gone",
    EvictionFact.OUT_OF_SERVICE: (
        "pod garbage collection deletes it by force, whatever it tolerates, and its volumes are detached: its node is out of service"
    ),
    EvictionFact.WAITS_FOR_NODE: "no other node takes its replacement: it waits until the node is back",
}
_PLACEMENT_TEXTS = {
    PlacementFact.LEADER_DECIDES: "its JobSet places it by its leader",
    PlacementFact.CONTESTED_CAPACITY: "the replacements of other pods may take the room that is left",
}
_NOTE_TEXTS = {
    EvictionNote.REPLACEMENTS_READY: "assumed: replacements that find a node become Ready; until then kubectl asks again every 5 s",
    EvictionNote.DISPLACED_PODS_READY: "assumed: what went in the steps before is Ready again, on nodes that nobody knows",
    EvictionNote.BUDGETS_BYPASSED: "--disable-eviction deletes pods: no budget is asked",
}
_UNKNOWN_ANSWER = "so nobody knows what the API server answers"


def describe_reason(reason: EvictionReason) -> str:
    """Why a pod goes, waits or stays."""
    match reason:
        case EvictionFact():
            return _FACT_TEXTS[reason]
        case CoveredBySeveralBudgets(budgets=budgets):
            return f"{join_budgets(budgets)} select it, and the eviction API refuses a pod with more than one (500)"
        case RefusedByBudget():
            return f"{format_budget(reason.budget)} {describe_budget_refusal(reason)}"
        case RefusedByKubectl():
            return quote_kubectl(reason.filter, reason.daemonset)
        case MissingInput():
            return describe_missing_input(reason)
        case BypassesBudgets(budgets=budgets):
            return f"{join_budgets(budgets)} {'is' if len(budgets) == 1 else 'are'} not asked (--disable-eviction)"
        case SharesBudget():
            return f"{reason.pods} pods share its budget, and which of them go first is chance"
        case StaysTerminating():
            return describe_hang(reason)
        case UntoleratedTaints():
            return describe_untolerated(reason.taints)
        case TimeLimitedTaints():
            return f"tolerates {join_and(reason.taints)} for {reason.seconds} s only"
        case UnprotectedByBudgets():
            return f"{format_budget(join_and(reason.budgets))} does not protect it: taint eviction asks no budget"
        case OwnerJobFails():
            return f"its Job fails: {reason.reason}"
        case LastReadyPods(owner=owner, count=count):
            return f"{owner} has no Ready pod until a replacement is: {'its only one goes' if count == 1 else f'all {count} go'}"
        case StaysPending():
            return f"its replacement stays Pending: {_describe_refusals(reason)}"
        case TooFewFit():
            return f"only {reason.fitting} of {reason.wanted} such pods fit: its replacement stays Pending"
        case UnknownPlacement():
            return f"not known where its replacement goes: {'; '.join(_list_unknown_causes(reason))}"


def _describe_refusals(reason: StaysPending) -> str:
    """The scheduler's message, or all that stands in the way where its words are not certain."""
    if reason.scheduler_message:
        return reason.scheduler_message.rstrip(".")
    return ", ".join(sorted(f"{count} {text}" for text, count in reason.node_counts)) or "no node is there"


def _list_unknown_causes(placement: UnknownPlacement) -> list[str]:
    """The first three causes."""
    texts = (_PLACEMENT_TEXTS[cause] if isinstance(cause, PlacementFact) else describe_uncertainty(cause) for cause in placement.causes)
    return list(dict.fromkeys(texts))[:_MAX_UNCERTAINTIES]


def iter_row_reasons(eviction: Eviction) -> Iterator[str]:
    """The reasons in the table of a node, whose other columns say that a pod is lost."""
    yield from (describe_reason(reason) for reason in eviction.reasons if reason is not EvictionFact.NOT_RECREATED)
    if eviction.localData and eviction.is_leaving:
        yield "the data of its emptyDir is lost"


def describe_obstacles(obstacles: Iterable[NodeObstacle]) -> str:
    """Why a DaemonSet's pod does not find room when it comes back: `Insufficient cpu and Too many pods`."""
    return join_and(dict.fromkeys(obstacle.words for obstacle in obstacles))


def describe_assumption(assumption: EvictionAssumption) -> str:
    """What the answer rests on, and what of it is not known."""
    match assumption:
        case EvictionNote():
            return _NOTE_TEXTS[assumption]
        case OnlyNamespaces():
            return f"only the pods of {join_and(assumption.namespaces)} were given: those of other namespaces are not judged"
        case PartOfNodes(count=count):
            return (
                f"only the pods of {format_count(count, 'node')} were asked for: other nodes may take replacements too, and "
                "anti-affinity of pods there that reaches beyond their own node is not known"
            )
        case UnreadPods(count=count):
            return f"{count} {'pod is' if count == 1 else 'pods are'} not understood, and not judged"
        case BudgetWithoutNamespace():
            return f"{format_budget(f'-/{assumption.name}')} states no namespace, {_UNKNOWN_ANSWER}"
        case UnreadBudgets(cause=cause) if cause:
            return f"not all PodDisruptionBudgets could be had, {_UNKNOWN_ANSWER}: {cause}"
        case UnreadBudgets():
            return (
                f"no PodDisruptionBudget was given, {_UNKNOWN_ANSWER}: add the output of `kubectl get pdb -A -o yaml`, or, where there is "
                "none, of `kubectl get --raw /apis/policy/v1/poddisruptionbudgets`"
            )


def describe_advice(advice: Advice) -> str:
    """What to do before a change that lets pods go."""
    match advice:
        case AddFlags():
            return f"add {join_and(advice.flags)}, or kubectl evicts nothing there"
        case ChangeBudget():
            return describe_budget_change(advice)
        case MakeRoom(nodes=nodes, pods=pods):
            what = f"uncordon {join_node_names(nodes)}" if nodes else "make room, or add nodes"
            return f"{what} for the {'replacement' if len(pods) == 1 else f'{len(pods)} replacements'} of {join_limited(pods)}"
        case SavePods(pods=pods):
            return f"save what you need of {join_limited(pods)}: nothing creates {'it' if len(pods) == 1 else 'them'} again"
        case AwaitJob():
            return f"let Job {advice.job} end first, or ignore DisruptionTarget by a podFailurePolicy when it is created"
        case FreePods():
            return describe_help(advice)


# Findings: each text follows the name of the subject.


def describe_refused_drain(refusal: KubectlRefusal) -> str:
    """That kubectl refuses a node."""
    return f"is not drained, and stays cordoned: kubectl {refusal.words}"


def describe_kept_pods(pods: Sequence[str]) -> str:
    """Which pods a budget keeps on their nodes."""
    return f"not evicted: {join_limited(pods, 'pods')}"


def describe_permanent_loss(node: str) -> str:
    """That nothing creates a pod again."""
    return f"is gone for good once it leaves {node}: nothing controls it"


def describe_lost_data(pods: Sequence[str]) -> str:
    """Whose local data a node loses."""
    return f"loses the emptyDir data of {join_limited(pods, 'pods')}"


def describe_missing_pods(pod: str, pod_count: int, reason: PendingReason) -> str:
    """That an owner gets no replacement for a pod, and how many more of its pods have none."""
    more = "" if pod_count == 1 else f", and {pod_count - 1} more of its pods"
    return f"gets no pod for {pod}{more}: {describe_reason(reason)}"


def describe_full_nodes(nodes: Sequence[str], obstacles: Iterable[NodeObstacle]) -> str:
    """That a DaemonSet's pod does not find room on its nodes again."""
    return f"finds no room on {join_node_names(nodes)} when its pod is created anew: {describe_obstacles(obstacles)}"


def describe_static_pods(pods: Sequence[str]) -> str:
    """That a drained node keeps its static pods."""
    noun, them = ("pod", "it") if len(pods) == 1 else ("pods", "them")
    return f"keeps its static {noun} {join_limited(pods, 'pods')}: a drain does not end {them}"
