"""Where the fields of a document are: the document parsed once again, with places in the stead of values."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from yaml.events import AliasEvent, MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

from preflight.documents import scalars
from preflight.documents.model import FieldPath, FieldPosition, RepeatedKey
from preflight.documents.source_text import ParserInput
from preflight.documents.yaml_events import is_merge, resolve_scalar, to_key_text

_NEWLINE = re.compile("\n")


class _PositionNode:
    """A value: its index in the text, and what it holds. A mapping's entries have the index of their key."""

    __slots__ = ("entries", "index", "items", "repeats", "scalar")

    def __init__(self, index: int) -> None:
        self.index = index
        self.scalar: scalars.Scalar = None
        self.items: list[_PositionNode] | None = None
        self.entries: dict[str, _MappingEntry] | None = None
        self.repeats: list[_RepeatedEntry] = []


class _MappingEntry(NamedTuple):
    offset: int
    node: _PositionNode
    first: int | None


class _RepeatedEntry(NamedTuple):
    key: str
    first: int
    later: int


class _PathTree(dict[str | int, "_PathTree"]):
    """The steps that paths take from a value, and what they want below each."""


_NOTHING = _PathTree()


class YamlPositions:
    """The places of one document that `build` has read before: it has no limits of its own."""

    def __init__(self, source: ParserInput, paths: Sequence[FieldPath] | None = None) -> None:
        """With `paths` only what they lead through is kept, which takes half the time; a document with anchors is kept whole."""
        self.source = source
        self.line_starts = [0, *(newline.end() for newline in _NEWLINE.finditer(source.text))]
        next_event = source.open_events()
        wanted = None if paths is None or "&" in source.text else _build_path_tree(paths)
        self.root = _PositionNode(0) if next_event is None else _PositionReader(next_event).read_node(None, wanted)

    def find_position(self, path: FieldPath) -> FieldPosition:
        """The place of a path, or of its nearest present parent."""
        node, index, found = self.root, self.root.index, 0
        for step in path:
            if isinstance(step, str):
                entry = (node.entries or {}).get(step)
                if entry is None:
                    break
                node, index = entry.node, entry.offset
            else:
                if node.items is None or not 0 <= step < len(node.items):
                    break
                node = node.items[step]
                index = node.index
            found += 1
        return FieldPosition(*self.locate_index(index), found)

    def locate_index(self, index: int) -> tuple[int, int]:
        """The line and column in the file for an index of the source."""
        lines = bisect_right(self.line_starts, index) - 1
        return self.source.locate_in_line(index, self.line_starts[lines], lines)

    def iter_repeated_keys(self) -> Iterator[RepeatedKey]:
        """The repeated keys of the document, from the outside in."""
        seen: set[int] = set()
        waiting: list[tuple[FieldPath, _PositionNode]] = [((), self.root)]
        while waiting:
            path, node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            for repeat in node.repeats:
                first, later = (self.locate_index(index)[0] for index in (repeat.first, repeat.later))
                yield RepeatedKey((*path, repeat.key), first, later, repeat.key)
            below: list[tuple[str | int, _PositionNode]] = [(key, entry.node) for key, entry in (node.entries or {}).items()]
            below.extend(enumerate(node.items or ()))
            waiting.extend(((*path, step), child) for step, child in reversed(below))


def _build_path_tree(paths: Sequence[FieldPath]) -> _PathTree:
    root = _PathTree()
    for path in paths:
        below = root
        for step in path:
            below = below.setdefault(step, _PathTree())
    return root


class _PositionReader:
    def __init__(self, next_event: Callable[[], Any]) -> None:
        self.next_event = next_event
        self.anchors: dict[str, _PositionNode] = {}

    def read_node(self, event: Any, path_tree: _PathTree | None) -> _PositionNode:
        event = event or self.next_event()
        if type(event) is AliasEvent:
            return self.anchors[str(event.anchor)]
        node = _PositionNode(event.start_mark.index)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        if type(event) is ScalarEvent:
            if event.anchor is not None:  # an alias can be a key
                node.scalar = resolve_scalar(event)
            return node
        if path_tree is not None and not path_tree:
            self.skip_rest()
        elif type(event) is SequenceStartEvent:
            node.items = []
            while type(event := self.next_event()) is not SequenceEndEvent:
                node.items.append(self.read_node(event, None if path_tree is None else path_tree.get(len(node.items), _NOTHING)))
        else:
            self.read_entries(node, path_tree)
        return node

    def skip_rest(self) -> None:
        """Over the rest of a list or mapping that nothing is wanted of."""
        depth = 1
        while depth:
            kind = type(self.next_event())
            if kind is MappingStartEvent or kind is SequenceStartEvent:
                depth += 1
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                depth -= 1

    def read_entries(self, mapping: _PositionNode, path_tree: _PathTree | None) -> None:
        entries = mapping.entries = {}
        while type(event := self.next_event()) is not MappingEndEvent:
            index = event.start_mark.index
            if type(event) is ScalarEvent and is_merge(event):
                self.merge_entries(entries, self.read_node(None, path_tree))
                continue
            key = self.read_node(event, _NOTHING)
            text = to_key_text(resolve_scalar(event) if type(event) is ScalarEvent else key.scalar, event)
            before = entries.get(text)
            first = index if before is None or before.first is None else before.first
            if first != index:
                mapping.repeats.append(_RepeatedEntry(text, first, index))
            entries[text] = _MappingEntry(index, self.read_node(None, None if path_tree is None else path_tree.get(text, _NOTHING)), first)

    def merge_entries(self, entries: dict[str, _MappingEntry], source: _PositionNode) -> None:
        for node in reversed(source.items if source.items is not None else [source]):
            for key, entry in (node.entries or {}).items():
                entries[key] = entry._replace(first=None)
