"""What is taken of nodes, and how that changes as pods come and go."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from preflight.model.core import Container, Node, Resources
from preflight.model.pod_scheduling import SchedulerPod, SchedulerPodSpec
from preflight.model.pod_status import ClusterPod, ClusterPodMetadata
from preflight.model.uncertainty import Uncertainty, UncertaintyKind
from preflight.scheduling.fit import fit_pod
from preflight.scheduling.occupancy import Occupancy, build_occupancy
from preflight.scheduling.ports import HostPort
from preflight.scheduling.requests import sum_allocated_requests
from tests.scheduling.fit_objects import node, pod, there
from tests.scheduling.test_fit_laws import LAW, running


def copies(occupancy: Occupancy) -> list[int]:
    return [node.copies for node in fit_pod(pod(cpu=1), occupancy, labels={}, namespace="default").nodes]


def test_nothing_is_there() -> None:
    occupancy = build_occupancy([node()], [])
    held = occupancy.nodes["n"].bound_usage
    assert (held.pod_count, held.amounts, held.ports, held.uncertainties) == (0, {}, frozenset(), ())
    assert (occupancy.anti_affinities, occupancy.uncertainties) == ((), ())


def test_what_pods_take_adds_up() -> None:
    held = build_occupancy([node()], [there("n", "a", cpu="250m", port=80), there("n", "b", cpu=1, gpu=2)]).nodes["n"].bound_usage
    assert (held.pod_count, held.amounts) == (2, {"cpu": 1250, "example.com/gpu": 2})
    assert held.ports == {HostPort(80, "TCP", "0.0.0.0")}


def resized(name: str, cpu: str, *conditions: dict[str, str]) -> Any:
    """A pod that asks for one CPU, to whose container its node gave so much."""
    given = [{"name": "c", "resources": {"requests": {"cpu": cpu}}, "allocatedResources": {"cpu": cpu}}]
    return there("n", name, status={"containerStatuses": given, "conditions": list(conditions)}, cpu="1")


def test_pods_that_are_alike_but_for_what_their_node_gave_take_what_it_gave() -> None:
    infeasible = {"type": "PodResizePending", "status": "True", "reason": "Infeasible"}
    pods = [resized("a", "2"), resized("b", "500m"), resized("c", "500m", infeasible), there("n", "d", cpu="1"), resized("e", "2")]
    taken = build_occupancy([node()], pods).nodes["n"].pod_usages
    assert [usage.amounts["cpu"] for usage in taken] == [2000, 1000, 500, 1000, 2000]
    assert [each.amounts for each in taken] == [sum_allocated_requests(pod) for pod in pods]


@pytest.mark.parametrize(
    "odd", [pytest.param({"cpu": 10**30}, id="a number beyond all"), pytest.param({"\ud800/x": "1"}, id="half a character")]
)
def test_what_no_server_takes_is_counted_by_itself(odd: dict[str, Any]) -> None:
    asks = [Container("c", resources=Resources(requests=odd))]
    pods = [SchedulerPod(ClusterPodMetadata("p", "default"), SchedulerPodSpec(nodeName="n", containers=tuple(asks)))]
    (taken,) = build_occupancy([node()], pods).nodes["n"].pod_usages
    assert [uncertainty.kind for uncertainty in taken.uncertainties] == ([UncertaintyKind.QUANTITY] if "cpu" in odd else [])


@given(pods=running())
@LAW
def test_what_a_pod_takes_does_not_hang_on_those_before_it(pods: list[SchedulerPod]) -> None:
    every = {pod.spec.nodeName for pod in pods}
    rooms = build_occupancy([node(name) for name in every if name], [*pods, *pods]).nodes
    for room in rooms.values():
        alone = [each for each in pods if each.spec.nodeName == room.node.name and not each.has_ended]
        assert [pod_usage.amounts for pod_usage in room.pod_usages] == [sum_allocated_requests(each) for each in (*alone, *alone)]


def test_allocatable_is_as_the_scheduler_counts_it() -> None:
    room = build_occupancy([node(cpu="1500m", memory="1.5Gi", gpu="x", foo="1")], []).nodes["n"]
    assert room.allocatable == {"cpu": 1500, "memory": 1610612736, "pods": 4}
    assert room.unreadable_resources == {"example.com/gpu"}


def test_a_node_that_gives_no_allocatable() -> None:
    assert build_occupancy([Node(metadata=node().metadata)], []).nodes["n"].allocatable is None


def test_the_nodes_are_in_order_of_their_names() -> None:
    assert list(build_occupancy([node("b"), node("c"), node("a")], []).nodes) == ["a", "b", "c"]


def test_what_is_not_known_is_named() -> None:
    assert build_occupancy([], None).uncertainties == (Uncertainty(UncertaintyKind.PODS),)
    assert build_occupancy([], [], all_pods=False, all_nodes=False).uncertainties == (
        Uncertainty(UncertaintyKind.PODS),
        Uncertainty(UncertaintyKind.NODES),
    )
    assert build_occupancy([], [there("gone", kind=ClusterPod)]).uncertainties == (Uncertainty(UncertaintyKind.UNREAD, "pods"),)
    assert build_occupancy([], [there("", kind=ClusterPod), there("gone", kind=ClusterPod, phase="Failed")]).uncertainties == ()


def test_pods_are_placed_one_after_another() -> None:
    occupancy = build_occupancy([node("a"), node("b")], [])
    assert copies(occupancy) == [2, 2]
    placed = occupancy.with_node(occupancy.nodes["a"].with_pod(("default", "x"), pod(cpu=1)))
    assert copies(placed) == [1, 2]
    assert copies(occupancy) == [2, 2]


def test_a_pod_is_placed_whose_amount_cannot_be_read() -> None:
    room = build_occupancy([node()], []).nodes["n"].with_pod(("default", "x"), pod(cpu="1K"))
    assert (room.bound_usage.pod_count, room.bound_usage.amounts, room.bound_usage.uncertainties) == (
        1,
        {},
        (Uncertainty(UncertaintyKind.QUANTITY, "default/x"),),
    )


def test_a_pod_goes_and_its_room_is_free() -> None:
    occupancy = build_occupancy([node()], [there("n", "a", cpu=1), there("n", "b", cpu=1)])
    gone = occupancy.with_node(occupancy.nodes["n"].without_pod(("default", "a")))
    assert (copies(occupancy), copies(gone)) == ([0], [1])
    assert occupancy.nodes["n"].without_pod(("other", "a")).bound_usage == occupancy.nodes["n"].bound_usage
