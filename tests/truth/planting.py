"""Random clusters that work, and the faults that are planted in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from tests.builders import IMAGE
from tests.cluster.api import Object
from tests.cluster.bed import Bed
from tests.cluster.objects import node
from tests.cluster.silence import fall_silent
from tests.truth import demands

GPU = "nvidia.com/gpu"
PLUGINS = "/var/lib/kubelet/device-plugins"
EXISTS = {"operator": "Exists"}
OPERATOR = "operators"
NETWORK = "kube-flannel"
DRIVER = "csi.example.com"
WEBHOOK = "pods.policy.example.com"
NO_NETWORK = (
    "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:"
    "Network plugin returns error: cni plugin not initialized"
)
"""What containerd and the kubelet say of a node without a CNI configuration."""


class Fault(NamedTuple):
    """What was planted.

    `about` are the nodes and the `namespace/name` that findings of it speak of; `words` are the texts of which its cause names one.
    """

    kind: str
    about: frozenset[str]
    words: tuple[str, ...]


class Planting(NamedTuple):
    """A cluster in which faults are planted; `free` are the GPU nodes that nobody has broken yet."""

    bed: Bed
    random: Random
    free: list[str]


def workload(kind: str, namespace: str, name: str, replicas: int | None, spec: Object) -> Object:
    """A DaemonSet or a Deployment whose pods have one container."""
    labels = {"app": name}
    whole = {"containers": [{"name": name, "image": IMAGE}], **spec}
    body: Object = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": whole}}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": body if replicas is None else {**body, "replicas": replicas},
    }


def asking(gpus: int, **spec: Any) -> Object:
    """The spec of a pod that wants GPUs."""
    limits = {"limits": {GPU: str(gpus)}}
    return {"containers": [{"name": "main", "image": IMAGE, "resources": limits}], "nodeSelector": {"pool": "gpu"}, **spec}


def world(random: Random) -> tuple[list[Object], list[str]]:
    """The objects of a cluster in which nothing is wrong, and the names of its GPU nodes."""
    gpus = [f"gpu-{number}" for number in range(random.randint(5, 8))]
    plain = [f"cpu-{number}" for number in range(random.randint(2, 4))]
    labels = {"node.kubernetes.io/instance-type": "g8", "topology.kubernetes.io/zone": "a"}
    nodes = [node(name, labels={**labels, "pool": "gpu", "node_env": "prod"}, **{GPU: "8"}) for name in gpus]
    nodes += [
        node(name, labels={"node.kubernetes.io/instance-type": "c4", "topology.kubernetes.io/zone": "a", "pool": "cpu"}) for name in plain
    ]
    mounts = [{"name": "device-plugins", "mountPath": PLUGINS}]
    plugin = {
        "containers": [{"name": "plugin", "image": "nvcr.io/nvidia/k8s-device-plugin:v0.17.0", "volumeMounts": mounts}],
        "nodeSelector": {"node_env": "prod"},
        "volumes": [{"name": "device-plugins", "hostPath": {"path": PLUGINS}}],
    }
    wide = {"tolerations": [EXISTS], "priorityClassName": "system-node-critical"}
    network = {
        **wide,
        "containers": [{"name": "kube-flannel", "image": "ghcr.io/flannel-io/flannel:v0.26.0", "command": ["/opt/bin/flanneld"]}],
        "hostNetwork": True,
        "initContainers": [_mounting("install-cni", "ghcr.io/flannel-io/flannel:v0.26.0", "/etc/cni/net.d")],
        "volumes": [_host_path("/etc/cni/net.d")],
    }
    sockets = "/var/lib/kubelet/plugins_registry"
    driver = {
        "containers": [
            {
                **_mounting("registrar", "registry.k8s.io/sig-storage/csi-node-driver-registrar:v2.13.0", sockets),
                "args": [f"--kubelet-registration-path=/var/lib/kubelet/plugins/{DRIVER}/csi.sock"],
            }
        ],
        "priorityClassName": "system-node-critical",
        "volumes": [_host_path(sockets)],
    }
    objects: list[Object] = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in (OPERATOR, NETWORK, "shop")]
    objects += [
        *demands.priority_classes(),
        *nodes,
        workload("DaemonSet", "kube-system", "kube-proxy", None, wide),
        workload("DaemonSet", NETWORK, "kube-flannel", None, network),
        workload("DaemonSet", "kube-system", "csi-node", None, driver),
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": "fast"},
            "provisioner": DRIVER,
            "volumeBindingMode": "WaitForFirstConsumer",
        },
        workload("DaemonSet", OPERATOR, "nvidia-device-plugin", None, plugin),
        workload("DaemonSet", OPERATOR, "log-agent", None, {}),
        workload("Deployment", "shop", "train", random.randint(1, len(gpus)), asking(random.choice((1, 2, 4)))),
        workload("Deployment", "shop", "web", random.randint(1, 5), {}),
    ]
    if random.random() < 0.6:
        objects.append(workload("DaemonSet", OPERATOR, "node-agent", None, holding(cpu="500m", port=9200)))
    objects += [
        bare(f"tool-{number}", random.choice(gpus + plain), cpu="100m", port=9300 + number) for number in range(random.choice((0, 1, 2)))
    ]
    return objects, gpus


def _mounting(name: str, image: str, path: str) -> Object:
    """A container that mounts a path of its node."""
    return {"name": name, "image": image, "volumeMounts": [{"name": "host", "mountPath": path}]}


def _host_path(path: str) -> Object:
    return {"name": "host", "hostPath": {"path": path}}


def holding(cpu: str, port: int = 0) -> Object:
    """The spec of a pod that asks for cpu, and for a port of its node where one is given."""
    ports = [{"containerPort": port, "hostPort": port}] if port else []
    return {"containers": [{"name": "main", "image": IMAGE, "resources": {"requests": {"cpu": cpu}}, "ports": ports}]}


def bare(name: str, on: str, cpu: str, port: int = 0) -> Object:
    """A pod without an owner, which runs on a node."""
    spec = {**holding(cpu, port), "nodeName": on, "tolerations": [EXISTS]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "shop"}, "spec": spec}


def taint(here: Planting) -> Fault:
    """Somebody taints a node, and its pods are re-created later."""
    name = here.free.pop()
    here.bed.kubectl("taint", "nodes", name, "dedicated=team-a:NoSchedule")
    if here.random.random() < 0.6:
        here.bed.kubectl("delete", "pods", "-n", OPERATOR, f"--field-selector=spec.nodeName={name}", "--wait=false")
        here.bed.patch("nodes", name, {"status": {"allocatable": {GPU: "0"}}}, status=True)
    return Fault("taint", frozenset((name, f"{OPERATOR}/nvidia-device-plugin", f"{OPERATOR}/log-agent")), ("dedicated=team-a:NoSchedule",))


def label(here: Planting) -> Fault:
    """A node loses the label that its peers carry and that the device plugin selects on."""
    name = here.free.pop()
    here.bed.kubectl("label", "nodes", name, "node_env-")
    here.bed.patch("nodes", name, {"status": {"allocatable": {GPU: "0"}}}, status=True)
    return Fault("label", frozenset((name, f"{OPERATOR}/nvidia-device-plugin")), ("node_env",))


def _silenced(here: Planting) -> str:
    """A node whose kubelet falls silent, once the cluster has noticed."""
    name = here.free.pop()
    fall_silent(here.bed, [name])
    return name


def dead(here: Planting) -> Fault:
    """The kubelet of a node falls silent."""
    name = _silenced(here)
    return Fault("dead node", frozenset((name,)), ("NotReady", "not Ready", "not been Ready", "no kubelet", "does not respond", "Unknown"))


def ghost(here: Planting) -> Fault:
    """A pod that was bound to a node whose kubelet is silent never started, and holds its GPUs."""
    name = _silenced(here)
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"ghost-{name}", "namespace": "shop"},
        "spec": {**asking(8, tolerations=[EXISTS]), "nodeName": name},
    }
    here.bed.create([pod])
    return Fault("ghost", frozenset((name, f"shop/ghost-{name}")), (f"ghost-{name}", "nothing runs"))


def plugin(here: Planting) -> Fault:
    """The device plugin fails on every node: its image is not there any more."""
    here.bed.kubectl("set", "image", "ds/nvidia-device-plugin", "plugin=registry.example/k8s-device-plugin:bad", "-n", OPERATOR)
    here.bed.wait(lambda: _has_failing_image(here.bed), 60, "the update to reach a first node")
    return Fault("missing plugin", frozenset((f"{OPERATOR}/nvidia-device-plugin",)), ("ImagePullBackOff", "ErrImagePull", "image"))


def _has_failing_image(bed: Bed) -> bool:
    statuses = [status for pod in bed.list("pods", OPERATOR) for status in pod["status"].get("containerStatuses", ())]
    return any("Image" in status.get("state", {}).get("waiting", {}).get("reason", "") for status in statuses)


def hanging(here: Planting) -> Fault:
    """A pod is deleted on a node whose kubelet is silent, and never ends."""
    name = _silenced(here)
    here.bed.kubectl("delete", "pods", "-n", OPERATOR, f"--field-selector=spec.nodeName={name}", "--wait=false")
    return Fault(
        "hanging pod",
        frozenset((name, f"{OPERATOR}/log-agent")),
        ("NotReady", "not Ready", "not been Ready", "no kubelet", "does not respond", "Unknown"),
    )


def port_taken(here: Planting) -> Fault:
    """A pod without an owner holds the port of a node that a new DaemonSet wants: its pod there stays Pending."""
    name = here.free.pop()
    here.bed.create([bare(f"debug-{name}", name, cpu="100m", port=9100)])
    here.bed.settle(quiet=1)
    here.bed.create([workload("DaemonSet", OPERATOR, "node-exporter", None, holding(cpu="100m", port=9100))])
    return Fault("port taken", frozenset((name, f"{OPERATOR}/node-exporter")), ("9100", "free ports", "host port"))


def no_room(here: Planting) -> Fault:
    """A pod without an owner has taken most of a node's cpu: that of a new DaemonSet stays Pending there."""
    name = here.free.pop()
    here.bed.create([bare(f"bench-{name}", name, cpu="6500m")])
    here.bed.settle(quiet=1)
    here.bed.create([workload("DaemonSet", OPERATOR, "collector", None, holding(cpu="1800m"))])
    return Fault("no room", frozenset((name, f"{OPERATOR}/collector")), ("cpu",))


