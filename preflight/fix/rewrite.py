"""Operations on the tolerations of a pod spec, as edits of the text that it stands in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from preflight.fix.edits import Add, DropField, Edit, Operation, Replace, SetFields
from preflight.fix.field_edits import drop_field, set_fields
from preflight.fix.line_edits import eol, insert_lines, is_comment_at
from preflight.fix.yaml_style import Style, Toleration, block, key_quote, style_of
from preflight.fix.yaml_tree import CannotEdit, Node, Path, Tree, walk

_DASH = re.compile(r"([ ]*)-([ \t]*)")
_NULLS = ("", "~", "null", "Null", "NULL")


def rewrite(tree: Tree, path: Path, operations: Sequence[Operation]) -> list[Edit]:
    """The edits of a document that change the tolerations of the pod spec at a path.

    1. A toleration is appended to the list in the list's own style. Where there is no list, it stands before `containers`.
    2. Comments stay where they are; one that stands deeper than the list's dashes belongs to the item before it.
    3. CannotEdit where the text is shared with other places, or too unusual to be sure.
    """
    spec = walk(tree, path)
    if spec.kind != "map":
        raise CannotEdit("its pod spec is no mapping")
    added = [each.toleration for each in operations if isinstance(each, Add)]
    entry = spec.entry("tolerations")
    if entry is None:
        if spec.merges:
            raise CannotEdit("its pod spec takes keys from a merge (<<), which may bring tolerations: edit it by hand")
        return [_new_key(tree, spec, added)]
    value = walk(tree, (*path, "tolerations"))
    if value.kind == "scalar" and value.text in _NULLS and not value.style and not value.anchor and not value.is_tagged:
        return _in_place_of_null(tree, spec, entry[0], value, added)
    if value.kind != "list":
        raise CannotEdit("its tolerations are no list")
    edits: list[Edit] = []
    for each in operations:
        if isinstance(each, Add):
            continue
        item = _item(value, each.index)
        if isinstance(each, SetFields):
            edits += set_fields(tree, item, each.fields, style_of(tree, [item]))
        elif isinstance(each, DropField):
            edits += drop_field(tree, item, each.name)
        else:
            edits.append(_replaced(tree, value, item, each))
            added += each.tolerations[1:]
    if added:
        edits += _append_flow(tree, value, added) if value.is_flow else [_append_block(tree, value, added)]
    return edits


def _item(tolerations: Node, index: int) -> Node:
    item = tolerations.items[index]
    if item.kind == "alias":
        raise CannotEdit(f"its toleration is the alias *{item.text}, which other places share: edit the anchor &{item.text} by hand")
    if item.kind != "map" or item.anchor or item.merges or not item.entries:
        raise CannotEdit("its toleration has an anchor or a merge, which other places may share: edit it by hand")
    return item


def _replaced(tree: Tree, tolerations: Node, item: Node, operation: Replace) -> Edit:
    """Another toleration in place of one."""
    if "#" in tree.text[item.start : item.end]:
        raise CannotEdit("a comment stands inside the toleration that would go: edit it by hand")
    style = style_of(tree, [item])
    first = operation.tolerations[0]
    if item.is_flow or tolerations.is_flow:
        return Edit(item.start, item.end, style.flow(first))
    lines = style.lines(first)
    return Edit(item.start, item.end, f"{eol(tree, item.start)}{' ' * tree.column(item.start)}".join(lines))


def _append_block(tree: Tree, tolerations: Node, added: Sequence[Toleration]) -> Edit:
    """Lines after the last item of a block list."""
    last = tolerations.items[-1]
    column, gap = _dash(tree, last)
    style = style_of(tree, tolerations.items)
    lines = [line for each in added for line in block(style.text(each), column, gap)]
    return insert_lines(tree, last.end, lines, deeper_than=column)


def _dash(tree: Tree, item: Node) -> tuple[int, str]:
    """The column of the dash of a list's item, and the blanks behind it."""
    before = tree.text[tree.line_start(item.start) : item.start]
    match = _DASH.fullmatch(before)
    if match and "\t" not in match[2]:
        return len(match[1]), match[2] or " "
    if match:
        return len(match[1]), " "
    at = tree.line_start(item.start)
    while at > 0:  # a dash on a line of its own
        at = tree.line_start(at - 1)
        line = tree.text[at : tree.line_end(at)]
        match = re.match(r"([ ]*)-[ \t]*(?:#.*)?\r?$", line)
        if match:
            return len(match[1]), " "
        if line.strip() and not line.lstrip().startswith("#"):
            break
    raise CannotEdit("its list of tolerations is written in an unusual way: edit it by hand")


