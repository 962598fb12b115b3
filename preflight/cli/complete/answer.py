"""The answer to a shell or to kubectl: the candidates, one a line, and a last line `:N` that says how to take them.

Source: kubectl `pkg/cmd/plugin/plugin_completion.go` (the protocol between kubectl and a plugin), cobra `shell_completions.md`.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from enum import IntFlag

from click import Context, Group, Option
from click.shell_completion import CompletionItem, split_arg_string

from preflight.cli.complete.command_line import CommandLine, parse_command_line
from preflight.cli.complete.names import NameKind, Names, find_source
from preflight.cli.streams import print_data
from preflight.inert_text import make_inert

LIMIT = 0.3
"""How many seconds an answer may take, from the start of the process."""

_RESERVE = 0.03
"""How many of them the end of the process needs."""


class Directive(IntFlag):
    """How the shell takes the candidates: cobra's ShellCompDirective, as far as it is used."""

    DEFAULT = 0
    ERROR = 1
    NO_SPACE = 2
    NO_FILES = 4
    KEEP_ORDER = 32


_FAULT = f":{int(Directive.ERROR | Directive.NO_FILES)}\n"


def answer_words(words: Sequence[str]) -> str:
    """The answer for the words behind the program's name, of which the last is at the cursor.

    1. A candidate is `value` or `value<Tab>description`. Behind `--flag=` it is the value alone: the shell keeps the rest.
    2. A fault, whatever it is, is no candidate and a directive that says so: nothing is ever printed on standard error.
    """
    try:
        line = parse_command_line(words)
        return _format(_complete(line), line.prefix, "")
    except Exception:
        return _FAULT


def answer_bash(text: str, word_breaks: str) -> str:
    """The answer for a line of bash up to the cursor.

    bash replaces only what is behind the last of its word breaks in a word, so that a candidate is what stands there. `word_breaks` is
    "" in a quoted word, which has none.
    """
    try:
        words = split_arg_string(f"{text}x")  # so that a blank at the end begins a word
        typed = words[-1][:-1]
        line = parse_command_line([*words[1:-1], typed])
        return _format(_complete(line), typed.removesuffix(line.word), typed[: _count_kept(typed, word_breaks)])
    except Exception:
        return _FAULT


def _count_kept(typed: str, word_breaks: str) -> int:
    """How much of a word bash keeps: all up to the last break, but `@` belongs to what it replaces (readline's `rl_special_prefixes`)."""
    ends = (typed.rfind(character) + (character != "@") for character in word_breaks if character in typed and character not in "\"' \t\n")
    return max(ends, default=0)


def _complete(line: CommandLine) -> list[CompletionItem]:
    from preflight.cli.complete.candidates import list_candidates
    from preflight.cli.main import COMMANDS, VERBS

    return list_candidates(line, {**VERBS, **COMMANDS}, list_options, _read_names)


def list_options(verb: str) -> list[Option]:
    """The options of a command; none for one that is unknown."""
    from preflight.cli.main import cli

    context = cli.make_context("preflight", [], resilient_parsing=True)
    for word in verb.split():
        command = context.command.get_command(context, word) if isinstance(context.command, Group) else context.command
        if command is None:
            return []
        context = Context(command, context, word)
    return [param for param in context.command.get_params(context) if isinstance(param, Option)]


def _read_names(line: CommandLine, kind: NameKind) -> Names:
    from preflight.cli.complete.background import get_names

    source = find_source(line, kind)
    return get_names(source, LIMIT - _RESERVE - measure_age()) if source is not None else Names()


def measure_age() -> float:
    """How many seconds ago this process started: by Linux's account of it, elsewhere at least the time that it has computed."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        with open("/proc/self/stat", encoding="ascii", errors="replace") as file:  # noqa: PTH123
            ticks = int(file.read().rpartition(")")[2].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    return time.process_time()


def _format(items: Sequence[CompletionItem], prefix: str, kept: str) -> str:
    """The lines of an answer: `prefix` stands before each value, and `kept` is what the shell keeps of that."""
    values = [item for item in items if item.type != "file"]
    directive = Directive.KEEP_ORDER | (Directive.NO_FILES if len(values) == len(items) else Directive.DEFAULT)
    if any(item.value.endswith(("/", ":", "=")) for item in values):
        directive |= Directive.NO_SPACE
    lines = [_format_item(item, prefix, kept) for item in values]
    return "".join(f"{text}\n" for text in [*lines, f":{int(directive)}"])


def _format_item(item: CompletionItem, prefix: str, kept: str) -> str:
    """One candidate in one line."""
    value = f"{prefix}{item.value}".removeprefix(kept)
    text = make_inert(" ".join((item.help or "").split()))
    return f"{value}\t{text}" if text else value


def print_answer(text: str) -> None:
    """Print an answer; a shell that no longer listens is no fault."""
    with contextlib.suppress(BrokenPipeError):
        print_data(text.encode("utf-8", "surrogateescape"))
