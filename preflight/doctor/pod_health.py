"""What is wrong with one pod, by its own words: which of its containers waits for what, since when it hangs."""

from __future__ import annotations

import re
from enum import Enum
from functools import cache

import msgspec
from msgspec import Struct

from preflight.dependents.requirements import is_extended
from preflight.doctor.timestamps import SETTLING, seconds
from preflight.model.objects import ListedPod, PodSpec
from preflight.model.pod_status import PodCondition, RunningPod
from preflight.model.runtime_state import SAFE_REASONS, StatedContainer, StatedPod
from preflight.scheduling.quantities import QuantityError
from preflight.scheduling.requests import pod_requests

_CONDITIONS = msgspec.json.Decoder(tuple[PodCondition, ...])
_IS_READY = re.compile(rb'"status":\s*"True",\s*"type":\s*"Ready"[,}\s]|"type":\s*"Ready",\s*"status":\s*"True"')
"""What no condition but a Ready one that is True holds: it spares most pods of a cluster a decoder."""

_LATE = 60.0
_STARTING = frozenset(("ContainerCreating", "PodInitializing", ""))


class Trouble(Enum):
    """What is wrong with a pod."""

    PENDING = "pending"
    WAITING = "waiting"
    CRASHING = "crashing"
    NOT_READY = "not-ready"
    FAILED = "failed"
    TERMINATING = "terminating"
    UNTOUCHED = "untouched"
    INITIALIZING = "initializing"


class Ailing(Struct, frozen=True):
    """A pod with which something is wrong; `why` are its own words, "" where it says nothing."""

    pod: StatedPod
    trouble: Trouble
    why: str = ""


def ailing(pod: StatedPod, at: str, *, silent: bool) -> Ailing | None:
    """What is wrong with a pod; None where nothing is, or where it has just begun.

    1. A pod that is being deleted is late a minute after its time to end is over. `silent`: the kubelet of its node says nothing.
    2. One without a node waits for the scheduler: the condition PodScheduled has its words.
    3. One on a node says by its containers what it waits for; one without any was never touched by its kubelet. An init container that
       runs does its work, or waits for something itself: nobody can tell.
    4. What began within five minutes of the latest time that is known may still come, but for a container that fails already.
    """
    age = seconds(pod.metadata.creationTimestamp, at)
    is_new = age is not None and age < SETTLING
    if pod.metadata.deletionTimestamp:
        late = seconds(pod.metadata.deletionTimestamp, at)
        return Ailing(pod, Trouble.TERMINATING) if silent or (late is not None and late > _LATE) else None
    if pod.status.phase == "Succeeded":
        return None
    if pod.status.phase == "Failed":
        return Ailing(pod, Trouble.FAILED, _said(pod.status.reason, pod.status.message))
    if not pod.spec.nodeName:
        return None if is_new else Ailing(pod, Trouble.PENDING, scheduler_words(pod))
    containers = (*pod.status.initContainerStatuses, *pod.status.containerStatuses)
    for container in containers:
        found = _container(container)
        if found is not None:
            return Ailing(pod, *found)
    if is_new or is_ready(pod):
        return None
    waiting = [each for each in containers if each.state and each.state.waiting]
    if pod.status.phase == "Pending":
        if not containers:
            return Ailing(pod, Trouble.UNTOUCHED)
        if runs := next((each.name for each in pod.status.initContainerStatuses if _runs(each)), ""):
            return Ailing(pod, Trouble.INITIALIZING, f"init container {runs} still runs")
        reason = next(
            (each.state.waiting.reason for each in waiting if each.state and each.state.waiting and each.state.waiting.reason), ""
        )
        return Ailing(pod, Trouble.WAITING, reason or "ContainerCreating")
    return Ailing(pod, Trouble.NOT_READY, _condition(pod, "Ready"))


def is_ready(pod: RunningPod) -> bool:
    """Whether a pod is Ready; one that does not say is, where it runs."""
    stated = [each.status for each in pod.status.conditions if each.type == "Ready"]
    return stated[-1] == "True" if stated else pod.status.phase == "Running"


def says_ready(phase: str, conditions: bytes) -> bool:
    """The same of a listed pod, of which the conditions are a text."""
    if _IS_READY.search(conditions):
        return True
    stated = _ready(conditions) if conditions else None
    return phase == "Running" if stated is None else stated


@cache
def _ready(conditions: bytes) -> bool | None:
    try:
        stated = [each.status for each in _CONDITIONS.decode(conditions) if each.type == "Ready"]
    except msgspec.MsgspecError:
        return False  # then the pod as a whole is looked at
    return stated[-1] == "True" if stated else None


def scheduler_words(pod: RunningPod) -> str:
    """What the scheduler says of a pod without a node; "" where none has looked at it."""
    return _condition(pod, "PodScheduled")


def bound_for(pod: RunningPod) -> str:
    """The node that a pod of a DaemonSet waits for, as the controller wrote it into its affinity; "" where it did not."""
    affinity = pod.spec.affinity.nodeAffinity if pod.spec.affinity else None
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity else None
    fields = [each for term in required.nodeSelectorTerms for each in term.matchFields] if required else []
    return next((each.values[0] for each in fields if each.key == "metadata.name" and each.values), "")


def _condition(pod: RunningPod, type: str) -> str:
    found = next((each for each in pod.status.conditions if each.type == type and each.status != "True"), None)
    return _said(found.reason, found.message) if found else ""


def _said(reason: str, message: str) -> str:
    text = " ".join(message.split())
    return text or reason if not (reason and text) or reason in ("Unschedulable", "ContainersNotReady") else f"{reason}: {text}"


def _container(container: StatedContainer) -> tuple[Trouble, str] | None:
    state, last = container.state, container.lastState
    waiting = state.waiting if state else None
    if waiting is not None and waiting.reason == "CrashLoopBackOff":
        ended = last.terminated if last else None
        how = f", last with {ended.reason or 'exit code'} ({ended.exitCode})" if ended else ""
        return Trouble.CRASHING, f"container {container.name} crashes again and again: {_times(container.restartCount)}{how}"
    if waiting is not None and waiting.reason not in _STARTING:
        message = " ".join(waiting.message.split()) if waiting.reason in SAFE_REASONS else ""
        return Trouble.WAITING, f"container {container.name}: {waiting.reason}" + (f": {message}" if message else "")
    ended = state.terminated if state else None
    if ended is not None and ended.exitCode and container.restartCount:
        return Trouble.CRASHING, f"container {container.name} ended with exit code {ended.exitCode} ({_times(container.restartCount)})"
    return None


def _runs(container: StatedContainer) -> bool:
    state = container.state
    return state is None or (state.waiting is None and state.terminated is None)


def _times(restarts: int) -> str:
    return f"{restarts} restart{'s' if restarts != 1 else ''}"


def is_waiting(pod: ListedPod) -> bool:
    """Whether a listed pod is neither through nor being deleted."""
    return not pod.metadata.deletionTimestamp and pod.status.phase not in ("Succeeded", "Failed")


def extended(spec: PodSpec) -> dict[str, int]:
    """The extended resources that a pod asks for; {} where an amount cannot be read."""
    try:
        return {name: amount for name, amount in pod_requests(spec).items() if amount and is_extended(name)}
    except QuantityError:
        return {}
