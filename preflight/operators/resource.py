"""Which objects known operators read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from preflight.model.declaration import OperatorResource
from preflight.model.meta import Origin
from preflight.operators.facts import index_resources


def read_operator_resource(data: Mapping[str, Any], origin: Origin) -> OperatorResource | None:
    """The resource that an object is; None where no known operator reads the object.

    The kind, the API group and, for kinds that others have too (a ConfigMap), the name decide.
    """
    kind, version, metadata = data.get("kind"), data.get("apiVersion"), data.get("metadata")
    if not isinstance(kind, str) or not isinstance(version, str) or not isinstance(metadata, dict):
        return None
    group = version.rpartition("/")[0]
    name, namespace = metadata.get("name"), metadata.get("namespace")
    facts = index_resources().get((kind, group), ())
    if not isinstance(name, str) or not name or not any(not fact.names or name in fact.names for _, fact in facts):
        return None
    return OperatorResource(kind, group, name, namespace if isinstance(namespace, str) else "", origin, data)
