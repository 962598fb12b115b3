"""Where an answer is unknown: what is named, and what is certain all the same."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from preflight.model.core import Container, Node, PodSpec, Resources
from preflight.model.pod_status import ClusterPod
from preflight.model.uncertainty import Uncertainty, UncertaintyKind
from preflight.scheduling.fit import fit_pod
from preflight.scheduling.occupancy import build_occupancy
from tests.scheduling.fit_objects import asked, node, on, pod, texts, there

NOTHING: tuple[Uncertainty, ...] = ()


def doubts(*pairs: str) -> tuple[Uncertainty, ...]:
    """Doubts from `what` or `what about`."""
    return tuple(Uncertainty(UncertaintyKind(what), about) for what, _, about in (pair.partition(" ") for pair in pairs))


# What is not judged of a pod.


def required(kind: str) -> dict[str, Any]:
    term = {"labelSelector": {"matchLabels": {"a": "b"}}, "topologyKey": "zone"}
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def volume(**source: Any) -> list[dict[str, Any]]:
    return [{"name": "v", **source}]


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        pytest.param(pod(), NOTHING, id="nothing of all that"),
        pytest.param(pod(schedulerName="default-scheduler"), NOTHING, id="the scheduler of Kubernetes"),
        pytest.param(pod(volumes=volume(emptyDir={})), NOTHING, id="an emptyDir"),
        pytest.param(pod(volumes=volume(csi={"driver": "x"})), NOTHING, id="an inline CSI volume"),
        pytest.param(pod(volumes=volume(hostPath={"path": "/x"})), NOTHING, id="a hostPath"),
        pytest.param(pod(affinity={"podAntiAffinity": {}}), NOTHING, id="anti-affinity that is only preferred"),
        pytest.param(pod(topologySpreadConstraints=[{"whenUnsatisfiable": "ScheduleAnyway"}]), NOTHING, id="spread that is only preferred"),
        pytest.param(pod(schedulingGates=[{"name": "kueue.x-k8s.io/admission"}]), doubts("gates kueue.x-k8s.io/admission"), id="a gate"),
        pytest.param(pod(schedulingGroup={"podGroupName": "g"}), doubts("group"), id="a group"),
        pytest.param(pod(resourceClaims=[{"name": "gpu"}]), doubts("claims gpu"), id="a device claim"),
        pytest.param(pod(volumes=volume(persistentVolumeClaim={"claimName": "x"})), doubts("volumes v"), id="a volume claim"),
        pytest.param(pod(volumes=volume(ephemeral={"volumeClaimTemplate": {}})), doubts("volumes v"), id="an ephemeral volume"),
        pytest.param(pod(volumes=volume(rbd={"image": "x"})), doubts("volumes v"), id="a volume of a storage cluster"),
        pytest.param(pod(affinity=required("podAffinity")), doubts("affinity"), id="pod affinity"),
        pytest.param(pod(affinity=required("podAntiAffinity")), doubts("affinity"), id="pod anti-affinity"),
        pytest.param(
            pod(topologySpreadConstraints=[{"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}]),
            doubts("spread zone"),
            id="spread",
        ),
        pytest.param(pod(runtimeClassName="kata"), doubts("admission kata"), id="a RuntimeClass"),
    ],
)
def test_what_of_a_pod_is_not_judged_leaves_open_who_takes_it(spec: Any, named: tuple[Uncertainty, ...]) -> None:
    found = asked(spec, node("a"), node("b", cordoned=True))
    open_or_yes = None if named else True
    assert found.uncertainties == named
    assert [fit.fits for fit in found.nodes] == [open_or_yes, False]
    assert (found.fits, found.copies, found.max_copies) == (open_or_yes, 0 if named else 4, 4)


def test_what_admission_adds_is_there_once_a_pod_is_admitted() -> None:
    assert asked(pod(runtimeClassName="kata"), node(), is_admitted=True).fits is True


@pytest.mark.parametrize(
    ("one", "takes"),
    [
        pytest.param(node(taints=("kata:NoSchedule",)), None, id="its class may tolerate the taint"),
        pytest.param(node(taints=("kata:NoSchedule",), pods="0"), False, id="there is no room for it either"),
        pytest.param(node(taints=("node.kubernetes.io/unreachable:NoSchedule",)), False, id="the node is not Ready"),
    ],
)
def test_what_a_runtime_class_tolerates_is_not_known_where_the_class_is_not(one: Node, takes: bool | None) -> None:
    spec = pod(runtimeClassName="kata")
    found = asked(spec, one)
    assert (found.fits, found.copies, found.max_copies, found.format_message() is None) == (
        takes,
        0,
        4 if takes is None else 0,
        takes is None,
    )
    assert asked(spec, one, is_admitted=True).fits is False


def test_another_scheduler_may_do_as_it_likes() -> None:
    found = asked(pod(schedulerName="volcano"), node("a"), node("b", cordoned=True))
    assert found.uncertainties == doubts("scheduler volcano")
    assert [(fit.fits, fit.copies, fit.max_copies, texts(fit.reasons)) for fit in found.nodes] == [
        (None, 0, None, []),
        (None, 0, None, ["node(s) were unschedulable"]),
    ]
    assert (found.fits, found.max_copies, found.count_reasons()) == (None, None, None)


def test_a_pod_of_which_only_a_part_was_read() -> None:
    found = asked(PodSpec(), node("a"), node("b", cordoned=True))
    assert found.uncertainties == doubts("unread")
    assert [fit.fits for fit in found.nodes] == [None, False]


def test_an_amount_of_the_pod_that_cannot_be_read() -> None:
    found = asked(pod(cpu="1K", memory="99Gi"), node("a"), node("b", cordoned=True), node("c", pods=0))
    assert found.uncertainties == doubts("quantity")
    assert [(fit.fits, fit.max_copies, texts(fit.stated_reasons)) for fit in found.nodes] == [
        (None, 4, None),
        (False, 0, ["node(s) were unschedulable"]),
        (False, 0, None),
    ]


# What is not known of a node.


PARTIAL = replace(node("(pool=x)", labels={"pool": "x"}), is_partial=True)


@pytest.mark.parametrize(
    ("spec", "one", "takes", "at_most", "named"),
    [
        pytest.param(pod(), Node(metadata=node().metadata), None, None, doubts("allocatable"), id="no allocatable is given"),
        pytest.param(pod(port=80), Node(metadata=node().metadata), None, 1, doubts("allocatable"), id="none is given, and a port"),
        pytest.param(pod(), node(pods="x"), None, None, doubts("quantity pods"), id="the number of pods cannot be read"),
        pytest.param(pod(cpu=1), node(cpu="x"), None, 4, doubts("quantity cpu"), id="a resource cannot be read"),
        pytest.param(pod(memory=1), node(cpu="x"), True, 4, NOTHING, id="a resource cannot be read that it does not ask for"),
        pytest.param(pod(cpu=1, memory="9Gi"), node(cpu="x"), False, 0, doubts("quantity cpu"), id="another resource is too little anyway"),
        pytest.param(pod(), PARTIAL, None, 4, doubts("node"), id="a partly known node"),
        pytest.param(pod(nodeSelector={"pool": "x"}), PARTIAL, None, 4, doubts("node"), id="a label that it states"),
        pytest.param(pod(nodeSelector={"zone": "x"}), PARTIAL, None, 4, doubts("node", "labels zone"), id="a label that it does not state"),
        pytest.param(pod(nodeSelector={"pool": "y"}), PARTIAL, False, 0, doubts("node"), id="a label with another value"),
        pytest.param(
            pod(tolerations=[{"key": "a", "operator": "Gt", "value": "3"}]),
            node(taints=("a=5:NoSchedule",)),
            None,
            4,
            doubts("comparison a=5:NoSchedule"),
            id="a taint that only Gt tolerates",
        ),
    ],
)
def test_what_of_a_node_is_not_known(spec: Any, one: Node, takes: bool | None, at_most: int | None, named: tuple[Uncertainty, ...]) -> None:
    found = on(spec, one, comparison_operators=None)
    assert (found.fits, found.max_copies, found.uncertainties) == (takes, at_most, named)
    assert (found.copies, found.full_reasons is None) == (at_most if takes else 0, takes is None or bool(named))


def test_a_reason_is_not_said_for_certain_after_a_filter_in_doubt() -> None:
    found = on(pod(nodeSelector={"zone": "x"}, cpu=9), PARTIAL)
    assert (found.fits, texts(found.reasons), found.stated_reasons) == (False, ["Insufficient cpu"], None)
    assert asked(pod(nodeSelector={"zone": "x"}, cpu=9), PARTIAL).format_message() is None


def test_an_affinity_that_names_nodes_and_a_node_that_stands_for_many() -> None:
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]}
    spec = pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}})
    assert on(spec, PARTIAL).uncertainties == doubts("labels metadata.name", "node", "labels metadata.name")


@pytest.mark.parametrize("resource", ["example.com/gpu", "deviceclass.resource.kubernetes.io/gpu"])
def test_a_resource_that_a_device_class_may_provide(resource: str) -> None:
    spec = PodSpec(containers=(Container(resources=Resources(requests={resource: 1})),))
    found = fit_pod(spec, build_occupancy([node("a"), node("b", gpu=2)], []), claimed_resources=frozenset({"example.com/gpu"}))
    one, other = found.nodes
    assert one.uncertainties == doubts(f"claims {resource}")
    assert (other.uncertainties, other.max_copies) == ((NOTHING, 2) if resource == "example.com/gpu" else (doubts(f"claims {resource}"), 4))


# What is not known of the pods that are there.


def test_nothing_is_known_of_the_pods() -> None:
    found = asked(pod(cpu=1, port=80), node("a"), node("b", cpu="500m"), node("c", cordoned=True), pods=None)
    assert found.uncertainties == doubts("pods")
    assert [(fit.fits, fit.max_copies, texts(fit.stated_reasons)) for fit in found.nodes] == [
        (None, 1, None),
        (False, 0, None),
        (False, 0, ["node(s) were unschedulable"]),
    ]
    assert (found.copies, found.max_copies) == (0, 1)


def test_some_pods_are_known() -> None:
    found = fit_pod(pod(cpu=1), build_occupancy([node()], [there("n", cpu=1)], all_pods=False), labels={}, namespace="default")
    assert [(fit.fits, fit.max_copies) for fit in found.nodes] == [(None, 1)]
    crowded = fit_pod(pod(cpu=2), build_occupancy([node()], [there("n", cpu=1)], all_pods=False), labels={}, namespace="default")
    assert [(each.fits, each.may_preempt) for each in crowded.nodes] == [(False, None)]


def test_some_nodes_are_known() -> None:
    few = build_occupancy([node()], [], all_nodes=False)
    small, large = (fit_pod(pod(cpu=cpu), few, labels={}, namespace="default") for cpu in (1, 9))
    assert (small.fits, small.copies, small.max_copies, small.uncertainties) == (True, 2, None, doubts("nodes"))
    assert (large.fits, large.copies, large.max_copies) == (None, 0, None)


def test_pods_that_were_not_read_whole_may_have_anti_affinity() -> None:
    found = asked(pod(cpu=1), node("a"), node("b", cpu="500m"), pods=[there("a", kind=ClusterPod)])
    assert found.uncertainties == doubts("unread pods")
    assert [fit.fits for fit in found.nodes] == [None, False]


def test_a_pod_that_was_not_read_whole_and_changes_its_size() -> None:
    changing = there("n", kind=ClusterPod, status={"conditions": [{"type": "PodResizeInProgress", "status": "True"}]})
    assert on(pod(cpu=1), node(), changing).uncertainties == doubts("unread default/there")


def test_an_amount_of_a_pod_that_is_there_cannot_be_read() -> None:
    found = on(pod(cpu=1), node(), there("n", cpu="1K", gpu=1))
    assert (found.fits, found.max_copies, found.uncertainties) == (None, 2, doubts("quantity default/there"))


def test_a_pod_that_a_node_is_cleared_for_and_a_priority_that_is_not_known() -> None:
    waiting = there("", cpu=1, priority=5, status={"nominatedNodeName": "n"})
    found = on(pod(cpu=1, priorityClassName="own"), node(), waiting)
    assert (found.fits, found.uncertainties) == (None, doubts("preemption"))


# The anti-affinity of pods that are there.


def guard(**term: Any) -> Any:
    wanted = {"labelSelector": {"matchLabels": {"app": "x"}}, "topologyKey": "kubernetes.io/hostname"} | term
    return there("a", affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [wanted]}})


NODES = (node("a", labels={"zone": "1"}), node("b", labels={"zone": "1"}), node("c", labels={"zone": "2"}), node("d"))


@pytest.mark.parametrize(
    ("term", "options", "in_doubt"),
    [
        pytest.param({}, {"labels": {"app": "x"}}, ["a"], id="it selects the pod, on its node"),
        pytest.param({"topologyKey": "zone"}, {"labels": {"app": "x"}}, ["a", "b"], id="in its zone"),
        pytest.param({"topologyKey": "rack"}, {"labels": {"app": "x"}}, [], id="by a label that no node has"),
        pytest.param({}, {"labels": {"app": "y"}}, [], id="it does not select the pod"),
        pytest.param({}, {"labels": None}, ["a"], id="the labels of the pod are not known"),
        pytest.param({"labelSelector": {}}, {"labels": {}}, ["a"], id="it selects every pod"),
        pytest.param({"labelSelector": None}, {"labels": {}}, [], id="it selects no pod"),
        pytest.param({}, {"labels": {"app": "x"}, "namespace": "other"}, [], id="the pod is of another namespace"),
        pytest.param({"namespaces": ["other"]}, {"labels": {"app": "x"}, "namespace": "other"}, ["a"], id="a namespace that it names"),
        pytest.param({"namespaces": ["other"]}, {"labels": {"app": "x"}}, [], id="its own is not among those that it names"),
        pytest.param({"namespaceSelector": {}}, {"labels": {"app": "x"}, "namespace": "other"}, ["a"], id="any namespace"),
        pytest.param({}, {"labels": {"app": "x"}, "namespace": ""}, ["a"], id="the namespace of the pod is not known"),
    ],
)
def test_the_anti_affinity_of_another_pod(term: dict[str, Any], options: dict[str, Any], in_doubt: list[str]) -> None:
    found = asked(pod(), *NODES, pods=[guard(**term)], **options)
    assert [node.node for node in found.nodes if node.fits is None] == in_doubt
    assert [fit.uncertainties for fit in found.nodes if fit.uncertainties] == [doubts("neighbours default/there")] * len(in_doubt)
    assert found.uncertainties == NOTHING


def test_the_anti_affinity_of_a_pod_on_a_node_that_is_not_given() -> None:
    found = asked(pod(), node("b"), node("c"), pods=[guard()], labels={"app": "x"})
    assert [fit.fits for fit in found.nodes] == [None, None]


def test_a_pod_that_has_ended_wants_nothing() -> None:
    ended = replace(guard(), status=replace(guard().status, phase="Succeeded"))
    assert asked(pod(), *NODES, pods=[ended], labels={"app": "x"}).fitting_nodes == ("a", "b", "c", "d")
