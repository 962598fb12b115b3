"""`preflight capacity`: how many of a pod fit now, where, and what has taken the room for more."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from preflight.cli.documented_command import DocumentedCommand
from preflight.cli.multi_cluster_options import add_clusters_options, select_inputs
from preflight.cli.output import parse_formats, print_report
from preflight.cli.run import get_run
from preflight.cli.version_options import add_version_options, make_version_options
from preflight.errors import UsageError
from preflight.messages import cli as messages

if TYPE_CHECKING:
    from preflight.engine.capacity import CapacityQuery


@click.command("capacity", cls=DocumentedCommand)
@click.option(
    "-f", "--filename", "file", metavar="FILE", default="", help="Count copies of a pod or workload in a file; - is standard input."
)
@click.option(
    "--like",
    metavar="KIND/NAME",
    default="",
    help="Count more pods of a workload of the cluster: deploy/NAME, ds, sts, rs, job, cj or pod.",
)
@click.option(
    "--request",
    "requests",
    metavar="RESOURCE=AMOUNT",
    multiple=True,
    help="Count pods that request this, such as nvidia.com/gpu=8. Repeatable.",
)
@click.option("-l", "--selector", metavar="SELECTOR", default="", help="With --request: only nodes with these labels.")
@click.option(
    "--tolerate", metavar="TAINT", multiple=True, help="With --request: tolerate KEY=VALUE:EFFECT, KEY:EFFECT, KEY or *. Repeatable."
)
@click.option("-n", "--namespace", metavar="NAME", default="", help='Namespace of the pod. Default: the context\'s, with files "default".')
@click.option(
    "--resource", metavar="NAME", default="", help="Show what uses this resource (or pods). Default: its first extended resource, else cpu."
)
@click.option("--at-least", metavar="COUNT", type=click.IntRange(1), default=1, help="Exit 1 where fewer copies fit. Default: 1.")
@add_clusters_options
@click.option(
    "-o", "--output", "outputs", multiple=True, metavar="FORMAT[=PATH]", help="text (default), concise, json, markdown or html. Repeatable."
)
@add_version_options
@click.option("--all-rows", is_flag=True, help="Show every node and every class of nodes.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 however many copies fit.")
def command(sources: tuple[str, ...], outputs: tuple[str, ...], **given: Any) -> int:
    """Count how many copies of a pod fit."""
    from preflight.engine.capacity import query_capacity
    from preflight.engine.session import Options, Session
    from preflight.report.capacity import FORMATS

    formats = parse_formats(outputs, FORMATS)
    asked = _make_query(given, sources)
    options = Options(exit_zero=given["exit_zero"], versions=make_version_options(given))
    sessions = [Session(source, options, stdin=sys.stdin.buffer) for source in select_inputs(given, sources)]
    found = query_capacity(sessions, asked)
    print_report(FORMATS, found, formats, all_rows=given["all_rows"])
    for cluster in found.clusters:
        for problem in cluster.problems:
            get_run().print_error(f"error: {problem}")
    return found.exit


def _make_query(given: dict[str, Any], sources: tuple[str, ...]) -> CapacityQuery:
    from preflight.engine.capacity import CapacityQuery, WorkloadRef
    from preflight.load.files import STDIN

    ways = [flag for flag, name in (("-f", "file"), ("--like", "like"), ("--request", "requests")) if given[name]]
    if len(ways) != 1:
        what = messages.WHICH_POD if not ways else messages.describe_several_pods(ways)
        raise UsageError(messages.explain_pod_options(what))
    if ways != ["--request"] and (given["selector"] or given["tolerate"]):
        raise UsageError(messages.describe_idle_pod_options(ways[0]))
    if [given["file"], *sources].count(STDIN) > 1:
        raise UsageError(messages.STDIN_TWICE)
    common = {"resource": given["resource"], "at_least": given["at_least"]}
    if given["like"]:
        like = WorkloadRef.parse(given["like"], given["namespace"])
        return CapacityQuery(like, messages.describe_copy(given["like"]), **common)
    if given["file"]:
        from preflight.load.pod_templates import read_new_pod

        new = read_new_pod(given["file"], given["namespace"], sys.stdin.buffer)
    else:
        from preflight.engine.pod_from_flags import parse_pod_flags

        new = parse_pod_flags(given["requests"], given["selector"], given["tolerate"], given["namespace"])
    return CapacityQuery(new, new.description, **common)
