"""What is taken of nodes, and how that changes as pods come and go."""

from __future__ import annotations

from preflight.model.objects import Node
from preflight.model.running import RunningPod
from preflight.scheduling.fit import fit
from preflight.scheduling.occupancy import Occupancy, occupy
from preflight.scheduling.ports import HostPort
from preflight.scheduling.unjudged import Doubt
from tests.scheduling.fitting import node, pod, there


def copies(occupancy: Occupancy) -> list[int]:
    return [each.copies for each in fit(pod(cpu=1), occupancy, labels={}, namespace="default").nodes]


def test_nothing_is_there() -> None:
    occupancy = occupy([node()], [])
    held = occupancy.rooms["n"].bound
    assert (held.pods, held.amounts, held.ports, held.doubts) == (0, {}, frozenset(), ())
    assert (occupancy.guards, occupancy.doubts) == ((), ())


def test_what_pods_take_adds_up() -> None:
    held = occupy([node()], [there("n", "a", cpu="250m", port=80), there("n", "b", cpu=1, gpu=2)]).rooms["n"].bound
    assert (held.pods, held.amounts) == (2, {"cpu": 1250, "example.com/gpu": 2})
    assert held.ports == {HostPort(80, "TCP", "0.0.0.0")}


def test_allocatable_is_as_the_scheduler_counts_it() -> None:
    room = occupy([node(cpu="1500m", memory="1.5Gi", gpu="x", foo="1")], []).rooms["n"]
    assert room.allocatable == {"cpu": 1500, "memory": 1610612736, "pods": 4}
    assert room.unreadable == {"example.com/gpu"}


def test_a_node_that_gives_no_allocatable() -> None:
    assert occupy([Node(metadata=node().metadata)], []).rooms["n"].allocatable is None


def test_the_nodes_are_in_order_of_their_names() -> None:
    assert list(occupy([node("b"), node("c"), node("a")], []).rooms) == ["a", "b", "c"]


def test_what_is_not_known_is_named() -> None:
    assert occupy([], None).doubts == (Doubt("pods"),)
    assert occupy([], [], all_pods=False, all_nodes=False).doubts == (Doubt("pods"), Doubt("nodes"))
    assert occupy([], [there("gone", kind=RunningPod)]).doubts == (Doubt("unread", "pods"),)
    assert occupy([], [there("", kind=RunningPod), there("gone", kind=RunningPod, phase="Failed")]).doubts == ()


def test_pods_are_placed_one_after_another() -> None:
    occupancy = occupy([node("a"), node("b")], [])
    assert copies(occupancy) == [2, 2]
    placed = occupancy.changed(occupancy.rooms["a"].with_pod(("default", "x"), pod(cpu=1)))
    assert copies(placed) == [1, 2]
    assert copies(occupancy) == [2, 2]


def test_a_pod_is_placed_whose_amount_cannot_be_read() -> None:
    room = occupy([node()], []).rooms["n"].with_pod(("default", "x"), pod(cpu="1K"))
    assert (room.bound.pods, room.bound.amounts, room.bound.doubts) == (1, {}, (Doubt("quantity", "default/x"),))


def test_a_pod_goes_and_its_room_is_free() -> None:
    occupancy = occupy([node()], [there("n", "a", cpu=1), there("n", "b", cpu=1)])
    gone = occupancy.changed(occupancy.rooms["n"].without(("default", "a")))
    assert (copies(occupancy), copies(gone)) == ([0], [1])
    assert occupancy.rooms["n"].without(("other", "a")).bound == occupancy.rooms["n"].bound
