"""A plan: the commands to analyze, and what else its file says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, BinaryIO

from msgspec import Struct

from preflight import load
from preflight.kubectl.commands import Command, FileArgument
from preflight.kubectl.plan_file import parse_plan

if TYPE_CHECKING:
    from preflight.kubectl.runbook.reader import RunbookScript
    from preflight.load.pools import PoolDeclaration


class Plan(Struct, frozen=True):
    """Commands in their order.

    1. `title` is what the report calls them. `file` is the file that their paths are relative to, "" for the current folder.
    2. `script` is the shell script that they come from, None for any other plan.
    3. `one_time_contents` has what was read of standard input and of pipes that the commands name.
    """

    commands: tuple[Command, ...]
    title: str
    file: str = ""
    script: RunbookScript | None = None
    one_time_contents: dict[str, bytes] = {}

    def read_objects(self, argument: FileArgument, stdin: BinaryIO | None = None, pools: Sequence[PoolDeclaration] = ()) -> load.LoadResult:
        """What a path of `-f` holds; `pools` are declared elsewhere. Errors: InputError where kubectl would refuse it."""
        return load.read_objects(argument.path, self.file, stdin=stdin, depth=argument.depth, pools=pools, earlier=self.one_time_contents)


def make_plan(commands: Sequence[Command | str | Sequence[str]]) -> Plan:
    """A plan of commands: parsed ones, lines as a person types them, or lists of arguments.

    Errors: UsageError for a line that is no command; InputError where there is none.
    """
    lines = [command for command in commands if not isinstance(command, Command)]
    parsed = iter(parse_plan(lines) if lines or not commands else ())
    steps = tuple(command if isinstance(command, Command) else next(parsed) for command in commands)
    return Plan(steps, "; ".join(step.text for step in steps))


def read_plan_file(path: str) -> Plan:
    """Read a plan: a file with a list of command lines, or a shell script. Errors: InputError, UsageError."""
    contents: dict[str, bytes] = {}
    text = load.read_script(path, contents)
    if text is not None:
        from preflight.kubectl.runbook.reader import read_script

        script = read_script(text)
        return Plan(tuple(line.command for line in script.commands), f"plan {path}", path, script)
    return Plan(tuple(read_plan_lines(path, contents)), f"plan {path}", path)


def read_plan_lines(path: str, earlier: dict[str, bytes] | None = None) -> list[Command]:
    """The commands of a file with a list of command lines. Errors: InputError, UsageError."""
    steps = load.read_plan(path, earlier=earlier)
    return parse_plan([item for _, item in steps], [f"{origin.file}:{origin.line}" for origin, _ in steps])
