"""set image, rollout restart and deletion of DaemonSets, and how `ds/NAME` finds one."""

from __future__ import annotations

import copy
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from preflight.change.model import Change
from preflight.change.orphaned_pods import find_adopters, find_orphaned
from preflight.errors import InputError, UsageError
from preflight.kubectl.apiserver.defaults import finish_edit
from preflight.kubectl.commands import DeleteDaemonSets, RestartRollout, SetImage, TargetObjects
from preflight.messages import change as messages
from preflight.messages.load import describe_ambiguity
from preflight.messages.suggestions import suggest
from preflight.model.apps import DaemonSet
from preflight.model.cascade import Cascade
from preflight.model.convert import convert
from preflight.model.core import POD_TEMPLATE_SPEC
from preflight.model.meta import ObjectKey
from preflight.model.world import ClusterState
from preflight.operators.owner import find_owning_resource

RESTARTED = "kubectl.kubernetes.io/restartedAt"
_NOW = "now"


def set_image(command: SetImage, world: ClusterState) -> Change:
    """Perform `kubectl set image`: the image of every container and init container of that name, or of all of them for `*`.

    A DaemonSet whose images are these already is not updated. One of a snapshot stays what it was recognised as: another program than
    before in a container is a note.

    Errors: UsageError, in kubectl's words, for a container that is not there; InputError where only a custom resource declares it.
    """
    keys = find_daemonsets(world, command.daemonsets)
    for key in keys:
        if (declaration := world.daemonsets[key].declaration) is not None:
            raise InputError(messages.describe_unknown_containers(key, f"{declaration.kind} {declaration.name}"))
    after = {key: _edit_daemonset(world.daemonsets[key], lambda spec: _set_images(spec, command.images)) for key in keys}
    headline = messages.format_image_headline(command.images, [str(key) for key in keys])
    change = _build_update(command.text, headline, world, after, messages.IMAGES_UNCHANGED)
    other = [str(key) for key in keys if after[key].kept and _image_programs(after[key]) != _image_programs(world.daemonsets[key])]
    notes = [messages.format_recognized_before(other)] if other else []
    changed = [key for key in keys if after[key] is not world.daemonsets[key]]
    return msgspec.structs.replace(
        change, notes=(*change.notes, *_describe_owners(world, changed, messages.describe_reverted_image), *notes)
    )


def restart(command: RestartRollout, world: ClusterState) -> Change:
    """Perform `kubectl rollout restart`: an annotation of the template, so that every pod is replaced.

    Its text is fixed: no clock is read.
    """
    keys = find_daemonsets(world, command.daemonsets)
    after = {key: _edit_daemonset(world.daemonsets[key], _set_restart_annotation, ("spec", "template")) for key in keys}
    return _build_update(command.text, messages.format_verb_headline("restart", [str(key) for key in keys]), world, after)


def delete(command: DeleteDaemonSets, world: ClusterState) -> Change:
    """Perform `kubectl delete daemonset`: with `--cascade=orphan` the pods stay, and nothing replaces them."""
    keys = find_daemonsets(world, command.daemonsets, ignore_missing=command.ignore_missing)
    change = delete_daemonsets(command.text, world, keys, command.cascade)
    notes = _describe_owners(world, keys, messages.describe_recreated_daemonset)
    return msgspec.structs.replace(change, notes=(*notes, *change.notes))


def _describe_owners(world: ClusterState, keys: Iterable[ObjectKey], describe: Callable[[str], str]) -> Iterator[str]:
    """What operators do about a change of the DaemonSets that they made."""
    for key in keys:
        owner = find_owning_resource(world.daemonsets[key], world.declared_daemonsets.get(key))
        if owner is not None:
            yield messages.format_about(key, describe(str(owner)))


def delete_daemonsets(text: str, world: ClusterState, keys: Iterable[ObjectKey], cascade: Cascade) -> Change:
    """The deletion of these DaemonSets."""
    deleted = dict.fromkeys(keys, cascade)
    left = {key: world.daemonsets[key] for key in deleted} if cascade is Cascade.ORPHAN else {}
    return Change(
        command=text,
        headline=messages.format_deletion_headline([str(key) for key in deleted], cascade) if deleted else messages.DELETES_NOTHING,
        before=world,
        after=with_daemonsets(world, {}, deleted, left),
        daemonsets=frozenset(deleted),
        deleted_daemonsets=deleted,
        notes=tuple(_describe_adoptions(world, left, deleted)) if deleted else (messages.NO_SUCH_DAEMONSET,),
    )


