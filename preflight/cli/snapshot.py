"""`preflight snapshot -o FILE`: the world, saved, without what nobody reads and without secrets."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from preflight.cli.documented_command import DocumentedCommand
from preflight.cli.options import add_world_options, make_input
from preflight.cli.output import print_problems
from preflight.cli.streams import print_data, print_line, print_text
from preflight.cli.version_options import add_version_options, make_version_options
from preflight.errors import InputError
from preflight.messages import cli as messages

if TYPE_CHECKING:
    from preflight.load import LoadResult
    from preflight.load.snapshot.writer import UnsavedCounts


@click.command("snapshot", cls=DocumentedCommand)
@click.option(
    "-o", "--output", "output", required=True, metavar="FILE", help="File to write, compressed if it ends in .gz; - is standard output."
)
@add_world_options
@click.option("--allow-empty", is_flag=True, help="Save an empty snapshot, too.")
@add_version_options
@click.option("-v", "--verbose", is_flag=True, help="Show the requests to the cluster.")
def command(output: str, sources: tuple[str, ...], **given: Any) -> int:
    """Save the cluster state."""
    from preflight.engine.asked_cluster import format_request_summary
    from preflight.load.inputs import LoadOptions, open_input
    from preflight.load.live.planner import FOR_SNAPSHOT
    from preflight.load.snapshot.writer import UnsavedCounts, iter_snapshot_lines, write_snapshot

    options = LoadOptions(one_cluster=True, versions=make_version_options(given), wants_state=True)
    with open_input(make_input(given, sources, live=True), options, stdin=sys.stdin.buffer, query=FOR_SNAPSHOT) as opened:
        read = opened.loaded
        if opened.connection and given["verbose"]:
            print_text(format_request_summary(opened.connection), err=True)
    if read.problems:
        print_problems(read.problems)
        raise InputError(messages.NOT_WHOLE)
    if not read.objects and not given["allow_empty"]:
        raise InputError(messages.NOTHING_TO_SAVE)
    unkept = UnsavedCounts()
    pieces = iter_snapshot_lines(read.world, unkept)
    if output == "-":
        for piece in pieces:
            print_data(piece)
        size = 0
    else:
        size = write_snapshot(pieces, output)
    _print_saved(read, unkept, output, size)
    return 3 if any("." not in kind for kind in read.world.missing_kinds) else 0


def _print_saved(read: LoadResult, unkept: UnsavedCounts, output: str, size: int) -> None:
    """What was saved, and what was not, on standard error."""
    from preflight.report.formatting import format_count

    held = read.world
    nodes = sum(node.pool is None and not node.is_partial for node in held.nodes.values())
    parts = [format_count(nodes, "node"), format_count(len(held.daemonsets), "DaemonSet"), _format_pods(read)]
    large = f", {size / 1e6:.1f} MB" if size >= 1e6 else f", {size / 1e3:.1f} kB" if size else ""
    print_line(f"{f'wrote {output}' if output != '-' else 'wrote a snapshot'}: {', '.join(parts)}{large}", err=True)
    for kind, why in sorted(held.missing_kinds.items()):
        print_line(messages.describe_missing_kind(kind, why), err=True)
    if unkept.pools:
        pools = format_count(unkept.pools, "node pool")
        print_line(messages.describe_unsaved_pools(unkept.pools, pools), err=True)
    if unkept.bound:
        pods = format_count(unkept.bound, "Pod manifest")
        print_line(messages.describe_unsaved_pods(pods), err=True)
    if unkept.refused:
        objects = format_count(unkept.refused, "object")
        print_line(messages.describe_odd_objects(objects), err=True)


def _format_pods(read: LoadResult) -> str:
    """How many pods, and of which namespaces they are all that there are."""
    from preflight.report.formatting import format_count

    pods, listed = format_count(len(read.world.pods), "pod"), read.world.listed_namespaces
    if listed is None:
        return messages.describe_all_pods(pods)
    return messages.describe_pods_of(pods, listed) if listed else messages.NO_PODS
