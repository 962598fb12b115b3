"""Compound commands of a shell script taken apart: its simple commands in order, each with what is known of whether it runs.

Source: POSIX.1-2024, Shell Command Language, 2.9 (commands) and 2.4 (reserved words); bash's `[[ ]]`, `(( ))`, `function` and `select`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from preflight.kubectl.runbook.lexer import REDIRECTIONS, ShellOperator, ShellWord

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])?\+?=")
_OPENS = {"if": "condition", "for": "loop", "select": "loop", "while": "loop", "until": "loop", "case": "case"}
_CLOSES = {"fi": "condition", "done": "loop", "esac": "case", "}": "group"}
_BETWEEN = ("then", "else", "elif", "do", "!", "time", "coproc")
_TEST = ShellWord("[[", 0)

_Tokens = Sequence[ShellWord | ShellOperator]


class CompoundCommand(Struct):
    """A compound command: what it is, where it starts, whether it surely runs, once; `name` of a function."""

    kind: str
    line: int
    is_certain: bool = True
    name: str = ""


class SimpleCommand(Struct, frozen=True):
    """A simple command.

    1. `words` are the program and its arguments, `assignments` the assignments before it; both are empty where only `other_words` count.
    2. `other_words` are words whose commands in `$(...)` run too: files of redirections, values of a `for`. `written_files` are the files
       it writes.
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


def split_simple_commands(script_tokens: _Tokens) -> list[SimpleCommand | FunctionDefinition]:
    """The simple commands of a script, in order; what is not well formed is read as far as it can be."""
    reader = _BlockReader(script_tokens)
    reader.read_token()
    return reader.commands


class _BlockReader:
    def __init__(self, script_tokens: _Tokens) -> None:
        self.found, self.place = script_tokens, 0
        self.commands: list[SimpleCommand | FunctionDefinition] = []
        self.blocks: list[CompoundCommand] = []
        self.words: list[ShellWord] = []
        self.others: list[ShellWord] = []
        self.writes: list[str] = []
        self.alternative = False
        self.defines = ""

    def read_token(self) -> None:
        while self.place < len(self.found):
            token = self.found[self.place]
            self.place += 1
            if isinstance(token, ShellOperator):
                self.read_operator(token)
            elif self.words or not token.is_unquoted:
                self.words.append(token)
            else:
                self.start_command(token)
        self.finish_command("\n")

    def start_command(self, word: ShellWord) -> None:
        """The first word of a command: one of the shell's own, or a program."""
        text = word.text
        if text in _OPENS:
            self.blocks.append(CompoundCommand(_OPENS[text], word.line, is_certain=False))
            if text in ("for", "select", "case"):
                self.skip_header()
            if text == "case":
                self.skip_pattern()
        elif text in _CLOSES:
            self.close_block(_CLOSES[text])
        elif text == "{":
            self.open_block("group", word.line)
        elif text == "function" and isinstance(name := self.peek(), ShellWord):
            self.defines = name.text
            self.place += 1
            self.skip_next("(", ")", "\n")
        elif text == "[[":
            while (token := self.peek()) is not None and not (isinstance(token, ShellWord) and token.text == "]]"):
                self.place += 1
            self.place += 1
            self.words.append(_TEST)
        elif text not in _BETWEEN:
            self.words.append(word)

    def read_operator(self, token: ShellOperator) -> None:
        text = token.text
        if text in REDIRECTIONS:
            self.read_redirection(text)
        elif text == "(" and len(self.words) == 1 and self.is_next(")"):
            self.defines = self.words.pop().text
            self.skip_next(")", "\n")
        elif text == "(" and not self.words and self.is_next("("):
            self.words.append(_TEST)
            self.skip_arithmetic()
        elif text == "(":
            self.open_block("subshell", token.line)
        else:
            self.finish_command(text)
            if text == ")":
                self.close_block("subshell")
            elif text in (";;", ";&", ";;&"):
                self.skip_pattern()

    def peek(self) -> ShellWord | ShellOperator | None:
        """The next token, None at the end."""
        return self.found[self.place] if self.place < len(self.found) else None

    def is_next(self, *operators: str) -> bool:
        token = self.peek()
        return isinstance(token, ShellOperator) and token.text in operators

    def skip_next(self, *operators: str) -> None:
        while self.is_next(*operators):
            self.place += 1

    def skip_header(self) -> None:
        """Over the names and values of a `for`, or the word of a `case`."""
        if self.is_next("("):
            self.place += 1
            self.skip_arithmetic()
        while (token := self.peek()) is not None:
            self.place += 1
            if isinstance(token, ShellOperator):
                if token.text in ("\n", ";"):
                    break
            elif token.is_unquoted and token.text == "in" and self.blocks[-1].kind == "case":
                break
            else:
                self.others.append(token)
        self.finish_command("\n")

    def skip_pattern(self) -> None:
        """Over the pattern of a `case`, up to its `)`; not over `esac`."""
        place = self.place
        while (token := self.peek()) is not None:
            if isinstance(token, ShellWord) and token.is_unquoted and token.text == "esac":
                return
            self.place += 1
            if isinstance(token, ShellOperator) and token.text == ")":
                return
        self.place = place

    def skip_arithmetic(self) -> None:
        """Over the rest of `(( ... ))`, after the first bracket."""
        depth = 1
        while depth and (token := self.peek()) is not None:
            depth += {"(": 1, ")": -1}.get(token.text, 0) if isinstance(token, ShellOperator) else 0
            self.place += 1

    def read_redirection(self, operator: str) -> None:
        """Over the file of a redirection."""
        if isinstance(target := self.peek(), ShellWord):
            if ">" in operator and operator != ">&":
                self.writes.append(target.text)
            self.others.append(target)
            self.place += 1

    def open_block(self, kind: str, line: int) -> None:
        kind, name, self.defines = ("function", self.defines, "") if self.defines else (kind, "", "")
        if kind == "function":
            self.commands.append(FunctionDefinition(name))
        self.blocks.append(CompoundCommand(kind, line, is_certain=kind != "function" and not self.alternative, name=name))
        self.alternative = False

    def close_block(self, kind: str) -> None:
        if self.blocks and (self.blocks[-1].kind == kind or (kind in ("group", "subshell") and self.blocks[-1].kind == "function")):
            self.blocks.pop()
            self.alternative = False

    def finish_command(self, operator: str) -> None:
        """The end of a simple command, and what its operator says of the next one."""
        words, others, writes = self.words, tuple(self.others), tuple(self.writes)
        self.words, self.others, self.writes = [], [], []
        if words or others:
            count = next((place for place, word in enumerate(words) if not _ASSIGNMENT.match(word.text)), len(words))
            self.commands.append(
                SimpleCommand(
                    tuple(words[count:]), tuple(words[:count]), others, writes, self.find_uncertain_block(), is_alternative=self.alternative
                )
            )
        if operator == "||":
            self.alternative = True
        elif words and operator in ("\n", ";", "&", ";;"):  # after || and | a line may end, and the command goes on
            self.alternative = False

    def find_uncertain_block(self) -> CompoundCommand | None:
        function = next((block for block in self.blocks if block.kind == "function"), None)
        return function or next((block for block in reversed(self.blocks) if not block.is_certain), None)
