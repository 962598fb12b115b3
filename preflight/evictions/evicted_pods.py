"""Which ordinary pods go by a change, node by node: of a drain, a NoExecute taint, a node that shuts down or is gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from preflight.change.model import Change, PodEnding
from preflight.evictions.pod_index import PodIndex, PodKey, format_keys, is_of_daemonset, is_static
from preflight.evictions.reasons import iter_drain_reasons, iter_taint_reasons
from preflight.model.core import Node
from preflight.model.eviction_reasons import DrainFlag, EndReason, PodFilter
from preflight.model.evictions import Eviction, EvictionMechanism, EvictionVerdict, NodeEvictions
from preflight.model.pod_scheduling import SchedulerPod
from preflight.model.pod_status import ClusterPod
from preflight.scheduling.budgets import find_covering_budgets
from preflight.scheduling.drain import DrainAssumptions, DrainVerdict, NodeDrain, PodDrain, assume_immediate_end, simulate_drain
from preflight.scheduling.drain.model import find_grace_period
from preflight.scheduling.drain.pod_filters import has_local_data
from preflight.scheduling.taint_eviction import TaintEviction, predict_taint_evictions
from preflight.scheduling.tolerations import NEVER

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


class LeavingPod(Struct, frozen=True):
    """A pod that goes: when, in seconds from the start of the change, whether for certain, and what it leaves of time to end."""

    pod: SchedulerPod
    leaves_at: float
    grace_seconds: int
    may_hang: bool = False


class LeavingPods(Struct, frozen=True):
    """The nodes of a change, and the pods that go from them in order; `completes` is None where nobody can tell."""

    mechanism: EvictionMechanism
    nodes: tuple[NodeEvictions, ...]
    pods: tuple[LeavingPod, ...]
    completes: bool | None = True


def find_leaving_pods(change: Change, pod_index: PodIndex, pending: frozenset[PodKey]) -> LeavingPods | None:
    """The pods that go; None where the change lets none go.

    `pending` are pods whose replacements fit nowhere for certain: no budget gets them back.
    """
    if change.drain_flags is not None:
        return _find_drained_pods(change, pod_index, pending)
    tainted = [name for name in sorted(change.nodes) if gains_no_execute_taint(change.before.nodes.get(name), change.after.nodes.get(name))]
    if tainted:
        return _find_tainted_pods(change, pod_index, tainted)
    if change.pod_ending is not PodEnding.NOT_ASKED:
        return _find_ended_pods(change, pod_index)
    return None


def _find_drained_pods(change: Change, pod_index: PodIndex, pending: frozenset[PodKey]) -> LeavingPods:
    """A drain, twice: nothing comes back, and every pod ends at once and every replacement that finds a node is Ready at once.

    1. What is blocked in the first course and goes in the second waits for replacements.
    2. The time with whole grace periods is that of a third course, where these keep the replacements of StatefulSets waiting too.
    """
    assert change.drain_flags is not None
    nodes = [change.after.nodes[name] for name in change.node_order]

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
            assumed,
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
            LeavingPod(_as_scheduled_pod(drain.pod), start + drain.evicted_at, drain.grace_seconds, bool(drain.hang_reason))
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
        pod = _as_scheduled_pod(first.pod)
        if first.verdict is DrainVerdict.REFUSED and first.filter in _FLAGS:
            missing[_FLAGS[first.filter]] = None
        if is_static(pod) and first.verdict is DrainVerdict.SKIPPED:
            static.append("/".join(pod.key))
        elif is_of_daemonset(pod) and not pod.has_ended and first.verdict in (DrainVerdict.SKIPPED, DrainVerdict.REFUSED):
            daemonsets += 1
        elif first.verdict is DrainVerdict.SKIPPED:
            staying += 1
        else:
            pods.append(_build_drain_eviction(pod_index, worst.node, pod, first, second))
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


def _build_drain_eviction(pod_index: PodIndex, node: str, pod: SchedulerPod, first: PodDrain, second: PodDrain) -> Eviction:
    waits = first.verdict is DrainVerdict.BLOCKED_NOW and second.evicted_at is not None
    shown = second if waits else first
    return Eviction(
        pod="/".join(pod.key),
        owner=pod_index.find_owner(pod),
        verdict=EvictionVerdict.WAITS if waits else _VERDICTS[first.verdict],
        why=first.reason,
        reasons=tuple(iter_drain_reasons(first, node, waits=waits)),
        after=shown.evicted_at,
        grace=shown.grace_seconds,
        budgets=tuple(format_keys(first.budgets)),
        lost=shown.is_lost,
        localData=shown.has_local_data,
    )


def _as_scheduled_pod(pod: ClusterPod) -> SchedulerPod:
    """The pod as it was read: what drains speak of is one of those."""
    assert isinstance(pod, SchedulerPod)
    return pod


def gains_no_execute_taint(before: Node | None, after: Node | None) -> bool:
    """Whether a change gives a node a NoExecute taint that it had not."""
    if before is None or after is None or before is after:
        return False
    return any(taint.effect == "NoExecute" and taint not in before.spec.taints for taint in after.spec.taints)


def _find_tainted_pods(change: Change, pod_index: PodIndex, names: Sequence[str]) -> LeavingPods:
    """The pods that taint eviction deletes; a timer that ran before is no news."""
    shown, left = [], []
    for name in names:
        before, after = change.before.nodes[name], change.after.nodes[name]
        there = pod_index.pods_by_node.get(name, [])
        found = predict_taint_evictions(
            there, name, after.spec.taints, before.spec.taints, pod_index.budgets or (), change.after.comparison_operators
        )
        news = [eviction for eviction in found if _is_new_eviction(eviction)]
        pods = []
        for new in news:
            pod = _as_scheduled_pod(new.pod)
            pods.append(_build_taint_eviction(pod_index, pod, new))
            if new.delay is not None:
                left.append(LeavingPod(pod, new.delay, find_grace_period(pod, -1)))
        static = tuple("/".join(pod.key) for pod in there if is_static(pod))
        kept = [
            eviction
            for eviction in found
            if eviction not in news and not is_static(_as_scheduled_pod(eviction.pod)) and not eviction.pod.has_ended
        ]
        daemonsets = sum(is_of_daemonset(pod) for pod in there)
        shown.append(NodeEvictions(name, tuple(pods), daemonsets, static, len(kept)))
    return LeavingPods(EvictionMechanism.TAINT, tuple(shown), tuple(left))


def _is_new_eviction(taint_eviction: TaintEviction) -> bool:
    """Whether the pod goes, or goes sooner than before, or nobody can tell; nothing runs in one that has ended."""
    if taint_eviction.pod.has_ended:
        return False
    return taint_eviction.delay is None or taint_eviction.delay < (
        NEVER if taint_eviction.previous_delay is None else taint_eviction.previous_delay
    )


def _build_taint_eviction(pod_index: PodIndex, pod: SchedulerPod, taint_eviction: TaintEviction) -> Eviction:
    return Eviction(
        pod="/".join(pod.key),
        owner=pod_index.find_owner(pod),
        verdict=EvictionVerdict.UNKNOWN if taint_eviction.delay is None else EvictionVerdict.DELETED,
        why=EndReason.TAINT,
        reasons=tuple(iter_taint_reasons(taint_eviction)),
        after=taint_eviction.delay,
        grace=find_grace_period(pod, -1),
        budgets=tuple(format_keys(taint_eviction.budgets)),
        lost=taint_eviction.is_lost and taint_eviction.delay is not None,
        localData=taint_eviction.has_local_data and taint_eviction.delay is not None,
    )


def _find_ended_pods(change: Change, pod_index: PodIndex) -> LeavingPods:
    """All pods of nodes that shut down or are gone: neither budgets nor kubectl are asked."""
    shown, left = [], []
    for name in sorted(change.recreation_nodes):
        pods, static = [], []
        daemonsets = 0
        for pod in sorted(pod_index.pods_by_node.get(name, ()), key=lambda pod: pod.key):
            if is_static(pod):
                static.append("/".join(pod.key))
            elif is_of_daemonset(pod):
                daemonsets += 1
            elif not pod.has_ended:
                pods.append(_build_node_ending(pod_index, pod))
                left.append(LeavingPod(pod, 0.0, find_grace_period(pod, -1)))
        shown.append(NodeEvictions(name, tuple(pods), daemonsets, tuple(static)))
    return LeavingPods(EvictionMechanism(change.pod_ending), tuple(shown), tuple(left))


def _build_node_ending(pod_index: PodIndex, pod: SchedulerPod) -> Eviction:
    return Eviction(
        pod="/".join(pod.key),
        owner=pod_index.find_owner(pod),
        verdict=EvictionVerdict.ENDS,
        why=EndReason.NODE,
        after=0.0,
        grace=find_grace_period(pod, -1),
        budgets=tuple(sorted(format_keys(covering_budget.key for covering_budget in find_covering_budgets(pod, pod_index.budgets or ())))),
        lost=pod.controller is None,
        localData=has_local_data(pod),
    )


def iter_gone_keys(leaving_pods: LeavingPods) -> Iterator[PodKey]:
    """The pods that are gone once all is over."""
    return (pod.pod.key for pod in leaving_pods.pods if not pod.may_hang)
