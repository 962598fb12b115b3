"""Applying the custom resource of an operator: the operator then updates, makes or deletes its DaemonSets."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from preflight.change.workload_verbs import from_plain, to_plain
from preflight.model.apps import DaemonSet
from preflight.model.core import POD_TEMPLATE_SPEC
from preflight.model.meta import ObjectKey
from preflight.model.world import ClusterState

_SPEC_FIELDS = ("tolerations", "nodeSelector", "affinity", "priorityClassName")


def update_declared(world: ClusterState, declared: DaemonSet) -> dict[ObjectKey, DaemonSet]:
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


def find_undeclared(world: ClusterState, declared: Iterable[DaemonSet], resources: Iterable[tuple[str, str]]) -> frozenset[ObjectKey]:
    """The DaemonSets that custom resources (kind and name) declared before and do not declare any more: the operator deletes them."""
    now, changed = list(declared), set(resources)
    return frozenset(
        key
        for key, old in _list_declared(world).items()
        if old.declaration is not None
        and (old.declaration.kind, old.declaration.name) in changed
        and not any(new.is_declaration_of(key) or new.metadata.name == key.name for new in now)
    )


def _list_declared(world: ClusterState) -> Mapping[ObjectKey, DaemonSet]:
    own = {key: daemonset for key, daemonset in world.daemonsets.items() if daemonset.declaration is not None}
    return {**world.declared_daemonsets, **own}


def _get_spec(daemonset: DaemonSet) -> dict[str, Any]:
    spec: dict[str, Any] = daemonset.data["spec"]["template"]["spec"]
    return spec
