"""Who schedules a pod, who else holds it, and whether anybody answers at all."""

from __future__ import annotations

from msgspec import Struct

from preflight.doctor.cluster_messages import HoldReason, find_hold_reason, normalize_message
from preflight.doctor.index import ClusterIndex
from preflight.doctor.pod_health import get_scheduler_message
from preflight.doctor.waiting_times import SETTLING_SECONDS
from preflight.model.runtime_state import Event, PodState
from preflight.model.timestamps import count_seconds

DEFAULT_SCHEDULER = "default-scheduler"


_SCHEDULER_NAMES = ("scheduler", "volcano", "yunikorn", "kueue", "kube-queue", "koord", "kai", "runai", "hived", "slurm")
"""Words in the names of components that hold or bind pods."""

_NON_SCHEDULERS = ("karpenter", "cluster-autoscaler", "kubelet", "descheduler", "keda")
"""Components that speak of pods without a node and hold none: those that add nodes, above all."""


class SchedulingHold(Struct, frozen=True):
    """What holds a pod: who says so, with which words, and what that means (None where only the words tell).

    `is_foreign`: the one who says so is not the scheduler that the pod names. `last_seen` is when it was said last, "" where that is not
    known.
    """

    component: str
    message: str
    reason: HoldReason | None
    is_foreign: bool
    last_seen: str = ""


def get_scheduler(pod: PodState) -> str:
    """The scheduler that a pod names."""
    return pod.spec.schedulerName or DEFAULT_SCHEDULER


def find_scheduler_message(index: ClusterIndex, pod: PodState) -> str:
    """What its own scheduler says of a pod: in its condition, else in the latest event; "" where it says nothing."""
    own = get_scheduler(pod)
    said = (normalize_message(event.message) for event in index.events.get_events("Pod", *pod.key) if event.reporter == own)
    return get_scheduler_message(pod) or next(said, "")


def find_hold(index: ClusterIndex, pod: PodState) -> SchedulingHold | None:
    """What holds a pod that no scheduler has bound, besides a lack of room; None where nothing is known.

    1. An event about the pod of a scheduler, or of somebody who speaks of groups or quotas, who is not the pod's own scheduler. Where its
       own has spoken since, the other has let it go.
    2. The words of its own scheduler, or of its condition, where they speak of a group or a quota.
    3. Those who add nodes say why they add none: they hold nothing. What a controller says of a pod holds it neither.
    """
    own = get_scheduler(pod)
    events = index.events.get_events("Pod", *pod.key)
    own_last = next((event.last_seen for event in events if event.reporter == own), "")
    for event in events:
        if event.reporter != own and _is_hold(event) and (count_seconds(event.last_seen, own_last) or 0) < SETTLING_SECONDS:
            return SchedulingHold(
                event.reporter,
                _get_message(event),
                find_hold_reason(f"{event.reason} {event.message}"),
                is_foreign=True,
                last_seen=event.last_seen,
            )
    for event in events:
        if event.reporter == own and (reason := find_hold_reason(f"{event.reason} {event.message}")):
            return SchedulingHold(own, _get_message(event), reason, is_foreign=False, last_seen=event.last_seen)
    message = get_scheduler_message(pod)
    reason = find_hold_reason(message)
    return SchedulingHold("", message, reason, is_foreign=own == DEFAULT_SCHEDULER) if reason is not None else None


def may_be_silent(index: ClusterIndex, pod: PodState) -> bool:
    """Whether the scheduler that a pod names may not exist; certain only where events and all pods are known: see `find_silent_schedulers`.

    The default scheduler always exists.
    """
    return not (
        get_scheduler(pod) == DEFAULT_SCHEDULER
        or get_scheduler_message(pod)
        or not index.has_events
        or index.cluster.listed_namespaces is not None
    )


def find_silent_schedulers(index: ClusterIndex) -> frozenset[str]:
    """The names of schedulers for which pods wait, and that nothing else in the cluster mentions.

    No condition of the pod, no event of that name, and no other pod that says the name: of its labels, its arguments, or as one that it
    bound. A scheduler may run outside of the cluster, so that the silence about the pod counts first.
    """
    waiting = [pod for pod in index.waiting_pods if get_scheduler(pod) != DEFAULT_SCHEDULER]
    found = set()
    for name in {get_scheduler(pod) for pod in waiting}:
        own = {pod.key for pod in waiting if get_scheduler(pod) == name}
        heard = name in index.events.components or any(get_scheduler_message(pod) for pod in waiting if get_scheduler(pod) == name)
        if not heard and not _is_scheduler_mentioned(index, name, own):
            found.add(name)
    return frozenset(found)


def _is_scheduler_mentioned(index: ClusterIndex, name: str, waiting: set[tuple[str, str]]) -> bool:
    """Whether a pod that does not wait for it says the name of a scheduler, or a workload is called so."""
    if any(name in workload.metadata.name for workload in index.cluster.workloads):
        return True
    return any(key not in waiting for key in index.iter_pod_texts(name.encode()))


def is_overdue(index: ClusterIndex, pod: PodState) -> bool:
    """Whether a pod has waited for longer than one that is scheduled in a moment."""
    age = count_seconds(pod.metadata.creationTimestamp, index.latest_time)
    return age is None or age >= SETTLING_SECONDS


def _is_hold(event: Event) -> bool:
    component = event.reporter.lower()
    if not component or component.endswith("-controller") or any(name in component for name in _NON_SCHEDULERS):
        return False
    return any(name in component for name in _SCHEDULER_NAMES) or find_hold_reason(f"{event.reason} {event.message}") is not None


def _get_message(event: Event) -> str:
    return f"{event.reason}: {normalize_message(event.message)}" if event.reason else normalize_message(event.message)
