"""The nodes of two trees: what a manifest of a node, or a pool, states now and stated before."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec
from msgspec import Struct

from preflight.change.node_pools import renew
from preflight.model.objects import Node, NodeSpec, Taint
from preflight.model.world import World

NO_NODE = Node()


class Nodes(Struct, frozen=True):
    """The nodes before and after, one object on both sides where nothing differs; `taints` are those that come or go.

    `new`, `changed` and `gone` are names; `lacking` are those that a manifest states and the cluster does not have. `delayed` are pools as
    in Change; `notes` say on which nodes they act, and when.
    """

    before: Mapping[str, Node]
    after: Mapping[str, Node]
    taints: tuple[Taint, ...] = ()
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    delayed: Mapping[str, Node] = {}
    notes: tuple[str, ...] = ()


def compare_nodes(
    old: Mapping[str, Node], new: Mapping[str, Node], live: Mapping[str, Node], *, listed: tuple[bool, bool], skip: Collection[str] = ()
) -> Nodes:
    """Compare the nodes of two sides.

    1. `live` are the nodes that a cluster listed, or those around both sides; `listed` tells which side is such a list itself.
    2. Of a node that is live a manifest decides the labels and taints that it states, or that it stated before; the rest stays.
    3. A node that no cluster has listed is new or gone with its manifest. Where one side is the list of a cluster, a manifest makes no
       node, and no manifest takes none away.
    4. A node in `skip` stays as it is live.
    5. A pool changes its template, and those of its nodes that the provider keeps up to date: see `pools.renew`. Nobody lists pools with a
       cluster's nodes, so a list that lacks one says nothing.
    """
    before: dict[str, Node] = dict(live)
    after: dict[str, Node] = dict(live)
    lacking: list[str] = []
    one_listed = listed[0] is not listed[1]
    plain = {name for side in (old, new) for name, node in side.items() if node.pool is None}
    for name in sorted(plain.difference(skip)):
        ours, theirs, there = old.get(name), new.get(name), live.get(name)
        if one_listed:
            stated = theirs if listed[0] else ours
            if there is None:
                lacking.append(name)
            elif stated is not None:
                (after if listed[0] else before)[name] = _over(there, NO_NODE, stated)
        elif there is not None and not all(listed):
            first = _over(there, NO_NODE, ours) if ours else there
            before[name] = first
            after[name] = _over(first, ours or NO_NODE, theirs) if theirs else first
        else:
            for side, node in ((before, ours), (after, theirs)):
                side.pop(name, None)
                if node is not None:
                    side[name] = node
    for name in before.keys() & after.keys():
        if _looks(before[name]) == _looks(after[name]):
            before[name] = after[name]
    found = Nodes(before, after, lacking=tuple(lacking))
    return _counted(found if listed == (False, True) else _with_pools(found, old, new, keep=listed[0]))


def _with_pools(nodes: Nodes, old: Mapping[str, Node], new: Mapping[str, Node], *, keep: bool) -> Nodes:
    """The nodes with the pools of both sides; `keep` leaves those that only the first side has."""
    ours = {name: node for name, node in old.items() if node.pool is not None}
    before, after = {**nodes.before, **ours}, {**nodes.after, **ours}
    delayed: dict[str, Node] = {}
    notes: list[str] = []
    taints: dict[Taint, None] = {}
    left = set() if keep else set(ours)
    for node in (node for _, node in sorted(new.items()) if node.pool is not None):
        renewed = renew(World(nodes=after), node)
        left.discard(renewed.name)
        if not renewed.is_unchanged:
            after.update(renewed.nodes)
            notes += renewed.notes
            taints.update(dict.fromkeys(renewed.taints))
            if renewed.now is not None:
                delayed[renewed.name] = renewed.now
    for name in left:
        del after[name]
    return Nodes(before, after, tuple(taints), lacking=nodes.lacking, delayed=delayed, notes=tuple(notes))


def _counted(nodes: Nodes) -> Nodes:
    """The nodes in order of their names, told what became of each."""
    before, after = nodes.before, nodes.after
    changed = tuple(sorted(name for name in before.keys() & after.keys() if before[name] is not after[name]))
    taints = dict.fromkeys(nodes.taints)
    for name in changed:
        old, new = before[name].spec.taints, after[name].spec.taints
        taints.update((taint, None) for taint in (*new, *old) if (taint in new) is not (taint in old))
    return msgspec.structs.replace(
        nodes,
        before=dict(sorted(before.items())),
        after=dict(sorted(after.items())),
        taints=tuple(taints),
        new=tuple(sorted(after.keys() - before.keys())),
        changed=changed,
        gone=tuple(sorted(before.keys() - after.keys())),
    )


def _over(there: Node, was: Node, stated: Node) -> Node:
    """A live node after its manifest: labels are merged, taints replaced where the manifest states some or stated some before."""
    gone = was.metadata.labels.keys() - stated.metadata.labels.keys()
    labels = {key: value for key, value in there.metadata.labels.items() if key not in gone} | stated.metadata.labels
    decides = bool(stated.spec.taints or was.spec.taints)
    spec = NodeSpec(
        taints=stated.spec.taints if decides else there.spec.taints,
        unschedulable=stated.spec.unschedulable or (there.spec.unschedulable and not was.spec.unschedulable),
    )
    after = msgspec.structs.replace(there, metadata=msgspec.structs.replace(there.metadata, labels=labels), spec=spec)
    return there if _looks(after) == _looks(there) else after


def _looks(node: Node) -> object:
    """What of a node decides a placement or a roll-out."""
    return node.metadata.labels, frozenset(node.spec.taints), node.spec.unschedulable, node.ready, node.partial, node.absent
