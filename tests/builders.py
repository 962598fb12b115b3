"""Small worlds for tests: nodes, DaemonSets and listed pods from a few words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from preflight.change.apply_command import perform_command
from preflight.change.model import Change
from preflight.coverage.daemonset_pods import DaemonSetPods, collect_listed_pods
from preflight.coverage.label_cascade import predict_impact
from preflight.coverage.model import Impact
from preflight.kubectl.parser import parse_command
from preflight.model.convert import convert
from preflight.model.objects import CoveragePod, DaemonSet, Node, ObjectKey, Origin, Taint
from preflight.model.world import ClusterState

NAMESPACE = "truth"

T = TypeVar("T", bound=Struct)


def taint(text: str) -> dict[str, str]:
    """`key=value:Effect` as an object of the API."""
    key_value, _, effect = text.rpartition(":")
    key, _, value = key_value.partition("=")
    return {"key": key, "value": value, "effect": effect}


def node(name: str, *taints: str, ready: bool | None = None, labels: Mapping[str, str] | None = None, **more: str) -> Node:
    """A node with taints written as kubectl writes them, and labels."""
    data: dict[str, Any] = {
        "metadata": {"name": name, "labels": {**(labels or {}), **more}},
        "spec": {"taints": [taint(text) for text in taints]},
    }
    if ready is not None:
        data["status"] = {"conditions": [{"type": "Ready", "status": "True" if ready else "False"}]}
    return made(data, Node)


def daemonset(name: str, *tolerations: Mapping[str, Any], strategy: Mapping[str, Any] | None = None, **spec: Any) -> DaemonSet:
    """A DaemonSet with one container, these tolerations, and further fields of the pod spec."""
    template = {"containers": [{"name": "c", "image": "registry.example/c:1"}], "tolerations": list(tolerations), **spec}
    return made(
        {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {"name": name, "namespace": NAMESPACE},
            "spec": {
                "selector": {"matchLabels": {"app": name}},
                "updateStrategy": dict(strategy or {}),
                "template": {"metadata": {"labels": {"app": name}}, "spec": template},
            },
        },
        DaemonSet,
    )


def rolling(**limits: int | str) -> dict[str, Any]:
    """A RollingUpdate with maxUnavailable or maxSurge."""
    return {"type": "RollingUpdate", "rollingUpdate": limits}


def made(data: object, kind: type[T]) -> T:
    """An object read as the program reads it; nothing of it may be refused."""
    found, refusals = convert(data, kind, Origin("<test>"))
    assert found is not None
    assert not refusals
    return found


def pod(owner: str, on: str, tolerations: Sequence[Mapping[str, Any]] = (), deletionTimestamp: str = "", **status: Any) -> CoveragePod:
    """A listed pod of a DaemonSet."""
    data = {
        "kind": "Pod",
        "metadata": {
            "name": f"{owner}-{on}",
            "namespace": NAMESPACE,
            "ownerReferences": [{"kind": "DaemonSet", "name": owner, "controller": True}],
            "deletionTimestamp": deletionTimestamp,
        },
        "spec": {"nodeName": on, "tolerations": list(tolerations)},
        "status": {"phase": "Running", **status},
    }
    return msgspec.json.decode(msgspec.json.encode(data), type=CoveragePod)


def world(
    nodes: Iterable[Node], daemonsets: Iterable[DaemonSet], pods: Iterable[CoveragePod] | None = None, gate: bool | None = False
) -> ClusterState:
    """A world; with pods, those of the namespace are known."""
    return ClusterState(
        nodes={each.name: each for each in nodes},
        daemonsets={each.key: each for each in daemonsets},
        pods=tuple(pods or ()),
        listed_namespaces=frozenset() if pods is None else frozenset([NAMESPACE]),
        comparison_operators=gate,
    )


def run(
    start: ClusterState, *lines: str, read: Mapping[str, Sequence[object]] | None = None, horizon: float = float("inf")
) -> list[Impact]:
    """The impact of each command line, over the world that the one before leaves."""
    pods: Mapping[ObjectKey, DaemonSetPods] = collect_listed_pods(start)
    impacts = []
    for line in lines:
        change: Change = perform_command(parse_command(line.split()), start, lambda name: (read or {})[name])
        impact = predict_impact(change, pods, horizon)
        impacts.append(impact)
        start, pods = impact.change.after, impact.pods_after
    return impacts


def outcomes(impact: Impact) -> dict[tuple[str, str], str]:
    """The outcome of each pair, by the names of DaemonSet and node."""
    return {(group.key.name, name): group.outcome.value for group in impact.groups for name in group.nodes}


def pods_after(impact: Impact) -> dict[tuple[str, str], str]:
    """What is there of each pair once the change has settled: same, new or none."""
    return {(group.key.name, name): group.forecast.pod_after.value for group in impact.groups for name in group.nodes}


def strings(taints: Iterable[Taint]) -> list[str]:
    """Taints as kubectl writes them."""
    return [str(each) for each in taints]
