"""Edits of single fields of a toleration."""

from __future__ import annotations

from collections.abc import Mapping

from preflight.fix.edit_model import TextEdit
from preflight.fix.inserted_lines import insert_lines
from preflight.fix.yaml_style import FIELDS, TolerationStyle
from preflight.fix.yaml_tree import CannotEdit, YamlNode, YamlTree
from preflight.messages import fix as messages


def set_fields(tree: YamlTree, item: YamlNode, fields: Mapping[str, str], style: TolerationStyle) -> list[TextEdit]:
    """Give fields of a toleration a value: in its place where the field is there, else behind the field that it follows."""
    edits: list[TextEdit] = []
    behind: dict[str, list[str]] = {}
    order = sorted(FIELDS) if style.is_sorted else FIELDS
    present = [key.text for key, _ in item.entries]
    for name, value in style.order_fields(fields):
        entry = item.find_entry(name)
        if entry is None:
            before = [other for other in order[: order.index(name)] if other in present]
            anchor = max(before, key=order.index) if before else present[0]
            behind.setdefault(anchor, []).append(style.format_field(name, value))
            continue
        node = entry[1]
        if node.kind != "scalar" or node.anchor or node.is_tagged or "\n" in tree.text[node.start : node.end]:
            raise CannotEdit(messages.describe_shared_field(name))
        blank = "" if node.start < node.end else " "
        edits.append(TextEdit(node.start, node.end, blank + style.format_value(name, value)))
    for anchor, written in behind.items():
        entry = item.find_entry(anchor)
        assert entry is not None
        end = entry[1].end
        if item.is_flow:
            edits.append(TextEdit(end, end, "".join(f", {field}" for field in written)))
        else:
            indent = " " * tree.find_column(item.entries[0][0].start)
            edits.append(insert_lines(tree, end, [indent + field for field in written]))
    return edits


def drop_field(tree: YamlTree, item: YamlNode, name: str) -> list[TextEdit]:
    """Take a field of a toleration away, with its line and the comment on it where it has a line of its own."""
    at = next((number for number, (key, _) in enumerate(item.entries) if key.text == name), None)
    if at is None:
        raise CannotEdit(messages.describe_absent_field(name))
    key, value = item.entries[at]
    if value.kind != "scalar" or value.anchor or sum(other.text == name for other, _ in item.entries) > 1:
        raise CannotEdit(messages.describe_repeated_field(name))
    if len(item.entries) == 1:
        raise CannotEdit(messages.describe_only_field(name))
    following = item.entries[at + 1][0].start if at + 1 < len(item.entries) else None
    text = tree.text
    if item.is_flow or at == 0:
        start, end = (key.start, following) if following is not None else (item.entries[at - 1][1].end, value.end)
        if "#" in text[start:end]:
            raise CannotEdit(messages.describe_commented_field(name))
        return [TextEdit(start, end, "")]
    start, end = tree.find_line_start(key.start), tree.find_line_end(value.end)
    if text[start : key.start].strip():
        raise CannotEdit(messages.describe_unusual_field(name))
    if end == len(text):  # the last line has no line end, and the line before keeps none
        start -= 2 if text[start - 2 : start] == "\r\n" else 1
        return [TextEdit(start, end, "")]
    return [TextEdit(start, end + 1, "")]