def _append_flow(tree: Tree, tolerations: Node, added: Sequence[Toleration]) -> list[Edit]:
    """Items after the last one of a list in brackets: on lines of their own where the items stand so."""
    text = tree.text
    style = style_of(tree, tolerations.items)
    items = [style.flow(each) for each in added]
    if not tolerations.items:
        at = text.index("[", tolerations.start) + 1
        return [Edit(at, at, ", ".join(items))]
    last = tolerations.items[-1]
    before = text[tree.line_start(last.start) : last.start]
    comma = re.match(r"\s*,", text[last.end : tolerations.end])
    at = last.end + comma.end() if comma else last.end
    if before.strip():
        return [Edit(at, at, f" {', '.join(items)}," if comma else "".join(f", {item}" for item in items))]
    end = tree.line_end(at)
    rest = text[at:end].strip()
    newline = eol(tree, at) + before
    if rest and not rest.startswith("#"):  # the bracket stands behind the last item
        return [Edit(at, at, "".join(f",{newline}{item}" for item in items))]
    end -= 1 if text[end - 1 : end] == "\r" else 0
    lines = f",{newline}".join(items) + ("," if comma else "")
    return [*([] if comma else [Edit(last.end, last.end, ",")]), Edit(end, end, newline + lines)]


def _in_place_of_null(tree: Tree, spec: Node, key: Node, value: Node, added: Sequence[Toleration]) -> list[Edit]:
    """A list where `tolerations` has no value, or null."""
    style = Style(is_flow=spec.is_flow, key_quote=key_quote(spec))
    if spec.is_flow:
        blank = "" if tree.text[value.start - 1 : value.start].isspace() else " "
        return [Edit(value.start, value.end, f"{blank}[{', '.join(map(style.flow, added))}]")]
    colon = tree.text.index(":", key.end) + 1
    column, gap = _siblings(tree, spec, tree.column(key.start))
    lines = [line for each in added for line in block(style.lines(each), column, gap)]
    return [*([Edit(colon, value.end, "")] if value.text else []), insert_lines(tree, value.end, lines)]


def _new_key(tree: Tree, spec: Node, added: Sequence[Toleration]) -> Edit:
    """The key `tolerations` and its list, before `containers`."""
    entry = spec.entry("containers") or (spec.entries[0] if spec.entries else None)
    if entry is None:
        raise CannotEdit("its pod spec is empty")
    start, text = entry[0].start, tree.text
    quote = key_quote(spec)
    line = tree.line_start(start)
    before = text[line:start]
    if spec.is_flow:
        style = Style(is_flow=True, key_quote=quote, quotes={"": quote})
        written = f"{quote}tolerations{quote}: [{', '.join(map(style.flow, added))}],"
        return Edit(start, start, f"{written} " if before.strip() else f"{written}{eol(tree, start)}{before}")
    if before.strip(" "):
        raise CannotEdit("its pod spec is written in an unusual way: edit it by hand")
    while line > 0:  # the comment above `containers` stays with it
        if is_comment_at(text[tree.line_start(line - 1) : line - 1]) != len(before):
            break
        line = tree.line_start(line - 1)
    column, gap = _siblings(tree, spec, len(before))
    style = Style(key_quote=quote)
    lines = [f"{before}{quote}tolerations{quote}:"]
    lines += [each for toleration in added for each in block(style.lines(toleration), column, gap)]
    newline = eol(tree, start)
    return Edit(line, line, "".join(each + newline for each in lines))


def _siblings(tree: Tree, spec: Node, column: int) -> tuple[int, str]:
    """The column of the dashes of a new list whose key stands at a column, and the blanks behind them: as the other lists have them."""
    for name in ("containers", "initContainers", "volumes"):
        entry = spec.entry(name)
        if entry and entry[1].kind == "list" and not entry[1].is_flow and entry[1].items:
            try:
                dash, gap = _dash(tree, entry[1].items[0])
            except CannotEdit:
                continue
            return dash, gap
    return column + 2, " "
