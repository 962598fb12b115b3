"""A line of a file with a caret under what a finding is about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from preflight.inert_text import escape_unprintable
from preflight.model.report import Finding, Location
from preflight.report.terminal import Ink, count_columns

_MOST_SOURCE = 120
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\']|\'\')*\'')
_PLAIN = re.compile(r"[^\s,{}\[\]#]+?(?=:?(?:[\s,{}\[\]]|$))")
_CLOSING = {"{": "}", "[": "]"}


def draw_source(finding: Finding, location: Location, gutter: str, ink: Ink, width: int) -> Iterator[str]:
    """The source line in a gutter with its number, the token at the column underlined, and the label behind that.

    Of a long line the part around the column is shown: 120 characters, or what fits into `width` (0 means no limit).
    """
    most = min(_MOST_SOURCE, max(20, width - len(f"{gutter} | ......"))) if width else _MOST_SOURCE
    before, after = clip_source_line(location.source, location.column, most)
    yield f"{gutter} |"
    yield f"{location.line} | {before}{after}".rstrip()
    if location.column:
        pointer = f"{'^' * measure_token(after)} {finding.label}".rstrip()
        yield f"{gutter} | {' ' * count_columns(before)}{ink(pointer, finding.severity)}"


def measure_token(text: str) -> int:
    """How many columns the token takes that a text begins with: a word, a quoted string, or a list or map up to its end on this line."""
    if quoted := _QUOTED.match(text):
        return count_columns(quoted[0])
    if text[:1] in _CLOSING:
        return count_columns(text[: _find_end(text)].rstrip())
    plain = _PLAIN.match(text)
    return max(1, count_columns(plain[0])) if plain else 1


def _find_end(text: str) -> int:
    """Where a list or map in one line ends; its opening bracket alone where it does not end there."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char in "{[") - (char in "}]")
        if depth == 0:
            return at + 1
    return 1


def clip_source_line(source: str, column: int, max_length: int) -> tuple[str, str]:
    """What of a source line is shown before and from a 1-based column on; `...` stands for what is left out at an end."""
    at = min(max(column - 1, 0), len(source))
    start, end = 0, len(source)
    if len(source) > max_length:
        start = min(max(0, at - max_length // 3), len(source) - max_length)
        end = start + max_length
    before = ("..." if start else "") + source[start:at]
    after = source[at:end] + ("..." if end < len(source) else "")
    return escape_unprintable(before.replace("\t", "    ")), escape_unprintable(after.replace("\t", "    "))
