"""The nodes of two trees: what a manifest of a node, or a pool, states now and stated before."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec
from msgspec import Struct

from preflight.change.node_pools import apply_pool_template
from preflight.model.core import Node, NodeSpec, Taint
from preflight.model.world import ClusterState

NO_NODE = Node()


class NodeDiff(Struct, frozen=True):
    """The nodes before and after, one object on both sides where nothing differs; `taints` are those that come or go.

    `new`, `changed` and `removed` are names; `missing` are those that a manifest states and the cluster does not have. `delayed_pools` are
    pools as in Change; `notes` say on which nodes they act, and when.
    """

    before: Mapping[str, Node]
    after: Mapping[str, Node]
    taints: tuple[Taint, ...] = ()
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    delayed_pools: Mapping[str, Node] = {}
    notes: tuple[str, ...] = ()


def compare_nodes(
    old: Mapping[str, Node],
    new: Mapping[str, Node],
    live: Mapping[str, Node],
    *,
    sides_listed: tuple[bool, bool],
    skip: Collection[str] = (),
) -> NodeDiff:
    """Compare the nodes of two sides.

    1. `live` are the nodes that a cluster listed, or those around both sides; `sides_listed` tells which side is such a list itself.
    2. Of a node that is live a manifest decides the labels and taints that it states, or that it stated before; the rest stays.
    3. A node that no cluster has listed is new or gone with its manifest. Where one side is the list of a cluster, a manifest makes no
       node, and no manifest takes none away.
    4. A node in `skip` stays as it is live.
    5. A pool changes its template, and those of its nodes that the provider keeps up to date: see `node_pools.apply_pool_template`. Nobody
       lists pools with a cluster's nodes, so a list that lacks one says nothing.
    """
    before: dict[str, Node] = dict(live)
    after: dict[str, Node] = dict(live)
    lacking: list[str] = []
    one_listed = sides_listed[0] is not sides_listed[1]
    plain = {name for side in (old, new) for name, node in side.items() if node.pool is None}
    for name in sorted(plain.difference(skip)):
        ours, theirs, there = old.get(name), new.get(name), live.get(name)
        if one_listed:
            stated = theirs if sides_listed[0] else ours
            if there is None:
                lacking.append(name)
            elif stated is not None:
                (after if sides_listed[0] else before)[name] = _apply_node_manifest(there, NO_NODE, stated)
        elif there is not None and not all(sides_listed):
            first = _apply_node_manifest(there, NO_NODE, ours) if ours else there
            before[name] = first
            after[name] = _apply_node_manifest(first, ours or NO_NODE, theirs) if theirs else first
        else:
            for side, node in ((before, ours), (after, theirs)):
                side.pop(name, None)
                if node is not None:
                    side[name] = node
    for name in before.keys() & after.keys():
        if _placement_key(before[name]) == _placement_key(after[name]):
            before[name] = after[name]
    found = NodeDiff(before, after, missing=tuple(lacking))
    return _summarize(found if sides_listed == (False, True) else _add_pools(found, old, new, keep=sides_listed[0]))


def _add_pools(nodes: NodeDiff, old: Mapping[str, Node], new: Mapping[str, Node], *, keep: bool) -> NodeDiff:
    """The nodes with the pools of both sides; `keep` leaves those that only the first side has."""
    ours = {name: node for name, node in old.items() if node.pool is not None}
    before, after = {**nodes.before, **ours}, {**nodes.after, **ours}
    delayed: dict[str, Node] = {}
    notes: list[str] = []
    taints: dict[Taint, None] = {}
    left = set() if keep else set(ours)
    for node in (node for _, node in sorted(new.items()) if node.pool is not None):
        renewed = apply_pool_template(ClusterState(nodes=after), node)
        left.discard(renewed.name)
        if not renewed.is_unchanged:
            after.update(renewed.nodes)
            notes += renewed.notes
            taints.update(dict.fromkeys(renewed.taints))
            if renewed.current_nodes_template is not None:
                delayed[renewed.name] = renewed.current_nodes_template
    for name in left:
        del after[name]
    return NodeDiff(before, after, tuple(taints), missing=nodes.missing, delayed_pools=delayed, notes=tuple(notes))


def _summarize(nodes: NodeDiff) -> NodeDiff:
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
        removed=tuple(sorted(before.keys() - after.keys())),
    )


def _apply_node_manifest(live_node: Node, stated_before: Node, stated_now: Node) -> Node:
    """A live node after its manifest: labels are merged, taints replaced where the manifest states some or stated some before."""
    gone = stated_before.metadata.labels.keys() - stated_now.metadata.labels.keys()
    labels = {key: value for key, value in live_node.metadata.labels.items() if key not in gone} | stated_now.metadata.labels
    decides = bool(stated_now.spec.taints or stated_before.spec.taints)
    spec = NodeSpec(
        taints=stated_now.spec.taints if decides else live_node.spec.taints,
        unschedulable=stated_now.spec.unschedulable or (live_node.spec.unschedulable and not stated_before.spec.unschedulable),
    )
    after = msgspec.structs.replace(live_node, metadata=msgspec.structs.replace(live_node.metadata, labels=labels), spec=spec)
    return live_node if _placement_key(after) == _placement_key(live_node) else after


def _placement_key(node: Node) -> object:
    """What of a node decides a placement or a roll-out."""
    return node.metadata.labels, frozenset(node.spec.taints), node.spec.unschedulable, node.is_ready, node.is_partial, node.absent_labels
