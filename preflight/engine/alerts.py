"""`preflight alerts`: a world, and the rules that are made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from preflight import load
from preflight.alerting import generate
from preflight.engine.cluster_session import open_cluster
from preflight.errors import InputError
from preflight.load.live.target import ClusterTarget
from preflight.model.alerts import AlertRules
from preflight.model.report import Problem


def generate_alerts(
    sources: Sequence[str], target: ClusterTarget | None, stdin: BinaryIO, *, comparison_operators: bool | None, allow_empty: bool
) -> tuple[AlertRules, tuple[Problem, ...]]:
    """The rules of the world of files, or of a cluster, and what could not be read of it.

    Errors: InputError where no DaemonSet is known, unless `allow_empty`.
    """
    from preflight.load.live.planner import FOR_COVERAGE

    with open_cluster(target, needs=FOR_COVERAGE) as cluster:
        fill = cluster.fill if cluster else None
        read = load.load_world(sources, stdin=stdin, one_cluster=True, comparison_operators=comparison_operators, cluster=fill)
    if not read.world.daemonsets and not allow_empty:
        from preflight.load.pod_templates import format_problem

        why = f": {format_problem(read.problems[0])}" if read.problems else ""
        raise InputError(f"no DaemonSet was given: there is nothing to watch (--allow-empty writes the rules that need none){why}")
    return generate.generate_alerts(read.world), read.problems
