"""The cluster that a run asks, for as long as it reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from preflight import load
from preflight.errors import UsageError
from preflight.kubectl.commands import Command
from preflight.kubectl.parser import collect_flags
from preflight.load.inputs import Input, find_target
from preflight.load.live.target import ClusterTarget

if TYPE_CHECKING:
    from preflight.load.collector import ObjectCollector
    from preflight.load.live.cluster import LiveCluster
    from preflight.load.live.requirements import ClusterQuery


class ClusterSession:
    """A cluster, and what of it a run needs."""

    def __init__(self, cluster: LiveCluster, survey_scope: ClusterQuery) -> None:
        self._cluster, self._survey_scope = cluster, survey_scope

    def fill(self, gathered: ObjectCollector) -> None:
        """Ask for what the run needs to begin with."""
        self._cluster.collect(self._survey_scope, gathered)

    def load_dependents(self) -> None:
        """Ask for what may depend on DaemonSets, into what was filled before."""
        self._cluster.collect_dependents()

    @property
    def context(self) -> str:
        """The context that is asked."""
        return self._cluster.connection.context

    def format_cost(self) -> str:
        """What the asking came to, in requests and bytes."""
        connection = self._cluster.connection
        requests = "1 request" if connection.requests == 1 else f"{connection.requests} requests"
        return f"asked {connection.context} ({connection.server}): {requests}, {_format_size(connection.received)}"


@contextmanager
def open_daemonset_survey(source: Input) -> Iterator[Callable[[ObjectCollector], None] | None]:
    """What puts in the DaemonSets of a cluster, and what says what they provide; None where files are read."""
    target = find_target(source)
    if target is None:
        yield None
        return
    from preflight.load.live.cluster import LiveCluster
    from preflight.load.live.requirements import FOR_DAEMONSETS

    with LiveCluster(target) as cluster:
        yield lambda gathered: cluster.collect(FOR_DAEMONSETS, gathered)


@contextmanager
def open_cluster(
    source: Input, commands: Sequence[Command] | None = None, base: str = "", *, needs: ClusterQuery | None = None
) -> Iterator[ClusterSession | None]:
    """The cluster of an input, None where files are read; closed at the end.

    It is asked for what `commands` need, where they are None for `needs`, else for everything; `base` is the file that their paths are
    relative to.

    Errors: UsageError where a command is about another cluster than the one of the input.
    """
    target = find_target(source)
    if target is None:
        yield None
        return
    from preflight.load.live.cluster import LiveCluster
    from preflight.load.live.requirements import FOR_FULL_CHECK, plan_cluster_query

    with LiveCluster(target) as cluster:
        needed = needs or FOR_FULL_CHECK
        if commands is not None:
            for command in commands:
                _check_cluster(command, cluster.connection.context, cluster.connection.server, target)
            needed = plan_cluster_query(commands, cluster.connection.namespace, lambda path: load.read_objects(path, base).given_objects)
        yield ClusterSession(cluster, needed)


def _check_cluster(command: Command, context: str, server: str, target: ClusterTarget) -> None:
    """Refuse a line that names a cluster which is not surely the one that is asked."""
    kubeconfig = target.kubeconfig or os.environ.get("KUBECONFIG", "")
    is_asked = {"context": context, "kubeconfig": kubeconfig, "server": server, "cluster": None}
    for name, values in collect_flags(command).items():
        if name in is_asked and values[-1] and values[-1] != is_asked[name]:
            advice = f"give --{name} to preflight too" if name in ("context", "kubeconfig") else "give its --context instead"
            shown = values[-1].rpartition("@")[2]
            raise UsageError(f"`{command.text}` is about {name} {shown}, and context {context} ({server}) is asked: {advice}")


def _format_size(number: int) -> str:
    for unit, size in (("MB", 1_000_000), ("kB", 1_000)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number} bytes"
