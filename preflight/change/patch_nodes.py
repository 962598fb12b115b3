"""`kubectl patch` of nodes: labels, taints and `unschedulable`, which decide where pods run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from preflight.change.model import Change
from preflight.change.node_lifecycle import label_notes, put_back, taint_notes
from preflight.change.node_pools import left_alone
from preflight.change.node_selection import Met, changed, meet
from preflight.change.node_verbs import ended_between, schedulable, with_labels, with_taints
from preflight.errors import InputError, UsageError
from preflight.kubectl.apiserver import known_fields
from preflight.kubectl.apiserver.errors import field, invalid
from preflight.kubectl.commands import Patch
from preflight.kubectl.formatting import listed
from preflight.kubectl.patch.decode import applied
from preflight.model.convert import convert
from preflight.model.objects import Node, Refusal, Taint
from preflight.model.world import World
from preflight.scheduling.validation import label_refusals, taint_refusals

_LABELS, _TAINTS = "/metadata/labels", "/spec/taints"
_READ = (_LABELS, _TAINTS, "/metadata/annotations", "/spec/unschedulable")
_WHOLE = (_LABELS, _TAINTS, "/spec/unschedulable")


class _Patch(NamedTuple):
    """A patch as far as nodes are read: its type, its data, and the pointers of operations that are left out."""

    kind: str
    data: Any
    left: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()


def patch(command: Patch, world: World, data: Any) -> Change:
    """Perform `kubectl patch node` with the data of its patch.

    1. Labels, taints and `unschedulable` are patched; a list of taints is replaced as a whole, unless a JSON patch adds to it.
    2. What follows from them is as after `kubectl label`, `taint` and `cordon`.
    3. An operation of a JSON patch on any other field is left out, with a note; where it tests, moves or copies one, nobody knows whether
       it succeeds.
    4. A node that was not given is patched as far as the patch alone says what is there afterwards.

    Errors: UsageError, in the server's words, for a patch that cannot be applied and for a result that is refused; InputError for one
    that asks what stands in a node that was not given.
    """
    met = meet(world, command.chosen)
    wanted = _wanted(command.kind, data)
    misspelt: dict[str, None] = {}
    after = changed(met, lambda node: _patched(node, wanted, misspelt))
    back = {node.name: again for node in met.nodes if (again := put_back(node, after[node.name])) is not after[node.name]}
    notes = [*met.notes, *(f'unknown field "{name}": the API server warns and leaves it out' for name in misspelt)]
    notes += _notes(met, after, command.kind)
    notes += [f"not judged: the patch of {listed(wanted.left)}"] if wanted.left else []
    return Change(
        command=command.text,
        headline=f"patch {listed(met.names)}",
        before=met.world,
        after=met.with_nodes({**after, **back}),
        nodes=frozenset(met.names),
        ended=ended_between(world, [node for node in met.nodes if node.name in back], after),
        taints=tuple(dict.fromkeys(taint for node in met.nodes for taint in _differing(node, after[node.name]))),
        notes=(*notes, *left_alone(met.world, met.names)),
        unknown=(*met.unknown, *wanted.unsure, *_unknown(met, wanted)),
    )


def _wanted(kind: str, data: Any) -> _Patch:
    if kind != "json":
        return _Patch(kind, data)
    kept, left, unsure = [], [], []
    for operation in data:
        pointers = [pointer for name in ("path", "from") if isinstance(pointer := operation.get(name), str)]
        if all(pointer.startswith(_READ) for pointer in pointers):
            kept.append(operation)
        elif operation.get("op") in ("add", "remove", "replace"):
            left += pointers
        else:
            unsure.append(f"whether `{operation.get('op')}` of {' and '.join(pointers)} succeeds: that field is not read")
    return _Patch(kind, kept, tuple(left), tuple(unsure))


def _patched(node: Node, wanted: _Patch, misspelt: dict[str, None]) -> Node:
    before = _plain(node)
    if node.partial and wanted.kind == "json":
        for operation in wanted.data:
            _make_room(node, operation, before)
    data, unknown = known_fields.known(applied(wanted.kind, before, wanted.data), known_fields.NODE)
    misspelt.update(dict.fromkeys(unknown))
    name = (data.get("metadata") or {}).get("name") or ""
    if name != node.name:
        raise UsageError(f"the name of the object ({name}) does not match the name on the URL ({node.name})")
    new, wrong = convert(data, Node, node.origin)
    if new is None or wrong:
        reasons = "; ".join(f"{field(each.path)}: {each.reason}" for each in wrong)
        raise UsageError(f"The request is invalid: patch: {reasons or 'no Node is left'}")
    known = set(_refusals(node))
    refused = [each for each in _refusals(new) if each not in known]
    if refused:
        raise UsageError(invalid("Node", node.name, refused))
    absent = (node.absent | _removed_labels(wanted)) - new.metadata.labels.keys() if node.partial else node.absent
    after = with_taints(with_labels(node, new.metadata.labels, absent), new.spec.taints)
    if new.spec.unschedulable is not node.spec.unschedulable or (node.partial and new.spec.unschedulable):
        after = schedulable(after, not new.spec.unschedulable)
    return after


def _plain(node: Node) -> dict[str, Any]:
    """The node as plain data, as far as it is read; a real node has labels and an annotation."""
    annotations = {"node": "", **node.metadata.annotations}
    spec: dict[str, Any] = {"unschedulable": True} if node.spec.unschedulable else {}
    if node.spec.taints:
        spec["taints"] = [{key: value for key, value in msgspec.to_builtins(taint).items() if value} for taint in node.spec.taints]
    metadata = {"name": node.name, "labels": dict(node.metadata.labels), "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec}


def _make_room(node: Node, operation: Mapping[str, Any], data: dict[str, Any]) -> None:
    """Let an operation meet what it needs in a node of which nobody knows what is there.

    Errors: InputError for one that depends on what is there.
    """
    kind, path = operation.get("op"), str(operation.get("path"))
    if path == f"{_TAINTS}/-" and kind == "add":
        data["spec"].setdefault("taints", [])
    elif kind == "remove" and path.startswith(f"{_LABELS}/"):
        data["metadata"]["labels"].setdefault(_key(path), "")
    elif not (kind in ("add", "replace") and (path in _WHOLE or path.startswith(f"{_LABELS}/"))):
        raise InputError(f"whether `{kind}` of {path} succeeds depends on what {node.name} has: give the node with --from")


def _key(pointer: str) -> str:
    return pointer.removeprefix(f"{_LABELS}/").replace("~1", "/").replace("~0", "~")


def _removed_labels(wanted: _Patch) -> frozenset[str]:
    if wanted.kind == "json":
        removing = (each["path"] for each in wanted.data if each.get("op") == "remove")
        return frozenset(_key(path) for path in removing if path.startswith(f"{_LABELS}/"))
    labels = wanted.data.get("metadata")
    labels = labels.get("labels") if isinstance(labels, dict) else None
    return frozenset(key for key, value in labels.items() if value is None) if isinstance(labels, dict) else frozenset()


def _refusals(node: Node) -> Iterator[Refusal]:
    yield from label_refusals(node.metadata.labels, ("metadata", "labels"))
    yield from taint_refusals(node.spec.taints, ("metadata", "taints"))


def _differing(before: Node, after: Node) -> Iterator[Taint]:
    """The taints that a patch adds to a node or takes from it."""
    yield from (taint for taint in after.spec.taints if taint not in before.spec.taints)
    yield from (taint for taint in before.spec.taints if taint not in after.spec.taints)


def _notes(met: Met, after: Mapping[str, Node], kind: str) -> Iterator[str]:
    """What is to be said: taints that a replaced list drops, what others put back or take away again, and where nothing changes."""
    dropped: dict[tuple[Taint, ...], list[str]] = {}
    lost: set[str] = set()
    added: dict[Taint, None] = {}
    for node in met.nodes:
        new = after[node.name]
        own = _own(node, new)
        gone = tuple(taint for taint in node.spec.taints if taint not in own)
        if gone and own and kind != "json" and own != node.spec.taints:
            dropped.setdefault(gone, []).append(node.name)
        lost |= {key for key, value in node.metadata.labels.items() if new.metadata.labels.get(key) != value}
        added.update((taint, None) for taint in own if taint not in node.spec.taints)
    for gone, names in dropped.items():
        yield f"the patch replaces the whole list of taints of {listed(names)}, and drops {listed(list(map(str, gone)))}"
    removed = dict.fromkeys(taint for node in met.nodes for taint in node.spec.taints if taint not in after[node.name].spec.taints)
    yield from taint_notes(added, removed, [after[name] for name in met.names])
    yield from label_notes(lost)
    same = [name for name in met.names if after[name] is met.world.nodes[name]]
    if same:
        yield f"nothing changes: {listed(same)}"


def _own(before: Node, after: Node) -> tuple[Taint, ...]:
    """The taints that the patch itself leaves: without the one that follows a cordon of its own."""
    if after.spec.unschedulable and not before.spec.unschedulable and after.spec.taints[:-1] == before.spec.taints:
        return before.spec.taints
    return after.spec.taints


def _unknown(met: Met, wanted: _Patch) -> Sequence[str]:
    """What nobody knows of a node that was not given: whether it has what an operation needs."""
    partial = [node.name for node in met.nodes if node.partial and node.pool is None]
    if not partial or wanted.kind != "json":
        return ()
    needs = [str(each["path"]) for each in wanted.data if each.get("op") == "remove" or each.get("path") == f"{_TAINTS}/-"]
    return tuple(f"whether {listed(partial)} has what {path} needs: judged as if" for path in needs)
