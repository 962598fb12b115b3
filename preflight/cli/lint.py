"""`preflight lint [PATH...]`: what is there, without a change."""

from __future__ import annotations

from typing import Any

import click

from preflight.cli.options import add_connection_options, add_shared_options, make_session, make_target
from preflight.cli.output import finish_run, parse_formats
from preflight.engine.lint import lint
from preflight.errors import UsageError
from preflight.load.inputs import select_input
from preflight.messages import cli as messages


@click.command("lint")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--from", "sources", multiple=True, metavar="PATH", help="The world around PATH: it gets no findings. Repeatable.")
@click.option("--live", is_flag=True, help="The cluster of the current context is the world around PATH; without PATH it is judged itself.")
@add_connection_options
@click.option("--strict", is_flag=True, help="A pair that cannot be judged makes the exit code 3.")
@add_shared_options
def command(paths: tuple[str, ...], sources: tuple[str, ...], *, live: bool, **given: Any) -> int:
    """What is wrong today: hygiene of tolerations, and coverage if nodes are known. No PATH is the folder of now.

    A cluster is asked only with --live, --context or --kubeconfig.
    """
    parse_formats(given["outputs"])
    if live and sources:
        raise UsageError(messages.FROM_AND_LIVE)
    target = make_target(given, sources, live=live)
    judged = paths or (() if target else (".",))
    return finish_run(lint(make_session(given, select_input(judged, sources, target))), given)
