"""The simple commands of a shell script in order, each with what is known of whether it runs.

Source: POSIX.1-2024, Shell Command Language, 2.9 (commands); bash's `[[ ]]`, `(( ))`, `function` and `select`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum

from msgspec import Struct
from tree_sitter import Node

from preflight.kubectl.runbook.syntax import SyntaxTree, iter_nodes
from preflight.kubectl.runbook.words import ShellWord, WordReader

_BLANK = re.compile(rb"(?:[ \t\r]|\\\n)*")
_JOINED = re.compile(rb"(?:\\\n)+")
_MAX_DEPTH = 100
_REDIRECTS = ("file_redirect", "herestring_redirect", "heredoc_redirect")
_WORD_STATEMENTS = ("command", "declaration_command", "unset_command", "variable_assignment", "variable_assignments")
_LOOPS = ("for_statement", "c_style_for_statement", "while_statement")
_TEST = "[["


class BlockKind(Enum):
    """What a compound command is, in the word that people are told."""

    CONDITION = "condition"
    LOOP = "loop"
    CASE = "case"
    GROUP = "group"
    SUBSHELL = "subshell"
    FUNCTION = "function"


class CompoundCommand(Struct, frozen=True):
    """A compound command: what it is, where it starts, whether it surely runs, once; `name` of a function."""

    kind: BlockKind
    line: int
    is_certain: bool = False
    name: str = ""


class SimpleCommand(Struct, frozen=True):
    """A simple command.

    1. `words` are the program and its arguments, `assignments` the assignments before it; both are empty where only `other_words` count.
    2. `other_words` are words whose commands in `$(...)` run too: files of redirections, values of a `for`, bodies of here documents.
       `written_files` are the files it writes.
    3. `block` is the innermost one of which nobody knows whether or how often it runs, a function before all; None where it surely runs.
    4. `is_alternative`: it stands after `||`.
    """

    words: tuple[ShellWord, ...] = ()
    assignments: tuple[ShellWord, ...] = ()
    other_words: tuple[ShellWord, ...] = ()
    written_files: tuple[str, ...] = ()
    block: CompoundCommand | None = None
    is_alternative: bool = False


class FunctionDefinition(Struct, frozen=True):
    """The beginning of a function's definition."""

    name: str


