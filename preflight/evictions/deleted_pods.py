"""Which ordinary pods go without an eviction: by a NoExecute taint, out of service, deleted by name, or with their node."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.change.model import Change, PodDeletion
from preflight.evictions.leaving_pod import LeavingPod, LeavingPods, as_scheduled_pod
from preflight.evictions.pod_index import PodIndex, format_keys, is_of_daemonset, is_static
from preflight.evictions.reasons import iter_taint_reasons
from preflight.evictions.termination import TerminationIndex
from preflight.model.core import Node
from preflight.model.eviction_reasons import EndReason, EvictionFact
from preflight.model.evictions import Eviction, EvictionMechanism, EvictionVerdict, NodeEvictions
from preflight.model.pod_scheduling import SchedulerPod
from preflight.model.pod_wait import PodWait
from preflight.model.termination_reasons import StaysTerminating
from preflight.scheduling.budgets import find_covering_budgets
from preflight.scheduling.drain.model import find_grace_period
from preflight.scheduling.drain.pod_filters import has_local_data
from preflight.scheduling.node_health import is_out_of_service
from preflight.scheduling.taint_eviction import TaintEviction, predict_taint_evictions
from preflight.scheduling.tolerations import NEVER


def gains_deleting_taint(before: Node | None, after: Node | None) -> bool:
    """Whether a node gains a NoExecute taint, or goes out of service by whatever effect."""
    if before is None or after is None or before is after:
        return False
    return goes_out_of_service(before, after) or any(
        taint.effect == "NoExecute" and taint not in before.spec.taints for taint in after.spec.taints
    )


def goes_out_of_service(before: Node, after: Node) -> bool:
    """Whether a change puts a node out of service."""
    return is_out_of_service(after) and not is_out_of_service(before)


def find_tainted_pods(change: Change, pod_index: PodIndex, termination_index: TerminationIndex, names: Sequence[str]) -> LeavingPods:
    """The pods that taint eviction deletes; a timer that ran before is no news.

    On a node that goes out of service, those that are being deleted go as well: pod garbage collection deletes them by force.
    """
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
            pod = as_scheduled_pod(new.pod)
            hang = termination_index.find_hang(pod, new.delay or 0.0, find_grace_period(pod, -1))
            pods.append(_build_taint_eviction(pod_index, pod, new, hang))
            if new.delay is not None:
                left.append(LeavingPod(pod, new.delay, find_grace_period(pod, -1), hang))
        collected = [pod for pod in there if _is_collected(pod)] if goes_out_of_service(before, after) else []
        pods += [_build_collection(pod_index, pod) for pod in collected]
        left += [LeavingPod(pod, 0.0, 0) for pod in collected]
        static = tuple("/".join(pod.key) for pod in there if is_static(pod))
        kept = [
            eviction
            for eviction in found
            if eviction not in news and not is_static(as_scheduled_pod(eviction.pod)) and not eviction.pod.has_ended
        ]
        daemonsets = sum(is_of_daemonset(pod) for pod in there)
        shown.append(NodeEvictions(name, tuple(pods), daemonsets, static, len(kept)))
    return LeavingPods(EvictionMechanism.TAINT, tuple(shown), tuple(left))


def _is_collected(pod: SchedulerPod) -> bool:
    """Whether an ordinary pod goes with its node out of service: it is being deleted."""
    return bool(pod.metadata.deletionTimestamp) and not is_of_daemonset(pod) and not is_static(pod)


def _build_collection(pod_index: PodIndex, pod: SchedulerPod) -> Eviction:
    return Eviction(
        pod="/".join(pod.key),
        owner=pod_index.find_owner(pod),
        verdict=EvictionVerdict.DELETED,
        why=EndReason.OUT_OF_SERVICE,
        reasons=(EvictionFact.OUT_OF_SERVICE,),
        after=0.0,
        lost=pod.controller is None and not pod.has_ended,
        localData=has_local_data(pod) and not pod.has_ended,
    )


def _is_new_eviction(taint_eviction: TaintEviction) -> bool:
    """Whether the pod goes, or goes sooner than before, or nobody can tell; nothing runs in one that has ended."""
    if taint_eviction.pod.has_ended:
        return False
    return taint_eviction.delay is None or taint_eviction.delay < (
        NEVER if taint_eviction.previous_delay is None else taint_eviction.previous_delay
    )


def _build_taint_eviction(pod_index: PodIndex, pod: SchedulerPod, taint_eviction: TaintEviction, hang: StaysTerminating | None) -> Eviction:
    return Eviction(
        pod="/".join(pod.key),
        owner=pod_index.find_owner(pod),
        verdict=EvictionVerdict.UNKNOWN if taint_eviction.delay is None else EvictionVerdict.DELETED,
        why=EndReason.TAINT,
        reasons=tuple(iter_taint_reasons(taint_eviction, hang)),
        after=taint_eviction.delay,
        grace=find_grace_period(pod, -1),
        budgets=tuple(format_keys(taint_eviction.budgets)),
        lost=taint_eviction.is_lost and taint_eviction.delay is not None,
        localData=taint_eviction.has_local_data and taint_eviction.delay is not None,
        hang=hang if taint_eviction.delay is not None else None,
    )


def find_deleted_pods(deletion: PodDeletion, pod_index: PodIndex, termination_index: TerminationIndex) -> LeavingPods:
    """The pods that are deleted by name, node by node: no budget is asked, and kubectl waits until they are gone."""
    by_key = {pod.key: pod for pod in pod_index.pods}
    by_node: dict[str, list[LeavingPod]] = {}
    for pod in (by_key[key] for key in deletion.pods if key in by_key):
        grace = find_grace_period(pod, deletion.grace_period)
        by_node.setdefault(pod.spec.nodeName, []).append(LeavingPod(pod, 0.0, grace, termination_index.find_hang(pod, 0.0, grace)))
    shown = []
    for name, pods in sorted(by_node.items()):
        ends = _does_deletion_end(deletion, pods)
        shown.append(NodeEvictions(name, tuple(_build_deletion(pod_index, leaving_pod) for leaving_pod in pods), ends=ends))
    left = tuple(leaving_pod for _, pods in sorted(by_node.items()) for leaving_pod in pods if not leaving_pod.pod.has_ended)
    every = [node.ends for node in shown]
    return LeavingPods(EvictionMechanism.DELETION, tuple(shown), left, False if False in every else None if None in every else True)


def _does_deletion_end(deletion: PodDeletion, pods: Sequence[LeavingPod]) -> bool | None:
    """Whether `kubectl delete` comes to an end; None where that is unknown."""
    if deletion.wait is not PodWait.UNTIL_GONE or all(leaving_pod.hang is None for leaving_pod in pods):
        return True
    return False if any(leaving_pod.hangs for leaving_pod in pods) else None


def _build_deletion(pod_index: PodIndex, leaving_pod: LeavingPod) -> Eviction:
    pod = leaving_pod.pod
    budgets = tuple(sorted(format_keys(budget.key for budget in find_covering_budgets(pod, pod_index.budgets or ()))))
    return Eviction(
        pod="/".join(pod.key),
        owner=pod_index.find_owner(pod),
        verdict=EvictionVerdict.DELETED,
        why=EndReason.DELETED,
        reasons=() if leaving_pod.hang is None else (leaving_pod.hang,),
        after=0.0,
        grace=leaving_pod.grace_seconds,
        budgets=budgets,
        lost=pod.controller is None and not pod.has_ended,
        localData=has_local_data(pod) and not pod.has_ended,
        hang=leaving_pod.hang,
    )


def find_ended_pods(change: Change, pod_index: PodIndex) -> LeavingPods:
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
