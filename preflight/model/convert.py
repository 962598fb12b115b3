"""Plain data, as YAML or JSON gives it, to the frozen Structs of the model, with everything in it that the API server would refuse."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from preflight.documents.json_values import decode_json_value
from preflight.model.apps import DaemonSet, Deployment, ReplicaSet, StatefulSet
from preflight.model.batch import CronJob, Job
from preflight.model.core import POD_TEMPLATE_SPEC, Node, Pod
from preflight.model.meta import Origin, Refusal, SourcedObject

T = TypeVar("T")

_PRIVATE_PREFIX = "\ue000"
_MAX_SHOWN_LENGTH = 60
_TOLERATION_FIELDS = ("key", "operator", "value", "effect", "tolerationSeconds")
_TAINT_FIELDS = ("key", "value", "effect", "timeAdded")

# Fields that decide where pods run, and would be missed in silence if they were spelled otherwise.
_POD_FIELDS = ("tolerations", "nodeSelector", "affinity", "nodeName", "hostNetwork")
_NODE_FIELDS = ("taints", "unschedulable")

# Where an object holds taints or tolerations, and the fields that these may have.
_STRICT_FIELDS: dict[type, tuple[tuple[str, ...], tuple[str, ...]]] = {
    Node: (("spec", "taints"), _TAINT_FIELDS),
    Pod: (("spec", "tolerations"), _TOLERATION_FIELDS),
    CronJob: (("spec", "jobTemplate", *POD_TEMPLATE_SPEC, "tolerations"), _TOLERATION_FIELDS),
    **dict.fromkeys((DaemonSet, Deployment, StatefulSet, ReplicaSet, Job), ((*POD_TEMPLATE_SPEC, "tolerations"), _TOLERATION_FIELDS)),
}


def convert(data: object, type: type[T], origin: Origin) -> tuple[T | None, tuple[Refusal, ...]]:
    """Plain data as a Struct of the model, and every value that the API server would refuse, with its exact path.

    1. Null is what Go makes of it: an absent field, "" in a map of strings, the zero value in a list.
    2. A scalar of the wrong type is refused, and taken for what it clearly means: true as "true", 10 as "10", "300" as 300. What cannot be
       understood is refused and left out.
    3. A field of a taint or toleration that Kubernetes does not know is refused and has no effect; so is one that differs by case or one
       letter from a field that decides where pods run. Elsewhere unknown fields are ignored.
    4. The object is None where nothing sensible is left: it is no map, or its metadata, name, spec or template is not what it must be.
    5. An object that `load` reads by itself gets its `origin` and its `refusals`; a DaemonSet keeps `data` as it is.
    """
    if isinstance(data, dict) and any(isinstance(key, str) and key.startswith(_PRIVATE_PREFIX) for key in data):
        data = {key: value for key, value in data.items() if not (isinstance(key, str) and key.startswith(_PRIVATE_PREFIX))}
    value: T | None
    refusals = (*_find_unknown_fields(data, type), *_find_misspelled_fields(data, type))
    try:
        value = msgspec.convert(data, type)
    except (msgspec.ValidationError, RecursionError):
        from preflight.model.lenient_decode import convert_leniently

        value, wrong = convert_leniently(data, type)
        refusals = (*wrong, *refusals)
    if isinstance(value, DaemonSet):
        value = replace(value, origin=origin, refusals=refusals, data=data)
    elif isinstance(value, SourcedObject):
        value = replace(value, origin=origin, refusals=refusals)
    return value, refusals


def decode_object(text: Raw | memoryview, type: type[T]) -> T | None:
    """The Struct of the model that a JSON text is; one with a null or a wrong type in it by way of plain data, as `convert` says.

    None where nothing sensible is left. Raises msgspec.DecodeError where it is no JSON, and RecursionError where it is too deep.
    """
    struct: Any = type  # mypy does not see that a generic type is hashable
    decoder: msgspec.json.Decoder[T] = _get_decoder(struct)
    try:
        return decoder.decode(text)
    except msgspec.DecodeError:
        return convert(decode_json_value(text), type, Origin("<none>"))[0]


@cache
def _get_decoder(type: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(type)


def _find_unknown_fields(data: object, type: type) -> tuple[Refusal, ...]:
    place = _STRICT_FIELDS.get(type)
    if place is None:
        return ()
    path, known = place
    items: Any = data
    for name in path:
        if not isinstance(items, dict):
            return ()
        items = items.get(name)
    if not isinstance(items, list):
        return ()
    return tuple(
        Refusal((*path, index, str(name)), _describe_unknown_field(str(name), known))
        for index, item in enumerate(items)
        if isinstance(item, dict)
        for name in item
        if name not in known
    )


def _find_misspelled_fields(data: object, type: type) -> tuple[Refusal, ...]:
    """`toleration` for `tolerations`, `Taints` for `taints`: fields that the API server would refuse, in the spec of pod or node."""
    place = _STRICT_FIELDS.get(type)
    if place is None:
        return ()
    path = place[0][:-1]
    spec: Any = data
    for name in path:
        spec = spec.get(name) if isinstance(spec, dict) else None
    if not isinstance(spec, dict):
        return ()
    known = _NODE_FIELDS if type is Node else _POD_FIELDS
    return tuple(
        Refusal((*path, name), _describe_unknown_field(name, known))
        for name in spec
        if isinstance(name, str) and name not in known and _find_nearest_field(name, known)
    )


@cache
def _find_nearest_field(name: str, known_fields: tuple[str, ...]) -> str | None:
    return next((known_field for known_field in known_fields if is_one_edit(name.lower(), known_field.lower())), None)


def _describe_unknown_field(name: str, known_fields: tuple[str, ...]) -> str:
    near = _find_nearest_field(name, known_fields)
    return f"unknown field {json.dumps(name[:_MAX_SHOWN_LENGTH], ensure_ascii=False)}" + (f': did you mean "{near}"?' if near else "")


def is_one_edit(word: str, other: str) -> bool:
    """Whether one letter changed, added, left out or swapped with its neighbour makes one word of the other; equal words count."""
    if len(word) > len(other):
        word, other = other, word
    if len(other) - len(word) > 1:
        return False
    at = next((index for index, letter in enumerate(word) if letter != other[index]), len(word))
    if len(word) < len(other):
        return word[at:] == other[at + 1 :]
    return word[at + 1 :] == other[at + 1 :] or (word[at : at + 2] == other[at : at + 2][::-1] and word[at + 2 :] == other[at + 2 :])
