"""Objects as a cluster has them."""

from __future__ import annotations

from typing import Any

Data = dict[str, Any]


def node(name: str, taints: tuple[Data, ...] = (), **labels: str) -> Data:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {"taints": list(taints)},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
    }


def daemonset(namespace: str, name: str, image: str = "example.com/agent:1", **spec: Any) -> Data:
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"namespace": namespace, "name": name, "uid": f"uid-{name}", "labels": {"app": name}},
        "spec": {
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "main", "image": image}], **spec}},
        },
    }


def pod(owner: Data, on: str) -> Data:
    name = owner["metadata"]["name"]
    reference = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": name, "uid": owner["metadata"]["uid"], "controller": True}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "namespace": owner["metadata"]["namespace"],
            "name": f"{name}-{on or 'unbound'}",
            "labels": {"app": name},
            "ownerReferences": [reference],
        },
        "spec": {"nodeName": on, "tolerations": owner["spec"]["template"]["spec"].get("tolerations", [])},
        "status": {"phase": "Running" if on else "Pending"},
    }


def cluster() -> list[Data]:
    """Three nodes of pool a and two of pool b; a DaemonSet that tolerates nothing and one that tolerates everything, on all of them."""
    nodes = [*(node(f"a-{number}", pool="a") for number in range(3)), *(node(f"b-{number}", pool="b") for number in range(2))]
    daemonsets = [daemonset("storage", "csi"), daemonset("logging", "agent", tolerations=[{"operator": "Exists"}])]
    pods = [pod(each, there["metadata"]["name"]) for each in daemonsets for there in nodes]
    namespaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in ("storage", "logging")]
    return [*nodes, *daemonsets, *pods, *namespaces]
