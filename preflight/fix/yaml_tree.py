"""A document's text as a tree with places: the only module with ruamel.yaml."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from preflight.messages import fix as messages

Path = tuple[str | int, ...]

MAX_DEPTH = 200


class CannotEdit(Exception):
    """Why a manifest is not edited, as words that follow its name."""


class YamlNode(Struct):
    """A value of a document.

    1. `start` and `end` are indexes in the text; an anchor or a tag stands before what it names, so `start` is then its place. `end` is
       where the last character of the content is, comments and blanks that follow excluded.
    2. `kind` is map, list, scalar or alias; `text` is a scalar's value or an alias' name; `style` a scalar's quote, "" where it has none.
    3. `anchor` is "" where it has none; `is_flow` where it stands in brackets.
    """

    kind: str
    start: int
    end: int
    text: str = ""
    style: str = ""
    anchor: str = ""
    is_tagged: bool = False
    is_flow: bool = False
    items: list[YamlNode] = []
    entries: list[tuple[YamlNode, YamlNode]] = []

    def find_entry(self, name: str) -> tuple[YamlNode, YamlNode] | None:
        """The last entry of a key, which is the one that counts; None where the mapping itself has none."""
        found = [entry for entry in self.entries if entry[0].kind == "scalar" and entry[0].text == name]
        return found[-1] if found else None

    @property
    def has_merge_key(self) -> bool:
        """Whether the mapping takes keys from another one (`<<`)."""
        return any(key.kind == "scalar" and key.text == "<<" and not key.style for key, _ in self.entries)


class YamlTree(Struct):
    """A document: its text, its root, and the names of the anchors that an alias repeats."""

    text: str
    root: YamlNode
    aliased_anchors: frozenset[str]

    def find_column(self, index: int) -> int:
        """How many characters stand before an index on its line."""
        return index - self.find_line_start(index)

    def find_line_start(self, index: int) -> int:
        """Where the line of an index starts."""
        return self.text.rfind("\n", 0, index) + 1

    def find_line_end(self, index: int) -> int:
        """Where the line of an index ends: the index of its line feed, or of the end of the text."""
        found = self.text.find("\n", index)
        return len(self.text) if found < 0 else found


def read_tree(text: str) -> YamlTree:
    """The first document of a text.

    1. A tab before a comment is no fault to Kubernetes' reader, and one to ruamel.yaml: a blank stands for each tab then. Places are the
       same, and whoever edits reads the result again.
    2. CannotEdit where ruamel.yaml does not take it all the same.
    """
    from ruamel.yaml.error import YAMLError

    try:
        return _parse_tree(text, text)
    except (YAMLError, ValueError, RecursionError) as error:
        try:
            if "\t" in text:
                return _parse_tree(text.replace("\t", " "), text)
        except (YAMLError, ValueError, RecursionError):
            pass
        raise CannotEdit(messages.describe_second_reader(_get_first_line(error))) from None


def _parse_tree(text: str, original: str) -> YamlTree:
    from ruamel.yaml import YAML

    reader = YAML(typ="safe", pure=True)
    reader.version = (1, 1)
    events: Iterator[Any] = iter(reader.parse(text))
    for event in events:
        if type(event).__name__ == "DocumentStartEvent":
            builder = _YamlTreeBuilder(text, events)
            return YamlTree(original, builder.build_node(next(events), 0), frozenset(builder.aliased_anchors))
    raise CannotEdit(messages.EMPTY_DOCUMENT)


def _get_first_line(error: Exception) -> str:
    problem = getattr(error, "problem", None) or str(error)
    return str(problem).strip().partition("\n")[0] or type(error).__name__


class _YamlTreeBuilder:
    def __init__(self, text: str, events: Iterator[Any]) -> None:
        self.text = text
        self.events = events
        self.aliased_anchors: set[str] = set()

    def build_node(self, event: Any, depth: int) -> YamlNode:
        if depth > MAX_DEPTH:
            raise CannotEdit(messages.describe_deep_nesting(MAX_DEPTH))
        kind = type(event).__name__
        start, end = event.start_mark.index, event.end_mark.index
        if kind == "AliasEvent":
            self.aliased_anchors.add(str(event.anchor))
            return YamlNode("alias", start, end, text=str(event.anchor))
        anchor = str(event.anchor or "")
        tagged = getattr(event, "tag", None) is not None
        if kind == "ScalarEvent":
            if event.style in ("|", ">"):
                end = start + len(self.text[start:end].rstrip())
            return YamlNode("scalar", start, end, text=event.value, style=event.style or "", anchor=anchor, is_tagged=tagged)
        flow = bool(event.flow_style)
        if kind == "SequenceStartEvent":
            items, last = self.build_children("SequenceEndEvent", depth)
            end = last.end_mark.index if flow else max([item.end for item in items], default=start)
            return YamlNode("list", start, end, anchor=anchor, is_tagged=tagged, is_flow=flow, items=items)
        children, last = self.build_children("MappingEndEvent", depth)
        entries = list(zip(children[::2], children[1::2], strict=True))
        for key, value in entries:
            self.place_empty(key, value)
        end = last.end_mark.index if flow else max([child.end for child in children], default=start)
        return YamlNode("map", start, end, anchor=anchor, is_tagged=tagged, is_flow=flow, entries=entries)

    def place_empty(self, key: YamlNode, value: YamlNode) -> None:
        """A value that is not there stands behind the colon of its key; the parser has it where the next one starts."""
        if value.kind == "scalar" and not value.text and not value.style and not value.anchor:
            colon = self.text.find(":", key.end)
            if 0 <= colon < value.end and not self.text[key.end : colon].strip():
                value.start = value.end = colon + 1

    def build_children(self, until: str, depth: int) -> tuple[list[YamlNode], Any]:
        found = []
        while type(event := next(self.events)).__name__ != until:
            found.append(self.build_node(event, depth + 1))
        return found, event


def walk_path(tree: YamlTree, path: Sequence[str | int]) -> YamlNode:
    """The value at a path.

    CannotEdit where an alias or a merge leads there, or where an alias repeats what stands around it: an edit would change both places.
    """
    node = tree.root
    _check_not_shared(tree, node)
    for step in path:
        found: YamlNode | None = None
        if isinstance(step, int):
            found = node.items[step] if 0 <= step < len(node.items) else None
        elif entry := node.find_entry(step):
            found = entry[1]
        elif node.has_merge_key:
            raise CannotEdit(messages.describe_merged_part(step))
        if found is None:
            raise CannotEdit(messages.describe_lost_part(step))
        node = found
        _check_not_shared(tree, node)
    return node


def _check_not_shared(tree: YamlTree, node: YamlNode) -> None:
    """Raises CannotEdit where a value is shared."""
    if node.kind == "alias":
        raise CannotEdit(messages.describe_shared_list(node.text))
    if node.anchor and node.anchor in tree.aliased_anchors:
        raise CannotEdit(messages.describe_repeated_anchor(node.anchor))
