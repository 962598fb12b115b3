"""The change between two worlds: what DaemonSets and nodes one side states, and what the other does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from preflight.change.apply_merge import is_assumed, looks_same, looks_updated, may_be_updated, over
from preflight.change.diff.matching import Pair, in_namespace, paired
from preflight.change.diff.nodes import Nodes, compare_nodes
from preflight.change.model import Change
from preflight.change.workload_verbs import plain
from preflight.errors import UsageError
from preflight.kubectl.apiserver.normalize import canonical, canonical_spec
from preflight.model.objects import DaemonSet, ObjectKey
from preflight.model.world import World

TREES, APPLY, DRIFT = "trees", "apply", "drift"


class Tree(Struct, frozen=True):
    """One side of a comparison.

    `name` is what the person calls it. `root` is what the names of its files begin with: what follows tells the same file on both sides.
    """

    name: str
    world: World
    root: str = ""


class Compared(Struct, frozen=True):
    """What comparing found.

    1. `how` is TREES where both sides are manifests, or both were listed by a cluster; APPLY where only BASE was listed, DRIFT where only
       HEAD was. A side was listed where it is a snapshot, shows pods, or DaemonSets with a uid in a list.
    2. `new`, `updated` (another template), `changed` (something else only), `deleted` and `unchanged` are DaemonSets by the key that both
       sides know them by. `deleted` of a DRIFT is what the cluster lacks. `left` only the cluster has: they are compared with nothing.
    3. `refused` are those whose selector differs, with the one of HEAD and the words of the API server: they stay as they are.
    4. `assumed` are those of `updated` of which nobody knows it: a snapshot shows a part of the template, which is the same. `in_part` are
       those of `unchanged` that a snapshot shows only a part of.
    5. `notes` are of single DaemonSets: what a manifest leaves as it is in the cluster.
    """

    change: Change
    how: str
    nodes: Nodes
    new: tuple[ObjectKey, ...] = ()
    updated: tuple[ObjectKey, ...] = ()
    changed: tuple[ObjectKey, ...] = ()
    deleted: tuple[ObjectKey, ...] = ()
    unchanged: tuple[ObjectKey, ...] = ()
    left: tuple[ObjectKey, ...] = ()
    refused: Mapping[ObjectKey, tuple[DaemonSet, str]] = {}
    assumed: tuple[ObjectKey, ...] = ()
    in_part: tuple[ObjectKey, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing of DaemonSets or nodes differs."""
        nodes = self.nodes
        return not any((self.new, self.updated, self.changed, self.deleted, self.refused, nodes.new, nodes.changed, nodes.gone))


def compare(base: Tree, head: Tree, around: World, text: str) -> Compared:
    """The change from BASE to HEAD, in the world around both; `text` is its command line.

    1. Which DaemonSet is which: see `pairing.paired`; which node, and what a manifest decides of it: see `stated_nodes.compare_nodes`.
    2. What either side states twice with other content is compared on neither.
    3. What HEAD states is put over what BASE has as the API server would (`manifests.over`). Between two lists of a cluster everything
       counts. In a DRIFT only what BASE states counts: the world before is what applying BASE would make. Of a snapshot only what it shows
       counts, but under APPLY, where an update is assumed.
    4. What only the cluster has is no change under APPLY and DRIFT.
    5. The world around gives nodes, pods and what neither side states; a side wins where both state the same.
    """
    listed = _is_listed(base.world), _is_listed(head.world)
    how = TREES if listed[0] is listed[1] else APPLY if listed[0] else DRIFT
    live = around if how == TREES else _joined(base.world if how == APPLY else head.world, around)
    twice = _twice(base.world, head.world)
    sides = [{key: each for key, each in side.world.daemonsets.items() if _told("DaemonSet", key) not in twice} for side in (base, head)]
    found = _Sorted(how, as_whole=all(listed))
    for pair in paired(sides[0], sides[1], (base.root, head.root), around.daemonsets):
        found.take(pair, around.daemonsets.get(pair.key))
    skip = [name.removeprefix("Node ") for name in twice if name.startswith("Node ")]
    nodes = compare_nodes(base.world.nodes, head.world.nodes, live.nodes, listed=listed, skip=skip)
    others = {key: each for key, each in around.daemonsets.items() if key not in found.seen and _told("DaemonSet", key) not in twice}
    evidence = live if how != TREES or live.pods else base.world
    return Compared(
        change=Change(
            command=text,
            headline="",
            before=_with(live if how == DRIFT else _joined(base.world, around), {**others, **found.before}, nodes.before, evidence),
            after=_with(live if how == DRIFT else _joined(head.world, live), {**others, **found.after}, nodes.after, evidence),
            daemonsets=frozenset((*found.new, *found.updated, *found.changed, *found.deleted)),
            updated=frozenset(found.updated if how != DRIFT else ()),
            deleted=dict.fromkeys(found.deleted, "background"),
            reborn=frozenset(nodes.delayed),
            delayed=nodes.delayed,
            taints=nodes.taints,
        ),
        how=how,
        nodes=nodes,
        new=tuple(found.new),
        updated=tuple(found.updated),
        changed=tuple(found.changed),
        deleted=tuple(found.deleted),
        unchanged=tuple(found.unchanged),
        left=tuple(found.left),
        refused=found.refused,
        assumed=tuple(found.assumed),
        in_part=tuple(found.in_part),
        notes=tuple(dict.fromkeys(found.notes)),
    )


