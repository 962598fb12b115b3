"""`kubectl patch` of the custom resource of an operator: the operator then updates, makes or deletes its DaemonSets."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from preflight.change import workload_verbs
from preflight.change.apply_custom_resource import find_undeclared, update_declared
from preflight.change.apply_merge import may_be_updated
from preflight.change.model import Change
from preflight.errors import UsageError
from preflight.kubectl.commands import PatchObjects, PatchType
from preflight.kubectl.patch.decode import apply_patch
from preflight.messages import change as messages
from preflight.model.apps import DaemonSet
from preflight.model.cascade import Cascade
from preflight.model.declaration import OperatorResource
from preflight.model.meta import ObjectKey
from preflight.model.world import ClusterState
from preflight.operators.declare import declare_daemonsets
from preflight.operators.resource import CustomKind

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
    named = {name: _find(world, command, name) for name in command.targets.names}
    if command.patch_type is PatchType.STRATEGIC:
        raise UsageError(f"{_NO_STRATEGIC_PATCH}{messages.TYPE_OF_CUSTOM_PATCH}")
    patched = {id(old): replace(old, data=apply_patch(command.patch_type, old.data, data)) for old in named.values()}
    resources = tuple(patched.get(id(resource), resource) for resource in world.operator_resources)
    kinds = {(resource.kind, resource.name) for resource in named.values()}
    declared = [daemonset for daemonset in declare_daemonsets(resources) if _is_declared_by(daemonset, kinds)]
    after: dict[ObjectKey, DaemonSet] = {}
    for daemonset in declared:
        after |= update_declared(world, daemonset)
    gone = find_undeclared(world, declared, kinds)
    same = [str(key) for key, daemonset in after.items() if world.daemonsets.get(key) is daemonset]
    return Change(
        command=command.text,
        headline=messages.format_verb_headline("patch", [f"{command.resource}/{name}" for name in named]),
        before=world,
        after=replace(workload_verbs.with_daemonsets(world, after, gone), operator_resources=resources),
        daemonsets=frozenset(after) | gone,
        updated_daemonsets=frozenset(key for key, new in after.items() if may_be_updated(world.daemonsets.get(key), new)),
        deleted_daemonsets=dict.fromkeys(sorted(gone), Cascade.BACKGROUND),
        notes=(messages.format_nothing_changes(same),) if same else (),
    )


def _find(world: ClusterState, command: PatchObjects, name: str) -> OperatorResource:
    namespace = command.targets.namespace
    for resource in world.operator_resources:
        is_meant = resource.name == name and CustomKind(resource.kind, resource.group).resource == command.resource
        if is_meant and (not namespace or resource.namespace in ("", namespace)):
            return resource
    raise UsageError(f'{command.resource} "{name}" not found{messages.NO_LIVE_CUSTOM_RESOURCES if world.listing else ""}')


def _is_declared_by(daemonset: DaemonSet, kinds: set[tuple[str, str]]) -> bool:
    declaration = daemonset.declaration
    return declaration is not None and (declaration.kind, declaration.name) in kinds
