"""`preflight verify SNAPSHOT`: after a change, what really differs from before."""

from __future__ import annotations

import sys
from typing import Any

import click

from preflight.cli.options import options, shared, target, world
from preflight.cli.output import finish, formats
from preflight.engine.verify import Verified


@click.command("verify")
@click.argument("saved", metavar="SNAPSHOT")
@world
@shared
def command(saved: str, sources: tuple[str, ...], **given: Any) -> int:
    """What really differs from before, after a change: the checklist of a maintenance.

    SNAPSHOT is what `preflight snapshot` saved before. The cluster of the context is now, or --from. Pods that are gone or not Ready,
    resources that left Allocatable, nodes and DaemonSets that are gone, labels and taints. What was missing before already is not said.
    """
    formats(given["outputs"])
    judged = Verified.of_verify(saved, sources, options(given, target(given, sources, live=True)), sys.stdin.buffer)
    return finish(judged, given)
