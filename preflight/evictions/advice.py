"""What to do before a drain, or another change that lets pods go: which flag, which budget, which owner, which node."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.change.model import Change
from preflight.evictions.pod_index import PodIndex, PodKey
from preflight.evictions.replacement_placement import find_nodes_to_uncordon
from preflight.messages.lists import join_and, join_node_names
from preflight.model.budgets import PodDisruptionBudget
from preflight.model.evictions import EvictionReport
from preflight.scheduling.budgets import evaluate_budget_health, selects

_MAX_LISTED = 4


def iter_advice(pod_index: PodIndex, change: Change, evictions: EvictionReport, gone: frozenset[PodKey]) -> Iterator[str]:
    """Sentences, what kubectl refuses first."""
    missing = dict.fromkeys(flag for node in evictions.nodes for flag in node.missing)
    if missing:
        yield f"add {join_and(missing)}, or kubectl evicts nothing there"
    yield from _iter_budget_advice(pod_index, evictions)
    yield from _iter_uncordon_advice(pod_index, change, evictions, gone)
    lost = [pod.pod for node in evictions.nodes for pod in node.pods if pod.is_leaving and pod.lost]
    if lost:
        yield f"save what you need of {_join_limited(lost)}: nothing creates {'it' if len(lost) == 1 else 'them'} again"
    for job in evictions.jobs:
        if job.fails:
            yield f"let Job {job.job} end first, or ignore DisruptionTarget by a podFailurePolicy when it is created"


def _iter_budget_advice(pod_index: PodIndex, evictions: EvictionReport) -> Iterator[str]:
    """One sentence for each budget that blocks."""
    by_key = {"/".join(budget.key): budget for budget in pod_index.budgets or ()}
    said: dict[tuple[str, ...], str] = {}
    for node in evictions.nodes:
        for pod in node.pods:
            if pod.verdict in ("blocked-for-ever", "blocked-now") and pod.budgets not in said:
                said[pod.budgets] = _describe_blocking_budget(pod_index, pod.why, [by_key[name] for name in pod.budgets])
    yield from dict.fromkeys(filter(None, said.values()))


def _describe_blocking_budget(pod_index: PodIndex, reason: str, budgets: list[PodDisruptionBudget]) -> str:
    named = [f"PodDisruptionBudget {'/'.join(budget.key)}" for budget in budgets]
    first = budgets[0]
    if reason == "several-budgets":
        return f"delete all but one of {join_and(named)}, or narrow a selector"
    if reason == "cannot-sync":
        return f"give {named[0]} an integer minAvailable: its pods have an owner without a scale"
    if reason in ("none-may-lack", "no-limit"):
        return f"set maxUnavailable of {named[0]} to 1 or more while you drain"
    if reason == "none-expected":
        return f"delete {named[0]} while you drain, or give its pods a controller"
    owners = sorted(
        {pod_index.describe_owner(pod) for pod in pod_index.pods if selects(first, pod.metadata.namespace, pod.metadata.labels)} - {""}
    )
    if reason == "needs-all":
        made = evaluate_budget_health(first, pod_index.pods, pod_index.owners)
        if isinstance(first.spec.minAvailable, int) and len(owners) == 1 and first.spec.maxUnavailable is None:
            return f"scale {owners[0]} to {made.desired + 1} or more, or lower minAvailable of {named[0]}"
        return f"lower minAvailable of {named[0]}, or raise its maxUnavailable, while you drain"
    if reason == "not-enough-healthy":
        sick = [
            "/".join(pod.key)
            for pod in pod_index.pods
            if not pod.is_ready and not pod.has_ended and selects(first, pod.metadata.namespace, pod.metadata.labels)
        ]
        return f"get {_join_limited(sick)} Ready, which {named[0]} waits for" if sick else f"see why {named[0]} counts too few healthy pods"
    if reason == "shared":
        return f"scale {owners[0]} up, for {named[0]} waits for replacements that fit nowhere" if len(owners) == 1 else ""
    return ""


def _iter_uncordon_advice(pod_index: PodIndex, change: Change, evictions: EvictionReport, gone: frozenset[PodKey]) -> Iterator[str]:
    """Nodes to uncordon, where some replacement stays Pending."""
    pending = {eviction.pod for node in evictions.nodes for eviction in node.pods if eviction.replacement == "pending"}
    if not pending:
        return
    pods = [pod for pod in pod_index.pods if "/".join(pod.key) in pending]
    free = find_nodes_to_uncordon(pod_index, pods, change.after.nodes, change.nodes, gone)
    room = f"uncordon {join_node_names(free)}" if free else "make room, or add nodes"
    yield f"{room} for the {'replacement' if len(pending) == 1 else f'{len(pending)} replacements'} of {_join_limited(sorted(pending))}"


def _join_limited(items: list[str]) -> str:
    return (
        join_and(items) if len(items) <= _MAX_LISTED else f"{', '.join(items[: _MAX_LISTED - 1])} and {len(items) - _MAX_LISTED + 1} more"
    )
