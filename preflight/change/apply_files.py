"""apply -f and delete -f: the objects of files, compared as the server would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from preflight.change import node_pools, node_replacement, workload_verbs
from preflight.change.apply_merge import ASSUMED, is_assumed, may_be_updated, over
from preflight.change.delete_namespaces import within
from preflight.change.model import Change
from preflight.change.node_selection import meet
from preflight.change.node_verbs import schedulable, with_taints
from preflight.change.orphaned_pods import adopts
from preflight.errors import InputError, UsageError
from preflight.kubectl.apiserver.defaults import created
from preflight.kubectl.commands import ApplyFiles, Chosen, DeleteFiles, DeleteNodes
from preflight.kubectl.formatting import counted, listed
from preflight.model.objects import DaemonSet, Metadata, Namespace, Node, ObjectKey, Taint, object_key
from preflight.model.world import World

_UNTOUCHED = "changed, but not its template: no pod is replaced"
_ADOPTED = "an update replaces those of another template, unless their label pod-template-generation is its own number"

Read = Callable[[str], Sequence[object]]
"""The objects of a file that a command names by `-f`, as Structs of preflight.model.objects."""


def apply(command: ApplyFiles, world: World, read: Read) -> Change:
    """Perform `kubectl apply -f`.

    1. A DaemonSet that the world lacks is new. One that came from the cluster (it has a uid, or kubectl's annotation) is merged as kubectl
       merges: see `three_way`. One that came from a manifest is replaced as a whole, since that manifest was the last one applied.
    2. It is updated where its template differs as the server sees it: see `same_template`. Everything else that differs is in `after`.
       One that a snapshot shows is always updated; where nothing of what it shows differs, a note says that this is assumed.
    3. Of a Node, the labels, taints and `unschedulable` that the manifest states. Objects of other kinds are counted in a note.
    4. A node pool changes its template, and those of its nodes that the provider keeps up to date: see `pools.renew`.

    Errors: UsageError for a changed selector and for another namespace than `-n`, in their words; InputError where the files hold nothing.
    """
    objects = [each for each in _read(command.files, read) if _is_selected(command, each)]
    applied = _Applied(world)
    for each in objects:
        if isinstance(each, DaemonSet):
            applied.daemonset(each, command.namespace)
        elif isinstance(each, Node) and each.pool is not None:
            applied.pool(each)
        elif isinstance(each, Node):
            applied.node(each)
    keys = frozenset(applied.daemonsets)
    return Change(
        command=command.text,
        headline=f"apply {listed(command.files)}",
        before=applied.met,
        after=workload_verbs.with_daemonsets(applied.world, applied.daemonsets),
        nodes=frozenset(applied.nodes),
        reborn=frozenset(applied.delayed),
        daemonsets=keys,
        updated=frozenset(key for key in keys if may_be_updated(world.daemonsets.get(key), applied.daemonsets[key])),
        taints=tuple(dict.fromkeys(applied.taints)),
        delayed=applied.delayed,
        notes=(*applied.notes(), *_others(objects)),
        unknown=tuple(applied.unknown),
    )


def delete(command: DeleteFiles, world: World, read: Read) -> Change:
    """Perform `kubectl delete -f` for the DaemonSets, Namespaces and Nodes of the files; objects of other kinds are counted in a note.

    Errors: UsageError for a DaemonSet that is not there; InputError where the files hold nothing.
    """
    objects = _read(command.files, read)
    keys: list[ObjectKey] = []
    for each in objects:
        if isinstance(each, DaemonSet):
            namespace = _namespace(each, command.namespace, world.namespace)
            chosen = Chosen((each.metadata.name,), namespace=namespace)
            keys.extend(workload_verbs.find(world, chosen, ignore_missing=command.ignore_missing))
    spaces = tuple(dict.fromkeys(each.metadata.name for each in objects if isinstance(each, Namespace)))
    keys += within(world, spaces)
    names = tuple(dict.fromkeys(each.name for each in objects if isinstance(each, Node) and each.pool is None))
    gone = [each.name for each in objects if isinstance(each, Node) and each.pool is not None]
    change = workload_verbs.deletion(command.text, world, sorted(set(keys)), command.cascade)
    if names:
        nodes = node_replacement.delete(DeleteNodes(command.text, Chosen(names)), change.before)
        after = msgspec.structs.replace(nodes.after, daemonsets=change.after.daemonsets, workloads=change.after.workloads)
        change = msgspec.structs.replace(nodes, after=after, daemonsets=change.daemonsets, deleted=change.deleted)
    others = [each for each in objects if not isinstance(each, Namespace)]
    said = change.notes if keys or names or not gone else ()
    notes = [*said, *(f"{name}: not judged: its nodes go with it" for name in gone), *_others(others)]
    return msgspec.structs.replace(change, headline=f"delete {listed(command.files)}", notes=tuple(notes))


class _Applied:
    """What was applied so far: the world met, the world with the nodes applied, and the DaemonSets applied."""

    def __init__(self, world: World) -> None:
        self.met = self.world = world
        self.daemonsets: dict[ObjectKey, DaemonSet] = {}
        self.nodes: list[str] = []
        self.taints: list[Taint] = []
        self.delayed: dict[str, Node] = {}
        self.unknown: list[str] = []
        self._notes: list[str] = []
        self._kinds: dict[str, list[str]] = {"new": [], "unchanged": [], _UNTOUCHED: [], ASSUMED: []}

    def daemonset(self, new: DaemonSet, stated: str) -> None:
        """Apply one DaemonSet."""
        namespace = _namespace(new, stated, self.world.namespace)
        key, old = self._there(new, namespace)
        if old is None:
            data = workload_verbs.plain(new)
            data = {**data, "metadata": {**data.get("metadata", {}), "namespace": namespace}}
            self.daemonsets[key] = workload_verbs.typed(created(data), new)
            self._kinds["new"].append(str(key))
            self._notes += (f"{key} adopts the pods that {left} has left: {_ADOPTED}" for left in self._left(self.daemonsets[key]))
            return
        result, notes = over(old, new)
        self._notes.extend(f"{key}: {note}" for note in notes)
        self.daemonsets[key] = result
        if result is old:
            self._kinds["unchanged"].append(str(key))
        elif not may_be_updated(old, result):
            self._kinds[_UNTOUCHED].append(str(key))
        elif is_assumed(old, result):
            self._kinds[ASSUMED].append(str(key))

    def node(self, new: Node) -> None:
        """Apply one Node: its labels are merged, its taints replaced where it states any."""
        met = meet(self.met, Chosen((new.name,)))
        self._notes.extend(met.notes)
        self.unknown.extend(met.unknown)
        if not met.names:
            return
        if met.world is not self.met:
            self.met = met.world
            self.world = msgspec.structs.replace(self.world, nodes={**met.world.nodes, **self.world.nodes})
        old = self.world.nodes[new.name]
        labels = {**old.metadata.labels, **new.metadata.labels}
        node = with_taints(old, new.spec.taints or old.spec.taints)
        if new.spec.unschedulable:
            node = schedulable(node, False)
        if labels != old.metadata.labels:
            metadata = msgspec.structs.replace(node.metadata, labels=labels)
            node = msgspec.structs.replace(node, metadata=metadata, absent=node.absent - labels.keys())
        if not new.spec.taints and old.spec.taints:
            self._notes.append(f"{new.name}: its manifest states no taints, so they stay")
        self.nodes.append(new.name)
        if node is not old:
            self.world = msgspec.structs.replace(self.world, nodes=dict(sorted({**self.world.nodes, new.name: node}.items())))

    def pool(self, new: Node) -> None:
        """Apply one node pool."""
        renewed = node_pools.renew(self.world, new)
        if renewed.is_unchanged:
            self._kinds["unchanged"].append(renewed.name)
            return
        if renewed.old is None:
            self._kinds["new"].append(renewed.name)
        self._notes += renewed.notes
        self.taints += renewed.taints
        self.nodes += renewed.nodes
        if renewed.now is not None:
            self.delayed[renewed.name] = renewed.now
        self.world = msgspec.structs.replace(self.world, nodes=dict(sorted({**self.world.nodes, **renewed.nodes}.items())))

    def notes(self) -> tuple[str, ...]:
        """What is to be said, in order: of single objects, then which are new or unchanged."""
        return (*dict.fromkeys(self._notes), *(f"{kind}: {listed(names)}" for kind, names in self._kinds.items() if names))

    def _left(self, new: DaemonSet) -> Iterator[ObjectKey]:
        return (left.key for left in self.world.orphaned.values() if adopts(new, left))

    def _there(self, new: DaemonSet, namespace: str) -> tuple[ObjectKey, DaemonSet | None]:
        """The DaemonSet that the new one is applied over; a manifest without a namespace may be one that the world has without it."""
        known = {**self.world.daemonsets, **self.daemonsets}
        key = ObjectKey(namespace, new.metadata.name)
        if key in known:
            return key, known[key]
        if not new.metadata.namespace:
            unstated = [other for other in known if other.name == key.name and not other.namespace]
            own = object_key(new.metadata, new.origin)
            if own in known or len(unstated) == 1:
                return (own, known[own]) if own in known else (unstated[0], known[unstated[0]])
        return key, None


def _namespace(daemonset: DaemonSet, stated: str, otherwise: str) -> str:
    own = daemonset.metadata.namespace
    if own and stated and own != stated:
        raise UsageError(
            f'the namespace from the provided object "{own}" does not match the namespace "{stated}". '
            f"You must pass '--namespace={own}' to perform this operation."
        )
    return own or stated or otherwise


def _read(files: Iterable[str], read: Read) -> list[object]:
    objects = [each for file in files for each in read(file)]
    if not objects:
        raise InputError(f"there is nothing to judge: no objects in {listed(list(files))}")
    return objects


def _is_selected(command: ApplyFiles, each: object) -> bool:
    metadata = getattr(each, "metadata", None)
    labels = metadata.labels if isinstance(metadata, Metadata) else {}
    return command.selector is None or command.selector.selects(labels)


def _others(objects: Iterable[object]) -> tuple[str, ...]:
    kinds = Counter(type(each).__name__ for each in objects if not isinstance(each, DaemonSet | Node))
    if not kinds:
        return ()
    shown = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    return (f"not judged for coverage: {counted(sum(kinds.values()), 'object')} of other kinds ({shown})",)
