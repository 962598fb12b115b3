"""What became of the nodes of a cluster since it was saved: labels, taints, readiness, and what they can allocate."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from preflight.change.node_lifecycle import UNSCHEDULABLE, is_owned
from preflight.model.objects import Node, Taint
from preflight.model.world import World
from preflight.scheduling.quantities import QuantityError, millis

_ROUGH = frozenset(("memory", "ephemeral-storage"))
"""What a node has a little more or less of after each start."""


class Shrunk(Struct, frozen=True, gc=False):
    """A resource of which a node can allocate less than before; `now` is "" where it is gone, and a quantity of nothing is gone too."""

    resource: str
    before: str
    now: str

    @property
    def is_gone(self) -> bool:
        """Whether nothing is left of it."""
        return not self.now


class NodeSince(Struct, frozen=True):
    """One node, before and now; None where it was not there, or is not.

    1. `is_gone` and `is_new` only where every node was listed on the other side.
    2. `shrunk` are resources. `unready`: it was Ready and is not; `cordoned`: it was not, and is.
    3. `labels` are `-key=value` for one that is gone, `+key=value` for a new one, `key=old -> new` for another value. `taints` are
       `-key=value:Effect` and `+key=value:Effect`, but for what the cluster sets by itself.
    4. `again`: another node registered under the name.
    """

    name: str
    before: Node | None = None
    now: Node | None = None
    is_gone: bool = False
    is_new: bool = False
    shrunk: tuple[Shrunk, ...] = ()
    unready: bool = False
    cordoned: bool = False
    labels: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()
    again: bool = False


def nodes_since(before: World, now: World) -> tuple[tuple[NodeSince, ...], tuple[str, ...]]:
    """Every node of both sides, in order of the names, and what cannot be compared.

    1. Where one side has no node, or not all, none is gone or new by it. Template nodes of pools and partly known ones are left out.
    2. What a node can allocate is compared where both sides say it: any less, but of memory and disk more than a hundredth.
    """
    old, new = (_real(world) for world in (before, now))
    unknown = tuple(
        f"{what}: {'not all nodes' if nodes else 'no nodes'} were listed {when}"
        for what, when, world, nodes in (("new nodes", "before", before, old), ("nodes that are gone", "now", now, new))
        if not _knows_all(world, nodes)
    )
    all_old, all_new = _knows_all(before, old), _knows_all(now, new)
    found = []
    for name in sorted({*old, *new}):
        was, is_ = old.get(name), new.get(name)
        if was is None or is_ is None:
            found.append(NodeSince(name, was, is_, is_gone=is_ is None and all_new, is_new=was is None and all_old))
        else:
            found.append(_compared(name, was, is_))
    silent = [name for name in old.keys() & new.keys() if bool(old[name].status.allocatable) != bool(new[name].status.allocatable)]
    if silent:
        unknown += (f"what {len(silent)} of the nodes can allocate: said on one side only",)
    return tuple(found), unknown


def _real(world: World) -> Mapping[str, Node]:
    return {name: node for name, node in world.nodes.items() if node.pool is None and not node.partial}


def _knows_all(world: World, nodes: Mapping[str, Node]) -> bool:
    return bool(nodes) if world.survey is None else world.survey.nodes and bool(nodes)


def _compared(name: str, was: Node, is_: Node) -> NodeSince:
    labels, taints = (was.metadata.labels, is_.metadata.labels), (_set_by_hand(was), _set_by_hand(is_))
    return NodeSince(
        name,
        was,
        is_,
        shrunk=tuple(_shrunk(was.status.allocatable, is_.status.allocatable)) if is_.status.allocatable else (),
        unready=was.ready is True and is_.ready is False,
        cordoned=_is_cordoned(is_) and not _is_cordoned(was),
        labels=tuple(_differing(*labels)),
        taints=(*(f"-{each}" for each in taints[0] if each not in taints[1]), *(f"+{each}" for each in taints[1] if each not in taints[0])),
        again=bool(was.metadata.uid and is_.metadata.uid) and was.metadata.uid != is_.metadata.uid,
    )


def _set_by_hand(node: Node) -> tuple[Taint, ...]:
    return tuple(taint for taint in node.spec.taints if not is_owned(taint))


def _is_cordoned(node: Node) -> bool:
    return node.spec.unschedulable or any(taint == UNSCHEDULABLE for taint in node.spec.taints)


def _differing(was: Mapping[str, str], is_: Mapping[str, str]) -> list[str]:
    gone = [f"-{key}={value}" if value else f"-{key}" for key, value in sorted(was.items()) if key not in is_]
    new = [f"+{key}={value}" if value else f"+{key}" for key, value in sorted(is_.items()) if key not in was]
    other = [f"{key}={was[key]} -> {is_[key]}" for key in sorted(was.keys() & is_.keys()) if was[key] != is_[key]]
    return [*gone, *new, *other]


def _shrunk(was: Mapping[str, str | int | float], is_: Mapping[str, str | int | float]) -> list[Shrunk]:
    found = []
    for resource, amount in sorted(was.items()):
        try:
            old, new = millis(amount), millis(is_.get(resource, 0))
        except QuantityError:
            continue  # no server has it so
        if new < old and not new:
            found.append(Shrunk(resource, str(amount), ""))
        elif new < old and (resource not in _ROUGH or 100 * new < 99 * old):
            found.append(Shrunk(resource, str(amount), str(is_[resource])))
    return found
