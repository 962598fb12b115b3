"""Words of a shell script without their quotes, from the leaves of its syntax tree.

Source: POSIX.1-2024, Shell Command Language, 2.2 (quoting) and 2.6 (expansions); bash's `$'...'` and braces.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from msgspec import Struct
from tree_sitter import Node

from preflight.kubectl.runbook.syntax import iter_nodes

_BRACES = re.compile(r"\{[^{}]*(,|\.\.)[^{}]*\}")
_PATTERN = re.compile(r"[*?]|\[[^\]]+\]")
_ESCAPED = re.compile(r"\\(.?)", re.DOTALL)
_ESCAPED_IN_QUOTES = re.compile(r'\\(["\\$`\n])')
_QUOTED = "\0"
_EXPANSIONS = frozenset(
    ("simple_expansion", "expansion", "arithmetic_expansion", "process_substitution", "command_substitution", "ansi_c_string", "array")
)
_SHOWN = 40


class ShellWord(Struct, frozen=True, gc=False):
    """A word without its quotes.

    1. `is_unquoted`: nothing in it is quoted or escaped, so that it may be one of the shell's own words.
    2. `expansion` is what the shell puts something else in the place of: `$NODE`, `$(...)`, a pattern of files; "" where nothing is.
    3. `substitutions` are the commands in `$(...)`, backquotes and `<(...)`, each with its line.
    """

    text: str
    line: int
    is_unquoted: bool = True
    expansion: str = ""
    substitutions: tuple[tuple[str, int], ...] = ()


class WordReader:
    """Makes words from nodes of one source; `first_line` is the line of its first row."""

    def __init__(self, source: bytes, first_line: int) -> None:
        self.source, self.first_line = source, first_line
        self.line_ends = [found.start() for found in re.finditer(b"\n", source)]

    def decode(self, start: int, end: int) -> str:
        """The source between two offsets."""
        return self.source[start:end].decode(errors="replace")

    def get_line(self, node: Node) -> int:
        """The line that a node starts on."""
        return node.start_point.row + self.first_line

    def get_line_at(self, offset: int) -> int:
        """The line of an offset."""
        return bisect_left(self.line_ends, offset) + self.first_line

    def read_word(self, nodes: Sequence[Node], start: int, end: int, line: int) -> ShellWord:
        """The word between two offsets, of which `nodes` are the parts that have a node; what has none is literal."""
        builder = _WordBuilder(self)
        builder.add_parts(nodes, start, end)
        return builder.build(line)

    def read_node(self, node: Node) -> ShellWord:
        """The word that one node is."""
        return self.read_word((node,), node.start_byte, node.end_byte, self.get_line(node))

    def read_substitution(self, node: Node) -> tuple[str, int]:
        """The text of the commands in `$(...)`, backquotes or `<(...)`, and its line."""
        text = self.decode(node.start_byte, node.end_byte)
        inner = text[1:-1].replace("\\`", "`") if text.startswith("`") else text[2:-1]
        return inner, self.get_line(node)


class _WordBuilder:
    def __init__(self, reader: WordReader) -> None:
        self.reader = reader
        self.text: list[str] = []
        self.plain: list[str] = []
        self.expansions: list[str] = []
        self.substitutions: list[tuple[str, int]] = []
        self.is_unquoted = True

    def add_parts(self, nodes: Sequence[Node], start: int, end: int) -> None:
        for node in nodes:
            self.add_literal(self.reader.decode(start, node.start_byte))
            self.add_node(node)
            start = max(start, node.end_byte)
        self.add_literal(self.reader.decode(start, end))

    def add_node(self, node: Node) -> None:
        kind = node.type
        if kind in _EXPANSIONS:
            self.add_expansion(node)
        elif kind == "raw_string":
            self.add_quoted(self.reader.decode(node.start_byte + 1, node.end_byte - 1))
        elif kind == "string":
            self.add_string(node)
        elif kind == "translated_string":
            self.expansions.append(self.shorten(self.reader.decode(node.start_byte, node.end_byte)))
            self.add_parts(node.children, node.start_byte, node.end_byte)
        elif node.child_count and kind not in ("word", "number"):
            self.add_parts(node.children, node.start_byte, node.end_byte)
        elif node.child_count:
            self.add_parts([child for child in node.children if child.type in _EXPANSIONS], node.start_byte, node.end_byte)
        else:
            self.add_literal(self.reader.decode(node.start_byte, node.end_byte))

    def add_literal(self, text: str) -> None:
        place = 0
        for escape in _ESCAPED.finditer(text):
            self.add_unquoted(text[place : escape.start()])
            self.add_quoted("" if escape.group(1) == "\n" else escape.group(1))
            place = escape.end()
        self.add_unquoted(text[place:])

    def add_unquoted(self, text: str) -> None:
        self.text.append(text)
        self.plain.append(text)

    def add_quoted(self, text: str) -> None:
        self.is_unquoted = False
        self.text.append(text)
        self.plain.append(_QUOTED * len(text))

    def add_string(self, node: Node) -> None:
        """What stands in double quotes, where some things are expanded all the same."""
        self.is_unquoted = False
        place = node.start_byte + 1
        for child in node.children:
            if child.type in _EXPANSIONS:
                self.add_string_content(place, child.start_byte)
                self.add_expansion(child)
                place = child.end_byte
        self.add_string_content(place, node.end_byte - 1)

    def add_string_content(self, start: int, end: int) -> None:
        text = self.reader.decode(start, end)
        self.add_quoted(_ESCAPED_IN_QUOTES.sub(lambda found: "" if found.group(1) == "\n" else found.group(1), text))

    def add_expansion(self, node: Node) -> None:
        text = self.reader.decode(node.start_byte, node.end_byte)
        self.text.append(text)
        self.expansions.append(self.shorten(text))
        place = node.start_byte
        for found in iter_nodes(node):
            if found.type in ("command_substitution", "process_substitution") and found.start_byte >= place:
                self.substitutions.append(self.reader.read_substitution(found))
                place = found.end_byte  # what stands inside is read with it

    @staticmethod
    def shorten(piece: str) -> str:
        return piece if len(piece) <= _SHOWN and "\n" not in piece else f"{piece[:2]}...{piece[-1]}"

    def build(self, line: int) -> ShellWord:
        text, plain = "".join(self.text), "".join(self.plain)
        expansion = self.expansions[0] if self.expansions else ""
        if not expansion and (_PATTERN.search(plain) or _BRACES.search(plain) or plain.startswith("~")):
            expansion = text
        return ShellWord(text, line, self.is_unquoted, expansion, tuple(self.substitutions))
