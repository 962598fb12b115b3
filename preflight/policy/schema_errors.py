"""The slow way through a policy that msgspec refuses: every unknown key and every wrong type, each with its path."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from msgspec import Struct
from msgspec.json import encode

Path = tuple[str | int, ...]
Fault = tuple[Path, str]

_MAX_SHOWN = 60
_TYPE_NAMES = {str: "a string", bool: "true or false", int: "a whole number", dict: "a map", tuple: "a list"}


def find_faults(data: object, hint: Any, path: Path = ()) -> Iterator[Fault]:
    """What in plain data is not as a type of `written` wants it, in the order of the data.

    A key that is not known is told with the known one that is nearest to it.
    """
    kinds = [alternative for alternative in _list_alternatives(hint) if _accepts_type(alternative, data)]
    if not kinds:
        yield path, _describe_expected(data, hint)
        return
    kind = kinds[0]
    origin = typing.get_origin(kind)
    if isinstance(kind, type) and issubclass(kind, Struct) and isinstance(data, dict):
        known = _get_fields(kind)
        for key, value in data.items():
            if key in known:
                yield from find_faults(value, known[key], (*path, key))
            else:
                yield (*path, key), f"unknown key {quote_value(key)}{suggest_nearest(key, known)}"
        for name in kind.__struct_fields__:
            if name not in data and name in _get_required_fields(kind):
                yield path, f"lacks {name}"
    elif origin is tuple and isinstance(data, list):
        for index, value in enumerate(data):
            yield from find_faults(value, typing.get_args(kind)[0], (*path, index))
    elif origin is dict and isinstance(data, dict):
        for key, value in data.items():
            yield from find_faults(value, typing.get_args(kind)[1], (*path, key))


def suggest_nearest(word: str, known_words: Iterable[str]) -> str:
    """`: did you mean "severity"?`, where a known word is near; else all of them, where they are few, or nothing."""
    from difflib import get_close_matches

    every = [known_word for known_word in known_words if known_word]
    by_case = {each.lower(): each for each in every}
    near = get_close_matches(word.lower()[:_MAX_SHOWN], by_case, 1)
    if near:
        return f": did you mean {quote_value(by_case[near[0]])}?"
    return f": known are {', '.join(every)}" if len(every) <= 12 else ""


def quote_value(value: object) -> str:
    """A value in quotes, in ASCII and cut where it is long: nothing in it reaches a terminal as it is."""
    import json

    text = value if isinstance(value, str) else encode(value).decode("utf-8", "replace")
    cut = f"{text[:_MAX_SHOWN]}..." if len(text) > _MAX_SHOWN else text
    return json.dumps(cut) if isinstance(value, str) else cut


def _list_alternatives(hint: Any) -> tuple[Any, ...]:
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        return tuple(part for argument in typing.get_args(hint) for part in _list_alternatives(argument))
    return (hint,)


def _accepts_type(hint: Any, data: object) -> bool:
    """Whether data is of the sort that a type without alternatives wants; what is in it comes later."""
    origin = typing.get_origin(hint)
    if hint is Any or hint is types.NoneType:
        return hint is Any or data is None
    if origin is typing.Literal:
        return isinstance(data, str) and data in typing.get_args(hint) and data != ""
    if origin is tuple:
        return isinstance(data, list)
    if origin is dict or (isinstance(hint, type) and issubclass(hint, Struct)):
        return isinstance(data, dict)
    return type(data) is hint


def _describe_expected(data: object, hint: Any) -> str:
    words: list[str] = []
    choices: list[str] = []
    for alternative in _list_alternatives(hint):
        origin = typing.get_origin(alternative)
        if origin is typing.Literal:
            choices += [choice for choice in typing.get_args(alternative) if choice]
        elif origin in _TYPE_NAMES or alternative in _TYPE_NAMES:
            words.append(_TYPE_NAMES[origin or alternative])
        elif isinstance(alternative, type) and issubclass(alternative, Struct):
            words.append("a map")
    if isinstance(data, str) and choices:
        return f"{quote_value(data)} is not one of {', '.join(choices)}{_suggest_only_near(data, choices)}"
    words = [*(["one of " + ", ".join(choices)] if choices else []), *dict.fromkeys(words)]
    quote = "; quote it" if str in _list_alternatives(hint) and isinstance(data, bool | int | float) else ""
    is_ = (
        "it is empty"
        if data is None
        else f"{quote_value(data)} is {_describe_type(data)}"
        if not isinstance(data, dict | list)
        else f"it is {_describe_type(data)}"
    )
    return f"must be {' or '.join(words)}: {is_}{quote}"


def _suggest_only_near(word: str, known_words: Iterable[str]) -> str:
    text = suggest_nearest(word, known_words)
    return text if "did you mean" in text else ""


def _describe_type(data: object) -> str:
    if isinstance(data, bool):
        return "a boolean"
    if isinstance(data, int | float):
        return "a number"
    return "a string" if isinstance(data, str) else "a map" if isinstance(data, dict) else "a list" if isinstance(data, list) else "null"


@cache
def _get_fields(kind: type[Struct]) -> dict[str, Any]:
    return dict(typing.get_type_hints(kind))


@cache
def _get_required_fields(kind: type[Struct]) -> frozenset[str]:
    fields = kind.__struct_fields__
    return frozenset(fields[: len(fields) - len(kind.__struct_defaults__)])
