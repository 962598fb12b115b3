"""What a changed custom resource means: its operator updates, makes or deletes DaemonSets."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from preflight.change.workload_verbs import from_plain, to_plain, with_daemonsets
from preflight.model.apps import DaemonSet
from preflight.model.core import POD_TEMPLATE_SPEC
from preflight.model.declaration import Declaration, OperatorResource
from preflight.model.meta import ObjectKey
from preflight.model.world import ClusterState
from preflight.operators.assigned_labels import add_assigned_labels
from preflight.operators.declare import declare_daemonsets
from preflight.operators.versions import list_images

_SPEC_FIELDS = ("tolerations", "nodeSelector", "affinity", "priorityClassName")


class ResourceKey(NamedTuple):
    """What tells a custom resource from others; `namespace` is "" where none is stated."""

    kind: str
    group: str
    name: str
    namespace: str


class OperatorReaction(Struct, frozen=True):
    """What operators do once they have read changed custom resources.

    1. `before` is the state with what is not known of its nodes for DaemonSets that are new. `resources` are all that there are then.
    2. `daemonsets` are those that the resources declare, by key: the same object as before if nothing changes. `deleted` are those that
       nothing declares any more. `declarations` are the declarations of DaemonSets that were read.
    """

    before: ClusterState
    resources: tuple[OperatorResource, ...]
    daemonsets: Mapping[ObjectKey, DaemonSet] = {}
    deleted: frozenset[ObjectKey] = frozenset()
    declarations: Mapping[ObjectKey, DaemonSet] = {}

    def apply_to(self, world: ClusterState) -> ClusterState:
        """The state after it: the same where no resource changes."""
        if self.resources is world.operator_resources:
            return world
        after = with_daemonsets(world, self.daemonsets, self.deleted)
        declared = {key: made for key, made in {**world.declared_daemonsets, **self.declarations}.items() if key not in self.deleted}
        return replace(after, operator_resources=self.resources, declared_daemonsets=declared)


def read_labels(resource: OperatorResource) -> dict[str, str]:
    """The labels of a custom resource."""
    metadata = resource.data.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, Mapping) else None
    return {str(key): str(value) for key, value in labels.items()} if isinstance(labels, Mapping) else {}


def get_resource_key(resource: OperatorResource) -> ResourceKey:
    """The key of a custom resource."""
    return ResourceKey(resource.kind, resource.group, resource.name, resource.namespace)


def replace_resources(known: Sequence[OperatorResource], new: Iterable[OperatorResource]) -> tuple[OperatorResource, ...]:
    """The known resources, those that are given again replaced; a resource without a namespace is one of any namespace."""
    resources = list(known)
    for resource in new:
        places = [place for place, old in enumerate(resources) if is_same_resource(old, resource)]
        if places:
            resources[places[0]] = resource
        else:
            resources.append(resource)
    return tuple(resources)


def is_same_resource(old: OperatorResource, new: OperatorResource) -> bool:
    """Whether two manifests are of one object; a namespace that is not stated is any."""
    spaces = {old.namespace, new.namespace} - {""}
    return (old.kind, old.group, old.name) == (new.kind, new.group, new.name) and len(spaces) < 2


def predict_reaction(world: ClusterState, resources: tuple[OperatorResource, ...], changed: Iterable[OperatorResource]) -> OperatorReaction:
    """What operators do if custom resources become `resources`; `changed` are those that a command names, whatever it changes of them.

    1. A DaemonSet is updated if the content of its declaration differs from before, also because of another resource that its own falls
       back on.
    2. A DaemonSet that was declared before and is not any more is deleted: nothing is known of one that no resource of the state declared.
    """
    images = list_images(world.workloads)
    before = {_identify(made): made for made in declare_daemonsets(world.operator_resources, images)}
    after = {_identify(made): made for made in declare_daemonsets(resources, images)}
    named = {get_resource_key(resource) for resource in changed}
    touched = [
        made
        for identity, made in after.items()
        if _get_owner(made) in named or identity not in before or before[identity].data["spec"] != made.data["spec"]
    ]
    start = replace(world, nodes=add_assigned_labels(world.nodes, touched))
    daemonsets: dict[ObjectKey, DaemonSet] = {}
    declarations: dict[ObjectKey, DaemonSet] = {}
    for made in touched:
        updated = _update_declared(start, made)
        daemonsets |= updated
        declarations |= {key: made for key, daemonset in updated.items() if daemonset.declaration is None}
    gone = [made for identity, made in before.items() if identity not in after]
    deleted = {key for made in gone for key in _list_keys(world, made) if not any(new.is_declaration_of(key) for new in after.values())}
    return OperatorReaction(start, resources, daemonsets, frozenset(deleted), declarations)


def _identify(made: DaemonSet) -> tuple[ResourceKey, ObjectKey]:
    return _get_owner(made), ObjectKey(made.metadata.namespace, made.metadata.name)


def _get_owner(made: DaemonSet) -> ResourceKey:
    declaration = made.declaration
    assert isinstance(declaration, Declaration), "a declared DaemonSet"
    return ResourceKey(declaration.kind, declaration.group, declaration.name, declaration.namespace)


def _list_keys(world: ClusterState, made: DaemonSet) -> list[ObjectKey]:
    """The DaemonSets of the world that are the declared one, or that the operator made of it."""
    return [
        key
        for key, daemonset in world.daemonsets.items()
        if (daemonset.declaration is not None and key == made.key)
        or (key in world.declared_daemonsets and _identify(world.declared_daemonsets[key]) == _identify(made))
    ]


def _update_declared(world: ClusterState, declared: DaemonSet) -> dict[ObjectKey, DaemonSet]:
    """The DaemonSets of a declaration, by key, once the operator has read the custom resource: a new one if the world has none."""
    keys = [key for key in world.daemonsets if declared.is_declaration_of(key) or key == declared.key]
    return {key: _update(world, key, declared) for key in keys} or {declared.key: declared}


def _update(world: ClusterState, key: ObjectKey, declared: DaemonSet) -> DaemonSet:
    """The DaemonSet of a key once the operator has read the custom resource that declares it; the same object if nothing changes.

    1. A DaemonSet that is only declared becomes the new declaration.
    2. Of a DaemonSet that the operator made, the fields change that the custom resource states differently from before. If nothing
       is known of the custom resource from before, the tolerations become the declared ones.
    """
    old = world.daemonsets[key]
    if old.declaration is not None:
        return old if old.data.get("spec") == declared.data.get("spec") else declared
    before = world.declared_daemonsets.get(key)
    wanted = _get_spec(declared)
    known = _get_spec(before) if before is not None else None
    fields = ("tolerations",) if known is None else [field for field in _SPEC_FIELDS if known.get(field) != wanted.get(field)]
    data = copy.deepcopy(to_plain(old))
    spec: Any = data
    for name in POD_TEMPLATE_SPEC:
        spec = spec.setdefault(name, {})
    for field in fields:
        if field in wanted:
            spec[field] = wanted[field]
        else:
            spec.pop(field, None)
    strategy = declared.data["spec"].get("updateStrategy")
    if before is not None and before.data["spec"].get("updateStrategy") != strategy and strategy is not None:
        data["spec"]["updateStrategy"] = strategy
    return old if data == to_plain(old) else from_plain(data, old)


def _get_spec(daemonset: DaemonSet) -> dict[str, Any]:
    spec: dict[str, Any] = daemonset.data["spec"]["template"]["spec"]
    return spec
