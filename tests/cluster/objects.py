"""Objects to make a small world of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.builders import make_taint
from tests.cluster.api import Object

IMAGE = "registry.example/c:1"


def node(name: str, *taints: str, labels: Mapping[str, str] | None = None, plays: str = "", **allocatable: str) -> Object:
    """A node that is Ready, with taints as kubectl writes them."""
    room = {"cpu": "8", "memory": "32Gi", "pods": "200", **allocatable}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}, "annotations": told(plays)},
        "spec": {"taints": [make_taint(taint) for taint in taints]},
        "status": {"conditions": [{"type": "Ready", "status": "True"}], "capacity": room, "allocatable": room},
    }


def daemonset(name: str, *tolerations: Object, plays: str = "", strategy: Object | None = None, **spec: Any) -> Object:
    """A DaemonSet of namespace default with one container, and further fields of the pod spec."""
    labels = {"app": name}
    template = {
        "metadata": {"labels": labels, "annotations": told(plays)},
        "spec": {"containers": [{"name": "c", "image": IMAGE}], "tolerations": list(tolerations), **spec},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": labels}, "updateStrategy": strategy or {}, "template": template},
    }


def pod(name: str, on: str | None = None, plays: str = "", more: Mapping[str, str] | None = None, **spec: Any) -> Object:
    """A pod of namespace default, bound to a node where one is named; `more` are further annotations of its play."""
    extra = {f"preflight.test/{key}": value for key, value in (more or {}).items()}
    bound = {"nodeName": on} if on else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "annotations": {**told(plays), **extra}},
        "spec": {"containers": [{"name": "c", "image": IMAGE}], **bound, **spec},
    }


def told(plays: str) -> dict[str, str]:
    """What the kubelet is told to play."""
    return {"preflight.test/kubelet": plays} if plays else {}


def uids(pods: list[Object]) -> dict[tuple[str, str], str]:
    """The uid of each pod of a DaemonSet, by DaemonSet and node; one pod a pair."""
    found = {}
    for each in pods:
        pair = each["metadata"]["labels"]["app"], each["spec"].get("nodeName", "")
        assert pair not in found
        found[pair] = each["metadata"]["uid"]
    return found
