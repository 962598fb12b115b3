"""taint, label, cordon, uncordon and drain: nodes before, nodes after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from preflight.change.model import Change
from preflight.change.node_lifecycle import UNSCHEDULABLE_TAINT, describe_label_reversals, describe_taint_reversals, restore_kubelet_labels
from preflight.change.node_pools import describe_unchanged_pools
from preflight.change.node_replacement import describe_unknown_taints, reregister_node
from preflight.change.node_selection import NodeTargets, change_nodes, resolve_node_targets
from preflight.errors import InputError, UsageError
from preflight.kubectl.commands import CordonNodes, DrainNodes, LabelNodes, TaintNodes
from preflight.kubectl.label_args import apply_labels
from preflight.kubectl.taint_args import apply_taints, is_same_taint, removes_taint
from preflight.messages import change as messages
from preflight.messages.versions import OLD_FLAG_UNKNOWN, note_old_flag
from preflight.model.core import Node, Taint
from preflight.model.meta import ObjectKey
from preflight.model.releases import Behavior
from preflight.model.world import ClusterState
from preflight.scheduling.affinity import match_affinity


def taint(command: TaintNodes, world: ClusterState) -> Change:
    """Perform `kubectl taint`.

    1. The taint lists are kubectl's: see `tainted`. A refused node refuses the command.
    2. A partly known node may carry a taint that it does not state. One that is removed with its effect is taken for there before; without
       its effect nobody knows which it is, and with no value nobody knows the value: `unknown` says so.
    3. What the node lifecycle controller undoes is a note: the taint stays in the world after.
    """
    met = resolve_node_targets(world, command.nodes)
    met, unknown = _add_removed_taints(met, command)
    add, overwrite = command.add, command.overwrite

    def change(node: Node) -> Node:
        remove = command.remove
        if node.is_partial:
            remove = tuple(wanted for wanted in remove if any(removes_taint(wanted, there) for there in node.spec.taints))
        return with_taints(node, apply_taints(node.name, node.spec.taints, add, remove, overwrite=overwrite))

    after = change_nodes(met, change)
    removed = _find_removed_taints(met.nodes, after.values())
    notes = [*met.notes, *describe_taint_reversals(add, command.remove, tuple(met.nodes)), *describe_unchanged_pools(met.world, met.names)]
    if met.names and all(after[node.name] is node for node in met.nodes):
        notes.append(messages.TAINTS_UNCHANGED)
    return Change(
        command=command.text,
        headline=messages.format_taint_headline(command.add, command.remove, met.names),
        before=met.world,
        after=met.with_nodes(after),
        nodes=frozenset(met.names),
        taints=(*add, *(taint for taint in removed if not any(is_same_taint(taint, other) for other in add))),
        notes=tuple(notes),
        unknowns=(*met.unknowns, *unknown),
    )


def label(command: LabelNodes, world: ClusterState) -> Change:
    """Perform `kubectl label nodes`.

    1. The labels are kubectl's: see `labelled`. A key to remove that no node has is a note, in kubectl's words.
    2. A partly known node may have a label that it does not state: a removed one is absent afterwards.
    3. The kubelet of a node that is not down puts its operating system and architecture back within minutes: the world after has them,
       and the pods that select on them end in between.
    4. What it puts back at its restart only is a note: the world after does not have it.
    """
    met = resolve_node_targets(world, command.nodes)

    def change(node: Node) -> Node:
        labels = apply_labels(node.metadata.labels, command.add, command.remove, overwrite=command.overwrite)
        absent = (node.absent_labels | set(command.remove)) - set(command.add) if node.has_unknown_labels else node.absent_labels
        return with_labels(node, labels, absent)

    after = change_nodes(met, change)
    known = [node for node in met.nodes if not node.is_partial]
    notes = [*met.notes, *describe_unchanged_pools(met.world, met.names)]
    for key in command.remove:
        without = [node.name for node in known if key not in node.metadata.labels]
        if len(without) == len(met.names) > 0:
            notes.append(messages.format_missing_label(key))
        elif without:
            notes.append(messages.format_missing_label(key, without))
    if met.names and all(after[node.name] is node for node in met.nodes):
        notes.append(messages.LABELS_UNCHANGED)
    lost = {
        key
        for node in met.nodes
        for key in (*command.add, *command.remove)
        if key in node.metadata.labels and node.metadata.labels[key] != after[node.name].metadata.labels.get(key)
    }
    back = {node.name: again for node in met.nodes if (again := restore_kubelet_labels(node, after[node.name])) is not after[node.name]}
    return Change(
        command=command.text,
        headline=messages.format_label_headline(command.add, command.remove, met.names),
        before=met.world,
        after=met.with_nodes({**after, **back}),
        nodes=frozenset(met.names),
        deleted_pod_nodes=find_ended_pods(world, [node for node in met.nodes if node.name in back], after),
        notes=(*notes, *describe_label_reversals(lost)),
        unknowns=met.unknowns,
    )


def find_ended_pods(world: ClusterState, nodes: Sequence[Node], interim_nodes: Mapping[str, Node]) -> dict[ObjectKey, frozenset[str]]:
    """The nodes where a DaemonSet's selection holds before, and not while labels are away."""
    ended: dict[ObjectKey, frozenset[str]] = {}
    for key, daemonset in world.daemonsets.items() if nodes else ():
        spec = daemonset.spec.template.spec
        away = [
            node.name
            for node in nodes
            if match_affinity(spec, node).matches and match_affinity(spec, interim_nodes[node.name]).matches is False
        ]
        if away:
            ended[key] = frozenset(away)
    return ended


