"""Our own account of a pod that waits, in classes of nodes: those that come nearest first, and no node twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert

from preflight.doctor.index import ClusterIndex
from preflight.doctor.pending.unschedulable import PodFits, SchedulerAccount
from preflight.messages.doctor.node_fits import describe_class
from preflight.model.core import Node
from preflight.model.runtime_state import PodState, RuntimeState
from preflight.model.world import ClusterState
from tests.builders import make_node, make_pod

GPU = "nvidia.com/gpu"


def node(name: str, *, gpus: int, labels: dict[str, str], tainted: bool = False) -> Node:
    """A node with GPUs, labels and perhaps a taint."""
    taints = ["dedicated=x:NoSchedule"] if tainted else []
    allocatable = {"cpu": "8", "memory": "32Gi", "pods": "110", **({GPU: str(gpus)} if gpus else {})}
    return convert(make_node(name, *taints, labels=labels, ready="", allocatable=allocatable), Node)


def pod(name: str, gpus: int, node: str = "") -> PodState:
    """A pod that asks for GPUs and for the label pool=a, on a node where one is named."""
    containers = [{"name": "a", "resources": {"requests": {GPU: str(gpus)}}}]
    return convert(make_pod(name, "n", node=node, phase="", containers=containers, nodeSelector={"pool": "a"}), PodState)


def of(nodes: list[Node], there: list[PodState], waits: PodState) -> SchedulerAccount:
    """The account of a pod that waits, beside pods that are there."""
    world = ClusterState(
        nodes={each.name: each for each in nodes},
        pods_by_key={pod_state.key: pod_state for pod_state in there},
        listed_namespaces=None,
        runtime_state=RuntimeState(),
    )
    return PodFits(ClusterIndex(world)).explain(waits)


def told(found: SchedulerAccount) -> list[tuple[tuple[str, ...], str]]:
    """Each class with its words."""
    return [(node_class.nodes, describe_class(node_class)) for node_class in found.classes]


def test_a_node_with_the_device_that_lacks_only_a_label_or_tolerates_too_little_comes_first() -> None:
    nodes = [
        node("a", gpus=4, labels={"pool": "a"}),
        node("b", gpus=8, labels={}),
        node("c", gpus=8, labels={"pool": "a"}, tainted=True),
        node("d", gpus=0, labels={}),
        node("e", gpus=8, labels={"pool": "b"}),
    ]
    assert told(of(nodes, [pod("x", 3, "a")], pod("p", 2))) == [
        (("b",), "no label pool=a"),
        (("c",), "no toleration for dedicated=x:NoSchedule"),
        (("e",), "no label pool=a (the value is b)"),
        (("a",), f"insufficient {GPU} (requests 2, 1 free)"),
        (("d",), f"no label pool=a and no {GPU}"),
    ]


def test_nodes_with_different_rests_are_one_class() -> None:
    nodes = [node(name, gpus=4, labels={"pool": "a"}) for name in ("a", "b", "c")]
    there = [pod("x", 3, "a"), pod("y", 2, "b"), pod("z", 4, "c")]
    assert told(of(nodes, there, pod("p", 3))) == [(("a", "b", "c"), f"insufficient {GPU} (requests 3, at most 2 free)")]


def test_a_node_that_can_never_take_it_is_another_class() -> None:
    nodes = [node("a", gpus=4, labels={"pool": "a"}), node("b", gpus=8, labels={"pool": "a"})]
    assert told(of(nodes, [], pod("p", 8))) == [
        (("b",), "the pod fits"),
        (("a",), f"never enough {GPU} (requests 8, a node has 4)"),
    ]


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["a", "b", ""]), st.booleans(), st.integers(0, 4)), min_size=1, max_size=6),
    st.integers(1, 5),
)
def test_every_node_stands_in_one_class_and_those_that_take_the_pod_first(rows: list[tuple[int, str, bool, int]], wanted: int) -> None:
    nodes = [
        node(f"n{at}", gpus=gpus, labels={"pool": pool} if pool else {}, tainted=tainted)
        for at, (gpus, pool, tainted, _) in enumerate(rows)
    ]
    there = [pod(f"p{at}", used, f"n{at}") for at, (*_, used) in enumerate(rows) if used]
    found = of(nodes, there, pod("p", wanted))
    assert sorted(name for node_class in found.classes for name in node_class.nodes) == sorted(each.name for each in nodes)
    assert [name for fit_class in found.classes if fit_class.can_take for name in fit_class.nodes] == list(found.fitting_nodes)
    expected = [f"n{at}" for at, (gpus, pool, tainted, used) in enumerate(rows) if pool == "a" and not tainted and gpus - used >= wanted]
    assert list(found.fitting_nodes) == expected
    assert [each.can_take for each in found.classes] == sorted(
        (each.can_take for each in found.classes), key=lambda takes: takes is not True
    )
