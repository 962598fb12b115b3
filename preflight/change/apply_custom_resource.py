"""`kubectl apply` and `kubectl delete` of custom resources that operators read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from preflight.change.custom_resources import OperatorReaction, is_same_resource, predict_reaction, read_labels, replace_resources
from preflight.change.model import Change
from preflight.change.workload_verbs import delete_daemonsets
from preflight.errors import InputError, UsageError
from preflight.kubectl.apiserver.defaults import LAST_APPLIED
from preflight.kubectl.commands import DeleteCustomResources, TargetObjects
from preflight.kubectl.patch.json_patch import apply_merge_patch
from preflight.messages import change as messages
from preflight.model.cascade import Cascade
from preflight.model.declaration import OperatorResource
from preflight.model.world import ClusterState
from preflight.operators.resource import CustomKind


def apply_resources(world: ClusterState, applied: Iterable[OperatorResource]) -> OperatorReaction:
    """What operators do once manifests of custom resources are applied."""
    merged = [_apply(world, new) for new in applied]
    return predict_reaction(world, replace_resources(world.operator_resources, merged), merged)


def delete_resources(world: ClusterState, deleted: Iterable[OperatorResource]) -> OperatorReaction:
    """What operators do once custom resources are deleted: their DaemonSets go with them."""
    gone = list(deleted)
    kept = tuple(old for old in world.operator_resources if not any(is_same_resource(old, resource) for resource in gone))
    return predict_reaction(world, kept, ())


def delete(command: DeleteCustomResources, world: ClusterState) -> Change:
    """Perform `kubectl delete` of custom resources: their operators delete the DaemonSets, in the background.

    Errors: UsageError in kubectl's words for a resource that is not there; InputError where the resources could not be listed.
    """
    found = find_resources(world, command.resource, command.targets, ignore_missing=command.ignore_missing)
    reaction = delete_resources(world, found)
    change = delete_daemonsets(command.text, world, sorted(reaction.deleted), Cascade.BACKGROUND)
    return replace(
        change,
        headline=messages.format_verb_headline("delete", [f"{command.resource}/{resource.name}" for resource in found]),
        after=replace(change.after, operator_resources=reaction.resources),
    )


def find_resources(
    world: ClusterState, resource: str, targets: TargetObjects, *, ignore_missing: bool = False
) -> tuple[OperatorResource, ...]:
    """The custom resources that a command means, in the order of its names.

    Errors: UsageError in kubectl's words for one that was not read; InputError where the resources could not be listed.
    """
    if why := world.find_unlisted_reason(resource, targets.namespace or world.default_namespace):
        raise InputError(messages.describe_unlisted_resources(resource, why))
    known = [
        own
        for own in world.operator_resources
        if CustomKind(own.kind, own.group).resource == resource and (not targets.namespace or own.namespace in ("", targets.namespace))
    ]
    if not targets.names:
        return tuple(own for own in known if targets.selector is None or targets.selector.selects(read_labels(own)))
    missing = [name for name in targets.names if all(own.name != name for own in known)]
    if missing and not ignore_missing:
        raise UsageError(f'{resource} "{missing[0]}" not found')
    return tuple(next(own for own in known if own.name == name) for name in targets.names if name not in missing)


def _apply(world: ClusterState, new: OperatorResource) -> OperatorResource:
    """The resource as the API server then has it.

    1. One that came from a manifest is replaced as a whole: that manifest was the last one applied.
    2. One of a cluster is merged: maps key by key, lists are replaced, and what the last applied manifest had and the new one has not
       is removed.

    Source: kubectl `pkg/cmd/apply/patcher.go`, for types that are not built in.
    """
    for old in world.operator_resources:
        metadata = old.data.get("metadata")
        if is_same_resource(old, new) and isinstance(metadata, Mapping) and metadata.get("uid"):
            data = apply_merge_patch(old.data, _remove_absent(_read_last_applied(metadata), new.data))
            return replace(new, namespace=old.namespace, data=data)
    return new


def _read_last_applied(metadata: Mapping[str, Any]) -> Any:
    annotations = metadata.get("annotations")
    try:
        return json.loads(annotations[LAST_APPLIED]) if isinstance(annotations, Mapping) else {}
    except (KeyError, TypeError, ValueError, RecursionError):
        return {}


def _remove_absent(last: Any, new: Any) -> Any:
    """The new manifest as a merge patch: null for what the last one had, and this one has not."""
    if not isinstance(last, Mapping) or not isinstance(new, Mapping):
        return new
    return {
        **{name: None for name in last if name not in new},
        **{name: _remove_absent(last.get(name), value) for name, value in new.items()},
    }
