"""The syntax tree of a bash script up to its first fault, made by tree-sitter within bounds of work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import tree_sitter_bash
from msgspec import Struct
from tree_sitter import Language, Node, Parser

from preflight.messages import runbook as messages

_LANGUAGE = Language(tree_sitter_bash.language())
_MAX_BYTES = 4 << 20
_PREFIXES = (1 << 15, 1 << 18)
_MAX_DEPTH = 100
_MAX_OPERATORS = 1000
"""Of one logical line. The parser keeps what it has not reduced on a stack, and its work grows with the square of that."""
_MAX_STEPS_AFTER_ERROR = 100
"""Reports of progress, of about 100 steps each."""
_OPERATORS = re.compile(rb"[|&;<>(){}\[=]")
_CONTINUES = re.compile(rb"(\\|\||&&)[ \t]*\Z")
_BLANKS = re.compile(rb"(?:[ \t\r\n]|\\\n)*")
_CONTAINERS = frozenset(
    (
        *("list", "pipeline", "negated_command", "compound_statement", "subshell", "if_statement", "elif_clause", "else_clause"),
        *("for_statement", "while_statement", "do_group", "case_statement", "case_item", "function_definition"),
    )
)
_OUT_OF_PLACE = frozenset(("then", "fi", "do", "done", "elif", "else", "esac", "}", "{", "in", "if", "while", "until", "case"))


class SyntaxFault(Struct, frozen=True):
    """The line from which on a script is not parsed, counted from 0, and why."""

    row: int
    reason: str


class SyntaxTree(Struct, frozen=True):
    """The statements before the first fault, with the source that their offsets count in; `fault` is None where all of it was parsed."""

    source: bytes
    statements: tuple[Node, ...]
    fault: SyntaxFault | None = None


def parse_script(text: str) -> SyntaxTree:
    """Parse a script.

    1. bash runs a script line by line: what stands on whole lines before a fault runs, and nothing from there on.
    2. The work is linear: a script is cut where it holds a NUL, is too long or nested too deep, and parsing stops soon after an error.
    """
    source = text.replace("\r\n", "\n").encode(errors="replace")
    fault = _find_limit(source)
    if fault is not None:
        source = _take_rows(source, fault.row)
    source, root, row = _parse_growing(source)
    if root is None:
        fault = SyntaxFault(row, messages.NOT_BASH)
        source = _take_rows(source, row)
        root, _ = _parse_tree(source)
        if root is None:
            return SyntaxTree(source, (), SyntaxFault(0, messages.NOT_BASH))
    statements, error = _take_whole_statements(source, root)
    if error is None and fault is not None and _CONTINUES.search(source[-200:].removesuffix(b"\n")):
        statements = statements[:-1]  # it goes on after the cut
    return SyntaxTree(source, statements, error or fault)


def _parse_growing(source: bytes) -> tuple[bytes, Node | None, int]:
    """Parse a long script from its beginning first: errors make the parser slow, and behind the first one nothing is of use."""
    for size in _PREFIXES:
        if size >= len(source):
            break
        prefix = source[: source.rfind(b"\n", 0, size) + 1]
        root, row = _parse_tree(prefix)
        if root is None:
            return prefix, None, row
        faulty = next((child for child in root.children if child.has_error), None)
        if faulty is not None and faulty.end_byte < len(prefix.rstrip()):
            return prefix, root, row
    return source, *_parse_tree(source)


def _find_limit(source: bytes) -> SyntaxFault | None:
    """The first line that holds what is not parsed at all."""
    depth = operators = size = 0
    for row, line in enumerate(source.split(b"\n")):
        size += len(line) + 1
        depth = max(0, depth + line.count(b"(") - line.count(b")"))
        operators += len(_OPERATORS.findall(line))
        if b"\0" in line:
            return SyntaxFault(row, messages.NUL_BYTE)
        if depth > _MAX_DEPTH or operators > _MAX_OPERATORS:
            return SyntaxFault(row, messages.TOO_DEEP)
        if size > _MAX_BYTES:
            return SyntaxFault(row, messages.describe_long_script(_MAX_BYTES >> 20))
        if not _CONTINUES.search(line[-200:]):
            operators = 0
    return None


def _take_rows(source: bytes, count: int) -> bytes:
    return b"".join(line + b"\n" for line in source.split(b"\n")[:count])


def _parse_tree(source: bytes) -> tuple[Node | None, int]:
    """The root of the tree; None and the row of the first error where too much follows an error."""
    place, steps = 0, 0

    def stop_after_error(offset: int, has_error: bool) -> bool:
        nonlocal place, steps
        if has_error:
            place = place or offset
            steps += 1
        return steps > _MAX_STEPS_AFTER_ERROR

    def read(offset: int, _point: object) -> bytes:
        return source[offset : offset + 65536]

    try:
        return Parser(_LANGUAGE).parse(read, progress_callback=stop_after_error).root_node, 0
    except ValueError:
        return None, source.count(b"\n", 0, place)


def _take_whole_statements(source: bytes, root: Node) -> tuple[tuple[Node, ...], SyntaxFault | None]:
    """The statements that end on a line before the first one that has a fault."""
    statements: list[Node] = []
    place = 0
    for child in root.children:
        error = _find_error(source, child)
        if error is None and _has_text(source, place, child.start_byte):
            error = child
        place = child.end_byte
        if error is None and root.is_error and not (child.is_named or child.type in (";", "&", "\n", ";;")):
            error = child  # the beginning of a compound command that has no end
        if error is None:
            if child.is_named:
                statements.append(child)
            continue
        while statements and statements[-1].end_point.row >= child.start_point.row:
            statements.pop()
        return tuple(statements), _describe_error(source, error)
    if root.is_error:
        return (), SyntaxFault(root.start_point.row, messages.NOT_BASH)
    if _has_text(source, place, len(source)):
        last = statements[-1].end_point.row if statements else 0
        while statements and statements[-1].end_point.row >= last:
            statements.pop()
        return tuple(statements), SyntaxFault(last, messages.NOT_BASH)
    return tuple(statements), None


def _find_error(source: bytes, node: Node) -> Node | None:
    """The first error at or below a node: also a reserved word where a program should be."""
    for found in iter_nodes(node):
        if found.is_error or found.is_missing:
            return found
        if found.type == "command_name" and found.text is not None and found.text.decode(errors="replace") in _OUT_OF_PLACE:
            return found
        if found.type in _CONTAINERS and any(
            _has_text(source, before.end_byte, after.start_byte) for before, after in pairwise(found.children)
        ):
            return found
        if found.type == "heredoc_redirect" and _is_body_misplaced(source, found):
            return found
    return None


def _has_text(source: bytes, start: int, end: int) -> bool:
    """Whether anything but blanks stands between two offsets: a word that the tree omits."""
    return start < end and not _BLANKS.fullmatch(source, start, end)


def _is_body_misplaced(source: bytes, here_document: Node) -> bool:
    """Whether the body of a here document starts elsewhere than on the next line: its text was then taken for commands."""
    start = next((child for child in here_document.children if child.type == "heredoc_start"), None)
    body = next((child for child in here_document.children if child.type == "heredoc_body"), None)
    if start is None or body is None:
        return True
    return body.start_point.row != start.end_point.row + 1 + source.count(b"\\\n", start.end_byte, body.start_byte)


def iter_nodes(node: Node) -> Iterator[Node]:
    """A node and all below it, in the order of the text."""
    cursor = node.walk()
    while True:
        if cursor.node is not None:
            yield cursor.node
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def _describe_error(source: bytes, error: Node) -> SyntaxFault:
    first = source[error.start_byte : error.end_byte].lstrip()[:1]
    row = error.start_point.row
    if error.is_missing and error.parent is not None and error.parent.type == "string":
        return SyntaxFault(error.parent.start_point.row, messages.OPEN_QUOTE)
    if error.is_missing and error.parent is not None and error.parent.type in ("command_substitution", "process_substitution", "subshell"):
        opens = error.parent.children[0]
        is_backquote = opens.type == "`"
        return SyntaxFault(opens.start_point.row, messages.OPEN_BACKQUOTE if is_backquote else messages.OPEN_PARENTHESIS)
    if first and first in b"'\"":
        return SyntaxFault(row, messages.OPEN_QUOTE)
    if first == b"`":
        return SyntaxFault(row, messages.OPEN_BACKQUOTE)
    return SyntaxFault(row, messages.NOT_BASH)
