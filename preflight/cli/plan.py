"""`preflight plan FILE`: a sequence of changes."""

from __future__ import annotations

from typing import Any

import click

from preflight.cli.documented_command import DocumentedCommand
from preflight.cli.options import add_shared_options, add_world_options, make_input, make_session
from preflight.cli.output import finish_run, parse_formats
from preflight.engine.analyze import analyze_plan
from preflight.engine.plan import read_plan_file


@click.command("plan", cls=DocumentedCommand)
@click.argument("path", metavar="FILE")
@add_world_options
@add_shared_options
def command(path: str, sources: tuple[str, ...], **given: Any) -> int:
    """Check a sequence of changes."""
    parse_formats(given["outputs"])
    session = make_session(given, make_input(given, sources, live=True))
    return finish_run(analyze_plan(session, read_plan_file(path)), given)
