"""`preflight completion SHELL`: the script that lets a shell complete command lines of preflight."""

from __future__ import annotations

from pathlib import Path

import click

from preflight.cli.documented_command import DocumentedCommand
from preflight.cli.streams import print_data

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", cls=DocumentedCommand)
@click.argument("shell", type=click.Choice(SHELLS), metavar="bash|zsh|fish")
def command(shell: str) -> int:
    """Print the script."""
    print_data((Path(__file__).parent / "complete" / "scripts" / f"preflight.{shell}").read_bytes())
    return 0
