"""Laws of fit, whatever the nodes and the pods."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from preflight.model.core import Node, Taint, Toleration
from preflight.model.pod_scheduling import SchedulerPod, SchedulerPodSpec
from preflight.scheduling.fit import FitResult, fit_pod
from preflight.scheduling.occupancy import build_occupancy
from preflight.scheduling.requests import sum_allocated_requests, sum_pod_requests
from tests.scheduling.fit_objects import node, pod, there

NAMES = ("a", "b", "c")
CPU = st.sampled_from([None, "0", "1m", "250m", 1, "1500m"])
MEMORY = st.sampled_from([None, "1", "500M", "1Gi", "1.5Gi"])
GPU = st.sampled_from([None, None, 1, 3])
TAINTS = st.lists(
    st.sampled_from(["gpu:NoSchedule", "gpu:NoExecute", "spot=x:NoSchedule", "spot:PreferNoSchedule"]), max_size=2, unique=True
)
TOLERATIONS = st.lists(
    st.sampled_from([{"key": "gpu", "operator": "Exists"}, {"key": "spot", "value": "x"}, {"operator": "Exists", "effect": "NoExecute"}]),
    max_size=2,
)


@st.composite
def specs(draw: st.DrawFn) -> dict[str, Any]:
    """What a pod asks for, as `fitting.pod` takes it."""
    asked = {"cpu": draw(CPU), "memory": draw(MEMORY), "gpu": draw(GPU)}
    fields: dict[str, Any] = {name: amount for name, amount in asked.items() if amount is not None}
    if draw(st.booleans()):
        fields["port"] = draw(st.sampled_from([80, 81]))
    if draw(st.booleans()):
        fields["initContainers"] = [{"name": "i", "resources": {"requests": {"cpu": draw(CPU) or 0}}, "restartPolicy": draw(RESTARTS)}]
    return fields | {"priority": draw(st.sampled_from([0, 5]))}


RESTARTS = st.sampled_from(["", "Always"])


@st.composite
def new_pods(draw: st.DrawFn) -> SchedulerPodSpec:
    return pod(**draw(specs()), tolerations=draw(TOLERATIONS), nodeSelector=draw(st.sampled_from([{}, {}, {"zone": "1"}])))


@st.composite
def nodes(draw: st.DrawFn) -> list[Node]:
    return [
        node(
            name,
            tuple(draw(TAINTS)),
            labels={"zone": draw(st.sampled_from("12"))},
            cordoned=draw(st.sampled_from([False, False, True])),
            cpu=draw(st.sampled_from(["500m", 2, 4])),
            memory=draw(st.sampled_from(["1Gi", "4Gi"])),
            pods=draw(st.sampled_from([0, 1, 4, 110])),
            gpu=draw(st.sampled_from([0, 1, 8])),
        )
        for name in NAMES
    ]


@st.composite
def running(draw: st.DrawFn) -> list[SchedulerPod]:
    pods = draw(st.lists(st.tuples(specs(), st.sampled_from(NAMES), st.sampled_from(["Running", "Pending", "Failed"])), max_size=6))
    return [there(on, f"p{number}", phase, **dict(spec)) for number, (spec, on, phase) in enumerate(pods)]


def judged(spec: SchedulerPodSpec, given_nodes: list[Node], pods: list[SchedulerPod]) -> FitResult:
    return fit_pod(spec, build_occupancy(given_nodes, pods), labels={}, namespace="default", comparison_operators=False)


LAW = settings(max_examples=150, deadline=None)


@given(spec=new_pods(), every=nodes(), pods=running(), more=specs(), where=st.sampled_from(NAMES))
@LAW
def test_one_more_pod_never_makes_room(
    spec: SchedulerPodSpec, every: list[Node], pods: list[SchedulerPod], more: dict[str, Any], where: str
) -> None:
    before = judged(spec, every, pods)
    after = judged(spec, every, [*pods, there(where, "more", **more)])
    assert all(new.copies <= old.copies for old, new in zip(before.nodes, after.nodes, strict=True))
    assert [new for new in after.nodes if new.node != where] == [old for old in before.nodes if old.node != where]


@given(spec=new_pods(), every=nodes(), pods=running(), resource=st.sampled_from(["cpu", "memory", "pods", "example.com/gpu", "x.com/y"]))
@LAW
def test_more_allocatable_never_makes_less_room(spec: SchedulerPodSpec, every: list[Node], pods: list[SchedulerPod], resource: str) -> None:
    larger = [replace(node, status=replace(node.status, allocatable=node.status.allocatable | {resource: "1000Gi"})) for node in every]
    before, after = judged(spec, every, pods), judged(spec, larger, pods)
    assert all(new.copies >= old.copies for old, new in zip(before.nodes, after.nodes, strict=True))


@given(spec=new_pods(), every=nodes(), pods=running())
@LAW
def test_a_tolerated_taint_changes_nothing(spec: SchedulerPodSpec, every: list[Node], pods: list[SchedulerPod]) -> None:
    spec = replace(spec, tolerations=(*spec.tolerations, Toleration("mine", "Exists")))
    tainted = [replace(node, spec=replace(node.spec, taints=(Taint("mine", "x", "NoExecute"), *node.spec.taints))) for node in every]
    assert judged(spec, tainted, pods) == judged(spec, every, pods)


@given(spec=new_pods(), every=nodes(), pods=running(), seed=st.integers(0, 99))
@LAW
def test_the_order_of_nodes_and_pods_changes_nothing(
    spec: SchedulerPodSpec, every: list[Node], pods: list[SchedulerPod], seed: int
) -> None:
    turned_nodes, turned_pods = every[:], pods[:]
    random.Random(seed).shuffle(turned_nodes)
    random.Random(seed + 1).shuffle(turned_pods)
    assert judged(spec, turned_nodes, turned_pods) == judged(spec, every, pods)


@given(spec=new_pods(), every=nodes(), pods=running(), seed=st.integers(0, 99))
@LAW
def test_copies_bound_one_by_one_in_any_order_are_as_many(
    spec: SchedulerPodSpec, every: list[Node], pods: list[SchedulerPod], seed: int
) -> None:
    """The sum over the nodes is what binds: however the copies are spread, they end in the same numbers, for the reasons foretold."""
    choice = random.Random(seed)
    occupancy = build_occupancy(every, pods)
    first = fit_pod(spec, occupancy, labels={}, namespace="default", comparison_operators=False)
    found = first
    bound = dict.fromkeys(occupancy.nodes, 0)
    while found.fitting_nodes:
        name = choice.choice(found.fitting_nodes)
        occupancy = occupancy.with_node(occupancy.nodes[name].with_pod(("default", f"copy-{sum(bound.values())}"), spec))
        bound[name] += 1
        found = fit_pod(spec, occupancy, labels={}, namespace="default", comparison_operators=False)
    assert bound == {node.node: node.copies for node in first.nodes}
    assert [fit.stated_reasons for fit in found.nodes] == [each.full_reasons for each in first.nodes]


@given(spec=new_pods(), every=nodes(), pods=running())
@LAW
def test_less_known_of_the_pods_never_makes_more_certain(spec: SchedulerPodSpec, every: list[Node], pods: list[SchedulerPod]) -> None:
    known = judged(spec, every, pods)
    partly = fit_pod(spec, build_occupancy(every, pods, all_pods=False), labels={}, namespace="default", comparison_operators=False)
    for sure, unsure in zip(known.nodes, partly.nodes, strict=True):
        assert unsure.fits is (None if sure.fits else False)
        assert (unsure.copies, unsure.max_copies) == (0, sure.max_copies)


@given(spec=specs())
@LAW
def test_a_pod_takes_what_it_asks_for(spec: dict[str, Any]) -> None:
    assert sum_allocated_requests(there("n", **dict(spec))) == sum_pod_requests(pod(**dict(spec)))
