"""Texts about what PodDisruptionBudgets refuse, and what to change."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.messages.counts import format_count
from preflight.messages.lists import join_and, join_limited, join_node_names
from preflight.model.budget_reasons import AllReplicasNeeded, BudgetLimit, FullLimit, NoLimit, ReplicaSource, ZeroBudgetReason
from preflight.model.eviction_reasons import BudgetAction, ChangeBudget, DrainReason, RefusedByBudget

_PERMANENT_TEXTS = {
    DrainReason.CANNOT_SYNC: "cannot be evaluated by the disruption controller, so it allows no disruption",
    DrainReason.NONE_EXPECTED: "expects 0 pods (those it covers have no controller, or an owner scaled to 0), so it allows no disruption",
    DrainReason.NO_LIMIT: "sets neither minAvailable nor maxUnavailable, so it allows no disruption",
    DrainReason.ZERO_UNAVAILABLE: "has maxUnavailable 0, so it never allows an eviction",
}
_TEMPORARY_TEXTS = {
    DrainReason.SHARED: "allows no further disruption, because other pods of this drain have used up its allowance",
    DrainReason.NOT_SYNCED: "was changed, and the disruption controller has not updated its status since",
    DrainReason.STALE_STATUS: "allows no disruption according to its status, which is stale",
    DrainReason.FORBIDDEN: "has a status that the API server rejects as invalid",
}
_ADVICE_TEXTS = {
    BudgetAction.DELETE_OTHERS: "delete all but one of {budgets}, or narrow a selector",
    BudgetAction.STATE_INTEGER: "set an integer minAvailable in {budget}: the owner of its pods has no scale",
    BudgetAction.ALLOW_ONE: "set maxUnavailable of {budget} to 1 or more during the drain",
    BudgetAction.DELETE_OR_ADOPT: "delete {budget} during the drain, or give its pods a controller",
    BudgetAction.SCALE_UP: "scale {owner} to {replicas} or more, or lower minAvailable of {budget}",
    BudgetAction.LOWER_LIMIT: "lower minAvailable of {budget}, or raise its maxUnavailable, during the drain",
    BudgetAction.GET_READY: "get {pods} Ready: {budget} requires more healthy pods",
    BudgetAction.CHECK_HEALTH: "check why {budget} counts too few healthy pods",
    BudgetAction.SCALE_UP_SHARED: "scale {owner} up: {budget} waits for replacements that fit on no node",
}


def format_budget(name: str) -> str:
    """`PodDisruptionBudget shop/web`."""
    return f"PodDisruptionBudget {name}"


def join_budgets(names: tuple[str, ...]) -> str:
    """`PodDisruptionBudget shop/a and PodDisruptionBudget shop/b`."""
    return join_and(format_budget(name) for name in names)


def describe_budget_refusal(refusal: RefusedByBudget) -> str:
    """Why a budget refuses a pod, for use after its name: `needs 2 healthy pods and has 2 currently`."""
    if refusal.reason in _PERMANENT_TEXTS:
        return _PERMANENT_TEXTS[refusal.reason]
    if refusal.reason in _TEMPORARY_TEXTS:
        return f"{_TEMPORARY_TEXTS[refusal.reason]}{': the pod is evicted once a replacement is Ready' if refusal.waits else ''}"
    healthy = refusal.healthy_pods
    needs = f"needs {healthy.needed} healthy pods and has {healthy.current} currently" if healthy else "has too few healthy pods"
    if refusal.reason is DrainReason.NEEDS_ALL_HEALTHY:
        return f"{needs}; its workloads do not run more pods, so it can never allow an eviction"
    return needs


def describe_budget_change(change: ChangeBudget) -> str:
    """What to do about a budget that blocks."""
    return _ADVICE_TEXTS[change.action].format(
        budget=format_budget(change.budgets[0]),
        budgets=join_budgets(change.budgets),
        owner=change.owner,
        replicas=change.replicas,
        pods=join_limited(change.pods),
    )


def describe_blocked_drain(nodes: Sequence[str], refusal: RefusedByBudget, *, is_permanent: bool) -> str:
    """How a budget affects the drain of nodes, for use after its name."""
    how_long = "permanently" if is_permanent else "for now"
    return f"blocks the drain of {join_node_names(nodes)} {how_long}: it {describe_budget_refusal(refusal)}"


def describe_shared_pods(other_budgets: Sequence[str], pods: str) -> str:
    """That other budgets cover the same pods, for use after the name of the first; `pods` names the pods."""
    return f"and {join_and(other_budgets)} cover {pods}: the eviction API refuses pods covered by more than one PodDisruptionBudget"


def describe_zero_budget(reason: ZeroBudgetReason) -> str:
    """That a budget allows no disruption, and why: never, or while there are no more replicas."""
    match reason:
        case NoLimit():
            return "can never allow a disruption: it sets neither minAvailable nor maxUnavailable"
        case FullLimit():
            return f"can never allow a disruption: {reason.limit} is {reason.value}"
        case AllReplicasNeeded():
            return _describe_needed_replicas(reason)


def _describe_needed_replicas(reason: AllReplicasNeeded) -> str:
    owners, needed = join_and(reason.owners), f"minAvailable {reason.min_available} of {format_count(reason.replicas, 'replica')}"
    allows = f"it allows one from {reason.allows_from} replicas on"
    if reason.source is ReplicaSource.AUTOSCALER:
        text = f"allows no disruption when {join_and(reason.autoscalers)} scales down: {needed} ({owners}); {allows}"
    elif reason.source is ReplicaSource.DEFAULT:
        text = f"allows no disruption: {needed} ({owners} does not set replicas, so it is 1 unless an autoscaler sets it); {allows}"
    else:
        text = f"can never allow a disruption: {needed} ({owners}); {allows}"
    return f"{text}; a kustomization patches it" if reason.is_patched else text


def describe_missing_selector() -> str:
    """That a budget without a selector covers no pods."""
    return "covers no pods: it has no selector"


def describe_unselected_pods(nearest: str, missing_labels: Sequence[str]) -> str:
    """That a budget covers no pods, and which labels the pods of the closest owner lack."""
    closest = f"{nearest} is the closest match, but its pods lack the label {join_and(missing_labels)}"
    return f"covers no pods of the workloads in the input: {closest}"


def describe_missing_scale(limit: BudgetLimit, owners: Sequence[str], owner_count: int) -> str:
    """That a limit needs the scale of owners that have none."""
    field = limit.value if limit is BudgetLimit.MAX_UNAVAILABLE else f"a percentage of {limit}"
    return f"allows no disruption: {field} needs a scale, and {join_and(owners)} {'has' if owner_count == 1 else 'have'} none"


OTHER_SELECTOR = "the other selector"


def describe_pods_of(owners: str) -> str:
    """The pods of workloads."""
    return f"the pods of {owners}"
