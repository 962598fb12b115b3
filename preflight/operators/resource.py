"""Which objects known operators read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from preflight.model.declaration import OperatorResource
from preflight.model.meta import Origin
from preflight.operators.facts import index_resources
from preflight.operators.longhorn import JOINED_KIND

_VERSION = re.compile(r"v[0-9]+(?:(?:alpha|beta)[0-9]+)?")


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


def list_custom_kinds() -> tuple[CustomKind, ...]:
    """The kinds of custom resources that known operators read, by group and kind."""
    kinds = (CustomKind(kind, group) for kind, group in index_resources() if group and (kind, group) != JOINED_KIND)
    return tuple(sorted(kinds, key=lambda custom: (custom.group, custom.kind)))


def list_related_kinds(kind: str, group: str) -> tuple[CustomKind, ...]:
    """The kinds of custom resources that the operator of a resource reads."""
    operators = {operator.operator for operator, _ in index_resources().get((kind, group), ())}
    return tuple(
        custom
        for custom in list_custom_kinds()
        if any(operator.operator in operators for operator, _ in index_resources()[custom.kind, custom.group])
    )


def is_namespaced(custom: CustomKind) -> bool:
    """Whether the objects of a kind are in namespaces."""
    return all(fact.is_namespaced for _, fact in index_resources()[custom.kind, custom.group])


def list_config_map_sources() -> tuple[tuple[str, str], ...]:
    """The names of ConfigMaps that operators read in a cluster, each with the API group of the operator."""
    facts = [fact for _, fact in index_resources().get(("ConfigMap", ""), ())]
    return tuple((name, fact.cluster_group) for fact in facts if fact.cluster_group for name in fact.names)


def find_custom_kind(word: str) -> CustomKind | None:
    """The kind that a word of a kubectl command line means: `clusterpolicy`, `ClusterPolicies`, `clusterpolicies.v1.nvidia.com`.

    None where no known kind, or more than one, is meant.
    """
    name, _, rest = word.lower().partition(".")
    version, _, group = rest.partition(".")
    groups = (rest, group if _VERSION.fullmatch(version) else rest)
    found = [kind for kind in list_custom_kinds() if name in (kind.kind.lower(), kind.plural) and (not rest or kind.group in groups)]
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
