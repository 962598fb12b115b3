"""One document of YAML, read and with its errors in words."""

from __future__ import annotations

import yaml

from preflight.documents.building import build
from preflight.documents.explaining import explain
from preflight.documents.positions import Positions
from preflight.documents.results import Broken, Chunk, Document, Unreadable


def read_text(chunk: Chunk) -> Document | Broken:
    """The document of a chunk as YAML, or why there is none."""
    text = normal(chunk.text)
    try:
        built = build(text)
        repeated = tuple(Positions(text, chunk.line).repeated()) if built.may_repeat else ()
    except Unreadable as error:
        return broken(chunk, text, error)
    except yaml.YAMLError as error:
        return broken(chunk, text, explain(error, text))
    except UnicodeEncodeError as error:
        return broken(chunk, text, Unreadable("a surrogate is not a character: the file is not UTF-8", error.start))
    return Document(built.data, chunk, repeated)


def normal(text: str) -> str:
    """The text as kubectl hands it to its parser: line ends are line feeds, and there is no byte order mark at the start."""
    if text.startswith("\ufeff"):
        text = text[1:]
    return text.replace("\r\n", "\n") if "\r" in text else text


def broken(chunk: Chunk, text: str, error: Unreadable) -> Broken:
    """The error at its place in the file; its index is one of `text`."""
    line_start = text.rfind("\n", 0, error.index) + 1
    return Broken(chunk, chunk.line + text.count("\n", 0, error.index), error.index - line_start + 1, error.message)


def positions(chunk: Chunk) -> Positions | None:
    """The places of a document; None where it cannot be read."""
    text = normal(chunk.text)
    try:
        build(text)
        return Positions(text, chunk.line)
    except (Unreadable, yaml.YAMLError, UnicodeEncodeError):
        return None
