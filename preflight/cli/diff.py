"""`preflight diff BASE HEAD`: what merging HEAD costs, and what has drifted."""

from __future__ import annotations

from typing import Any

import click

from preflight.cli.documented_command import DocumentedCommand
from preflight.cli.options import add_connection_options, add_shared_options, add_state_option, make_input, make_session, make_target
from preflight.cli.output import finish_run, parse_formats
from preflight.engine.diff import diff
from preflight.load.inputs import Live
from preflight.load.live.target import ClusterTarget


@click.command("diff", cls=DocumentedCommand)
@click.argument("base", metavar="BASE")
@click.argument("head", metavar="HEAD")
@add_state_option
@click.option("--merge-base", is_flag=True, help="Compare with the commit where HEAD branched off BASE, as in a pull request.")
@add_connection_options
@add_shared_options
def command(base: str, head: str, sources: tuple[str, ...], merge_base: bool, **given: Any) -> int:
    """Compare BASE and HEAD."""
    parse_formats(given["outputs"])
    source = make_input(given, sources, live=False)
    live = Live(make_target(given, (), live=True) or ClusterTarget())
    return finish_run(diff(make_session(given, source), base, head, merge_base=merge_base, live=live), given)
