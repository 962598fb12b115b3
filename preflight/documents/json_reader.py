"""One document of JSON, as kubectl's JSON reader takes it."""

from __future__ import annotations

import json
import re
from typing import Any

from preflight.documents import scalars
from preflight.documents.model import MAX_DEPTH, Chunk, Document, InvalidDocument, RepeatedKey
from preflight.documents.yaml_reader import read_positions, read_yaml_document

_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z)|[\[{\]}]|[-+.0-9eE]+', re.DOTALL)
_LONE = re.compile("[\ud800-\udfff]")


def read_json_document(chunk: Chunk) -> Document | InvalidDocument:
    """The document of a chunk that `split` found to be JSON.

    1. Numbers become what they become in YAML: 64-bit integers, or floats. Of a repeated key the last wins.
    2. A surrogate without its other half is U+FFFD. A number beyond a float's range, and what is nested too deep, is Broken.
    """
    too_deep = _find_too_deep(chunk.text)
    if too_deep is not None:
        return _make_invalid(chunk, too_deep, f"lists and mappings nest deeper than {MAX_DEPTH} levels")
    repeats = False

    def pairs(entries: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeats
        mapping = dict(entries)
        repeats = repeats or len(mapping) < len(entries)
        return mapping

    try:
        data = json.loads(chunk.text, object_pairs_hook=pairs, parse_int=_parse_number, parse_float=_parse_number)
    except OverflowError as error:
        place = next(token.start() for token in _TOKEN.finditer(chunk.text) if token[0] == str(error))
        return _make_invalid(chunk, place, "a number beyond the range of a 64-bit float")
    except ValueError:
        return read_yaml_document(chunk)
    if "\\u" in chunk.text:
        data = _replace_surrogates(data)
    return Document(data, chunk, _find_repeated_keys(chunk) if repeats else ())


def _parse_number(text: str) -> scalars.Scalar:
    number = scalars.parse_plain(text)
    if isinstance(number, str):
        raise OverflowError(text)
    return scalars.to_json_value(number)


def _find_too_deep(text: str) -> int | None:
    """The place of the first bracket that opens one level too many."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return None
    depth = 0
    for match in _TOKEN.finditer(text):
        bracket = match[0]
        if bracket in ("[", "{"):
            depth += 1
            if depth > MAX_DEPTH:
                return match.start()
        elif bracket in ("]", "}"):
            depth -= 1
    return None


def _replace_surrogates(value: Any) -> Any:
    """The value with U+FFFD for surrogates, which stand alone where json.loads leaves them."""
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_replace_surrogates(key): _replace_surrogates(item) for key, item in value.items()}
    return [_replace_surrogates(item) for item in value] if isinstance(value, list) else value


def _find_repeated_keys(chunk: Chunk) -> tuple[RepeatedKey, ...]:
    positions = read_positions(chunk)
    return tuple(positions.iter_repeated_keys()) if positions else ()


def _make_invalid(chunk: Chunk, index: int, message: str) -> InvalidDocument:
    start = chunk.text.rfind("\n", 0, index) + 1
    return InvalidDocument(chunk, chunk.line + chunk.text.count("\n", 0, start), index - start + (1 if start else chunk.column), message)
