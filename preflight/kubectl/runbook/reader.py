"""Shell scripts as plans: their kubectl lines, in order, through the one grammar; and what is not understood, by its line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from preflight.errors import UsageError
from preflight.kubectl.commands import ApplyFiles, Command, DeleteFiles, Patch
from preflight.kubectl.parser import parse
from preflight.kubectl.runbook.blocks import Block, Defined, Simple, simple_commands
from preflight.kubectl.runbook.classify import Does, Meaning, meaning
from preflight.kubectl.runbook.lexer import Broken, Operator, Word, tokens

_WRITERS = ("tee", "cp", "mv", "sed")
_WHERE = ("context", "cluster", "kubeconfig", "server")
_SHOWN = 100
_SECRET = frozenset(("--token", "--password", "--docker-password", "--from-literal"))
"""Flags of kubectl whose value may be a secret."""
_DEPTH = 5


class Line(Struct, frozen=True):
    """A line that is judged; `after` is the first line before it that was not understood, 0 where all were."""

    command: Command
    line: int
    after: int = 0


class Unread(Struct, frozen=True):
    """A line that is not understood, what stands there, and why."""

    line: int
    text: str
    why: str


class Script(Struct, frozen=True):
    """A script as far as it was understood.

    `reads` counts the commands that only ask the cluster; `ends` is the line of an `exit` that surely runs, 0 where there is none.
    `context` is the one that it chooses before its first line, "" where it chooses none.
    """

    lines: tuple[Line, ...] = ()
    unread: tuple[Unread, ...] = ()
    reads: int = 0
    ends: int = 0
    context: str = ""


def read_script(text: str) -> Script:
    """Read a shell script.

    1. Commands that surely run, one after the other, are judged: on lines of their own, with `;` and `&&`, in `{ }` and `( )`. A line that
       goes on after a backslash, quotes and comments are the shell's; `sudo kubectl` and `oc` are kubectl.
    2. What only asks the cluster, or has nothing to do with it, is left out; the former is counted.
    3. All else is not understood, and never guessed: variables and patterns, what stands in loops, conditions, functions and after `||`,
       what `xargs`, a pipe or a here document gives, other programs, a line that the grammar refuses, a second cluster.
    4. Files that the script writes itself, and relative ones after a `cd`, are not known.
    5. After an `exit` that surely runs nothing is read.
    """
    reader = _Reader({}, 0)
    reader.read(text, 1)
    return Script(tuple(reader.lines), tuple(reader.unread), reader.reads, reader.ends, reader.context)


class _Reader:
    """`functions` are those defined so far: the line of what they change, 0 where they change nothing."""

    def __init__(self, functions: dict[str, int], depth: int) -> None:
        self.functions = functions
        self.depth = depth
        self.lines: list[Line] = []
        self.unread: list[Unread] = []
        self.reads = self.ends = self.moved = 0
        self.context = ""
        self.context = ""
        self.written: set[str] = set()

    def read(self, text: str, line: int) -> None:
        """Read all of a text; a quote that is never closed hides what follows it."""
        found: list[Word | Operator] = []
        broken: Broken | None = None
        try:
            for token in tokens(text, line):
                found.append(token)  # noqa: PERF402 (what was read before the fault counts)
        except Broken as error:
            broken = error
            while found and not (isinstance(last := found[-1], Operator) and last.text == "\n"):
                found.pop()  # the line that breaks off
        for command in simple_commands(found):
            if self.ends:
                return
            if isinstance(command, Defined):
                self.functions.setdefault(command.name, 0)
            else:
                self.take(command)
        if broken is not None:
            self.unread.append(Unread(broken.line, "", f"{broken.what}: nothing is read from here on"))

    def take(self, simple: Simple) -> None:
        for word in (*simple.assigned, *simple.words, *simple.others):
            for text, line in word.inner:
                self.substituted(self.within(text, line), simple.block)
        if simple.words:
            self.command(simple, meaning(simple.words, follow=self.follow, functions=self.functions))
        self.written.update(simple.writes)

    def command(self, simple: Simple, found: Meaning) -> None:
        words, block = simple.words, simple.block
        line = words[0].line
        if found.does is Does.READS:
            self.reads += 1
        elif found.does is Does.ENDS:
            self.ends = line if block is None and not simple.alternative else 0
        elif found.does is Does.MOVES:
            self.moved = self.moved or line
        elif found.does is Does.NOTHING:
            self.written.update(word.text for word in words[1:] if words[0].text in _WRITERS)
        elif block is not None and block.what == "function":
            self.functions[block.name] = self.functions[block.name] or block.line
        elif found.does is Does.SWITCHES and not self.lines and block is None:
            self.reads += 1  # the first cluster is the one that is judged
            self.context = words[-1].text
        else:
            why = found.why or (f"it runs inside a {block.what} of line {block.line}" if block is not None else "")
            why = why or ("it runs only where the command before || fails" if simple.alternative else "")
            self.judge([*_configured(simple), *found.argv], line, _shown(words, found.does), why)

    def judge(self, argv: Sequence[str], line: int, shown: str, why: str) -> None:
        command = None
        if not why:
            try:
                command = parse(argv)
                why = self.refusal(command, argv)
            except UsageError as error:
                why = str(error).partition("\n")[0]
        if why or command is None:
            self.unread.append(Unread(line, shown, why))
        else:
            self.lines.append(Line(command, line, self.unread[0].line if self.unread else 0))

    def refusal(self, command: Command, argv: Sequence[str]) -> str:
        """Why a command cannot be judged here though it is well formed; "" where it can."""
        context = " ".join(each for name in _WHERE for each in _values(argv, name))
        if context and self.context and context != self.context:
            return f"it is about {context}, and lines before about {self.context}: one cluster is judged"
        self.context = self.context or context
        if isinstance(command, ApplyFiles | DeleteFiles | Patch):
            for file in (command.file,) if isinstance(command, Patch) and command.file else getattr(command, "files", ()):
                if file in self.written:
                    return f"the script itself writes {file}"
                if self.moved and not file.startswith("/"):
                    return f"after the cd of line {self.moved} nobody knows which {file} is meant"
        return ""

    def substituted(self, inner: _Reader, block: Block | None) -> None:
        """What stands in `$(...)`: it may read; a change there is not understood."""
        self.reads += inner.reads
        for change in inner.changes():
            if block is not None and block.what == "function":
                self.functions[block.name] = self.functions[block.name] or block.line
            else:
                self.unread.append(Unread(change.line, change.text, change.why or "it runs inside $(...)"))

    def within(self, text: str, line: int) -> _Reader:
        inner = _Reader(self.functions, self.depth + 1)
        if self.depth < _DEPTH:
            inner.read(text, line)
        else:
            inner.unread.append(Unread(line, "", "it is nested too deep"))
        return inner

    def follow(self, text: str, line: int) -> bool:
        """Whether a text, run as a script, changes something or may do so."""
        return bool(self.within(text, line).changes())

    def changes(self) -> list[Unread]:
        """Everything that is or may be a change."""
        return sorted((*self.unread, *(Unread(each.line, each.command.text, "") for each in self.lines)), key=lambda each: each.line)


def _shown(words: Sequence[Word], does: Does) -> str:
    """A command as it is shown: of another program only its name, and of flags that may hold a secret no value."""
    if does is Does.OTHER:
        return words[0].text.partition("\n")[0][:_SHOWN] + (" ..." if len(words) > 1 else "")
    told = [words[0].text]
    for before, word in pairwise(words):
        flag, _, value = word.text.partition("=")
        hidden = f"{flag}=..." if value and flag in _SECRET else word.text
        told.append("..." if before.text in _SECRET else hidden)
    text = " ".join(told)
    return text if len(text) <= _SHOWN and "\n" not in text else f"{text.partition(chr(10))[0][:_SHOWN]}..."


def _configured(simple: Simple) -> list[str]:
    """The flag that an assignment of KUBECONFIG before a command stands for."""
    files = [word.text.partition("=")[2] for word in simple.assigned if word.text.startswith("KUBECONFIG=")]
    return ["--kubeconfig", files[-1]] if files else []


def _values(argv: Sequence[str], name: str) -> list[str]:
    """The values of a flag that says where the cluster is, with its name."""
    apart = (value for flag, value in pairwise(argv) if flag == f"--{name}")
    joined = (text.partition("=")[2] for text in argv if text.startswith(f"--{name}="))
    return [f"{name} {value}" for value in (*apart, *joined)]
