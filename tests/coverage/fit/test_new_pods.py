"""A pod that a change creates where none was must fit: requests, ports, the number of pods, volumes, priority, and other new pods."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.builders import Object, make_budget, make_node, make_object, make_pod
from tests.coverage.fit.situations import ask, ask_part, container, daemonset, node, running, web

EXPORTER = daemonset("exporter", port=9100)
HOLDER = web(port=9100)
CLASS = make_object("PriorityClass", "mine", value=1000)
CLASS["apiVersion"] = "scheduling.k8s.io/v1"
CLAIM = make_object("PersistentVolumeClaim", "data", "ops", spec={"volumeName": "disk"})
DISK = make_object(
    "PersistentVolume",
    "disk",
    spec={
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}]}}
    },
)
WITH_CLAIM = daemonset(volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
APART = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
        ]
    }
}


NO_AGENT = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": {"app": "agent"}}, "topologyKey": "kubernetes.io/hostname"}
        ]
    }
}
GUARD = daemonset("guard", affinity=NO_AGENT)
ALONE = daemonset(affinity=NO_AGENT)


def port(number: int, host: int, **more: str) -> dict[str, Any]:
    return {"containerPort": number, "hostPort": host, **more}


FITTING = [
    pytest.param([node(), web(on="n8")], daemonset(cpu="2"), id="the whole node is free"),
    pytest.param([node(), web(cpu="1500m")], daemonset(cpu="500m"), id="exactly enough is left"),
    pytest.param([node(), web(cpu="2500m")], daemonset(), id="it asks for nothing of an overcommitted node"),
    pytest.param(
        [node(), web(cpu="1800m", metadata={"deletionTimestamp": "2026-03-01T00:00:00Z"})], daemonset(cpu="1"), id="a pod that terminates"
    ),
    pytest.param([node(), web(cpu="1800m", phase="Succeeded")], daemonset(cpu="1"), id="a pod that has ended"),
    pytest.param([node(), web(on="n9", cpu="2")], daemonset(cpu="1"), id="a pod of another node, which is not given"),
    pytest.param([node(), EXPORTER, *running(EXPORTER, "n1")], daemonset(port=port(9100, 9100, protocol="UDP")), id="another protocol"),
    pytest.param(
        [node(), web(port=port(1, 80, hostIP="10.0.0.1"))], daemonset(port=port(1, 80, hostIP="10.0.0.2")), id="another address of the host"
    ),
    pytest.param([node(), web(port={"containerPort": 80})], daemonset(port=80), id="a port of the pod alone"),
    pytest.param([node(pods="2"), web(cpu="0")], daemonset(), id="one more pod than are there"),
    pytest.param(
        [node(), web(cpu="1")],
        daemonset(cpu="400m", initContainers=[container(cpu="1")]),
        id="an init container that asks for no more than is left",
    ),
]


@pytest.mark.parametrize(("cluster", "new"), FITTING)
def test_a_new_pod_that_fits_starts(cluster: list[Object], new: Object, tmp_path: Path) -> None:
    answer = ask(tmp_path, cluster, "apply -f new", new=new)
    assert answer.outcomes["ops/agent"] == {"n1": "gained"}
    assert answer.find("PF104") == "note: ops/agent is new and starts on n1"
    assert (answer.exit, answer.counts["ops/agent"]) == (0, (0, 1, 1))


def test_a_new_pod_that_fits_beside_the_pods_of_one_namespace_may_not_fit(tmp_path: Path) -> None:
    other = make_pod("x", "ops", node="n1", containers=[container(cpu="1")])
    assert (
        ask(tmp_path, [node(), other], "apply -f new", new=daemonset(cpu="500m")).find("PF104") == "note: ops/agent is new and starts on n1"
    )
    answer = ask_part(tmp_path, [node(), other], "apply -f new", new=daemonset(cpu="500m"))
    assert (answer.outcomes, answer.find("PF104")) == ({"ops/agent": {"n1": "gained"}}, "note: ops/agent is new and gets a pod on n1")
    full = ask_part(tmp_path, [node(), other], "apply -f new", new=daemonset(cpu="1500m"))
    assert full.outcomes == {"ops/agent": {"n1": "missing"}}


UNFIT = [
    pytest.param([node(), web(cpu="1800m")], daemonset(cpu="500m"), "requests 500m cpu, but 200m of 2 are free", id="cpu"),
    pytest.param([node()], daemonset(cpu="3"), "requests 3 cpu, but the node has only 2", id="more than the node has"),
    pytest.param(
        [node()],
        daemonset(cpu="3", priorityClassName="system-node-critical"),
        "requests 3 cpu, but the node has only 2",
        id="more than the node has, which no priority mends",
    ),
    pytest.param([node()], daemonset(vendor_example__nic="1"), "requests 1 vendor.example/nic, but the node offers none", id="no device"),
    pytest.param(
        [node(vendor_example__nic="1"), web(containers=[container(vendor_example__nic="1")])],
        daemonset(vendor_example__nic="1"),
        "requests 1 vendor.example/nic, but 0 of 1 are free",
        id="the one device is taken",
    ),
    pytest.param([node(pods="1"), web(cpu="0")], daemonset(), "the node already has its maximum of 1 pod", id="the number of pods"),
    pytest.param(
        [node(), web(cpu="1")],
        daemonset(cpu="100m", initContainers=[container(cpu="1500m")]),
        "requests 1500m cpu, but 1 of 2 are free",
        id="an init container",
    ),
    pytest.param(
        [node(), web(cpu="1")],
        daemonset(cpu="600m", initContainers=[{**container(cpu="600m"), "name": "side", "restartPolicy": "Always"}]),
        "requests 1200m cpu, but 1 of 2 are free",
        id="a sidecar",
    ),
    pytest.param(
        [node(), EXPORTER, *running(EXPORTER, "n1")],
        daemonset(port=9100),
        "port 9100 (TCP) of the node is used by pod ops/exporter-n1 (DaemonSet ops/exporter)",
        id="a port that another DaemonSet holds",
    ),
    pytest.param(
        [node(), web(port=port(1, 9100, hostIP="10.0.0.1"))],
        daemonset(port={"containerPort": 9100}, hostNetwork=True),
        "port 9100 (TCP) of the node is used by pod shop/web (ReplicaSet shop/web)",
        id="a containerPort on the host's network, where a pod holds it on one address",
    ),
    pytest.param(
        [node(), EXPORTER],
        daemonset(port=9100),
        "port 9100 (TCP) of the node is used by DaemonSet ops/exporter",
        id="a port that the pod of another DaemonSet is assumed to hold, for no pods of the namespace were given",
    ),
    pytest.param(
        [node(), CLASS, web(cpu="1800m", priority=2000)],
        daemonset(cpu="500m", priorityClassName="mine"),
        "requests 500m cpu, but 200m of 2 are free",
        id="pods of higher priority",
    ),
    pytest.param(
        [node(), {**CLASS, "preemptionPolicy": "Never"}, web(cpu="1800m")],
        daemonset(cpu="500m", priorityClassName="mine"),
        "requests 500m cpu, but 200m of 2 are free",
        id="a class that never preempts",
    ),
    pytest.param(
        [node(labels={"zone": "a"}), CLAIM, DISK],
        WITH_CLAIM,
        "PersistentVolume disk of its claim data can only be used on other nodes",
        id="a volume of another zone",
    ),
]


@pytest.mark.parametrize(("cluster", "new", "cause"), UNFIT)
def test_a_new_pod_that_does_not_fit_stays_pending(cluster: list[Object], new: Object, cause: str, tmp_path: Path) -> None:
    answer = ask(tmp_path, cluster, "apply -f new", new=new)
    assert answer.outcomes == {"ops/agent": {"n1": "missing"}}
    assert answer.find("PF122") == f"error: ops/agent is new and stays Pending on n1: {cause}"
    assert answer.find("PF104") == answer.find("PF107") == ""
    assert (answer.exit, answer.counts["ops/agent"]) == (1, (0, 0, 0))


@pytest.mark.parametrize(
    ("cluster", "priority"),
    [
        pytest.param([], "system-node-critical", id="a class that every cluster has"),
        pytest.param([CLASS], "mine", id="a class that was given"),
        pytest.param([{**CLASS, "globalDefault": True}], "", id="the class of pods that name none"),
    ],
)
def test_a_pod_of_higher_priority_is_not_said_to_stay_pending(cluster: list[Object], priority: str, tmp_path: Path) -> None:
    new = daemonset(cpu="500m", **({"priorityClassName": priority} if priority else {}))
    answer = ask(tmp_path, [node(), *cluster, web(cpu="1800m")], "apply -f new", new=new)
    assert answer.outcomes == {"ops/agent": {"n1": "gained"}}
    assert answer.find("PF123").startswith(
        "warning: ops/agent starts on n1 only by preempting a pod of lower priority (shop/web): requests 500m"
    )
    assert answer.find("PF104") == "note: ops/agent is new and gets a pod on n1"
    assert answer.exit == 0


UNKNOWN = [
    pytest.param([web(cpu="1800m")], daemonset(cpu="500m", priorityClassName="mine"), id="the value of its class"),
    pytest.param([], WITH_CLAIM, id="where its volume can be used"),
    pytest.param([], daemonset(affinity=APART), id="required affinity to other pods"),
    pytest.param([], daemonset(schedulingGates=[{"name": "example.com/wait"}]), id="a scheduling gate"),
]


@pytest.mark.parametrize(("others", "new"), UNKNOWN)
def test_what_is_not_judged_of_a_pod_makes_the_answer_unknown(others: list[Object], new: Object, tmp_path: Path) -> None:
    answer = ask(tmp_path, [node(), *others], "apply -f new", new=new)
    assert answer.outcomes == {"ops/agent": {"n1": "unknown"}}
    assert answer.find("PF109").startswith("warning: ops/agent may start on n1: unknown whether the new pod is bound: ")
    assert answer.exit == 3


@pytest.mark.parametrize(
    ("others", "labels", "outcome"),
    [
        pytest.param([GUARD, *running(GUARD, "n1")], {"kubernetes.io/hostname": "n1"}, "unknown", id="of another DaemonSet"),
        pytest.param([web(affinity=NO_AGENT, namespace="ops")], {"kubernetes.io/hostname": "n1"}, "unknown", id="of an ordinary pod"),
        pytest.param([web(affinity=NO_AGENT)], {"kubernetes.io/hostname": "n1"}, "gained", id="of a pod that means its own namespace"),
        pytest.param([GUARD, *running(GUARD, "n1")], {}, "gained", id="on a node without the label of the domain"),
        pytest.param([GUARD, *running(GUARD, "n9")], {"kubernetes.io/hostname": "n1"}, "gained", id="of a pod elsewhere"),
    ],
)
def test_a_pod_that_wants_no_agent_near_it_is_a_doubt(others: list[Object], labels: dict[str, str], outcome: str, tmp_path: Path) -> None:
    nodes = [node(labels=labels), node("n9", "no:NoSchedule", labels={"kubernetes.io/hostname": "n9"})]
    answer = ask(tmp_path, [*nodes, *others], "apply -f new", new=daemonset())
    assert answer.outcomes["ops/agent"]["n1"] == outcome


def test_the_pod_that_an_update_replaces_keeps_its_successor_off_no_node(tmp_path: Path) -> None:
    cluster = [node(labels={"kubernetes.io/hostname": "n1"}), ALONE, *running(ALONE, "n1")]
    assert ask(tmp_path, cluster, "set image ds/agent c=c:2 -n ops").outcomes == {"ops/agent": {"n1": "kept"}}


def test_a_volume_whose_node_affinity_matches_is_no_doubt(tmp_path: Path) -> None:
    answer = ask(tmp_path, [node(labels={"zone": "b"}), CLAIM, DISK], "apply -f new", new=WITH_CLAIM)
    assert answer.outcomes == {"ops/agent": {"n1": "gained"}}
    assert answer.exit == 0


@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param([make_node("n1")], id="nothing"),
        pytest.param([make_node("n1", allocatable={"vendor.example/nic": "1"})], id="no cpu and no number of pods"),
    ],
)
def test_what_a_node_does_not_state_to_offer_is_not_judged(nodes: list[Object], tmp_path: Path) -> None:
    answer = ask(tmp_path, [*nodes, web(cpu="1800m")], "apply -f new", new=daemonset(cpu="5"))
    assert answer.outcomes == {"ops/agent": {"n1": "gained"}}
    assert answer.find("PF104") == "note: ops/agent is new and gets a pod on n1"
    assert answer.exit == 0


def test_of_two_new_pods_with_one_port_nobody_knows_which_one_starts(tmp_path: Path) -> None:
    both = [daemonset("a", port=9100), daemonset("b", port=9100)]
    answer = ask(tmp_path, [node()], "apply -f new", new=both)
    assert answer.outcomes == {"ops/a": {"n1": "unknown"}, "ops/b": {"n1": "unknown"}}
    assert "its new pod and that of ops/a do not both fit" in answer.find("PF109")
    assert answer.exit == 3


def test_of_two_new_pods_the_one_of_higher_priority_starts(tmp_path: Path) -> None:
    both = [daemonset("a", port=9100, priorityClassName="system-node-critical"), daemonset("b", port=9100)]
    answer = ask(tmp_path, [node()], "apply -f new", new=both)
    assert answer.outcomes == {"ops/a": {"n1": "gained"}, "ops/b": {"n1": "unknown"}}


STEPS = [
    pytest.param(
        [EXPORTER, *running(EXPORTER, "n1")], ["delete ds exporter -n ops"], "gained", id="the DaemonSet that held the port is deleted"
    ),
    pytest.param(
        [EXPORTER, *running(EXPORTER, "n1")],
        ["delete ds exporter -n ops --cascade=orphan"],
        "missing",
        id="its pod is left, and holds the port",
    ),
    pytest.param([EXPORTER], ["delete ds exporter -n ops"], "gained", id="the pod was only assumed"),
    pytest.param([HOLDER], ["delete pod web -n shop"], "gained", id="an ordinary pod that held the port is deleted"),
    pytest.param([HOLDER], ["delete namespace shop"], "gained", id="the namespace of a pod that held the port is deleted"),
    pytest.param(
        [HOLDER, make_budget("none", "other", app="none")],
        ["drain n1 --ignore-daemonsets --force", "uncordon n1"],
        "gained",
        id="the node of such a pod is drained",
    ),
    pytest.param([], ["apply -f other"], "missing", id="a step before has a pod created that holds the port"),
]


@pytest.mark.parametrize(("cluster", "before", "outcome"), STEPS)
def test_a_plan_remembers_who_holds_what(cluster: list[Object], before: list[str], outcome: str, tmp_path: Path) -> None:
    answer = ask(tmp_path, [node(), *cluster], *before, "apply -f new", new=daemonset(port=9100), other=EXPORTER)
    assert answer.outcomes["ops/agent"] == {"n1": outcome}


NEARLY_FULL = web(cpu="1800m")
AGENT = daemonset(cpu="500m")
CHANGES = [
    pytest.param(node("n1", "dedicated=db:NoSchedule"), AGENT, "taint nodes n1 dedicated-", id="a taint goes"),
    pytest.param(
        node("n1", "dedicated=db:NoSchedule"),
        daemonset("agent", {"key": "dedicated", "value": "web", "effect": "NoSchedule"}, cpu="500m"),
        "taint nodes n1 dedicated=web:NoSchedule --overwrite",
        id="a taint gets the value that it tolerates",
    ),
    pytest.param(node(), daemonset(cpu="500m", nodeSelector={"a": "b"}), "label node n1 a=b", id="a label comes"),
    pytest.param(
        node(labels={"a": "c"}), daemonset(cpu="500m", nodeSelector={"a": "b"}), "label node n1 a=b --overwrite", id="a label changes"
    ),
    pytest.param(
        node(),
        daemonset(cpu="500m", nodeSelector={"a": "b"}),
        """patch node n1 -p '{"metadata": {"labels": {"a": "b"}}}'""",
        id="a label comes by a patch",
    ),
]


@pytest.mark.parametrize(("place", "owner", "command"), CHANGES)
def test_a_node_that_a_daemonset_gains_must_take_its_pod(place: Object, owner: Object, command: str, tmp_path: Path) -> None:
    answer = ask(tmp_path, [place, owner, NEARLY_FULL, *running(owner, "n8")], command)
    assert answer.outcomes["ops/agent"]["n1"] == "missing"
    assert answer.find("PF122") == "warning: ops/agent stays Pending on n1: requests 500m cpu, but 200m of 2 are free"
    assert answer.exit == 0


@pytest.mark.parametrize(("place", "owner", "command"), CHANGES)
def test_a_node_that_a_daemonset_gains_and_that_has_room_starts_it(place: Object, owner: Object, command: str, tmp_path: Path) -> None:
    answer = ask(tmp_path, [place, owner, web(cpu="1500m"), *running(owner, "n8")], command)
    assert answer.find("PF104") == "note: ops/agent starts on n1"
    assert answer.exit == 0


def test_an_uncordon_creates_nothing(tmp_path: Path) -> None:
    cordoned = make_node("n1", "node.kubernetes.io/unschedulable:NoSchedule", cordoned=True, allocatable={"cpu": "2", "pods": "9"})
    answer = ask(tmp_path, [cordoned, AGENT, *running(AGENT, "n1"), web(cpu="1900m")], "uncordon n1")
    assert (answer.outcomes, answer.exit) == ({"ops/agent": {"n1": "kept"}}, 0)
