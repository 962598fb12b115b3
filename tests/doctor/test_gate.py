"""What lies behind a fault, by kind: a missing pod network, refused creations, providers that nothing selects, and more signs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders import Object, make_container, make_daemonset, make_deployment, make_object, make_owner, make_pod, write_list
from tests.cli.program import program
from tests.doctor.test_healthy import AT, OLD, node

NO_NETWORK = (
    "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:"
    "Network plugin returns error: cni plugin not initialized"
)
NOT_READY = [{"key": "node.kubernetes.io/not-ready", "effect": effect} for effect in ("NoSchedule", "NoExecute")]
EXISTS = {"operator": "Exists"}
LATELY = "2026-03-01T11:55:00Z"
PLUGINS = "/var/lib/kubelet/device-plugins"


def down(name: str, message: str = NO_NETWORK, status: str = "False", **labels: str) -> Object:
    """A node that is not Ready for hours."""
    found = node(name, labels, NOT_READY)
    condition = {"type": "Ready", "status": status, "reason": "KubeletNotReady", "message": message}
    found["status"]["conditions"] = [{**condition, "lastHeartbeatTime": AT, "lastTransitionTime": "2026-03-01T08:00:00Z"}]
    return found


def flannel(*tolerations: Object, **spec: Any) -> Object:
    """A pod network."""
    mount = [{"name": "cni", "mountPath": "/etc/cni/net.d"}]
    container = make_container("flannel", "ghcr.io/flannel-io/flannel:v0.26.0", command=["/opt/bin/flanneld"], volumeMounts=mount)
    volumes = [{"name": "cni", "hostPath": {"path": "/etc/cni/net.d"}}]
    return make_daemonset("flannel", "net", *tolerations, containers=[container], volumes=volumes, hostNetwork=True, **spec)


def mounting(name: str, path: str, *tolerations: Object, image: str = "x/thing:1", arguments: tuple[str, ...] = (), **spec: Any) -> Object:
    """A DaemonSet that mounts a folder of its node."""
    container = make_container("main", image, args=list(arguments), volumeMounts=[{"name": "host", "mountPath": path}])
    return make_daemonset(name, "ops", *tolerations, containers=[container], volumes=[{"name": "host", "hostPath": {"path": path}}], **spec)


def plugin(name: str, resource: str, *tolerations: Object, **spec: Any) -> Object:
    """A device plugin; of no resource that is known where it is ""."""
    return mounting(name, PLUGINS, *tolerations, arguments=(f"--resource-name={resource}",) if resource else (), **spec)


def driver(*tolerations: Object, **spec: Any) -> Object:
    """A CSI node driver."""
    path = "/var/lib/kubelet/plugins/csi.example.com/csi.sock"
    image = "registry.k8s.io/sig-storage/csi-node-driver-registrar:v2.13.0"
    return mounting(
        "csi", "/var/lib/kubelet/plugins_registry", *tolerations, image=image, arguments=(f"--kubelet-registration-path={path}",), **spec
    )


def runs(daemonset: Object, *nodes: str, created: str = OLD, **status: Any) -> list[Object]:
    """Pods of a DaemonSet, Ready where nothing else is said."""
    name, namespace = daemonset["metadata"]["name"], daemonset["metadata"]["namespace"]
    status = status or {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    owner, metadata = make_owner("DaemonSet", name), {"creationTimestamp": created}
    return [make_pod(f"{name}-{on}", namespace, node=on, owner=owner, metadata=metadata, phase="", status=status) for on in nodes]


def waits(name: str = "job", message: str = "", **spec: Any) -> Object:
    """A pod that has waited for a node for hours."""
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    status = {"phase": "Pending", "conditions": [condition] if message else []}
    return make_pod(name, "shop", phase="", status=status, metadata={"creationTimestamp": "2026-03-01T09:00:00Z"}, **spec)


def wanting(resource: str) -> list[Object]:
    """Containers that ask for one of a resource."""
    return [make_container(resources={"limits": {resource: "1"}})]


def refused(kind: str, namespace: str, name: str, message: str = "exceeded quota: few", at: str = LATELY) -> Object:
    """An event on a refused creation."""
    about = {"kind": kind, "namespace": namespace, "name": name}
    event = make_object("Event", f"{name}.refused", namespace, type="Warning", reason="FailedCreate", message=f"Error creating: {message}")
    return {**event, "involvedObject": about, "source": {"component": "controller"}, "lastTimestamp": at}


def claim(name: str = "data", volume: str = "") -> list[Object]:
    """A claim of the driver's class, and the class."""
    storage_class = make_object("StorageClass", "fast", provisioner="csi.example.com") | {"apiVersion": "storage.k8s.io/v1"}
    return [storage_class, make_object("PersistentVolumeClaim", name, "shop", spec={"storageClassName": "fast", "volumeName": volume})]


