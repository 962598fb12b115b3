"""The change between two worlds: what DaemonSets and nodes one side states, and what the other does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct

from preflight.change.apply_merge import apply_manifest, is_assumed_update, is_visibly_same, is_visibly_updated, may_be_updated
from preflight.change.diff.matching import DaemonSetPair, match_daemonsets, move_to_namespace
from preflight.change.diff.nodes import NodeDiff, compare_nodes
from preflight.change.model import Change
from preflight.change.workload_verbs import to_plain
from preflight.errors import UsageError
from preflight.kubectl.apiserver.normalize import normalize_spec, normalize_value
from preflight.messages.change import format_about
from preflight.model.apps import DaemonSet
from preflight.model.cascade import Cascade
from preflight.model.meta import ObjectKey
from preflight.model.world import ClusterState


class ComparisonMode(StrEnum):
    """How two sides are compared.

    TREES where both are manifests, or both were listed by a cluster; APPLY where only BASE was listed, DRIFT where only HEAD was.
    """

    TREES = "trees"
    APPLY = "apply"
    DRIFT = "drift"


class ComparisonSide(Struct, frozen=True):
    """One side of a comparison.

    `name` is what the person calls it. `root` is what the names of its files begin with: what follows tells the same file on both sides.
    """

    name: str
    world: ClusterState
    root: str = ""


class WorldDiff(Struct, frozen=True):
    """What comparing found.

    1. `mode` is how the sides were compared. A side was listed where it is a snapshot, shows pods, or DaemonSets with a uid in a list.
    2. `new`, `updated` (another template), `changed` (something else only), `deleted` and `unchanged` are DaemonSets by the key that both
       sides know them by. `deleted` of a DRIFT is what the cluster lacks. `left` only the cluster has: they are compared with nothing.
    3. `refused` are those whose selector differs, with the one of HEAD and the words of the API server: they stay as they are.
    4. `assumed_updates` are those of `updated` for which it is unknown: a snapshot shows a part of the template, which is the same.
       `partly_known` are those of `unchanged` that a snapshot shows only a part of.
    5. `notes` are of single DaemonSets: what a manifest leaves as it is in the cluster.
    """

    change: Change
    mode: ComparisonMode
    nodes: NodeDiff
    new: tuple[ObjectKey, ...] = ()
    updated: tuple[ObjectKey, ...] = ()
    changed: tuple[ObjectKey, ...] = ()
    deleted: tuple[ObjectKey, ...] = ()
    unchanged: tuple[ObjectKey, ...] = ()
    left: tuple[ObjectKey, ...] = ()
    refused: Mapping[ObjectKey, tuple[DaemonSet, str]] = {}
    assumed_updates: tuple[ObjectKey, ...] = ()
    partly_known: tuple[ObjectKey, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing of DaemonSets or nodes differs."""
        nodes = self.nodes
        return not any((self.new, self.updated, self.changed, self.deleted, self.refused, nodes.new, nodes.changed, nodes.removed))


