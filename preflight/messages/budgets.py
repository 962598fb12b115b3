"""What PodDisruptionBudgets refuse, and what to change, in words."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.messages.counts import format_count
from preflight.messages.lists import join_and, join_limited, join_node_names
from preflight.model.budget_reasons import AllReplicasNeeded, BudgetLimit, FullLimit, NoLimit, ZeroBudgetReason
from preflight.model.eviction_reasons import BudgetAction, ChangeBudget, DrainReason, RefusedByBudget

_PERMANENT_TEXTS = {
    DrainReason.CANNOT_SYNC: "cannot be counted by the disruption controller, so it allows nothing",
    DrainReason.NONE_EXPECTED: "expects no pod: what it selects is bare, or wanted 0 times, so it allows nothing",
    DrainReason.NO_LIMIT: "states neither minAvailable nor maxUnavailable, so it allows nothing",
    DrainReason.ZERO_UNAVAILABLE: "has maxUnavailable 0: no pod of it may ever be evicted",
}
_TEMPORARY_TEXTS = {
    DrainReason.SHARED: "allows no more at once, and other pods of this drain took what it allowed",
    DrainReason.NOT_SYNCED: "was changed, and the disruption controller has not looked since",
    DrainReason.STALE_STATUS: "allows nothing by its status, which is stale",
    DrainReason.FORBIDDEN: "has a status that the API server takes for broken",
}
_ADVICE_TEXTS = {
    BudgetAction.DELETE_OTHERS: "delete all but one of {budgets}, or narrow a selector",
    BudgetAction.STATE_INTEGER: "give {budget} an integer minAvailable: its pods have an owner without a scale",
    BudgetAction.ALLOW_ONE: "set maxUnavailable of {budget} to 1 or more while you drain",
    BudgetAction.DELETE_OR_ADOPT: "delete {budget} while you drain, or give its pods a controller",
    BudgetAction.SCALE_UP: "scale {owner} to {replicas} or more, or lower minAvailable of {budget}",
    BudgetAction.LOWER_LIMIT: "lower minAvailable of {budget}, or raise its maxUnavailable, while you drain",
    BudgetAction.GET_READY: "get {pods} Ready, which {budget} waits for",
    BudgetAction.CHECK_HEALTH: "see why {budget} counts too few healthy pods",
    BudgetAction.SCALE_UP_SHARED: "scale {owner} up, for {budget} waits for replacements that fit nowhere",
}


def format_budget(name: str) -> str:
    """`PodDisruptionBudget shop/web`."""
    return f"PodDisruptionBudget {name}"


def join_budgets(names: tuple[str, ...]) -> str:
    """`PodDisruptionBudget shop/a and PodDisruptionBudget shop/b`."""
    return join_and(format_budget(name) for name in names)


def describe_budget_refusal(refusal: RefusedByBudget) -> str:
    """What a budget does to a pod, to follow its name: `needs 2 healthy pods and has 2 currently`."""
    if refusal.reason in _PERMANENT_TEXTS:
        return _PERMANENT_TEXTS[refusal.reason]
    if refusal.reason in _TEMPORARY_TEXTS:
        return f"{_TEMPORARY_TEXTS[refusal.reason]}{': it goes once a replacement is Ready' if refusal.waits else ''}"
    healthy = refusal.healthy_pods
    needs = f"needs {healthy.needed} healthy pods and has {healthy.current} currently" if healthy else "has too few healthy pods"
    return f"{needs}, and there can be no more: it never lets one go" if refusal.reason is DrainReason.NEEDS_ALL_HEALTHY else needs


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
    """What a budget does to the drain of nodes, to follow its name."""
    how_long = "for ever" if is_permanent else "for now"
    return f"blocks the drain of {join_node_names(nodes)} {how_long}: it {describe_budget_refusal(refusal)}"


def describe_shared_pods(other_budgets: Sequence[str], pods: str) -> str:
    """That other budgets select the same pods, to follow the name of the first; `pods` names the pods."""
    return f"and {join_and(other_budgets)} select {pods}: no eviction of a pod with more than one budget is granted"


def describe_zero_budget(reason: ZeroBudgetReason) -> str:
    """That a budget never allows a disruption, and why."""
    return f"never allows a disruption: {_describe_zero_budget_reason(reason)}"


def _describe_zero_budget_reason(reason: ZeroBudgetReason) -> str:
    match reason:
        case NoLimit():
            return "it states neither minAvailable nor maxUnavailable"
        case FullLimit():
            return f"{reason.limit} is {reason.value}"
        case AllReplicasNeeded(owners=owners):
            have = f"{join_and(owners)} {'has' if len(owners) == 1 else 'have'} {format_count(reason.replicas, 'replica')}"
            return f"minAvailable is {reason.min_available}, and {have}"


def describe_missing_selector() -> str:
    """That a budget without a selector selects no pod."""
    return "selects no pod: it has no selector"


def describe_unselected_pods(nearest: str, missing_labels: Sequence[str]) -> str:
    """That a budget selects no pod, and by which labels it misses the pods of the nearest owner."""
    return f"selects no pod: {nearest} comes nearest, and its pods have no label {join_and(missing_labels)}"


def describe_missing_scale(limit: BudgetLimit, owners: Sequence[str], owner_count: int) -> str:
    """That a limit needs the scale of owners that have none."""
    field = limit.value if limit is BudgetLimit.MAX_UNAVAILABLE else f"a percentage of {limit}"
    return f"allows nothing: {field} needs a scale, and {join_and(owners)} {'has' if owner_count == 1 else 'have'} none"


OTHER_SELECTOR = "the other selector"


def describe_pods_of(owners: str) -> str:
    """The pods of some workloads."""
    return f"the pods of {owners}"
