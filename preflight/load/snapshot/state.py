"""What a snapshot keeps of the state of a cluster: only what `preflight doctor` reads, and nothing that a container may have printed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from preflight.load.runtime_state import STATE_TYPES
from preflight.model.annotations import is_backup_annotation
from preflight.model.runtime_state import (
    SAFE_WAITING_REASONS,
    ContainerStatusWithState,
    NodeCondition,
    NodeInfo,
    NodeState,
    PodState,
    RuntimeState,
)
from preflight.model.snapshot_fields import select_read_fields

_MAX_BACKUP = 4096
"""A longer annotation is no label, and no few labels."""


def add_node_state(node: dict[str, Any], state: NodeState) -> dict[str, Any]:
    """The fields of a node that are read, with those of its state.

    A message only where something is wrong, times of transitions only, and of the annotations those that keep labels for later.
    """
    owned = tuple(managed_field for managed_field in state.metadata.managedFields if managed_field.owned_labels)
    annotations = {key: text for key, text in state.metadata.annotations.items() if is_backup_annotation(key) and len(text) <= _MAX_BACKUP}
    metadata = replace(state.metadata, name="", managedFields=owned, annotations={})
    info = state.status.nodeInfo if state.status.nodeInfo != NodeInfo() else None
    status = replace(state.status, nodeInfo=info, conditions=tuple(_trim_condition(condition) for condition in state.status.conditions))
    found: dict[str, Any] = {**node, "metadata": {**node["metadata"], **_to_plain(metadata)}}
    if annotations:
        found["metadata"]["annotations"] = {**node["metadata"].get("annotations", {}), **annotations}
    if any(taint.timeAdded for taint in state.spec.taints):
        found["spec"] = {**node.get("spec", {}), **_to_plain(state.spec)}
    if kept := _to_plain(status):
        found["status"] = {**node.get("status", {}), **kept}
    return found


def iter_state_objects(state: RuntimeState) -> Iterator[dict[str, Any]]:
    """The objects that nothing but the state is read of, whole."""
    for event in state.events:
        yield {"apiVersion": STATE_TYPES["Event"][0], "kind": "Event", **_to_plain(event)}
    for _, node in sorted(state.csi_nodes.items()):
        yield {"apiVersion": STATE_TYPES["CSINode"][0], "kind": "CSINode", **_to_plain(node)}


def redact_pod(pod: PodState) -> PodState:
    """A pod without messages of its containers that may name arguments or variables."""
    status = pod.status
    lists = (status.containerStatuses, status.initContainerStatuses)
    if all(_is_safe(container) for containers in lists for container in containers):
        return pod
    kept = [tuple(_redact_container(with_state) for with_state in containers) for containers in lists]
    return replace(pod, status=replace(status, containerStatuses=kept[0], initContainerStatuses=kept[1]))


def _trim_condition(condition: NodeCondition) -> NodeCondition:
    if condition.is_bad:
        return replace(condition, lastHeartbeatTime="")
    return replace(condition, lastHeartbeatTime="", reason="", message="")


def _to_plain(value: Any) -> dict[str, Any]:
    found = select_read_fields(msgspec.to_builtins(value), type(value))
    assert isinstance(found, dict)
    return found


def _is_safe(container: ContainerStatusWithState) -> bool:
    waiting = container.state.waiting if container.state else None
    nothing = container.state is not None and waiting is None and container.state.terminated is None
    past = container.lastState is not None and container.lastState.terminated is None
    return not nothing and not past and (waiting is None or not waiting.message or waiting.reason in SAFE_WAITING_REASONS)


def _redact_container(container: ContainerStatusWithState) -> ContainerStatusWithState:
    """Without an unsafe message, and without a state that says nothing."""
    state, last = container.state, container.lastState
    if state is not None and state.waiting is not None and state.waiting.reason not in SAFE_WAITING_REASONS:
        state = replace(state, waiting=replace(state.waiting, message=""))
    if state is not None and state.waiting is None and state.terminated is None:
        state = None
    return replace(container, state=state, lastState=last if last is not None and last.terminated is not None else None)
