"""One document of YAML, read; its errors placed in the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import yaml

from preflight.documents.constructor import BuiltDocument, build_document
from preflight.documents.error_messages import explain_yaml_error
from preflight.documents.model import Chunk, Document, DocumentError, FieldPath, InvalidDocument
from preflight.documents.source_text import ParserInput, prepare_input
from preflight.documents.yaml_positions import YamlPositions

MAX_RETRIED = 16 << 20
"""How many characters may be parsed once more because a double-quoted scalar has `\\'`."""


class _ParseResult(NamedTuple):
    source: ParserInput
    built: BuiltDocument | DocumentError


def read_yaml_document(chunk: Chunk) -> Document | InvalidDocument:
    """The document of a chunk as YAML, or why there is none."""
    parsed = _parse_chunk(chunk)
    if isinstance(parsed.built, DocumentError):
        return InvalidDocument(chunk, *parsed.source.locate_index(parsed.built.index), parsed.built.message)
    repeated = tuple(YamlPositions(parsed.source).iter_repeated_keys()) if parsed.built.may_repeat else ()
    return Document(parsed.built.data, chunk, repeated)


def read_positions(chunk: Chunk, paths: Sequence[FieldPath] | None = None) -> YamlPositions | None:
    """The places of a document, or of what these paths lead through; None where it cannot be read."""
    try:
        return YamlPositions(prepare_input(chunk), paths)
    except (yaml.YAMLError, DocumentError, UnicodeEncodeError):  # what is read only on a second try has its places in another text
        parsed = _parse_chunk(chunk)
        return None if isinstance(parsed.built, DocumentError) else YamlPositions(parsed.source)


def _parse_chunk(chunk: Chunk) -> _ParseResult:
    """What a chunk holds or why it cannot be read, with the source that was parsed."""
    text = prepare_input(chunk)
    left = MAX_RETRIED
    while True:
        try:
            return _ParseResult(text, build_document(text))
        except DocumentError as error:
            return _ParseResult(text, error)
        except UnicodeEncodeError as error:
            return _ParseResult(text, DocumentError("a surrogate is no character: the file is not UTF-8", error.start))
        except yaml.YAMLError as error:
            unreadable = explain_yaml_error(error, text.text, text.line)
        left -= len(text.text)
        again = text.drop_escaped_quotes(unreadable.index) if left > 0 else None
        if again is None:
            return _ParseResult(text, unreadable)
        text = again
