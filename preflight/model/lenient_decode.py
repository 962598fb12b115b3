"""The slow way from plain data to a Struct, taken only where something is wrong: it goes on, and lists all that is wrong."""

from __future__ import annotations

import functools
import json
import types
import typing
from typing import Any, TypeVar

import msgspec
from msgspec import Raw, Struct

from preflight.model.core import POD_TEMPLATE_SPEC, Taint, Toleration
from preflight.model.meta import Refusal

T = TypeVar("T")
Path = tuple[str | int, ...]

_DROPPED: Any = object()
_PRIVATE_PREFIX = "\ue000"
_MAX_SHOWN_LENGTH = 40
# What must be there in its right form, or the object says nothing: its own maps on the way to a pod spec, and its name.
_ESSENTIAL: frozenset[Path] = frozenset(
    {(), ("metadata",), ("metadata", "name"), ("metadata", "namespace")}
    | {("spec", "jobTemplate", *POD_TEMPLATE_SPEC)[:length] for length in range(1, 6)}
    | {POD_TEMPLATE_SPEC[:length] for length in range(1, 4)}
)


def convert_leniently(data: object, type: type[T]) -> tuple[T | None, tuple[Refusal, ...]]:
    """As `convert` says in its rules 1, 2 and 4, field by field."""
    walker = _LenientConverter()
    value = walker.convert_value(data, type, ())
    is_meaningless = value is _DROPPED or any(path in _ESSENTIAL for path in walker.dropped)
    return (None if is_meaningless else value), tuple(walker.refusals)


class _LenientConverter:
    """Reads plain data as types say; `dropped` are the paths of what could not be understood."""

    def __init__(self) -> None:
        self.refusals: list[Refusal] = []
        self.dropped: list[Path] = []

    def convert_value(self, data: object, hint: Any, path: Path) -> Any:
        """The value for a type, or _DROPPED."""
        alternatives = _split_union(hint)
        if hint is Any or data is None:
            return data if hint is Any else _make_zero_value(alternatives[0])
        if len(alternatives) > 1:
            return self._convert_int_or_string(data, alternatives, path)
        wanted = alternatives[0]
        origin = typing.get_origin(wanted)
        if origin is dict:
            return self._convert_map(data, typing.get_args(wanted)[1], path)
        if origin is tuple:
            return self._convert_list(data, typing.get_args(wanted)[0], path)
        if wanted is str:
            return self._convert_string(data, path)
        if wanted is bool:
            return self._convert_boolean(data, path)
        if wanted is int:
            return self._convert_integer(data, path)
        if wanted is Raw:
            return self._convert_raw(data, path)
        return self._convert_struct(data, wanted, path)

    def _convert_struct(self, data: object, wanted: type[Struct], path: Path) -> Any:
        if not isinstance(data, dict):
            return self._drop(path, "a map", data)
        fields = {}
        for name, encoded, hint in _list_fields(wanted):
            value = data.get(encoded)
            if value is not None:
                value = self.convert_value(value, hint, (*path, encoded))
                if value is not _DROPPED:
                    fields[name] = value
        return wanted(**fields)

    def _convert_map(self, data: object, hint: Any, path: Path) -> Any:
        if not isinstance(data, dict):
            return self._drop(path, "a map", data)
        taken = {}
        for key, value in data.items():
            name = key if isinstance(key, str) else _format_scalar(key)
            read = self.convert_value(value, hint, (*path, name))
            if read is not _DROPPED:
                taken[name] = read
        return taken

    def _convert_list(self, data: object, hint: Any, path: Path) -> Any:
        if not isinstance(data, list | tuple):
            return self._drop(path, "a list", data)
        taken = []
        for index, value in enumerate(data):
            dropped = len(self.dropped)
            read = self.convert_value(value, hint, (*path, index))
            # A taint or toleration of which a part is not understood would say more than what stands there.
            if read is not _DROPPED and not (hint in {Taint, Toleration} and len(self.dropped) > dropped):
                taken.append(read)
        return tuple(taken)

    def _convert_string(self, data: object, path: Path) -> Any:
        if isinstance(data, str):
            return data
        if isinstance(data, bool | int | float):
            self._refuse(path, f"must be a string: {_format_scalar(data)} is {_describe_type(data)}; quote it")
            return _format_scalar(data)
        return self._drop(path, "a string", data)

    def _convert_boolean(self, data: object, path: Path) -> Any:
        if isinstance(data, bool):
            return data
        if isinstance(data, str) and data in {"true", "false"}:
            self._refuse(path, f'must be a boolean: "{data}" is a string; remove the quotes')
            return data == "true"
        return self._drop(path, "a boolean", data)

    def _convert_integer(self, data: object, path: Path) -> Any:
        if isinstance(data, int) and not isinstance(data, bool):
            return data
        if isinstance(data, float) and data.is_integer():
            return int(data)
        if isinstance(data, str) and data.removeprefix("-").isdecimal() and data.isascii() and len(data) < _MAX_SHOWN_LENGTH:
            self._refuse(path, f'must be a number: "{data}" is a string; remove the quotes')
            return int(data)
        return self._drop(path, "a whole number", data)

    def _convert_int_or_string(self, data: object, alternatives: tuple[Any, ...], path: Path) -> Any:
        """A number or a string, as a percentage (no fraction) or a quantity."""
        if isinstance(data, str) or (isinstance(data, int | float) and type(data) in alternatives):
            return data
        if isinstance(data, float) and data.is_integer():
            return int(data)
        return self._drop(path, "a number or a string", data)

    def _convert_raw(self, data: object, path: Path) -> Any:
        try:
            return Raw(msgspec.json.encode(data))
        except (TypeError, ValueError, RecursionError):
            return self._drop(path, "plain data", data)

    def _drop(self, path: Path, wanted: str, data: object) -> Any:
        shown = "it" if isinstance(data, dict | list) else _format_scalar(data)
        self._refuse(path, f"must be {wanted}: {shown} is {_describe_type(data)}")
        self.dropped.append(path)
        return _DROPPED

    def _refuse(self, path: Path, reason: str) -> None:
        self.refusals.append(Refusal(path, f"{_format_last_field(path)} {reason}"))


