"""Which ordinary pods go by a change, node by node: of a drain, a NoExecute taint, a node that shuts down or is gone."""

from __future__ import annotations

from msgspec.structs import replace

from preflight.change.model import Change, PodEnding
from preflight.evictions.deleted_pods import find_deleted_pods, find_ended_pods, find_tainted_pods, gains_deleting_taint
from preflight.evictions.leaving_pod import LeavingPod, LeavingPods, as_scheduled_pod
from preflight.evictions.pod_index import PodIndex, PodKey, format_keys, is_of_daemonset, is_static
from preflight.evictions.reasons import iter_drain_reasons
from preflight.evictions.termination import TerminationIndex
from preflight.model.eviction_reasons import DrainFlag, PodFilter
from preflight.model.evictions import Eviction, EvictionMechanism, EvictionVerdict, NodeEvictions
from preflight.model.pod_scheduling import SchedulerPod
from preflight.model.pod_status import ClusterPod
from preflight.model.releases import Behavior
from preflight.scheduling.drain import (
    DrainAssumptions,
    DrainBehavior,
    DrainVerdict,
    NodeDrain,
    PodDrain,
    assume_immediate_end,
    simulate_drain,
)

_FLAGS = {
    PodFilter.DAEMONSET_REFUSED: DrainFlag.IGNORE_DAEMONSETS,
    PodFilter.LOCAL_DATA: DrainFlag.DELETE_LOCAL_DATA,
    PodFilter.UNMANAGED_REFUSED: DrainFlag.FORCE,
}
_VERDICTS = {
    DrainVerdict.EVICTED: EvictionVerdict.EVICTED,
    DrainVerdict.DELETED: EvictionVerdict.DELETED,
    DrainVerdict.REFUSED: EvictionVerdict.REFUSED,
    DrainVerdict.HELD: EvictionVerdict.HELD,
    DrainVerdict.BLOCKED_FOREVER: EvictionVerdict.BLOCKED_FOREVER,
    DrainVerdict.BLOCKED_NOW: EvictionVerdict.BLOCKED_NOW,
    DrainVerdict.UNKNOWN: EvictionVerdict.UNKNOWN,
    DrainVerdict.SKIPPED: EvictionVerdict.STAYS,
}
_ASSUMED_DELAY = 3600.0
"""Seconds after which the next node is taken to come where kubectl waits for ever: somebody has to do something before."""


def find_leaving_pods(
    change: Change, pod_index: PodIndex, termination_index: TerminationIndex, pending: frozenset[PodKey]
) -> LeavingPods | None:
    """The pods that go; None where the change lets none go.

    `pending` are pods whose replacements fit nowhere for certain: no budget gets them back.
    """
    if change.drain_flags is not None:
        return _find_drained_pods(change, pod_index, termination_index, pending)
    tainted = [name for name in sorted(change.nodes) if gains_deleting_taint(change.before.nodes.get(name), change.after.nodes.get(name))]
    if tainted:
        return find_tainted_pods(change, pod_index, termination_index, tainted)
    if change.deleted_pods is not None:
        return find_deleted_pods(change.deleted_pods, pod_index, termination_index)
    if change.pod_ending is not PodEnding.NOT_ASKED:
        return find_ended_pods(change, pod_index)
    return None


