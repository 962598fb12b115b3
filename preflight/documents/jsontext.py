"""One document of JSON, as kubectl's JSON reader takes it."""

from __future__ import annotations

from preflight.documents.results import Broken, Chunk, Document


def read_json(chunk: Chunk) -> Document | Broken:
    """The document of a chunk as JSON."""
    from preflight.documents.yamltext import read_text

    return read_text(chunk)
