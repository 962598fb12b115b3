"""Operations on the tolerations of a pod spec, as edits of the text that it stands in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from preflight.fix.edit_model import AddToleration, DropField, Operation, ReplaceToleration, SetFields, TextEdit
from preflight.fix.field_edits import drop_field, set_fields
from preflight.fix.inserted_lines import detect_line_end, find_comment_column, insert_lines
from preflight.fix.yaml_style import PlainToleration, TolerationStyle, detect_key_quote, detect_style, format_block_item
from preflight.fix.yaml_tree import CannotEdit, Path, YamlNode, YamlTree, walk_path
from preflight.messages import fix as messages

_INDENT = 2
_DASH = re.compile(r"([ ]*)-([ \t]*)")
_NULLS = ("", "~", "null", "Null", "NULL")


def rewrite(tree: YamlTree, path: Path, keys: Sequence[str], operations: Sequence[Operation]) -> list[TextEdit]:
    """The edits of a document that change a list of tolerations: `path` leads to a map, `keys` from there to the list.

    1. A toleration is appended to the list in the list's own style. Where there is no list, it stands before `containers`, with the maps
       around it that are missing.
    2. Comments stay where they are; one that stands deeper than the list's dashes belongs to the item before it.
    3. CannotEdit where the text is shared with other places, or too unusual to be sure.
    """
    spec = walk_path(tree, path)
    if spec.kind != "map":
        raise CannotEdit(messages.SPEC_IS_NO_MAP)
    added = [operation.toleration for operation in operations if isinstance(operation, AddToleration)]
    entry = spec.find_entry(keys[0])
    if entry is None:
        if spec.has_merge_key:
            raise CannotEdit(messages.SPEC_IS_MERGED)
        return [_insert_keys(tree, spec, keys, added)]
    if len(keys) > 1:
        raise CannotEdit(messages.TOLERATIONS_ARE_NO_LIST)
    value = walk_path(tree, (*path, keys[0]))
    if value.kind == "scalar" and value.text in _NULLS and not value.style and not value.anchor and not value.is_tagged:
        return _replace_null(tree, spec, entry[0], value, added)
    if value.kind != "list":
        raise CannotEdit(messages.TOLERATIONS_ARE_NO_LIST)
    edits: list[TextEdit] = []
    for operation in operations:
        if isinstance(operation, AddToleration):
            continue
        item = _get_item(value, operation.index)
        if isinstance(operation, SetFields):
            edits += set_fields(tree, item, operation.fields, detect_style(tree, [item]))
        elif isinstance(operation, DropField):
            edits += drop_field(tree, item, operation.name)
        else:
            edits.append(_replace_item(tree, value, item, operation))
            added += operation.tolerations[1:]
    if added:
        edits += _append_flow(tree, value, added) if value.is_flow else [_append_block(tree, value, added)]
    return edits


def _get_item(tolerations: YamlNode, index: int) -> YamlNode:
    item = tolerations.items[index]
    if item.kind == "alias":
        raise CannotEdit(messages.describe_shared_toleration(item.text))
    if item.kind != "map" or item.anchor or item.has_merge_key or not item.entries:
        raise CannotEdit(messages.ANCHORED_TOLERATION)
    return item


def _replace_item(tree: YamlTree, tolerations: YamlNode, item: YamlNode, operation: ReplaceToleration) -> TextEdit:
    """Another toleration in place of one."""
    if "#" in tree.text[item.start : item.end]:
        raise CannotEdit(messages.COMMENTED_TOLERATION)
    style = detect_style(tree, [item])
    first = operation.tolerations[0]
    if item.is_flow or tolerations.is_flow:
        return TextEdit(item.start, item.end, style.format_flow(first))
    lines = style.format_lines(first)
    return TextEdit(item.start, item.end, f"{detect_line_end(tree, item.start)}{' ' * tree.find_column(item.start)}".join(lines))


def _append_block(tree: YamlTree, tolerations: YamlNode, added: Sequence[PlainToleration]) -> TextEdit:
    """Lines after the last item of a block list."""
    last = tolerations.items[-1]
    column, gap = _find_dash(tree, last)
    style = detect_style(tree, tolerations.items)
    lines = [line for toleration in added for line in format_block_item(style.format_item(toleration), column, gap)]
    return insert_lines(tree, last.end, lines, deeper_than=column)


def _find_dash(tree: YamlTree, item: YamlNode) -> tuple[int, str]:
    """The column of the dash of a list's item, and the blanks behind it."""
    before = tree.text[tree.find_line_start(item.start) : item.start]
    match = _DASH.fullmatch(before)
    if match and "\t" not in match[2]:
        return len(match[1]), match[2] or " "
    if match:
        return len(match[1]), " "
    at = tree.find_line_start(item.start)
    while at > 0:  # a dash on a line of its own
        at = tree.find_line_start(at - 1)
        line = tree.text[at : tree.find_line_end(at)]
        match = re.match(r"([ ]*)-[ \t]*(?:#.*)?\r?$", line)
        if match:
            return len(match[1]), " "
        if line.strip() and not line.lstrip().startswith("#"):
            break
    raise CannotEdit(messages.UNUSUAL_LIST)