def _describe_adoptions(world: ClusterState, orphans: Mapping[ObjectKey, DaemonSet], deleted: Container[ObjectKey]) -> Iterator[str]:
    """Who adopts the pods that are left, and what that means where both have one."""
    for key, daemonset in orphans.items():
        for owner in find_adopters(daemonset, world.daemonsets, deleted):
            yield messages.format_adopter(owner, key)


def find_daemonsets(world: ClusterState, chosen: TargetObjects, *, ignore_missing: bool = False) -> tuple[ObjectKey, ...]:
    """The DaemonSets that a command chooses, in order of their names.

    1. Without `-n` the namespace is `default`. An object that states no namespace is taken where none of that namespace has the name.
    2. A selector and `--all` choose in that namespace, and among the objects that state none; `-A` everywhere.

    Errors: UsageError in kubectl's words for a name that is not there, with the one namespace where it is; InputError where the name stands
    twice, where nothing is chosen, or where the DaemonSets of the namespace could not be listed.
    """
    namespace = chosen.namespace or world.default_namespace
    why = "" if chosen.all_namespaces else world.find_unlisted_reason("DaemonSet", namespace)
    if why:
        raise InputError(messages.describe_unlisted_daemonsets(namespace, why))
    if chosen.names:
        keys = [
            _find_one(world, name, namespace, chosen.namespace)
            for name in chosen.names
            if not ignore_missing or _exists(world, name, namespace)
        ]
        return tuple(sorted(keys))
    keys = [
        key
        for key, daemonset in world.daemonsets.items()
        if (chosen.all_namespaces or key.namespace in (namespace, ""))
        and (chosen.selector is None or chosen.selector.selects(daemonset.metadata.labels))
    ]
    if not keys and not ignore_missing:
        raise InputError(
            messages.describe_no_daemonset(
                chosen.selector, namespace, _describe_given(world), {key.namespace for key in world.daemonsets if key.namespace}
            )
        )
    return tuple(sorted(keys))


def with_daemonsets(
    world: ClusterState,
    changed: Mapping[ObjectKey, DaemonSet],
    deleted: Container[ObjectKey] = (),
    orphans: Mapping[ObjectKey, DaemonSet] = MappingProxyType({}),
) -> ClusterState:
    """The world with these DaemonSets, new or in place of those of the same key, and without the deleted ones.

    `orphans` are those of the deleted whose pods stay. `workloads` follows: a new DaemonSet stands last. The same world where nothing
    changes.
    """
    after = {key: daemonset for key, daemonset in {**world.daemonsets, **changed}.items() if key not in deleted}
    if len(after) == len(world.daemonsets) and all(world.daemonsets.get(key) is daemonset for key, daemonset in after.items()):
        return world
    now = {id(daemonset): after.get(key) for key, daemonset in world.daemonsets.items() if after.get(key) is not daemonset}
    kept = (now.get(id(workload), workload) for workload in world.workloads)
    new = (daemonset for key, daemonset in changed.items() if key not in world.daemonsets)
    return msgspec.structs.replace(
        world,
        daemonsets=dict(sorted(after.items())),
        deleted_daemonsets=(world.deleted_daemonsets | {key for key in world.daemonsets if key in deleted}) - after.keys(),
        orphaned_daemonsets=find_orphaned(world.orphaned_daemonsets, orphans, after.values())
        if world.orphaned_daemonsets or orphans
        else world.orphaned_daemonsets,
        workloads=(*(workload for workload in kept if workload is not None), *new),
    )


def to_plain(daemonset: DaemonSet) -> dict[str, Any]:
    """A DaemonSet as plain data; never to be changed in place."""
    if daemonset.data:
        return daemonset.data
    built: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(daemonset))
    return {name: value for name, value in built.items() if not name.startswith("\ue000")}


def from_plain(data: dict[str, Any], original: DaemonSet) -> DaemonSet:
    """The DaemonSet that plain data makes, from the place of another.

    What a snapshot kept of that one, and how a custom resource declares it, hold for the new one too.

    Errors: InputError where it is none any more.
    """
    daemonset, _ = convert(data, DaemonSet, original.origin)
    if daemonset is None:
        raise InputError(messages.describe_no_daemonset_left(original.key))
    if original.kept or original.declaration is not None:
        daemonset = msgspec.structs.replace(daemonset, kept=original.kept, declaration=original.declaration)
    return daemonset


