"""Which node takes a pod, how many copies, and all that stands in the way, in the scheduler's words."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from preflight.model.core import Node, Taint
from preflight.model.pod_scheduling import SchedulerPodSpec
from preflight.scheduling.filters import Shortage
from preflight.scheduling.fit import fit_pod
from preflight.scheduling.node_fit import NodeFit
from preflight.scheduling.occupancy import build_occupancy
from preflight.scheduling.tolerations import add_implicit_tolerations
from tests.scheduling.fit_objects import asked, node, on, pod, texts, there

CORDONED = "node(s) were unschedulable"
TAINTED = "node(s) had untolerated taint(s)"
UNSELECTED = "node(s) didn't match Pod's node affinity/selector"
UNNAMED = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
PORTS = "node(s) didn't have free ports for the requested pod ports"
CPU, MEMORY, GPU, PODS = "Insufficient cpu", "Insufficient memory", "Insufficient example.com/gpu", "Too many pods"

EXISTS = {"operator": "Exists"}


def affinity(*terms: dict[str, object]) -> dict[str, object]:
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}}


def named(*names: str) -> dict[str, object]:
    return {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]} for name in names]}


@pytest.mark.parametrize(
    ("spec", "one", "pods", "copies"),
    [
        pytest.param(pod(), node(), [], 4, id="it asks for nothing: as many as pods are allowed"),
        pytest.param(pod(cpu="500m"), node(), [], 4, id="as many as its CPUs last"),
        pytest.param(pod(cpu="501m"), node(), [], 3, id="a rest that is too small for one more"),
        pytest.param(pod(cpu="500m", memory="3Gi"), node(), [], 1, id="the scarcest resource decides"),
        pytest.param(pod(gpu=2), node(gpu=5), [], 2, id="an extended resource"),
        pytest.param(pod(cpu="500m"), node(), [there("n", cpu="1")], 2, id="a pod is there"),
        pytest.param(pod(cpu="500m"), node(), [there("n", cpu="1", phase="Pending")], 2, id="a pod is bound and not yet running"),
        pytest.param(pod(cpu="500m"), node(), [there("n", cpu="1", phase="Failed")], 4, id="a pod that has failed takes nothing"),
        pytest.param(pod(cpu="500m"), node(), [there("n", cpu="1", phase="Succeeded")], 4, id="a pod that has succeeded takes nothing"),
        pytest.param(pod(cpu="500m"), node(), [there("m", cpu="1")], 4, id="a pod of a node that is not given"),
        pytest.param(pod(port=80), node(), [], 1, id="a port of the node: one"),
        pytest.param(pod(port=80), node(), [there("n", port=81)], 1, id="another port is taken"),
        pytest.param(pod(gpu=0), node(), [there("n", gpu=1)], 3, id="it asks for none of what is overcommitted"),
        pytest.param(pod(), node(pods="0.5"), [], 1, id="half a pod is one"),
        pytest.param(pod(tolerations=[EXISTS]), node(taints=("a=b:NoSchedule",), cordoned=True), [], 4, id="it tolerates everything"),
        pytest.param(pod(), node(taints=("a=b:PreferNoSchedule",)), [], 4, id="a taint that keeps nothing away"),
        pytest.param(pod(), node(taints=("node.kubernetes.io/not-ready:NoExecute",)), [], 4, id="not ready, tolerated for 300 s"),
        pytest.param(pod(nodeSelector={"a": "b"}), node(labels={"a": "b"}), [], 4, id="its selector matches"),
        pytest.param(pod(affinity=affinity(named("n"), named("m"))), node(), [], 4, id="its affinity names the node"),
        pytest.param(pod(nodeName="elsewhere"), node(), [], 4, id="the node that it had is not looked at"),
    ],
)
def test_a_node_takes_a_pod(spec: SchedulerPodSpec, one: Node, pods: list[object], copies: int) -> None:
    found = on(spec, one, *pods)
    assert (found.fits, found.copies, found.max_copies) == (True, copies, copies)
    assert (found.reasons, found.stated_reasons, found.uncertainties, found.may_preempt) == ((), (), (), False)


@pytest.mark.parametrize(
    ("spec", "one", "pods", "stated", "all_reasons"),
    [
        pytest.param(pod(), node(cordoned=True), [], [CORDONED], [CORDONED], id="cordoned"),
        pytest.param(
            pod(cpu=9),
            node(cordoned=True, taints=("node.kubernetes.io/unschedulable:NoSchedule",)),
            [],
            [CORDONED],
            [CORDONED, TAINTED, CPU],
            id="cordoned: the first filter stops, and the taint that follows is not said",
        ),
        pytest.param(pod(), node(taints=("a=b:NoSchedule", "c:NoExecute")), [], [TAINTED], [TAINTED], id="two taints are one reason"),
        pytest.param(pod(), node(taints=("node.kubernetes.io/not-ready:NoSchedule",)), [], [TAINTED], [TAINTED], id="not ready"),
        pytest.param(
            pod(tolerations=[{"key": "node.kubernetes.io/not-ready", "operator": "Equal", "value": "x", "effect": "NoExecute"}]),
            node(taints=("node.kubernetes.io/not-ready:NoExecute",)),
            [],
            [TAINTED],
            [TAINTED],
            id="not ready, and its own toleration speaks of it without tolerating it",
        ),
        pytest.param(pod(nodeSelector={"a": "b"}, cpu=9), node(), [], [UNSELECTED], [UNSELECTED, CPU], id="its selector does not match"),
        pytest.param(pod(affinity=affinity({})), node(), [], [UNSELECTED], [UNSELECTED], id="an empty term"),
        pytest.param(pod(affinity=affinity(named("m"))), node(), [], [UNNAMED], [UNNAMED, UNSELECTED], id="its affinity names another"),
        pytest.param(
            pod(affinity=affinity(named("m"), {"matchExpressions": [{"key": "a", "operator": "Exists"}]})),
            node(),
            [],
            [UNSELECTED],
            [UNSELECTED],
            id="one of its terms names no node",
        ),
        pytest.param(
            pod(affinity=affinity(named("m", "n"))),
            node(),
            [],
            ["pod affinity terms conflict"],
            ["pod affinity terms conflict", UNSELECTED],
            id="its affinity names two nodes at once",
        ),
        pytest.param(pod(port=80, cpu=9), node(), [there("n", port=80)], [PORTS], [PORTS, CPU], id="its port is taken"),
        pytest.param(
            pod(cpu=2, memory="9Gi", gpu=1),
            node(pods=1),
            [there("n", cpu="1m")],
            [PODS, CPU, MEMORY, GPU],
            [PODS, CPU, MEMORY, GPU],
            id="all resources of which too little is left are said",
        ),
        pytest.param(pod(), node(gpu=1, pods=0), [], [PODS], [PODS], id="the node may have no pod"),
        pytest.param(pod(cpu="1m"), node(), [there("n", cpu="3")], [CPU], [CPU], id="more is taken than there is"),
    ],
)
def test_a_node_refuses_a_pod(spec: SchedulerPodSpec, one: Node, pods: list[object], stated: list[str], all_reasons: list[str]) -> None:
    found = on(spec, one, *pods)
    assert (found.fits, found.copies, found.max_copies) == (False, 0, 0)
    assert (texts(found.stated_reasons), texts(found.reasons), texts(found.full_reasons)) == (stated, all_reasons, stated)


def test_a_reason_carries_what_stands_behind_it() -> None:
    found = on(pod(cpu="1500m", nodeSelector={"a": "b"}), node(taints=("x=y:NoSchedule", "z:PreferNoSchedule")), there("n", cpu="1"))
    tainted, unselected, short = found.reasons
    assert tainted.taints == (Taint("x", "y", "NoSchedule"),)
    assert unselected.affinity is not None
    assert unselected.affinity.selector_mismatches[0].key == "a"
    assert short.shortage == Shortage("cpu", requested=1500, used=1000, allocatable=2000)
    assert [reason.is_unresolvable for reason in found.reasons] == [True, True, False]


@pytest.mark.parametrize(
    ("spec", "one", "full"),
    [
        pytest.param(pod(), node(), [PODS], id="no more pods are allowed"),
        pytest.param(pod(cpu=1), node(), [CPU], id="a resource is used up"),
        pytest.param(pod(cpu=1, memory="2Gi"), node(pods=2), [PODS, CPU, MEMORY], id="all at once"),
        pytest.param(pod(port=80, cpu=2), node(), [PORTS], id="the port is taken by the copy"),
    ],
)
def test_why_a_node_takes_no_more_copies(spec: SchedulerPodSpec, one: Node, full: list[str]) -> None:
    assert texts(on(spec, one).full_reasons) == full


def test_the_copies_of_a_cluster_are_those_of_its_nodes() -> None:
    found = asked(pod(cpu=1), node("a"), node("b", taints=("x:NoSchedule",)), node("c", cpu=1), node("d", cpu="500m"))
    assert [(fit.node, fit.copies) for fit in found.nodes] == [("a", 2), ("b", 0), ("c", 1), ("d", 0)]
    assert (found.fits, found.copies, found.max_copies, found.fitting_nodes) == (True, 3, 3, ("a", "c"))
    assert found.count_reasons() == {TAINTED: 1, CPU: 1}
    assert found.count_reasons(when_full=True) == {TAINTED: 1, CPU: 3}


def test_the_message_of_the_scheduler() -> None:
    found = asked(pod(cpu=1, memory="9Gi"), node("a"), node("b", cpu="500m"), node("c", cordoned=True), node("d", taints=("x:NoSchedule",)))
    assert found.fits is False
    assert found.format_message() == f"0/4 nodes are available: 1 {CPU}, 1 {TAINTED}, 1 {CORDONED}, 2 {MEMORY}."


def test_the_message_once_all_copies_are_bound() -> None:
    assert asked(pod(cpu=1), node("a"), node("b")).format_message(when_full=True) == f"0/2 nodes are available: 2 {CPU}."


def test_the_message_where_the_affinity_names_nodes_that_exclude_one_another() -> None:
    found = asked(pod(affinity=affinity(named("a", "b"))), node("a"), node("b"))
    assert (found.fits, found.has_conflict) == (False, True)
    assert found.format_message() == "0/2 nodes are available: pod affinity terms conflict."


def test_no_nodes_at_all() -> None:
    found = asked(pod())
    assert (found.fits, found.copies, found.max_copies, found.count_reasons()) == (False, 0, 0, {})
    assert found.format_message() == "no nodes available to schedule pods"


def test_a_named_node_that_is_not_there() -> None:
    found = asked(pod(affinity=affinity(named("gone"))), node("a"), node("b"))
    assert found.format_message() == f"0/2 nodes are available: 2 {UNNAMED}."


def preempting(spec: SchedulerPodSpec, one: Node, *pods: object) -> tuple[bool | None, bool | None]:
    found = asked(spec, one, pods=pods)
    (only,) = found.nodes
    return only.may_preempt, found.fits


@pytest.mark.parametrize(
    ("spec", "pods", "preempts"),
    [
        pytest.param(pod(cpu=2), [there("n", cpu=1)], False, id="no priority on either side"),
        pytest.param(pod(cpu=2, priority=5), [there("n", cpu=1, priority=5)], False, id="the same priority"),
        pytest.param(pod(cpu=2, priority=5), [there("n", cpu=1, priority=6)], False, id="a higher priority is there"),
        pytest.param(pod(cpu=2, priority=5), [there("n", cpu=1, priority=4)], True, id="a lower priority is there"),
        pytest.param(pod(cpu=2, priority=5, preemptionPolicy="Never"), [there("n", cpu=1)], False, id="it never preempts"),
        pytest.param(pod(cpu=3, priority=5), [there("n", cpu=1)], False, id="it is too large for the empty node"),
        pytest.param(pod(port=80, priority=5), [there("n", port=80)], True, id="its port is taken by a lower priority"),
        pytest.param(
            pod(cpu=2, priority=5),
            [there("n", "a", cpu=1, priority=4), there("n", "b", cpu="1m", priority=5)],
            False,
            id="what stays leaves too little",
        ),
        pytest.param(pod(cpu=2, priorityClassName="own"), [there("n", cpu=1)], None, id="the value of its class is not known"),
        pytest.param(pod(cpu=2, priorityClassName="system-node-critical"), [there("n", cpu=1)], True, id="a class of Kubernetes itself"),
    ],
)
def test_whether_pods_of_lower_priority_may_have_to_go(spec: SchedulerPodSpec, pods: list[object], preempts: bool | None) -> None:
    assert preempting(spec, node(), *pods) == (preempts, False if preempts is False else None)


def test_preemption_does_not_help_against_a_taint() -> None:
    assert preempting(pod(cpu=2, priority=5), node(taints=("x:NoSchedule",)), there("n", cpu=1)) == (False, False)


def test_a_pod_that_fits_somewhere_asks_nobody_to_go() -> None:
    found = asked(pod(cpu=2, priority=5), node("a"), node("b"), pods=[there("a", cpu=1)])
    assert (found.fits, found.copies) == (True, 1)


def nominated(priority: int) -> NodeFit:
    waiting = there("", cpu=2, priority=priority, status={"nominatedNodeName": "n"})
    return on(pod(cpu=2, priority=5), node(), waiting)


def test_a_pod_that_the_node_is_cleared_for_keeps_its_room_from_lower_priorities() -> None:
    assert [nominated(priority).fits for priority in (4, 5, 6)] == [True, False, False]


def test_a_pod_of_a_daemonset_that_comes_back_to_its_node() -> None:
    """Its own room is free again, its tolerations are those that the controller adds, and a cordon does not keep it out."""
    template = pod(cpu=1)
    spec = replace(template, tolerations=add_implicit_tolerations(template), affinity=pod(affinity=affinity(named("n"))).affinity)
    occupancy = build_occupancy([node(cordoned=True), node("m")], [there("n", "daemon", cpu=1), there("n", "greedy", cpu=1)])
    full, free = (fit_pod(spec, each) for each in (occupancy, occupancy.with_node(occupancy.nodes["n"].without_pod(("default", "daemon")))))
    assert [(fit.node, fit.fits, texts(fit.stated_reasons)) for fit in full.nodes] == [("m", False, [UNNAMED]), ("n", False, [CPU])]
    assert [(each.node, each.fits) for each in free.nodes] == [("m", False), ("n", True)]
