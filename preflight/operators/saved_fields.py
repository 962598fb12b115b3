"""What a snapshot keeps of the custom resources that operators read: the fields that decide about DaemonSets, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from preflight.model.declaration import FieldPath, OperatorResource
from preflight.operators.declare import find_braced_paths
from preflight.operators.facts import FieldFact, ResourceFact, index_resources
from preflight.operators.fields import get_value, split_path
from preflight.operators.longhorn import CONFIG_KEY, SETTINGS, read_settings
from preflight.operators.versions import CHART_LABEL


def select_saved_fields(resource: OperatorResource) -> dict[str, Any]:
    """The resource as plain data with the fields that are read of it."""
    metadata: dict[str, Any] = {"name": resource.name, **({"namespace": resource.namespace} if resource.namespace else {})}
    chart = get_value(resource.data, ("metadata", "labels", CHART_LABEL))
    if isinstance(chart, str):
        metadata["labels"] = {CHART_LABEL: chart}
    saved: dict[str, Any] = {"apiVersion": resource.data.get("apiVersion"), "kind": resource.kind, "metadata": metadata}
    settings = read_settings(resource)
    if settings is not None:
        known = {name: value for name, value in settings.items() if name in SETTINGS}
        if resource.kind == "Setting":
            return {**saved, "value": resource.data.get("value")} if known else saved
        return {**saved, "data": {CONFIG_KEY: json.dumps(known)}}
    facts = [fact for _, fact in index_resources().get((resource.kind, resource.group), ())]
    for path in _list_paths(facts):
        value = get_value(resource.data, path)
        if value is not None:
            _put(saved, path, value)
    for condition in (condition for fact in facts for made in fact.daemonsets for condition in made.when):
        path = tuple(map(str, split_path(condition.field)))
        if condition.is_present is not None and get_value(resource.data, path) is not None and get_value(saved, path) is None:
            _put(saved, path, {})
    return saved


def _put(saved: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    place = saved
    for key in path[:-1]:
        place = place.setdefault(key, {})
    place[path[-1]] = value


def _list_paths(facts: Iterable[ResourceFact]) -> set[tuple[str, ...]]:
    """The paths that the facts read; a condition on whether a field is there reads nothing of the field."""
    found: set[FieldPath] = set()
    for fact in facts:
        found |= {split_path(field) for field in _iter_fields(fact)}
        found |= {(*path[:-1], "rollingUpdate") for path in found if path[-1] == "updateStrategy"}
    own = {tuple(map(str, path)) for path in found}
    return {path for path in own if not any(path[:length] in own for length in range(1, len(path)))}


def _iter_fields(fact: ResourceFact) -> Iterator[str]:
    parts: list[FieldFact | None] = [getattr(fact.shared, name) for name in fact.shared.__struct_fields__]
    for made in fact.daemonsets:
        parts += [made.tolerations, made.node_selector, made.affinity, made.priority_class, made.update_strategy, made.host_network]
        yield from (condition.field for condition in (*made.when, *made.provides_when) if condition.is_present is None)
        yield from find_braced_paths(f"{made.name} {made.namespace}")
    for part in parts:
        yield from part.fields if part is not None else ()
    for others in index_resources().values():
        yield from (
            field
            for _, other in others
            if other.fallback == fact.kind and other.group == fact.group
            for name in other.shared.__struct_fields__
            for field in getattr(other.shared, name).fallback_fields
        )
