"""`preflight verify SNAPSHOT`: after a change, what really differs from before."""

from __future__ import annotations

from typing import Any

import click

from preflight.cli.options import add_shared_options, add_world_options, make_input, make_session
from preflight.cli.output import finish_run, parse_formats
from preflight.engine.verify import verify


@click.command("verify")
@click.argument("saved", metavar="SNAPSHOT")
@add_world_options
@add_shared_options
def command(saved: str, sources: tuple[str, ...], **given: Any) -> int:
    """What really differs from before, after a change: the checklist of a maintenance.

    SNAPSHOT is what `preflight snapshot` saved before. The cluster of the context is now, or --from. Pods that are gone or not Ready,
    resources that left Allocatable, nodes and DaemonSets that are gone, labels and taints. What was missing before already is not said.
    """
    parse_formats(given["outputs"])
    session = make_session(given, make_input(given, sources, live=True))
    return finish_run(verify(session, saved), given)