def cordon(command: CordonNodes, world: ClusterState) -> Change:
    """Perform `kubectl cordon` or `uncordon`.

    kubectl sets `spec.unschedulable`, and the node lifecycle controller adds or removes the taint that follows it.
    """
    met = resolve_node_targets(world, command.nodes)
    verb = "cordon" if command.unschedulable else "uncordon"
    already = [node.name for node in met.nodes if not node.is_partial and node.spec.unschedulable is command.unschedulable]
    notes = (*met.notes, messages.format_already_done(already, verb)) if already else met.notes
    return Change(
        command=command.text,
        headline=messages.format_verb_headline(verb, met.names),
        before=met.world,
        after=met.with_nodes(change_nodes(met, lambda node: set_schedulable(node, not command.unschedulable))),
        nodes=frozenset(met.names),
        taints=(UNSCHEDULABLE_TAINT,),
        notes=notes,
        unknowns=met.unknowns,
    )


def drain(command: DrainNodes, world: ClusterState) -> Change:
    """Perform `kubectl drain`: a cordon, and what a graceful reboot or a replacement of the node would then cost.

    Pods of DaemonSets stay; a replacement has the labels and taints of today, and is not cordoned. Without pods nothing is known of
    evictions: a drain may never end.

    Errors: InputError for a timeout below 0: kubectl takes it, and whether it fails depends on what there is to evict. UsageError for
    --delete-local-data with a kubectl that does not know it.
    """
    if command.flags.timeout < 0:
        raise InputError(messages.TIMEOUT_BELOW_ZERO)
    met = resolve_node_targets(world, command.nodes)
    after = change_nodes(met, lambda node: set_schedulable(node, False))
    notes = [*met.notes, *_check_old_flag(command, world)]
    unjudged = () if world.has_full_pods else (messages.describe_unknown_evictions(world.missing_kinds.get("Pod", "")),)
    if not command.flags.ignore_daemonsets and not world.has_full_pods:
        notes.append(messages.REFUSED_FOR_DAEMONSETS)
    already = [node.name for node in met.nodes if not node.is_partial and node.spec.unschedulable]
    if already:
        notes.append(messages.format_already_done(already, "cordon"))
    return Change(
        command=command.text,
        headline=messages.format_verb_headline("drain", met.names),
        before=met.world,
        after=met.with_nodes(after),
        nodes=frozenset(met.names),
        drained_nodes=frozenset(met.names),
        replacements={node.name: reregister_node(node) for node in met.nodes},
        taints=(UNSCHEDULABLE_TAINT,),
        notes=tuple(notes),
        unknowns=(*met.unknowns, *unjudged, *describe_unknown_taints(met.nodes)),
        drain_flags=command.flags,
        node_order=tuple(name for name in command.nodes.names if name in met.names) or met.names,
    )


def _check_old_flag(command: DrainNodes, world: ClusterState) -> tuple[str, ...]:
    """A note where kubectl may not know --delete-local-data. Errors: UsageError where it does not."""
    if not command.flags.has_old_flag:
        return ()
    is_unknown = world.versions.has(Behavior.NO_DELETE_LOCAL_DATA)
    if is_unknown:
        raise UsageError(OLD_FLAG_UNKNOWN)
    return (note_old_flag(),) if is_unknown is None else ()


def with_taints(node: Node, taints: tuple[Taint, ...]) -> Node:
    """The node with these taints; the same object where they are the same."""
    if taints == node.spec.taints:
        return node
    return msgspec.structs.replace(node, spec=msgspec.structs.replace(node.spec, taints=taints))


def set_schedulable(node: Node, is_schedulable: bool) -> Node:
    """The node as it is once it was cordoned, or uncordoned where `is_schedulable` is True, and the controller has set the taint."""
    taints = node.spec.taints
    if is_schedulable:
        taints = tuple(taint for taint in taints if not is_same_taint(taint, UNSCHEDULABLE_TAINT))
    elif not any(is_same_taint(taint, UNSCHEDULABLE_TAINT) for taint in taints):
        taints = (*taints, UNSCHEDULABLE_TAINT)
    if taints == node.spec.taints and node.spec.unschedulable is not is_schedulable:
        return node
    return msgspec.structs.replace(node, spec=msgspec.structs.replace(node.spec, taints=taints, unschedulable=not is_schedulable))


def with_labels(node: Node, labels: dict[str, str], absent: frozenset[str]) -> Node:
    """The node with these labels, and with those that a partly known one is known not to have; the same object where both are the same."""
    if labels == node.metadata.labels and absent == node.absent_labels:
        return node
    return msgspec.structs.replace(node, metadata=msgspec.structs.replace(node.metadata, labels=labels), absent_labels=absent)


def _add_removed_taints(targets: NodeTargets, command: TaintNodes) -> tuple[NodeTargets, tuple[str, ...]]:
    """The world where each partly known node carries the taints that the command removes from it, and what nobody knows of them."""
    carrying: dict[str, Node] = {}
    unknown: list[str] = []
    for node in targets.nodes:
        if not node.is_partial:
            continue
        taints = node.spec.taints
        for removed in command.remove:
            if any(removes_taint(removed, taint) for taint in taints):
                continue
            if not removed.effect:
                unknown.append(messages.format_unclear_removal(removed.key, node.name))
                continue
            taints = (*taints, removed)
            if not removed.value:
                unknown.append(messages.format_unknown_value(removed, node.name))
        carrying[node.name] = with_taints(node, taints)
    return (msgspec.structs.replace(targets, world=targets.with_nodes(carrying)) if carrying else targets), tuple(unknown)


def _find_removed_taints(before: Iterable[Node], after: Iterable[Node]) -> tuple[Taint, ...]:
    gone: dict[Taint, None] = {}
    for old, new in zip(before, after, strict=True):
        if old is not new:
            gone.update((taint, None) for taint in old.spec.taints if taint not in new.spec.taints)
    return tuple(gone)
