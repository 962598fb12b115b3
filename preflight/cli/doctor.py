"""`preflight doctor`: what is broken today, and why."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import click

from preflight.cli.options import options, shared, target, world
from preflight.cli.output import finish, formats
from preflight.engine.doctor import Diagnosed
from preflight.errors import UsageError


@click.command("doctor")
@click.option("--node", metavar="NODE", default="", help="Only what is about this node.")
@click.option("--pod", metavar="NAMESPACE/POD", default="", help="Why this pod does not start: one chain.")
@click.option("--since", "saved", metavar="SNAPSHOT", default="", help="What was there when this was saved, and is not now, too.")
@partial(world, several=True)
@shared
def command(sources: tuple[str, ...], contexts: tuple[str, ...], node: str, pod: str, saved: str, **given: Any) -> int:
    """What is broken today, why, and the command that shows it.

    Nodes that lack a component, time bombs, devices that nobody can have, pods that wait and what for. The cluster of the context is
    asked, or --from is what to look at: a snapshot, or what `kubectl get nodes,ds,pods,events -A -o json` prints. No counter is trusted.
    Several --context, or several snapshots, are several clusters: each is told by itself.
    """
    formats(given["outputs"])
    targets = [target({**given, "context": each}, sources, live=True) for each in dict.fromkeys(contexts) or ("",)]
    from preflight.engine.doctor_clusters import clusters_of

    clusters = clusters_of(sources, [options(given, each) for each in targets], contexts)
    if pod:
        if node or saved or len(clusters) > 1:
            raise UsageError("--pod stands alone, without --node, --since and a second cluster")
        from preflight.engine.doctor_pod import PodDiagnosed

        return finish(PodDiagnosed.of_pod(sources, clusters[0].options, pod, sys.stdin.buffer), given)
    if len(clusters) == 1:
        return finish(Diagnosed.of_doctor(sources, clusters[0].options, node, saved, sys.stdin.buffer), given)
    if node or saved or given["write_baseline"]:
        raise UsageError("--node, --since and --write-baseline are about one cluster: give one --context, or one snapshot")
    from preflight.engine.doctor_clusters import diagnose

    return finish(diagnose(clusters), given)
