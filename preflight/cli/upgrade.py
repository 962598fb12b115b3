"""`preflight upgrade --to VERSION`: what a newer Kubernetes changes."""

from __future__ import annotations

from typing import Any

import click

from preflight.cli.documented_command import DocumentedCommand
from preflight.cli.options import add_shared_options, add_world_options, make_input, make_session
from preflight.cli.output import finish_run, parse_formats
from preflight.errors import UsageError
from preflight.messages.versions import describe_invalid_version
from preflight.model.releases import parse_version


@click.command("upgrade", cls=DocumentedCommand)
@click.option("--to", "target", required=True, metavar="VERSION", help="Version to upgrade to: 1.34, or a release such as 1.34.4.")
@add_world_options
@add_shared_options
def command(target: str, sources: tuple[str, ...], **given: Any) -> int:
    """Show what an upgrade changes."""
    from preflight.engine.upgrade import check_upgrade

    parse_formats(given["outputs"])
    versions = parse_version(target)
    if versions is None:
        raise UsageError(describe_invalid_version("--to", target))
    return finish_run(check_upgrade(make_session(given, make_input(given, sources, live=True)), versions), given)
