"""A document's text as the parser gets it, and the way back from there to places in the file."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Any, NamedTuple

import yaml
from yaml.events import StreamEndEvent

from preflight.documents.model import Chunk, DocumentError
from preflight.documents.strict import BYTE_ORDER_MARK, make_strict

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PRIVATE = range(0xE000, 0xF8FF)
_NOT_YAML = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}|[\x7f-\x9f\ufffe\uffff\u2028\u2029]")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_QUOTED = re.compile(r'(?:[^"\\]|\\.)*', re.DOTALL)


class ParserInput(NamedTuple):
    """What the parser gets for a chunk.

    1. `text` has line feeds as line ends, as kubectl hands it to its parser, and no byte order mark at its start; it takes two away.
    2. `line` and `column` are the 1-based place in the file where it starts.
    3. `is_json` lets pass what JSON takes and kubectl's YAML parser refuses.
    4. `replacement` stands for the byte order marks inside, which libyaml skips at the start of a line and kubectl's keeps; "" for none.
    5. `removed` are the indexes of `text` before which a backslash was taken out: libyaml refuses `\\'` in double quotes, kubectl's parser
       takes it.
    """

    text: str
    line: int
    column: int = 1
    is_json: bool = False
    replacement: str = ""
    removed: tuple[int, ...] = ()

    def locate_index(self, index: int) -> tuple[int, int]:
        """The 1-based line and column in the file for a 0-based index of `text`."""
        start = self.text.rfind("\n", 0, index) + 1
        return self.locate_in_line(index, start, self.text.count("\n", 0, start))

    def locate_in_line(self, index: int, start: int, lines: int) -> tuple[int, int]:
        """The same, where it is known where the index's line starts in `text` and how many lines are before it."""
        taken_out = bisect_right(self.removed, index) - bisect_left(self.removed, start)
        return self.line + lines, index - start + taken_out + (1 if lines else self.column)

    def open_events(self) -> Callable[[], Any] | None:
        """The events after the start of the first document; None where the text has no document.

        1. The C parser where PyYAML has it, else the one in Python; its errors are yaml.YAMLError.
        2. Unreadable for a version directive other than 1.1, and where `strict` says so; JSON is not held to that.
        """
        next_event: Callable[[], Any] = _LOADER(self.text).get_event
        next_event()
        event = next_event()
        if type(event) is StreamEndEvent:
            return None
        if event.version not in (None, (1, 1)):
            raise DocumentError("only YAML 1.1 is read: remove the %YAML line", event.start_mark.index)
        return next_event if self.is_json else make_strict(next_event, self.text, self.replacement)

    def drop_escaped_quotes(self, index: int) -> ParserInput | None:
        """The source without the backslashes of `\\'` from the index to the end of its scalar; None where there is none at the index."""
        if not self.text.startswith("\\'", index):
            return None
        scalar = _QUOTED.match(self.text, index)
        end = scalar.end() if scalar else index
        places = [escape.start() for escape in _ESCAPE.finditer(self.text, index, end) if escape[1] == "'"]
        parts = [
            self.text[begin:stop] for begin, stop in zip([0, *(place + 1 for place in places)], [*places, len(self.text)], strict=True)
        ]
        removed = self.removed + tuple(place - taken for taken, place in enumerate(places))
        return self._replace(text="".join(parts), removed=removed)


def prepare_input(chunk: Chunk) -> ParserInput:
    """What the parser gets for a chunk.

    In JSON, blanks stand for what JSON takes and YAML does not: surrogates, controls, YAML's line ends. So it is good for places only.
    """
    text = chunk.text.removeprefix(BYTE_ORDER_MARK).removeprefix(BYTE_ORDER_MARK)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if chunk.is_json:
        text = _NOT_YAML.sub(lambda match: "\\u0020" if match[0][0] == "\\" else " ", text)
    if BYTE_ORDER_MARK not in text:
        return ParserInput(text, chunk.line, chunk.column, chunk.is_json)
    stand_in = next((chr(code) for code in _PRIVATE if chr(code) not in text), "")
    return ParserInput(text.replace(BYTE_ORDER_MARK, stand_in or BYTE_ORDER_MARK), chunk.line, chunk.column, chunk.is_json, stand_in)
