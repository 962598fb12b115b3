"""Short ways to read a text in a test."""

from __future__ import annotations

from collections.abc import Collection

from preflight.documents import Chunk, Document, InvalidDocument, SkippedDocument, read_yaml, split_documents

Result = Document | InvalidDocument | SkippedDocument


def read_all(text: str, kinds: Collection[str] = ()) -> list[Result]:
    """Everything that a file holds."""
    return list(read_yaml(text, kinds))


def read_data(text: str) -> object:
    """What the only document of a text holds."""
    (result,) = read_all(text)
    assert isinstance(result, Document), result
    return result.data


def read_broken(text: str) -> tuple[int, int, str]:
    """Why the only document of a text cannot be read: line, column, message."""
    (result,) = read_all(text)
    assert isinstance(result, InvalidDocument), result
    return result.line, result.column, result.message


def only_chunk(text: str) -> Chunk:
    """The only document of a text, as text."""
    (chunk,) = split_documents(text)
    assert isinstance(chunk, Chunk), chunk
    return chunk


def outline(result: Result) -> object:
    """A result in short: what it holds, what is wrong with it, or that it was skipped."""
    match result:
        case Document(data=data):
            return data
        case InvalidDocument(line=line, column=column):
            return f"broken at {line}:{column}"
    return "skipped"
