"""What pods wait for, in order."""

from __future__ import annotations

import io
from typing import Any

import pytest

from preflight import load
from preflight.coverage.daemonset_pods import collect_listed_pods
from preflight.doctor.diagnose import diagnose
from preflight.doctor.pending.causes import WaitCause
from tests.builders import Object, make_daemonset, make_node, make_owner, make_pod, make_workload, write_list

MESSAGE = "0/1 nodes are available: 1 Insufficient cpu."
OLD = "2026-02-01T08:00:00Z"
NODE = make_node("n1", ready="True", allocatable={"cpu": "1", "memory": "1Gi", "pods": "110"})
NODE["status"]["conditions"][0]["lastHeartbeatTime"] = "2026-03-01T12:00:00Z"


def waiting(name: str, kind: str, created: str = OLD, **more: Any) -> Object:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": MESSAGE}
    containers = [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]
    owner, metadata = make_owner(kind, name.partition("-")[0]), {"creationTimestamp": created}
    status = {"conditions": [condition], **more.pop("status", {})}
    return make_pod(name, "ns", phase="Pending", owner=owner, metadata=metadata, status=status, containers=containers, **more)


def waits(*objects: Object) -> list[tuple[str, str]]:
    owners = [make_daemonset("z", "ns"), make_workload("ReplicaSet", "a", "ns", fields={"replicas": 1})]
    text = write_list([NODE, *owners, *objects])
    world = load.load_world(["-"], stdin=io.BytesIO(text.encode()), one_cluster=True, wants_state=True).world
    return [(wait.pod.metadata.name, wait.cause.value) for wait in diagnose(world, None, collect_listed_pods(world)).pod_waits]


NO_ROOM = WaitCause.NO_NODE_FITS.value


def test_pods_of_daemonsets_come_first_then_names() -> None:
    found = waits(waiting("a-2", "ReplicaSet"), waiting("a-1", "ReplicaSet"), waiting("z-2", "DaemonSet"), waiting("z-1", "DaemonSet"))
    assert found == [("z-1", NO_ROOM), ("z-2", NO_ROOM), ("a-1", NO_ROOM), ("a-2", NO_ROOM)]


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        pytest.param(waiting("a-1", "ReplicaSet", "2026-03-01T11:59:00Z"), [], id="it has just been created"),
        pytest.param(waiting("a-1", "ReplicaSet", status={"nominatedNodeName": "n1"}), [], id="it is nominated to a node"),
        pytest.param(waiting("a-1", "ReplicaSet", schedulingGates=[{"name": "x"}]), [("a-1", WaitCause.GATED.value)], id="it is gated"),
        pytest.param(waiting("a-1", "ReplicaSet"), [("a-1", NO_ROOM)], id="no node has room"),
    ],
)
def test_a_pod_waits(pod: Object, expected: list[tuple[str, str]]) -> None:
    assert waits(pod) == expected
