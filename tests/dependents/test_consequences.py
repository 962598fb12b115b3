"""What breaks in consequence, as tables: what stands in for what, where pods may run, and who depends on what is gone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preflight.components import Component, Evidence, load_kinds
from preflight.coverage.daemonset_pods import collect_listed_pods
from preflight.coverage.evaluate import make_empty_change
from preflight.coverage.label_cascade import predict_impact
from preflight.dependents.consequences import find_consequences
from preflight.dependents.csi_volumes import CsiDriverIndex
from preflight.dependents.model import Consequence
from preflight.dependents.remaining_providers import can_replace_component
from preflight.dependents.requirements import PlaceableNodes, is_extended_resource
from preflight.model.apps import DaemonSet, Deployment, StatefulSet
from preflight.model.batch import CronJob, Job, JobSet
from preflight.model.core import Node, PodSpec
from preflight.model.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from preflight.model.world import ClusterState
from tests.builders import read_object
from tests.coverage.impacts import daemonset, node, pod, run, world

SOCKETS = "/var/lib/kubelet/device-plugins"
TOLERATES = [{"key": "dedicated", "operator": "Exists"}]


def component(kind: str, *words: str, **provided: tuple[str, ...]) -> Component:
    evidence = tuple(Evidence(("spec",), word) for word in words or ("is one",))
    return Component(load_kinds()[kind], evidence, **provided)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param(
            component("device-plugin", resources=("rdma/hca",)),
            component("device-plugin", resources=("rdma/a", "rdma/hca")),
            True,
            id="device plugins with a resource in common",
        ),
        pytest.param(
            component("device-plugin", resources=("rdma/hca",)),
            component("device-plugin", resources=("rdma/a",)),
            False,
            id="device plugins with none in common",
        ),
        pytest.param(
            component("device-plugin", resources=("rdma/*",)),
            component("device-plugin", resources=("rdma/*",)),
            False,
            id="device plugins of which only the beginning of a resource is known",
        ),
        pytest.param(component("device-plugin"), component("device-plugin"), False, id="device plugins whose resources are not known"),
        pytest.param(
            component("csi-node-driver", drivers=("a.example.com",)),
            component("csi-node-driver", "is another", drivers=("a.example.com",)),
            True,
            id="drivers of one name",
        ),
        pytest.param(
            component("csi-node-driver", drivers=("a.example.com",)),
            component("csi-node-driver", drivers=("b.example.com",)),
            False,
            id="drivers of two names",
        ),
        pytest.param(component("csi-node-driver"), component("csi-node-driver"), False, id="drivers without a name"),
        pytest.param(component("cni", networks=("pod",)), component("cni", networks=("pod",)), True, id="two networks of every pod"),
        pytest.param(component("cni", networks=("pod",)), component("cni", networks=("rdma",)), False, id="a network beside another"),
        pytest.param(component("cni"), component("cni"), False, id="networks that are not known"),
        pytest.param(component("kube-proxy", "a"), component("kube-proxy", "b"), True, id="proxies of Services, whoever they are"),
        pytest.param(component("log-agent", "runs a"), component("log-agent", "runs b"), False, id="agents that run two programs"),
        pytest.param(component("log-agent", "runs a"), component("log-agent", "runs a"), True, id="agents that run one program"),
        pytest.param(component("log-agent", "runs a"), component("metrics-exporter", "runs a"), False, id="two kinds"),
    ],
)
def test_what_stands_in_for_what(one: Component, other: Component, same: bool) -> None:
    assert can_replace_component(one, other) is same
    assert can_replace_component(other, one) is same


@pytest.mark.parametrize(
    ("resource", "extended"),
    [
        ("rdma/hca", True),
        ("nvidia.com/gpu", True),
        ("cpu", False),
        ("hugepages-2Mi", False),
        ("kubernetes.io/batch-cpu", False),
        ("node.kubernetes.io/x", False),
        ("requests.nvidia.com/gpu", False),
    ],
)
def test_extended_resources(resource: str, extended: bool) -> None:
    assert is_extended_resource(resource) is extended


def storage_class(name: str, provisioner: str, *, default: bool = False) -> StorageClass:
    annotations = {"storageclass.kubernetes.io/is-default-class": "true"} if default else {}
    return read_object({"metadata": {"name": name, "annotations": annotations}, "provisioner": provisioner}, StorageClass)


FAST, SLOW = storage_class("fast", "fast.example.com"), storage_class("slow", "slow.example.com", default=True)


@pytest.mark.parametrize(
    ("claim", "classes", "driver"),
    [
        pytest.param({"storageClassName": "fast"}, [FAST, SLOW], "fast.example.com", id="its class"),
        pytest.param({}, [FAST, SLOW], "slow.example.com", id="no class, so the default one"),
        pytest.param({}, [FAST], "", id="no class, and no default one"),
        pytest.param({}, [SLOW, storage_class("b", "b.example.com", default=True)], "", id="two defaults: the younger one counts"),
        pytest.param({"storageClassName": ""}, [FAST, SLOW], "", id="an empty class is none at all"),
        pytest.param({"storageClassName": "lost"}, [FAST, SLOW], "", id="a class that was not given"),
        pytest.param({"volumeName": "pv-csi", "storageClassName": "fast"}, [FAST, SLOW], "csi.example.com", id="its volume comes first"),
        pytest.param({"volumeName": "pv-nfs", "storageClassName": "fast"}, [FAST, SLOW], "", id="a volume that no CSI driver mounts"),
        pytest.param({"volumeName": "lost", "storageClassName": "fast"}, [FAST], "fast.example.com", id="a volume that was not given"),
    ],
)
def test_a_claim_leads_to_its_driver(claim: dict[str, str], classes: list[StorageClass], driver: str) -> None:
    given = ClusterState(
        claims=(read_object({"metadata": {"name": "c", "namespace": "web"}, "spec": claim}, PersistentVolumeClaim),),
        volumes=(
            read_object({"metadata": {"name": "pv-csi"}, "spec": {"csi": {"driver": "csi.example.com"}}}, PersistentVolume),
            read_object({"metadata": {"name": "pv-nfs"}, "spec": {"nfs": {"server": "x"}}}, PersistentVolume),
        ),
        storage_classes=tuple(classes),
    )
    spec = read_object({"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]}, PodSpec)
    assert list(CsiDriverIndex(given).iter_drivers(spec, "web")) == ([(driver, ("volumes", 0))] if driver else [])
    assert list(CsiDriverIndex(given).iter_drivers(spec, "other")) == []


NODES = [
    node("plain"),
    node("tainted", "dedicated=x:NoSchedule"),
    node("evicting", "dedicated=x:NoExecute"),
    node("soft", "dedicated=x:PreferNoSchedule"),
    node("unready", "node.kubernetes.io/not-ready:NoExecute"),
    node("gpu", pool="gpu"),
    msgspec.structs.replace(node("partial"), is_partial=True),
]


@pytest.mark.parametrize(
    ("spec", "daemon", "nodes"),
    [
        pytest.param(
            {}, False, "gpu partial plain soft unready", id="what tolerates nothing: ordinary pods tolerate not-ready for a while"
        ),
        pytest.param({"tolerations": TOLERATES}, False, "evicting gpu partial plain soft tainted unready", id="what tolerates the taint"),
        pytest.param({"nodeSelector": {"pool": "gpu"}}, False, "gpu partial", id="a selector; labels that are not known may match"),
        pytest.param({"nodeName": "plain"}, False, "plain", id="what is bound already"),
        pytest.param({}, True, "gpu partial plain soft unready", id="a DaemonSet's pods"),
    ],
)
def test_where_pods_may_run(spec: dict[str, Any], daemon: bool, nodes: str) -> None:
    landing = PlaceableNodes({node.name: node for node in NODES}, False)
    assert " ".join(sorted(landing.select_nodes(read_object(spec, PodSpec), is_daemon=daemon))) == nodes
    assert landing.select_nodes(read_object(spec, PodSpec), is_daemon=daemon) is landing.select_nodes(
        read_object(spec, PodSpec), is_daemon=daemon
    )


def plugin(*resources: str, name: str = "plugin", **spec: Any) -> DaemonSet:
    arguments = [f"--resource-name={resource}" for resource in resources]
    container = {"name": "c", "image": "example/a-plugin:1", "args": arguments, "volumeMounts": [{"name": "s", "mountPath": SOCKETS}]}
    return daemonset(name, containers=[container], volumes=[{"name": "s", "hostPath": {"path": SOCKETS}}], **spec)


def template(resource: str = "rdma/hca", **spec: Any) -> dict[str, Any]:
    containers = [{"name": "c", "image": "c:1", "resources": {"limits": {resource: "1"}}}]
    return {"template": {"spec": {"containers": containers, "tolerations": TOLERATES, **spec}}}


def named(name: str, spec: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "research"}, "spec": spec, **more}


ASKING = {
    "Deployment": read_object(named("a", template()), Deployment),
    "StatefulSet": read_object(named("a", template()), StatefulSet),
    "Job": read_object(named("a", template()), Job),
    "CronJob": read_object(named("a", {"jobTemplate": {"spec": template()}}), CronJob),
    "JobSet": read_object(named("a", {"replicatedJobs": [{"name": "w", "template": {"spec": template()}}]}), JobSet),
}


def of(
    daemonsets: Sequence[DaemonSet], workloads: Sequence[Any], *lines: str, nodes: Sequence[Node] = (node("n1"), node("n2"))
) -> list[Consequence]:
    """The consequences of the last of some command lines."""
    start = world(nodes, daemonsets)
    job_sets = tuple(workload for workload in workloads if isinstance(workload, JobSet))
    others = tuple(each for each in workloads if not isinstance(each, JobSet))
    start = msgspec.structs.replace(start, workloads=(*daemonsets, *others), job_sets=job_sets)
    return list(find_consequences(run(start, *lines)[-1]))


def told(found: list[Consequence]) -> list[tuple[str, str, str, str, str]]:
    """Each consequence in words: kind, nodes, outcome, what goes, and who depends on it, `*` after those that can run elsewhere."""
    return [
        (
            consequence.component.kind.id,
            " ".join(consequence.nodes),
            consequence.outcome.value,
            " ".join(consequence.lost_names),
            " ".join(f"{one.subject.kind} {one.subject}{'*' if one.can_run_elsewhere else ''}" for one in consequence.dependents),
        )
        for consequence in found
    ]


TAINT = "taint nodes n1 dedicated=x:NoSchedule"
BOTH = "taint nodes --all dedicated=x:NoSchedule"
LATER = "lost-on-recreation"


@pytest.mark.parametrize("kind", ASKING)
def test_every_kind_of_workload_counts(kind: str) -> None:
    asking = [ASKING[kind]]
    assert told(of([plugin("rdma/hca")], asking, BOTH)) == [("device-plugin", "n1 n2", LATER, "rdma/hca", f"{kind} research/a")]
    assert told(of([plugin("rdma/hca")], asking, TAINT)) == [("device-plugin", "n1", LATER, "rdma/hca", f"{kind} research/a*")]


JOB = ASKING["Job"]


@pytest.mark.parametrize(
    ("daemonsets", "workloads", "lines", "expected"),
    [
        pytest.param([plugin("rdma/hca")], [JOB], ["taint nodes n1 a=b:PreferNoSchedule"], [], id="nothing is lost"),
        pytest.param([daemonset("unknown")], [JOB], [BOTH], [], id="what is lost is nothing known"),
        pytest.param(
            [plugin("rdma/hca")],
            [read_object(named("other", template("nvidia.com/gpu")), Job)],
            [BOTH],
            [("device-plugin", "n1 n2", LATER, "rdma/hca", "")],
            id="who asks for something else does not depend on it",
        ),
        pytest.param(
            [plugin("rdma/hca", "rdma/b")],
            [JOB],
            [BOTH],
            [("device-plugin", "n1 n2", LATER, "rdma/hca", "Job research/a")],
            id="of several resources those count that somebody asks for",
        ),
        pytest.param(
            [plugin("rdma/hca", "rdma/b")],
            [],
            [BOTH],
            [("device-plugin", "n1 n2", LATER, "rdma/b rdma/hca", "")],
            id="and all of them where nobody does",
        ),
        pytest.param(
            [plugin()],
            [JOB],
            [BOTH],
            [("device-plugin", "n1 n2", LATER, "rdma/hca", "Job research/a")],
            id="resources that are not known may be what is asked for",
        ),
        pytest.param(
            [plugin(), plugin("rdma/hca", name="other", tolerations=TOLERATES)],
            [JOB],
            [BOTH],
            [("device-plugin", "n1 n2", LATER, "", "")],
            id="but not where another plugin is known to have it",
        ),
        pytest.param(
            [plugin("rdma/hca"), plugin("rdma/hca", name="other", tolerations=TOLERATES)],
            [JOB],
            [BOTH],
            [],
            id="another that stays stands in for it",
        ),
        pytest.param(
            [plugin("rdma/hca"), plugin("rdma/hca", name="other", tolerations=TOLERATES, nodeSelector={"pool": "x"})],
            [JOB],
            ["label nodes n2 pool=x", BOTH],
            [("device-plugin", "n1", LATER, "rdma/hca", "Job research/a*")],
            id="on its nodes alone",
        ),
        pytest.param(
            [plugin("rdma/hca")],
            [JOB],
            [BOTH, "rollout restart ds/plugin -n truth"],
            [("device-plugin", "n1 n2", "lost-now", "rdma/hca", "Job research/a")],
            id="an update makes now of later",
        ),
        pytest.param(
            [plugin("rdma/hca")], [JOB], [BOTH, "taint nodes n1 other:NoSchedule"], [], id="what was set before is not told again"
        ),
        pytest.param(
            [plugin("rdma/hca")],
            [JOB],
            [BOTH, "reboot n1"],
            [("device-plugin", "n1", "already-fragile", "rdma/hca", "Job research/a")],
            id="but for a restart that brings it near",
        ),
        pytest.param(
            [daemonset("proxy", containers=[{"name": "kube-proxy", "image": "kube-proxy:1"}])],
            [JOB, read_object(named("host", template(hostNetwork=True)), Job)],
            [TAINT],
            [("kube-proxy", "n1", LATER, "", "Job research/a* Job research/host*")],
            id="every pod asks for Service addresses",
        ),
        pytest.param(
            [daemonset("logs", containers=[{"name": "c", "image": "fluent-bit:1"}])],
            [JOB],
            [TAINT],
            [("log-agent", "n1", LATER, "", "")],
            id="nobody depends on an agent that reads logs",
        ),
        pytest.param(
            [plugin("rdma/hca"), plugin("rdma/b", name="asks", tolerations=TOLERATES)],
            [read_object(named("a", template("rdma/b")), Job)],
            ["delete ds asks -n truth"],
            [("device-plugin", "n1 n2", "lost-now", "rdma/b", "Job research/a")],
            id="a DaemonSet that is deleted takes everything with it",
        ),
    ],
)
def test_consequences(
    daemonsets: list[DaemonSet], workloads: list[Any], lines: list[str], expected: list[tuple[str, str, str, str, str]]
) -> None:
    assert told(of(daemonsets, workloads, *lines)) == expected


def test_of_the_templates_of_a_job_set_the_one_that_waits_counts() -> None:
    jobs = [
        {"name": name, "template": {"spec": template(nodeSelector={"kubernetes.io/hostname": on})}}
        for name, on in (("a", "n2"), ("b", "n1"))
    ]
    nodes = [node(name, labels={"kubernetes.io/hostname": name}) for name in ("n1", "n2")]
    (found,) = of([plugin("rdma/hca")], [read_object(named("set", {"replicatedJobs": jobs}), JobSet)], TAINT, nodes=nodes)
    (dependent,) = found.dependents
    assert dependent.path[:3] == ("spec", "replicatedJobs", 1)
    assert not dependent.can_run_elsewhere


def test_without_a_change_a_time_bomb_and_what_never_came_are_told() -> None:
    nodes = [node("n1", "dedicated=x:NoSchedule"), node("n2", "dedicated=x:NoSchedule")]
    start = msgspec.structs.replace(world(nodes, [plugin("rdma/hca")], [pod("plugin", "n1")]), workloads=(JOB,))
    assert told(list(find_consequences(predict_impact(make_empty_change(start), collect_listed_pods(start))))) == [
        ("device-plugin", "n1", "already-fragile", "rdma/hca", "Job research/a"),
        ("device-plugin", "n2", "never", "rdma/hca", ""),  # today the Job still runs on n1
    ]


LABEL = "feature.node.kubernetes.io/pci-10de.present"
LABELLER = daemonset("nfd", containers=[{"name": "c", "image": "node-feature-discovery:1", "command": ["nfd-worker"]}])
KEPT_OUT = node("n1", "dedicated=x:NoSchedule")


def affinity(*expressions: dict[str, Any]) -> dict[str, Any]:
    terms = {"nodeSelectorTerms": [{"matchExpressions": list(expressions)}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": list(values)}


@pytest.mark.parametrize(
    ("nodes", "spec", "waits"),
    [
        pytest.param([KEPT_OUT], {"nodeSelector": {LABEL: "true"}}, True, id="for a label of the one that a taint keeps out"),
        pytest.param([KEPT_OUT], {"affinity": affinity(expression(LABEL, "In", "true"))}, True, id="by its affinity"),
        pytest.param([KEPT_OUT], {"nodeSelector": {"pool": "gpu"}}, False, id="not for a label of somebody else"),
        pytest.param([KEPT_OUT], {"nodeSelector": {LABEL: "true", "pool": "gpu"}}, False, id="not for that one alone"),
        pytest.param(
            [KEPT_OUT], {"affinity": affinity(expression(LABEL, "DoesNotExist"))}, False, id="not where it wants the node without"
        ),
        pytest.param(
            [node("n1", "dedicated=x:NoSchedule", labels={LABEL: "false"})],
            {"nodeSelector": {LABEL: "true"}},
            False,
            id="not where the label is there, with another value",
        ),
        pytest.param([KEPT_OUT], {"nodeSelector": {LABEL: "true"}, "tolerations": []}, False, id="not where the taint keeps it out too"),
        pytest.param([KEPT_OUT], {"nodeSelector": {LABEL: "true"}, "nodeName": "n2"}, False, id="not where it names another node"),
        pytest.param(
            [KEPT_OUT, node("n2", labels={LABEL: "true"})],
            {"nodeSelector": {LABEL: "true"}},
            False,
            id="and nobody misses it where another node has the resource",
        ),
    ],
)
def test_a_plugin_waits(nodes: list[Node], spec: dict[str, Any], waits: bool) -> None:
    waiting = plugin("rdma/hca", **{"tolerations": TOLERATES, **spec})
    start = msgspec.structs.replace(world(nodes, [LABELLER, waiting]), workloads=(JOB,))
    found = [
        consequence
        for consequence in find_consequences(predict_impact(make_empty_change(start), collect_listed_pods(start)))
        if consequence.producer
    ]
    assert told(found) == ([("device-plugin", "n1", "never", "rdma/hca", "Job research/a")] if waits else [])
    assert [(str(each.producer), each.labels) for each in found] == ([("truth/nfd", (LABEL,))] if waits else [])


def test_what_was_so_and_passes_is_told_with_its_coverage() -> None:
    nodes = [node("n1", "node.kubernetes.io/not-ready:NoSchedule")]
    start = world(nodes, [plugin("rdma/hca")])
    (found,) = find_consequences(predict_impact(make_empty_change(start), collect_listed_pods(start)))
    assert (found.is_lost, found.is_existing_and_transient) == (False, True)


SPECS = st.fixed_dictionaries(
    {"tolerations": st.sampled_from([[], TOLERATES]), "nodeSelector": st.sampled_from([{}, {"pool": "a"}, {"pool": "b"}])}
)
RESOURCES = st.lists(st.sampled_from(["rdma/hca", "nvidia.com/gpu"]), max_size=2, unique=True)


@st.composite
def worlds(draw: st.DrawFn) -> ClusterState:
    nodes = [node(f"n{number}", pool=draw(st.sampled_from(["a", "b"]))) for number in range(draw(st.integers(1, 3)))]
    plugins = [plugin(*draw(RESOURCES), name=f"p{number}", **draw(SPECS)) for number in range(draw(st.integers(1, 3)))]
    jobs = [
        read_object(named(f"j{number}", template(draw(st.sampled_from(["rdma/hca", "nvidia.com/gpu"])), **draw(SPECS))), Job)
        for number in range(3)
    ]
    return msgspec.structs.replace(world(nodes, plugins), workloads=(*plugins, *jobs))


LINES = st.sampled_from(
    [TAINT.replace("n1", "n0"), BOTH, BOTH.replace("NoSchedule", "NoExecute"), "label nodes n0 pool-", "delete node n0"]
)


@settings(max_examples=150, deadline=None)
@given(worlds(), LINES)
def test_a_consequence_is_of_nodes_that_are_lost_and_of_nobody_who_stays_served(start: ClusterState, line: str) -> None:
    (impact,) = run(start, line)
    for consequence in find_consequences(impact):
        groups = [group for group in impact.groups if group.key == consequence.key and group.outcome is consequence.outcome]
        assert set(consequence.nodes) <= {name for group in groups for name in group.nodes}
        assert all(set(one.needs) <= set(consequence.lost_names) for one in consequence.dependents)


@settings(max_examples=100, deadline=None)
@given(worlds(), LINES)
def test_the_order_of_what_is_given_changes_nothing(start: ClusterState, line: str) -> None:
    turned = msgspec.structs.replace(start, workloads=start.workloads[::-1], nodes=dict(list(start.nodes.items())[::-1]))
    one, other = (
        [(words[:4], sorted(words[4].split(" Job "))) for words in told(list(find_consequences(run(cluster_state, line)[0])))]
        for cluster_state in (start, turned)
    )
    assert [words for words, _ in one] == [words for words, _ in other]


@settings(max_examples=100, deadline=None)
@given(worlds(), LINES)
def test_what_tolerates_everything_and_selects_nothing_has_no_consequence(start: ClusterState, line: str) -> None:
    daemonsets = [
        plugin("rdma/hca", name=daemonset.metadata.name, tolerations=[{"operator": "Exists"}]) for daemonset in start.daemonsets.values()
    ]
    kept = msgspec.structs.replace(start, daemonsets={each.key: each for each in daemonsets})
    assert find_consequences(run(kept, line)[0]) == ()