def compare_worlds(base: ComparisonSide, head: ComparisonSide, surrounding_world: ClusterState, text: str) -> WorldDiff:
    """The change from BASE to HEAD, in the world around both; `text` is its command line.

    1. Which DaemonSet is which: see `pairing.paired`; which node, and what a manifest decides of it: see `stated_nodes.compare_nodes`.
    2. What either side states twice with other content is compared on neither.
    3. What HEAD states is put over what BASE has as the API server would (`manifests.over`). Between two lists of a cluster everything
       counts. In a DRIFT only what BASE states counts: the world before is what applying BASE would make. Of a snapshot only what it shows
       counts, but under APPLY, where an update is assumed.
    4. What only the cluster has is no change under APPLY and DRIFT.
    5. The world around gives nodes, pods and what neither side states; a side wins where both state the same.
    """
    listed = _is_from_cluster(base.world), _is_from_cluster(head.world)
    how = ComparisonMode.TREES if listed[0] is listed[1] else ComparisonMode.APPLY if listed[0] else ComparisonMode.DRIFT
    live = (
        surrounding_world
        if how is ComparisonMode.TREES
        else _merge_worlds(base.world if how is ComparisonMode.APPLY else head.world, surrounding_world)
    )
    twice = _find_ambiguous("DaemonSet", base.world, head.world)
    sides = [{key: daemonset for key, daemonset in side.world.daemonsets.items() if key[:2] not in twice} for side in (base, head)]
    found = _DaemonSetSorter(how, as_whole=all(listed))
    for pair in match_daemonsets(sides[0], sides[1], (base.root, head.root), surrounding_world.daemonsets):
        found.add_pair(pair, surrounding_world.daemonsets.get(pair.key))
    skip = [name for _, name in _find_ambiguous("Node", base.world, head.world)]
    nodes = compare_nodes(base.world.nodes, head.world.nodes, live.nodes, sides_listed=listed, skip=skip)
    others = {key: each for key, each in surrounding_world.daemonsets.items() if key not in found.seen and key[:2] not in twice}
    evidence = live if how is not ComparisonMode.TREES or live.pods else base.world
    return WorldDiff(
        change=Change(
            command=text,
            headline="",
            before=_replace_contents(
                live if how is ComparisonMode.DRIFT else _merge_worlds(base.world, surrounding_world),
                {**others, **found.before},
                nodes.before,
                evidence,
            ),
            after=_replace_contents(
                live if how is ComparisonMode.DRIFT else _merge_worlds(head.world, live), {**others, **found.after}, nodes.after, evidence
            ),
            daemonsets=frozenset((*found.new, *found.updated, *found.changed, *found.deleted)),
            updated_daemonsets=frozenset(found.updated if how is not ComparisonMode.DRIFT else ()),
            deleted_daemonsets=dict.fromkeys(found.deleted, Cascade.BACKGROUND),
            recreation_nodes=frozenset(nodes.delayed_pools),
            delayed_pools=nodes.delayed_pools,
            taints=nodes.taints,
        ),
        mode=how,
        nodes=nodes,
        new=tuple(found.new),
        updated=tuple(found.updated),
        changed=tuple(found.changed),
        deleted=tuple(found.deleted),
        unchanged=tuple(found.unchanged),
        left=tuple(found.left),
        refused=found.refused,
        assumed_updates=tuple(found.assumed),
        partly_known=tuple(found.in_part),
        notes=tuple(dict.fromkeys(found.notes)),
    )


class _DaemonSetSorter:
    """The DaemonSets of both sides, sorted by what the change does to them."""

    def __init__(self, how: ComparisonMode, *, as_whole: bool) -> None:
        self.mode = how
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

    def add_pair(self, pair: DaemonSetPair, surrounding: DaemonSet | None) -> None:
        """Sort one; one that HEAD adds may be around already."""
        key, old, new = pair
        self.seen.add(key)
        only = {ComparisonMode.APPLY: new is None, ComparisonMode.DRIFT: old is None}.get(self.mode, False)
        if only:
            self.left.append(key)
            self._record(key, old or new, old or new)
        elif new is None:
            self.deleted.append(key)
            self._record(key, old, None)
        elif old is None and surrounding is None:
            self.new.append(key)
            self._record(key, None, new)
        else:
            self._compare_pair(key, old or surrounding, new)

    def _record(self, key: ObjectKey, before: DaemonSet | None, after: DaemonSet | None) -> None:
        if before is not None:
            self.before[key] = before
        if after is not None:
            self.after[key] = after

    def _compare_pair(self, key: ObjectKey, old: DaemonSet | None, new: DaemonSet) -> None:
        assert old is not None
        there, stated = (new, old) if self.mode is ComparisonMode.DRIFT else (old, new)
        partly = bool(there.kept or stated.kept)
        try:
            if self.as_whole:
                is_same = is_visibly_same(there, stated) if partly else _comparable_content(there) == _comparable_content(stated)
                result, notes = there if is_same else stated, list[str]()
            else:
                result, notes = apply_manifest(there, stated)
                if partly and self.mode is ComparisonMode.DRIFT and is_visibly_same(there, result):
                    result = there
        except UsageError as error:
            self.refused[key] = (stated, str(error))
            self._record(key, there, there)
            return
        self.notes += (format_about(key, note) for note in notes)
        if result is there:
            self.unchanged.append(key)
            if partly:
                self.in_part.append(key)
            same = there if there.metadata.uid and not self.as_whole else new
            self._record(key, same, same)
            return
        sees_all = not partly or self.mode is ComparisonMode.APPLY
        (self.updated if (may_be_updated if sees_all else is_visibly_updated)(there, result) else self.changed).append(key)
        if sees_all and is_assumed_update(there, result):
            self.assumed.append(key)
        result = move_to_namespace(key.namespace, result)
        before, after = (result, there) if self.mode is ComparisonMode.DRIFT else (there, result)
        self._record(key, before, after)