def _find_drained_pods(change: Change, pod_index: PodIndex, termination_index: TerminationIndex, pending: frozenset[PodKey]) -> LeavingPods:
    """A drain, twice: nothing comes back, and every pod ends at once and every replacement that finds a node is Ready at once.

    1. What is blocked in the first course and goes in the second waits for replacements.
    2. The time with whole grace periods is that of a third course, where these keep the replacements of StatefulSets waiting too.
    """
    assert change.drain_flags is not None
    nodes = [change.after.nodes[name] for name in change.node_order]
    now = pod_index.earliest_now
    versions = change.after.versions
    behavior = DrainBehavior(versions.has(Behavior.EMPTY_SELECTOR_GUARDS), versions.has(Behavior.DRAIN_KNOWS_APPS_ONLY))
    obstacles = termination_index.find_obstacles(pod for name in change.node_order for pod in pod_index.pods_by_node.get(name, ()))

    def ready(pod: ClusterPod) -> float | None:
        return None if pod.key in pending else 0.0

    def course(assumed: DrainAssumptions) -> tuple[NodeDrain, ...]:
        assert change.drain_flags is not None
        return simulate_drain(
            nodes,
            pod_index.pods,
            pod_index.budgets,
            pod_index.owners,
            change.drain_flags,
            replace(assumed, now=now, obstacles=obstacles, behavior=behavior),
            None if pod_index.has_all_pods else pod_index.listed_namespaces,
        )

    worst = course(DrainAssumptions())
    best = slow = worst
    if any(drain.verdict is DrainVerdict.BLOCKED_NOW for node in worst for drain in node.pods):
        best = course(DrainAssumptions(ready_after=ready, ends_after=assume_immediate_end, stale_pod_seconds=0))
        slow = course(DrainAssumptions(ready_after=ready))
    shown: list[NodeEvictions] = []
    left: list[LeavingPod] = []
    start = 0.0
    for first, second, third in zip(worst, best, slow, strict=True):
        shown.append(_build_node_evictions(pod_index, first, second, third))
        left += (
            LeavingPod(as_scheduled_pod(drain.pod), start + drain.evicted_at, drain.grace_seconds, drain.hang)
            for drain in second.pods
            if drain.evicted_at is not None and not drain.pod.has_ended
        )
        start += _ASSUMED_DELAY if third.grace_seconds is None else third.grace_seconds + 1
    sure = [node.does_end for node in worst]
    maybe = [node.does_end for node in best]
    ends = True if all(sure) else False if False in maybe else None
    return LeavingPods(EvictionMechanism.DRAIN, tuple(shown), tuple(left), ends)


def _build_node_evictions(pod_index: PodIndex, worst: NodeDrain, best: NodeDrain, slow: NodeDrain) -> NodeEvictions:
    pods: list[Eviction] = []
    daemonsets, static, staying = 0, [], 0
    missing: dict[DrainFlag, None] = {}
    for first, second in zip(worst.pods, best.pods, strict=True):
        pod = as_scheduled_pod(first.pod)
        if first.verdict is DrainVerdict.REFUSED and first.filter in _FLAGS:
            missing[_FLAGS[first.filter]] = None
        if is_static(pod) and first.verdict is DrainVerdict.SKIPPED:
            static.append("/".join(pod.key))
        elif is_of_daemonset(pod) and not pod.has_ended and first.verdict in (DrainVerdict.SKIPPED, DrainVerdict.REFUSED):
            daemonsets += 1
        elif first.verdict is DrainVerdict.SKIPPED:
            staying += 1
        else:
            pods.append(_build_drain_eviction(pod_index, pod, first, second))
    return NodeEvictions(
        node=worst.node,
        pods=tuple(pods),
        daemonsets=daemonsets,
        static=tuple(static),
        staying=staying,
        refusals=worst.refusals,
        missing=tuple(missing),
        ends=worst.does_end if worst.does_end == best.does_end else None,
        exitCodes=tuple(sorted({*worst.exit_codes, *best.exit_codes})),
        least=best.min_seconds,
        withGrace=slow.grace_seconds,
        reached=best.is_reached,
    )


def _build_drain_eviction(pod_index: PodIndex, pod: SchedulerPod, first: PodDrain, second: PodDrain) -> Eviction:
    waits = first.verdict is DrainVerdict.BLOCKED_NOW and second.evicted_at is not None
    shown = second if waits else first
    return Eviction(
        pod="/".join(pod.key),
        owner=pod_index.find_owner(pod),
        verdict=EvictionVerdict.WAITS if waits else _VERDICTS[first.verdict],
        why=first.reason,
        reasons=tuple(iter_drain_reasons(first, shown.hang, waits=waits)),
        after=shown.evicted_at,
        grace=shown.grace_seconds,
        budgets=tuple(format_keys(first.budgets)),
        lost=shown.is_lost,
        localData=shown.has_local_data,
        hang=shown.hang,
    )
