"""The words that preflight itself has: rules, policy packs, formats. They are read without importing what makes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

_RULE = re.compile(r"(?P<id>PF\d+) (?P<name>\S+) \(\w+\): (?P<summary>.*?)\.?")


class RuleWords(NamedTuple):
    """A rule in one line."""

    id: str
    name: str
    summary: str


class _Rule(msgspec.Struct):
    description: str = ""


class _AnyOf(msgspec.Struct):
    properties: dict[str, _Rule] = {}


class _Rules(msgspec.Struct):
    anyOf: list[_AnyOf] = []


class _Properties(msgspec.Struct):
    rules: _Rules = msgspec.field(default_factory=_Rules)


class _Schema(msgspec.Struct):
    properties: _Properties = msgspec.field(default_factory=_Properties)


def list_rules() -> list[RuleWords]:
    """The rules that a policy may set, sorted by id: all but PF900, a fault of preflight itself.

    They are read from the schema of policies, since importing all rules takes too long.
    """
    return sorted(set(_iter_rules()))


def list_policies() -> list[str]:
    """The packs of policies."""
    folder = _find_folder()
    return sorted(path.stem for path in folder.glob("*.yaml")) if folder is not None else []


def list_formats(verb: str) -> tuple[str, ...]:
    """The formats of a command's `-o`."""
    if verb == "components":
        return ("text", "json")
    if verb == "capacity":
        from preflight.report.capacity import FORMATS as CAPACITY_FORMATS

        return tuple(CAPACITY_FORMATS)
    from preflight.report import FORMATS

    return tuple(FORMATS)


def _iter_rules() -> Iterator[RuleWords]:
    folder = _find_folder()
    if folder is None:
        return
    for part in msgspec.json.decode((folder / "schema.json").read_bytes(), type=_Schema).properties.rules.anyOf:
        for rule in part.properties.values():
            if found := _RULE.fullmatch(rule.description):
                yield RuleWords(found["id"], found["name"], found["summary"])


def _find_folder() -> Path | None:
    """The folder of the packs and of the schema: in the package where it was installed, next to the package in a repository."""
    package = Path(__file__).parents[2]
    folders = (package / "policies", package.parent / "policies")
    return next((folder for folder in folders if (folder / "schema.json").is_file()), None)