def claiming(name: str = "data") -> list[Object]:
    """Volumes of a pod that lead to the claim."""
    return [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]


def diagnose(path: Path, *objects: Object, words: tuple[str, ...] = ()) -> list[tuple[str, str, str]]:
    """Rule, subject and message of the findings that are no notes, each with its notes behind the message; all namespaces are listed."""
    others = [make_pod("calm", name, node="n1", ready="True", metadata={"creationTimestamp": OLD}) for name in ("net", "ops", "shop", "x")]
    file = path / "w.json"
    file.write_text(write_list([*objects, *others]), encoding="utf-8")
    result = program("doctor", "--from", str(file), "--no-policy", "-o", "json", *words)
    assert result.code in (0, 1, 3), result.err
    return [
        (finding["rule"], finding["subject"]["name"], " | ".join([finding["message"], *(note["text"] for note in finding["notes"])]))
        for finding in json.loads(result.out)["findings"]
        if finding["severity"] != "note"
    ]


N1 = node("n1", {}, [])
WIDE = flannel(EXISTS)
CRASHING: Object = {
    "phase": "Running",
    "conditions": [{"type": "Ready", "status": "False"}],
    "containerStatuses": [{"name": "flannel", "restartCount": 9, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}],
}


@pytest.mark.parametrize(
    ("objects", "rule", "cause"),
    [
        pytest.param([WIDE, *runs(WIDE, "n1"), refused("DaemonSet", "net", "flannel", "webhook x")], "PF413", "webhook x", id="refused"),
        pytest.param([flannel(), *runs(WIDE, "n1")], "PF411", "not-ready", id="it does not tolerate what follows from its absence"),
        pytest.param([WIDE, *runs(WIDE, "n1")], "PF410", "no pod", id="nothing says why it has no pod"),
        pytest.param([WIDE, *runs(WIDE, "n1"), *runs(WIDE, "n2", **CRASHING)], "PF415", "crash looping", id="it crashes"),
        pytest.param(
            [flannel(EXISTS, nodeSelector={"net": "flannel"}), *runs(WIDE, "n1")], "PF448", "net=flannel", id="it does not select the node"
        ),
    ],
)
def test_a_node_without_a_network_leads_to_the_cause_of_that(objects: list[Object], rule: str, cause: str, tmp_path: Path) -> None:
    first = node("n1", {"net": "flannel"}, [])
    found = diagnose(tmp_path, first, down("n2"), *objects)
    assert [(entry[0], entry[1]) for entry in found[:2]] == [(rule, "flannel"), ("PF430", "n2")]
    assert all(cause in entry[2] for entry in found[:2])
    assert diagnose(tmp_path, first, down("n2"), *objects, words=("--node", "n2")) == found


@pytest.mark.parametrize(
    "message",
    [
        "runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:docker: network plugin is not ready: "
        "cni config uninitialized",
        "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: No CNI "
        "configuration file in /etc/kubernetes/cni/net.d/. Has your network provider started?",
        "[container runtime network not ready: NetworkReady=false, CSINode is not yet initialized]",
    ],
)
def test_every_runtime_says_so_in_its_own_words(message: str, tmp_path: Path) -> None:
    found = diagnose(tmp_path, N1, down("n2", message), WIDE, *runs(WIDE, "n1"))
    assert [entry[0] for entry in found] == ["PF410", "PF430"]


@pytest.mark.parametrize(
    "lost",
    [
        pytest.param(down("n2", "Kubelet stopped posting node status.", "Unknown"), id="the kubelet is silent"),
        pytest.param(down("n2", NO_NETWORK, "Unknown"), id="the kubelet is silent since it said so"),
        pytest.param(down("n2", "PLEG is not healthy: pleg was last seen active 4m ago"), id="the runtime hangs"),
    ],
)
def test_a_node_that_is_not_ready_for_another_reason_blames_no_daemonset(lost: Object, tmp_path: Path) -> None:
    assert [entry[0] for entry in diagnose(tmp_path, N1, lost, WIDE, *runs(WIDE, "n1"))] == ["PF430"]


