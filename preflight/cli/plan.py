"""`preflight plan FILE`: a sequence of changes."""

from __future__ import annotations

import sys
from typing import Any

import click

from preflight.cli.options import add_shared_options, add_world_options, make_run_options, make_target
from preflight.cli.output import finish_run, parse_formats
from preflight.engine import Run


@click.command("plan")
@click.argument("path", metavar="FILE")
@add_world_options
@add_shared_options
def command(path: str, sources: tuple[str, ...], **given: Any) -> int:
    """What a sequence of changes costs, step by step: FILE is a YAML list of command lines, or a shell script."""
    parse_formats(given["outputs"])
    judged = Run.run_plan(path, sources, make_run_options(given, make_target(given, sources, live=True)), sys.stdin.buffer)
    return finish_run(judged, given)
