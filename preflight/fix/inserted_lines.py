"""Whole lines that join a text: line ends as they are around them, comments where they were."""

from __future__ import annotations

import re
from collections.abc import Sequence

from preflight.fix.edit_model import TextEdit
from preflight.fix.yaml_tree import CannotEdit, YamlTree
from preflight.messages import fix as messages

_COMMENT = re.compile(r"[ \t]*#")


def insert_lines(tree: YamlTree, index: int, lines: Sequence[str], *, deeper_than: int | None = None) -> TextEdit:
    """Lines after the line of an index, and after the comments below it that stand deeper than a column."""
    text, end = tree.text, tree.find_line_end(index)
    rest = text[index:end].strip()
    if rest and not rest.startswith("#"):
        raise CannotEdit(messages.TEXT_BEHIND_TOLERATIONS)
    while deeper_than is not None and end < len(text):
        following = text[end + 1 : tree.find_line_end(end + 1)]
        column = find_comment_column(following)
        if column is None or column <= deeper_than:
            break
        end = tree.find_line_end(end + 1)
    newline = detect_line_end(tree, end)
    if end == len(text):
        return TextEdit(end, end, "".join(newline + line for line in lines))
    return TextEdit(end + 1, end + 1, "".join(line + newline for line in lines))


def detect_line_end(tree: YamlTree, index: int) -> str:
    """The line end of the line of an index; where it has none, that of the first line of the document."""
    end = tree.find_line_end(index)
    if end == len(tree.text):
        end = tree.find_line_end(0)
    return "\r\n" if tree.text[end - 1 : end] == "\r" else "\n"


def find_comment_column(line: str) -> int | None:
    """The column where the comment of a line starts that holds nothing else; None for any other line."""
    match = _COMMENT.match(line)
    return len(match[0]) - 1 if match else None
