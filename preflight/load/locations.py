"""Where a field of an object is in its file: told late, and only for what somebody asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from preflight import documents
from preflight.documents import Chunk, FieldPath
from preflight.model.meta import Origin
from preflight.model.report import Location

_MAX_HEAD = 8192
"""How many characters of a document the comment may be in that says what it was rendered from."""
_SOURCE = re.compile(r"(?:#[^\n]*\n|[ \t\r]*\n){0,20}?# Source: (\S{1,300})[ \t\r]*$", re.MULTILINE)
_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def locate_fields(texts: Mapping[tuple[str, int], Chunk], fields: Sequence[tuple[Origin, FieldPath]]) -> list[Location]:
    """The location of each field that is asked for, as an object's origin and a path in that object.

    1. A document is parsed once more for all its fields. An absent field answers with its nearest present parent.
    2. A document that is too large, or that no file holds, has no columns: its location is the line where the document starts, if known.
    3. `path` leads from the document to the field, the place in a List included; `source` is "" where the line is too long to be shown.
    """
    by_document: dict[tuple[str, int], list[int]] = {}
    for index, (origin, _) in enumerate(fields):
        by_document.setdefault((origin.file, origin.document), []).append(index)
    found: dict[int, Location] = {}
    for key, indexes in by_document.items():
        paths = [fields[index][0].resolve_path(fields[index][1]) for index in indexes]
        chunk = texts.get(key)
        if chunk is None:
            places = [(fields[index][0].line, 0, "") for index in indexes]
        else:
            located = documents.locate_paths(chunk, paths)
            lines = documents.get_source_lines(chunk, [place.line for place in located])
            places = [(place.line, place.column, lines[place.line]) for place in located]
        for index, path, (line, column, source) in zip(indexes, paths, places, strict=True):
            found[index] = Location(key[0], line, column, format_path(path), source)
    return [found[index] for index in range(len(fields))]


def locate_item(origin: Origin, index: int) -> Origin:
    """Where an item of a List is, whose own place is `origin`."""
    return Origin(origin.file, origin.document, origin.line, (*origin.path, "items", index))


def find_source_template(texts: Mapping[tuple[str, int], Chunk], origin: Origin) -> str:
    """The template that `helm template` rendered a document from, as `# Source: CHART/templates/FILE` above it says; "" where none does."""
    chunk = texts.get((origin.file, origin.document))
    found = _SOURCE.match(chunk.text, 0, _MAX_HEAD) if chunk is not None else None
    return found[1] if found else ""


def format_path(path: FieldPath) -> str:
    """A path as text: `spec.template.spec.tolerations[0].key`; a key that is no plain word is quoted: `metadata.labels["a.b/c"]`."""
    parts = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif _BARE.fullmatch(step):
            parts.append(f".{step}")
        else:
            parts.append(f"[{json.dumps(step, ensure_ascii=False)}]")
    return "".join(parts).removeprefix(".")
