"""What is wrong with one pod, and what has just begun."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from preflight.doctor.pod_health import (
    CrashLoop,
    FailedContainer,
    NotStarted,
    PodReason,
    PodTrouble,
    RunningInitContainer,
    StartingPod,
    StatedReason,
    WaitingContainer,
    check_pod,
    is_listed_pod_ready,
    is_pod_ready,
)
from preflight.model.runtime_state import PodState
from tests.builders import make_pod

NOW = "2026-03-01T12:00:00Z"
OLD, FIVE_MINUTES, NEW = "2026-02-01T08:00:00Z", "2026-03-01T11:55:00Z", "2026-03-01T11:55:01Z"
A_MINUTE, LATE = "2026-03-01T11:59:00Z", "2026-03-01T11:58:59Z"


def pod(on: str = "n1", phase: str = "Running", created: str = OLD, deleted: str = "", **status: Any) -> PodState:
    metadata = {"creationTimestamp": created, **({"deletionTimestamp": deleted} if deleted else {})}
    return msgspec.convert(make_pod("p", "ns", node=on, phase=phase, metadata=metadata, status=status), PodState)


def condition(type: str, status: str, reason: str = "", message: str = "") -> dict[str, Any]:
    return {"conditions": [{"type": type, "status": status, "reason": reason, "message": message}]}


def container(
    state: dict[str, Any] | None = None, last: dict[str, Any] | None = None, restarts: int = 0, name: str = "c"
) -> dict[str, Any]:
    return {"name": name, "restartCount": restarts, **({"state": state} if state else {}), **({"lastState": last} if last else {})}


def containers(*statuses: dict[str, Any], init: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return {"containerStatuses": list(statuses), "initContainerStatuses": list(init)}


BACK_OFF = {"waiting": {"reason": "CrashLoopBackOff"}}
ENDED = {"terminated": {"reason": "Error", "exitCode": 3}}
PULL = {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}
STARTING = {"waiting": {"reason": "ContainerCreating"}}
RUNS: dict[str, Any] = {"running": {}}
NOT_READY = condition("Ready", "False", "ContainersNotReady", "containers with unready status: [c]")


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(pod(), id="it runs, and says no more"),
        pytest.param(pod(**condition("Ready", "True")), id="it is Ready"),
        pytest.param(pod(phase="Succeeded"), id="it has succeeded"),
        pytest.param(pod("", "Pending", NEW), id="it waits for the scheduler since less than five minutes"),
        pytest.param(pod(created=NEW, **NOT_READY), id="it is not Ready yet"),
        pytest.param(pod(phase="Pending", created=NEW), id="its kubelet has not begun yet"),
        pytest.param(pod(deleted=A_MINUTE), id="it is being deleted, and its time ended a minute ago"),
        pytest.param(pod(**containers(container(ENDED))), id="a container has ended, and was never restarted"),
        pytest.param(pod(**containers(container({"terminated": {"exitCode": 0}}, restarts=2))), id="a container has ended well"),
    ],
)
def test_nothing_is_wrong(given: PodState) -> None:
    assert check_pod(given, NOW, is_kubelet_silent=False) is None


@pytest.mark.parametrize(
    ("given", "trouble", "reason"),
    [
        pytest.param(pod(deleted=LATE), PodTrouble.TERMINATING, None, id="it should have ended"),
        pytest.param(
            pod(phase="Failed", reason="Evicted", message="The node was low on memory."),
            PodTrouble.FAILED,
            StatedReason("Evicted: The node was low on memory."),
            id="it has failed",
        ),
        pytest.param(pod(phase="Failed", reason="OutOfcpu"), PodTrouble.FAILED, StatedReason("OutOfcpu"), id="it has failed, in a word"),
        pytest.param(pod(phase="Failed"), PodTrouble.FAILED, None, id="it has failed, and nothing says why"),
        pytest.param(pod("", "Pending", FIVE_MINUTES), PodTrouble.PENDING, None, id="it waits for the scheduler since five minutes"),
        pytest.param(
            pod("", "Pending", **condition("PodScheduled", "False", "Unschedulable", "0/1 nodes are available")),
            PodTrouble.PENDING,
            StatedReason("0/1 nodes are available"),
            id="the scheduler says why",
        ),
        pytest.param(
            pod(created=NEW, **containers(container(BACK_OFF, restarts=4))), PodTrouble.CRASHING, CrashLoop("c", 4), id="a new one crashes"
        ),
        pytest.param(
            pod(**containers(container(BACK_OFF, ENDED, 4))), PodTrouble.CRASHING, CrashLoop("c", 4, "Error", 3), id="it crashes, and how"
        ),
        pytest.param(
            pod(**containers(container(ENDED, restarts=1))), PodTrouble.CRASHING, FailedContainer("c", 3, 1), id="it has crashed again"
        ),
        pytest.param(
            pod(**containers(container(PULL))),
            PodTrouble.WAITING,
            WaitingContainer("c", "ImagePullBackOff", "no such image"),
            id="no image",
        ),
        pytest.param(
            pod(**containers(container({"waiting": {"reason": "Odd", "message": "--token=x"}}))),
            PodTrouble.WAITING,
            WaitingContainer("c", "Odd"),
            id="words that may hold arguments are left out",
        ),
        pytest.param(
            pod(**containers(container(RUNS), init=(container(PULL, name="i"),))),
            PodTrouble.WAITING,
            WaitingContainer("i", "ImagePullBackOff", "no such image"),
            id="init containers come first",
        ),
        pytest.param(pod(phase="Pending"), PodTrouble.NOT_STARTED, NotStarted(), id="its kubelet has not begun"),
        pytest.param(
            pod(phase="Pending", **containers(container(STARTING), init=(container(RUNS, name="i"),))),
            PodTrouble.INITIALIZING,
            RunningInitContainer("i"),
            id="an init container runs",
        ),
        pytest.param(
            pod(phase="Pending", **containers(container(STARTING), init=(container(ENDED, name="i"),))),
            PodTrouble.WAITING,
            StartingPod("ContainerCreating"),
            id="its containers are being created",
        ),
        pytest.param(
            pod(phase="Pending", **containers(container({"waiting": {"reason": ""}}))),
            PodTrouble.WAITING,
            StartingPod("ContainerCreating"),
            id="so they are without a reason",
        ),
        pytest.param(
            pod(created=FIVE_MINUTES, **NOT_READY),
            PodTrouble.NOT_READY,
            StatedReason("containers with unready status: [c]"),
            id="it is not Ready since five minutes",
        ),
    ],
)
def test_something_is_wrong(given: PodState, trouble: PodTrouble, reason: PodReason | None) -> None:
    found = check_pod(given, NOW, is_kubelet_silent=False)
    assert found is not None
    assert (found.pod, found.trouble, found.reason) == (given, trouble, reason)


def test_a_pod_that_is_deleted_on_a_silent_node_never_ends() -> None:
    found = check_pod(pod(deleted=NOW), NOW, is_kubelet_silent=True)
    assert found is not None
    assert (found.trouble, found.start_time) == (PodTrouble.TERMINATING, NOW)


def test_a_trouble_began_with_the_deletion_or_the_creation() -> None:
    found = check_pod(pod(phase="Failed"), NOW, is_kubelet_silent=False)
    assert found is not None
    assert found.start_time == OLD


@pytest.mark.parametrize(
    ("phase", "conditions", "ready"),
    [
        ("Running", [], True),
        ("Pending", [], False),
        ("Running", [("Ready", "False")], False),
        ("Pending", [("Ready", "True")], True),
        ("Running", [("PodScheduled", "False")], True),
        ("Running", [("Ready", "True"), ("Ready", "False")], False),
    ],
)
def test_readiness_is_the_condition_or_the_phase(phase: str, conditions: list[tuple[str, str]], ready: bool) -> None:
    stated = [{"type": type, "status": status} for type, status in conditions]
    assert is_pod_ready(pod(phase=phase, conditions=stated)) is ready
    if len(conditions) < 2:
        assert is_listed_pod_ready(phase, msgspec.json.encode(stated) if stated else b"") is ready