class NestedTooDeep(Exception):
    """A statement whose parts are nested deeper than is read; `line` is where it is given up."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def iter_simple_commands(tree: SyntaxTree, first_line: int) -> Iterator[SimpleCommand | FunctionDefinition]:
    """The simple commands of a script, in order; `first_line` is the line of the tree's first row.

    Errors: NestedTooDeep.
    """
    reader = WordReader(tree.source, first_line)
    for statement in tree.statements:
        splitter = _CommandSplitter(reader)
        splitter.read_statement(statement)
        yield from splitter.commands


class _Gathered(Struct):
    """The parts of the simple command that is read."""

    words: list[ShellWord]
    assignments: list[ShellWord]
    others: list[ShellWord]
    writes: list[str]


class _CommandSplitter:
    def __init__(self, reader: WordReader) -> None:
        self.reader = reader
        self.commands: list[SimpleCommand | FunctionDefinition] = []
        self.blocks: list[CompoundCommand] = []
        self.is_alternative = False
        self.depth = 0

    def read_statements(self, nodes: Sequence[Node]) -> None:
        """Statements one after the other; each starts without a `||` before it."""
        for node in nodes:
            if node.is_named:
                self.is_alternative = False
                self.read_statement(node)
        self.is_alternative = False

    def read_statement(self, node: Node, redirects: Sequence[Node] = ()) -> None:
        if self.depth > _MAX_DEPTH:
            raise NestedTooDeep(self.reader.get_line(node))
        self.depth += 1
        kind = node.type
        if kind in _WORD_STATEMENTS:
            self.read_words(node, redirects)
            redirects = ()
        elif kind == "redirected_statement":
            self.read_redirected(node)
        elif kind == "list":
            self.read_list(node)
        elif kind in ("pipeline", "negated_command"):
            for child in node.children:
                if child.is_named:
                    self.read_statement(child)
        elif kind in ("test_command", "comment") or (kind == "compound_statement" and node.children[0].type == "(("):
            if kind != "comment":
                self.add_command(_Gathered([ShellWord(_TEST, self.reader.get_line(node))], [], self.list_inner_words(node), []))
        else:
            self.read_compound(node)
        if redirects:
            self.read_redirects(redirects)
        self.depth -= 1

    def read_list(self, node: Node) -> None:
        """Commands joined by `&&` and `||`: the tree leans to the left, as deep as the list is long."""
        parts: list[Node] = []
        while node.type == "list":
            parts.extend(reversed(node.children[1:]))
            node = node.children[0]
        for part in (node, *reversed(parts)):
            if part.is_named:
                self.read_statement(part)
            elif part.type == "||":
                self.is_alternative = True

    def read_redirected(self, node: Node) -> None:
        redirects = [child for child in node.children if child.type in _REDIRECTS]
        for child in node.children:
            if child.is_named and child.type not in _REDIRECTS:
                self.read_statement(child, redirects)
                redirects = []
        if redirects:
            self.read_redirects(redirects)

    def read_redirects(self, redirects: Sequence[Node]) -> None:
        gathered, piped = _Gathered([], [], [], []), list[Node]()
        for redirect in redirects:
            piped.extend(self.add_redirect(gathered, redirect))
        self.add_command(gathered)
        self.read_piped(piped)

    def read_piped(self, nodes: Sequence[Node]) -> None:
        """What follows the beginning of a here document on its line: `| kubectl ...`, `&& ...`."""
        for node in nodes:
            if node.is_named:
                self.read_statement(node)
            elif node.type == "||":
                self.is_alternative = True

    def read_words(self, node: Node, redirects: Sequence[Node] = ()) -> None:
        """A command of words; the tree joins assignments that stand on lines of their own to what follows, and omits some words."""
        gathered, piped = _Gathered([], [], [], []), list[Node]()
        run: list[Node] = []
        place = node.start_byte
        children = node.children if node.type != "variable_assignment" else [node]
        parts = sorted((*children, *redirects), key=lambda part: part.start_byte)
        for part in parts:
            is_apart = self.take_gap(gathered, run, place, part.start_byte)
            if is_apart:
                self.add_command(gathered)
                gathered = _Gathered([], [], [], [])
            place = max(place, part.end_byte)
            if part.type in _REDIRECTS:
                self.flush_word(gathered, run)
                piped.extend(self.add_redirect(gathered, part))
            elif part.type not in ("comment", ";", "&"):
                run.append(part)
        self.take_gap(gathered, run, place, max(node.end_byte, place))
        self.flush_word(gathered, run)
        self.add_command(gathered)
        self.read_piped(piped)

    def take_gap(self, gathered: _Gathered, run: list[Node], start: int, end: int) -> bool:
        """Take what stands between two parts; whether a command ends there."""
        if start >= end or _JOINED.fullmatch(self.reader.source, start, end):
            return False
        self.flush_word(gathered, run)
        gap = self.reader.source[start:end]
        blank = _BLANK.match(gap)
        is_apart = False
        while blank is not None and blank.end() < len(gap):
            gap, start = gap[blank.end() :], start + blank.end()
            if gap.startswith(b"\n"):
                is_apart, size = True, 1
            else:
                size = next((place for place, letter in enumerate(gap) if letter in b" \t\n"), len(gap))
                line = self.reader.get_line_at(start)
                self.add_word(gathered, self.reader.read_word((), start, start + size, line))
            gap, start = gap[size:], start + size
            blank = _BLANK.match(gap)
        return is_apart

    def flush_word(self, gathered: _Gathered, run: list[Node]) -> None:
        if run:
            is_assignment = run[0].type == "variable_assignment" and not gathered.words
            word = self.reader.read_word(tuple(run), run[0].start_byte, run[-1].end_byte, self.reader.get_line(run[0]))
            if is_assignment:
                gathered.assignments.append(word)
            else:
                self.add_word(gathered, word)
            run.clear()

    @staticmethod
    def add_word(gathered: _Gathered, word: ShellWord) -> None:
        if gathered.words or word.text not in ("coproc", "time", "!") or not word.is_unquoted:
            gathered.words.append(word)

    def add_redirect(self, gathered: _Gathered, redirect: Node) -> list[Node]:
        """Take the file of a redirection, or the commands in a here document; what follows on the line of the latter is given back."""
        rest: list[Node] = []
        if redirect.type == "heredoc_redirect":
            for child in redirect.children:
                if child.type == "heredoc_body":
                    gathered.others.extend(self.list_inner_words(child))
                elif child.type in _REDIRECTS:
                    rest.extend(self.add_redirect(gathered, child))
                elif child.type in ("pipeline", "||", "&&", "list") or child.type in _WORD_STATEMENTS:
                    rest.append(child)
                elif child.is_named and child.type not in ("heredoc_start", "heredoc_end", "file_descriptor", "comment"):
                    self.add_word(gathered, self.reader.read_node(child))
            return rest
        operator = next((child.type for child in redirect.children if not child.is_named), "")
        words = [self.reader.read_node(child) for child in redirect.children if child.is_named and child.type != "file_descriptor"]
        if words and ">" in operator and operator not in (">&", ">&-"):
            gathered.writes.append(words[0].text)
        gathered.others.extend(words[:1])
        for word in words[1:]:
            self.add_word(gathered, word)  # an argument after the file: the tree counts it to the redirection
        return rest

    def list_inner_words(self, node: Node) -> list[ShellWord]:
        """A word for each command in `$(...)` below a node."""
        found: list[ShellWord] = []
        place = node.start_byte
        for inner in iter_nodes(node):
            if inner.type in ("command_substitution", "process_substitution") and inner.start_byte >= place:
                found.append(self.reader.read_node(inner))
                place = inner.end_byte
        return found

    def read_compound(self, node: Node) -> None:
        kind, line = node.type, self.reader.get_line(node)
        if kind == "function_definition":
            self.read_function(node)
        elif kind == "if_statement":
            self.read_block(CompoundCommand(BlockKind.CONDITION, line), node.children)
        elif kind in _LOOPS:
            self.read_block(CompoundCommand(BlockKind.LOOP, line), node.children)
        elif kind == "case_statement":
            self.read_block(CompoundCommand(BlockKind.CASE, line), node.children)
        elif kind == "compound_statement":
            self.read_block(CompoundCommand(BlockKind.GROUP, line, is_certain=not self.is_alternative), node.children)
        elif kind == "subshell":
            self.read_block(CompoundCommand(BlockKind.SUBSHELL, line, is_certain=not self.is_alternative), node.children)
        elif kind in ("elif_clause", "else_clause", "do_group", "case_item"):
            self.read_statements(node.children)
        else:
            self.add_command(_Gathered([], [], self.list_inner_words(node), []))  # a word: values of a `for`, patterns of a `case`

    def read_block(self, block: CompoundCommand, children: Sequence[Node]) -> None:
        self.blocks.append(block)
        self.read_statements(children)
        self.blocks.pop()

    def read_function(self, node: Node) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return
        function = CompoundCommand(BlockKind.FUNCTION, self.reader.get_line(body), name=self.reader.read_node(name).text)
        self.commands.append(FunctionDefinition(function.name))
        is_group = body.type == "compound_statement" and body.children[0].type == "{"
        redirects = [child for child in node.children if child.type in _REDIRECTS]
        self.read_block(function, body.children if is_group or body.type == "subshell" else (body,))
        if redirects:
            self.read_redirects(redirects)

    def add_command(self, gathered: _Gathered) -> None:
        if gathered.words or gathered.assignments or gathered.others or gathered.writes:
            self.commands.append(
                SimpleCommand(
                    tuple(gathered.words),
                    tuple(gathered.assignments),
                    tuple(gathered.others),
                    tuple(gathered.writes),
                    self.find_uncertain_block(),
                    is_alternative=self.is_alternative,
                )
            )

    def find_uncertain_block(self) -> CompoundCommand | None:
        function = next((block for block in self.blocks if block.kind is BlockKind.FUNCTION), None)
        return function or next((block for block in reversed(self.blocks) if not block.is_certain), None)
