"""Why a pod goes, waits or is held, in sentences that a tired person can act on."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.lists import join_and
from preflight.scheduling.drain import DrainReason, DrainVerdict, PodDrain
from preflight.scheduling.taint_eviction import TaintEviction

_PERMANENT_BLOCK_TEXTS = {
    DrainReason.CANNOT_SYNC: "cannot be counted by the disruption controller, so it allows nothing",
    DrainReason.NONE_EXPECTED: "expects no pod: what it selects is bare, or wanted 0 times, so it allows nothing",
    DrainReason.NO_LIMIT: "states neither minAvailable nor maxUnavailable, so it allows nothing",
    DrainReason.ZERO_UNAVAILABLE: "has maxUnavailable 0: no pod of it may ever be evicted",
}
_TEMPORARY_BLOCK_TEXTS = {
    DrainReason.SHARED: "allows no more at once, and other pods of this drain took what it allowed",
    DrainReason.NOT_SYNCED: "was changed, and the disruption controller has not looked since",
    DrainReason.STALE_STATUS: "allows nothing by its status, which is stale",
    DrainReason.FORBIDDEN: "has a status that the API server takes for broken",
}


def explain_drain_verdict(pod_drain: PodDrain, *, waits: bool) -> Iterator[str]:
    """Why kubectl does to a pod what it does; nothing where it simply goes."""
    budgets = [f"PodDisruptionBudget {'/'.join(key)}" for key in pod_drain.budgets]
    if pod_drain.reason is DrainReason.SEVERAL_BUDGETS:
        yield f"{join_and(budgets)} select it, and the eviction API refuses a pod with more than one (500)"
    elif pod_drain.reason is DrainReason.NEEDS_ALL_HEALTHY and budgets:
        yield f"{budgets[0]} {_describe_budget_needs(pod_drain)}, and there can be no more: it never lets one go"
    elif pod_drain.reason in _PERMANENT_BLOCK_TEXTS and budgets:
        yield f"{budgets[0]} {_PERMANENT_BLOCK_TEXTS[pod_drain.reason]}"
    elif pod_drain.reason is DrainReason.NOT_ENOUGH_HEALTHY and budgets:
        yield f"{budgets[0]} {_describe_budget_needs(pod_drain)}"
    elif pod_drain.reason in _TEMPORARY_BLOCK_TEXTS and budgets:
        yield f"{budgets[0]} {_TEMPORARY_BLOCK_TEXTS[pod_drain.reason]}" + (": it goes once a replacement is Ready" if waits else "")
    elif pod_drain.verdict is DrainVerdict.UNKNOWN or pod_drain.verdict is DrainVerdict.REFUSED:
        yield pod_drain.detail
    elif pod_drain.verdict is DrainVerdict.HELD:
        yield "kubectl refuses the node for another pod"
    elif pod_drain.reason is DrainReason.BYPASSED and budgets:
        yield f"{join_and(budgets)} {'is' if len(budgets) == 1 else 'are'} not asked (--disable-eviction)"
    elif pod_drain.reason is DrainReason.UNHEALTHY_ALLOWED:
        yield "it is not Ready, and its budget lets such a pod go"
    if pod_drain.budget_peers:
        yield f"{pod_drain.budget_peers} pods share its budget, and which of them go first is chance"
    if pod_drain.hang_reason:
        yield f"it stays in Terminating: {pod_drain.hang_reason}"
    if pod_drain.may_return and pod_drain.evicted_at is not None:
        yield "it tolerates a cordon: its replacement may land on the same node"


def _describe_budget_needs(pod_drain: PodDrain) -> str:
    """`needs 2 healthy pods and has 2 currently`, as the API server says it."""
    found = pod_drain.cause.partition(" needs ")[2]
    return f"needs {found}" if found else "has too few healthy pods"


def explain_taint_eviction(taint_eviction: TaintEviction) -> Iterator[str]:
    """Why taint eviction deletes a pod, and that no budget helps."""
    if taint_eviction.delay is None:
        yield "whether it tolerates the taint depends on Lt or Gt, and the gate of these is not known (--feature-gates)"
        return
    if taint_eviction.untolerated_taints:
        yield f"does not tolerate {join_and(taint_eviction.untolerated_taints)}"
    elif taint_eviction.time_limited_taints:
        yield f"tolerates {join_and(taint_eviction.time_limited_taints)} for {int(taint_eviction.delay)} s only"
    if taint_eviction.budgets:
        yield (
            f"PodDisruptionBudget {join_and('/'.join(key) for key in taint_eviction.budgets)} "
            f"does not protect it: taint eviction asks no budget"
        )
    if taint_eviction.may_return:
        yield "its replacement may land here again, and be deleted again"
