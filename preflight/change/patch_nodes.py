"""`kubectl patch` of nodes: labels, taints and `unschedulable`, which decide where pods run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from preflight.change.model import Change
from preflight.change.node_lifecycle import describe_label_reversals, describe_taint_reversals, restore_kubelet_labels
from preflight.change.node_pools import describe_unchanged_pools
from preflight.change.node_selection import NodeTargets, change_nodes, resolve_node_targets
from preflight.change.node_verbs import find_ended_pods, set_schedulable, with_labels, with_taints
from preflight.errors import InputError, UsageError
from preflight.kubectl.apiserver import known_fields
from preflight.kubectl.apiserver.errors import format_field_path, format_invalid
from preflight.kubectl.commands import PatchObjects, PatchType
from preflight.kubectl.patch.decode import apply_patch
from preflight.messages import change as messages
from preflight.model.convert import convert
from preflight.model.core import Node, Taint
from preflight.model.meta import Refusal
from preflight.model.world import ClusterState
from preflight.scheduling.validation import validate_labels, validate_taints

_LABELS, _TAINTS = "/metadata/labels", "/spec/taints"
_READ = (_LABELS, _TAINTS, "/metadata/annotations", "/spec/unschedulable")
_WHOLE = (_LABELS, _TAINTS, "/spec/unschedulable")


class _NodePatch(NamedTuple):
    """A patch as far as nodes are read: its type, its data, and the pointers of operations that are left out."""

    patch_type: PatchType
    data: Any
    skipped_pointers: tuple[str, ...] = ()
    uncertain_pointers: tuple[str, ...] = ()


def patch(command: PatchObjects, world: ClusterState, data: Any) -> Change:
    """Perform `kubectl patch node` with the data of its patch.

    1. Labels, taints and `unschedulable` are patched; a list of taints is replaced as a whole, unless a JSON patch adds to it.
    2. What follows from them is as after `kubectl label`, `taint` and `cordon`.
    3. An operation of a JSON patch on any other field is left out, with a note; where it tests, moves or copies one, nobody knows whether
       it succeeds.
    4. A node that was not given is patched as far as the patch alone says what is there afterwards.

    Errors: UsageError, in the server's words, for a patch that cannot be applied and for a result that is refused; InputError for one
    that asks what stands in a node that was not given.
    """
    met = resolve_node_targets(world, command.targets)
    wanted = _parse_node_patch(command.patch_type, data)
    misspelt: dict[str, None] = {}
    after = change_nodes(met, lambda node: _apply_to_node(node, wanted, misspelt))
    back = {node.name: again for node in met.nodes if (again := restore_kubelet_labels(node, after[node.name])) is not after[node.name]}
    notes = [*met.notes, *(messages.format_unknown_field(name) for name in misspelt)]
    notes += _iter_notes(met, after, command.patch_type)
    notes += [messages.format_skipped_fields(wanted.skipped_pointers)] if wanted.skipped_pointers else []
    return Change(
        command=command.text,
        headline=messages.format_verb_headline("patch", met.names),
        before=met.world,
        after=met.with_nodes({**after, **back}),
        nodes=frozenset(met.names),
        deleted_pod_nodes=find_ended_pods(world, [node for node in met.nodes if node.name in back], after),
        taints=tuple(dict.fromkeys(taint for node in met.nodes for taint in _iter_changed_taints(node, after[node.name]))),
        notes=(*notes, *describe_unchanged_pools(met.world, met.names)),
        unknowns=(*met.unknowns, *wanted.uncertain_pointers, *_describe_unknowns(met, wanted)),
    )


def _parse_node_patch(patch_type: PatchType, data: Any) -> _NodePatch:
    if patch_type is not PatchType.JSON:
        return _NodePatch(patch_type, data)
    kept, left, unsure = [], [], []
    for operation in data:
        pointers = [pointer for name in ("path", "from") if isinstance(pointer := operation.get(name), str)]
        if all(pointer.startswith(_READ) for pointer in pointers):
            kept.append(operation)
        elif operation.get("op") in ("add", "remove", "replace"):
            left += pointers
        else:
            unsure.append(messages.format_unread_operation(operation.get("op"), pointers))
    return _NodePatch(patch_type, kept, tuple(left), tuple(unsure))


def _apply_to_node(node: Node, node_patch: _NodePatch, unknown_fields: dict[str, None]) -> Node:
    before = _to_plain(node)
    if node.is_partial and node_patch.patch_type is PatchType.JSON:
        for operation in node_patch.data:
            _add_missing_parents(node, operation, before)
    data, unknown = known_fields.drop_unknown_fields(apply_patch(node_patch.patch_type, before, node_patch.data), known_fields.NODE_FIELDS)
    unknown_fields.update(dict.fromkeys(unknown))
    name = (data.get("metadata") or {}).get("name") or ""
    if name != node.name:
        raise UsageError(f"the name of the object ({name}) does not match the name on the URL ({node.name})")
    new, wrong = convert(data, Node, node.origin)
    if new is None or wrong:
        reasons = "; ".join(f"{format_field_path(error.path)}: {error.reason}" for error in wrong)
        raise UsageError(f"The request is invalid: patch: {reasons or 'no Node is left'}")
    known = set(_iter_refusals(node))
    refused = [refusal for refusal in _iter_refusals(new) if refusal not in known]
    if refused:
        raise UsageError(format_invalid("Node", node.name, refused))
    absent = (
        (node.absent_labels | _find_removed_labels(node_patch)) - new.metadata.labels.keys()
        if node.has_unknown_labels
        else node.absent_labels
    )
    after = with_taints(with_labels(node, new.metadata.labels, absent), new.spec.taints)
    if new.spec.unschedulable is not node.spec.unschedulable or (node.is_partial and new.spec.unschedulable):
        after = set_schedulable(after, not new.spec.unschedulable)
    return after


def _to_plain(node: Node) -> dict[str, Any]:
    """The node as plain data, as far as it is read; a real node has labels and an annotation."""
    annotations = {"node": "", **node.metadata.annotations}
    spec: dict[str, Any] = {"unschedulable": True} if node.spec.unschedulable else {}
    if node.spec.taints:
        spec["taints"] = [{key: value for key, value in msgspec.to_builtins(taint).items() if value} for taint in node.spec.taints]
    metadata = {"name": node.name, "labels": dict(node.metadata.labels), "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec}


def _add_missing_parents(node: Node, operation: Mapping[str, Any], data: dict[str, Any]) -> None:
    """Let an operation meet what it needs in a node of which nobody knows what is there.

    Errors: InputError for one that depends on what is there.
    """
    kind, path = operation.get("op"), str(operation.get("path"))
    if path == f"{_TAINTS}/-" and kind == "add":
        data["spec"].setdefault("taints", [])
    elif kind == "remove" and path.startswith(f"{_LABELS}/"):
        data["metadata"]["labels"].setdefault(_label_key(path), "")
    elif not (kind in ("add", "replace") and (path in _WHOLE or path.startswith(f"{_LABELS}/"))):
        raise InputError(messages.describe_unknown_node(kind, path, node.name))


def _label_key(pointer: str) -> str:
    return pointer.removeprefix(f"{_LABELS}/").replace("~1", "/").replace("~0", "~")


def _find_removed_labels(node_patch: _NodePatch) -> frozenset[str]:
    if node_patch.patch_type is PatchType.JSON:
        removing = (item["path"] for item in node_patch.data if item.get("op") == "remove")
        return frozenset(_label_key(path) for path in removing if path.startswith(f"{_LABELS}/"))
    labels = node_patch.data.get("metadata")
    labels = labels.get("labels") if isinstance(labels, dict) else None
    return frozenset(key for key, value in labels.items() if value is None) if isinstance(labels, dict) else frozenset()


def _iter_refusals(node: Node) -> Iterator[Refusal]:
    yield from validate_labels(node.metadata.labels, ("metadata", "labels"))
    yield from validate_taints(node.spec.taints, ("metadata", "taints"))


def _iter_changed_taints(before: Node, after: Node) -> Iterator[Taint]:
    """The taints that a patch adds to a node or takes from it."""
    yield from (taint for taint in after.spec.taints if taint not in before.spec.taints)
    yield from (taint for taint in before.spec.taints if taint not in after.spec.taints)


def _iter_notes(targets: NodeTargets, after: Mapping[str, Node], patch_type: PatchType) -> Iterator[str]:
    """What is to be said: taints that a replaced list drops, what others put back or take away again, and where nothing changes."""
    dropped: dict[tuple[Taint, ...], list[str]] = {}
    lost: set[str] = set()
    added: dict[Taint, None] = {}
    for node in targets.nodes:
        new = after[node.name]
        own = _own_taints(node, new)
        gone = tuple(taint for taint in node.spec.taints if taint not in own)
        if gone and own and patch_type is not PatchType.JSON and own != node.spec.taints:
            dropped.setdefault(gone, []).append(node.name)
        lost |= {key for key, value in node.metadata.labels.items() if new.metadata.labels.get(key) != value}
        added.update((taint, None) for taint in own if taint not in node.spec.taints)
    for gone, names in dropped.items():
        yield messages.format_dropped_taints(names, gone)
    removed = dict.fromkeys(taint for node in targets.nodes for taint in node.spec.taints if taint not in after[node.name].spec.taints)
    yield from describe_taint_reversals(added, removed, [after[name] for name in targets.names])
    yield from describe_label_reversals(lost)
    same = [name for name in targets.names if after[name] is targets.world.nodes[name]]
    if same:
        yield messages.format_nothing_changes(same)


def _own_taints(before: Node, after: Node) -> tuple[Taint, ...]:
    """The taints that the patch itself leaves: without the one that follows a cordon of its own."""
    if after.spec.unschedulable and not before.spec.unschedulable and after.spec.taints[:-1] == before.spec.taints:
        return before.spec.taints
    return after.spec.taints


def _describe_unknowns(targets: NodeTargets, node_patch: _NodePatch) -> Sequence[str]:
    """What nobody knows of a node that was not given: whether it has what an operation needs."""
    partial = [node.name for node in targets.nodes if node.is_partial and node.pool is None]
    if not partial or node_patch.patch_type is not PatchType.JSON:
        return ()
    needs = [str(item["path"]) for item in node_patch.data if item.get("op") == "remove" or item.get("path") == f"{_TAINTS}/-"]
    return tuple(messages.format_unknown_need(partial, path) for path in needs)
