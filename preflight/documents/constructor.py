"""One document of YAML to plain data, as Kubernetes' reader makes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from yaml.events import AliasEvent, MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent

from preflight.documents import scalars
from preflight.documents.model import MAX_DEPTH, DocumentError
from preflight.documents.source_text import ParserInput
from preflight.documents.yaml_events import is_merge, resolve_scalar, to_key_text

MAX_COPIED = 250_000
"""How many values the aliases of one document may repeat."""
MAX_VALUES = 4_000_000
"""How many values one document may hold."""

_MISSING: Any = object()
_MERGE: Any = object()
_OPEN: Any = object()
_NOT_STRINGS = scalars.FIRST_CHARACTERS


class BuiltDocument(NamedTuple):
    """What one document holds; `may_repeat` says that a key was set twice: it is there twice, or a merge set it too."""

    data: Any
    may_repeat: bool


def build_document(source: ParserInput) -> BuiltDocument:
    """The first document of a source as plain data; None where there is none.

    1. Keys are JSON's strings; the last of a repeated key wins, and a merge (`<<`) sets its keys where it stands, over those before it.
    2. An alias is a copy: what it repeats can be changed alone.
    3. What follows the document, after `...`, is not read.
    4. Unreadable where Kubernetes' reader refuses and where a limit is passed; PyYAML's own errors pass through.
    """
    next_event = source.open_events()
    if next_event is None:
        return BuiltDocument(None, False)
    builder = _DataBuilder(next_event)
    data = builder.build_value(next_event(), 0)
    next_event()
    return BuiltDocument(data, builder.may_repeat)


class _DataBuilder:
    def __init__(self, next_event: Callable[[], Any]) -> None:
        self.next_event = next_event
        self.may_repeat = False
        self.anchors: dict[str, Any] = {}
        self.plain_keys: dict[str, Any] = {"<<": _MERGE}
        self.values_left = MAX_VALUES
        self.copies_left = MAX_COPIED

    def build_value(self, event: Any, depth: int) -> Any:
        """What starts with the event; `depth` lists and mappings are around it."""
        kind = type(event)
        if kind is ScalarEvent:
            return self.build_scalar(event)
        if kind is AliasEvent:
            return self.resolve_alias(event, depth)
        if depth >= MAX_DEPTH:
            raise DocumentError(f"lists and mappings nest deeper than {MAX_DEPTH} levels", event.start_mark.index)
        read = self.build_mapping if kind is MappingStartEvent else self.build_sequence
        if event.anchor is None:
            return read(event, depth + 1)
        self.anchors[event.anchor] = _OPEN
        value = read(event, depth + 1)
        if self.anchors[event.anchor] is _OPEN:
            self.anchors[event.anchor] = value
        return value

    def build_mapping(self, start: Any, depth: int) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        next_event, plain_keys = self.next_event, self.plain_keys
        for _ in range(self.values_left):
            event = next_event()
            kind = type(event)
            if kind is ScalarEvent and event.tag is None and event.anchor is None and event.implicit[0]:
                key = plain_keys.get(event.value, _MISSING)
                if key is _MISSING:
                    key = plain_keys[event.value] = to_key_text(scalars.parse_plain(event.value), event)
            elif kind is MappingEndEvent:
                self.count_values(start, len(mapping))
                return mapping
            else:
                key = self.build_key(event)
            event = next_event()
            if type(event) is ScalarEvent and event.tag is None and event.anchor is None:
                value: Any = event.value
                if event.implicit[0] and value[:1] in _NOT_STRINGS:
                    value = self.build_scalar(event)
            else:
                value = self.build_value(event, depth)
            if key is _MERGE:
                self.merge_mapping(mapping, value, event)
                continue
            if key in mapping:
                self.may_repeat = True
            mapping[key] = value
        raise _too_many_values(start)

    def build_sequence(self, start: Any, depth: int) -> list[Any]:
        sequence: list[Any] = []
        next_event, add = self.next_event, sequence.append
        for _ in range(self.values_left):
            event = next_event()
            if type(event) is SequenceEndEvent:
                self.count_values(start, len(sequence))
                return sequence
            add(self.build_value(event, depth))
        raise _too_many_values(start)

    def build_scalar(self, event: Any) -> scalars.Scalar:
        value = resolve_scalar(event)
        if event.anchor is not None:
            self.anchors[event.anchor] = value
        return self.convert_value(value, event)

    def convert_value(self, value: scalars.Scalar, event: Any) -> scalars.Scalar:
        try:
            return scalars.to_json_value(value)
        except ValueError as error:
            raise DocumentError(str(error), event.start_mark.index) from None

    def build_key(self, event: Any) -> Any:
        kind = type(event)
        if kind is ScalarEvent:
            value = resolve_scalar(event)
            if event.anchor is not None:
                self.anchors[event.anchor] = value
            return _MERGE if is_merge(event) else to_key_text(value, event)
        if kind is AliasEvent:
            value = self.build_anchored(event)
            if not isinstance(value, dict | list):
                return to_key_text(value, event)
        raise DocumentError("a key must be a plain value, not a list or a mapping", event.start_mark.index)

    def build_anchored(self, event: Any) -> Any:
        value = self.anchors.get(event.anchor, _MISSING)
        if value is _MISSING:
            raise DocumentError(
                f"the alias *{event.anchor} has no anchor &{event.anchor} before it in this document", event.start_mark.index
            )
        if value is _OPEN:
            raise DocumentError(f"the anchor &{event.anchor} contains itself", event.start_mark.index)
        return value

    def resolve_alias(self, event: Any, depth: int) -> Any:
        value = self.build_anchored(event)
        return self.copy_value(value, event, depth) if isinstance(value, dict | list) else self.convert_value(value, event)

    def copy_value(self, value: Any, event: Any, depth: int) -> Any:
        """A copy of a list or a mapping, counted; `depth` lists and mappings are around it."""
        self.copies_left -= len(value) + 1
        if self.copies_left < 0:
            raise DocumentError(f"the aliases of this document repeat more than {MAX_COPIED} values", event.start_mark.index)
        if depth >= MAX_DEPTH:
            raise DocumentError(f"lists and mappings nest deeper than {MAX_DEPTH} levels", event.start_mark.index)
        if isinstance(value, dict):
            return {key: self.copy_value(item, event, depth + 1) if isinstance(item, dict | list) else item for key, item in value.items()}
        return [self.copy_value(item, event, depth + 1) if isinstance(item, dict | list) else item for item in value]

    def merge_mapping(self, mapping: dict[str, Any], value: Any, event: Any) -> None:
        """Sets what `<<` brings: a mapping's keys, or those of a list of mappings, of which an earlier one wins."""
        sources = [value] if isinstance(value, dict) else value if isinstance(value, list) and type(event) is not AliasEvent else [None]
        for source in reversed(sources):
            if not isinstance(source, dict):
                raise DocumentError("a merge (<<) needs a mapping or a list of mappings", event.start_mark.index)
            self.may_repeat = self.may_repeat or not mapping.keys().isdisjoint(source)
            mapping.update(source)

    def count_values(self, start: Any, values: int) -> None:
        self.values_left -= values + 1
        if self.values_left < 0:
            raise _too_many_values(start)


def _too_many_values(event: Any) -> DocumentError:
    return DocumentError(f"the document holds more than {MAX_VALUES} values: give it as JSON, or in parts", event.start_mark.index)
