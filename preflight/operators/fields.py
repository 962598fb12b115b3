"""What a custom resource states in a field, with the operator's default."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from preflight.messages.operators import NOT_TOLERATIONS
from preflight.model.declaration import FieldForm, FieldMode, FieldPath, OperatorResource
from preflight.operators.facts import FieldFact
from preflight.operators.toleration_formats import (
    UnreadableText,
    parse_longhorn_selector,
    parse_longhorn_tolerations,
    parse_rook_affinity,
    parse_yaml_text,
)
from preflight.operators.versions import Version, select_older

_PARSERS: Mapping[tuple[FieldForm, type], Callable[[str], Any]] = {
    (FieldForm.LONGHORN, list): parse_longhorn_tolerations,
    (FieldForm.LONGHORN, dict): parse_longhorn_selector,
    (FieldForm.YAML, list): parse_yaml_text,
    (FieldForm.YAML, dict): parse_rook_affinity,
}


class FieldValue(NamedTuple):
    """The value of a part of the pod template.

    1. `path` leads to the field in the custom resource if that states one, () otherwise; `default_count` is how many items of a list
       are the operator's own and come first. `inner` leads from the part of the pod template to what the field is of it.
    2. `problems` are the fields that are not understood, with the reason; the operator's default is used instead, as the operator does.
    3. `own` is what the resource itself states, without the operator's own items.
    4. `since` is the version from which on the operator's own items are there, where it is not known whether they are; "" otherwise.
    """

    value: Any
    path: FieldPath = ()
    is_stated: bool = False
    default_count: int = 0
    problems: tuple[tuple[FieldPath, str], ...] = ()
    inner: FieldPath = ()
    since: str = ""
    own: Any = None


def split_path(text: str) -> FieldPath:
    """The keys of a path that are joined by dots."""
    return tuple(text.split("."))


def get_value(data: object, path: FieldPath) -> Any:
    """What a path of keys leads to; None where it is absent."""
    value: Any = data
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def read_field(
    fact: FieldFact, type_: type, resource: OperatorResource, fallbacks: Iterable[OperatorResource], version: Version = ()
) -> FieldValue:
    """What a resource, an object that it falls back on, or the operator's default state for a part of the pod template.

    1. The first stated field counts; null is absent, and so is an empty list or map where the operator treats it so.
    2. REPLACE takes the field instead of the default, ADD after it (maps are merged, the field wins).
    3. Of a default that differs by version, the newest is taken where the version is not known.
    """
    stated, path, problems = _find_stated(fact, type_, resource, fallbacks)
    older = select_older(fact.older, version) if version else ()
    default = older[0].default if older else fact.default
    since = fact.older[-1].before if fact.older and not version else ""
    if stated is None:
        return FieldValue(default, (), False, 0, problems, since=since)
    if fact.form is FieldForm.NODE_AFFINITY:
        affinity = {"nodeAffinity": stated}
        return FieldValue(affinity, path, True, 0, problems, ("nodeAffinity",), own=affinity)
    if fact.mode is FieldMode.ADD and default is not None and isinstance(stated, type(default)):
        if isinstance(stated, list):
            return FieldValue([*default, *stated], path, True, len(default), problems, since=since, own=stated)
        return FieldValue({**default, **stated}, path, True, 0, problems, own=stated)
    return FieldValue(stated, path, True, 0, problems, own=stated)


def _find_stated(
    fact: FieldFact, type_: type, resource: OperatorResource, fallbacks: Iterable[OperatorResource]
) -> tuple[Any, FieldPath, tuple[tuple[FieldPath, str], ...]]:
    problems: tuple[tuple[FieldPath, str], ...] = ()
    for text in fact.fields:
        path = split_path(text)
        value = get_value(resource.data, path)
        if value is None or (fact.empty_is_default and value in ([], {}, "")):
            continue
        if (fact.form, type_) not in _PARSERS or not isinstance(value, str):
            return value, path, problems
        try:
            parsed = _PARSERS[fact.form, type_](value)
        except UnreadableText as error:
            problems = (*problems, (path, str(error)))
            continue
        if parsed is None:
            continue
        if not isinstance(parsed, type_) or (isinstance(parsed, list) and not all(map(_is_toleration, parsed))):
            problems = (*problems, (path, NOT_TOLERATIONS))
            continue
        return parsed, path, problems
    for text in fact.fallback_fields:
        for other in fallbacks:
            value = get_value(other.data, split_path(text))
            if value is not None:
                return value, (), problems
    return None, (), problems


def _is_toleration(item: object) -> bool:
    """Whether the operator can read an item as a toleration: its values have the right types; fields that it does not know are ignored."""
    return isinstance(item, dict) and all(
        isinstance(item.get(name), type_ | None) and not isinstance(item.get(name), bool)
        for name, type_ in (("key", str), ("operator", str), ("value", str), ("effect", str), ("tolerationSeconds", int))
    )
