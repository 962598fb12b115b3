"""Compound commands of a shell script taken apart: its simple commands in order, each with what is known of whether it runs.

Source: POSIX.1-2024, Shell Command Language, 2.9 (commands) and 2.4 (reserved words); bash's `[[ ]]`, `(( ))`, `function` and `select`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from preflight.kubectl.runbook.lexer import REDIRECTIONS, Operator, Word

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])?\+?=")
_OPENS = {"if": "condition", "for": "loop", "select": "loop", "while": "loop", "until": "loop", "case": "case"}
_CLOSES = {"fi": "condition", "done": "loop", "esac": "case", "}": "group"}
_BETWEEN = ("then", "else", "elif", "do", "!", "time", "coproc")
_TEST = Word("[[", 0)

_Found = Sequence[Word | Operator]


class Block(Struct):
    """A compound command: what it is, where it starts, whether it surely runs, once; `name` of a function."""

    what: str
    line: int
    sure: bool = True
    name: str = ""


class Simple(Struct, frozen=True):
    """A simple command.

    1. `words` are the program and its arguments, `assigned` the assignments before it; both are empty where only `others` count.
    2. `others` are words whose commands in `$(...)` run too: files of redirections, values of a `for`. `writes` are the files it writes.
    3. `block` is the innermost one of which nobody knows whether or how often it runs, a function before all; None where it surely runs.
    4. `alternative`: it stands after `||`.
    """

    words: tuple[Word, ...] = ()
    assigned: tuple[Word, ...] = ()
    others: tuple[Word, ...] = ()
    writes: tuple[str, ...] = ()
    block: Block | None = None
    alternative: bool = False


class Defined(Struct, frozen=True):
    """The beginning of a function's definition."""

    name: str


def simple_commands(found: _Found) -> list[Simple | Defined]:
    """The simple commands of a script, in order; what is not well formed is read as far as it can be."""
    reader = _Reader(found)
    reader.take()
    return reader.commands


class _Reader:
    def __init__(self, found: _Found) -> None:
        self.found, self.place = found, 0
        self.commands: list[Simple | Defined] = []
        self.blocks: list[Block] = []
        self.words: list[Word] = []
        self.others: list[Word] = []
        self.writes: list[str] = []
        self.alternative = False
        self.defines = ""

    def take(self) -> None:
        while self.place < len(self.found):
            token = self.found[self.place]
            self.place += 1
            if isinstance(token, Operator):
                self.operator(token)
            elif self.words or not token.bare:
                self.words.append(token)
            else:
                self.start(token)
        self.flush("\n")

    def start(self, word: Word) -> None:
        """The first word of a command: one of the shell's own, or a program."""
        text = word.text
        if text in _OPENS:
            self.blocks.append(Block(_OPENS[text], word.line, sure=False))
            if text in ("for", "select", "case"):
                self.header()
            if text == "case":
                self.pattern()
        elif text in _CLOSES:
            self.close(_CLOSES[text])
        elif text == "{":
            self.open("group", word.line)
        elif text == "function" and isinstance(name := self.ahead(), Word):
            self.defines = name.text
            self.place += 1
            self.over("(", ")", "\n")
        elif text == "[[":
            while (token := self.ahead()) is not None and not (isinstance(token, Word) and token.text == "]]"):
                self.place += 1
            self.place += 1
            self.words.append(_TEST)
        elif text not in _BETWEEN:
            self.words.append(word)

    def operator(self, token: Operator) -> None:
        text = token.text
        if text in REDIRECTIONS:
            self.redirect(text)
        elif text == "(" and len(self.words) == 1 and self.is_ahead(")"):
            self.defines = self.words.pop().text
            self.over(")", "\n")
        elif text == "(" and not self.words and self.is_ahead("("):
            self.words.append(_TEST)
            self.arithmetic()
        elif text == "(":
            self.open("subshell", token.line)
        else:
            self.flush(text)
            if text == ")":
                self.close("subshell")
            elif text in (";;", ";&", ";;&"):
                self.pattern()

    def ahead(self) -> Word | Operator | None:
        """The next token, None at the end."""
        return self.found[self.place] if self.place < len(self.found) else None

    def is_ahead(self, *operators: str) -> bool:
        token = self.ahead()
        return isinstance(token, Operator) and token.text in operators

    def over(self, *operators: str) -> None:
        while self.is_ahead(*operators):
            self.place += 1

    def header(self) -> None:
        """Over the names and values of a `for`, or the word of a `case`."""
        if self.is_ahead("("):
            self.place += 1
            self.arithmetic()
        while (token := self.ahead()) is not None:
            self.place += 1
            if isinstance(token, Operator):
                if token.text in ("\n", ";"):
                    break
            elif token.bare and token.text == "in" and self.blocks[-1].what == "case":
                break
            else:
                self.others.append(token)
        self.flush("\n")

    def pattern(self) -> None:
        """Over the pattern of a `case`, up to its `)`; not over `esac`."""
        place = self.place
        while (token := self.ahead()) is not None:
            if isinstance(token, Word) and token.bare and token.text == "esac":
                return
            self.place += 1
            if isinstance(token, Operator) and token.text == ")":
                return
        self.place = place

    def arithmetic(self) -> None:
        """Over the rest of `(( ... ))`, after the first bracket."""
        depth = 1
        while depth and (token := self.ahead()) is not None:
            depth += {"(": 1, ")": -1}.get(token.text, 0) if isinstance(token, Operator) else 0
            self.place += 1

    def redirect(self, operator: str) -> None:
        """Over the file of a redirection."""
        if isinstance(target := self.ahead(), Word):
            if ">" in operator and operator != ">&":
                self.writes.append(target.text)
            self.others.append(target)
            self.place += 1

    def open(self, what: str, line: int) -> None:
        what, name, self.defines = ("function", self.defines, "") if self.defines else (what, "", "")
        if what == "function":
            self.commands.append(Defined(name))
        self.blocks.append(Block(what, line, sure=what != "function" and not self.alternative, name=name))
        self.alternative = False

    def close(self, what: str) -> None:
        if self.blocks and (self.blocks[-1].what == what or (what in ("group", "subshell") and self.blocks[-1].what == "function")):
            self.blocks.pop()
            self.alternative = False

    def flush(self, operator: str) -> None:
        """The end of a simple command, and what its operator says of the next one."""
        words, others, writes = self.words, tuple(self.others), tuple(self.writes)
        self.words, self.others, self.writes = [], [], []
        if words or others:
            count = next((place for place, word in enumerate(words) if not _ASSIGNMENT.match(word.text)), len(words))
            self.commands.append(
                Simple(tuple(words[count:]), tuple(words[:count]), others, writes, self.uncertain(), alternative=self.alternative)
            )
        if operator == "||":
            self.alternative = True
        elif words and operator in ("\n", ";", "&", ";;"):  # after || and | a line may end, and the command goes on
            self.alternative = False

    def uncertain(self) -> Block | None:
        function = next((block for block in self.blocks if block.what == "function"), None)
        return function or next((block for block in reversed(self.blocks) if not block.sure), None)
