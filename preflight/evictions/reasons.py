"""Why a pod goes, waits or is held, as facts."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.evictions.pod_index import format_keys
from preflight.model.eviction_reasons import (
    BypassesBudgets,
    CoveredBySeveralBudgets,
    DrainReason,
    EvictionFact,
    EvictionReason,
    RefusedByBudget,
    RefusedByKubectl,
    SharesBudget,
    TimeLimitedTaints,
    UnprotectedByBudgets,
    UntoleratedTaints,
)
from preflight.model.termination_reasons import StaysTerminating
from preflight.scheduling.drain import DrainVerdict, PodDrain
from preflight.scheduling.taint_eviction import TaintEviction

_BUDGET_REFUSALS = (
    DrainReason.NEEDS_ALL_HEALTHY,
    DrainReason.CANNOT_SYNC,
    DrainReason.NONE_EXPECTED,
    DrainReason.NO_LIMIT,
    DrainReason.ZERO_UNAVAILABLE,
    DrainReason.NOT_ENOUGH_HEALTHY,
    DrainReason.SHARED,
    DrainReason.NOT_SYNCED,
    DrainReason.STALE_STATUS,
    DrainReason.FORBIDDEN,
)


def iter_drain_reasons(pod_drain: PodDrain, hang: StaysTerminating | None, *, waits: bool) -> Iterator[EvictionReason]:
    """Why kubectl treats a pod as it does; nothing if it simply goes.

    `waits`: it goes once a replacement is Ready. `hang` is why it does not end then.
    """
    budgets = tuple(format_keys(pod_drain.budgets))
    if pod_drain.reason is DrainReason.SEVERAL_BUDGETS:
        yield CoveredBySeveralBudgets(budgets)
    elif pod_drain.reason in _BUDGET_REFUSALS and budgets:
        yield RefusedByBudget(budgets[0], pod_drain.reason, pod_drain.healthy_pods, waits)
    elif pod_drain.missing_input is not None:
        yield pod_drain.missing_input
    elif pod_drain.verdict is DrainVerdict.REFUSED and pod_drain.filter is not None:
        yield RefusedByKubectl(pod_drain.filter, pod_drain.missing_daemonset)
    elif pod_drain.verdict is DrainVerdict.HELD:
        yield EvictionFact.NODE_REFUSED
    elif pod_drain.reason is DrainReason.BYPASSED and budgets:
        yield BypassesBudgets(budgets)
    elif pod_drain.reason is DrainReason.UNHEALTHY_ALLOWED:
        yield EvictionFact.UNREADY_ALLOWED
    if pod_drain.budget_peers:
        yield SharesBudget(pod_drain.budget_peers)
    if hang is not None:
        yield hang
    if pod_drain.may_return and pod_drain.evicted_at is not None:
        yield EvictionFact.TOLERATES_CORDON


def iter_taint_reasons(taint_eviction: TaintEviction, hang: StaysTerminating | None) -> Iterator[EvictionReason]:
    """Why taint eviction deletes a pod, that no budget helps, and why it does not end then."""
    if taint_eviction.delay is None:
        yield EvictionFact.GATE_UNKNOWN
        return
    if taint_eviction.untolerated_taints:
        yield UntoleratedTaints(taint_eviction.untolerated_taints)
    elif taint_eviction.time_limited_taints:
        yield TimeLimitedTaints(taint_eviction.time_limited_taints, int(taint_eviction.delay))
    if taint_eviction.budgets:
        yield UnprotectedByBudgets(tuple(format_keys(taint_eviction.budgets)))
    if hang is not None:
        yield hang
    if taint_eviction.may_return:
        yield EvictionFact.TOLERATES_TAINTS
