"""Objects to make a small world of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.builders import make_daemonset, make_node, make_pod
from tests.cluster.api import Object


def node(name: str, *taints: str, labels: Mapping[str, str] | None = None, plays: str = "", **allocatable: str) -> Object:
    """A node that is Ready, with taints as kubectl writes them."""
    room = {"cpu": "8", "memory": "32Gi", "pods": "200", **allocatable}
    labels = {"kubernetes.io/hostname": name, **(labels or {})}
    return make_node(name, *taints, labels=labels, metadata={"annotations": told(plays)}, capacity=room, allocatable=room)


def daemonset(name: str, *tolerations: Object, plays: str = "", strategy: Object | None = None, **spec: Any) -> Object:
    """A DaemonSet of namespace default with one container, and further fields of the pod spec."""
    fields, annotations = {"updateStrategy": strategy or {}}, {"annotations": told(plays)}
    spec = {"tolerations": list(tolerations), **spec}
    return make_daemonset(name, template_metadata=annotations, fields=fields, **spec)


def pod(name: str, on: str | None = None, plays: str = "", more: Mapping[str, str] | None = None, **spec: Any) -> Object:
    """A pod of namespace default, bound to a node where one is named; `more` are further annotations of its play."""
    extra = {f"preflight.test/{key}": value for key, value in (more or {}).items()}
    return make_pod(name, node=on or "", phase="", metadata={"annotations": {**told(plays), **extra}}, **spec)


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
