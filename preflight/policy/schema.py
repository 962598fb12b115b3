"""The JSON Schema of a policy, made from the types of `config`, the rules, their options and the kinds of component."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from preflight.components import load_kinds
from preflight.policy.config import SEVERITIES, Exemption, Match, PolicyFile, Setting
from preflight.policy.matching import MAX_GLOB
from preflight.rules.api import Rule
from preflight.rules.select_rules import load_all_rules

_PLAIN = {str: "string", bool: "boolean", int: "integer"}
_DAY = r"^\d{4}-\d{2}-\d{2}$"


def build_schema() -> dict[str, Any]:
    """The schema, draft 2020-12: editors complete and check a policy by it; what it can't say, `preflight policy check` does."""
    made = _SchemaBuilder()
    top = made.build_object(PolicyFile)
    top["properties"]["rules"]["anyOf"][0] = _build_rules(made)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "preflight policy",
        **top,
        "$defs": dict(sorted(made.definitions.items())),
    }


def build_data_schema() -> dict[str, Any]:
    """The schema of a policy whose empty sections were left out: as above, and no section may be null."""
    schema = build_schema()
    properties = {name: _forbid_null(definition) for name, definition in schema["properties"].items()}
    return {**schema, "properties": properties}


def _forbid_null(definition: dict[str, Any]) -> dict[str, Any]:
    alternatives = [alternative for alternative in definition.get("anyOf", ()) if alternative != {"type": "null"}]
    return alternatives[0] if len(alternatives) == 1 else {**definition, "anyOf": alternatives} if alternatives else definition


def _build_rules(builder: _SchemaBuilder) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for rule in load_all_rules():
        if not rule.is_crash:
            for name in (rule.id, rule.name):
                properties[name] = {
                    "description": f"{rule.id} {rule.name} ({rule.severity}): {rule.summary}.",
                    "$ref": _define_rule(builder, rule),
                }
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _define_rule(builder: _SchemaBuilder, rule: Rule) -> str:
    name = "rule" if rule.options is None else rule.id
    if name not in builder.definitions:
        severity = {"enum": [*SEVERITIES, False]}
        setting = builder.build_object(Setting)
        setting["properties"]["severity"] = {"anyOf": [severity, {"type": "null"}]}
        if rule.options is None:
            setting["properties"]["options"] = {"type": "object", "maxProperties": 0}
        else:
            setting["properties"]["options"] = builder.build_object(rule.options)
        builder.definitions[name] = {"anyOf": [severity, setting, {"type": "array", "items": setting}]}
    return f"#/$defs/{name}"


def build_struct_schema(kind: type[Struct]) -> dict[str, Any]:
    """The schema of one Struct, such as the options of a rule."""
    builder = _SchemaBuilder()
    top = builder.build_object(kind)
    return {**top, "$defs": builder.definitions}


class _SchemaBuilder:
    """The definitions made so far."""

    def __init__(self) -> None:
        self.definitions: dict[str, Any] = {}

    def build_object(self, kind: type[Struct]) -> dict[str, Any]:
        """A map with the fields of a Struct and no others."""
        hints = typing.get_type_hints(kind)
        names = kind.__struct_fields__
        required = list(names[: len(names) - len(kind.__struct_defaults__)])
        properties = {name: self._build_field(kind, name, hints[name]) for name in names}
        made: dict[str, Any] = {
            "description": _describe_struct(kind),
            "type": "object",
            "additionalProperties": False,
            "properties": properties,
        }
        return {**made, "required": required} if required else made

    def _build_field(self, kind: type[Struct], name: str, hint: Any) -> dict[str, Any]:
        made = self._build_type(hint)
        if (kind, name) in ((PolicyFile, "mandatory"), (Exemption, "rule")):
            known: list[object] = [known_name for rule in load_all_rules() for known_name in (rule.id, rule.name)]
            made = {"enum": known} if name == "rule" else {"type": "array", "items": {"enum": known}}
        elif name in ("kinds", "add"):
            made = _restrict_strings(made, {"enum": list(load_kinds())})
        elif name == "expires":
            made = {"type": "string", "pattern": _DAY}
        elif kind is Match:
            made = _restrict_strings(made, {"type": "string", "minLength": 1, "maxLength": MAX_GLOB}) if name != "labels" else made
        if kind is PolicyFile and "anyOf" not in made and not name.startswith("requireExp"):
            made = {"anyOf": [made, {"type": "null"}]}
        return made

    def _build_type(self, hint: Any) -> dict[str, Any]:
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin in (types.UnionType, typing.Union):
            return {"anyOf": [self._build_type(argument) for argument in arguments]}
        if origin is typing.Literal:
            return {"enum": [choice for choice in arguments if choice != ""]}
        if origin is tuple:
            return {"type": "array", "items": self._build_type(arguments[0])}
        if origin is dict:
            return {"type": "object", "additionalProperties": self._build_type(arguments[1])}
        if hint is types.NoneType:
            return {"type": "null"}
        if isinstance(hint, type) and issubclass(hint, Struct):
            if hint.__name__ not in self.definitions:
                self.definitions[hint.__name__] = {}
                self.definitions[hint.__name__] = self.build_object(hint)
            return {"$ref": f"#/$defs/{hint.__name__}"}
        return {"type": _PLAIN[hint]} if hint in _PLAIN else {}


def _restrict_strings(definition: Mapping[str, Any], string_schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema with another one in the place of its strings."""
    if definition.get("type") == "string":
        return dict(string_schema)
    if "anyOf" in definition:
        return {"anyOf": [_restrict_strings(alternative, string_schema) for alternative in definition["anyOf"]]}
    return {**definition, "items": dict(string_schema)} if definition.get("type") == "array" else dict(definition)


def _describe_struct(kind: type[Struct]) -> str:
    return " ".join((inspect.getdoc(kind) or "").split())
