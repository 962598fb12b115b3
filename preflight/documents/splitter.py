"""A stream of documents as kubectl's reader splits it, without parsing YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from preflight.documents.model import Chunk, InvalidDocument

_SEPARATOR = "---"
_NOTHING = re.compile("(?:[ \t]*+(?:#[^\n\r\x85\u2028\u2029]*+)?+\r?+\n)*+[ \t]*+(?:#[^\n\r\x85\u2028\u2029]*+)?+\r?+")
_END_MARK = re.compile(r"\.\.\.(?:[ \t\r\n]|\Z)")
_SPACES = re.compile(r"\s*")
_REFUSED_SEPARATOR = "only a comment may follow `---`: kubectl drops the document before this line and reads nothing after it"
"""What follows is not quoted: a private key starts with `-----BEGIN`, and a file may be read that is no manifest."""


def split_documents(text: str) -> Iterator[Chunk | InvalidDocument]:
    """The documents of a file in order, as text.

    1. A line that starts with `---` separates; blanks and a comment may follow. An indented `---` is text, as is one after a lone
       carriage return.
    2. Anything else after `---` makes a Broken: kubectl refuses the line and drops the document before it too. What follows the next
       separator is read here all the same.
    3. A document of blank lines and comments is dropped, and so are an empty text and a byte order mark alone.
    4. A text that starts with `{` is read as JSON first: objects one after another, with or without line ends between them. From the first
       thing on that is no JSON object, the text is YAML.
    5. `...` and what follows it stay in the document; the parser stops there.
    6. Source: YAMLOrJSONDecoder and YAMLReader of apimachinery/pkg/util/yaml/decoder.go.
    """
    index, at = 0, _TextCursor(text)
    for begin, end in _iter_json_spans(text):
        at.move_to(begin)
        yield Chunk(text[begin:end], at.line, index, is_json=True, column=at.column)
        index += 1
        at.move_to(end)
    if index:
        at.move_to(_skip_blanks(text, at.index))
    yield from _split_yaml(text, at, index)


class _TextCursor:
    """A place in the text that moves forward, with its line and column."""

    def __init__(self, text: str) -> None:
        self.text, self.index, self.line, self.column = text, 0, 1, 1

    def move_to(self, index: int) -> None:
        newlines = self.text.count("\n", self.index, index)
        self.column = index - self.text.rfind("\n", self.index, index) if newlines else self.column + index - self.index
        self.line += newlines
        self.index = index


def _split_yaml(text: str, at: _TextCursor, index: int) -> Iterator[Chunk | InvalidDocument]:
    start, line, column = at.index, at.line, at.column
    refused: InvalidDocument | None = None
    is_kept = False  # the reader keeps a separator that nothing stands before in the document that follows it
    for separator in _iter_separators(text, start):
        end = text.find("\n", separator) + 1 or len(text)
        body = text[start:separator]
        line_of_separator = line + body.count("\n")
        rest = text[separator + len(_SEPARATOR) : end].strip()
        if rest and not rest.startswith("#"):
            column = text.index(rest[0], separator + len(_SEPARATOR)) - separator + 1
            refused = refused or InvalidDocument(None, line_of_separator, column, _REFUSED_SEPARATOR)
        elif refused:
            yield refused
            refused = None
        elif not _is_empty_document(body, is_kept):
            yield Chunk(body, line, index, column=column)
            index += 1
        is_kept = not body
        line, column = line_of_separator + 1, 1
        start = end
    if refused:
        yield refused
    elif not _is_empty_document(text[start:], is_kept):
        yield Chunk(text[start:], line, index, column=column)


def _iter_separators(text: str, start: int) -> Iterator[int]:
    """Where the lines with `---` at column 0 start."""
    if text.startswith(_SEPARATOR, start):
        yield start
    at = text.find("\n" + _SEPARATOR, start)
    while at >= 0:
        yield at + 1
        at = text.find("\n" + _SEPARATOR, at + 4)


def _is_empty_document(body: str, is_separated: bool) -> bool:
    """Whether the parser makes null of it: nothing but blanks and comments, or an end mark after a separator that was kept."""
    begin = len(body) - len(body.removeprefix("\ufeff").removeprefix("\ufeff"))
    match = _NOTHING.match(body, begin)
    end = match.end() if match else begin
    return end == len(body) or (is_separated and _END_MARK.match(body, end) is not None)


def _iter_json_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the JSON objects start and end that the text starts with."""
    decode = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=str, parse_float=str).raw_decode
    begin = _skip_spaces(text, 0)
    while text.startswith("{", begin):
        try:
            _, end = decode(text, begin)
        except (ValueError, RecursionError):
            return
        yield begin, end
        begin = _skip_spaces(text, end)


def _skip_spaces(text: str, start: int) -> int:
    match = _SPACES.match(text, start)
    return match.end() if match else start


def _refuse_constant(constant: str) -> None:
    raise ValueError(constant)


def _skip_blanks(text: str, start: int) -> int:
    """The place after the blanks that follow JSON, or after the first line end among them."""
    while start < len(text) and text[start].isspace():
        start += 1
        if text[start - 1] == "\n":
            break
    return start
