"""Texts about why pods are evicted, stay or wait, what the answer assumes, and what to do first."""

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
    EvictionFact.NODE_REFUSED: "kubectl refuses the node because of another pod",
    EvictionFact.UNREADY_ALLOWED: "it is not Ready, and its PodDisruptionBudget allows the eviction of such pods",
    EvictionFact.TOLERATES_CORDON: "it tolerates a cordon: its replacement may be scheduled on the same node",
    EvictionFact.TOLERATES_TAINTS: "its replacement may be scheduled here again, and deleted again",
    EvictionFact.GATE_UNKNOWN: (
        "unknown whether it tolerates the taint: Lt and Gt depend on feature gate TaintTolerationComparisonOperators, which is not given "
        "(--feature-gates)"
    ),
    EvictionFact.NOT_RECREATED: "nothing re-creates it",
    EvictionFact.AWAITS_END: "no replacement is created before it ends",
    EvictionFact.OUT_OF_SERVICE: (
        "its node is out of service: pod garbage collection force-deletes it regardless of its tolerations, and its volumes are detached"
    ),
    EvictionFact.WAITS_FOR_NODE: "its replacement fits on no other node: it waits until the node is back",
}
_PLACEMENT_TEXTS = {
    PlacementFact.LEADER_DECIDES: "the leader pod of its Job decides where it can run (JobSet)",
    PlacementFact.CONTESTED_CAPACITY: "the replacements of other pods may use the remaining capacity",
}
_NOTE_TEXTS = {
    EvictionNote.REPLACEMENTS_READY: "assumes that replacements that fit on a node become Ready; until then kubectl retries every 5 s",
    EvictionNote.DISPLACED_PODS_READY: "assumes that pods evicted in earlier steps are Ready again, on unknown nodes",
    EvictionNote.BUDGETS_BYPASSED: "--disable-eviction deletes pods without checking PodDisruptionBudgets",
}
_UNKNOWN_ANSWER = "so the answer of the API server is unknown"


def describe_reason(reason: EvictionReason) -> str:
    """Why a pod leaves, waits or stays."""
    match reason:
        case EvictionFact():
            return _FACT_TEXTS[reason]
        case CoveredBySeveralBudgets(budgets=budgets):
            return f"{join_budgets(budgets)} cover it, and the eviction API refuses a pod covered by more than one (500)"
        case RefusedByBudget():
            return f"{format_budget(reason.budget)} {describe_budget_refusal(reason)}"
        case RefusedByKubectl():
            return quote_kubectl(reason.filter, reason.daemonset)
        case MissingInput():
            return describe_missing_input(reason)
        case BypassesBudgets(budgets=budgets):
            return f"{join_budgets(budgets)} {'is' if len(budgets) == 1 else 'are'} not checked (--disable-eviction)"
        case SharesBudget():
            return f"{reason.pods} pods share its PodDisruptionBudget; which of them are evicted first is not deterministic"
        case StaysTerminating():
            return describe_hang(reason)
        case UntoleratedTaints():
            return describe_untolerated(reason.taints)
        case TimeLimitedTaints():
            return f"tolerates {join_and(reason.taints)} for {reason.seconds} s only"
        case UnprotectedByBudgets(budgets=budgets):
            verb = "does" if len(budgets) == 1 else "do"
            return f"{join_budgets(budgets)} {verb} not protect it: taint eviction ignores PodDisruptionBudgets"
        case OwnerJobFails():
            return f"its Job fails: {reason.reason}"
        case LastReadyPods(owner=owner, count=count):
            loss = "it loses its only one" if count == 1 else f"it loses all {count}"
            return f"{owner} has no Ready pod until a replacement is Ready: {loss}"
        case StaysPending():
            return f"its replacement stays Pending: {_describe_refusals(reason)}"
        case TooFewFit():
            return f"its replacement stays Pending: {_count_fitting(reason)}"
        case UnknownPlacement():
            return f"unknown where its replacement fits: {'; '.join(_list_unknown_causes(reason))}"


def _describe_refusals(reason: StaysPending) -> str:
    """The scheduler's message, or a list of all obstacles if its text is not certain."""
    if reason.scheduler_message:
        return reason.scheduler_message.rstrip(".")
    return ", ".join(sorted(f"{count} {text}" for text, count in reason.node_counts)) or "there is no node"


def _count_fitting(reason: TooFewFit) -> str:
    return f"only {reason.fitting} of {reason.wanted} such replacements {'fits' if reason.fitting == 1 else 'fit'}"


def _list_unknown_causes(placement: UnknownPlacement) -> list[str]:
    """The first three causes."""
    texts = (_PLACEMENT_TEXTS[cause] if isinstance(cause, PlacementFact) else describe_uncertainty(cause) for cause in placement.causes)
    return list(dict.fromkeys(texts))[:_MAX_UNCERTAINTIES]


