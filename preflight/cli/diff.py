"""`preflight diff BASE HEAD`: what merging HEAD costs, and what has drifted."""

from __future__ import annotations

import sys
from typing import Any

import click

from preflight.cli.options import asking, options, shared, target
from preflight.cli.output import finish, formats
from preflight.engine.diff import Difference


@click.command("diff")
@click.argument("base", metavar="BASE")
@click.argument("head", metavar="HEAD")
@click.option(
    "--from", "sources", multiple=True, metavar="PATH", help="The world around both: nodes, pods. It gets no findings. Repeatable."
)
@click.option("--merge-base", is_flag=True, help="BASE is the commit where HEAD parted from it, as in a merge request.")
@asking
@shared
def command(base: str, head: str, sources: tuple[str, ...], merge_base: bool, **given: Any) -> int:
    """What the change from BASE to HEAD costs; only what HEAD brings is said.

    Each is a folder, a file, the output of `kubectl get -o json`, - (standard input) or a git revision: main, HEAD~1, origin/main:deploy/.
    A path that is a revision's name too is spelled ./PATH. Where no path and no revision is named so, `live` is the cluster.

    Where HEAD alone is the list of a cluster, this is what has drifted from BASE; where BASE alone is one, what applying HEAD costs.
    """
    formats(given["outputs"])
    held = options(given, target(given, sources, live=False), target(given, (), live=True))
    judged = Difference.of_diff(base, head, sources, held, sys.stdin.buffer, merge_base=merge_base)
    return finish(judged, given)
