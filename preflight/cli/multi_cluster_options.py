"""The options of a command that asks several clusters the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from preflight.cli.options import CONNECTION_OPTIONS, make_target
from preflight.messages import cli as messages

if TYPE_CHECKING:
    from preflight.load.inputs import Input

_FROM_HELP = (
    "Read cluster state from a file, folder or - (standard input) instead of the live cluster. Repeatable; each snapshot is a cluster."
)
_CONTEXT_HELP = "Context of the kubeconfig. Repeatable: one answer for each cluster. Default: the current context."


def add_clusters_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say which clusters are asked, or which files stand for them, on a command."""
    for option in reversed(CONNECTION_OPTIONS[1:]):
        function = option(function)
    function = click.option("--context", "contexts", metavar="NAME", multiple=True, help=_CONTEXT_HELP)(function)
    return click.option("--from", "sources", multiple=True, metavar="PATH", help=_FROM_HELP)(function)


def select_inputs(given: dict[str, Any], sources: Sequence[str]) -> tuple[Input, ...]:
    """The clusters that the options name. Errors: UsageError where they go against one another."""
    from preflight.engine.multi_cluster import list_inputs
    from preflight.errors import UsageError

    contexts = given["contexts"]
    if sources and contexts:
        raise UsageError(messages.FROM_AND_CONTEXT)
    return list_inputs(sources, contexts, make_target({**given, "context": ""}, sources, live=True))
