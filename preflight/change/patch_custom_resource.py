"""`kubectl patch` of the custom resource of an operator: the operator then updates, makes or deletes its DaemonSets."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from preflight.change.apply_custom_resource import find_resources
from preflight.change.apply_merge import may_be_updated
from preflight.change.custom_resources import predict_reaction
from preflight.change.model import Change
from preflight.errors import UsageError
from preflight.kubectl.commands import PatchObjects, PatchType
from preflight.kubectl.patch.decode import apply_patch
from preflight.messages import change as messages
from preflight.model.cascade import Cascade
from preflight.model.world import ClusterState

_NO_STRATEGIC_PATCH = (
    "the body of the request was in an unknown format - accepted media types include: "
    "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
)


def patch(command: PatchObjects, world: ClusterState, data: Any) -> Change:
    """Perform `kubectl patch` of custom resources that were read.

    1. A patch of the default type, a strategic merge patch, is refused: the API server refuses it for every custom resource.
    2. The DaemonSets that the operator makes of the patched resources are updated if their template differs; those that the resources
       do not declare any more are deleted.

    Errors: UsageError in kubectl's words for a resource that was not read, and for a patch that cannot be applied.
    """
    named = {resource.name: resource for resource in find_resources(world, command.resource, command.targets)}
    if command.patch_type is PatchType.STRATEGIC:
        raise UsageError(f"{_NO_STRATEGIC_PATCH}{messages.TYPE_OF_CUSTOM_PATCH}")
    patched = {id(old): replace(old, data=apply_patch(command.patch_type, old.data, data)) for old in named.values()}
    resources = tuple(patched.get(id(resource), resource) for resource in world.operator_resources)
    reaction = predict_reaction(world, resources, named.values())
    same = [str(key) for key, daemonset in reaction.daemonsets.items() if world.daemonsets.get(key) is daemonset]
    return Change(
        command=command.text,
        headline=messages.format_verb_headline("patch", [f"{command.resource}/{name}" for name in named]),
        before=reaction.before,
        after=reaction.apply_to(reaction.before),
        daemonsets=frozenset(reaction.daemonsets) | reaction.deleted,
        updated_daemonsets=frozenset(key for key, new in reaction.daemonsets.items() if may_be_updated(world.daemonsets.get(key), new)),
        deleted_daemonsets=dict.fromkeys(sorted(reaction.deleted), Cascade.BACKGROUND),
        notes=(messages.format_nothing_changes(same),) if same else (),
    )
