"""Which objects known operators read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from preflight.model.declaration import OperatorResource
from preflight.model.meta import Origin
from preflight.operators.facts import index_resources


class CustomKind(NamedTuple):
    """A kind of custom resource that a known operator reads."""

    kind: str
    group: str

    @property
    def plural(self) -> str:
        """As kubectl and RBAC name the resource: `clusterpolicies`."""
        word = self.kind.lower()
        if word.endswith("y") and word[-2] not in "aeiou":
            return f"{word[:-1]}ies"
        return f"{word}es" if word.endswith(("s", "x", "ch", "sh")) else f"{word}s"

    @property
    def resource(self) -> str:
        """As kubectl writes the resource in its messages: `clusterpolicies.nvidia.com`."""
        return f"{self.plural}.{self.group}"


def find_custom_kind(word: str) -> CustomKind | None:
    """The kind that a word of a kubectl command line means: `clusterpolicy`, `ClusterPolicies`, `clusterpolicies.nvidia.com`.

    None where no known kind, or more than one, is meant.
    """
    name, _, group = word.lower().partition(".")
    kinds = [CustomKind(kind, own) for kind, own in index_resources() if own]
    found = [kind for kind in kinds if name in (kind.kind.lower(), kind.plural) and group in ("", kind.group)]
    return found[0] if len(found) == 1 else None


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
