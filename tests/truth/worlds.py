"""Random clusters: nodes, namespaces and DaemonSets, as manifests that the API server takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from tests.truth import demands, drawing
from tests.truth.drawing import Object

NAMESPACES = ("storage", "network", "logging", "default")
REFUSED = "refused"
"""A namespace whose pods the server refuses: the DaemonSets there have none, and should."""

PLAY = "preflight.test/kubelet"
"""The annotation of a pod that the stand-in kubelet obeys."""

IMAGE = "registry.example/c"


class World(NamedTuple):
    """The objects of a cluster, as manifests.

    1. `applied` are the DaemonSets that `kubectl apply` makes, the others are created.
    2. `occupants` are pods without an owner, which are there before the DaemonSets come.
    3. `silent` are the nodes whose kubelets fall silent once all pods are there.
    """

    namespaces: list[Object]
    nodes: list[Object]
    daemonsets: list[Object]
    applied: list[Object]
    priority_classes: Sequence[Object] = ()
    occupants: Sequence[Object] = ()
    silent: Sequence[str] = ()


def draw_tight(random: Random, daemonsets: int, nodes: int, owned: bool) -> World:
    """A cluster as `draw` draws it, in which some pods ask for something, and some nodes have little of it: see `demands`."""
    plain = draw(random, daemonsets, nodes, owned)
    names = [node["metadata"]["name"] for node in plain.nodes]
    for each in plain.nodes:
        room = demands.room(random, daemonsets)
        each["status"] |= {"capacity": room, "allocatable": room}
    for each in (*plain.daemonsets, *plain.applied):
        if each["metadata"]["namespace"] != REFUSED:
            demands.ask(random, each["spec"]["template"]["spec"])
    return plain._replace(
        priority_classes=demands.priority_classes(),
        occupants=demands.occupants(random, names, NAMESPACES, f"{IMAGE}:1"),
        silent=demands.silent(random, names),
    )


def draw(random: Random, daemonsets: int, nodes: int, owned: bool) -> World:
    """A cluster with so many DaemonSets and nodes; `owned`: taints of the node lifecycle controller too, which must be off."""
    names = [f"n{number:02}" for number in range(nodes)]
    found = [daemonset(random, f"d{number:03}", names) for number in range(daemonsets - 2)]
    found += [refused(random, f"d{number:03}") for number in range(daemonsets - 2, daemonsets)]
    applied = [each for each in found if random.random() < 0.5]
    return World(
        namespaces=[
            *({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in NAMESPACES if name != "default"),
            {
                "apiVersion": "v1",
                "kind": "Namespace",
                "metadata": {"name": REFUSED, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}},
            },
        ],
        nodes=[node(random, name, owned) for name in names],
        daemonsets=[each for each in found if each not in applied],
        applied=applied,
    )


def node(random: Random, name: str, owned: bool) -> Object:
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", **drawing.labels(random)}
    return registered(name, labels, drawing.taints(random, owned))


PLENTY = {"cpu": "64", "memory": "256Gi", "pods": "1000"}


def registered(name: str, labels: dict[str, str], taints: list[Object], room: Mapping[str, str] = PLENTY) -> Object:
    """A node that has just registered and is Ready; unless told, with room for every pod."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {"taints": taints} if taints else {},
        "status": {"capacity": room, "allocatable": room, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]},
    }


def daemonset(random: Random, name: str, nodes: list[str]) -> Object:
    """A DaemonSet; its pods have a label `app` of their own."""
    pod: Object = {
        "containers": [{"name": "c", "image": f"{IMAGE}:1", "env": [{"name": "LEVEL", "value": "1"}]}],
        **drawing.selection(random, nodes),
    }
    if tolerations := drawing.tolerations(random):
        pod["tolerations"] = tolerations
    if random.random() < 0.2:
        pod["initContainers"] = [{"name": "i", "image": f"{IMAGE}:1"}]
    if random.random() < 0.2:
        pod["containers"].append({"name": "side", "image": f"{IMAGE}:1"})
    if random.random() < 0.2:
        pod["hostNetwork"] = True
    strategy = drawing.strategy(random)
    if "maxSurge" in strategy.get("rollingUpdate", {}) and random.random() < 0.12:
        pod["containers"][0]["ports"] = [{"containerPort": 20000 + int(name[1:]), "hostPort": 20000 + int(name[1:])}]
    template: Object = {"metadata": {"labels": {"app": name}}, "spec": pod}
    if random.random() < 0.08:
        template["metadata"]["annotations"] = {PLAY: "never-ready"}
    return _daemonset(name, random.choice(NAMESPACES), strategy, template)


def refused(random: Random, name: str) -> Object:
    """A DaemonSet that should run everywhere, whose pods the server refuses."""
    containers = [{"name": "c", "image": f"{IMAGE}:1", "securityContext": {"privileged": True}}]
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": containers, "tolerations": [{"operator": "Exists"}]}}
    return _daemonset(name, REFUSED, drawing.strategy(random), template)


def _daemonset(name: str, namespace: str, strategy: Object, template: Object) -> Object:
    spec: Object = {"selector": {"matchLabels": {"app": name}}, "template": template}
    if strategy:
        spec["updateStrategy"] = strategy
    metadata = {"name": name, "namespace": namespace, "labels": {"app": name}}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": spec}
