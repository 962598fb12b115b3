"""Small clusters whose DaemonSets are in one namespace, and what command lines do to their coverage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from preflight.change.apply_command import perform_command
from preflight.change.model import Change
from preflight.coverage.daemonset_pods import DaemonSetPods, collect_listed_pods
from preflight.coverage.label_cascade import predict_impact
from preflight.coverage.model import Impact
from preflight.kubectl.parser import parse_command
from preflight.model.apps import DaemonSet
from preflight.model.core import CoveragePod, Node, Taint
from preflight.model.meta import ObjectKey
from preflight.model.world import ClusterState
from tests.builders import make_daemonset, make_node, make_owner, make_pod, read_object

NAMESPACE = "truth"


def node(name: str, *taints: str, ready: bool | None = None, labels: Mapping[str, str] | None = None, **more: str) -> Node:
    """A node with taints written as kubectl writes them, and labels; without `ready` it has no condition."""
    condition = "" if ready is None else str(ready)
    return read_object(make_node(name, *taints, labels={**(labels or {}), **more}, ready=condition), Node)


def daemonset(name: str, *tolerations: Mapping[str, Any], strategy: Mapping[str, Any] | None = None, **spec: Any) -> DaemonSet:
    """A DaemonSet with one container, these tolerations, and further fields of the pod spec."""
    fields = {"updateStrategy": dict(strategy or {})}
    return read_object(make_daemonset(name, NAMESPACE, *tolerations, fields=fields, **spec), DaemonSet)


def rolling(**limits: int | str) -> dict[str, Any]:
    """A RollingUpdate with maxUnavailable or maxSurge."""
    return {"type": "RollingUpdate", "rollingUpdate": limits}


def pod(owner: str, on: str, tolerations: Sequence[Mapping[str, Any]] = (), deletionTimestamp: str = "", **status: Any) -> CoveragePod:
    """A listed pod of a DaemonSet."""
    data = make_pod(
        f"{owner}-{on}",
        NAMESPACE,
        node=on,
        owner=make_owner("DaemonSet", owner),
        metadata={"deletionTimestamp": deletionTimestamp},
        status=status,
        tolerations=list(tolerations),
    )
    return msgspec.json.decode(msgspec.json.encode(data), type=CoveragePod)


def world(
    nodes: Iterable[Node], daemonsets: Iterable[DaemonSet], pods: Iterable[CoveragePod] | None = None, gate: bool | None = False
) -> ClusterState:
    """A cluster state; with pods, those of the namespace are known."""
    return ClusterState(
        nodes={node.name: node for node in nodes},
        daemonsets={daemonset.key: daemonset for daemonset in daemonsets},
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
        change: Change = perform_command(parse_command(line.split()), start, lambda argument: (read or {})[argument.path])
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
    return [str(taint) for taint in taints]
