"""What libyaml takes and kubectl's parser refuses, or reads otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

from preflight.documents.model import DocumentError

BYTE_ORDER_MARK = "\ufeff"

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def make_strict(next_event: Callable[[], Any], text: str, replacement: str) -> Callable[[], Any]:
    """The same events, told apart as kubectl's parser does; `next_event` itself where the text has nothing to tell apart.

    1. Unreadable for the escape `\\/` in double quotes, and for `?` inside an unquoted value between brackets.
    2. A byte order mark comes back where `replacement` stood for it; "" stands for none.
    3. Source: scannerc.go of go.yaml.in/yaml/v2.
    """
    has_slash = "\\/" in text
    has_question = "?" in text and ("[" in text or "{" in text)
    if not (has_slash or has_question or replacement):
        return next_event
    return _StrictEvents(next_event, text, replacement).next_checked


class _StrictEvents:
    def __init__(self, next_event: Callable[[], Any], text: str, replacement: str) -> None:
        self.next_event = next_event
        self.text = text
        self.stand_in = replacement
        self.brackets = 0

    def next_checked(self) -> Any:
        event = self.next_event()
        kind = type(event)
        if kind is ScalarEvent:
            self.check_event(event)
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            self.brackets += 1 if event.flow_style or self.brackets else 0
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            self.brackets -= 1 if self.brackets else 0
        return event

    def check_event(self, event: Any) -> None:
        if self.stand_in:
            event.value = event.value.replace(self.stand_in, BYTE_ORDER_MARK)
        style = event.style
        if style == '"':
            start = self.text.index('"', event.start_mark.index) + 1
            for escape in _ESCAPE.finditer(self.text, start, event.end_mark.index):
                if escape[1] == "/":
                    raise DocumentError("the escape `\\/` is not allowed in YAML: write `/`", escape.start())
        elif self.brackets and not style and "?" in event.value:
            place = self.text.index("?", event.start_mark.index)
            raise DocumentError("a value between brackets cannot hold `?`: quote it", place)
