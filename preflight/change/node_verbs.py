"""taint, label, cordon, uncordon and drain: nodes before, nodes after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from preflight.change.model import Change
from preflight.change.node_lifecycle import UNSCHEDULABLE, label_notes, put_back, taint_notes
from preflight.change.node_pools import left_alone
from preflight.change.node_replacement import reborn, unknown_taints
from preflight.change.node_selection import Met, changed, meet
from preflight.errors import InputError
from preflight.kubectl.commands import CordonNodes, DrainNodes, LabelNodes, TaintNodes
from preflight.kubectl.formatting import listed
from preflight.kubectl.label_args import labelled
from preflight.kubectl.taint_args import removes, same, tainted
from preflight.model.objects import Node, ObjectKey, Taint
from preflight.model.world import World
from preflight.scheduling.affinity import match_affinity

if TYPE_CHECKING:
    from preflight.scheduling.drain import DrainFlags


def taint(command: TaintNodes, world: World) -> Change:
    """Perform `kubectl taint`.

    1. The taint lists are kubectl's: see `tainted`. A refused node refuses the command.
    2. A partly known node may carry a taint that it does not state. One that is removed with its effect is taken for there before; without
       its effect nobody knows which it is, and with no value nobody knows the value: `unknown` says so.
    3. What the node lifecycle controller undoes is a note: the taint stays in the world after.
    """
    met = meet(world, command.nodes)
    met, unknown = _carrying(met, command)
    add, overwrite = command.add, command.overwrite

    def change(node: Node) -> Node:
        remove = command.remove
        if node.partial:
            remove = tuple(each for each in remove if any(removes(each, there) for there in node.spec.taints))
        return with_taints(node, tainted(node.name, node.spec.taints, add, remove, overwrite=overwrite))

    after = changed(met, change)
    removed = _removed(met.nodes, after.values())
    notes = [*met.notes, *taint_notes(add, command.remove, tuple(met.nodes)), *left_alone(met.world, met.names)]
    if all(after[node.name] is node for node in met.nodes):
        notes.append("nothing changes: the taints are these already")
    return Change(
        command=command.text,
        headline=_taint_headline(command, met.names),
        before=met.world,
        after=met.with_nodes(after),
        nodes=frozenset(met.names),
        taints=(*add, *(each for each in removed if not any(same(each, other) for other in add))),
        notes=tuple(notes),
        unknown=(*met.unknown, *unknown),
    )


def label(command: LabelNodes, world: World) -> Change:
    """Perform `kubectl label nodes`.

    1. The labels are kubectl's: see `labelled`. A key to remove that no node has is a note, in kubectl's words.
    2. A partly known node may have a label that it does not state: a removed one is absent afterwards.
    3. The kubelet of a node that is not down puts its operating system and architecture back within minutes: the world after has them,
       and the pods that select on them end in between.
    4. What it puts back at its restart only is a note: the world after does not have it.
    """
    met = meet(world, command.nodes)

    def change(node: Node) -> Node:
        labels = labelled(node.metadata.labels, command.add, command.remove, overwrite=command.overwrite)
        absent = (node.absent | set(command.remove)) - set(command.add) if node.partial else node.absent
        return with_labels(node, labels, absent)

    after = changed(met, change)
    known = [node for node in met.nodes if not node.partial]
    notes = [*met.notes, *left_alone(met.world, met.names)]
    for key in command.remove:
        without = [node.name for node in known if key not in node.metadata.labels]
        if len(without) == len(met.names) > 0:
            notes.append(f'label "{key}" not found.')
        elif without:
            notes.append(f'label "{key}" not found on {listed(without)}.')
    if all(after[node.name] is node for node in met.nodes):
        notes.append("nothing changes: the labels are these already")
    lost = {
        key
        for node in met.nodes
        for key in (*command.add, *command.remove)
        if key in node.metadata.labels and node.metadata.labels[key] != after[node.name].metadata.labels.get(key)
    }
    labels = [*(f"{key}={value}" for key, value in command.add.items()), *(f"{key}-" for key in command.remove)]
    back = {node.name: again for node in met.nodes if (again := put_back(node, after[node.name])) is not after[node.name]}
    return Change(
        command=command.text,
        headline=f"label {' '.join(labels)} on {listed(met.names)}",
        before=met.world,
        after=met.with_nodes({**after, **back}),
        nodes=frozenset(met.names),
        ended=ended_between(world, [node for node in met.nodes if node.name in back], after),
        notes=(*notes, *label_notes(lost)),
        unknown=met.unknown,
    )


def ended_between(world: World, nodes: Sequence[Node], between: Mapping[str, Node]) -> dict[ObjectKey, frozenset[str]]:
    """The nodes where a DaemonSet's selection holds before, and not while labels are away."""
    ended: dict[ObjectKey, frozenset[str]] = {}
    for key, daemonset in world.daemonsets.items() if nodes else ():
        spec = daemonset.spec.template.spec
        away = [
            node.name for node in nodes if match_affinity(spec, node).matches and match_affinity(spec, between[node.name]).matches is False
        ]
        if away:
            ended[key] = frozenset(away)
    return ended


def cordon(command: CordonNodes, world: World) -> Change:
    """Perform `kubectl cordon` or `uncordon`.

    kubectl sets `spec.unschedulable`, and the node lifecycle controller adds or removes the taint that follows it.
    """
    met = meet(world, command.nodes)
    verb = "cordon" if command.unschedulable else "uncordon"
    already = [node.name for node in met.nodes if not node.partial and node.spec.unschedulable is command.unschedulable]
    notes = (*met.notes, f"{listed(already)}: already {verb}ed") if already else met.notes
    return Change(
        command=command.text,
        headline=f"{verb} {listed(met.names)}",
        before=met.world,
        after=met.with_nodes(changed(met, lambda node: schedulable(node, not command.unschedulable))),
        nodes=frozenset(met.names),
        taints=(UNSCHEDULABLE,),
        notes=notes,
        unknown=met.unknown,
    )