def test_a_network_that_runs_there_and_one_that_nobody_knows(tmp_path: Path) -> None:
    found = diagnose(tmp_path, N1, down("n2"), WIDE, *runs(WIDE, "n1", "n2"))
    assert [entry[0] for entry in found] == ["PF430"]
    assert "although net/flannel runs there and is Ready" in found[0][2]
    assert "no DaemonSet in the input is recognized" in diagnose(tmp_path, N1, down("n2"))[0][2]


def test_the_only_node_has_no_network_and_no_pod_of_it_was_ever_created(tmp_path: Path) -> None:
    """Its namespace has no pod, so that a list of pods does not show whether it was listed."""
    system = make_pod("etcd", "kube-system", node="n1", ready="True", metadata={"creationTimestamp": OLD})
    file = tmp_path / "w.json"
    for events, rules, text in (
        ([refused("DaemonSet", "net", "flannel", "webhook x")], ["PF413", "PF430"], "webhook x"),
        ([], ["PF430"], "unknown: whether net/flannel has a pod there"),
    ):
        file.write_text(write_list([down("n1"), WIDE, system, *events]), encoding="utf-8")
        findings = json.loads(program("doctor", "--from", str(file), "--no-policy", "-o", "json").out)["findings"]
        assert [finding["rule"] for finding in findings] == rules
        assert any(text in note["text"] for note in findings[-1]["notes"])


AGENT = make_daemonset("agent", "ops", EXISTS, containers=[make_container("a", "x/agent:1")])
NEW = node("n2", {}, [])
NEW["metadata"]["creationTimestamp"] = "2026-03-01T11:58:00Z"


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param([N1, NEW, AGENT, *runs(AGENT, "n1")], "has no pod on n2 because", id="on a node that has just joined"),
        pytest.param([N1, down("n2", "PLEG"), AGENT, *runs(AGENT, "n1")], "has no pod on n2 because", id="on a node that is not Ready"),
        pytest.param([AGENT], "creates no new pods because", id="no node was given"),
    ],
)
def test_a_refused_creation_counts_by_itself(objects: list[Object], expected: str, tmp_path: Path) -> None:
    found = [entry for entry in diagnose(tmp_path, *objects, refused("DaemonSet", "ops", "agent")) if entry[0] == "PF413"]
    assert len(found) == 1
    assert expected in found[0][2]
    assert "exceeded quota: few" in found[0][2]


def test_a_refused_creation_of_a_daemonset_that_was_not_given(tmp_path: Path) -> None:
    assert [entry[:2] for entry in diagnose(tmp_path, N1, refused("DaemonSet", "ops", "agent"))] == [("PF447", "agent")]
    assert [entry[:2] for entry in diagnose(tmp_path, N1, refused("StatefulSet", "shop", "db"))] == [("PF447", "db")]


def test_what_was_refused_has_been_created_since(tmp_path: Path) -> None:
    assert diagnose(tmp_path, N1, AGENT, *runs(AGENT, "n1", created="2026-03-01T11:56:00Z"), refused("DaemonSet", "ops", "agent")) == []
    old = refused("StatefulSet", "shop", "db", at="2026-03-01T11:00:00Z")
    assert diagnose(tmp_path, N1, old) == []


GPU = "example.com/gpu"
FEATURE = "feature.node.kubernetes.io/"


def dra(name: str, selector: Object) -> Object:
    """A DRA driver."""
    paths = {"registry": "/var/lib/kubelet/plugins_registry", "plugins": "/var/lib/kubelet/plugins"}
    mounts = [{"name": volume, "mountPath": path} for volume, path in paths.items()]
    container = make_container("plugin", "nvcr.io/nvidia/k8s-dra-driver-gpu:v25.3.0", command=["gpu-kubelet-plugin"], volumeMounts=mounts)
    volumes = [{"name": volume, "hostPath": {"path": path}} for volume, path in paths.items()]
    return make_daemonset(name, "ops", containers=[container], volumes=volumes, nodeSelector=selector)


def labeler(*tolerations: Object, **spec: Any) -> Object:
    """A labeler of nodes."""
    container = make_container("worker", "registry.k8s.io/nfd/node-feature-discovery:v0.17", command=["nfd-worker"])
    return make_daemonset("nfd-worker", "ops", *tolerations, containers=[container], **spec)


