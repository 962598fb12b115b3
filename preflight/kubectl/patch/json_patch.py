"""JSON patches (RFC 6902) and JSON merge patches (RFC 7386), as the API server applies them.

Source: evanphx/json-patch v4 `patch.go` and `merge.go`, with what they do beside the two standards.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from preflight.errors import UsageError

_INDEX = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
_REFUSED = "The request is invalid: the server rejected our request due to an error in our request"
_MISSING: Any = object()


class _OperationError(Exception):
    """Why an operation cannot be done."""


def apply_merge_patch(original: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """What a JSON merge patch makes of a map; neither is changed: maps are merged, null removes a key, all else is replaced."""
    after = dict(original)
    for key, value in patch.items():
        there = after.get(key)
        if value is None:
            after.pop(key, None)
        elif isinstance(there, dict):
            after[key] = apply_merge_patch(there, value) if isinstance(value, dict) else value
        else:
            after[key] = _drop_nulls(value)
    return after


def _drop_nulls(value: Any) -> Any:
    """A value that is new where it stands: nulls in its maps are nothing."""
    if isinstance(value, dict):
        return {key: _drop_nulls(item) for key, item in value.items() if item is not None}
    return [_drop_nulls(item) for item in value] if isinstance(value, list) else value


def apply_json_patch(original: Mapping[str, Any], operations: Sequence[Any]) -> dict[str, Any]:
    """What the operations of a JSON patch make of a map, one after the other; neither is changed.

    1. add, remove, replace, move, copy and test, as RFC 6902 has them; a path is a pointer of RFC 6901.
    2. Beside the standard: `replace` of a key that a map lacks sets it, `copy` of one gives null, a negative index counts from the end.

    Errors: UsageError, in kubectl's words with the reason, at the first operation that cannot be done.
    """
    document: Any = _deep_copy(dict(original))
    for operation in operations:
        try:
            document = _apply_operation(document, operation)
        except _OperationError as failed:
            raise UsageError(f"{_REFUSED} ({failed})") from None
    if not isinstance(document, dict):
        raise UsageError(f"{_REFUSED} (no object is left)")
    return document


def _apply_operation(document: Any, operation: Any) -> Any:
    kind = operation.get("op")
    if kind not in ("add", "remove", "replace", "move", "copy", "test"):
        raise _OperationError(f"Unexpected kind: {kind if isinstance(kind, str) else 'unknown'}")
    path, value = _get_text(operation, "path", kind), _deep_copy(operation.get("value"))
    if kind == "replace" and path == "":
        if not isinstance(value, dict | list):
            raise _OperationError("replace operation value must be object or array")
        return value
    if kind == "test" and path == "":
        _check_equal(document, value, path)
    elif kind in ("move", "copy"):
        _move_or_copy(document, operation, path)
    else:
        place, key = _resolve_pointer(document, path, kind)
        if kind == "add":
            _add_member(place, key, value, path)
        elif kind == "remove":
            _remove_member(place, key, path)
        elif kind == "replace":
            _get_member(place, key, f"replace operation does not apply: doc is missing key: {path}")
            _set_member(place, key, value)
        else:
            _check_equal(_get_member(place, key, f"error in test for path: '{path}'"), value, path)
    return document


def _move_or_copy(document: Any, operation: Any, path: str) -> None:
    """`move` and `copy`."""
    kind, source = operation["op"], _get_text(operation, "from", operation["op"])
    place, key = _resolve_pointer(document, source, kind)
    value = _get_member(place, key, f"error in {kind} for path: '{key}'")
    if kind == "move":
        _remove_member(place, key, source)
    place, key = _resolve_pointer(document, path, kind)
    _add_member(place, key, value if kind == "move" else _deep_copy(value), path)


def _get_text(operation: Any, field: str, kind: str) -> str:
    text = operation.get(field)
    if not isinstance(text, str):
        raise _OperationError(f"{kind} operation failed to decode {field}")
    return text


def _resolve_pointer(document: Any, pointer: str, kind: str) -> tuple[Any, str]:
    """The map or list that holds what a pointer names, and its key there."""
    _, *parts = pointer.split("/")
    keys = [part.replace("~1", "/").replace("~0", "~") for part in parts]
    place = document
    for key in keys[:-1]:
        try:
            place = _get_member(place, key, "")
        except _OperationError:
            place = None
        if not isinstance(place, dict | list):
            break
    if not keys or not isinstance(place, dict | list):
        raise _OperationError(f'{kind} operation does not apply: doc is missing path: "{pointer}"')
    return place, keys[-1]


def _get_member(container: Any, key: str, why: str) -> Any:
    if isinstance(container, dict):
        return container.get(key)
    index = _parse_index(container, key, len(container), why)
    if index >= len(container):
        raise _OperationError(f"{why}: Unable to access invalid index: {key}")
    return container[index]


def _set_member(container: Any, key: str, value: Any) -> None:
    container[key if isinstance(container, dict) else _parse_index(container, key, len(container), "")] = value


def _add_member(container: Any, key: str, value: Any, path: str) -> None:
    if isinstance(container, dict):
        container[key] = value
    elif key == "-":
        container.append(value)
    else:
        why = f"error in add for path: '{path}'"
        index = _parse_index(container, key, len(container) + 1, why)
        if index > len(container):
            raise _OperationError(f"{why}: Unable to access invalid index: {key}")
        container.insert(index, value)


def _remove_member(container: Any, key: str, path: str) -> None:
    why = f"error in remove for path: '{path}'"
    if isinstance(container, dict):
        if key not in container:
            raise _OperationError(f"{why}: Unable to remove nonexistent key: {key}")
        del container[key]
        return
    _get_member(container, key, why)
    del container[_parse_index(container, key, len(container), why)]


def _parse_index(container: Sequence[Any], key: str, length: int, why: str) -> int:
    """An index of a list; a negative one counts from the end of `length` places."""
    if not _INDEX.fullmatch(key):
        raise _OperationError(f"{why}: value was not a proper array index: '{key}'")
    index = int(key)
    if index < -length or (index < 0 and not container and length == 0):
        raise _OperationError(f"{why}: Unable to access invalid index: {key}")
    return index + length if index < 0 else index


def _check_equal(actual: Any, value: Any, path: str) -> None:
    if not _is_equal_json(actual, value):
        raise _OperationError(f"testing value {path} failed")


def _deep_copy(value: Any) -> Any:
    """A copy that shares nothing, not even what two places of the value share, as those of a YAML file with anchors do."""
    if isinstance(value, dict):
        return {key: _deep_copy(item) for key, item in value.items()}
    return [_deep_copy(item) for item in value] if isinstance(value, list) else value


def _is_equal_json(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: 1 is not true, nor 1.0."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_equal_json(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_equal_json, one, other))
    return type(one) is type(other) and bool(one == other)
