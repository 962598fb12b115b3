"""`preflight lint [PATH...]`: what is there, without a change."""

from __future__ import annotations

import sys
from typing import Any

import click

from preflight.cli.options import options, shared
from preflight.cli.output import finish, formats
from preflight.engine import Run


@click.command("lint")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--from", "sources", multiple=True, metavar="PATH", help="The world around PATH: it gets no findings. Repeatable.")
@click.option("--strict", is_flag=True, help="A pair that cannot be judged makes the exit code 3.")
@shared
def command(paths: tuple[str, ...], sources: tuple[str, ...], **given: Any) -> int:
    """What is wrong today: hygiene of tolerations, and coverage if nodes are known. No PATH is the folder of now."""
    formats(given["outputs"])
    judged = Run.of_lint(paths or (".",), sources, options(given), sys.stdin.buffer)
    return finish(judged, given)
