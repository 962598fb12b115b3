"""Node pools that are declared anew: what that makes of their next nodes, and of those that are there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import msgspec
from msgspec import Struct

from preflight.kubectl.formatting import listed
from preflight.kubectl.taint_args import same
from preflight.model.objects import Node, Pool, Taint
from preflight.model.world import World

_OWNER_KIND, _OWNER_NAME = "cluster.x-k8s.io/owner-kind", "cluster.x-k8s.io/owner-name"
_MACHINE_SET = re.compile(r"-[a-z0-9]{1,10}", re.ASCII)


class Renewed(Struct, frozen=True):
    """A pool before and after.

    1. `nodes` holds, by name, its template and those of its nodes that change where they are. `old` is the template before, None for a
       pool that the world lacks.
    2. `now` is what the nodes that are there are like right after, where that is not what the template says: None where it is.
    3. `taints` are those that come, go or change; `notes` say on which nodes it acts, and when.
    """

    name: str
    old: Node | None
    nodes: dict[str, Node]
    now: Node | None = None
    taints: tuple[Taint, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_unchanged(self) -> bool:
        """Whether the template says what it said before."""
        return self.old is not None and self.nodes[self.name] is self.old


def renew(world: World, new: Node) -> Renewed:
    """What a world makes of a pool's new template.

    1. The template takes the place of the old one: it is what the pool's next node is like.
    2. Labels and taints that the provider keeps up to date change on the nodes that are there too; the rest reaches a node when it
       registers. Which is which is in `Pool`.
    3. A pool that the world lacks is new; nodes of it that are there all the same lose nothing: nobody knows what was declared before.
    """
    assert new.pool is not None
    old = next((node for node in world.nodes.values() if _is_same(node, new)), None)
    if old is None:
        return Renewed(new.name, None, {new.name: new, **_in_place(world, None, new)}, notes=_notes(new, None, world, {}))
    new = msgspec.structs.replace(new, metadata=msgspec.structs.replace(new.metadata, name=old.name))
    if _looks(new) == _looks(old) and _kept(new) == _kept(old):
        return Renewed(old.name, old, {old.name: old})
    now = _kept_over(old, old, new)
    nodes = {old.name: new, **_in_place(world, old, new)}
    before, after = old.spec.taints, new.spec.taints
    return Renewed(
        name=old.name,
        old=old,
        nodes=nodes,
        now=None if _looks(now) == _looks(new) else now,
        taints=tuple(dict.fromkeys(taint for taint in (*after, *before) if (taint in before) is not (taint in after))),
        notes=_notes(new, old, world, nodes),
    )


def members(world: World, pool: Pool) -> tuple[str, ...]:
    """The names of the nodes that are there and that the pool made: told by its labels, or by the annotations of Cluster API."""
    return tuple(name for name, node in world.nodes.items() if node.pool is None and _made(node, pool))


def left_alone(world: World, names: Collection[str]) -> tuple[str, ...]:
    """A note about the pools of some nodes that are changed by hand: kubectl reaches nodes, and no pool."""
    templates = [node for node in world.nodes.values() if node.pool is not None and node.name not in names]
    found = [node.name for node in templates if node.pool is not None and any(name in names for name in members(world, node.pool))]
    if not found:
        return ()
    return (f"new nodes of {listed(found)} come as declared there: kubectl changes no pool",)


def _made(node: Node, pool: Pool) -> bool:
    labels, annotations = node.metadata.labels, node.metadata.annotations
    if pool.members:
        return all(labels.get(key) == value for key, value in pool.members.items())
    kind, name = pool.owner
    owner = annotations.get(_OWNER_NAME, "")
    if not name or annotations.get(_OWNER_KIND) != kind or not owner.startswith(name):
        return False
    return owner == name or (kind == "MachineSet" and _MACHINE_SET.fullmatch(owner[len(name) :]) is not None)


def _is_same(node: Node, new: Node) -> bool:
    one, other = node.pool, new.pool
    if one is None or other is None or (one.kind, one.name) != (other.kind, other.name):
        return False
    return one.cluster == other.cluster or not (one.cluster and other.cluster)


def _in_place(world: World, old: Node | None, new: Node) -> dict[str, Node]:
    """The nodes that are there and change where they are."""
    assert new.pool is not None
    found = {}
    for name in members(world, new.pool):
        node = world.nodes[name]
        after = _kept_over(node, old, new)
        if _looks(after) != _looks(node):
            found[name] = after
    return found


def _kept_over(node: Node, old: Node | None, new: Node) -> Node:
    """A node with what the provider keeps up to date: what is no longer declared goes, what is declared comes."""
    before, after = (each.pool if each is not None and each.pool is not None else Pool("", "") for each in (old, new))
    gone = {key for key, value in before.kept_labels.items() if key not in after.kept_labels and node.metadata.labels.get(key) == value}
    labels = {key: value for key, value in node.metadata.labels.items() if key not in gone} | after.kept_labels
    left = [taint for taint in before.kept_taints if not any(same(taint, each) for each in after.kept_taints)]
    taints = [taint for taint in node.spec.taints if not any(same(taint, each) for each in (*left, *after.kept_taints))]
    stays = [taint for taint in node.spec.taints if taint in after.kept_taints]
    fresh = [taint for taint in after.kept_taints if taint not in stays]
    absent = (node.absent | gone) - labels.keys() if node.partial else node.absent
    return msgspec.structs.replace(
        node,
        metadata=msgspec.structs.replace(node.metadata, labels=labels),
        spec=msgspec.structs.replace(node.spec, taints=(*taints, *stays, *fresh)),
        absent=absent,
    )


def _looks(node: Node) -> object:
    return node.metadata.labels, frozenset(node.spec.taints), frozenset(node.startup), node.absent


def _kept(node: Node) -> object:
    return (node.pool.kept_labels, node.pool.kept_taints) if node.pool is not None else None


def _notes(new: Node, old: Node | None, world: World, nodes: dict[str, Node]) -> tuple[str, ...]:
    assert new.pool is not None
    return tuple(_sentences(new, new.pool, old, members(world, new.pool), nodes))


def _sentences(new: Node, pool: Pool, old: Node | None, there: tuple[str, ...], nodes: dict[str, Node]) -> Iterator[str]:
    """On which nodes it acts, and when."""
    count = f" ({pool.count} {'node' if pool.count == '1' else 'nodes'})" if pool.count else ""
    if old is None:
        if there:
            yield f"{new.name}{count} is not among the pools given, but {listed(there)} is of it: judged without what it declared before"
        return
    changed = tuple(name for name in there if name in nodes)
    now = _kept_over(old, old, new)
    if _looks(now) != _looks(old):
        yield f"{new.name}{count}: acts on {listed(changed) if changed else 'its nodes that are there'}, and on new ones"
    if _looks(now)[:2] != _looks(new)[:2]:  # type: ignore[index]
        rest = "the rest acts" if _looks(now) != _looks(old) else "acts"
        known = f"nodes that are there{f' ({listed(there)})' if there else ''}"
        yield f"{new.name}{count}: {rest} on new nodes only; {known} stay as they are until they are replaced{pool.renewal}"
    if frozenset(new.startup) != frozenset(old.startup):
        texts = [str(taint) for taint in (*new.startup, *old.startup) if (taint in new.startup) is not (taint in old.startup)]
        yield f"{new.name}: {listed(texts)} is a startup taint, gone once something has removed it: not judged"
