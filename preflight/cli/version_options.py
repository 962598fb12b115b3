"""The options that say which Kubernetes an answer is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from preflight.errors import UsageError
from preflight.messages import versions as messages
from preflight.model.releases import VersionRange, parse_version
from preflight.model.versions import VersionOptions

VERSION_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--kubernetes-version",
        metavar="VERSION",
        default="",
        help="Answer for this version of Kubernetes: 1.30.4, or 1.30 for all its patches. Default: as the cluster states it.",
    ),
    click.option(
        "--kubectl-version", metavar="VERSION", default="", help="Version of the kubectl that you use. Default: the minor of the server."
    ),
    click.option(
        "--feature-gates",
        metavar="GATE=BOOL",
        default="",
        help="Feature gates of the cluster: GATE=true or =false, comma separated. Default: as the version sets them.",
    ),
)


def add_version_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options on a command."""
    for option in reversed(VERSION_OPTIONS):
        function = option(function)
    return function


def make_version_options(given: dict[str, Any]) -> VersionOptions:
    """What the options say. Errors: UsageError."""
    return VersionOptions(
        server=_parse_version("--kubernetes-version", given["kubernetes_version"]),
        kubectl=_parse_version("--kubectl-version", given["kubectl_version"]),
        gates=_parse_gates(given["feature_gates"]),
    )


def _parse_version(option: str, text: str) -> VersionRange | None:
    if not text:
        return None
    versions = parse_version(text)
    if versions is None:
        raise UsageError(messages.describe_invalid_version(option, text))
    return versions


def _parse_gates(text: str) -> dict[str, bool]:
    """The gates as Kubernetes' own components read them; a gate that decides nothing here is refused."""
    parts = [part for part in text.split(",") if part]
    if not parts:
        return {}
    from preflight.model.behaviors import GATES

    gates: dict[str, bool] = {}
    for part in parts:
        name, _, value = (word.strip() for word in part.partition("="))
        if name not in GATES:
            raise UsageError(messages.describe_unknown_gate(name, sorted(GATES)))
        if value.lower() not in ("true", "false"):
            raise UsageError(messages.describe_invalid_gate(part))
        gates[name] = value.lower() == "true"
    return gates
