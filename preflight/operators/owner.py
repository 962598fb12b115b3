"""The custom resource from which an operator made a DaemonSet, as the owner reference of the DaemonSet says."""

from __future__ import annotations

from fnmatch import fnmatchcase
from re import sub

from msgspec import Struct

from preflight.model.apps import DaemonSet
from preflight.model.owners import find_controller
from preflight.operators.facts import DaemonSetFact, FieldFact, ResourceFact, index_resources


class OwningResource(Struct, frozen=True):
    """The resource that controls a DaemonSet; `field` is its field for the tolerations, "" if none is known."""

    kind: str
    name: str
    field: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".strip()


def find_owning_resource(daemonset: DaemonSet) -> OwningResource | None:
    """The resource whose operator reverts a patch of a DaemonSet; None if the DaemonSet has no controller."""
    owner = find_controller(daemonset.metadata.ownerReferences)
    if owner is None:
        return None
    for _, resource in index_resources().get((owner.kind, owner.apiVersion.rpartition("/")[0]), ()):
        for made in resource.daemonsets:
            if fnmatchcase(daemonset.metadata.name, sub(r"\{[a-zA-Z.]+\}", "*", made.name)):
                fields = _get_tolerations(resource, made).fields
                return OwningResource(owner.kind, owner.name, fields[0] if fields else "")
        if resource.shared.tolerations.fields:
            return OwningResource(owner.kind, owner.name, resource.shared.tolerations.fields[0])
    return OwningResource(owner.kind, owner.name)


def _get_tolerations(resource: ResourceFact, made: DaemonSetFact) -> FieldFact:
    return made.tolerations or resource.shared.tolerations
