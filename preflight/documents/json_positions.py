"""Where the fields of a JSON document are: only the containers on the way are looked into, everything else is skipped."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from json import JSONDecoder

from preflight.documents.model import Chunk, FieldPath, FieldPosition

_BLANK = re.compile("[ \t\r\n\ufeff]*")

JsonMembers = dict[str | int, tuple[int, int]]


class JsonPositions:
    """The places of one document that is JSON.

    Errors: ValueError where a container on the way is no JSON; the document may be YAML still.
    """

    def __init__(self, chunk: Chunk) -> None:
        self._chunk = chunk
        self._text = chunk.text
        self._skip = JSONDecoder(strict=False).raw_decode
        self._members: dict[int, JsonMembers] = {}
        self._root = self._skip_blanks(0)
        if self._text[self._root : self._root + 1] not in ("{", "["):
            raise ValueError("neither an object nor an array")

    def find_positions(self, paths: Sequence[FieldPath]) -> list[FieldPosition]:
        """The place of each path, or of its nearest present parent."""
        found = [self._find_index(path) for path in paths]
        places = self._locate_indexes({index for index, _ in found})
        return [FieldPosition(*places[index], depth) for index, depth in found]

    def _find_index(self, path: FieldPath) -> tuple[int, int]:
        """The index of a path's place, and how many of its steps are there."""
        index = at = self._root
        found = 0
        for step in path:
            member = self._read_members(index).get(step)
            if member is None:
                break
            at, index = member
            found += 1
        return at, found

    def _locate_indexes(self, indexes: Collection[int]) -> dict[int, tuple[int, int]]:
        """The line and column of each index, in one pass: a document may be a single line of many megabytes."""
        places: dict[int, tuple[int, int]] = {}
        line, start, before = self._chunk.line, 0, 0
        first = self._chunk.column - self._text.startswith("\ufeff")  # a byte order mark takes no column
        for index in sorted(indexes):
            line += self._text.count("\n", before, index)
            start = self._text.rfind("\n", before, index) + 1 or start
            places[index] = line, index - start + (1 if start else first)
            before = index
        return places

    def _read_members(self, index: int) -> JsonMembers:
        """What the container at an index holds: where each entry's key or item is, and where its value is; the last of a repeated key."""
        found = self._members.get(index)
        if found is None:
            opening = self._text[index]
            found = self._members[index] = self._scan_members(index, opening == "{") if opening in "{[" else {}
        return found

    def _scan_members(self, index: int, is_object: bool) -> JsonMembers:
        text, found = self._text, JsonMembers()
        at = self._skip_blanks(index + 1)
        if text[at : at + 1] in ("}", "]"):
            return found
        while True:
            name: str | int = len(found)
            value = at
            if is_object:
                name, value = self._read_key(at)
            found[name] = (at, value)
            _, end = self._skip(text, value)
            end = self._skip_blanks(end)
            mark = text[end : end + 1]
            if mark != ",":
                if mark != ("}" if is_object else "]"):
                    raise ValueError("neither the next entry nor the end")
                return found
            at = self._skip_blanks(end + 1)

    def _read_key(self, at: int) -> tuple[str, int]:
        if self._text[at : at + 1] != '"':
            raise ValueError("a key is a string")
        name, end = self._skip(self._text, at)
        colon = self._skip_blanks(end)
        if self._text[colon : colon + 1] != ":":
            raise ValueError("a key has a value")
        return name, self._skip_blanks(colon + 1)

    def _skip_blanks(self, index: int) -> int:
        match = _BLANK.match(self._text, index)
        return match.end() if match else index
