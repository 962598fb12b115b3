"""Node pools that are declared again: what that makes of their next nodes, and of those that are there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import msgspec
from msgspec import Struct

from preflight.kubectl.taint_args import is_same_taint
from preflight.messages import change as messages
from preflight.model.core import Node, PoolTemplate, Taint
from preflight.model.world import ClusterState

_OWNER_KIND, _OWNER_NAME = "cluster.x-k8s.io/owner-kind", "cluster.x-k8s.io/owner-name"
_MACHINE_SET = re.compile(r"-[a-z0-9]{1,10}", re.ASCII)


class PoolChange(Struct, frozen=True):
    """A pool before and after.

    1. `nodes` holds, by name, its template and those of its nodes that change where they are. `old` is the template before, None for a
       pool that the world lacks.
    2. `current_nodes_template` is what the nodes that are there are like right after, where that is not what the template says: None where
       it is.
    3. `taints` are those that come, go or change; `notes` say on which nodes it acts, and when.
    """

    name: str
    old: Node | None
    nodes: dict[str, Node]
    current_nodes_template: Node | None = None
    taints: tuple[Taint, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_unchanged(self) -> bool:
        """Whether the template says what it said before."""
        return self.old is not None and self.nodes[self.name] is self.old


def apply_pool_template(world: ClusterState, new: Node) -> PoolChange:
    """What a world makes of a pool's new template.

    1. The template takes the place of the old one: it is what the pool's next node is like.
    2. Labels and taints that the provider keeps up to date change on the nodes that are there too; the rest reaches a node when it
       registers. Which is which is in `Pool`.
    3. A pool that the world lacks is new; nodes of it that are there all the same lose nothing: what was declared before is unknown.
    """
    assert new.pool is not None
    old = next((node for node in world.nodes.values() if _is_same_pool(node, new)), None)
    if old is None:
        return PoolChange(
            new.name, None, {new.name: new, **_update_existing_nodes(world, None, new)}, notes=_collect_notes(new, None, world, {})
        )
    new = msgspec.structs.replace(new, metadata=msgspec.structs.replace(new.metadata, name=old.name))
    if _placement_key(new) == _placement_key(old) and _in_place_fields(new) == _in_place_fields(old):
        return PoolChange(old.name, old, {old.name: old})
    now = _update_in_place(old, old, new)
    nodes = {old.name: new, **_update_existing_nodes(world, old, new)}
    before, after = old.spec.taints, new.spec.taints
    return PoolChange(
        name=old.name,
        old=old,
        nodes=nodes,
        current_nodes_template=None if _placement_key(now) == _placement_key(new) else now,
        taints=tuple(dict.fromkeys(taint for taint in (*after, *before) if (taint in before) is not (taint in after))),
        notes=_collect_notes(new, old, world, nodes),
    )


def list_pool_nodes(world: ClusterState, pool: PoolTemplate) -> tuple[str, ...]:
    """The names of the nodes that are there and that the pool made: told by its labels, or by the annotations of Cluster API."""
    return tuple(name for name, node in world.nodes.items() if node.pool is None and _is_made_by(node, pool))


def describe_unchanged_pools(world: ClusterState, names: Collection[str]) -> tuple[str, ...]:
    """A note about the pools of some nodes that are changed by hand: kubectl reaches nodes, and no pool."""
    templates = [node for node in world.nodes.values() if node.pool is not None and node.name not in names]
    found = [node.name for node in templates if node.pool is not None and any(name in names for name in list_pool_nodes(world, node.pool))]
    if not found:
        return ()
    return (messages.format_unchanged_pools(found),)


def _is_made_by(node: Node, pool: PoolTemplate) -> bool:
    labels, annotations = node.metadata.labels, node.metadata.annotations
    if pool.member_labels:
        return all(labels.get(key) == value for key, value in pool.member_labels.items())
    kind, name = pool.owner_annotations
    owner = annotations.get(_OWNER_NAME, "")
    if not name or annotations.get(_OWNER_KIND) != kind or not owner.startswith(name):
        return False
    return owner == name or (kind == "MachineSet" and _MACHINE_SET.fullmatch(owner[len(name) :]) is not None)


def _is_same_pool(node: Node, new: Node) -> bool:
    one, other = node.pool, new.pool
    if one is None or other is None or (one.kind, one.name) != (other.kind, other.name):
        return False
    return one.cluster == other.cluster or not (one.cluster and other.cluster)


def _update_existing_nodes(world: ClusterState, old: Node | None, new: Node) -> dict[str, Node]:
    """The nodes that are there and change where they are."""
    assert new.pool is not None
    found = {}
    for name in list_pool_nodes(world, new.pool):
        node = world.nodes[name]
        after = _update_in_place(node, old, new)
        if _placement_key(after) != _placement_key(node):
            found[name] = after
    return found


def _update_in_place(node: Node, old: Node | None, new: Node) -> Node:
    """A node with what the provider keeps up to date: what is no longer declared goes, what is declared comes."""
    before, after = (side.pool if side is not None and side.pool is not None else PoolTemplate("", "") for side in (old, new))
    gone = {key for key, value in before.synced_labels.items() if key not in after.synced_labels and node.metadata.labels.get(key) == value}
    labels = {key: value for key, value in node.metadata.labels.items() if key not in gone} | after.synced_labels
    left = [taint for taint in before.synced_taints if not any(is_same_taint(taint, synced_taint) for synced_taint in after.synced_taints)]
    taints = [taint for taint in node.spec.taints if not any(is_same_taint(taint, other) for other in (*left, *after.synced_taints))]
    stays = [taint for taint in node.spec.taints if taint in after.synced_taints]
    fresh = [taint for taint in after.synced_taints if taint not in stays]
    absent = (node.absent_labels | gone) - labels.keys() if node.has_unknown_labels else node.absent_labels
    return msgspec.structs.replace(
        node,
        metadata=msgspec.structs.replace(node.metadata, labels=labels),
        spec=msgspec.structs.replace(node.spec, taints=(*taints, *stays, *fresh)),
        absent_labels=absent,
    )


def _placement_key(node: Node) -> object:
    return node.metadata.labels, frozenset(node.spec.taints), frozenset(node.startup_taints), node.absent_labels


def _in_place_fields(node: Node) -> object:
    return (node.pool.synced_labels, node.pool.synced_taints) if node.pool is not None else None


def _collect_notes(new: Node, old: Node | None, world: ClusterState, nodes: dict[str, Node]) -> tuple[str, ...]:
    assert new.pool is not None
    return tuple(_iter_notes(new, new.pool, old, list_pool_nodes(world, new.pool), nodes))


def _iter_notes(new: Node, pool: PoolTemplate, old: Node | None, members: tuple[str, ...], nodes: dict[str, Node]) -> Iterator[str]:
    """On which nodes it acts, and when."""
    named = messages.format_pool(new.name, pool.node_count)
    if old is None:
        if members:
            yield messages.format_pool_not_given(named, members)
        return
    changed = tuple(name for name in members if name in nodes)
    now = _update_in_place(old, old, new)
    if _placement_key(now) != _placement_key(old):
        yield messages.format_pool_in_place(named, changed)
    if _placement_key(now)[:2] != _placement_key(new)[:2]:  # type: ignore[index]
        is_rest = _placement_key(now) != _placement_key(old)
        yield messages.format_pool_delayed(named, members, pool.replacement_trigger, is_rest=is_rest)
    if frozenset(new.startup_taints) != frozenset(old.startup_taints):
        differing = [
            taint
            for taint in (*new.startup_taints, *old.startup_taints)
            if (taint in new.startup_taints) is not (taint in old.startup_taints)
        ]
        yield messages.format_startup_taints(new.name, differing)
