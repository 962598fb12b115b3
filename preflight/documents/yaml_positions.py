"""Where the fields of a document are: the document parsed once again, with places in the stead of values."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from yaml.events import AliasEvent, MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

from preflight.documents import scalars
from preflight.documents.model import Path, Place, RepeatedKey
from preflight.documents.source_text import Source
from preflight.documents.yaml_events import is_merge, key_text, resolve

_NEWLINE = re.compile("\n")


class _Node:
    """A value: its index in the text, and what it holds. A mapping's entries have the index of their key."""

    __slots__ = ("entries", "index", "items", "repeats", "scalar")

    def __init__(self, index: int) -> None:
        self.index = index
        self.scalar: scalars.Scalar = None
        self.items: list[_Node] | None = None
        self.entries: dict[str, _Entry] | None = None
        self.repeats: list[_Repeat] = []


class _Entry(NamedTuple):
    at: int
    node: _Node
    first: int | None


class _Repeat(NamedTuple):
    key: str
    first: int
    later: int


class _Wanted(dict[str | int, "_Wanted"]):
    """The steps that paths take from a value, and what they want below each."""


_NOTHING = _Wanted()


class Positions:
    """The places of one document that `build` has read before: it has no limits of its own."""

    def __init__(self, source: Source, paths: Sequence[Path] | None = None) -> None:
        """With `paths` only what they lead through is kept, which takes half the time; a document with anchors is kept whole."""
        self.source = source
        self.line_starts = [0, *(newline.end() for newline in _NEWLINE.finditer(source.text))]
        next_event = source.events()
        wanted = None if paths is None or "&" in source.text else _tree(paths)
        self.root = _Node(0) if next_event is None else _Reader(next_event).node(None, wanted)

    def place(self, path: Path) -> Place:
        """The place of a path, or of its nearest present parent."""
        node, index, found = self.root, self.root.index, 0
        for step in path:
            if isinstance(step, str):
                entry = (node.entries or {}).get(step)
                if entry is None:
                    break
                node, index = entry.node, entry.at
            else:
                if node.items is None or not 0 <= step < len(node.items):
                    break
                node = node.items[step]
                index = node.index
            found += 1
        return Place(*self.in_file(index), found)

    def in_file(self, index: int) -> tuple[int, int]:
        """The line and column in the file for an index of the source."""
        lines = bisect_right(self.line_starts, index) - 1
        return self.source.place_in_line(index, self.line_starts[lines], lines)

    def repeated(self) -> Iterator[RepeatedKey]:
        """The repeated keys of the document, from the outside in."""
        seen: set[int] = set()
        waiting: list[tuple[Path, _Node]] = [((), self.root)]
        while waiting:
            path, node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            for repeat in node.repeats:
                first, later = (self.in_file(index)[0] for index in (repeat.first, repeat.later))
                yield RepeatedKey((*path, repeat.key), first, later, repeat.key)
            below: list[tuple[str | int, _Node]] = [(key, entry.node) for key, entry in (node.entries or {}).items()]
            below.extend(enumerate(node.items or ()))
            waiting.extend(((*path, step), child) for step, child in reversed(below))


def _tree(paths: Sequence[Path]) -> _Wanted:
    root = _Wanted()
    for path in paths:
        below = root
        for step in path:
            below = below.setdefault(step, _Wanted())
    return root


class _Reader:
    def __init__(self, next_event: Callable[[], Any]) -> None:
        self.next_event = next_event
        self.anchors: dict[str, _Node] = {}

    def node(self, event: Any, wanted: _Wanted | None) -> _Node:
        event = event or self.next_event()
        if type(event) is AliasEvent:
            return self.anchors[str(event.anchor)]
        node = _Node(event.start_mark.index)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        if type(event) is ScalarEvent:
            if event.anchor is not None:  # an alias can be a key
                node.scalar = resolve(event)
            return node
        if wanted is not None and not wanted:
            self.skip()
        elif type(event) is SequenceStartEvent:
            node.items = []
            while type(event := self.next_event()) is not SequenceEndEvent:
                node.items.append(self.node(event, None if wanted is None else wanted.get(len(node.items), _NOTHING)))
        else:
            self.entries(node, wanted)
        return node

    def skip(self) -> None:
        """Over the rest of a list or mapping that nothing is wanted of."""
        depth = 1
        while depth:
            kind = type(self.next_event())
            if kind is MappingStartEvent or kind is SequenceStartEvent:
                depth += 1
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                depth -= 1

    def entries(self, mapping: _Node, wanted: _Wanted | None) -> None:
        entries = mapping.entries = {}
        while type(event := self.next_event()) is not MappingEndEvent:
            index = event.start_mark.index
            if type(event) is ScalarEvent and is_merge(event):
                self.merge(entries, self.node(None, wanted))
                continue
            key = self.node(event, _NOTHING)
            text = key_text(resolve(event) if type(event) is ScalarEvent else key.scalar, event)
            before = entries.get(text)
            first = index if before is None or before.first is None else before.first
            if first != index:
                mapping.repeats.append(_Repeat(text, first, index))
            entries[text] = _Entry(index, self.node(None, None if wanted is None else wanted.get(text, _NOTHING)), first)

    def merge(self, entries: dict[str, _Entry], source: _Node) -> None:
        for node in reversed(source.items if source.items is not None else [source]):
            for key, entry in (node.entries or {}).items():
                entries[key] = entry._replace(first=None)
