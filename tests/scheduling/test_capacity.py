"""Where the room for a pod goes, cause by cause; nothing of it is lost or counted twice."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace

from preflight.model.capacity_reasons import CapacityLossCause
from preflight.model.core import Node
from preflight.model.pod_scheduling import SchedulerPod, SchedulerPodSpec
from preflight.scheduling.capacity import Capacity, CapacityLoss, choose_resource, explain_capacity
from preflight.scheduling.fit import fit_pod
from preflight.scheduling.occupancy import build_occupancy
from preflight.scheduling.quantities import QuantityError
from tests.scheduling.fit_objects import node, pod, there
from tests.scheduling.test_fit_laws import LAW, new_pods, nodes, running


def way(
    spec: SchedulerPodSpec,
    *given: Node,
    pods: Any = (),
    resource: str = "",
    ghosts: frozenset[tuple[str, str]] = frozenset(),
    **options: Any,
) -> Capacity:
    occupancy = build_occupancy(given, pods)
    known: dict[str, Any] = {"labels": {}, "namespace": "default", "comparison_operators": False}
    return explain_capacity(spec, occupancy, fit_pod(spec, occupancy, **(known | options)), resource, ghosts)


def test_a_pod_that_asks_for_nothing_follows_the_number_of_pods() -> None:
    assert way(pod(), node("a"), node("b", pods=1)) == Capacity("pods", 1, 5, (), 5, 4)


def test_no_nodes_at_all() -> None:
    assert way(pod(gpu=1)) == Capacity("example.com/gpu", 1, 0, (), 0, 0)


NOT_READY = ("node.kubernetes.io/not-ready:NoExecute", "node.kubernetes.io/not-ready:NoSchedule")
CORDONED = ("node.kubernetes.io/unschedulable:NoSchedule",)
SELECTED = pod(gpu=4, cpu=1, nodeSelector={"env": "prod"})
PROD = {"env": "prod"}


def test_many_are_free_and_none_can_be_had() -> None:
    found = way(
        SELECTED,
        node("dead", NOT_READY, PROD, cordoned=True, gpu=8),
        node("cordoned", CORDONED, PROD, cordoned=True, gpu=8),
        node("unlabelled", gpu=8),
        node("tainted", ("spot:NoSchedule",), PROD, gpu=8),
        node("nearly", labels=PROD, gpu=8),
        node("no-cpu", labels=PROD, gpu=8, cpu="500m"),
        node("none", labels=PROD),
        pods=[there("dead", gpu=3), there("unlabelled", gpu=8), there("nearly", gpu=6)],
    )
    assert found == Capacity(
        resource="example.com/gpu",
        requested=4,
        total=48,
        steps=(
            CapacityLoss(CapacityLossCause.NOT_READY, 8, 5, ("dead",)),
            CapacityLoss(CapacityLossCause.CORDONED, 8, 8, ("cordoned",)),
            CapacityLoss(CapacityLossCause.SELECTOR, 8, 0, ("unlabelled",)),
            CapacityLoss(CapacityLossCause.TAINTS, 8, 8, ("tainted",)),
            CapacityLoss(CapacityLossCause.USED, 6, 0, ("nearly",)),
            CapacityLoss(CapacityLossCause.FRAGMENTED, 2, 2, ("nearly",)),
            CapacityLoss(CapacityLossCause.OTHER_RESOURCES, 8, 8, ("no-cpu",)),
        ),
        copies=0,
        largest=8,
    )


@pytest.mark.parametrize(
    ("spec", "one", "pods", "steps"),
    [
        pytest.param(pod(cpu="600m"), node(), [], [(CapacityLossCause.FRAGMENTED, 200)], id="a rest beside whole copies"),
        pytest.param(pod(cpu="500m"), node(pods=1), [], [(CapacityLossCause.POD_LIMIT, 1500)], id="no more pods are allowed"),
        pytest.param(pod(cpu="500m", port=80), node(), [], [(CapacityLossCause.HOST_PORTS, 1500)], id="one copy has the port"),
        pytest.param(
            pod(cpu="500m", port=80),
            node(pods=9),
            [there("n", port=80)],
            [(CapacityLossCause.HOST_PORTS, 2000)],
            id="another pod has the port",
        ),
        pytest.param(pod(cpu="1", memory="3Gi"), node(), [], [(CapacityLossCause.OTHER_RESOURCES, 1000)], id="memory is used up first"),
        pytest.param(pod(cpu="1"), node(), [there("n", cpu="3")], [(CapacityLossCause.USED, 2000)], id="more is used than there is"),
        pytest.param(
            pod(cpu="1", schedulingGates=[{"name": "x"}]), node(), [], [(CapacityLossCause.UNKNOWN, 2000)], id="what would fit is in doubt"
        ),
        pytest.param(
            pod(cpu="1", schedulerName="x"), node(cordoned=True), [], [(CapacityLossCause.UNKNOWN, 2000)], id="another scheduler decides"
        ),
    ],
)
def test_what_takes_room_on_a_node(spec: SchedulerPodSpec, one: Node, pods: list[Any], steps: list[tuple[CapacityLossCause, int]]) -> None:
    assert [(step.cause, step.amount) for step in way(spec, one, pods=pods, resource="cpu").steps] == steps


GHOST = frozenset({("default", "ghost")})


@pytest.mark.parametrize(
    ("spec", "pods", "steps"),
    [
        pytest.param(pod(cpu="500m"), [there("n", "ghost", cpu="500m")], [(CapacityLossCause.STALE, 500)], id="a ghost alone"),
        pytest.param(
            pod(cpu="500m"),
            [there("n", "ghost", cpu="1"), there("n", cpu="500m")],
            [(CapacityLossCause.USED, 500), (CapacityLossCause.STALE, 1000)],
            id="beside others",
        ),
        pytest.param(
            pod(cpu="500m"),
            [there("n", "ghost", cpu="3"), there("n", cpu="2")],
            [(CapacityLossCause.STALE, 2000)],
            id="no more than there is",
        ),
        pytest.param(
            pod(),
            [there("n", "ghost"), there("n")],
            [(CapacityLossCause.USED, 1), (CapacityLossCause.STALE, 1)],
            id="of the number of pods",
        ),
    ],
)
def test_what_ghosts_hold_is_told_from_what_is_used(
    spec: SchedulerPodSpec, pods: list[Any], steps: list[tuple[CapacityLossCause, int]]
) -> None:
    found = way(spec, node(), pods=pods, ghosts=GHOST)
    assert [(step.cause, step.amount) for step in found.steps if step.cause in (CapacityLossCause.USED, CapacityLossCause.STALE)] == steps
    assert all(step.free == 0 for step in found.steps if step.cause in (CapacityLossCause.USED, CapacityLossCause.STALE))


def test_what_is_free_is_free_whether_or_not_it_can_be_had() -> None:
    found = way(pod(gpu=4), node("a", gpu=6), node("b", cordoned=True, gpu=8), pods=[there("b", gpu=3)])
    assert (found.free, found.copies) == (11, 1)


def test_a_node_that_does_not_give_what_it_can_allocate_is_in_no_number() -> None:
    bare = Node(metadata=node("bare").metadata)
    found = way(pod(cpu=1), bare, node("broken", cpu="x"), node())
    assert (found.total, found.copies, found.unknown_nodes) == (2000, 2, ("bare", "broken"))


@pytest.mark.parametrize(
    ("spec", "resource"),
    [
        (pod(), "pods"),
        (pod(cpu=1, memory=1, gpu=1), "example.com/gpu"),
        (pod(cpu=1, memory=1), "cpu"),
        (pod(memory=1, cpu=0), "memory"),
    ],
)
def test_the_resource_whose_way_says_most(spec: SchedulerPodSpec, resource: str) -> None:
    assert choose_resource(spec) == resource


def test_an_amount_that_cannot_be_read_and_a_resource_that_is_not_asked_for() -> None:
    with pytest.raises(QuantityError):
        way(pod(cpu="1K"), node())
    with pytest.raises(KeyError):
        way(pod(cpu=1), node(), resource="memory")


@given(spec=new_pods(), every=nodes(), pods=running())
@LAW
def test_what_the_steps_take_away_leaves_the_copies(spec: SchedulerPodSpec, every: list[Node], pods: list[SchedulerPod]) -> None:
    idle = frozenset(pod.key for pod in pods[::2])
    for asked in (spec, replace(spec, schedulerName="x"), replace(spec, runtimeClassName="x")):
        found = way(asked, *every, pods=pods, ghosts=idle)
        assert found.total - sum(step.amount for step in found.steps) == found.copies * found.requested
        assert all(0 <= step.free <= step.amount for step in found.steps)