def scheduler(here: Planting) -> Fault:
    """A workload names a scheduler that does not run."""
    here.bed.create([workload("Deployment", "shop", "gang", 2, asking(1, schedulerName="volcano"))])
    return Fault("foreign scheduler", frozenset(("shop/gang",)), ("volcano",))


def quota(here: Planting) -> Fault:
    """A quota of the namespace refuses the pods of a DaemonSet that is new there."""
    here.bed.create(
        [
            {
                "apiVersion": "v1",
                "kind": "ResourceQuota",
                "metadata": {"name": "few-pods", "namespace": OPERATOR},
                "spec": {"hard": {"count/pods": "1"}},
            }
        ]
    )
    here.bed.create([workload("DaemonSet", OPERATOR, "exporter", None, {"tolerations": [EXISTS]})])
    return Fault("quota", frozenset((f"{OPERATOR}/exporter",)), ("few-pods", "exceeded quota"))


def unbound_claim(here: Planting) -> Fault:
    """A claim waits for a driver that a taint keeps off the only node where its pod may run."""
    name = here.free.pop()
    here.bed.kubectl("taint", "nodes", name, "storage=local:NoSchedule")
    here.bed.kubectl("delete", "pods", "-n", "kube-system", "-l", "app=csi-node", f"--field-selector=spec.nodeName={name}", "--wait=false")
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": f"data-{name}", "namespace": "shop"},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "resources": {"requests": {"storage": "1Gi"}}},
    }
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"db-{name}", "namespace": "shop"},
        "spec": {
            **holding(cpu="100m"),
            "tolerations": [{"key": "storage", "operator": "Exists"}],
            "nodeSelector": {"kubernetes.io/hostname": name},
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": f"data-{name}"}}],
        },
    }
    here.bed.create([claim, pod])
    return Fault("unbound claim", frozenset(("kube-system/csi-node", f"shop/db-{name}")), ("storage=local:NoSchedule",))


