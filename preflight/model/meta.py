"""What every object has: metadata, where it was read, what the server would refuse; and the parts that API groups share."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct, field


class Origin(Struct, frozen=True, gc=False):
    """Where an object was read.

    1. `file` is the path as the user gave it, `-` for standard input, or a word in angle brackets for an object that no file holds.
    2. `document` is the 0-based place of the document in the file; `line` the 1-based line where it starts, 0 where not known.
    3. `path` leads from the document to the object: () for the document itself, ("items", 3) for the fourth item of a List.
    4. A DaemonSet that a custom resource declares has the origin of that resource: `declares` is the name of the DaemonSet. `fields` lead
       from fields of what was made of an object to fields of the object; any other field then leads to the object itself.
    """

    file: str
    document: int = 0
    line: int = 0
    path: tuple[str | int, ...] = ()
    declares: str = ""
    fields: tuple[tuple[tuple[str | int, ...], tuple[str | int, ...]], ...] = ()

    def resolve_path(self, path: tuple[str | int, ...]) -> tuple[str | int, ...]:
        """The path in the document of a field of the object."""
        if not self.fields and not self.declares:
            return (*self.path, *path)
        for start, source in self.fields:
            if path[: len(start)] == start:
                return (*self.path, *source, *path[len(start) :])
        return self.path


class Refusal(Struct, frozen=True, gc=False):
    """A value that the API server would refuse, found while reading: its path in the object, and the problem in one line.

    `field` is the name of the field as it stands in front of the problem; "" where the problem names it, or names none.
    """

    path: tuple[str | int, ...]
    problem: str
    field: str = ""

    @property
    def reason(self) -> str:
        """The field and its problem, in one line."""
        return f"{self.field}: {self.problem}" if self.field else self.problem


class ObjectKey(NamedTuple):
    """What tells one object of a kind from another.

    1. `namespace` is "" where the manifest states none; it is then shown as `-`.
    2. `file` is the file of such an object, so that two files are never merged into one; "" where a namespace is stated.
    """

    namespace: str
    name: str
    file: str = ""

    def __str__(self) -> str:
        return f"{self.namespace or '-'}/{self.name}"


class APIStruct(Struct, frozen=True, gc=False, omit_defaults=True):
    """A part of an API object. Absent fields have their defaults."""


class OwnerReference(APIStruct, frozen=True, gc=False):
    """`metadata.ownerReferences[]`."""

    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool = False
    apiVersion: str = ""


class Metadata(APIStruct, frozen=True, gc=False):
    """`metadata`; `deletionTimestamp` is "" while the object is not being deleted."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    ownerReferences: tuple[OwnerReference, ...] = ()
    deletionTimestamp: str = ""
    generation: int = 0


class SelectorRequirement(APIStruct, frozen=True, gc=False):
    """`matchExpressions[]` or `matchFields[]`, of a node affinity or of a label selector.

    `is_presumed`: a requirement of an operator that excludes special nodes (Windows, Fargate, a component switched off): it holds for
    a node whose label is unknown.
    """

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()
    is_presumed: bool = field(default=False, name="\ue000presumed")


class LabelSelector(APIStruct, frozen=True, gc=False):
    """`spec.selector` of a workload: an empty one selects every pod, an absent one none."""

    matchLabels: dict[str, str] = {}
    matchExpressions: tuple[SelectorRequirement, ...] = ()


class SourcedObject(APIStruct, frozen=True, gc=False):
    """What `load` adds to an object that it read by itself: its origin and what the API server would refuse of it."""

    origin: Origin = field(default=Origin("<none>"), name="\ue000origin")
    refusals: tuple[Refusal, ...] = field(default=(), name="\ue000refusals")


class Condition(APIStruct, frozen=True, gc=False):
    """`status.conditions[]`; status is True, False or Unknown."""

    type: str = ""
    status: str = ""


def make_object_key(metadata: Metadata, origin: Origin) -> ObjectKey:
    """The key of a namespaced object: see ObjectKey."""
    return ObjectKey(metadata.namespace, metadata.name, "" if metadata.namespace else origin.file)
