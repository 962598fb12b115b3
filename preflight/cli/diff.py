"""`preflight diff BASE HEAD`: what merging HEAD costs, and what has drifted."""

from __future__ import annotations

from typing import Any

import click

from preflight.cli.options import add_connection_options, add_shared_options, make_input, make_session, make_target
from preflight.cli.output import finish_run, parse_formats
from preflight.engine.diff import diff
from preflight.load.inputs import Live
from preflight.load.live.target import ClusterTarget


@click.command("diff")
@click.argument("base", metavar="BASE")
@click.argument("head", metavar="HEAD")
@click.option(
    "--from", "sources", multiple=True, metavar="PATH", help="The world around both: nodes, pods. It gets no findings. Repeatable."
)
@click.option("--merge-base", is_flag=True, help="BASE is the commit where HEAD parted from it, as in a merge request.")
@add_connection_options
@add_shared_options
def command(base: str, head: str, sources: tuple[str, ...], merge_base: bool, **given: Any) -> int:
    """What the change from BASE to HEAD costs; only what HEAD brings is said.

    Each is a folder, a file, the output of `kubectl get -o json`, - (standard input) or a git revision: main, HEAD~1, origin/main:deploy/.
    A path that is a revision's name too is spelled ./PATH. Where no path and no revision is named so, `live` is the cluster.

    Where HEAD alone is the list of a cluster, this is what has drifted from BASE; where BASE alone is one, what applying HEAD costs.
    """
    parse_formats(given["outputs"])
    source = make_input(given, sources, live=False)
    live = Live(make_target(given, (), live=True) or ClusterTarget())
    return finish_run(diff(make_session(given, source), base, head, merge_base=merge_base, live=live), given)
