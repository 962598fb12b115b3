"""`preflight verify SNAPSHOT`: after a change, what really differs from before."""

from __future__ import annotations

from typing import Any

import click

from preflight.cli.documented_command import DocumentedCommand
from preflight.cli.options import add_shared_options, add_world_options, make_input, make_session
from preflight.cli.output import finish_run, parse_formats
from preflight.engine.verify import verify


@click.command("verify", cls=DocumentedCommand)
@click.argument("saved", metavar="SNAPSHOT")
@add_world_options
@add_shared_options
def command(saved: str, sources: tuple[str, ...], **given: Any) -> int:
    """Compare a cluster with a snapshot."""
    parse_formats(given["outputs"])
    session = make_session(given, make_input(given, sources, live=True))
    return finish_run(verify(session, saved), given)
