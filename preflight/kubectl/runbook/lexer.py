"""Shell scripts as words and operators: enough of the shell's grammar to know what is one command, and what is expanded in it.

Source: POSIX.1-2024, Shell Command Language, 2.2 (quoting), 2.3 (tokens), 2.6 (expansions), 2.7 (redirection); bash's `$'...'`, `<<<` and
`&>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

OPERATORS = (";;&", "&>>", "<<<", "<<-", "&&", "||", ";;", ";&", "|&", "&>", "<<", "<&", ">&", ">>", "<>", ">|", *";|&()<>\n")
REDIRECTIONS = frozenset(("<<<", "<<-", "<<", "<&", ">&", ">>", "<>", ">|", "<", ">", "&>", "&>>"))
_BRACES = re.compile(r"\{[^{}]*(,|\.\.)[^{}]*\}")
_PATTERN = re.compile(r"[*?]|\[[^\]]+\]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_QUOTED = "\0"


class UnterminatedScript(Exception):
    """A script that ends inside a quote or an expansion: where it starts, and what it is."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line, self.what = line, what


class ShellWord(Struct, frozen=True, gc=False):
    """A word without its quotes.

    1. `is_unquoted`: nothing in it is quoted or escaped, so that it may be one of the shell's own words.
    2. `read_expansion` is what the shell puts something else in the place of: `$NODE`, `$(...)`, a pattern of files; "" where nothing is.
    3. `substitutions` are the commands in `$(...)`, backquotes and `<(...)`, each with its line.
    """

    text: str
    line: int
    is_unquoted: bool = True
    expansion: str = ""
    substitutions: tuple[tuple[str, int], ...] = ()


class ShellOperator(Struct, frozen=True, gc=False):
    """An operator, or the end of a line; the descriptor that a redirection may have before it is dropped."""

    text: str
    line: int


def iter_tokens(text: str, line: int = 1) -> Iterator[ShellWord | ShellOperator]:
    """The words and operators of a script; comments, continued lines and the bodies of here documents are no tokens.

    Errors: Broken.
    """
    return _ShellLexer(text.replace("\r\n", "\n"), line).iter_tokens()


