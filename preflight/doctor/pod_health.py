"""What is wrong with one pod, by its own words: which of its containers waits for what, since when it hangs."""

from __future__ import annotations

import re
from enum import Enum
from functools import cache

import msgspec
from msgspec import Struct

from preflight.dependents.requirements import is_extended_resource
from preflight.doctor.cluster_messages import normalize_message
from preflight.doctor.waiting_times import SETTLING_SECONDS
from preflight.model.core import CoveragePod, PodSpec
from preflight.model.pod_status import ClusterPod, PodCondition
from preflight.model.runtime_state import SAFE_WAITING_REASONS, ContainerStatusWithState, PodState
from preflight.model.timestamps import count_seconds
from preflight.scheduling.quantities import QuantityError
from preflight.scheduling.requests import sum_pod_requests

_CONDITIONS = msgspec.json.Decoder(tuple[PodCondition, ...])
_READY_PATTERN = re.compile(rb'"status":\s*"True",\s*"type":\s*"Ready"[,}\s]|"type":\s*"Ready",\s*"status":\s*"True"')
"""What no condition but a Ready one that is True holds: it spares most pods of a cluster a decoder."""

_LATE_SECONDS = 60.0
_STARTING_REASONS = frozenset(("ContainerCreating", "PodInitializing", ""))


class PodTrouble(Enum):
    """What is wrong with a pod."""

    PENDING = "pending"
    WAITING = "waiting"
    CRASHING = "crashing"
    NOT_READY = "not-ready"
    FAILED = "failed"
    TERMINATING = "terminating"
    NOT_STARTED = "untouched"
    INITIALIZING = "initializing"


class StatedReason(Struct, frozen=True):
    """A reason in the words of the cluster: a condition, a status or the scheduler."""

    text: str


class CrashLoop(Struct, frozen=True):
    """A container in CrashLoopBackOff.

    `restarts` is None where pods with different numbers are summed up. `last_reason` and `last_exit_code` say how it ended last; "" and
    None where that is unknown.
    """

    container: str
    restarts: int | None
    last_reason: str = ""
    last_exit_code: int | None = None


class FailedContainer(Struct, frozen=True):
    """A container that ended with an error and was restarted before."""

    container: str
    exit_code: int
    restarts: int


class WaitingContainer(Struct, frozen=True):
    """A container that does not start; `message` is the kubelet's, "" where it may hold arguments of the container."""

    container: str
    reason: str
    message: str = ""


class WrongPlatform(Struct, frozen=True):
    """A container whose image is not made for the platform of its node.

    1. `state` is why the container waits, `platform` what the image lacks: `windows/amd64`. `is_stated`: the container runtime says so.
    2. `label` tells the node from all those where the pods work, which have the `working_values`; "" where none does. `is_selected`: the
       pods select on it.
    """

    container: str
    state: str
    platform: str
    is_stated: bool
    label: str = ""
    working_values: tuple[str, ...] = ()
    is_selected: bool = False


class RunningInitContainer(Struct, frozen=True):
    """An init container that still runs."""

    container: str


class StartingPod(Struct, frozen=True):
    """A pod whose containers are being created; `reason` is what the kubelet calls this."""

    reason: str


class NotStarted(Struct, frozen=True):
    """A pod that its kubelet has not begun to start."""


PodReason = StatedReason | CrashLoop | FailedContainer | WaitingContainer | WrongPlatform | RunningInitContainer | StartingPod | NotStarted


class UnhealthyPod(Struct, frozen=True):
    """A pod with a problem; `reason` is None where the pod states none."""

    pod: PodState
    trouble: PodTrouble
    reason: PodReason | None = None

    @property
    def start_time(self) -> str:
        """When its deletion began, else when it was created."""
        return self.pod.metadata.deletionTimestamp or self.pod.metadata.creationTimestamp


