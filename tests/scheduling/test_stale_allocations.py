"""Pods that hold room though nothing of them runs."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.model.capacity_reasons import StaleReason
from preflight.model.core import Node
from preflight.scheduling.stale_allocations import StalePod, find_stale_pod, list_stale_pods
from tests.builders import read_object
from tests.scheduling.fit_objects import node, there


def in_state(name: str, ready: str | None) -> Node:
    """A node whose Ready condition has this status; None for a node without a status."""
    status = {"conditions": [{"type": "Ready", "status": ready}]} if ready else {}
    found: Node = read_object({"kind": "Node", "metadata": {"name": name}, "status": status}, Node)
    return found


NODES = {
    "up": in_state("up", "True"),
    "down": in_state("down", "False"),
    "silent": in_state("silent", "Unknown"),
    "bare": in_state("bare", None),
}


def on(name: str, phase: str = "Running", *, deleted: bool = False) -> Any:
    pod = there(name, phase=phase)
    if not deleted:
        return pod
    from msgspec.structs import replace

    return replace(pod, metadata=replace(pod.metadata, deletionTimestamp="2026-01-01T00:00:00Z"))


@pytest.mark.parametrize(
    ("pod", "why"),
    [
        pytest.param(on("up"), None, id="it runs"),
        pytest.param(on("", "Pending"), None, id="it waits for a node"),
        pytest.param(on("up", "Succeeded"), None, id="it is over"),
        pytest.param(on("down", "Failed", deleted=True), None, id="it is over, and holds nothing though its node is down"),
        pytest.param(on("elsewhere", "Pending"), None, id="its node is not known"),
        pytest.param(on("up", deleted=True), None, id="it ends on a node that is Ready"),
        pytest.param(on("bare", deleted=True), None, id="it ends on a node of which no state is known"),
        pytest.param(on("down"), None, id="it may still run on a node that is down"),
        pytest.param(on("up", "Pending"), StaleReason.PENDING, id="its node has it, and has started nothing"),
        pytest.param(on("down", deleted=True), StaleReason.DEAD, id="it is being deleted, and its node is not Ready"),
        pytest.param(on("silent", "Pending", deleted=True), StaleReason.DEAD, id="the same of one that never started"),
    ],
)
def test_what_a_ghost_is(pod: Any, why: StaleReason | None) -> None:
    found = find_stale_pod(pod, NODES)
    assert (found and found.reason) == why


def test_ghosts_come_in_the_order_of_the_pods() -> None:
    assert list_stale_pods((), NODES) == ()
    assert list_stale_pods((on("up"), on("silent", deleted=True), on("up", "Pending")), NODES) == (
        StalePod(("default", "there"), "silent", StaleReason.DEAD),
        StalePod(("default", "there"), "up", StaleReason.PENDING),
    )
    assert node("n").is_ready is None
