"""Who schedules a pod, who else holds it, and whether anybody answers at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.doctor.pod_health import scheduler_words
from preflight.doctor.timestamps import SETTLING, seconds

if TYPE_CHECKING:
    from preflight.doctor.context import Diagnosis
    from preflight.model.runtime_state import Event, StatedPod

DEFAULT = "default-scheduler"

_GANG = "it waits for the other pods of its group"
_QUOTA = "a quota of its queue holds it"
_WORDS = (
    ("insufficientquota", _QUOTA),
    ("insufficient quota", _QUOTA),
    ("queue resource quota", _QUOTA),
    ("exceeded quota", _QUOTA),
    ("exceeds quota", _QUOTA),
    ("quota exceeded", _QUOTA),
    ("over quota", _QUOTA),
    ("overquota", _QUOTA),
    ("elasticquota", _QUOTA),
    ("pod group is not ready", _GANG),
    ("podgroup is not ready", _GANG),
    ("tasks in gang unschedulable", _GANG),
    ("cannot find enough sibling pods", _GANG),
    ("from a gang to ", _GANG),
    ("to appear in scheduling queue", _GANG),
    ("pod group is unschedulable", _GANG),
    ("mincount (", _GANG),
    ("gang is not", _GANG),
    ("podgroup", _GANG),
)
"""What schedulers of groups and queues say, in lower case, and what it means.

kube-scheduler (`pkg/scheduler/framework/plugins/gangscheduling`), the coscheduling plugin, Volcano, Koordinator, YuniKorn.
"""

_SCHEDULERS = ("scheduler", "volcano", "yunikorn", "kueue", "kube-queue", "koord", "kai", "runai", "hived", "slurm")
"""Words in the names of components that hold or bind pods."""

_OTHERS = ("karpenter", "cluster-autoscaler", "kubelet", "descheduler", "keda")
"""Components that speak of pods without a node and hold none: those that add nodes, above all."""


class Hold(Struct, frozen=True):
    """What holds a pod: who says so, with which words, and what that means ("" where only they tell).

    `foreign`: the one who says so is not the scheduler that the pod names. `last` is when it was said last, "" where that is not known.
    """

    component: str
    words: str
    means: str
    foreign: bool
    last: str = ""


def scheduler_of(pod: StatedPod) -> str:
    """The scheduler that a pod names."""
    return pod.spec.schedulerName or DEFAULT


def words_of(facts: Diagnosis, pod: StatedPod) -> str:
    """What its own scheduler says of a pod: in its condition, else in the latest event; "" where it says nothing."""
    own = scheduler_of(pod)
    said = (" ".join(event.message.split()) for event in facts.events.of("Pod", *pod.key) if event.component == own)
    return scheduler_words(pod) or next(said, "")


def hold(facts: Diagnosis, pod: StatedPod) -> Hold | None:
    """What holds a pod that no scheduler has bound, besides a lack of room; None where nothing is known.

    1. An event about the pod of a scheduler, or of somebody who speaks of groups or quotas, who is not the pod's own scheduler. Where its
       own has spoken since, the other has let it go.
    2. The words of its own scheduler, or of its condition, where they speak of a group or a quota.
    3. Those who add nodes say why they add none: they hold nothing. What a controller says of a pod holds it neither.
    """
    own = scheduler_of(pod)
    events = facts.events.of("Pod", *pod.key)
    own_last = next((event.last for event in events if event.component == own), "")
    for event in events:
        if event.component != own and _holds(event) and (seconds(event.last, own_last) or 0) < SETTLING:
            return Hold(event.component, _text(event), meaning(f"{event.reason} {event.message}"), foreign=True, last=event.last)
    for event in events:
        if event.component == own and (means := meaning(f"{event.reason} {event.message}")):
            return Hold(own, _text(event), means, foreign=False, last=event.last)
    words = scheduler_words(pod)
    means = meaning(words)
    return Hold("", words, means, foreign=own == DEFAULT) if means else None


def meaning(words: str) -> str:
    """What words of a scheduler mean, where they speak of a group or a quota; else ""."""
    lower = words.lower()
    return next((means for each, means in _WORDS if each in lower), "")


def is_unanswered(facts: Diagnosis, pod: StatedPod) -> bool:
    """Whether nobody answers to the scheduler that a pod names: certain only where events and all pods are known.

    1. No condition of the pod, no event of that name, and no other pod that says the name: of its labels, its arguments, or as one that
       it bound. A scheduler may run outside of the cluster, so that the silence about the pod counts first.
    2. The default scheduler is always there.
    """
    name = scheduler_of(pod)
    if name == DEFAULT or scheduler_words(pod) or not facts.knows_events or facts.world.listed is not None:
        return False
    return name in facts.pending.unanswered


def unanswered(facts: Diagnosis) -> frozenset[str]:
    """The names of schedulers for which pods wait, and that nothing else in the cluster says."""
    waiting = [pod for pod in facts.waiting if scheduler_of(pod) != DEFAULT]
    found = set()
    for name in {scheduler_of(pod) for pod in waiting}:
        own = {pod.key for pod in waiting if scheduler_of(pod) == name}
        heard = name in facts.events.components or any(scheduler_words(pod) for pod in waiting if scheduler_of(pod) == name)
        if not heard and not _is_mentioned(facts, name, own):
            found.add(name)
    return frozenset(found)


def _is_mentioned(facts: Diagnosis, name: str, waiting: set[tuple[str, str]]) -> bool:
    """Whether a pod that does not wait for it says the name of a scheduler, or a workload is called so."""
    from preflight.model.lazy_pods import UndecodedPods

    running, word = facts.world.running, name.encode()
    if any(name in each.metadata.name for each in facts.world.workloads):
        return True
    assert isinstance(running, UndecodedPods)
    return any(key not in waiting and word in running.text(key) for key in running)


def is_late(facts: Diagnosis, pod: StatedPod) -> bool:
    """Whether a pod has waited for longer than one that is scheduled in a moment."""
    age = seconds(pod.metadata.creationTimestamp, facts.at)
    return age is None or age >= SETTLING


def _holds(event: Event) -> bool:
    component = event.component.lower()
    if not component or component.endswith("-controller") or any(each in component for each in _OTHERS):
        return False
    return any(each in component for each in _SCHEDULERS) or bool(meaning(f"{event.reason} {event.message}"))


def _text(event: Event) -> str:
    return f"{event.reason}: {' '.join(event.message.split())}" if event.reason else " ".join(event.message.split())
