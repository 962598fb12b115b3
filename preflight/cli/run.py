"""One run of the program: what it keeps until its end, and whether what it prints is colored."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING, TextIO

import click

from preflight.cli.streams import print_rendered
from preflight.inert_text import make_inert

if TYPE_CHECKING:
    from preflight.report.terminal import StreamKind

_CHOICES = ("auto", "always", "never")
_COLOR_HELP = "When to use colors. Default: auto (on a terminal, and in the logs of GitHub and GitLab)."


class Run:
    """The state of a run, as `obj` of every click context: `alive` is kept until the process ends, `color` is what `--color` says."""

    def __init__(self) -> None:
        self.alive: list[object] = []
        self.color = "auto"

    def uses_color(self, stream: TextIO) -> bool:
        """Whether text for standard output or standard error is colored."""
        from preflight.report.terminal import ColorChoice, decide_color

        return decide_color(ColorChoice(self.color), _classify_stream(stream), os.environ)

    def print_error(self, line: str) -> None:
        """Print a line of an error on standard error, its label `error:` colored."""
        from preflight.report.terminal import Ink

        label = "error:" if line.startswith("error: ") else ""
        print_rendered(f"{Ink(self.uses_color(sys.stderr))(label, 'error')}{make_inert(line.removeprefix(label))}\n", err=True)


def get_run() -> Run:
    """The run of the current click context; one of its own where a command is called without `main`."""
    context = click.get_current_context(silent=True)
    run = context.find_object(Run) if context is not None else None
    return run or Run()


def add_color_option(command: click.Command) -> click.Command:
    """The command with `--color`, and all commands below it; a command that has it already stays as it is."""
    for subcommand in command.commands.values() if isinstance(command, click.Group) else ():
        add_color_option(subcommand)
    if not any("--color" in param.opts for param in command.params):
        command.params.append(_make_color_option())
    return command


def _make_color_option() -> click.Option:
    return click.Option(
        ["--color"],
        type=click.Choice(_CHOICES),
        help=_COLOR_HELP,
        metavar="|".join(_CHOICES),
        expose_value=False,
        is_eager=True,
        callback=_set_color,
    )


def _set_color(context: click.Context, option: click.Parameter, value: str | None) -> None:
    del option
    run = context.find_object(Run)
    if run is not None and value is not None:
        run.color = value


def _classify_stream(stream: TextIO) -> StreamKind:
    from preflight.report.terminal import StreamKind

    if stream.isatty():
        return StreamKind.TERMINAL
    try:
        is_file = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):  # what stands in for a stream has no descriptor
        is_file = False
    return StreamKind.FILE if is_file else StreamKind.PIPE