@functools.cache
def _list_fields(struct: type[Struct]) -> tuple[tuple[str, str, Any], ...]:
    """The name, the encoded name and the type of each field that an input may state."""
    hints = typing.get_type_hints(struct)
    pairs = zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True)
    return tuple((name, encoded, hints[name]) for name, encoded in pairs if not encoded.startswith(_PRIVATE_PREFIX))


def _split_union(hint: Any) -> tuple[Any, ...]:
    if typing.get_origin(hint) in {types.UnionType, typing.Union}:
        return tuple(argument for argument in typing.get_args(hint) if argument is not types.NoneType)
    return (hint,)


def _make_zero_value(wanted: Any) -> Any:
    """What Go keeps for a null inside a map or a list."""
    constructor = typing.get_origin(wanted) or wanted
    return constructor()


def _describe_type(data: object) -> str:
    if isinstance(data, bool):
        return "a boolean"
    if isinstance(data, int | float):
        return "a number"
    if isinstance(data, dict):
        return "a map"
    return "a string" if isinstance(data, str) else "a list" if isinstance(data, list) else "null"


def _format_scalar(data: object) -> str:
    """A scalar as JSON writes it, cut where it is long."""
    if isinstance(data, str):
        return json.dumps(f"{data[:_MAX_SHOWN_LENGTH]}..." if len(data) > _MAX_SHOWN_LENGTH else data, ensure_ascii=False)
    if isinstance(data, bool) or data is None:
        return {True: "true", False: "false", None: "null"}[data]
    try:
        return str(data)
    except ValueError:  # an integer of more digits than Python prints
        return "a huge number"


def _format_last_field(path: Path) -> str:
    """The field that a path ends at, in a word: `values[0]`."""
    names = [step for step in path if isinstance(step, str)]
    index = "".join(f"[{step}]" for step in path[-1:] if isinstance(step, int))
    return (names[-1] if names else "the object") + index