def _append_flow(tree: YamlTree, tolerations: YamlNode, added: Sequence[PlainToleration]) -> list[TextEdit]:
    """Items after the last one of a list in brackets: on lines of their own where the items stand so."""
    text = tree.text
    style = detect_style(tree, tolerations.items)
    items = [style.format_flow(toleration) for toleration in added]
    if not tolerations.items:
        at = text.index("[", tolerations.start) + 1
        return [TextEdit(at, at, ", ".join(items))]
    last = tolerations.items[-1]
    before = text[tree.find_line_start(last.start) : last.start]
    comma = re.match(r"\s*,", text[last.end : tolerations.end])
    at = last.end + comma.end() if comma else last.end
    if before.strip():
        return [TextEdit(at, at, f" {', '.join(items)}," if comma else "".join(f", {item}" for item in items))]
    end = tree.find_line_end(at)
    rest = text[at:end].strip()
    newline = detect_line_end(tree, at) + before
    if rest and not rest.startswith("#"):  # the bracket stands behind the last item
        return [TextEdit(at, at, "".join(f",{newline}{item}" for item in items))]
    end -= 1 if text[end - 1 : end] == "\r" else 0
    lines = f",{newline}".join(items) + ("," if comma else "")
    return [*([] if comma else [TextEdit(last.end, last.end, ",")]), TextEdit(end, end, newline + lines)]


def _replace_null(tree: YamlTree, spec: YamlNode, key: YamlNode, value: YamlNode, added: Sequence[PlainToleration]) -> list[TextEdit]:
    """A list where `tolerations` has no value, or null."""
    style = TolerationStyle(is_flow=spec.is_flow, key_quote=detect_key_quote(spec))
    if spec.is_flow:
        blank = "" if tree.text[value.start - 1 : value.start].isspace() else " "
        return [TextEdit(value.start, value.end, f"{blank}[{', '.join(map(style.format_flow, added))}]")]
    colon = tree.text.index(":", key.end) + 1
    column, gap = _find_sibling_dash(tree, spec, tree.find_column(key.start))
    lines = [line for toleration in added for line in format_block_item(style.format_lines(toleration), column, gap)]
    return [*([TextEdit(colon, value.end, "")] if value.text else []), insert_lines(tree, value.end, lines)]


def _insert_keys(tree: YamlTree, spec: YamlNode, keys: Sequence[str], added: Sequence[PlainToleration]) -> TextEdit:
    """The keys and the list that they lead to, before `containers`, or before the first entry."""
    entry = spec.find_entry("containers") or (spec.entries[0] if spec.entries else None)
    text = tree.text
    if entry is None:
        if text[spec.start : spec.end] != "{}":
            raise CannotEdit(messages.EMPTY_SPEC)
        return TextEdit(spec.start + 1, spec.start + 1, _format_flow_keys(keys, added, ""))
    start = entry[0].start
    quote = detect_key_quote(spec)
    line = tree.find_line_start(start)
    before = text[line:start]
    if spec.is_flow:
        written = f"{_format_flow_keys(keys, added, quote)},"
        return TextEdit(start, start, f"{written} " if before.strip() else f"{written}{detect_line_end(tree, start)}{before}")
    if before.strip(" "):
        raise CannotEdit(messages.UNUSUAL_SPEC)
    while line > 0:  # the comment above `containers` stays with it
        if find_comment_column(text[tree.find_line_start(line - 1) : line - 1]) != len(before):
            break
        line = tree.find_line_start(line - 1)
    column, gap = _find_sibling_dash(tree, spec, len(before))
    column += _INDENT * (len(keys) - 1)
    style = TolerationStyle(key_quote=quote)
    lines = [f"{before}{' ' * _INDENT * depth}{quote}{key}{quote}:" for depth, key in enumerate(keys)]
    lines += [row for toleration in added for row in format_block_item(style.format_lines(toleration), column, gap)]
    newline = detect_line_end(tree, start)
    return TextEdit(line, line, "".join(row + newline for row in lines))


def _format_flow_keys(keys: Sequence[str], added: Sequence[PlainToleration], quote: str) -> str:
    """The keys and their list in braces and brackets."""
    style = TolerationStyle(is_flow=True, key_quote=quote, quotes={"": quote})
    written = f"[{', '.join(map(style.format_flow, added))}]"
    for key in reversed(keys[1:]):
        written = f"{{{quote}{key}{quote}: {written}}}"
    return f"{quote}{keys[0]}{quote}: {written}"


def _find_sibling_dash(tree: YamlTree, spec: YamlNode, column: int) -> tuple[int, str]:
    """The column of the dashes of a new list whose key stands at a column, and the blanks behind them: as the other lists have them."""
    for name in ("containers", "initContainers", "volumes"):
        entry = spec.find_entry(name)
        if entry and entry[1].kind == "list" and not entry[1].is_flow and entry[1].items:
            try:
                dash, gap = _find_dash(tree, entry[1].items[0])
            except CannotEdit:
                continue
            return dash, gap
    return column + 2, " "
