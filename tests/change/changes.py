"""DaemonSets, partly known nodes and listed pods for the tests of `change`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from preflight.change.apply_command import perform_command
from preflight.change.model import Change
from preflight.kubectl.parser import parse_command
from preflight.model.convert import convert
from preflight.model.objects import CoveragePod, DaemonSet, Metadata, Node, NodeSpec, Origin, Taint
from preflight.model.world import ClusterState
from tests.coverage.impacts import node


def manifest(
    name: str, namespace: str = "default", *, init: bool = False, labels: Mapping[str, str] | None = None, **spec: Any
) -> dict[str, Any]:
    """A DaemonSet as plain data: a container `c`, perhaps an init container `i`, and further fields of the pod's spec."""
    pod: dict[str, Any] = {"containers": [{"name": "c", "image": "c:1"}], **spec}
    if init:
        pod["initContainers"] = [{"name": "i", "image": "i:1"}]
    metadata: dict[str, Any] = {"name": name, "labels": {"app": name, **(labels or {})}}
    if namespace:
        metadata["namespace"] = namespace
    template = {"metadata": {"labels": {"app": name}}, "spec": pod}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": metadata,
        "spec": {"selector": {"matchLabels": {"app": name}}, "template": template},
    }


def typed(data: dict[str, Any], file: str = "m.yaml") -> DaemonSet:
    """A DaemonSet as `load` reads it from a file."""
    daemonset, _ = convert(data, DaemonSet, Origin(file))
    assert daemonset is not None
    return daemonset


def daemonset(name: str, namespace: str = "default", *, file: str = "m.yaml", **more: Any) -> DaemonSet:
    """A DaemonSet of `manifest`."""
    return typed(manifest(name, namespace, **more), file)


def partial(name: str, *taints: Taint, absent: Sequence[str] = (), **labels: str) -> Node:
    """A partly known node."""
    return Node(metadata=Metadata(name=name, labels=labels), spec=NodeSpec(taints=taints), is_partial=True, absent_labels=frozenset(absent))


def pod(
    name: str, owner: str, on: str, namespace: str = "default", kind: str = "DaemonSet", labels: Mapping[str, str] | None = None
) -> CoveragePod:
    """A listed pod that an owner controls; "" for none."""
    owners = [{"kind": kind, "name": owner, "controller": True}] if owner else []
    metadata = {"name": name, "namespace": namespace, "labels": dict(labels or {}), "ownerReferences": owners}
    data = {"kind": "Pod", "metadata": metadata, "spec": {"nodeName": on}}
    return msgspec.json.decode(msgspec.json.encode(data), type=CoveragePod)


def world(*objects: Node | DaemonSet | CoveragePod, listed: Sequence[str] = ()) -> ClusterState:
    """A world of these objects; `listed` are the namespaces whose pods were listed."""
    daemonsets = [each for each in objects if isinstance(each, DaemonSet)]
    return ClusterState(
        nodes={each.name: each for each in sorted((each for each in objects if isinstance(each, Node)), key=lambda each: each.name)},
        daemonsets={each.key: each for each in sorted(daemonsets, key=lambda each: each.key)},
        workloads=tuple(daemonsets),
        pods=tuple(each for each in objects if isinstance(each, CoveragePod)),
        listed_namespaces=frozenset(listed),
    )


def run(line: str, on: ClusterState, files: Mapping[str, Sequence[object]] | None = None) -> Change:
    """Perform a command line; `files` holds the objects of each file."""
    return perform_command(parse_command(shlex.split(line)), on, lambda file: (files or {})[file])


__all__ = ["daemonset", "manifest", "node", "partial", "pod", "run", "typed", "world"]
