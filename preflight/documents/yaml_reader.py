"""One document of YAML, read; its errors placed in the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import yaml

from preflight.documents.constructor import Built, build
from preflight.documents.error_messages import explain
from preflight.documents.model import Broken, Chunk, Document, Path, Unreadable
from preflight.documents.source_text import Source, source
from preflight.documents.yaml_positions import Positions

MAX_RETRIED = 16 << 20
"""How many characters may be parsed once more because a double-quoted scalar has `\\'`."""


class _Parsed(NamedTuple):
    source: Source
    built: Built | Unreadable


def read_text(chunk: Chunk) -> Document | Broken:
    """The document of a chunk as YAML, or why there is none."""
    parsed = _parsed(chunk)
    if isinstance(parsed.built, Unreadable):
        return Broken(chunk, *parsed.source.place(parsed.built.index), parsed.built.message)
    repeated = tuple(Positions(parsed.source).repeated()) if parsed.built.may_repeat else ()
    return Document(parsed.built.data, chunk, repeated)


def read_positions(chunk: Chunk, paths: Sequence[Path] | None = None) -> Positions | None:
    """The places of a document, or of what these paths lead through; None where it cannot be read."""
    try:
        return Positions(source(chunk), paths)
    except (yaml.YAMLError, Unreadable, UnicodeEncodeError):  # what is read only on a second try has its places in another text
        parsed = _parsed(chunk)
        return None if isinstance(parsed.built, Unreadable) else Positions(parsed.source)


def _parsed(chunk: Chunk) -> _Parsed:
    """What a chunk holds or why it cannot be read, with the source that was parsed."""
    text = source(chunk)
    left = MAX_RETRIED
    while True:
        try:
            return _Parsed(text, build(text))
        except Unreadable as error:
            return _Parsed(text, error)
        except UnicodeEncodeError as error:
            return _Parsed(text, Unreadable("a surrogate is no character: the file is not UTF-8", error.start))
        except yaml.YAMLError as error:
            unreadable = explain(error, text.text, text.line)
        left -= len(text.text)
        again = text.without_escaped_quotes(unreadable.index) if left > 0 else None
        if again is None:
            return _Parsed(text, unreadable)
        text = again
