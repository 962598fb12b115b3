"""Objects as a cluster has them."""

from __future__ import annotations

from typing import Any

from tests.builders import Object, list_daemonset_pod, make_daemonset, make_node, make_object


def node(name: str, taints: tuple[Object, ...] = (), **labels: str) -> Object:
    return make_node(name, *taints, labels=labels)


def daemonset(namespace: str, name: str, image: str = "example.com/agent:1", **spec: Any) -> Object:
    metadata = {"uid": f"uid-{name}", "labels": {"app": name}}
    return make_daemonset(name, namespace, metadata=metadata, containers=[{"name": "main", "image": image}], **spec)


def pod(owner: Object, on: str) -> Object:
    return list_daemonset_pod(owner, on, phase="Running" if on else "Pending")


def cluster() -> list[Object]:
    """Three nodes of pool a and two of pool b; a DaemonSet that tolerates nothing and one that tolerates everything, on all of them."""
    nodes = [*(node(f"a-{number}", pool="a") for number in range(3)), *(node(f"b-{number}", pool="b") for number in range(2))]
    daemonsets = [daemonset("storage", "csi"), daemonset("logging", "agent", tolerations=[{"operator": "Exists"}])]
    pods = [pod(agent, node["metadata"]["name"]) for agent in daemonsets for node in nodes]
    namespaces = [make_object("Namespace", name) for name in ("storage", "logging")]
    return [*nodes, *daemonsets, *pods, *namespaces]
