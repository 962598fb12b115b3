"""A strategic merge patch, which is what `kubectl patch` sends where nothing else is said.

Source: apimachinery `pkg/util/strategicpatch/patch.go`, mergeMap and mergeSlice; the strategies are those of the API types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from preflight.errors import UsageError
from preflight.kubectl.patch.three_way import MERGE_KEYS

_DIRECTIVE, _RETAINED = "$patch", "$retainKeys"
_ORDER, _DELETED = "$setElementOrder", "$deleteFromPrimitiveList"
_KEYS = {**MERGE_KEYS, "ownerReferences": "uid", "conditions": "type", "addresses": "type", "evictionResponders": "name"}
_PRIMITIVE = frozenset(("finalizers", "podCIDRs"))
_MISSING: Any = object()


def apply_strategic_patch(original: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """What a strategic merge patch makes of a map; neither is changed.

    1. Maps are merged, null removes a key, a value of another kind takes the place of the one that is there.
    2. Lists of things with a name (see MERGE_KEYS) are merged by it; every other list, tolerations and taints among them, is replaced.
    3. `$patch: replace` and `delete` in a map or in an item of such a list, `$retainKeys`, `$deleteFromPrimitiveList/...` and
       `$setElementOrder/...` mean what they mean to the API server.

    Errors: UsageError, in the server's words, for an item without its name and for a directive that there is not.
    """
    if _DIRECTIVE in patch:
        return _apply_directives(patch)
    merged = dict(original)
    rest = dict(patch)
    _apply_retain_keys(merged, rest)
    _apply_element_order(merged, rest)
    for key in rest:
        if f"{_DELETED}/{key}" in rest:
            raise UsageError(f"the patch has {key} and {_DELETED}/{key}: the server takes them in no certain order")
    for key, value in rest.items():
        deletes = key.startswith(_DELETED)
        _merge_key(merged, _get_list_name(key, _DELETED) if deletes else key, value, deletes=deletes)
    return merged


def _merge_key(merged: dict[str, Any], key: str, value: Any, *, deletes: bool) -> None:
    if value is None:
        merged.pop(key, None)
        return
    there = merged.get(key, _MISSING)
    if there is _MISSING or type(there) is not type(value):
        if not deletes:
            new = _drop_directives(_drop_nulls(value))
            merged.pop(key, None)
            if new is not _MISSING:
                merged[key] = new
    elif isinstance(value, dict):
        merged[key] = apply_strategic_patch(there, value)
    elif isinstance(value, list):
        merged[key] = _merge_lists(key, there, value, deletes=deletes)
    else:
        merged[key] = value


def _apply_directives(patch: Mapping[str, Any]) -> dict[str, Any]:
    directive = patch[_DIRECTIVE]
    if directive == "delete":
        return {}
    if directive == "replace":
        return {key: value for key, value in patch.items() if key != _DIRECTIVE}
    raise UsageError(f"unknown patch type: {directive} in map: {_format_go_value(patch)}")


def _apply_retain_keys(merged: dict[str, Any], patch: dict[str, Any]) -> None:
    """Apply `$retainKeys`: every key that it does not name goes; it must name each key that the patch sets."""
    kept = patch.pop(_RETAINED, _MISSING)
    if kept is _MISSING:
        return
    set_by_patch = [key for key, value in patch.items() if value is not None and not key.startswith((_DELETED, _ORDER))]
    if not isinstance(kept, list) or any(key not in kept for key in set_by_patch):
        raise UsageError("invalid patch format of retainKeys")
    for key in [key for key in merged if key not in kept]:
        del merged[key]


def _apply_element_order(merged: dict[str, Any], patch: dict[str, Any]) -> None:
    """Apply each `$setElementOrder/LIST`: the list is merged, then stands in that order."""
    for directive in [key for key in patch if key.startswith(_ORDER)]:
        order = patch.pop(directive)
        key = _get_list_name(directive, _ORDER)
        if not isinstance(order, list) or not all(isinstance(side.get(key, []), list) for side in (merged, patch)):
            raise UsageError("invalid patch format of setElementOrder list")
        there, new = merged.get(key), patch.pop(key, None)
        if there is None and new is None:
            continue
        if not there and not new:
            raise UsageError("no elements in any of the given slices")
        name = _KEYS.get(key, "")
        _check_order(new or [], order, name)
        items: list[Any] = there or []
        if new is not None:
            items = _drop_directives(new) if there is None else _merge_lists(key, there, new)
        merged[key] = _order_items(items, order, there or [], name)


def _check_order(new: Sequence[Any], order: Sequence[Any], name: str) -> None:
    """Refuse items of a patch that stand in another order than it gives, or are not in it."""
    items = [item for item in new if not (isinstance(item, dict) and item.get(_DIRECTIVE) == "delete")]
    places = list(order)
    while items and places:
        if isinstance(items[0], dict) and _DIRECTIVE in items[0]:
            items.pop(0)
            continue
        place = places.pop(0)
        if _get_merge_key(items[0], name) == _get_merge_key(place, name) if name else items[0] == place:
            items.pop(0)
    if new and order and items:
        raise UsageError(f"The order in patch list:\n{_format_go_value(new)}\n doesn't match {_ORDER} list:\n{_format_go_value(order)}\n")


def _get_list_name(directive: str, prefix: str) -> str:
    """The list that `$deleteFromPrimitiveList/finalizers` is about."""
    start, slash, key = directive.partition("/")
    if start != prefix or not slash:
        what = "primitive" if prefix == _DELETED else "setElementOrder"
        raise UsageError(f"invalid patch format of {what} list")
    return key


def _merge_lists(key: str, existing: list[Any], new: list[Any], *, deletes: bool = False) -> list[Any]:
    name = _KEYS.get(key, "")
    if deletes and not any(isinstance(item, dict) for item in (*existing, *new)):
        return [item for item in existing if item not in new]
    if deletes and not name:
        raise UsageError("cannot merge lists without merge key for struct")
    if not name and key not in _PRIMITIVE:
        return new
    if not name:
        return _order_items(list(dict.fromkeys([*existing, *new])), new, existing, "")
    if not all(isinstance(item, dict) for item in (*existing, *new)):
        raise UsageError(f"{key}: expected a list of maps: {_format_go_value(new)}")
    plain = [item for item in new if _DIRECTIVE not in item]
    before = list(existing)
    replaces = False
    for item in new:
        directive = item.get(_DIRECTIVE, _MISSING)
        if directive == "delete":
            gone = _get_merge_key(item, name)
            before = [item for item in before if item.get(name) != gone]
        elif directive == "replace":
            replaces = True
        elif directive == "merge":
            raise UsageError("merging lists cannot yet be specified in the patch")
        elif directive is not _MISSING:
            raise UsageError(f"unknown patch type: {directive} in map: {_format_go_value(item)}")
    return _merge_items(plain, [], name) if replaces else _merge_items(before, plain, name)


def _merge_items(existing: list[dict[str, Any]], new: Sequence[dict[str, Any]], name: str) -> list[Any]:
    merged = list(existing)
    for item in new:
        wanted = _get_merge_key(item, name)
        place = next((place for place, item in enumerate(merged) if item.get(name, _MISSING) == wanted), None)
        if place is None:
            merged.append(item)
        else:
            merged[place] = apply_strategic_patch(merged[place], item)
    return _order_items(merged, new, existing, name)


def _order_items(items: Sequence[Any], wanted_order: Sequence[Any], existing: Sequence[Any], name: str) -> list[Any]:
    """The items in the wanted order, those that it does not name put among them as the list has them that was there."""

    def identity(item: Any) -> Any:
        return _get_merge_key(item, name) if name else item

    patched, before = [identity(item) for item in wanted_order], [identity(item) for item in existing]
    left = sorted((item for item in items if identity(item) not in patched), key=lambda item: _find_position(before, identity(item)))
    right = sorted((item for item in items if identity(item) in patched), key=lambda item: patched.index(identity(item)))
    merged = []
    while left and right:
        mine, other = identity(left[0]), identity(right[0])
        first = mine in before and other in before and before.index(mine) < before.index(other)
        merged.append((left if first else right).pop(0))
    return [*merged, *left, *right]


def _find_position(names: Sequence[Any], name: Any) -> int:
    return names.index(name) if name in names else len(names)


def _get_merge_key(item: Any, name: str) -> Any:
    if not isinstance(item, dict) or name not in item:
        raise UsageError(f"map: {_format_go_value(item)} does not contain declared merge key: {name}")
    return item[name]


def _drop_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _drop_nulls(item) for key, item in value.items() if item is not None}
    return [_drop_nulls(item) for item in value] if isinstance(value, list) else value


def _drop_directives(value: Any) -> Any:
    """A value that is new where it stands, without what carries a directive."""
    if isinstance(value, dict):
        if _DIRECTIVE in value:
            return _MISSING
        kept = {key: _drop_directives(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item is not _MISSING}
    if isinstance(value, list):
        return [item for item in map(_drop_directives, value) if item is not _MISSING]
    return value


def _format_go_value(value: Any) -> str:
    """A value as Go prints it: `map[image:x name:c]`."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{_format_go_value(item)}' for key, item in sorted(value.items()))}]"
    if isinstance(value, list | tuple):
        return f"[{' '.join(map(_format_go_value, value))}]"
    return {True: "true", False: "false", None: "<nil>"}[value] if value is None or isinstance(value, bool) else str(value)
