"""`preflight lint [PATH...]`: what is there, without a change."""

from __future__ import annotations

from typing import Any

import click

from preflight.cli.documented_command import DocumentedCommand
from preflight.cli.options import add_connection_options, add_shared_options, add_state_option, make_session, make_target
from preflight.cli.output import finish_run, parse_formats
from preflight.engine.lint import lint
from preflight.errors import UsageError
from preflight.load.inputs import select_input
from preflight.messages import cli as messages


@click.command("lint", cls=DocumentedCommand)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@add_state_option
@click.option(
    "--live", is_flag=True, help="Use the cluster of the current context as cluster state; without PATH, check the cluster itself."
)
@add_connection_options
@click.option("--strict", is_flag=True, help="Exit 3 where coverage of a node is unknown.")
@add_shared_options
def command(paths: tuple[str, ...], sources: tuple[str, ...], *, live: bool, **given: Any) -> int:
    """Check manifests, without a change."""
    parse_formats(given["outputs"])
    if live and sources:
        raise UsageError(messages.FROM_AND_LIVE)
    target = make_target(given, sources, live=live)
    judged = paths or (() if target else (".",))
    return finish_run(lint(make_session(given, select_input(judged, sources, target))), given)
