"""The custom resource from which an operator made a DaemonSet, as its owner reference or the resource itself says."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from re import sub

from msgspec import Struct

from preflight.model.apps import DaemonSet
from preflight.model.core import PodSpec
from preflight.model.owners import find_controller
from preflight.operators.facts import DaemonSetFact, FieldFact, ResourceFact, index_resources

_PARTS = ("tolerations", "nodeSelector", "affinity", "priorityClassName")


class OwningResource(Struct, frozen=True):
    """The resource that controls a DaemonSet; `fields` are its fields for parts of the pod template, as far as they are known."""

    kind: str
    name: str
    fields: Mapping[str, str] = {}

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".strip()

    @property
    def field(self) -> str:
        """Its field for the tolerations, "" if none is known."""
        return self.fields.get("tolerations", "")

    def list_fields(self, before: PodSpec, after: PodSpec) -> tuple[str, ...]:
        """The fields for the parts in which two pod templates differ; () if one of these parts has no known field."""
        changed = [part for part in _PARTS if getattr(before, part) != getattr(after, part)]
        return tuple(self.fields[part] for part in changed) if all(part in self.fields for part in changed) else ()


def find_owning_resource(daemonset: DaemonSet, declared: DaemonSet | None = None) -> OwningResource | None:
    """The resource whose operator reverts a patch of a DaemonSet; None if no resource is known to control it.

    `declared` is the declaration of the DaemonSet by a custom resource that was read, None if there is none.
    """
    declaration = daemonset.declaration or (declared.declaration if declared is not None else None)
    owner = find_controller(daemonset.metadata.ownerReferences)
    if declaration is not None:
        fields = {part: ".".join(map(str, path)) for part, path in declaration.fields.items()}
        return OwningResource(declaration.kind, declaration.name, fields)
    if owner is None:
        return None
    for _, resource in index_resources().get((owner.kind, owner.apiVersion.rpartition("/")[0]), ()):
        for made in resource.daemonsets:
            if fnmatchcase(daemonset.metadata.name, sub(r"\{[a-zA-Z.]+\}", "*", made.name)):
                return OwningResource(owner.kind, owner.name, _get_fields(resource, made))
        if resource.shared.tolerations.fields:
            return OwningResource(owner.kind, owner.name, _get_fields(resource, DaemonSetFact("")))
    return OwningResource(owner.kind, owner.name)


def _get_fields(resource: ResourceFact, made: DaemonSetFact) -> dict[str, str]:
    shared = resource.shared
    facts: dict[str, FieldFact] = {
        "tolerations": made.tolerations or shared.tolerations,
        "nodeSelector": made.node_selector or shared.node_selector,
        "affinity": made.affinity or shared.affinity,
        "priorityClassName": made.priority_class or shared.priority_class,
    }
    return {part: fact.fields[0] for part, fact in facts.items() if fact.fields}