class _ShellLexer:
    def __init__(self, text: str, line: int) -> None:
        self.text, self.line, self.place = text, line, 0

    def iter_tokens(self) -> Iterator[ShellWord | ShellOperator]:
        waiting: list[tuple[str, bool]] = []
        heredoc = ""
        while self.place < len(self.text):
            if self.text.startswith("\\\n", self.place):
                self.skip(2)
            elif self.text[self.place] in " \t":
                self.skip(1)
            elif self.text[self.place] == "#":
                self.skip((self.text + "\n").index("\n", self.place) - self.place)
            elif operator := self.read_operator():
                line = self.line
                self.skip(len(operator))
                yield ShellOperator(operator, line)
                heredoc = operator if operator in ("<<", "<<-") else ""
                if operator == "\n":
                    for end, tabs in waiting:
                        self.skip_here_document(end, tabs)
                    waiting.clear()
            else:
                word = self.read_word()
                if heredoc:
                    waiting.append((word.text, heredoc == "<<-"))
                    heredoc = ""
                elif word.is_unquoted and word.text.isdigit() and self.text[self.place : self.place + 1] in ("<", ">"):
                    continue  # the descriptor that is redirected
                yield word

    def read_operator(self) -> str:
        """The operator at this place; `<(` and `>(` start a word."""
        if self.text.startswith(("<(", ">("), self.place):
            return ""
        return next((each for each in OPERATORS if self.text.startswith(each, self.place)), "")

    def skip(self, count: int) -> str:
        taken = self.text[self.place : self.place + count]
        self.line += taken.count("\n")
        self.place += count
        return taken

    def skip_here_document(self, end: str, tabs: bool) -> None:
        """Skip a here document up to the line that ends it."""
        while self.place < len(self.text):
            line = self.skip((self.text + "\n").index("\n", self.place) + 1 - self.place).removesuffix("\n")
            if (line.lstrip("\t") if tabs else line) == end:
                return

    def read_word(self) -> ShellWord:
        line, plain, bare = self.line, "", True
        text: list[str] = []
        expands: list[str] = []
        inner: list[tuple[str, int]] = []
        while self.place < len(self.text):
            letter = self.text[self.place]
            if letter in " \t" or (self.read_operator() and not self.text.startswith(("<(", ">("), self.place)):
                break
            if letter in "$`" or self.text.startswith(("<(", ">("), self.place):
                piece = self.read_expansion(expands, inner)
            elif letter == "\\":
                taken, bare = self.skip(2)[1:], False
                piece = "" if taken == "\n" else taken
                plain += _QUOTED * len(piece)
            elif letter == "'":
                piece, bare = self.read_single_quoted("'", line), False
                plain += _QUOTED * len(piece)
            elif letter == '"':
                piece, bare = self.read_double_quoted(expands, inner), False
                plain += _QUOTED * len(piece)
            else:
                piece = self.skip(1)
                plain += piece
            text.append(piece)
        word = "".join(text)
        if not expands and (_PATTERN.search(plain) or _BRACES.search(plain) or plain.startswith("~")):
            expands.append(word)
        return ShellWord(word, line, bare, expands[0] if expands else "", tuple(inner))

    def read_single_quoted(self, quote: str, line: int) -> str:
        """What stands in single quotes."""
        end = self.text.find(quote, self.place + 1)
        if end < 0:
            raise UnterminatedScript(line, "a quote is not closed")
        return self.skip(end + 1 - self.place)[1:-1]

    def read_double_quoted(self, expands: list[str], inner: list[tuple[str, int]]) -> str:
        """What stands in double quotes, where some things are expanded all the same."""
        line = self.line
        parts: list[str] = []
        self.skip(1)
        while self.place < len(self.text):
            letter = self.text[self.place]
            if letter == '"':
                self.skip(1)
                return "".join(parts)
            if letter == "\\":
                pair = self.skip(2)
                parts.append("" if pair == "\\\n" else pair[1:] if pair[1:] in ('"', "\\", "$", "`") else pair)
            elif letter in "$`":
                parts.append(self.read_expansion(expands, inner))
            else:
                parts.append(self.skip(1))
        raise UnterminatedScript(line, "a quote is not closed")

    def read_expansion(self, expands: list[str], inner: list[tuple[str, int]]) -> str:
        """A `$...`, backquotes or `<(...)`, as it is written; a `$` that starts nothing is itself."""
        line, start = self.line, self.place
        following = self.text[start + 1 : start + 2]
        if self.text[start] == "`":
            end = start + 1
            while end < len(self.text) and self.text[end] != "`":
                end += 2 if self.text[end] == "\\" else 1
            if end >= len(self.text):
                raise UnterminatedScript(line, "a backquote is not closed")
            piece = self.skip(end + 1 - start)
            inner.append((piece[1:-1].replace("\\`", "`"), line))
        elif following == "(":
            piece = self.skip(self.find_closing(start + 2, "(", ")", line) - start)
            if not piece.startswith("$(("):
                inner.append((piece[2:-1], line))
        elif following == "{":
            piece = self.skip(self.find_closing(start + 2, "{", "}", line) - start)
        elif following == "'":
            self.skip(1)
            piece = f"$'{self.read_single_quoted(chr(39), line)}'"
        elif name := _NAME.match(self.text, start + 1):
            piece = self.skip(name.end() - start)
        else:
            return self.skip(1)
        expands.append(piece if len(piece) <= 40 and "\n" not in piece else f"{piece[:2]}...{piece[-1]}")
        return piece

    def find_closing(self, start: int, opens: str, closes: str, line: int) -> int:
        """The place after the bracket that closes one, over brackets inside, quotes and escapes."""
        depth = 1
        while start < len(self.text):
            letter = self.text[start]
            if letter == "\\":
                start += 1
            elif letter in "'\"":
                end = start + 1
                while end < len(self.text) and self.text[end] != letter:
                    end += 2 if self.text[end] == "\\" and letter == '"' else 1
                start = end
            elif letter == opens:
                depth += 1
            elif letter == closes:
                depth -= 1
                if not depth:
                    return start + 1
            start += 1
        raise UnterminatedScript(line, f"a {opens} is not closed")
