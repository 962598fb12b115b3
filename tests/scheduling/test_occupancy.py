"""What is taken of nodes, and how that changes as pods come and go."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from preflight.model.objects import Container, Node, Resources
from preflight.model.pod_scheduling import ScheduledPod, ScheduledSpec
from preflight.model.pod_status import RunningMetadata, RunningPod
from preflight.scheduling.fit import fit
from preflight.scheduling.occupancy import Occupancy, occupy
from preflight.scheduling.ports import HostPort
from preflight.scheduling.requests import running_requests
from preflight.scheduling.uncertainty import Doubt
from tests.scheduling.fitting import node, pod, there
from tests.scheduling.test_fit_laws import LAW, running


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


def resized(name: str, cpu: str, *conditions: dict[str, str]) -> Any:
    """A pod that asks for one CPU, to whose container its node gave so much."""
    given = [{"name": "c", "resources": {"requests": {"cpu": cpu}}, "allocatedResources": {"cpu": cpu}}]
    return there("n", name, status={"containerStatuses": given, "conditions": list(conditions)}, cpu="1")


def test_pods_that_are_alike_but_for_what_their_node_gave_take_what_it_gave() -> None:
    infeasible = {"type": "PodResizePending", "status": "True", "reason": "Infeasible"}
    pods = [resized("a", "2"), resized("b", "500m"), resized("c", "500m", infeasible), there("n", "d", cpu="1"), resized("e", "2")]
    taken = occupy([node()], pods).rooms["n"].taken
    assert [each.amounts["cpu"] for each in taken] == [2000, 1000, 500, 1000, 2000]
    assert [each.amounts for each in taken] == [running_requests(each) for each in pods]


@pytest.mark.parametrize(
    "odd", [pytest.param({"cpu": 10**30}, id="a number beyond all"), pytest.param({"\ud800/x": "1"}, id="half a character")]
)
def test_what_no_server_takes_is_counted_by_itself(odd: dict[str, Any]) -> None:
    asks = [Container("c", resources=Resources(requests=odd))]
    pods = [ScheduledPod(RunningMetadata("p", "default"), ScheduledSpec(nodeName="n", containers=tuple(asks)))]
    (taken,) = occupy([node()], pods).rooms["n"].taken
    assert [each.what for each in taken.doubts] == (["quantity"] if "cpu" in odd else [])


@given(pods=running())
@LAW
def test_what_a_pod_takes_does_not_hang_on_those_before_it(pods: list[ScheduledPod]) -> None:
    every = {each.spec.nodeName for each in pods}
    rooms = occupy([node(name) for name in every if name], [*pods, *pods]).rooms
    for room in rooms.values():
        alone = [each for each in pods if each.spec.nodeName == room.node.name and not each.has_ended]
        assert [each.amounts for each in room.taken] == [running_requests(each) for each in (*alone, *alone)]


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
