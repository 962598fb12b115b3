"""reboot, replace and delete node: nodes that restart, or register again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from preflight.change.model import Change, PodEnding
from preflight.change.node_lifecycle import is_controller_owned
from preflight.change.node_selection import change_nodes, resolve_node_targets
from preflight.kubectl.commands import DeleteNodes, RebootNodes, ReplaceNodes
from preflight.messages import change as messages
from preflight.model.core import Node, NodeSpec, NodeStatus, Taint
from preflight.model.meta import Metadata
from preflight.model.world import ClusterState

_KUBELET = (
    *("kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/arch"),
    *("topology.kubernetes.io/zone", "topology.kubernetes.io/region", "node.kubernetes.io/instance-type"),
)


def reboot(command: RebootNodes, world: ClusterState) -> Change:
    """Perform `preflight reboot`: the pods restart with the node.

    With graceful node shutdown they end, and are created where they should run.
    """
    met = resolve_node_targets(world, command.nodes)
    names = frozenset(met.names)
    return Change(
        command=command.text,
        headline=messages.format_reboot_headline(met.names, is_graceful=command.graceful),
        before=met.world,
        after=met.world,
        nodes=names,
        recreation_nodes=names if command.graceful else frozenset(),
        rebooted_nodes=frozenset() if command.graceful else names,
        pod_ending=PodEnding.SHUTDOWN if command.graceful else PodEnding.NOT_ASKED,
        notes=met.notes,
        unknowns=(*met.unknowns, *(describe_unknown_taints(met.nodes) if command.graceful else ())),
    )


def replace(command: ReplaceNodes, world: ClusterState) -> Change:
    """Perform `preflight replace`: every pod of the node ends, and a node of the same name registers again.

    Labels that are given replace those of today, but for what the kubelet and the cloud set by themselves; so do taints.
    """
    met = resolve_node_targets(world, command.nodes)
    after = change_nodes(met, lambda node: reregister_node(node, command.labels, command.taints))
    same = [what for what, given in (("labels", command.labels), ("taints", command.taints)) if given is None]
    notes = list(met.notes)
    if len(same) == 2:
        notes.append(messages.SAME_AS_TODAY)
    elif same:
        notes.append(messages.format_partly_same(same[0]))
    if command.labels is not None:
        notes.append(messages.KUBELET_LABELS_KEPT)
    return Change(
        command=command.text,
        headline=messages.format_verb_headline("replace", met.names),
        before=met.world,
        after=met.with_nodes(after),
        nodes=frozenset(met.names),
        recreation_nodes=frozenset(met.names),
        pod_ending=PodEnding.GONE,
        taints=command.taints or (),
        notes=tuple(notes),
        unknowns=(*met.unknowns, *(describe_unknown_taints(met.nodes) if command.taints is None else ())),
    )


def delete(command: DeleteNodes, world: ClusterState) -> Change:
    """Perform `kubectl delete node`: its pods are collected, and it registers again as it is today; a note says that this is assumed."""
    met = resolve_node_targets(world, command.nodes)
    return Change(
        command=command.text,
        headline=messages.format_verb_headline("delete node", met.names),
        before=met.world,
        after=met.with_nodes(change_nodes(met, reregister_node)),
        nodes=frozenset(met.names),
        recreation_nodes=frozenset(met.names),
        pod_ending=PodEnding.GONE,
        notes=(*met.notes, messages.format_registration(met.names)),
        unknowns=(*met.unknowns, *describe_unknown_taints(met.nodes)),
    )


def describe_unknown_taints(nodes: Iterable[Node]) -> tuple[str, ...]:
    """What is unknown of pods that end on nodes whose taints were not given: whether they come back."""
    names = [node.name for node in nodes if node.is_partial and node.pool is None]
    return (messages.format_unknown_taints(names),) if names else ()


def reregister_node(node: Node, labels: Mapping[str, str] | None = None, taints: tuple[Taint, ...] | None = None) -> Node:
    """The node as it registers again: not cordoned, its conditions not known, without the taints of the node lifecycle controller.

    Labels and taints are those given, None for those of today. What it can allocate is as today, unless other labels are given: then it may
    be another kind of machine.
    """
    there = node.metadata.labels
    kept = there if labels is None else {key: there[key] for key in _KUBELET if key in there}
    after = tuple(taint for taint in node.spec.taints if not is_controller_owned(taint)) if taints is None else taints
    new = msgspec.structs.replace(
        node,
        metadata=Metadata(name=node.name, labels={**kept, **(labels or {})}, annotations=node.metadata.annotations),
        spec=NodeSpec(taints=after),
        status=NodeStatus(allocatable=node.status.allocatable) if labels is None else NodeStatus(),
        absent_labels=node.absent_labels if labels is None else frozenset(),
    )
    return node if _placement_key(new) == _placement_key(node) else new


def _placement_key(node: Node) -> object:
    return node.metadata.labels, node.spec, node.is_ready is False, node.absent_labels
