"""The live cluster that a run asks: whether commands are about it, and what asking it came to."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from preflight.errors import RefusalError
from preflight.load.live.target import ClusterTarget
from preflight.messages import clusters as messages

if TYPE_CHECKING:
    from preflight.kubectl.commands import Command
    from preflight.load.live.connection import ApiConnection


def format_request_summary(connection: ApiConnection | None) -> str:
    """What the asking came to, in requests and bytes; "" where no cluster was asked."""
    if connection is None:
        return ""
    requests = messages.ONE_REQUEST if connection.requests == 1 else f"{connection.requests} requests"
    return messages.describe_requests(connection.context, connection.server, requests, _format_size(connection.received))


def check_commands(commands: Iterable[Command], connection: ApiConnection, target: ClusterTarget) -> None:
    """Refuse a command that names a cluster which is not surely the one that is asked. Errors: UsageError."""
    from preflight.kubectl.parser import collect_flags  # only a live cluster asks for it

    kubeconfig = target.kubeconfig or os.environ.get("KUBECONFIG", "")
    context, server = connection.context, connection.server
    is_asked = {"context": context, "kubeconfig": kubeconfig, "server": server, "cluster": None}
    for command in commands:
        for name, values in collect_flags(command).items():
            if name in is_asked and values[-1] and values[-1] != is_asked[name]:
                advice = messages.advise_same_flag(name) if name in ("context", "kubeconfig") else messages.GIVE_CONTEXT
                raise RefusalError(messages.describe_other_cluster(command.text, name, values[-1], context, server, advice))


def _format_size(number: int) -> str:
    for unit, size in (("MB", 1_000_000), ("kB", 1_000)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number} bytes"