def iter_row_reasons(eviction: Eviction) -> Iterator[str]:
    """The reasons in the table of a node, whose other columns say that a pod is lost."""
    yield from (describe_reason(reason) for reason in eviction.reasons if reason is not EvictionFact.NOT_RECREATED)
    if eviction.localData and eviction.is_leaving:
        yield "its emptyDir data is lost"


def describe_obstacles(obstacles: Iterable[NodeObstacle]) -> str:
    """Why a DaemonSet's pod does not fit when it is re-created: `Insufficient cpu and Too many pods`."""
    return join_and(dict.fromkeys(obstacle.words for obstacle in obstacles))


def describe_assumption(assumption: EvictionAssumption) -> str:
    """What the answer assumes, and what is unknown."""
    match assumption:
        case EvictionNote():
            return _NOTE_TEXTS[assumption]
        case OnlyNamespaces(namespaces=namespaces):
            where = f"namespace{'s' if len(namespaces) > 1 else ''} {join_and(namespaces)}"
            return f"only pods of {where} are in the input: pods of other namespaces are not checked"
        case PartOfNodes(count=count):
            return (
                f"only the pods of {format_count(count, 'node')} were requested: replacements may fit on other nodes too, and "
                "anti-affinity of pods there that extends beyond their own node is unknown"
            )
        case UnreadPods(count=count):
            return f"{count} {'pod' if count == 1 else 'pods'} could not be read and {'is' if count == 1 else 'are'} not checked"
        case BudgetWithoutNamespace():
            return f"{format_budget(f'-/{assumption.name}')} has no namespace, {_UNKNOWN_ANSWER}"
        case UnreadBudgets(cause=cause) if cause:
            return f"not all PodDisruptionBudgets could be read, {_UNKNOWN_ANSWER}: {cause}"
        case UnreadBudgets():
            return (
                f"no PodDisruptionBudgets in the input, {_UNKNOWN_ANSWER}: add the output of `kubectl get pdb -A -o yaml` or, if there are "
                "none, of `kubectl get --raw /apis/policy/v1/poddisruptionbudgets`"
            )


def describe_advice(advice: Advice) -> str:
    """What to do before a change that removes pods."""
    match advice:
        case AddFlags():
            return f"add {join_and(advice.flags)}; without {'it' if len(advice.flags) == 1 else 'them'} kubectl evicts nothing there"
        case ChangeBudget():
            return describe_budget_change(advice)
        case MakeRoom(nodes=nodes, pods=pods):
            what = f"uncordon {join_node_names(nodes)}" if nodes else "free capacity or add nodes"
            return f"{what} for the {'replacement' if len(pods) == 1 else f'{len(pods)} replacements'} of {join_limited(pods)}"
        case SavePods(pods=pods):
            return f"save what you need from {join_limited(pods)}: nothing re-creates {'it' if len(pods) == 1 else 'them'}"
        case AwaitJob():
            return f"let Job {advice.job} finish first, or create it with a podFailurePolicy that ignores DisruptionTarget"
        case FreePods():
            return describe_help(advice)


# Findings: each text follows the name of the subject.


def describe_refused_drain(refusal: KubectlRefusal) -> str:
    """That kubectl refuses a node."""
    return f"is not drained but stays cordoned: kubectl {refusal.words}"


def describe_kept_pods(pods: Sequence[str]) -> str:
    """Which pods a budget keeps on their nodes."""
    return f"not evicted: {join_limited(pods, 'pods')}"


def describe_permanent_loss(node: str) -> str:
    """That nothing re-creates a pod."""
    return f"is lost permanently once it leaves {node}: it has no controller that re-creates it"


def describe_lost_data(pods: Sequence[str]) -> str:
    """Whose local data a node loses."""
    return f"loses the emptyDir data of {join_limited(pods, 'pods')}"


def describe_missing_pods(pod: str, pod_count: int, reason: PendingReason) -> str:
    """That the replacements of an owner's pods stay Pending: the first pod, how many there are, and why."""
    cause = _describe_refusals(reason) if isinstance(reason, StaysPending) else _count_fitting(reason)
    if pod_count == 1:
        return f"has no node for the replacement of {pod}: {cause}"
    return f"has no node for the replacements of {pod_count} pods ({pod} and {pod_count - 1} more): {cause}"


def describe_full_nodes(nodes: Sequence[str], obstacles: Iterable[NodeObstacle]) -> str:
    """That a DaemonSet's pod does not fit on its nodes again."""
    return f"does not fit on {join_node_names(nodes)} when its pod is re-created: {describe_obstacles(obstacles)}"


def describe_static_pods(pods: Sequence[str]) -> str:
    """That a drained node keeps its static pods."""
    noun = "pod" if len(pods) == 1 else "pods"
    return f"keeps its static {noun} {join_limited(pods, 'pods')}: a drain does not end static pods"
