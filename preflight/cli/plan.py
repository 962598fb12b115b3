"""`preflight plan FILE`: a sequence of changes."""

from __future__ import annotations

import sys
from typing import Any

import click

from preflight.cli.options import options, shared, target, world
from preflight.cli.output import finish, formats
from preflight.engine import Run


@click.command("plan")
@click.argument("path", metavar="FILE")
@world
@shared
def command(path: str, sources: tuple[str, ...], **given: Any) -> int:
    """What a sequence of changes costs, step by step: FILE is a YAML list of command lines, or a shell script."""
    formats(given["outputs"])
    judged = Run.of_plan(path, sources, options(given, target(given, sources, live=True)), sys.stdin.buffer)
    return finish(judged, given)
