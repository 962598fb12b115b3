"""Who schedules a pod, who else holds it, and whether anybody answers at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.doctor.pod_health import get_scheduler_message
from preflight.doctor.timestamps import SETTLING_SECONDS, count_seconds

if TYPE_CHECKING:
    from preflight.doctor.context import ClusterFacts
    from preflight.model.runtime_state import Event, PodState

DEFAULT_SCHEDULER = "default-scheduler"

_GANG_TEXT = "it waits for the other pods of its group"
_QUOTA_TEXT = "a quota of its queue holds it"
_MESSAGE_MEANINGS = (
    ("insufficientquota", _QUOTA_TEXT),
    ("insufficient quota", _QUOTA_TEXT),
    ("queue resource quota", _QUOTA_TEXT),
    ("exceeded quota", _QUOTA_TEXT),
    ("exceeds quota", _QUOTA_TEXT),
    ("quota exceeded", _QUOTA_TEXT),
    ("over quota", _QUOTA_TEXT),
    ("overquota", _QUOTA_TEXT),
    ("elasticquota", _QUOTA_TEXT),
    ("pod group is not ready", _GANG_TEXT),
    ("podgroup is not ready", _GANG_TEXT),
    ("tasks in gang unschedulable", _GANG_TEXT),
    ("cannot find enough sibling pods", _GANG_TEXT),
    ("from a gang to ", _GANG_TEXT),
    ("to appear in scheduling queue", _GANG_TEXT),
    ("pod group is unschedulable", _GANG_TEXT),
    ("mincount (", _GANG_TEXT),
    ("gang is not", _GANG_TEXT),
    ("podgroup", _GANG_TEXT),
)
"""What schedulers of groups and queues say, in lower case, and what it means.

kube-scheduler (`pkg/scheduler/framework/plugins/gangscheduling`), the coscheduling plugin, Volcano, Koordinator, YuniKorn.
"""

_SCHEDULER_NAMES = ("scheduler", "volcano", "yunikorn", "kueue", "kube-queue", "koord", "kai", "runai", "hived", "slurm")
"""Words in the names of components that hold or bind pods."""

_NON_SCHEDULERS = ("karpenter", "cluster-autoscaler", "kubelet", "descheduler", "keda")
"""Components that speak of pods without a node and hold none: those that add nodes, above all."""


class SchedulingHold(Struct, frozen=True):
    """What holds a pod: who says so, with which words, and what that means ("" where only they tell).

    `is_foreign`: the one who says so is not the scheduler that the pod names. `last_seen` is when it was said last, "" where that is not
    known.
    """

    component: str
    message: str
    meaning: str
    is_foreign: bool
    last_seen: str = ""


def get_scheduler(pod: PodState) -> str:
    """The scheduler that a pod names."""
    return pod.spec.schedulerName or DEFAULT_SCHEDULER


def find_scheduler_message(facts: ClusterFacts, pod: PodState) -> str:
    """What its own scheduler says of a pod: in its condition, else in the latest event; "" where it says nothing."""
    own = get_scheduler(pod)
    said = (" ".join(event.message.split()) for event in facts.events.get_events("Pod", *pod.key) if event.reporter == own)
    return get_scheduler_message(pod) or next(said, "")


def find_hold(facts: ClusterFacts, pod: PodState) -> SchedulingHold | None:
    """What holds a pod that no scheduler has bound, besides a lack of room; None where nothing is known.

    1. An event about the pod of a scheduler, or of somebody who speaks of groups or quotas, who is not the pod's own scheduler. Where its
       own has spoken since, the other has let it go.
    2. The words of its own scheduler, or of its condition, where they speak of a group or a quota.
    3. Those who add nodes say why they add none: they hold nothing. What a controller says of a pod holds it neither.
    """
    own = get_scheduler(pod)
    events = facts.events.get_events("Pod", *pod.key)
    own_last = next((event.last_seen for event in events if event.reporter == own), "")
    for event in events:
        if event.reporter != own and _is_hold(event) and (count_seconds(event.last_seen, own_last) or 0) < SETTLING_SECONDS:
            return SchedulingHold(
                event.reporter,
                _get_message(event),
                interpret_message(f"{event.reason} {event.message}"),
                is_foreign=True,
                last_seen=event.last_seen,
            )
    for event in events:
        if event.reporter == own and (means := interpret_message(f"{event.reason} {event.message}")):
            return SchedulingHold(own, _get_message(event), means, is_foreign=False, last_seen=event.last_seen)
    words = get_scheduler_message(pod)
    means = interpret_message(words)
    return SchedulingHold("", words, means, is_foreign=own == DEFAULT_SCHEDULER) if means else None


def interpret_message(words: str) -> str:
    """What words of a scheduler mean, where they speak of a group or a quota; else ""."""
    lower = words.lower()
    return next((means for each, means in _MESSAGE_MEANINGS if each in lower), "")


def is_scheduler_silent(facts: ClusterFacts, pod: PodState) -> bool:
    """Whether nobody answers to the scheduler that a pod names: certain only where events and all pods are known.

    1. No condition of the pod, no event of that name, and no other pod that says the name: of its labels, its arguments, or as one that
       it bound. A scheduler may run outside of the cluster, so that the silence about the pod counts first.
    2. The default scheduler is always there.
    """
    name = get_scheduler(pod)
    if name == DEFAULT_SCHEDULER or get_scheduler_message(pod) or not facts.has_events or facts.world.listed_namespaces is not None:
        return False
    return name in facts.pending_pods.silent_schedulers


def find_silent_schedulers(facts: ClusterFacts) -> frozenset[str]:
    """The names of schedulers for which pods wait, and that nothing else in the cluster says."""
    waiting = [pod for pod in facts.waiting_pods if get_scheduler(pod) != DEFAULT_SCHEDULER]
    found = set()
    for name in {get_scheduler(pod) for pod in waiting}:
        own = {pod.key for pod in waiting if get_scheduler(pod) == name}
        heard = name in facts.events.components or any(get_scheduler_message(pod) for pod in waiting if get_scheduler(pod) == name)
        if not heard and not _is_scheduler_mentioned(facts, name, own):
            found.add(name)
    return frozenset(found)


def _is_scheduler_mentioned(facts: ClusterFacts, name: str, waiting: set[tuple[str, str]]) -> bool:
    """Whether a pod that does not wait for it says the name of a scheduler, or a workload is called so."""
    from preflight.model.lazy_pods import LazyPods

    running, word = facts.world.pods_by_key, name.encode()
    if any(name in workload.metadata.name for workload in facts.world.workloads):
        return True
    assert isinstance(running, LazyPods)
    return any(key not in waiting and word in running.read_text(key) for key in running)


def is_overdue(facts: ClusterFacts, pod: PodState) -> bool:
    """Whether a pod has waited for longer than one that is scheduled in a moment."""
    age = count_seconds(pod.metadata.creationTimestamp, facts.latest_time)
    return age is None or age >= SETTLING_SECONDS


def _is_hold(event: Event) -> bool:
    component = event.reporter.lower()
    if not component or component.endswith("-controller") or any(each in component for each in _NON_SCHEDULERS):
        return False
    return any(each in component for each in _SCHEDULER_NAMES) or bool(interpret_message(f"{event.reason} {event.message}"))


def _get_message(event: Event) -> str:
    return f"{event.reason}: {' '.join(event.message.split())}" if event.reason else " ".join(event.message.split())