def _exists(world: ClusterState, name: str, namespace: str) -> bool:
    return any(key.name == name and key.namespace in (namespace, "") for key in world.daemonsets)


def _find_one(world: ClusterState, name: str, namespace: str, namespace_flag: str) -> ObjectKey:
    named = [key for key in world.daemonsets if key.name == name]
    for wanted in (namespace, ""):
        keys = [key for key in named if key.namespace == wanted]
        if len(keys) > 1:
            places = [world.daemonsets[key].origin.file for key in keys]
            raise InputError(messages.describe_unstated_namespace(name, places))
        if keys:
            return keys[0]
    for ambiguity in world.ambiguities:
        if ambiguity.kind == "DaemonSet" and ambiguity.key.name == name and ambiguity.key.namespace in (namespace, ""):
            raise InputError(describe_ambiguity(ambiguity))
    elsewhere = sorted({key.namespace for key in named})
    refusal = f'daemonsets.apps "{name}" not found in namespace {namespace}' if namespace_flag else f'daemonsets.apps "{name}" not found'
    if elsewhere:
        raise UsageError(f"{refusal}{messages.suggest_namespace(elsewhere)}")
    hint = suggest(name, {key.name for key in world.daemonsets}) or f" ({_describe_given(world)})"
    raise UsageError(f"{refusal}{hint}")


def _describe_given(world: ClusterState) -> str:
    names = sorted({str(key) for key in world.daemonsets})
    return messages.list_given_daemonsets(names)


def _build_update(text: str, headline: str, world: ClusterState, after: Mapping[ObjectKey, DaemonSet], unchanged_note: str = "") -> Change:
    updated = frozenset(key for key, daemonset in after.items() if daemonset is not world.daemonsets[key])
    left = [str(key) for key in after if key not in updated]
    return Change(
        command=text,
        headline=headline,
        before=world,
        after=with_daemonsets(world, after),
        daemonsets=frozenset(after),
        updated_daemonsets=updated,
        notes=(messages.format_not_updated(left, unchanged_note),) if left else (),
    )


def _edit_daemonset(daemonset: DaemonSet, edit: Callable[[dict[str, Any]], None], path: tuple[str, ...] = POD_TEMPLATE_SPEC) -> DaemonSet:
    """The DaemonSet after an edit of a copy of what stands at the path; the same object where the edit changes nothing."""
    data = to_plain(daemonset)
    after = dict(data)
    place = after
    for name in path:
        place[name] = dict(place.get(name) or {})
        place = place[name]
    changed = copy.deepcopy(place)
    edit(changed)
    if changed == place:
        return daemonset
    place.clear()
    place.update(changed)
    return from_plain(finish_edit(after, data), daemonset)


def _set_images(spec: dict[str, Any], images: Mapping[str, str]) -> None:
    lists = [spec.get(name) for name in ("initContainers", "containers")]
    containers = [container for found in lists if isinstance(found, list) for container in found if isinstance(container, dict)]
    missing = []
    for name, image in images.items():
        wanted = [container for container in containers if name in ("*", container.get("name"))]
        if not wanted:
            missing.append(name)
        for container in wanted:
            container["image"] = image
    if missing:
        raise UsageError("\n".join(f'unable to find container named "{name}"' for name in missing))
    if "" in images.values():
        raise UsageError("failed to patch image update to pod template: image: Required value")


def _image_programs(daemonset: DaemonSet) -> list[str]:
    """The last parts of the images, without tag and digest."""
    spec = daemonset.spec.template.spec
    return [
        init_container.image.partition("@")[0].rpartition("/")[2].partition(":")[0]
        for init_container in (*spec.initContainers, *spec.containers)
    ]


def _as_map(value: object) -> dict[str, Any]:
    """A map as it is; an empty one for null, and for what the API server would refuse."""
    return value if isinstance(value, dict) else {}


def _set_restart_annotation(template: dict[str, Any]) -> None:
    metadata = template["metadata"] = _as_map(template.get("metadata"))
    annotations = metadata["annotations"] = _as_map(metadata.get("annotations"))
    annotations[RESTARTED] = f"{annotations.get(RESTARTED, '')} {_NOW}".strip()
