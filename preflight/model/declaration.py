"""What a custom resource of an operator declares of a DaemonSet that the operator makes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

from preflight.model.meta import Origin

FieldPath = tuple[str | int, ...]


class FieldMode(StrEnum):
    """What a field of a custom resource does with the operator's own default: REPLACE it, or ADD to it."""

    REPLACE = "replace"
    ADD = "add"


class FieldForm(StrEnum):
    """How a field is written: as in the API (the LIST of tolerations), as YAML text (YAML), or as Longhorn's text (LONGHORN).

    NODE_AFFINITY is the field `nodeAffinity` of an affinity, alone.
    """

    LIST = "list"
    NODE_AFFINITY = "node-affinity"
    YAML = "yaml"
    LONGHORN = "longhorn"


class TolerationField(Struct, frozen=True):
    """The field of a custom resource from which an operator takes the tolerations of a DaemonSet.

    1. `path` leads from the custom resource to the field; () where the operator has no such field, or the field is in another object.
    2. `default` are the tolerations that the operator sets itself, as plain data: instead of an absent field (REPLACE), or always (ADD).
    3. `is_stated` is whether the custom resource has the field with a value that counts.
    4. `text` is the text of a field that is text. With `entry`, it holds lines of `name: value`, and this name's value counts.
    """

    path: FieldPath = ()
    mode: FieldMode = FieldMode.REPLACE
    form: FieldForm = FieldForm.LIST
    default: tuple[dict[str, object], ...] = ()
    is_stated: bool = False
    text: str = ""
    entry: str = ""


class ProvidedComponent(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What a DaemonSet provides, by the operator's own account: see `components.detection.Component`."""

    kind: str
    resources: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()


class OperatorResource(Struct, frozen=True):
    """An object from which an operator makes DaemonSets, or takes settings for them: `data` is the object as plain data."""

    kind: str
    group: str
    name: str
    namespace: str
    origin: Origin
    data: Mapping[str, Any]


class DeclaringResource(Struct, frozen=True):
    """The custom resource, or the ConfigMap, from which an operator makes a DaemonSet that is not in the input itself."""

    operator: str
    kind: str
    namespace: str
    name: str


class IgnoredSetting(Struct, frozen=True):
    """A field of a custom resource that has no effect: `name` is what people call it.

    `problem` says why its text cannot be read; or `reason` says why the operator does not read the field.
    """

    path: FieldPath
    name: str
    problem: str = ""
    reason: str = ""


class Declaration(Struct, frozen=True):
    """How a DaemonSet is declared.

    1. `operator` is the operator's name; `kind`, `group`, `name` and `namespace` are those of the custom resource (or the ConfigMap) that
       declares the DaemonSet, `api_version` is what it states.
    2. `versions` is the range of the operator's versions for which the facts were read; `source` is where.
    3. `stated` are the parts of the pod template, and `updateStrategy`, that the resource states, as it states them. `fields` are the
       paths from which they are taken, stated or not. `has_known_namespace`: the namespace of the DaemonSet does not depend on where the
       operator was installed.
    4. `assigned_labels` are keys of node labels that the DaemonSet selects and that the operator, or node feature discovery, sets on nodes:
       a manifest of a node that does not state such a label does not mean that the node lacks the label.
    5. `change_note` is what to know of a change of the resource. `unknowns` are facts of the DaemonSet that cannot be determined from the
       resource, one line each. `ignored` are fields that have no effect.
    """

    operator: str
    kind: str
    group: str
    name: str
    namespace: str
    api_version: str
    versions: str
    source: str
    tolerations: TolerationField
    stated: Mapping[str, Any] = {}
    fields: Mapping[str, FieldPath] = {}
    has_known_namespace: bool = False
    provides: tuple[ProvidedComponent, ...] = ()
    assigned_labels: tuple[str, ...] = ()
    change_note: str = ""
    unknowns: tuple[str, ...] = ()
    ignored: tuple[IgnoredSetting, ...] = ()

    @property
    def resource(self) -> DeclaringResource:
        """What declares the DaemonSet."""
        return DeclaringResource(self.operator, self.kind, self.namespace, self.name)
