"""What to do before a drain, or another change that lets pods go: which flag, which budget, which owner, which node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from preflight.change.model import Change
from preflight.evictions.pod_index import PodIndex, PodKey, format_keys
from preflight.evictions.replacement_placement import find_nodes_to_uncordon
from preflight.model.eviction_reasons import (
    AddFlags,
    Advice,
    AwaitJob,
    BudgetAction,
    ChangeBudget,
    DrainReason,
    EndReason,
    FreePods,
    MakeRoom,
    SavePods,
    WaitFlag,
)
from preflight.model.evictions import Eviction, EvictionMechanism, EvictionReport, EvictionVerdict, ReplacementOutcome
from preflight.model.owners import OwnerKey
from preflight.model.policy import PodDisruptionBudget
from preflight.model.termination_reasons import HangReason
from preflight.scheduling.budgets import evaluate_budget_health, find_sufficient_replicas, selects

_WAIT_FLAGS = {EvictionMechanism.DRAIN: WaitFlag.SKIP_WAIT, EvictionMechanism.DELETION: WaitFlag.NO_WAIT}
"""The flag of the kubectl that waits until pods are gone, where one does."""

_BLOCKED = (EvictionVerdict.BLOCKED_FOREVER, EvictionVerdict.BLOCKED_NOW)
_ACTIONS = {
    DrainReason.SEVERAL_BUDGETS: BudgetAction.DELETE_OTHERS,
    DrainReason.CANNOT_SYNC: BudgetAction.STATE_INTEGER,
    DrainReason.ZERO_UNAVAILABLE: BudgetAction.ALLOW_ONE,
    DrainReason.NO_LIMIT: BudgetAction.ALLOW_ONE,
    DrainReason.NONE_EXPECTED: BudgetAction.DELETE_OR_ADOPT,
}


def iter_advice(pod_index: PodIndex, change: Change, evictions: EvictionReport, gone: frozenset[PodKey]) -> Iterator[Advice]:
    """What to do, what kubectl refuses first."""
    missing = tuple(dict.fromkeys(flag for node in evictions.nodes for flag in node.missing))
    if missing:
        yield AddFlags(missing)
    yield from _iter_budget_advice(pod_index, evictions)
    yield from _iter_room_advice(pod_index, change, evictions, gone)
    lost = tuple(pod.pod for node in evictions.nodes for pod in node.pods if pod.is_leaving and pod.lost)
    if lost:
        yield SavePods(lost)
    yield from (AwaitJob(job.job) for job in evictions.jobs if job.fails)
    yield from iter_stuck_pods(evictions)


def iter_stuck_pods(evictions: EvictionReport) -> Iterator[FreePods]:
    """The pods that stay in Terminating, or may, by node and reason."""
    found: dict[tuple[str, HangReason, str, bool], list[Eviction]] = {}
    for node in evictions.nodes:
        for pod in node.pods:
            if pod.is_leaving and pod.hang is not None:
                found.setdefault((node.node, pod.hang.cause, pod.hang.driver, pod.hang.certain), []).append(pod)
    endless = {node.node for node in evictions.nodes if node.ends is not True}
    for (name, *_), pods in found.items():
        assert pods[0].hang is not None
        flag = _WAIT_FLAGS.get(evictions.way) if name in endless else None
        yield FreePods(pods[0].hang, tuple(pod.pod for pod in pods), flag)


def _iter_budget_advice(pod_index: PodIndex, evictions: EvictionReport) -> Iterator[ChangeBudget]:
    """One advice for each budget that blocks, or for several that share a pod."""
    by_key = {"/".join(budget.key): budget for budget in pod_index.budgets or ()}
    given: dict[tuple[str, ...], ChangeBudget | None] = {}
    for node in evictions.nodes:
        for pod in node.pods:
            if pod.verdict in _BLOCKED and pod.budgets not in given:
                given[pod.budgets] = _advise_on_budget(pod_index, pod.why, [by_key[name] for name in pod.budgets])
    yield from dict.fromkeys(filter(None, given.values()))


def _advise_on_budget(
    pod_index: PodIndex, reason: DrainReason | EndReason | None, budgets: Sequence[PodDisruptionBudget]
) -> ChangeBudget | None:
    """What helps against a reason; None if nothing is known to help."""
    named = tuple(format_keys(budget.key for budget in budgets))
    first = budgets[0]
    if isinstance(reason, DrainReason) and reason in _ACTIONS:
        return ChangeBudget(_ACTIONS[reason], named)
    if reason is DrainReason.NEEDS_ALL_HEALTHY:
        health = evaluate_budget_health(first, pod_index.pods, pod_index.owners)
        owners = _find_owners(pod_index, first)
        limit = first.spec.minAvailable if first.spec.maxUnavailable is None else None
        enough = health.desired + 1 if isinstance(limit, int) else None if limit is None else find_sufficient_replicas(limit)
        if enough is not None and len(owners) == 1:
            return ChangeBudget(BudgetAction.SCALE_UP, named, owners[0], enough)
        return ChangeBudget(BudgetAction.LOWER_LIMIT, named)
    if reason is DrainReason.NOT_ENOUGH_HEALTHY:
        unready = tuple(
            "/".join(pod.key)
            for pod in pod_index.pods
            if not pod.is_ready and not pod.has_ended and selects(first, pod.metadata.namespace, pod.metadata.labels)
        )
        return ChangeBudget(BudgetAction.GET_READY if unready else BudgetAction.CHECK_HEALTH, named, pods=unready)
    if reason is DrainReason.SHARED and len(owners := _find_owners(pod_index, first)) == 1:
        return ChangeBudget(BudgetAction.SCALE_UP_SHARED, named, owners[0])
    return None


def _find_owners(pod_index: PodIndex, budget: PodDisruptionBudget) -> list[OwnerKey]:
    """What controls the pods that a budget selects."""
    owners = {pod_index.find_owner(pod) for pod in pod_index.pods if selects(budget, pod.metadata.namespace, pod.metadata.labels)}
    return sorted(owner for owner in owners if owner is not None)


def _iter_room_advice(pod_index: PodIndex, change: Change, evictions: EvictionReport, gone: frozenset[PodKey]) -> Iterator[MakeRoom]:
    """Nodes to uncordon, where some replacement stays Pending."""
    pending = {eviction.pod for node in evictions.nodes for eviction in node.pods if eviction.replacement is ReplacementOutcome.PENDING}
    if pending:
        pods = [pod for pod in pod_index.pods if "/".join(pod.key) in pending]
        nodes = find_nodes_to_uncordon(pod_index, pods, change.after.nodes, change.nodes, gone)
        yield MakeRoom(tuple(nodes), tuple(sorted(pending)))