LABELLED = node("n1", {"gpu": "off"}, [])


@pytest.mark.parametrize(
    ("objects", "subject", "expected"),
    [
        pytest.param(
            [N1, plugin("plugin", GPU, nodeSelector={"gpu": "on"}), waits(containers=wanting(GPU))],
            "plugin",
            "its nodeSelector requires gpu=on, and no node has the label gpu",
            id="a device plugin, and no node has its label",
        ),
        pytest.param(
            [LABELLED, plugin("plugin", GPU, nodeSelector={"gpu": "on"}), waits(containers=wanting(GPU))],
            "plugin",
            "gpu=on",
            id="a device plugin, and a node has another value",
        ),
        pytest.param(
            [N1, plugin("plugin", "", nodeSelector={"gpu": "on"}), waits(containers=wanting(GPU))],
            "plugin",
            "no node has the label gpu",
            id="the only device plugin whose resources are not known",
        ),
        pytest.param(
            [N1, driver(nodeSelector={"disk": "yes"}), *claim(), waits(volumes=claiming())],
            "csi",
            "claims of csi.example.com",
            id="the driver of a claim that is not bound",
        ),
        pytest.param(
            [N1, dra("dra", {"gpu": "on"}), waits(resourceClaims=[{"name": "gpu", "resourceClaimName": "x"}])],
            "dra",
            "it is the only DRA driver",
            id="the only DRA driver",
        ),
        pytest.param(
            [N1, labeler(nodeSelector={"nfd": "yes"}), waits(nodeSelector={f"{FEATURE}pci": "true"})],
            "nfd-worker",
            f"it sets {FEATURE}pci, which pods are waiting for and no node has",
            id="a labeler",
        ),
    ],
)
def test_a_provider_that_selects_no_node_while_pods_wait_for_it(objects: list[Object], subject: str, expected: str, tmp_path: Path) -> None:
    found = [entry for entry in diagnose(tmp_path, *objects) if entry[0] == "PF448"]
    assert [entry[1] for entry in found] == [subject]
    assert expected in found[0][2]


def test_a_chain_from_a_device_to_its_plugin_to_the_label_that_nobody_sets(tmp_path: Path) -> None:
    """NVIDIA/k8s-device-plugin#1934: the plugin tolerates the taint, and its labeler tolerates another value of it."""
    taint = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}
    worker = labeler({**taint, "value": "present"})
    selecting = plugin("plugin", GPU, EXISTS, nodeSelector={f"{FEATURE}pci": "true"})
    pod = waits(containers=wanting(GPU), tolerations=[EXISTS])
    found = diagnose(tmp_path, N1, node("gpu-1", {}, [taint]), selecting, worker, *runs(worker, "n1"), pod)
    assert [entry[:2] for entry in found] == [("PF448", "plugin"), ("PF411", "nfd-worker"), ("PF440", "job")]
    assert f"{GPU} is provided by DaemonSet ops/plugin, which runs nowhere" in found[2][2]


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param([N1, plugin("plugin", GPU, nodeSelector={"gpu": "on"})], id="no pod waits"),
        pytest.param([N1, plugin("plugin", GPU, nodeSelector={"gpu": "on"}), waits(containers=wanting("other.com/x"))], id="for another"),
        pytest.param(
            [
                N1,
                plugin("a", GPU, nodeSelector={"gpu": "on"}),
                plugin("b", GPU),
                *runs(plugin("b", GPU), "n1"),
                waits(containers=wanting(GPU)),
            ],
            id="another plugin advertises it",
        ),
        pytest.param(
            [N1, plugin("a", "", nodeSelector={"a": "b"}), plugin("b", "", nodeSelector={"a": "b"}), waits(containers=wanting(GPU))],
            id="two plugins may advertise it",
        ),
        pytest.param([N1, driver(nodeSelector={"disk": "yes"}), *claim(volume="pv"), waits(volumes=claiming())], id="the claim is bound"),
        pytest.param(
            [
                N1,
                *(dra(name, {"gpu": "on"}) for name in ("a", "b")),
                waits(resourceClaims=[{"name": "gpu", "resourceClaimName": "x"}]),
            ],
            id="two DRA drivers",
        ),
        pytest.param(
            [
                node("n1", {f"{FEATURE}pci": "false"}, []),
                labeler(nodeSelector={"nfd": "yes"}),
                waits(nodeSelector={f"{FEATURE}pci": "true"}),
            ],
            id="some node has the label",
        ),
    ],
)
def test_a_provider_that_selects_no_node_and_nobody_misses(objects: list[Object], tmp_path: Path) -> None:
    assert [entry for entry in diagnose(tmp_path, *objects) if entry[0] == "PF448"] == []


