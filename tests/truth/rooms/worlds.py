"""Random worlds for a pod that asks for room: nodes, pods that are there, the new pod, and the way in which it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from tests.builders import IMAGE, make_taint
from tests.cluster.api import Object
from tests.cluster.silence import UNREACHABLE
from tests.truth import demands
from tests.truth.worlds import PLAY

GPU, HCA = "example.com/gpu", "example.com/hca"
NAMESPACE = "default"
_TAINTS = (
    "spot=true:NoSchedule",
    "dedicated=gpu:NoSchedule",
    "dedicated=gpu:NoExecute",
    "soft=1:PreferNoSchedule",
    "maintenance:NoSchedule",
)
_TOLERATIONS = (
    {"operator": "Exists"},
    {"key": "spot", "operator": "Exists"},
    {"key": "dedicated", "value": "gpu"},
    {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"},
    {"key": "dedicated", "effect": "NoSchedule"},
    {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"},
    {"key": "maintenance", "effect": "NoSchedule"},
)
_LABELS = {"zone": ("a", "b", "c"), "disk": ("ssd", "hdd"), "cores": ("4", "8", "many")}
_NOT_READY = ("node.kubernetes.io/not-ready:NoSchedule", "node.kubernetes.io/not-ready:NoExecute")


class World(NamedTuple):
    """One world: `waiting` are pods that the scheduler places before anything is asked; `deleted` some that then hang in Terminating.

    `way` is how the new pod is given: file, workload (a file with a Deployment), like (a Deployment in the cluster) or request (in words).
    `preempts`: pods of lower priority may have to go for it.
    """

    nodes: list[Object]
    bound: list[Object]
    waiting: list[Object]
    deleted: list[str]
    spec: Object
    way: str
    runtime_classes: list[Object]
    preempts: bool = False


def draw(random: Random, name: str) -> World:
    """A world whose nodes have names that no other world has: the scheduler remembers nodes for a while."""
    nodes = [_node(random, f"{name}-{number}") for number in range(random.randint(5, 12))]
    names = [node["metadata"]["name"] for node in nodes]
    bound = [_there(random, f"{name}-e{number}", random.choice(names)) for number in range(random.randint(0, 2 * len(names)))]
    waiting = [_there(random, f"{name}-w{number}", "") for number in range(random.randint(0, len(names)))]
    deleted = [each["metadata"]["name"] for each in bound if random.random() < 0.1]
    way = random.choice(("file", "file", "workload", "like", "request"))
    spec, classes = _new(random, names, simple=way == "request"), []
    if way != "request" and random.random() < 0.25:
        classes = [_runtime_class(random, f"{name}-class")]
        spec["runtimeClassName"] = f"{name}-class"
        spec["nodeSelector"] = {**spec.get("nodeSelector", {}), **classes[0].get("scheduling", {}).get("nodeSelector", {})}
        if random.random() < 0.7:
            del spec["nodeSelector"]
    return World(nodes, bound, waiting, deleted, spec, way, classes)


def draw_tight(random: Random, name: str) -> World:
    """A world as `draw` draws it, with silent kubelets, ports that are taken, and priorities."""
    world = draw(random, name)
    _silence(random, world.nodes)
    _crowd(random, [each["spec"] for each in (*world.bound, *world.waiting)])
    if world.way != "request":
        _crowd(random, [world.spec])
        if random.random() < 0.2:
            world.spec["priorityClassName"] = random.choice(("less", "more"))
    return world._replace(preempts=world.spec.get("priorityClassName") == "more")


def _silence(random: Random, nodes: Sequence[Object]) -> None:
    """Let the kubelets of some nodes be silent: what is bound there never starts."""
    for each in nodes:
        if random.random() < 0.08:
            each["metadata"]["annotations"] = {PLAY: "silent"}
            each["status"]["conditions"] = [{"type": "Ready", "status": "Unknown"}]
            each["spec"]["taints"] += [make_taint(f"{UNREACHABLE}:{effect}") for effect in ("NoSchedule", "NoExecute")]


def _crowd(random: Random, pods: Sequence[Object]) -> None:
    """Let some pods take a port of the node, and some have a priority; none of them preempts another."""
    for each in pods:
        if random.random() < 0.15:
            port: Object = {"containerPort": 80, "hostPort": random.choice((80, 8080))}
            port |= {"protocol": "UDP"} if random.random() < 0.2 else {}
            each["containers"][0]["ports"] = [port | ({"hostIP": random.choice(demands.ADDRESSES)} if random.random() < 0.4 else {})]
        if random.random() < 0.2:
            each["priorityClassName"] = demands.PATIENT


def _runtime_class(random: Random, name: str) -> Object:
    """What adds an overhead, a nodeSelector and a toleration to a pod, or some of it."""
    found: Object = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": name}, "handler": "runc"}
    if random.random() < 0.7:
        found["overhead"] = {"podFixed": {"cpu": random.choice(("250m", "1")), "memory": "128Mi"}}
    if random.random() < 0.7:
        key = random.choice(list(_LABELS))
        found["scheduling"] = {"nodeSelector": {key: random.choice(_LABELS[key])}, "tolerations": [dict(_TOLERATIONS[1])]}
    return found


def _node(random: Random, name: str) -> Object:
    taints = random.sample(_TAINTS, random.choice((0, 0, 0, 1, 1, 2)))
    cordoned, ready = random.random() < 0.12, random.random() > 0.12
    if cordoned and random.random() < 0.8:
        taints.append("node.kubernetes.io/unschedulable:NoSchedule")
    if not ready:
        taints += _NOT_READY
    room = {
        "cpu": random.choice(("2", "4", "3920m", "8")),
        "memory": random.choice(("4Gi", "7800Mi", "15625Mi", "8G")),
        "pods": random.choice(("3", "6", "8", "110")),
        "ephemeral-storage": random.choice(("20Gi", "100Gi")),
    }
    if random.random() < 0.5:
        room[GPU] = random.choice(("0", "2", "4", "8"))
    if random.random() < 0.2:
        room[HCA] = "2"
    labels = {key: random.choice(values) for key, values in _LABELS.items() if random.random() < 0.8}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}},
        "spec": {"taints": [make_taint(taint) for taint in taints], **({"unschedulable": True} if cordoned else {})},
        "status": {"conditions": [{"type": "Ready", "status": "True" if ready else "False"}], "capacity": room, "allocatable": room},
    }


def _there(random: Random, name: str, on: str) -> Object:
    """A pod that is there before: it runs, has ended, or was never started; one without a node is for the scheduler."""
    what = random.choice(("", "", "", "succeed", "image-fails"))
    annotations = {"preflight.test/terminates-after": "600s", **({"preflight.test/kubelet": what} if what else {})}
    spec = {"containers": _containers(random), **({"nodeName": on} if on else {}), "restartPolicy": "Never"}
    if random.random() < 0.3:
        spec["initContainers"] = [_container(random, "first")]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": NAMESPACE, "annotations": annotations},
        "spec": spec | ({"tolerations": [{"operator": "Exists"}]} if random.random() < 0.7 else {}),
    }


def _new(random: Random, names: Sequence[str], *, simple: bool) -> Object:
    """The spec of the pod that asks for room; a simple one can be said in words."""
    if simple:
        spec: Object = {"containers": [_container(random, "c", limits=False)]}
    else:
        spec = {"containers": _containers(random)}
        if random.random() < 0.25:
            spec["initContainers"] = [_container(random, "first"), *([_sidecar(random)] if random.random() < 0.5 else [])]
        if random.random() < 0.15:
            spec["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": random.choice((80, 8080))}]
        if random.random() < 0.3:
            spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": _required(random, names)}}
    if random.random() < 0.35:
        key = random.choice(list(_LABELS))
        spec["nodeSelector"] = {key: random.choice(_LABELS[key])}
    count = random.choice((0, 0, 1, 1, 2))
    spec["tolerations"] = [dict(each) for each in random.sample(_TOLERATIONS[1:3] if simple else _TOLERATIONS, min(count, 2))]
    return spec


def _required(random: Random, names: Sequence[str]) -> Object:
    def expression() -> Object:
        key = random.choice(list(_LABELS))
        operator = random.choice(("In", "NotIn", "Exists", "DoesNotExist", "Gt"))
        if operator == "Gt":
            return {"key": "cores", "operator": "Gt", "values": ["5"]}
        values = {"values": random.sample(_LABELS[key], random.randint(1, 2))} if operator in ("In", "NotIn") else {}
        return {"key": key, "operator": operator, **values}

    terms: list[Object] = [{"matchExpressions": [expression() for _ in range(random.randint(1, 2))]} for _ in range(random.randint(1, 2))]
    if random.random() < 0.2:
        terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [random.choice(names)]}]}]
    return {"nodeSelectorTerms": terms}


def _containers(random: Random) -> list[Object]:
    return [_container(random, f"c{number}") for number in range(random.choice((1, 1, 1, 2)))]


def _sidecar(random: Random) -> Object:
    return {**_container(random, "side"), "restartPolicy": "Always"}


def _container(random: Random, name: str, *, limits: bool = True) -> Object:
    requests: dict[str, Any] = {}
    if random.random() < 0.7:
        requests["cpu"] = random.choice(("100m", "250m", "500m", "1", "1500m"))
    if random.random() < 0.5:
        requests["memory"] = random.choice(("256Mi", "1Gi", "500M", "1536Mi", "0.5Gi"))
    if random.random() < 0.1:
        requests["ephemeral-storage"] = random.choice(("1Gi", "10Gi"))
    devices = {GPU: random.choice(("1", "1", "2", "4"))} if random.random() < 0.35 else {}
    if random.random() < 0.06:
        devices[HCA] = "1"
    resources: Object = {"requests": requests | devices, "limits": dict(devices)}
    if limits and requests and random.random() < 0.15:  # a limit without a request is one
        resources = {"limits": requests | devices}
    return {"name": name, "image": IMAGE, "resources": resources}
