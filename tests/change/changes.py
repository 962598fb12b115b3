"""DaemonSets, partly known nodes and listed pods for the tests of `change`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from preflight.change.apply_command import perform_command
from preflight.change.model import Change
from preflight.kubectl.parser import parse_command
from preflight.model.apps import DaemonSet
from preflight.model.core import CoveragePod, Node, NodeSpec, Taint
from preflight.model.meta import Metadata
from preflight.model.world import ClusterState
from tests.builders import make_cluster_state, make_container, make_daemonset, make_owner, make_pod, read_leniently
from tests.coverage.impacts import node


def manifest(
    name: str, namespace: str = "default", *, init: bool = False, labels: Mapping[str, str] | None = None, **spec: Any
) -> dict[str, Any]:
    """A DaemonSet as plain data: a container `c`, perhaps an init container `i`, and further fields of the pod's spec."""
    if init:
        spec["initContainers"] = [make_container("i", "i:1")]
    metadata = {"labels": {"app": name, **(labels or {})}}
    return make_daemonset(name, namespace, metadata=metadata, **{"containers": [make_container("c", "c:1")], **spec})


def typed(data: dict[str, Any], file: str = "m.yaml") -> DaemonSet:
    """A DaemonSet as `load` reads it from a file, whatever is refused of it."""
    return read_leniently(data, DaemonSet, file)


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
    data = make_pod(name, namespace, node=on, owner=make_owner(kind, owner) if owner else None, labels=labels or {}, phase="")
    return msgspec.json.decode(msgspec.json.encode(data), type=CoveragePod)


def world(*objects: Node | DaemonSet | CoveragePod, listed: Sequence[str] = ()) -> ClusterState:
    """A cluster state of these objects, sorted by their names; `listed` are the namespaces whose pods were listed."""
    found = make_cluster_state(*objects, listed=listed)
    return msgspec.structs.replace(found, nodes=dict(sorted(found.nodes.items())), daemonsets=dict(sorted(found.daemonsets.items())))


def run(line: str, on: ClusterState, files: Mapping[str, Sequence[object]] | None = None) -> Change:
    """Perform a command line; `files` holds the objects of each file."""
    return perform_command(parse_command(shlex.split(line)), on, lambda argument: (files or {})[argument.path])


__all__ = ["daemonset", "manifest", "node", "partial", "pod", "run", "typed", "world"]
