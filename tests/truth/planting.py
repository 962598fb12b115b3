"""Random clusters that work, and the faults that are planted in them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from tests.builders import IMAGE
from tests.cluster.api import Object
from tests.cluster.bed import Bed
from tests.cluster.objects import node
from tests.truth import demands

GPU = "nvidia.com/gpu"
PLUGINS = "/var/lib/kubelet/device-plugins"
EXISTS = {"operator": "Exists"}
OPERATOR = "operators"


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
    objects: list[Object] = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in (OPERATOR, "shop")]
    objects += [
        *demands.priority_classes(),
        *nodes,
        workload("DaemonSet", "kube-system", "kube-proxy", None, wide),
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
    here.bed.play("silent", node=name)
    here.bed.wait(lambda: _ready(here.bed, name) == "Unknown", 120, f"{name} to be Unknown")
    return name


def _ready(bed: Bed, name: str) -> str:
    conditions = bed.get(f"/api/v1/nodes/{name}")["status"]["conditions"]
    return next(str(condition["status"]) for condition in conditions if condition["type"] == "Ready")


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
    return Fault("missing plugin", frozenset((f"{OPERATOR}/nvidia-device-plugin",)), ("ImagePullBackOff", "ErrImagePull", "image"))


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


FAULTS: dict[str, Callable[[Planting], Fault]] = {
    "missing plugin": plugin,  # first: a dead node would keep the update from beginning
    "taint": taint,
    "label": label,
    "port taken": port_taken,
    "no room": no_room,
    "dead node": dead,
    "hanging pod": hanging,
    "ghost": ghost,
    "foreign scheduler": scheduler,
    "quota": quota,
}
"""Every fault, by its kind, and what plants it."""