MASTER = "node-role.kubernetes.io/control-plane"
TAINTED = node("cp", {}, [{"key": MASTER, "value": "true", "effect": "NoSchedule"}])


@pytest.mark.parametrize(
    "toleration",
    [
        pytest.param({"key": MASTER, "effect": "NoSchedule"}, id="it has no operator and no value"),
        pytest.param({"key": MASTER, "operator": "Exists", "effect": "NoExecute"}, id="it has another effect"),
        pytest.param({"key": MASTER, "value": "True", "effect": "NoSchedule"}, id="its value differs by case"),
        pytest.param({"key": MASTER.upper(), "operator": "Exists"}, id="its key differs by case"),
    ],
)
def test_a_toleration_that_nearly_fits_is_evidence(toleration: Object, tmp_path: Path) -> None:
    agent = make_daemonset("speaker", "ops", toleration, containers=[make_container("a", "x/agent:1")])
    found = diagnose(tmp_path, N1, TAINTED, agent, *runs(agent, "n1"))
    assert [entry[:2] for entry in found] == [("PF411", "speaker")]
    assert "it has a toleration for" in found[0][2]


def test_a_toleration_for_one_of_two_taints_of_a_key_is_evidence(tmp_path: Path) -> None:
    both = node("n2", {}, [{"key": "dedicated", "value": "a", "effect": effect} for effect in ("NoSchedule", "NoExecute")])
    agent = make_daemonset("agent", "ops", {"key": "dedicated", "operator": "Exists", "effect": "NoExecute"})
    assert [entry[:2] for entry in diagnose(tmp_path, N1, both, agent, *runs(agent, "n1"))] == [("PF411", "agent")]


def test_a_toleration_for_the_former_key_is_evidence_where_no_node_has_that_key(tmp_path: Path) -> None:
    old = "node-role.kubernetes.io/master"
    agent = make_daemonset("agent", "ops", {"key": old, "operator": "Exists"})
    found = diagnose(tmp_path, N1, TAINTED, agent, *runs(agent, "n1"))
    assert [entry[:2] for entry in found] == [("PF411", "agent")]
    assert "the former key of this taint" in found[0][2]
    before = node("old", {}, [{"key": old, "effect": "NoSchedule"}])
    assert diagnose(tmp_path, N1, TAINTED, before, agent, *runs(agent, "n1", "old")) == []


@pytest.mark.parametrize(
    ("toleration", "other"),
    [
        pytest.param({"key": "dedicated", "value": "a"}, {"key": "dedicated", "value": "a"}, id="it fits another node"),
        pytest.param({"key": "dedicated", "value": "c"}, {"key": "dedicated", "value": "a"}, id="the values tell nodes apart"),
        pytest.param({"key": "dedicated", "value": "c"}, {"key": "x"}, id="its value may be that of nodes to come: a note"),
        pytest.param({"key": "team", "operator": "Exists"}, {"key": "x"}, id="it is for another key"),
    ],
)
def test_a_toleration_for_others_is_no_evidence(toleration: Object, other: Object, tmp_path: Path) -> None:
    agent = make_daemonset("agent", "ops", toleration, containers=[make_container("a", "x/agent:1")])
    here = node("n2", {}, [{"key": "dedicated", "value": "b", "effect": "NoSchedule"}])
    there = node("n3", {}, [{"value": "", "effect": "NoSchedule", **other}])
    running = ["n1"] + (["n3"] if toleration == other else [])
    assert diagnose(tmp_path, N1, here, there, agent, *runs(agent, *running)) == []


TEAM = [{"key": "team", "value": "a", "effect": "NoSchedule"}]


