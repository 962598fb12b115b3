"""The cluster that a run asks, for as long as it runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from preflight import load
from preflight.errors import UsageError
from preflight.kubectl.commands import Command
from preflight.kubectl.parser import flags_of
from preflight.load.live.target import Target

if TYPE_CHECKING:
    from preflight.load.collector import Gathered
    from preflight.load.live.cluster import Cluster
    from preflight.load.live.requirements import Asked


class Asking:
    """A cluster, and what of it a run needs."""

    def __init__(self, cluster: Cluster, asked: Asked) -> None:
        self._cluster, self._asked = cluster, asked

    def fill(self, gathered: Gathered) -> None:
        """Ask for what the run needs to begin with."""
        self._cluster.survey(self._asked, gathered)

    def dependents(self) -> None:
        """Ask for what may depend on DaemonSets, into what was filled before."""
        self._cluster.dependents()

    @property
    def context(self) -> str:
        """The context that is asked."""
        return self._cluster.connection.context

    def cost(self) -> str:
        """What the asking came to, in requests and bytes."""
        connection = self._cluster.connection
        requests = "1 request" if connection.requests == 1 else f"{connection.requests} requests"
        return f"asked {connection.context} ({connection.server}): {requests}, {_size(connection.received)}"


@contextmanager
def components_of(target: Target | None) -> Iterator[Callable[[Gathered], None] | None]:
    """What puts in the DaemonSets of a cluster, and what says what they provide; None where there is no target."""
    if target is None:
        yield None
        return
    from preflight.load.live.cluster import Cluster
    from preflight.load.live.requirements import DAEMONSETS

    with Cluster(target) as cluster:
        yield lambda gathered: cluster.survey(DAEMONSETS, gathered)


@contextmanager
def opened(
    target: Target | None, commands: Sequence[Command] | None = None, base: str = "", *, needs: Asked | None = None
) -> Iterator[Asking | None]:
    """The cluster of a target, None where there is no target; closed at the end.

    It is asked for what `commands` need, where they are None for `needs`, else for everything; `base` is the file that their paths are
    relative to.

    Errors: UsageError where a command is about another cluster than the one of the target.
    """
    if target is None:
        yield None
        return
    from preflight.load.live.cluster import Cluster
    from preflight.load.live.requirements import EVERYTHING, asked

    with Cluster(target) as cluster:
        needed = needs or EVERYTHING
        if commands is not None:
            for each in commands:
                _check_cluster(each, cluster.connection.context, cluster.connection.server, target)
            needed = asked(commands, cluster.connection.namespace, lambda path: load.read_objects(path, base).given)
        yield Asking(cluster, needed)


def _check_cluster(command: Command, context: str, server: str, target: Target) -> None:
    """Refuse a line that names a cluster which is not surely the one that is asked."""
    kubeconfig = target.kubeconfig or os.environ.get("KUBECONFIG", "")
    is_asked = {"context": context, "kubeconfig": kubeconfig, "server": server, "cluster": None}
    for name, values in flags_of(command).items():
        if name in is_asked and values[-1] and values[-1] != is_asked[name]:
            advice = f"give --{name} to preflight too" if name in ("context", "kubeconfig") else "give its --context instead"
            shown = values[-1].rpartition("@")[2]
            raise UsageError(f"`{command.text}` is about {name} {shown}, and context {context} ({server}) is asked: {advice}")


def _size(number: int) -> str:
    for unit, size in (("MB", 1_000_000), ("kB", 1_000)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number} bytes"
