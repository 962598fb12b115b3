"""`preflight snapshot -o FILE`: the world, saved, without what nobody reads and without secrets."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from preflight.cli.options import _gate, target, world
from preflight.errors import InputError

if TYPE_CHECKING:
    from preflight.load import Loaded
    from preflight.load.snapshot.writer import Unkept


@click.command("snapshot")
@click.option("-o", "--output", "output", required=True, metavar="FILE", help="Where to: packed if it ends in .gz; - is standard output.")
@world
@click.option("--allow-empty", is_flag=True, help="Nothing to save is no fault.")
@click.option("--feature-gates", metavar="GATE=BOOL", default="", help="The gate of Lt and Gt, as in every command: it is saved too.")
@click.option("-v", "--verbose", is_flag=True, help="Also what the cluster was asked.")
def command(output: str, sources: tuple[str, ...], **given: Any) -> int:
    """Save the cluster, for every --from and for `preflight verify`: only the fields that preflight reads.

    No argument, environment variable or Secret is in it, and no annotation that preflight does not read. FILE is replaced, and only once
    the new one is whole. Where something could not be read, nothing is written.
    """
    from preflight import load
    from preflight.engine.cluster_session import opened
    from preflight.load.live.requirements import WHOLE
    from preflight.load.snapshot.writer import Unkept, saved, write
    from preflight.report.text import render_problems

    gate = _gate(given["feature_gates"])
    with opened(target(given, sources, live=True), needs=WHOLE) as cluster:
        fill = cluster.fill if cluster else None
        read = load.read(sources, stdin=sys.stdin.buffer, one_cluster=True, comparison_operators=gate, wants_state=True, cluster=fill)
        if cluster and given["verbose"]:
            click.echo(cluster.cost(), err=True)
    if read.problems:
        click.echo(render_problems(read.problems), nl=False, err=True)
        raise InputError("nothing was saved: a snapshot without that would look whole")
    if not read.objects and not given["allow_empty"]:
        raise InputError("nothing was saved: no object of a kind that preflight knows was given (--allow-empty saves that)")
    unkept = Unkept()
    pieces = saved(read.world, unkept)
    if output == "-":
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
        size = 0
    else:
        size = write(pieces, output)
    _say(read, unkept, output, size)
    return 0


def _say(read: Loaded, unkept: Unkept, output: str, size: int) -> None:
    """What was saved, and what was not, on standard error."""
    from preflight.report.formatting import count

    held = read.world
    nodes = sum(node.pool is None and not node.partial for node in held.nodes.values())
    parts = [count(nodes, "node"), count(len(held.daemonsets), "DaemonSet"), _pods(read)]
    large = f", {size / 1e6:.1f} MB" if size >= 1e6 else f", {size / 1e3:.1f} kB" if size else ""
    click.echo(f"{f'wrote {output}' if output != '-' else 'wrote a snapshot'}: {', '.join(parts)}{large}", err=True)
    for kind, why in sorted(held.missing.items()):
        click.echo(f"  not in it: {kind}: {why}", err=True)
    if unkept.pools:
        pools = count(unkept.pools, "node pool")
        click.echo(f"  not in it: {pools}: give {'its manifest' if unkept.pools == 1 else 'their manifests'} beside it by --from", err=True)
    if unkept.bound:
        pods = count(unkept.bound, "Pod manifest")
        click.echo(f"  not in it: {pods} with a nodeName, which would look like a pod that is there", err=True)
    if unkept.refused:
        objects = count(unkept.refused, "object")
        click.echo(f"  {objects} with values that the API server would refuse: saved as far as preflight understands them", err=True)


def _pods(read: Loaded) -> str:
    """How many pods, and of which namespaces they are all that there are."""
    from preflight.report.formatting import count, names

    pods, listed = count(len(read.world.pods), "pod"), read.world.listed
    if listed is None:
        return f"{pods} (all namespaces)"
    return f"{pods} (of {names(sorted(listed))})" if listed else "no pods: coverage will be assumed"
