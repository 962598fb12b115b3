"""Longhorn's settings: several objects, or one ConfigMap, that together say how its DaemonSets are made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from preflight.model.declaration import FieldPath, OperatorResource
from preflight.operators.toleration_formats import UnreadableText, parse_yaml_text

JOINED_KIND = ("LonghornSettings", "longhorn.io")
"""The kind and the API group of the resource that the settings are joined to: no object of a cluster."""

SETTINGS = ("taint-toleration", "system-managed-components-node-selector", "priority-class")
CONFIG_KEY = "default-setting.yaml"


def join_longhorn_settings(resources: Sequence[OperatorResource]) -> Iterator[OperatorResource]:
    """One resource for each namespace with Longhorn settings: its data has the values of the settings by name.

    1. A Setting counts before the ConfigMap `longhorn-default-setting`, whose values Longhorn reads at its first start.
    2. The origin is that of the object with the tolerations, else of the first object: `locate_setting` leads from paths of `data` to its.
    """
    settings: dict[str, dict[str, str]] = {}
    places: dict[str, OperatorResource] = {}
    for resource in resources:
        found = read_settings(resource)
        if found is None:
            continue
        known = settings.setdefault(resource.namespace, {})
        is_setting = resource.kind == "Setting"
        for name, value in found.items():
            if is_setting or name not in known:
                known[name] = value
        if resource.namespace not in places or "taint-toleration" in found:
            places[resource.namespace] = resource
    for namespace, values in settings.items():
        place = places[namespace]
        data: dict[str, Any] = {"kind": place.kind, "apiVersion": place.data.get("apiVersion", "")}
        data |= {name: value for name, value in values.items() if name in SETTINGS}
        if place.kind == "ConfigMap":
            data[CONFIG_KEY] = get_text(place)
        yield replace(place, kind=JOINED_KIND[0], group=JOINED_KIND[1], data=data)


def get_text(resource: OperatorResource) -> str:
    """The settings in the ConfigMap `longhorn-default-setting`, as text; "" where it has none."""
    data = resource.data.get("data")
    text = data.get(CONFIG_KEY) if isinstance(data, dict) else None
    return text if isinstance(text, str) else ""


def locate_setting(resource: OperatorResource, path: FieldPath) -> FieldPath:
    """The path of a setting in the object that states it; () where another object does. Of other resources, the path itself."""
    if (resource.kind, resource.group) != JOINED_KIND or not path:
        return path
    if CONFIG_KEY in resource.data:
        return ("data", CONFIG_KEY)
    return ("value",) if path == (resource.name,) else ()


def read_settings(resource: OperatorResource) -> dict[str, str] | None:
    """The settings of one object; None where it has nothing to do with Longhorn."""
    if (resource.kind, resource.group) == ("Setting", "longhorn.io"):
        value = resource.data.get("value")
        return {resource.name: value} if isinstance(value, str) else {}
    if resource.kind != "ConfigMap" or resource.name != "longhorn-default-setting":
        return None
    try:
        values = parse_yaml_text(get_text(resource))
    except UnreadableText:
        return {}
    return {str(name): str(value) for name, value in values.items() if value is not None} if isinstance(values, dict) else {}