def check_pod(pod: PodState, now: str, *, is_kubelet_silent: bool) -> UnhealthyPod | None:
    """What is wrong with a pod; None where nothing is, or where it has just begun.

    1. A pod that is being deleted is late a minute after its time to end is over. `is_kubelet_silent`: the kubelet of its node says
       nothing.
    2. One without a node waits for the scheduler: the condition PodScheduled has its words.
    3. One on a node says by its containers what it waits for; one without any was never touched by its kubelet. An init container that
       runs does its work, or waits for something itself: nobody can tell.
    4. What began within five minutes of the latest time that is known may still come, but for a container that fails already.
    """
    age = count_seconds(pod.metadata.creationTimestamp, now)
    is_new = age is not None and age < SETTLING_SECONDS
    if pod.metadata.deletionTimestamp:
        late = count_seconds(pod.metadata.deletionTimestamp, now)
        return UnhealthyPod(pod, PodTrouble.TERMINATING) if is_kubelet_silent or (late is not None and late > _LATE_SECONDS) else None
    if pod.status.phase == "Succeeded":
        return None
    if pod.status.phase == "Failed":
        return UnhealthyPod(pod, PodTrouble.FAILED, _state_reason(_join_reason(pod.status.reason, pod.status.message)))
    if not pod.spec.nodeName:
        return None if is_new else UnhealthyPod(pod, PodTrouble.PENDING, _state_reason(get_scheduler_message(pod)))
    containers = (*pod.status.initContainerStatuses, *pod.status.containerStatuses)
    for container in containers:
        found = _check_container(container)
        if found is not None:
            return UnhealthyPod(pod, *found)
    if is_new or is_pod_ready(pod):
        return None
    if pod.status.phase == "Pending":
        if not containers:
            return UnhealthyPod(pod, PodTrouble.NOT_STARTED, NotStarted())
        if runs := next(
            (container_status.name for container_status in pod.status.initContainerStatuses if _is_running(container_status)),
            "",
        ):
            return UnhealthyPod(pod, PodTrouble.INITIALIZING, RunningInitContainer(runs))
        states = [container.state.waiting for container in containers if container.state and container.state.waiting]
        return UnhealthyPod(
            pod, PodTrouble.WAITING, StartingPod(next((state.reason for state in states if state.reason), "ContainerCreating"))
        )
    return UnhealthyPod(pod, PodTrouble.NOT_READY, _state_reason(_get_condition_message(pod, "Ready")))


def is_pod_ready(pod: ClusterPod) -> bool:
    """Whether a pod is Ready; one that does not say is, where it runs."""
    stated = [condition.status for condition in pod.status.conditions if condition.type == "Ready"]
    return stated[-1] == "True" if stated else pod.status.phase == "Running"


def is_listed_pod_ready(phase: str, conditions: bytes) -> bool:
    """The same of a listed pod, of which the conditions are a text."""
    if _READY_PATTERN.search(conditions):
        return True
    stated = _parse_ready(conditions) if conditions else None
    return phase == "Running" if stated is None else stated


@cache
def _parse_ready(conditions: bytes) -> bool | None:
    try:
        stated = [condition.status for condition in _CONDITIONS.decode(conditions) if condition.type == "Ready"]
    except msgspec.MsgspecError:
        return False  # then the pod as a whole is looked at
    return stated[-1] == "True" if stated else None


def get_scheduler_message(pod: ClusterPod) -> str:
    """What the scheduler says of a pod without a node; "" where none has looked at it."""
    return _get_condition_message(pod, "PodScheduled")


def _get_condition_message(pod: ClusterPod, type: str) -> str:
    found = next((condition for condition in pod.status.conditions if condition.type == type and condition.status != "True"), None)
    return _join_reason(found.reason, found.message) if found else ""


def _join_reason(reason: str, message: str) -> str:
    text = normalize_message(message)
    return text or reason if not (reason and text) or reason in ("Unschedulable", "ContainersNotReady") else f"{reason}: {text}"


def _state_reason(text: str) -> StatedReason | None:
    return StatedReason(text) if text else None


def _check_container(container: ContainerStatusWithState) -> tuple[PodTrouble, PodReason] | None:
    state, last = container.state, container.lastState
    waiting = state.waiting if state else None
    if waiting is not None and waiting.reason == "CrashLoopBackOff":
        ended = last.terminated if last else None
        if ended is None:
            return PodTrouble.CRASHING, CrashLoop(container.name, container.restartCount)
        return PodTrouble.CRASHING, CrashLoop(container.name, container.restartCount, ended.reason, ended.exitCode)
    if waiting is not None and waiting.reason not in _STARTING_REASONS:
        message = normalize_message(waiting.message) if waiting.reason in SAFE_WAITING_REASONS else ""
        return PodTrouble.WAITING, WaitingContainer(container.name, waiting.reason, message)
    ended = state.terminated if state else None
    if ended is not None and ended.exitCode and container.restartCount:
        return PodTrouble.CRASHING, FailedContainer(container.name, ended.exitCode, container.restartCount)
    return None


def _is_running(container: ContainerStatusWithState) -> bool:
    state = container.state
    return state is None or (state.waiting is None and state.terminated is None)


def is_waiting(pod: CoveragePod) -> bool:
    """Whether a listed pod is neither through nor being deleted."""
    return not pod.metadata.deletionTimestamp and pod.status.phase not in ("Succeeded", "Failed")


def get_extended_requests(spec: PodSpec) -> dict[str, int]:
    """The extended resources that a pod asks for; {} where an amount cannot be read."""
    try:
        return {name: amount for name, amount in sum_pod_requests(spec).items() if amount and is_extended_resource(name)}
    except QuantityError:
        return {}