def drain(command: DrainNodes, world: World) -> Change:
    """Perform `kubectl drain`: a cordon, and what a graceful reboot or a replacement of the node would then cost.

    Pods of DaemonSets stay; a replacement has the labels and taints of today, and is not cordoned.

    Errors: InputError for a timeout below 0: kubectl takes it, and whether it fails depends on what there is to evict.
    """
    if command.timeout < 0:
        raise InputError("--timeout is below 0: kubectl gives up before it asks for one eviction; give one above 0, or 0 for ever")
    met = meet(world, command.nodes)
    after = changed(met, lambda node: schedulable(node, False))
    notes = [*met.notes]
    if not world.pods_read:
        notes.append("not judged: evictions, budgets, Jobs")
    if not command.ignore_daemonsets and not world.pods_read:
        notes.append("without --ignore-daemonsets kubectl refuses a node that has DaemonSet pods, and leaves it cordoned")
    already = [node.name for node in met.nodes if not node.partial and node.spec.unschedulable]
    if already:
        notes.append(f"{listed(already)}: already cordoned")
    return Change(
        command=command.text,
        headline=f"drain {listed(met.names)}",
        before=met.world,
        after=met.with_nodes(after),
        nodes=frozenset(met.names),
        drained=frozenset(met.names),
        replacements={node.name: reborn(node) for node in met.nodes},
        taints=(UNSCHEDULABLE,),
        notes=tuple(notes),
        unknown=(*met.unknown, *unknown_taints(met.nodes)),
        eviction=_flags(command),
        order=tuple(name for name in command.nodes.names if name in met.names) or met.names,
    )


def _flags(command: DrainNodes) -> DrainFlags:
    from preflight.scheduling.drain import DrainFlags  # a drain alone needs it

    return DrainFlags(
        ignore_daemonsets=command.ignore_daemonsets,
        delete_emptydir_data=command.delete_emptydir_data,
        force=command.force,
        disable_eviction=command.disable_eviction,
        grace_period=command.grace_period,
        timeout=command.timeout,
        pod_selector=command.pod_selector.selects if command.pod_selector else None,
        skip_wait_for_delete_timeout=command.skip_wait_for_delete_timeout,
    )


def with_taints(node: Node, taints: tuple[Taint, ...]) -> Node:
    """The node with these taints; the same object where they are the same."""
    if taints == node.spec.taints:
        return node
    return msgspec.structs.replace(node, spec=msgspec.structs.replace(node.spec, taints=taints))


def schedulable(node: Node, answer: bool) -> Node:
    """The node as it is once it was cordoned, or uncordoned where `answer` is True, and the controller has set the taint."""
    taints = node.spec.taints
    if answer:
        taints = tuple(taint for taint in taints if not same(taint, UNSCHEDULABLE))
    elif not any(same(taint, UNSCHEDULABLE) for taint in taints):
        taints = (*taints, UNSCHEDULABLE)
    if taints == node.spec.taints and node.spec.unschedulable is not answer:
        return node
    return msgspec.structs.replace(node, spec=msgspec.structs.replace(node.spec, taints=taints, unschedulable=not answer))


def with_labels(node: Node, labels: dict[str, str], absent: frozenset[str]) -> Node:
    """The node with these labels, and with those that a partly known one is known not to have; the same object where both are the same."""
    if labels == node.metadata.labels and absent == node.absent:
        return node
    return msgspec.structs.replace(node, metadata=msgspec.structs.replace(node.metadata, labels=labels), absent=absent)


def _carrying(met: Met, command: TaintNodes) -> tuple[Met, tuple[str, ...]]:
    """The world where each partly known node carries the taints that the command removes from it, and what nobody knows of them."""
    carrying: dict[str, Node] = {}
    unknown: list[str] = []
    for node in met.nodes:
        if not node.partial:
            continue
        taints = node.spec.taints
        for removed in command.remove:
            if any(removes(removed, taint) for taint in taints):
                continue
            if not removed.effect:
                unknown.append(
                    f"nobody knows which taints {removed.key}- removes from {node.name}: name the effect, as {removed.key}:NoSchedule-"
                )
                continue
            taints = (*taints, removed)
            if not removed.value:
                unknown.append(f"nobody knows the value of the taint {removed} on {node.name}: judged as empty")
        carrying[node.name] = with_taints(node, taints)
    return (msgspec.structs.replace(met, world=met.with_nodes(carrying)) if carrying else met), tuple(unknown)


def _removed(before: Iterable[Node], after: Iterable[Node]) -> tuple[Taint, ...]:
    gone: dict[Taint, None] = {}
    for old, new in zip(before, after, strict=True):
        if old is not new:
            gone.update((taint, None) for taint in old.spec.taints if taint not in new.spec.taints)
    return tuple(gone)


def _taint_headline(command: TaintNodes, names: tuple[str, ...]) -> str:
    added = " ".join(str(taint) for taint in command.add)
    removed = " ".join(str(taint) if taint.effect else taint.key for taint in command.remove)
    if not added:
        return f"remove taint {removed} from {listed(names)}"
    return f"taint {added}{f', without {removed},' if removed else ''} on {listed(names)}"
