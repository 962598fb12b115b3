"""apply -f and delete -f: the objects of files, compared as the server would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING

import msgspec

from preflight.change import node_pools, node_replacement, workload_verbs
from preflight.change.apply_custom_resource import apply_resources, delete_resources
from preflight.change.apply_merge import apply_manifest, is_assumed_update, may_be_updated
from preflight.change.custom_resources import OperatorReaction, read_labels
from preflight.change.delete_namespaces import list_daemonsets
from preflight.change.model import Change, ObjectReader
from preflight.change.node_selection import lists_all_nodes, resolve_node_targets
from preflight.change.node_verbs import set_schedulable, with_taints
from preflight.change.orphaned_pods import adopts_pods
from preflight.errors import InputError, UsageError
from preflight.kubectl.apiserver.defaults import create_from_manifest
from preflight.kubectl.apiserver.errors import format_invalid
from preflight.kubectl.commands import ApplyFiles, DeleteFiles, DeleteNodes, TargetObjects
from preflight.messages import change as messages
from preflight.model.apps import DaemonSet
from preflight.model.cascade import Cascade
from preflight.model.core import Namespace, Node, Taint
from preflight.model.declaration import OperatorResource
from preflight.model.meta import Metadata, ObjectKey, Origin, make_object_key
from preflight.model.world import ClusterState
from preflight.scheduling.validation import validate_tolerations

if TYPE_CHECKING:
    from preflight.model.version_fields import GatedField


class _ApplyResult(Enum):
    """What applying does to a DaemonSet or a node pool; the values are the texts of the notes, in their order."""

    NEW = messages.NEW
    UNCHANGED = messages.UNCHANGED
    UNTOUCHED = messages.UNTOUCHED_TEMPLATE
    ASSUMED_UPDATE = messages.ASSUMED_UPDATE


def apply(command: ApplyFiles, world: ClusterState, read_file: ObjectReader) -> Change:
    """Perform `kubectl apply -f`.

    1. A DaemonSet that the world lacks is new. One that came from the cluster (it has a uid, or kubectl's annotation) is merged as kubectl
       merges: see `three_way`. One that came from a manifest is replaced as a whole, since that manifest was the last one applied.
    2. It is updated where its template differs as the server sees it: see `same_template`. Everything else that differs is in `after`.
       One that a snapshot shows is always updated; where nothing of what it shows differs, a note says that this is assumed.
    3. Of a Node, the labels, taints and `unschedulable` that the manifest states. Objects of other kinds are counted in a note.
    4. A node pool changes its template, and those of its nodes that the provider keeps up to date: see `node_pools.apply_pool_template`.

    Errors: UsageError for a changed selector and for another namespace than `-n`, in their words; InputError where the files hold nothing.
    """
    objects = [item for item in _read_objects(command, read_file) if _is_selected(command, item)]
    applied = _ApplyProgress(world)
    applied.apply_resources([item for item in objects if isinstance(item, OperatorResource)])
    for item in objects:
        if _is_declared(item):
            continue
        if isinstance(item, DaemonSet):
            applied.apply_daemonset(item, command.namespace)
        elif isinstance(item, Node) and item.pool is not None:
            applied.apply_pool(item)
        elif isinstance(item, Node):
            applied.apply_node(item)
    gone = applied.reaction.deleted
    keys = frozenset(applied.daemonsets) | gone
    after = workload_verbs.with_daemonsets(applied.reaction.apply_to(applied.world), applied.daemonsets, gone)
    if applied.lost_fields:
        after = msgspec.structs.replace(after, lost_fields={**after.lost_fields, **applied.lost_fields})
    return Change(
        command=command.text,
        headline=messages.format_verb_headline("apply", command.files),
        before=applied.initial_world,
        after=after,
        deleted_daemonsets=dict.fromkeys(sorted(gone), Cascade.BACKGROUND),
        nodes=frozenset(applied.nodes),
        recreation_nodes=frozenset(applied.delayed),
        daemonsets=keys,
        updated_daemonsets=frozenset(key for key, new in applied.daemonsets.items() if may_be_updated(world.daemonsets.get(key), new)),
        taints=tuple(dict.fromkeys(applied.taints)),
        delayed_pools=applied.delayed,
        notes=(*applied.collect_notes(), *_describe_other_kinds(objects)),
        unknowns=tuple(applied.unknown),
    )


def delete(command: DeleteFiles, world: ClusterState, read_file: ObjectReader) -> Change:
    """Perform `kubectl delete -f` for the DaemonSets, Namespaces and Nodes of the files; objects of other kinds are counted in a note.

    Errors: UsageError for a DaemonSet that is not there; InputError where the files hold nothing.
    """
    objects = _read_objects(command, read_file)
    reaction = delete_resources(world, [item for item in objects if isinstance(item, OperatorResource)])
    keys: list[ObjectKey] = [*reaction.deleted]
    for item in objects:
        if isinstance(item, DaemonSet) and not _is_declared(item):
            namespace = _resolve_namespace(item, command.namespace, world.default_namespace)
            chosen = TargetObjects((item.metadata.name,), namespace=namespace)
            keys.extend(workload_verbs.find_daemonsets(world, chosen, ignore_missing=command.ignore_missing))
    spaces = tuple(dict.fromkeys(item.metadata.name for item in objects if isinstance(item, Namespace)))
    keys += list_daemonsets(world, spaces)
    names = tuple(dict.fromkeys(node.name for node in objects if isinstance(node, Node) and node.pool is None))
    gone = [item.name for item in objects if isinstance(item, Node) and item.pool is not None]
    change = workload_verbs.delete_daemonsets(command.text, world, sorted(set(keys)), command.cascade)
    change = msgspec.structs.replace(change, after=msgspec.structs.replace(change.after, operator_resources=reaction.resources))
    if names:
        nodes = node_replacement.delete(DeleteNodes(command.text, TargetObjects(names)), change.before)
        after = msgspec.structs.replace(
            nodes.after,
            daemonsets=change.after.daemonsets,
            workloads=change.after.workloads,
            operator_resources=change.after.operator_resources,
        )
        change = msgspec.structs.replace(nodes, after=after, daemonsets=change.daemonsets, deleted_daemonsets=change.deleted_daemonsets)
    others = [item for item in objects if not isinstance(item, Namespace)]
    said = change.notes if keys or names or not gone else ()
    notes = [*said, *(messages.format_deleted_pool(name) for name in gone), *_describe_other_kinds(others)]
    return msgspec.structs.replace(change, headline=messages.format_verb_headline("delete", command.files), notes=tuple(notes))


class _ApplyProgress:
    """What was applied so far: the world met, the world with the nodes applied, and the DaemonSets applied."""

    def __init__(self, world: ClusterState) -> None:
        self.initial_world = self.world = world
        self.daemonsets: dict[ObjectKey, DaemonSet] = {}
        self.reaction = OperatorReaction(world, world.operator_resources)
        self.nodes: list[str] = []
        self.taints: list[Taint] = []
        self.delayed: dict[str, Node] = {}
        self.unknown: list[str] = []
        self.lost_fields: dict[Origin, tuple[GatedField, ...]] = {}
        self._notes: list[str] = []
        self._results: dict[_ApplyResult, list[str]] = {result: [] for result in _ApplyResult}

    def _keep_known_fields(self, manifest: DaemonSet) -> DaemonSet:
        """A DaemonSet without the fields that the server drops, which are kept in mind."""
        versions = self.initial_world.versions
        if versions.server is None and not versions.gates:
            return manifest
        from preflight.model.version_fields import FieldFate, find_lost_fields, remove_field  # only where a version is known

        lost = find_lost_fields(manifest, versions)
        if not lost:
            return manifest
        self.lost_fields[manifest.origin] = lost
        data = workload_verbs.to_plain(manifest)
        for field in lost:
            if field.fate is not FieldFate.MAYBE:
                data = remove_field(data, field.path)
        return workload_verbs.from_plain(data, manifest)

    def apply_daemonset(self, new: DaemonSet, namespace_flag: str) -> None:
        """Apply one DaemonSet."""
        new = self._keep_known_fields(new)
        namespace = _resolve_namespace(new, namespace_flag, self.world.default_namespace)
        key, old = self._find_existing(new, namespace)
        if old is None:
            data = workload_verbs.to_plain(new)
            data = {**data, "metadata": {**data.get("metadata", {}), "namespace": namespace}}
            self.daemonsets[key] = workload_verbs.from_plain(create_from_manifest(data), new)
            self._check_operators(self.daemonsets[key])
            self._results[_ApplyResult.NEW].append(str(key))
            self._notes += (messages.format_new_adopter(key, left) for left in self._iter_adopted(self.daemonsets[key]))
            return
        result, notes = apply_manifest(old, new)
        self._notes.extend(messages.format_about(key, note) for note in notes)
        self.daemonsets[key] = result
        self._check_operators(result)
        if result is old:
            self._results[_ApplyResult.UNCHANGED].append(str(key))
        elif not may_be_updated(old, result):
            self._results[_ApplyResult.UNTOUCHED].append(str(key))
        elif is_assumed_update(old, result):
            self._results[_ApplyResult.ASSUMED_UPDATE].append(str(key))

    def _check_operators(self, daemonset: DaemonSet) -> None:
        """Refuse Lt and Gt where the server does not know them. Errors: UsageError, in its words."""
        if self.initial_world.comparison_operators is not False:
            return
        path = ("spec", "template", "spec", "tolerations")
        tolerations = daemonset.spec.template.spec.tolerations
        refusals = [
            refusal
            for refusal in validate_tolerations(tolerations, path, comparison_operators=False)
            if refusal.path[-1] == "operator" and tolerations[int(refusal.path[-2])].operator in ("Lt", "Gt")
        ]
        if refusals:
            raise UsageError(format_invalid("DaemonSet", daemonset.metadata.name, refusals))

    def apply_resources(self, resources: Sequence[OperatorResource]) -> None:
        """Apply custom resources, and let their operators react."""
        if not resources:
            return
        self.reaction = apply_resources(self.world, resources)
        self.initial_world = self.world = self.reaction.before
        self.daemonsets |= self.reaction.daemonsets
        for key, result in self.reaction.daemonsets.items():
            if key not in self.initial_world.daemonsets:
                self._results[_ApplyResult.NEW].append(str(key))
            elif result is self.initial_world.daemonsets[key]:
                self._results[_ApplyResult.UNCHANGED].append(str(key))

    def apply_node(self, new: Node) -> None:
        """Apply one Node: its labels are merged, its taints replaced where it states any; one that the cluster lacks is created."""
        if new.name not in self.world.nodes and lists_all_nodes(self.world):
            self._results[_ApplyResult.NEW].append(new.name)
            self._set_node(set_schedulable(new, False) if new.spec.unschedulable else new)
            return
        met = resolve_node_targets(self.initial_world, TargetObjects((new.name,)))
        self._notes.extend(met.notes)
        self.unknown.extend(met.unknowns)
        if not met.names:
            return
        if met.world is not self.initial_world:
            self.initial_world = met.world
            self.world = msgspec.structs.replace(self.world, nodes={**met.world.nodes, **self.world.nodes})
        old = self.world.nodes[new.name]
        labels = {**old.metadata.labels, **new.metadata.labels}
        node = with_taints(old, new.spec.taints or old.spec.taints)
        if new.spec.unschedulable:
            node = set_schedulable(node, False)
        if labels != old.metadata.labels:
            metadata = msgspec.structs.replace(node.metadata, labels=labels)
            node = msgspec.structs.replace(node, metadata=metadata, absent_labels=node.absent_labels - labels.keys())
        if not new.spec.taints and old.spec.taints:
            self._notes.append(messages.format_retained_taints(new.name))
        self._set_node(node)

    def _set_node(self, node: Node) -> None:
        self.nodes.append(node.name)
        if self.world.nodes.get(node.name) is not node:
            self.world = msgspec.structs.replace(self.world, nodes=dict(sorted({**self.world.nodes, node.name: node}.items())))

    def apply_pool(self, new: Node) -> None:
        """Apply one node pool."""
        renewed = node_pools.apply_pool_template(self.world, new)
        if renewed.is_unchanged:
            self._results[_ApplyResult.UNCHANGED].append(renewed.name)
            return
        if renewed.old is None:
            self._results[_ApplyResult.NEW].append(renewed.name)
        self._notes += renewed.notes
        self.taints += renewed.taints
        self.nodes += renewed.nodes
        if renewed.current_nodes_template is not None:
            self.delayed[renewed.name] = renewed.current_nodes_template
        self.world = msgspec.structs.replace(self.world, nodes=dict(sorted({**self.world.nodes, **renewed.nodes}.items())))

    def collect_notes(self) -> tuple[str, ...]:
        """What is to be said, in order: of single objects, then which are new or unchanged."""
        return (
            *dict.fromkeys(self._notes),
            *(messages.format_group(result.value, names) for result, names in self._results.items() if names),
        )

    def _iter_adopted(self, new: DaemonSet) -> Iterator[ObjectKey]:
        return (left.key for left in self.world.orphaned_daemonsets.values() if adopts_pods(new, left))

    def _find_existing(self, new: DaemonSet, namespace: str) -> tuple[ObjectKey, DaemonSet | None]:
        """The DaemonSet that the new one is applied over; a manifest without a namespace may be one that the world has without it."""
        known = {**self.world.daemonsets, **self.daemonsets}
        key = ObjectKey(namespace, new.metadata.name)
        if key in known:
            return key, known[key]
        if not new.metadata.namespace:
            unstated = [other for other in known if other.name == key.name and not other.namespace]
            own = make_object_key(new.metadata, new.origin)
            if own in known or len(unstated) == 1:
                return (own, known[own]) if own in known else (unstated[0], known[unstated[0]])
        return key, None


def _resolve_namespace(daemonset: DaemonSet, namespace_flag: str, default: str) -> str:
    own = daemonset.metadata.namespace
    if own and namespace_flag and own != namespace_flag:
        raise UsageError(
            f'the namespace from the provided object "{own}" does not match the namespace "{namespace_flag}". '
            f"You must pass '--namespace={own}' to perform this operation."
        )
    return own or namespace_flag or default


def _read_objects(command: ApplyFiles | DeleteFiles, read_file: ObjectReader) -> list[object]:
    objects = [item for argument in command.iter_arguments() for item in read_file(argument)]
    if not objects:
        raise InputError(messages.describe_no_objects(list(command.files)))
    return objects


def _is_selected(command: ApplyFiles, item: object) -> bool:
    metadata = getattr(item, "metadata", None)
    labels = metadata.labels if isinstance(metadata, Metadata) else {}
    if isinstance(item, OperatorResource):
        labels = read_labels(item)
    return command.selector is None or command.selector.selects(labels)


def _is_declared(item: object) -> bool:
    """Whether a DaemonSet stands next to the custom resource that declares it."""
    return isinstance(item, DaemonSet) and item.declaration is not None


def _describe_other_kinds(objects: Iterable[object]) -> tuple[str, ...]:
    kinds = Counter(_get_kind(item) for item in objects if not isinstance(item, DaemonSet | Node | OperatorResource))
    return (messages.format_other_kinds(kinds),) if kinds else ()


def _get_kind(item: object) -> str:
    """The kind of an object: its own word where the reader of files knows no type for it."""
    kind = getattr(item, "kind", "")
    return kind if isinstance(kind, str) and kind else type(item).__name__