@pytest.mark.parametrize(
    ("pod", "is_told"),
    [
        pytest.param(waits(volumes=claiming(), tolerations=[EXISTS], nodeSelector={"pool": "b"}), True, id="it fits only there"),
        pytest.param(waits(volumes=claiming(), tolerations=[EXISTS]), False, id="it fits where the driver works"),
        pytest.param(waits(volumes=claiming(), nodeSelector={"pool": "b"}), False, id="the taint keeps the pod out, too"),
        pytest.param(waits(tolerations=[EXISTS], nodeSelector={"pool": "b"}), False, id="it has no claim"),
    ],
)
def test_an_unbound_claim_that_waits_for_a_driver(pod: Object, is_told: bool, tmp_path: Path) -> None:
    found = diagnose(tmp_path, N1, node("n2", {"pool": "b"}, TEAM), driver(), *runs(driver(), "n1"), *claim(), pod)
    told = [entry for entry in found if entry[0] == "PF411"]
    assert [entry[1] for entry in told] == (["csi"] if is_told else [])
    assert not is_told or "pods are waiting for claims of csi.example.com" in told[0][2]
    waiting = [entry[2] for entry in found if entry[0] == "PF440"]
    assert any("its claim waits for csi.example.com, whose DaemonSet ops/csi does not work on n2" in text for text in waiting) is is_told


def test_a_pod_whose_node_is_nominated_waits_for_the_volume_of_its_claim(tmp_path: Path) -> None:
    """From Kubernetes 1.35 on the scheduler nominates a node while it waits for a volume; before, it only did to preempt pods."""
    objects = [N1, node("n2", {"pool": "b"}, TEAM), driver(), *runs(driver(), "n1"), *claim()]
    pod = waits(volumes=claiming(), tolerations=[EXISTS], nodeSelector={"pool": "b"})
    nominated = {**pod, "status": {"phase": "Pending", "nominatedNodeName": "n2"}}
    assert [entry[:2] for entry in diagnose(tmp_path, *objects, nominated)] == [("PF411", "csi"), ("PF440", "job")]
    file = str(tmp_path / "w.json")
    told = program("doctor", "--from", file, "--no-policy", "--pod", "shop/job").out
    assert "has nominated n2: it waits for its volumes" in told
    assert "root cause  its claim waits for csi.example.com" in told


def test_the_only_plugin_of_unknown_resources_belongs_where_pods_wait(tmp_path: Path) -> None:
    other = plugin("known", "example.com/nic", EXISTS)
    objects = [N1, node("n2", {}, TEAM), other, *runs(other, "n1", "n2"), waits(containers=wanting(GPU))]
    one = plugin("unknown", "")
    found = diagnose(tmp_path, *objects, one, *runs(one, "n1"))
    assert [entry[:2] for entry in found if entry[0] == "PF411"] == [("PF411", "unknown")]
    assert any("is probably provided by DaemonSet ops/unknown" in entry[2] for entry in found)
    two = plugin("second", "")
    assert "PF411" not in [entry[0] for entry in diagnose(tmp_path, *objects, one, two, *runs(one, "n1"), *runs(two, "n1"))]


SELECTING = make_daemonset("agent", "ops", containers=[make_container("a", "x/agent:1")], nodeSelector={"example.com/pool": "gpu"})


@pytest.mark.parametrize(
    ("annotations", "is_told"),
    [
        pytest.param({"backup.example.com/pool": "gpu"}, True, id="under a prefix of its own"),
        pytest.param({"example.com/pool": "gpu"}, True, id="under its own key"),
        pytest.param({"ops/label-backup-example.com_pool": "gpu"}, True, id="with other separators"),
        pytest.param({"ops/saved-labels": '{"example.com/pool": "gpu", "a": "b"}'}, True, id="in a map as JSON"),
        pytest.param({"ops/original": "a=b,example.com/pool=gpu"}, True, id="in a list"),
        pytest.param({"backup.example.com/pool": "cpu"}, False, id="with another value"),
        pytest.param({"notes.example.com/pool": "gpu"}, False, id="in an annotation that is no backup"),
        pytest.param({}, False, id="there is none"),
    ],
)
def test_a_label_that_was_moved_to_an_annotation(annotations: Object, is_told: bool, tmp_path: Path) -> None:
    kept = node("n2", {}, [])
    kept["metadata"]["annotations"] = annotations
    found = diagnose(tmp_path, node("n1", {"example.com/pool": "gpu"}, []), kept, SELECTING, *runs(SELECTING, "n1"))
    assert [entry[:2] for entry in found] == ([("PF448", "agent")] if is_told else [])
    if annotations.keys() != {"example.com/pool"}:  # a snapshot keeps only annotations that say that they are backups
        saved = program("snapshot", "--from", str(tmp_path / "w.json"), "-o", str(tmp_path / "s.json"))
        assert saved.code == 0
        again = json.loads(program("doctor", "--from", str(tmp_path / "s.json"), "--no-policy", "-o", "json").out)
        assert [finding["rule"] for finding in again["findings"]] == (["PF448"] if is_told else [])