def _comparable_content(daemonset: DaemonSet) -> object:
    data = to_plain(daemonset)
    return normalize_value(daemonset.metadata.labels), normalize_spec(data.get("spec"))


def _is_from_cluster(world: ClusterState) -> bool:
    return (
        world.listing is not None
        or bool(world.pods)
        or any(daemonset.metadata.uid and daemonset.origin.path for daemonset in world.daemonsets.values())
    )


def _find_ambiguous(kind: str, *worlds: ClusterState) -> frozenset[tuple[str, str]]:
    """Namespace and name of the objects of a kind that a side states twice with other content."""
    ambiguities = (ambiguity for world in worlds for ambiguity in world.ambiguities if ambiguity.kind == kind)
    return frozenset(ambiguity.key[:2] for ambiguity in ambiguities)


_MERGED_COLLECTIONS = ("budgets", "namespaces", "priority_classes", "csi_drivers", "job_sets", "claims", "volumes", "storage_classes")


def _merge_worlds(first: ClusterState, second: ClusterState) -> ClusterState:
    """Both worlds in one; of an object that both have, the first one's."""
    return msgspec.structs.replace(
        first,
        nodes={**second.nodes, **first.nodes},
        daemonsets={**second.daemonsets, **first.daemonsets},
        workloads=_merge_objects(first.workloads, second.workloads),
        pods=first.pods or second.pods,
        listed_namespaces=first.listed_namespaces if first.pods else second.listed_namespaces,
        config_maps={**second.config_maps, **first.config_maps},
        component_overrides=first.component_overrides or second.component_overrides,
        missing_kinds={**second.missing_kinds, **first.missing_kinds},
        **{name: _merge_objects(getattr(first, name), getattr(second, name)) for name in _MERGED_COLLECTIONS},
    )


def _merge_objects(first: Iterable[Any], second: Iterable[Any]) -> tuple[Any, ...]:
    known = {_object_id(item) for item in first}
    return (*first, *(item for item in second if _object_id(item) not in known))


def _object_id(item: Any) -> tuple[str, str, str]:
    return type(item).__name__, item.metadata.namespace, item.metadata.name


def _replace_contents(
    world: ClusterState, daemonsets: Mapping[ObjectKey, DaemonSet], nodes: Mapping[str, Any], evidence: ClusterState
) -> ClusterState:
    """The world with these DaemonSets and nodes and no others, and with the pods that somebody listed."""
    return msgspec.structs.replace(
        world,
        nodes=nodes,
        daemonsets=dict(sorted(daemonsets.items())),
        workloads=(*(workload for workload in world.workloads if not isinstance(workload, DaemonSet)), *daemonsets.values()),
        pods=evidence.pods,
        listed_namespaces=evidence.listed_namespaces,
    )
