"""`preflight plan FILE`: a sequence of changes."""

from __future__ import annotations

import sys
from typing import Any

import click

from preflight.cli.options import options, shared
from preflight.cli.output import finish, formats
from preflight.engine import Run
from preflight.errors import InputError


@click.command("plan")
@click.argument("path", metavar="FILE")
@click.option("--from", "sources", multiple=True, metavar="PATH", help="File, folder or - (standard input): the world. Repeatable.")
@shared
def command(path: str, sources: tuple[str, ...], **given: Any) -> int:
    """What a sequence of changes costs, step by step: FILE is a YAML list of command lines, or a shell script."""
    formats(given["outputs"])
    if not sources:
        raise InputError(
            "no --from: preflight does not ask the live cluster yet. Pipe it in:\n"
            f"  kubectl get nodes,ds,pods -A -o json | preflight plan {path} --from -"
        )
    judged = Run.of_plan(path, sources, options(given), sys.stdin.buffer)
    return finish(judged, given)