def network_refused(here: Planting) -> Fault:
    """A webhook that does not answer refuses the pod network of a node, which is not Ready therefore."""
    name = here.free.pop()
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    webhook = {
        "name": WEBHOOK,
        "admissionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://127.0.0.1:9/validate"},
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": NETWORK}},
        "rules": [rule],
        "sideEffects": "None",
        "timeoutSeconds": 1,
    }
    kind = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration"}
    here.bed.create([{**kind, "metadata": {"name": "policy"}, "webhooks": [webhook]}])
    here.bed.wait(lambda: _is_refused(here.bed), 60, "the webhook to be asked")
    here.bed.kubectl("delete", "pods", "-n", NETWORK, f"--field-selector=spec.nodeName={name}", "--wait=false")
    here.bed.play("not-ready", node=name)
    here.bed.wait(lambda: _find_ready(here.bed, name)["status"] == "False", 60, f"{name} not to be Ready")
    condition = {**_find_ready(here.bed, name), "message": NO_NETWORK}
    here.bed.patch("nodes", name, {"status": {"conditions": [condition]}}, status=True)
    return Fault("network refused", frozenset((name, f"{NETWORK}/kube-flannel")), (WEBHOOK,))


def _is_refused(bed: Bed) -> bool:
    """Whether the API server asks the webhook already, of a pod that is not created."""
    pod = {**bare("probe", "none", cpu="1m"), "metadata": {"name": "probe", "namespace": NETWORK}}
    return WEBHOOK in bed.kubectl("create", "--dry-run=server", "-f", "-", stdin=json.dumps(pod), check=False).err


def _find_ready(bed: Bed, name: str) -> Object:
    conditions = bed.get(f"/api/v1/nodes/{name}")["status"]["conditions"]
    return next(dict(condition) for condition in conditions if condition["type"] == "Ready")


FAULTS: dict[str, Callable[[Planting], Fault]] = {
    "missing plugin": plugin,  # first: a dead node would keep the update from beginning
    "taint": taint,
    "label": label,
    "port taken": port_taken,
    "no room": no_room,
    "unbound claim": unbound_claim,
    "network refused": network_refused,
    "dead node": dead,
    "hanging pod": hanging,
    "ghost": ghost,
    "foreign scheduler": scheduler,
    "quota": quota,
}
"""Every fault, by its kind, and what plants it."""
