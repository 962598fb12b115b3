"""What a snapshot keeps of the state of a cluster: only what `preflight doctor` reads, and nothing that a container may have printed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from preflight.load.runtime_state import KINDS
from preflight.model.runtime_state import SAFE_REASONS, NodeState, State, StateCondition, StatedContainer, StatedPod
from preflight.model.snapshot_fields import readable


def with_state(node: dict[str, Any], state: NodeState) -> dict[str, Any]:
    """The fields of a node that are read, with those of its state: a message only where something is wrong, times of transitions only."""
    owned = tuple(each for each in state.metadata.managedFields if each.labels)
    metadata = replace(state.metadata, name="", managedFields=owned)
    status = replace(state.status, conditions=tuple(_kept(each) for each in state.status.conditions))
    found: dict[str, Any] = {**node, "metadata": {**node["metadata"], **_plain(metadata)}}
    if any(each.timeAdded for each in state.spec.taints):
        found["spec"] = {**node.get("spec", {}), **_plain(state.spec)}
    if kept := _plain(status):
        found["status"] = {**node.get("status", {}), **kept}
    return found


def objects(state: State) -> Iterator[dict[str, Any]]:
    """The objects that nothing but the state is read of, whole."""
    for event in state.events:
        yield {"apiVersion": KINDS["Event"][0], "kind": "Event", **_plain(event)}
    for _, node in sorted(state.csi_nodes.items()):
        yield {"apiVersion": KINDS["CSINode"][0], "kind": "CSINode", **_plain(node)}


def harmless(pod: StatedPod) -> StatedPod:
    """A pod without messages of its containers that may name arguments or variables."""
    status = pod.status
    lists = (status.containerStatuses, status.initContainerStatuses)
    if all(_is_harmless(each) for containers in lists for each in containers):
        return pod
    kept = [tuple(_without(each) for each in containers) for containers in lists]
    return replace(pod, status=replace(status, containerStatuses=kept[0], initContainerStatuses=kept[1]))


def _kept(condition: StateCondition) -> StateCondition:
    if condition.is_bad:
        return replace(condition, lastHeartbeatTime="")
    return replace(condition, lastHeartbeatTime="", reason="", message="")


def _plain(value: Any) -> dict[str, Any]:
    found = readable(msgspec.to_builtins(value), type(value))
    assert isinstance(found, dict)
    return found


def _is_harmless(container: StatedContainer) -> bool:
    waiting = container.state.waiting if container.state else None
    nothing = container.state is not None and waiting is None and container.state.terminated is None
    past = container.lastState is not None and container.lastState.terminated is None
    return not nothing and not past and (waiting is None or not waiting.message or waiting.reason in SAFE_REASONS)


def _without(container: StatedContainer) -> StatedContainer:
    """Without an unsafe message, and without a state that says nothing."""
    state, last = container.state, container.lastState
    if state is not None and state.waiting is not None and state.waiting.reason not in SAFE_REASONS:
        state = replace(state, waiting=replace(state.waiting, message=""))
    if state is not None and state.waiting is None and state.terminated is None:
        state = None
    return replace(container, state=state, lastState=last if last is not None and last.terminated is not None else None)
