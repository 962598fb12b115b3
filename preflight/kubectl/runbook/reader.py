"""Shell scripts as plans: their kubectl lines, in order, through the one grammar; and what is not understood, by its line."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from preflight.errors import UsageError
from preflight.kubectl.commands import ApplyFiles, Command, DeleteFiles, PatchObjects
from preflight.kubectl.parser import mask_address, parse_command
from preflight.kubectl.runbook.classify import CommandAnalysis, CommandEffect, classify_command
from preflight.kubectl.runbook.statements import (
    BlockKind,
    CompoundCommand,
    FunctionDefinition,
    NestedTooDeep,
    SimpleCommand,
    iter_simple_commands,
)
from preflight.kubectl.runbook.syntax import parse_script
from preflight.kubectl.runbook.words import ShellWord
from preflight.messages import runbook as messages

_WRITERS = ("tee", "cp", "mv", "sed")
_IN_PLACE = ("-i", "-Ei", "-ri", "-ni", "--in-place")
"""The flags of sed that make it write."""
_WHERE = ("context", "cluster", "kubeconfig", "server")
_SHOWN = 100
_SECRET = frozenset(("--token", "--password", "--docker-password", "--from-literal", "--server", "-s", "--proxy-url"))
"""Flags of kubectl whose value may be a secret."""
_DEPTH = 5
_PATTERN = re.compile(r"[*?\[]")
"""Where a pattern that kubectl expands itself begins."""


class ScriptCommand(Struct, frozen=True):
    """A line that is judged; `follows_unread` is the first line before it that was not understood, 0 where all were."""

    command: Command
    line: int
    follows_unread: int = 0


class UnanalyzedLine(Struct, frozen=True):
    """A line that is not understood, what stands there, and why."""

    line: int
    text: str
    why: str


class RunbookScript(Struct, frozen=True):
    """A script as far as it was understood.

    `read_count` counts the commands that only ask the cluster; `exit_line` is the line of an `exit` that surely runs, 0 where there is
    none. `context` is the one that it chooses before its first line, "" where it chooses none.
    """

    commands: tuple[ScriptCommand, ...] = ()
    unanalyzed: tuple[UnanalyzedLine, ...] = ()
    read_count: int = 0
    exit_line: int = 0
    context: str = ""


def read_script(text: str) -> RunbookScript:
    """Read a shell script.

    1. Commands that surely run, one after the other, are judged: on lines of their own, with `;` and `&&`, in `{ }` and `( )`. A line that
       goes on after a backslash, quotes and comments are the shell's; `sudo kubectl` and `oc` are kubectl.
    2. What only asks the cluster, or has nothing to do with it, is left out; the former is counted.
    3. All else is not understood, and never guessed: variables and patterns, what stands in loops, conditions, functions and after `||`,
       what `xargs`, a pipe or a here document gives, other programs, a line that the grammar refuses, a second cluster.
    4. Files that the script writes itself, and relative ones after a `cd`, are not known.
    5. After an `exit` that surely runs nothing is read.
    """
    reader = _ScriptReader({}, 0)
    reader.read(text, 1)
    return RunbookScript(tuple(reader.lines), tuple(reader.unread), reader.reads, reader.ends, reader.context)


class _ScriptReader:
    """`functions` are those defined so far: the line of what they change, 0 where they change nothing."""

    def __init__(self, functions: dict[str, int], depth: int) -> None:
        self.functions = functions
        self.depth = depth
        self.lines: list[ScriptCommand] = []
        self.unread: list[UnanalyzedLine] = []
        self.reads = self.ends = self.moved = 0
        self.context = ""
        self.written: set[str] = set()

    def read(self, text: str, line: int) -> None:
        """Read a text up to its first fault."""
        tree = parse_script(text)
        try:
            for command in iter_simple_commands(tree, line):
                if self.ends:
                    return
                if isinstance(command, FunctionDefinition):
                    self.functions.setdefault(command.name, 0)
                else:
                    self.take_command(command)
        except NestedTooDeep as error:
            self.unread.append(UnanalyzedLine(error.line, "", messages.stop_reading(messages.TOO_DEEP)))
            return
        if tree.fault is not None:
            self.unread.append(UnanalyzedLine(line + tree.fault.row, "", messages.stop_reading(tree.fault.reason)))

    def take_command(self, simple: SimpleCommand) -> None:
        for word in (*simple.assignments, *simple.words, *simple.other_words):
            for text, line in word.substitutions:
                self.take_substitution(self.read_nested(text, line), simple.block)
        if simple.words:
            self.handle_command(simple, classify_command(simple.words, may_change=self.may_change, functions=self.functions))
        self.written.update(simple.written_files)

    def handle_command(self, simple: SimpleCommand, analysis: CommandAnalysis) -> None:
        words, block = simple.words, simple.block
        line = words[0].line
        if analysis.effect is CommandEffect.READS:
            self.reads += 1
        elif analysis.effect is CommandEffect.EXITS:
            self.ends = line if block is None and not simple.is_alternative else 0
        elif analysis.effect is CommandEffect.CHANGES_DIRECTORY:
            self.moved = self.moved or line
        elif analysis.effect is CommandEffect.NOTHING:
            if words[0].text in _WRITERS and (words[0].text != "sed" or any(word.text.startswith(_IN_PLACE) for word in words)):
                self.written.update(word.text for word in words[1:] if not word.text.startswith("-"))
        elif block is not None and block.kind is BlockKind.FUNCTION:
            self.functions[block.name] = self.functions[block.name] or block.line
        elif analysis.effect is CommandEffect.SWITCHES_CLUSTER and not self.lines and block is None:
            self.reads += 1  # the first cluster is the one that is judged
            self.context = words[-1].text
        else:
            why = analysis.reason or (messages.describe_block(block.kind.value, block.line) if block is not None else "")
            why = why or (messages.ONLY_ON_FAILURE if simple.is_alternative else "")
            self.add_command([*_kubeconfig_flag(simple), *analysis.argv], line, _format_command(words, analysis.effect), why)

    def add_command(self, argv: Sequence[str], line: int, shown: str, prior_reason: str) -> None:
        command = None
        if not prior_reason:
            try:
                command = parse_command(argv)
                prior_reason = self.explain_refusal(command, argv)
            except UsageError as error:
                prior_reason = str(error).partition("\n")[0]
        if prior_reason or command is None:
            self.unread.append(UnanalyzedLine(line, shown, prior_reason))
        else:
            self.lines.append(ScriptCommand(command, line, self.unread[0].line if self.unread else 0))

    def explain_refusal(self, command: Command, argv: Sequence[str]) -> str:
        """Why a command cannot be judged here though it is well formed; "" where it can."""
        context = " ".join(cluster_flag_value for name in _WHERE for cluster_flag_value in _cluster_flag_values(argv, name))
        if context and self.context and context != self.context:
            return messages.describe_second_cluster(context, self.context)
        self.context = self.context or context
        if isinstance(command, ApplyFiles | DeleteFiles | PatchObjects):
            for file in (command.file,) if isinstance(command, PatchObjects) and command.file else getattr(command, "files", ()):
                if file == "-":
                    return messages.READS_STDIN
                written = next((path for path in sorted(self.written) if _may_be_same_file(file, path)), "")
                if written:
                    return messages.describe_written_file(written)
                if self.moved and not file.startswith("/"):
                    return messages.describe_unknown_folder(self.moved, file)
        return ""

    def take_substitution(self, inner: _ScriptReader, block: CompoundCommand | None) -> None:
        """What stands in `$(...)`: it may read; a change there is not understood."""
        self.reads += inner.reads
        for change in inner.list_changes():
            if block is not None and block.kind is BlockKind.FUNCTION:
                self.functions[block.name] = self.functions[block.name] or block.line
            else:
                self.unread.append(UnanalyzedLine(change.line, change.text, change.why or messages.IN_SUBSTITUTION))

    def read_nested(self, text: str, line: int) -> _ScriptReader:
        inner = _ScriptReader(self.functions, self.depth + 1)
        if self.depth < _DEPTH:
            inner.read(text, line)
        else:
            inner.unread.append(UnanalyzedLine(line, "", messages.TOO_DEEP))
        return inner

    def may_change(self, text: str, line: int) -> bool:
        """Whether a text, run as a script, changes something or may do so."""
        return bool(self.read_nested(text, line).list_changes())

    def list_changes(self) -> list[UnanalyzedLine]:
        """Everything that is or may be a change."""
        return sorted(
            (*self.unread, *(UnanalyzedLine(line.line, line.command.text, "") for line in self.lines)), key=lambda change: change.line
        )


def _format_command(words: Sequence[ShellWord], does: CommandEffect) -> str:
    """A command as it is shown: of another program only its name, and of flags that may hold a secret no value."""
    if does is CommandEffect.OTHER_PROGRAM:
        return words[0].text.partition("\n")[0][:_SHOWN] + (" ..." if len(words) > 1 else "")
    told = [words[0].text]
    for before, word in pairwise(words):
        flag, _, value = word.text.partition("=")
        hidden = f"{flag}=..." if value and flag in _SECRET else word.text
        told.append("..." if before.text in _SECRET else hidden)
    text = " ".join(told)
    return text if len(text) <= _SHOWN and "\n" not in text else f"{text.partition(chr(10))[0][:_SHOWN]}..."


def _may_be_same_file(named: str, written: str) -> bool:
    """Whether what a script writes may be what `-f` names: the same path, one that is in the other, or one that a pattern may match."""
    named, written = posixpath.normpath(named), posixpath.normpath(written)
    pattern = _PATTERN.search(named)
    folder = posixpath.dirname(named[: pattern.start()]) or "." if pattern else named
    return written == named or _is_below(written, folder) or _is_below(named, written)


def _is_below(path: str, folder: str) -> bool:
    if folder == ".":
        return not path.startswith(("/", "../"))
    return path.startswith(f"{folder.rstrip('/')}/")


def _kubeconfig_flag(simple: SimpleCommand) -> list[str]:
    """The flag that an assignment of KUBECONFIG before a command stands for."""
    files = [word.text.partition("=")[2] for word in simple.assignments if word.text.startswith("KUBECONFIG=")]
    return ["--kubeconfig", files[-1]] if files else []


def _cluster_flag_values(argv: Sequence[str], name: str) -> list[str]:
    """The values of a flag that says where the cluster is, with its name."""
    apart = (value for flag, value in pairwise(argv) if flag == f"--{name}")
    joined = (text.partition("=")[2] for text in argv if text.startswith(f"--{name}="))
    return [f"{name} {mask_address(value) if name == 'server' else value}" for value in (*apart, *joined)]
