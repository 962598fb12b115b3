"""`preflight doctor`: what is broken today, and why."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from preflight.cli.documented_command import DocumentedCommand
from preflight.cli.options import add_shared_options, add_world_options, make_session, make_target
from preflight.cli.output import finish_run, parse_formats
from preflight.engine.doctor import diagnose_cluster, diagnose_pod
from preflight.engine.multi_cluster import list_distinct_inputs
from preflight.errors import UsageError
from preflight.messages import cli as messages


@click.command("doctor", cls=DocumentedCommand)
@click.option("--node", metavar="NODE", default="", help="Report only on this node.")
@click.option("--pod", metavar="NAMESPACE/POD", default="", help="Explain step by step why this pod does not start.")
@click.option("--since", "saved", metavar="SNAPSHOT", default="", help="Also report what is missing since this snapshot.")
@partial(add_world_options, several=True)
@add_shared_options
def command(sources: tuple[str, ...], contexts: tuple[str, ...], node: str, pod: str, saved: str, **given: Any) -> int:
    """Diagnose a cluster."""
    parse_formats(given["outputs"])
    target = make_target({**given, "context": ""}, sources, live=True)
    first, *others = (make_session(given, source) for source in list_distinct_inputs(sources, contexts, target))
    if pod:
        if node or saved or others:
            raise UsageError(messages.POD_STANDS_ALONE)
        return finish_run(diagnose_pod(first, pod), given)
    if not others:
        return finish_run(diagnose_cluster(first, node, saved), given)
    if node or saved or given["write_baseline"]:
        raise UsageError(messages.ONE_CLUSTER)
    from preflight.engine.doctor_clusters import diagnose_clusters

    return finish_run(diagnose_clusters([first, *others]), given)