def test_pods_that_are_terminating_on_a_dead_node(tmp_path: Path) -> None:
    lost = down("n2", "Kubelet stopped posting node status.", "Unknown")
    ends = {"deletionTimestamp": "2026-03-01T09:00:00Z", "creationTimestamp": OLD}
    pods = [
        make_pod("agent-n2", "ops", node="n2", owner=make_owner("DaemonSet", "agent"), metadata=ends),
        make_pod("web-1", "shop", node="n2", owner=make_owner("ReplicaSet", "web-1"), metadata=ends),
    ]
    found = diagnose(tmp_path, N1, lost, AGENT, *runs(AGENT, "n1"), make_deployment("web", "shop", 1), *pods)
    stuck = [entry[2] for entry in found if entry[0] == "PF416"]
    assert len(stuck) == 1
    assert "ops/agent-n2 and shop/web-1 stuck in Terminating" in stuck[0]
    alone = diagnose(tmp_path, N1, lost, AGENT, *runs(AGENT, "n1"), pods[0])
    assert [entry[0] for entry in alone] == ["PF430"]
    assert "has pod ops/agent-n2 stuck in Terminating since 2026-03-01T09:00:00Z (3 hours)" in alone[0][2]
    awaited = make_pod("db-0", "shop", node="n2", owner=make_owner("StatefulSet", "db"), metadata=ends)
    assert ("PF416", "db") in [entry[:2] for entry in diagnose(tmp_path, N1, lost, awaited)]


def zoned(version: str) -> list[Object]:
    """Three nodes in two zones, which say which version their kubelets have."""
    nodes = [node(name, {"topology.kubernetes.io/zone": zone}, []) for name, zone in (("n1", "a"), ("n2", "a"), ("n3", "b"))]
    return [{**each, "status": {**each["status"], "nodeInfo": {"kubeletVersion": version}}} for each in nodes]


def forgotten(tolerations: list[Object]) -> Object:
    """The pod of a DaemonSet that waits for n2, of which the scheduler says nothing."""
    fields = [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]
    terms = {"nodeSelectorTerms": [{"matchFields": fields}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    pod = waits("agent-x", "0/3 nodes are available: 2 node(s) didn't match node selector.", affinity=affinity, tolerations=tolerations)
    return {**pod, "metadata": {**pod["metadata"], "namespace": "ops", "ownerReferences": [make_owner("DaemonSet", "agent")]}}


@pytest.mark.parametrize(
    ("version", "rule"),
    [
        pytest.param("v1.18.4-tke.5", "PF444", id="a version with the fault, with a suffix"),
        pytest.param("v1.18.6+k3s1", "PF444", id="a version with the fault, of another distribution"),
        pytest.param("v1.18.20", "PF441", id="the fault is mended in it"),
        pytest.param("v1.29.1-gke.100", "PF441", id="a newer version"),
        pytest.param("v1.17.9", "PF441", id="the server may be newer than that"),
    ],
)
def test_the_version_of_the_kubelets_is_enough_for_a_known_fault(version: str, rule: str, tmp_path: Path) -> None:
    found = diagnose(tmp_path, *zoned(version), AGENT, *runs(AGENT, "n1", "n3"), forgotten([EXISTS]))
    told = [entry for entry in found if entry[0] in ("PF441", "PF444")]
    assert [entry[0] for entry in told] == [rule]
    assert ("the version is that of the kubelets" in told[0][2]) is (rule == "PF444")
    assert ("the version of this cluster is unknown" in told[0][2]) is (version == "v1.17.9")


def test_a_dump_of_one_namespace_names_the_fault_if_the_node_has_room(tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    file.write_text(write_list([*zoned("v1.18.4-tke.5"), AGENT, *runs(AGENT, "n1", "n3"), forgotten([EXISTS])]), encoding="utf-8")
    report = json.loads(program("doctor", "--from", str(file), "--no-policy", "-o", "json").out)
    told = [finding for finding in report["findings"] if finding["rule"] == "PF444"]
    assert len(told) == 1
    assert "(if n2 has room)" in told[0]["message"]