class _Sorted:
    """The DaemonSets of both sides, sorted by what the change does to them."""

    def __init__(self, how: str, *, as_whole: bool) -> None:
        self.how = how
        self.as_whole = as_whole
        self.before: dict[ObjectKey, DaemonSet] = {}
        self.after: dict[ObjectKey, DaemonSet] = {}
        self.seen: set[ObjectKey] = set()
        self.new: list[ObjectKey] = []
        self.updated: list[ObjectKey] = []
        self.changed: list[ObjectKey] = []
        self.deleted: list[ObjectKey] = []
        self.unchanged: list[ObjectKey] = []
        self.left: list[ObjectKey] = []
        self.refused: dict[ObjectKey, tuple[DaemonSet, str]] = {}
        self.assumed: list[ObjectKey] = []
        self.in_part: list[ObjectKey] = []
        self.notes: list[str] = []

    def take(self, pair: Pair, around: DaemonSet | None) -> None:
        """Sort one; one that HEAD adds may be around already."""
        key, old, new = pair
        self.seen.add(key)
        only = {"apply": new is None, "drift": old is None}.get(self.how, False)
        if only:
            self.left.append(key)
            self._put(key, old or new, old or new)
        elif new is None:
            self.deleted.append(key)
            self._put(key, old, None)
        elif old is None and around is None:
            self.new.append(key)
            self._put(key, None, new)
        else:
            self._compare(key, old or around, new)

    def _put(self, key: ObjectKey, before: DaemonSet | None, after: DaemonSet | None) -> None:
        if before is not None:
            self.before[key] = before
        if after is not None:
            self.after[key] = after

    def _compare(self, key: ObjectKey, old: DaemonSet | None, new: DaemonSet) -> None:
        assert old is not None
        there, stated = (new, old) if self.how == DRIFT else (old, new)
        partly = bool(there.kept or stated.kept)
        try:
            if self.as_whole:
                is_same = looks_same(there, stated) if partly else _stated(there) == _stated(stated)
                result, notes = there if is_same else stated, list[str]()
            else:
                result, notes = over(there, stated)
                if partly and self.how == DRIFT and looks_same(there, result):
                    result = there
        except UsageError as error:
            self.refused[key] = (stated, str(error))
            self._put(key, there, there)
            return
        self.notes += (f"{key}: {note}" for note in notes)
        if result is there:
            self.unchanged.append(key)
            if partly:
                self.in_part.append(key)
            same = there if there.metadata.uid and not self.as_whole else new
            self._put(key, same, same)
            return
        sees_all = not partly or self.how == APPLY
        (self.updated if (may_be_updated if sees_all else looks_updated)(there, result) else self.changed).append(key)
        if sees_all and is_assumed(there, result):
            self.assumed.append(key)
        result = in_namespace(key.namespace, result)
        before, after = (result, there) if self.how == DRIFT else (there, result)
        self._put(key, before, after)


def _stated(daemonset: DaemonSet) -> object:
    data = plain(daemonset)
    return canonical(daemonset.metadata.labels), canonical_spec(data.get("spec"))


def _is_listed(world: World) -> bool:
    return world.survey is not None or bool(world.pods) or any(each.metadata.uid and each.origin.path for each in world.daemonsets.values())


def _twice(*worlds: World) -> frozenset[str]:
    """`DaemonSet ns/name` and `Node name` of what a side states twice with other content: the sentences of `ambiguous` begin with it."""
    return frozenset(sentence.partition(" is in ")[0] for world in worlds for sentence in world.ambiguous)


def _told(kind: str, key: ObjectKey) -> str:
    return f"{kind} {key}"


_LISTS = ("budgets", "namespaces", "priority_classes", "csi_drivers", "job_sets", "claims", "volumes", "storage_classes")


def _joined(first: World, second: World) -> World:
    """Both worlds in one; of an object that both have, the first one's."""
    return msgspec.structs.replace(
        first,
        nodes={**second.nodes, **first.nodes},
        daemonsets={**second.daemonsets, **first.daemonsets},
        workloads=_each(first.workloads, second.workloads),
        pods=first.pods or second.pods,
        listed=first.listed if first.pods else second.listed,
        configs={**second.configs, **first.configs},
        stated=first.stated or second.stated,
        missing={**second.missing, **first.missing},
        **{name: _each(getattr(first, name), getattr(second, name)) for name in _LISTS},
    )


def _each(first: Iterable[Any], second: Iterable[Any]) -> tuple[Any, ...]:
    known = {_name(each) for each in first}
    return (*first, *(each for each in second if _name(each) not in known))


def _name(each: Any) -> tuple[str, str, str]:
    return type(each).__name__, each.metadata.namespace, each.metadata.name


def _with(world: World, daemonsets: Mapping[ObjectKey, DaemonSet], nodes: Mapping[str, Any], evidence: World) -> World:
    """The world with these DaemonSets and nodes and no others, and with the pods that somebody listed."""
    return msgspec.structs.replace(
        world,
        nodes=nodes,
        daemonsets=dict(sorted(daemonsets.items())),
        workloads=(*(each for each in world.workloads if not isinstance(each, DaemonSet)), *daemonsets.values()),
        pods=evidence.pods,
        listed=evidence.listed,
    )
