"""Lines of the file for what a document holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from preflight.documents.model import Chunk, FieldPath, FieldPosition

MAX_SHOWN = 1000
"""A line with more characters than this is not shown."""
_STARTS_AS_JSON = re.compile("[ \t\r\n\ufeff]*[{[]")


def locate_paths(chunk: Chunk, paths: Sequence[FieldPath]) -> list[FieldPosition]:
    """The place of each path, in the order of `paths`; YAML is parsed once more for all of them, JSON only where they lead.

    1. The chunk is one whose document was read. No paths: an empty list, and nothing is parsed.
    2. An entry of a mapping is where its key is, an entry of a list where the item is.
    3. What an alias or a merge brings is where it is written.
    4. A path that is not there ends at its nearest present parent; `found` says how far it came.
    5. Of a repeated key the last one counts. A chunk that cannot be parsed answers with its first line.
    """
    if not paths:
        return []
    if _STARTS_AS_JSON.match(chunk.text):
        from preflight.documents.json_positions import JsonPositions

        try:
            return JsonPositions(chunk).find_positions(paths)
        except (ValueError, RecursionError):
            pass  # it is YAML, which may start with a bracket too
    from preflight.documents.yaml_reader import read_positions

    found = read_positions(chunk, paths)
    if found is None:
        return [FieldPosition(chunk.line, 1, 0)] * len(paths)
    return [found.find_position(path) for path in paths]


def get_source_line(chunk: Chunk, line: int) -> str:
    """The text of a 1-based line of the file, without its line end; "" where the chunk has no such line, or it is too long to be shown."""
    return get_source_lines(chunk, (line,))[line]


def get_source_lines(chunk: Chunk, lines: Iterable[int]) -> dict[int, str]:
    """The same of several lines; what is before the chunk on its first line is blank."""
    found: dict[int, str] = {}
    text, at, start = chunk.text, chunk.line, 0
    for line in sorted(set(lines)):
        while at < line and start >= 0:
            start, at = text.find("\n", start) + 1 or -1, at + 1
        if at != line or start < 0:
            found[line] = ""
            continue
        end = text.find("\n", start)
        before = chunk.column - 1 if line == chunk.line else 0
        length = before + (end if end >= 0 else len(text)) - start
        found[line] = " " * before + text[start : start + length - before].removesuffix("\r") if length <= MAX_SHOWN else ""
    return found
