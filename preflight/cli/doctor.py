"""`preflight doctor`: what is broken today, and why."""

from __future__ import annotations

import sys
from typing import Any

import click

from preflight.cli.options import options, shared, target, world
from preflight.cli.output import finish, formats
from preflight.engine.diagnosed import Diagnosed


@click.command("doctor")
@click.option("--node", metavar="NODE", default="", help="Only what is about this node.")
@click.option("--since", "saved", metavar="SNAPSHOT", default="", help="What was there when this was saved, and is not now, too.")
@world
@shared
def command(sources: tuple[str, ...], node: str, saved: str, **given: Any) -> int:
    """What is broken today, why, and the command that shows it.

    Nodes that lack a component, time bombs, devices that nobody can have, pods that wait and what for. The cluster of the context is
    asked, or --from is what to look at: a snapshot, or what `kubectl get nodes,ds,pods,events -A -o json` prints. No counter is trusted.
    """
    formats(given["outputs"])
    run = Diagnosed.of_doctor(sources, options(given, target(given, sources, live=True)), node, saved, sys.stdin.buffer)
    return finish(run, given)
