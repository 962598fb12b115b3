"""The facts about operators: one file an operator in `facts/`, found by being there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from preflight.model.declaration import FieldForm, FieldMode, ProvidedComponent

_FOLDER = Path(__file__).with_name("facts")


class OlderDefault(Struct, frozen=True, forbid_unknown_fields=True):
    """The operator's own value in the versions before `before`."""

    before: str
    default: Any = None


class Condition(Struct, frozen=True, forbid_unknown_fields=True):
    """A field on which it depends whether the operator makes a DaemonSet.

    1. `field` is a path, its keys joined by dots. `value` is what the field must be; `default` is the value of an absent field.
    2. With `is_present`, the field must be there (True) or be absent (False), whatever its value is. With `other_than`, it must
       have another value.
    3. `older` are the values of an absent field in earlier versions, oldest first; the oldest counts where the version is not known.
    """

    field: str
    value: Any = None
    default: Any = None
    is_present: bool | None = None
    other_than: Any = None
    older: tuple[OlderDefault, ...] = ()


class FieldFact(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the operator takes a part of the pod template from.

    1. `fields` are paths, the first one that is stated counts; `fallback_fields` are paths in the object that `Resource.fallback` names.
    2. `mode` and `form`: see the enums. `default` is the operator's own value; `older` are those of earlier versions, oldest first.
    3. `empty_is_default`: an empty list or map counts as absent. Where it is false, an empty one clears the default.
    """

    fields: tuple[str, ...] = ()
    fallback_fields: tuple[str, ...] = ()
    mode: FieldMode = FieldMode.REPLACE
    form: FieldForm = FieldForm.LIST
    default: Any = None
    empty_is_default: bool = False
    older: tuple[OlderDefault, ...] = ()


class UnreadField(Struct, frozen=True, forbid_unknown_fields=True):
    """A field of a custom resource that looks as if it decided about a DaemonSet and does not: `reason` says why."""

    field: str
    reason: str


class DaemonSetFact(Struct, frozen=True, forbid_unknown_fields=True):
    """One DaemonSet that a custom resource makes.

    1. `name` and `namespace` may have `{name}`, `{namespace}` and paths of the custom resource in braces (`{spec.type}`). A name with
       `*` is a pattern: the operator adds what cannot be known from the custom resource. An empty namespace is the operator's.
    2. `when`: all conditions must hold. Parts that are None are those of the resource (`ResourceFact.shared`).
    3. `until` is the first version of the operator that does not make the DaemonSet any more, "" where all do.
    4. `excludes` are values of node labels that keep the DaemonSet off, whatever else it selects: the operator sets these labels.
    5. `provides` counts if all conditions of `provides_when` hold. `assigned_labels`, `unknowns`, `provides`: see `model.declaration`.
    6. `unread` are fields that have no effect on the DaemonSet.
    """

    name: str
    namespace: str = ""
    when: tuple[Condition, ...] = ()
    until: str = ""
    tolerations: FieldFact | None = None
    node_selector: FieldFact | None = None
    affinity: FieldFact | None = None
    priority_class: FieldFact | None = None
    update_strategy: FieldFact | None = None
    host_network: FieldFact | None = None
    excludes: dict[str, tuple[str, ...]] = {}
    provides: tuple[ProvidedComponent, ...] = ()
    provides_when: tuple[Condition, ...] = ()
    assigned_labels: tuple[str, ...] = ()
    unknowns: tuple[str, ...] = ()
    unread: tuple[UnreadField, ...] = ()


class SharedFacts(Struct, frozen=True, forbid_unknown_fields=True):
    """The parts that the DaemonSets of a custom resource have in common."""

    tolerations: FieldFact = FieldFact()
    node_selector: FieldFact = FieldFact()
    affinity: FieldFact = FieldFact()
    priority_class: FieldFact = FieldFact()
    update_strategy: FieldFact = FieldFact()
    host_network: FieldFact = FieldFact()


class ResourceFact(Struct, frozen=True, forbid_unknown_fields=True):
    """A custom resource that makes DaemonSets.

    1. `names` are the names that an object of a general kind (a ConfigMap, a Setting) must have; () is any name.
    2. `fallback` is a kind of the same group whose object states what this one does not.
    3. `change_note` is what to know of a change of the resource, "" where the operator follows it at once.
    4. `cluster_group` is an API group that a cluster serves if the operator is installed: an object of a general kind is only asked for
       then.
    """

    kind: str
    group: str
    daemonsets: tuple[DaemonSetFact, ...] = ()
    is_namespaced: bool = True
    names: tuple[str, ...] = ()
    fallback: str = ""
    cluster_group: str = ""
    change_note: str = ""
    shared: SharedFacts = SharedFacts()


class OperatorFacts(Struct, frozen=True, forbid_unknown_fields=True):
    """An operator.

    1. `namespace` is the one that its documentation installs it in; `versions` and `source` say what the facts hold for.
    2. `images` are the ends of the names of its images: their tags are its version. `charts` are charts of its version.
    """

    operator: str
    namespace: str
    versions: str
    source: str
    resources: tuple[ResourceFact, ...]
    images: tuple[str, ...] = ()
    charts: tuple[str, ...] = ()
    pitfalls: tuple[str, ...] = ()


@cache
def load_operators() -> tuple[OperatorFacts, ...]:
    """All operators that are known, in the order of their files' names."""
    decoder = msgspec.json.Decoder(OperatorFacts)
    return tuple(decoder.decode(path.read_bytes()) for path in sorted(_FOLDER.glob("*.json")))


@cache
def index_resources() -> Mapping[tuple[str, str], tuple[tuple[OperatorFacts, ResourceFact], ...]]:
    """The known resources by kind and API group."""
    found: dict[tuple[str, str], tuple[tuple[OperatorFacts, ResourceFact], ...]] = {}
    for operator in load_operators():
        for resource in operator.resources:
            key = resource.kind, resource.group
            found[key] = (*found.get(key, ()), (operator, resource))
    return found
