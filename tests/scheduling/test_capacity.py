"""Where the room for a pod goes, cause by cause; nothing of it is lost or counted twice."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace

from preflight.model.objects import Node
from preflight.model.pod_scheduling import ScheduledPod, ScheduledSpec
from preflight.scheduling.capacity import Capacity, Cause, Step, capacity, followed
from preflight.scheduling.fit import fit
from preflight.scheduling.occupancy import occupy
from preflight.scheduling.quantities import QuantityError
from tests.scheduling.fitting import node, pod, there
from tests.scheduling.test_fit_laws import LAW, new_pods, nodes, running


def way(
    spec: ScheduledSpec, *given: Node, pods: Any = (), resource: str = "", ghosts: frozenset[tuple[str, str]] = frozenset(), **options: Any
) -> Capacity:
    occupancy = occupy(given, pods)
    known: dict[str, Any] = {"labels": {}, "namespace": "default", "comparison_operators": False}
    return capacity(spec, occupancy, fit(spec, occupancy, **(known | options)), resource, ghosts)


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
        wanted=4,
        total=48,
        steps=(
            Step(Cause.NOT_READY, 8, 5, ("dead",)),
            Step(Cause.CORDONED, 8, 8, ("cordoned",)),
            Step(Cause.SELECTOR, 8, 0, ("unlabelled",)),
            Step(Cause.TAINTS, 8, 8, ("tainted",)),
            Step(Cause.USED, 6, 0, ("nearly",)),
            Step(Cause.REST, 2, 2, ("nearly",)),
            Step(Cause.OTHERS, 8, 8, ("no-cpu",)),
        ),
        copies=0,
        largest=8,
    )


@pytest.mark.parametrize(
    ("spec", "one", "pods", "steps"),
    [
        pytest.param(pod(cpu="600m"), node(), [], [(Cause.REST, 200)], id="a rest beside whole copies"),
        pytest.param(pod(cpu="500m"), node(pods=1), [], [(Cause.PODS, 1500)], id="no more pods are allowed"),
        pytest.param(pod(cpu="500m", port=80), node(), [], [(Cause.PORTS, 1500)], id="one copy has the port"),
        pytest.param(pod(cpu="500m", port=80), node(pods=9), [there("n", port=80)], [(Cause.PORTS, 2000)], id="another pod has the port"),
        pytest.param(pod(cpu="1", memory="3Gi"), node(), [], [(Cause.OTHERS, 1000)], id="memory is used up first"),
        pytest.param(pod(cpu="1"), node(), [there("n", cpu="3")], [(Cause.USED, 2000)], id="more is used than there is"),
        pytest.param(pod(cpu="1", schedulingGates=[{"name": "x"}]), node(), [], [(Cause.UNKNOWN, 2000)], id="what would fit is in doubt"),
        pytest.param(pod(cpu="1", schedulerName="x"), node(cordoned=True), [], [(Cause.UNKNOWN, 2000)], id="another scheduler decides"),
    ],
)
def test_what_takes_room_on_a_node(spec: ScheduledSpec, one: Node, pods: list[Any], steps: list[tuple[Cause, int]]) -> None:
    assert [(step.cause, step.amount) for step in way(spec, one, pods=pods, resource="cpu").steps] == steps


GHOST = frozenset({("default", "ghost")})


@pytest.mark.parametrize(
    ("spec", "pods", "steps"),
    [
        pytest.param(pod(cpu="500m"), [there("n", "ghost", cpu="500m")], [(Cause.GHOSTS, 500)], id="a ghost alone"),
        pytest.param(
            pod(cpu="500m"),
            [there("n", "ghost", cpu="1"), there("n", cpu="500m")],
            [(Cause.USED, 500), (Cause.GHOSTS, 1000)],
            id="beside others",
        ),
        pytest.param(
            pod(cpu="500m"), [there("n", "ghost", cpu="3"), there("n", cpu="2")], [(Cause.GHOSTS, 2000)], id="no more than there is"
        ),
        pytest.param(pod(), [there("n", "ghost"), there("n")], [(Cause.USED, 1), (Cause.GHOSTS, 1)], id="of the number of pods"),
    ],
)
def test_what_ghosts_hold_is_told_from_what_is_used(spec: ScheduledSpec, pods: list[Any], steps: list[tuple[Cause, int]]) -> None:
    found = way(spec, node(), pods=pods, ghosts=GHOST)
    assert [(step.cause, step.amount) for step in found.steps if step.cause in (Cause.USED, Cause.GHOSTS)] == steps
    assert all(step.free == 0 for step in found.steps if step.cause in (Cause.USED, Cause.GHOSTS))


def test_what_is_free_is_free_whether_or_not_it_can_be_had() -> None:
    found = way(pod(gpu=4), node("a", gpu=6), node("b", cordoned=True, gpu=8), pods=[there("b", gpu=3)])
    assert (found.free, found.copies) == (11, 1)


def test_a_node_that_does_not_give_what_it_can_allocate_is_in_no_number() -> None:
    bare = Node(metadata=node("bare").metadata)
    found = way(pod(cpu=1), bare, node("broken", cpu="x"), node())
    assert (found.total, found.copies, found.unknown) == (2000, 2, ("bare", "broken"))


@pytest.mark.parametrize(
    ("spec", "resource"),
    [
        (pod(), "pods"),
        (pod(cpu=1, memory=1, gpu=1), "example.com/gpu"),
        (pod(cpu=1, memory=1), "cpu"),
        (pod(memory=1, cpu=0), "memory"),
    ],
)
def test_the_resource_whose_way_says_most(spec: ScheduledSpec, resource: str) -> None:
    assert followed(spec) == resource


def test_an_amount_that_cannot_be_read_and_a_resource_that_is_not_asked_for() -> None:
    with pytest.raises(QuantityError):
        way(pod(cpu="1K"), node())
    with pytest.raises(KeyError):
        way(pod(cpu=1), node(), resource="memory")


@given(spec=new_pods(), every=nodes(), pods=running())
@LAW
def test_what_the_steps_take_away_leaves_the_copies(spec: ScheduledSpec, every: list[Node], pods: list[ScheduledPod]) -> None:
    idle = frozenset(each.key for each in pods[::2])
    for asked in (spec, replace(spec, schedulerName="x"), replace(spec, runtimeClassName="x")):
        found = way(asked, *every, pods=pods, ghosts=idle)
        assert found.total - sum(step.amount for step in found.steps) == found.copies * found.wanted
        assert all(0 <= step.free <= step.amount for step in found.steps)
