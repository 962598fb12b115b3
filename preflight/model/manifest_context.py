"""What else manifests hold that nobody judges, as far as it limits what can be said of those that are judged."""

from __future__ import annotations

from collections.abc import Mapping, Set

from msgspec import Struct


class OperatedResource(Struct, frozen=True):
    """A custom resource from which an operator may make pods: its kind, and the namespaces that its text names; none for any."""

    kind: str
    namespaces: Set[str] = frozenset()


class ManifestContext(Struct, frozen=True):
    """What surrounds the manifests that are judged.

    1. `operated_resources` are custom resources of which it is not known which pods an operator makes from them.
    2. `patched` are the kinds and names of objects that a kustomization changes; a name "" stands for all of a kind.
    3. `kustomizations` is, by the file of an object, the kustomization that names it as a resource.
    """

    operated_resources: tuple[OperatedResource, ...] = ()
    patched: Set[tuple[str, str]] = frozenset()
    kustomizations: Mapping[str, str] = {}

    def is_patched(self, kind: str, name: str) -> bool:
        """Whether a kustomization changes an object, so that its manifest is only a part of it."""
        return (kind, name) in self.patched or (kind, "") in self.patched

    def may_have_operated_pods(self, namespace: str) -> bool:
        """Whether an operator may make pods in a namespace ("" for one that is not known)."""
        return any(not found.namespaces or not namespace or namespace in found.namespaces for found in self.operated_resources)
