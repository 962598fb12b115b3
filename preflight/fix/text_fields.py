"""Tolerations that an object states as text, in the value of a field: Longhorn's settings, and YAML in a ConfigMap."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from preflight.fix.edit_model import AddToleration, Operation, TextEdit
from preflight.fix.yaml_style import TolerationStyle
from preflight.fix.yaml_tree import CannotEdit, Path, YamlNode, YamlTree, walk_path
from preflight.messages import fix as messages
from preflight.model.declaration import FieldForm
from preflight.operators.toleration_formats import UnreadableText, parse_longhorn_tolerations, parse_yaml_text


class TextChange(Struct, frozen=True):
    """What is to become of one text: `path` leads to the value in the document, `before` is "" where the document has none."""

    document: int
    path: Path
    before: str
    after: str


def add_tolerations(form: FieldForm, text: str, operations: Sequence[Operation]) -> str:
    """The text with tolerations added, the rest as it is. Raises CannotEdit where it is not understood, or more is to be changed."""
    added = [dict(operation.toleration) for operation in operations if isinstance(operation, AddToleration)]
    if len(added) < len(operations):
        raise CannotEdit(messages.TEXT_IS_ONLY_ADDED_TO)
    parse: Callable[[str], Any] = parse_longhorn_tolerations if form is FieldForm.LONGHORN else parse_yaml_text
    after = _add_to_longhorn_text(text, added) if form is FieldForm.LONGHORN else _add_to_yaml(text, added)
    try:
        is_exact = parse(after) == [*(parse(text) or []), *added]
    except UnreadableText:
        is_exact = False
    if not is_exact:
        raise CannotEdit(messages.CHANGES_MORE)
    return after


def format_tolerations(form: FieldForm, tolerations: Sequence[Mapping[str, Any]]) -> str:
    """Tolerations as a text of a form."""
    return ";".join(map(_format_longhorn, tolerations)) if form is FieldForm.LONGHORN else json.dumps(list(tolerations))


def _add_to_longhorn_text(text: str, added: Sequence[Mapping[str, Any]]) -> str:
    start = text.rstrip().rstrip(";").rstrip()
    separator = "; " if "; " in text else ";"
    return separator.join([*([start] if start else []), *map(_format_longhorn, added)])


def _format_longhorn(toleration: Mapping[str, Any]) -> str:
    value = f"={toleration['value']}" if toleration.get("value") else ""
    return f"{toleration.get('key', '')}{value}:{toleration.get('effect', '')}"


def _add_to_yaml(text: str, added: Sequence[Mapping[str, Any]]) -> str:
    items = [TolerationStyle().format_flow(toleration) for toleration in added]
    body = text.rstrip()
    if body.endswith("]"):
        inner = body[:-1].rstrip()
        return f"{inner}{', ' if not inner.endswith('[') else ''}{', '.join(items)}]{text[len(body) :]}"
    first = re.search(r"^( *)- ", text, re.MULTILINE)
    indent = first[1] if first else ""
    lines = [f"{indent}- {item}" for item in items]
    return "\n".join([*([body] if body else []), *lines]) + (text[len(body) :] if body else "\n")


def get_nested_value(text: str, name: str) -> str:
    """The value of a name in a text of `name: value` lines; "" where it has none."""
    try:
        values = parse_yaml_text(text)
    except UnreadableText:
        raise CannotEdit(messages.UNUSUAL_TEXT) from None
    value = values.get(name) if isinstance(values, dict) else None
    return value if isinstance(value, str) else ""


def set_nested_value(text: str, name: str, value: str) -> str:
    """A text of `name: value` lines with another value for a name."""
    line = f"{name}: {json.dumps(value)}"
    found = re.search(rf"^{re.escape(name)}:.*$", text, re.MULTILINE)
    if found:
        return f"{text[: found.start()]}{line}{text[found.end() :]}"
    body = text.rstrip("\n")
    return f"{body}{chr(10) if body else ''}{line}{text[len(body) :]}"


def make_text_edits(tree: YamlTree, change: TextChange) -> list[TextEdit]:
    """The edits of a document that change one text. Raises CannotEdit where its place is shared or written in an unusual way."""
    parent = walk_path(tree, change.path[:-1])
    name = str(change.path[-1])
    if parent.find_entry(name) is None:
        return [_insert_entry(tree, parent, name, change.after)]
    node = walk_path(tree, change.path)
    if node.kind != "scalar" or node.is_tagged or node.anchor or node.style == ">":
        raise CannotEdit(messages.UNUSUAL_TEXT)
    if node.style == "|":
        return [TextEdit(node.start, node.end, _format_block(tree.text[node.start : node.end], change.after))]
    return [TextEdit(node.start, node.end, _quote(change.after, node.style))]


def _insert_entry(tree: YamlTree, parent: YamlNode, name: str, text: str) -> TextEdit:
    """A new entry at the end of a map of a line an entry."""
    if parent.kind != "map" or parent.is_flow or not parent.entries or parent.has_merge_key:
        raise CannotEdit(messages.UNUSUAL_TEXT)
    indent = " " * tree.find_column(parent.entries[0][0].start)
    end = tree.find_line_end(parent.end)
    lines = "".join(f"\n{indent}  {line}" for line in text.rstrip("\n").split("\n"))
    return TextEdit(end, end, f"\n{indent}{name}: |{lines}")


def _format_block(source: str, text: str) -> str:
    """A literal block scalar with other lines."""
    head, _, body = source.partition("\n")
    indent = next((line[: len(line) - len(line.lstrip(" "))] for line in body.split("\n") if line.strip()), "")
    if not indent or re.fullmatch(r"\|[-+]?[ \t]*", head) is None:
        raise CannotEdit(messages.UNUSUAL_TEXT)
    return "\n".join([head, *(f"{indent}{line}" if line else "" for line in text.rstrip("\n").split("\n"))])


def _quote(text: str, style: str) -> str:
    if style == "'" and "\n" not in text:
        return "'" + text.replace("'", "''") + "'"
    return json.dumps(text, ensure_ascii=False)
