"""A stream is split as kubectl splits it, and every part knows its lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.documents import Chunk, InvalidDocument, split_documents

NOTHING = {
    "an empty file": "",
    "blank lines": "\n  \n\t\n",
    "comments": "# a\n  # b",
    "comments with carriage returns": "# a\r\n\r\n# b\r\n",
    "a byte order mark": "\ufeff",
    "a byte order mark and a comment": "\ufeff# a\n",
    "separators": "---\n--- # c\n---\t\n---",
    "an end mark after a separator, which the reader keeps": "---\n...\n",
    "an end mark after a separator, with what follows it": "---\n# c\n...\na: 1\n",
}
PARTS: dict[str, tuple[str, list[Chunk]]] = {
    "a document without a separator is all of the file": ("a: 1\n", [Chunk("a: 1\n", 1, 0)]),
    "a document without a line end": ("a: 1", [Chunk("a: 1", 1, 0)]),
    "a separator in front moves the first line": ("---\na: 1\n", [Chunk("a: 1\n", 2, 0)]),
    "two documents": ("a: 1\n---\nb: 2\n", [Chunk("a: 1\n", 1, 0), Chunk("b: 2\n", 3, 1)]),
    "a comment may follow a separator": ("a: 1\n---#c\nb: 2\n", [Chunk("a: 1\n", 1, 0), Chunk("b: 2\n", 3, 1)]),
    "documents of comments are not counted": ("# c\n---\na: 1\n---\n# d\n---\nb: 2\n", [Chunk("a: 1\n", 3, 0), Chunk("b: 2\n", 7, 1)]),
    "comments before a document are its text": ("# c\n\na: 1\n", [Chunk("# c\n\na: 1\n", 1, 0)]),
    "carriage returns are kept": ("a: 1\r\n---\r\nb: 2\r\n", [Chunk("a: 1\r\n", 1, 0), Chunk("b: 2\r\n", 3, 1)]),
    "a lone carriage return starts no line": ("a: 1\r---\rb: 2\r", [Chunk("a: 1\r---\rb: 2\r", 1, 0)]),
    "a lone carriage return ends a comment": ("# c\rb: 2", [Chunk("# c\rb: 2", 1, 0)]),
    "an indented separator is text": ("a: |\n  ---\n", [Chunk("a: |\n  ---\n", 1, 0)]),
    "what follows an end mark stays with its document": ("a: 1\n...\nb: 2\n", [Chunk("a: 1\n...\nb: 2\n", 1, 0)]),
    "a byte order mark before a separator hides it": ("\ufeff---\na: 1\n", [Chunk("\ufeff---\na: 1\n", 1, 0)]),
    "a JSON object": ('{"a": 1}\n', [Chunk('{"a": 1}', 1, 0, is_json=True)]),
    "JSON objects on one line": ('{"a":1} {"b":2}', [Chunk('{"a":1}', 1, 0, True), Chunk('{"b":2}', 1, 1, True, column=9)]),
    "JSON objects on lines of their own": ('\n{"a":1}\n\n{"b":2}\n', [Chunk('{"a":1}', 2, 0, True), Chunk('{"b":2}', 4, 1, True)]),
    "JSON, then YAML": ('{"a":1}\n---\nb: 2\n', [Chunk('{"a":1}', 1, 0, True), Chunk("b: 2\n", 3, 1)]),
    "JSON, then YAML on its line": ('{"a":1} b: 2\n', [Chunk('{"a":1}', 1, 0, True), Chunk("b: 2\n", 1, 1, column=9)]),
    "JSON after a separator is YAML": ('---\n{"a":1}\n', [Chunk('{"a":1}\n', 2, 0)]),
    "braces that are no JSON are YAML": ("{a: 1}\n---\n{b: 2}\n", [Chunk("{a: 1}\n", 1, 0), Chunk("{b: 2}\n", 3, 1)]),
    "a word that JSON does not know makes YAML": ('{"a": NaN}', [Chunk('{"a": NaN}', 1, 0)]),
}
_WHY = ": kubectl drops the document before this line and reads nothing after it"
REFUSED: dict[str, tuple[str, list[Chunk | InvalidDocument]]] = {
    "content after a separator takes the document before it along": (
        "a: 1\n--- b: 2\n",
        [InvalidDocument(None, 2, 5, f"only a comment may follow `---`{_WHY}")],
    ),
    "what follows is read from the next separator on": (
        "--- {a: 1}\nb: 2\n---\nc: 3\n",
        [InvalidDocument(None, 1, 5, f"only a comment may follow `---`{_WHY}"), Chunk("c: 3\n", 4, 0)],
    ),
    "the first of two is named": (
        "a: 1\n---b\nc: 3\n---d\ne: 5\n---\nf: 6",
        [InvalidDocument(None, 2, 4, f"only a comment may follow `---`{_WHY}"), Chunk("f: 6", 7, 0)],
    ),
    "long content is cut, and control characters are not shown": (
        "---\x1b[31m" + "x" * 50,
        [InvalidDocument(None, 1, 4, f"only a comment may follow `---`{_WHY}")],
    ),
}


@pytest.mark.parametrize("text", NOTHING.values(), ids=NOTHING.keys())
def test_nothing_is_found_in(text: str) -> None:
    assert list(split_documents(text)) == []


@pytest.mark.parametrize(("text", "chunks"), PARTS.values(), ids=PARTS.keys())
def test_a_stream_is_split(text: str, chunks: list[Chunk]) -> None:
    assert list(split_documents(text)) == chunks


@pytest.mark.parametrize(("text", "parts"), REFUSED.values(), ids=REFUSED.keys())
def test_a_separator_is_refused(text: str, parts: list[Chunk | InvalidDocument]) -> None:
    assert list(split_documents(text)) == parts


LINES = st.lists(st.sampled_from(["---", "--- # c", "a: 1", "# c", "", "  ---", "b: |", "  text\r", "...", '{"a":1}']), max_size=12)


@given(LINES)
def test_a_chunk_is_a_piece_of_its_file_at_its_line(lines: list[str]) -> None:
    text = "\n".join(lines)
    for index, chunk in enumerate(split_documents(text)):
        assert isinstance(chunk, Chunk)
        start = sum(len(line) + 1 for line in lines[: chunk.line - 1]) + chunk.column - 1
        assert text[start : start + len(chunk.text)] == chunk.text
        assert chunk.index == index
