"""The options that commands share, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from preflight.engine import Options
from preflight.errors import UsageError
from preflight.model.report import Severity

_GATE = "TaintTolerationComparisonOperators"

SHARED: tuple[Callable[[Any], Any], ...] = (
    click.option("-o", "--output", "outputs", multiple=True, metavar="FORMAT[=PATH]", help="text (default), concise or json; repeatable."),
    click.option("--fail-on", type=click.Choice([each.value for each in Severity]), default="error", help="What makes the exit code 1."),
    click.option("--exit-zero", is_flag=True, help="Only report: findings do not change the exit code."),
    click.option("--allow-empty", is_flag=True, help="Nothing to judge is no fault."),
    click.option("--all-rows", is_flag=True, help="Every row of the table and every finding."),
    click.option("--why", metavar="DAEMONSET/NODE", default="", help="The chain of one loss, from the change to what people see."),
    click.option("--feature-gates", metavar="GATE=BOOL", default="", help=f"A gate of the cluster: {_GATE}=true or =false."),
    click.option("-v", "--verbose", is_flag=True, help="Also the traceback of a rule that crashed."),
)


def shared(function: Callable[..., Any]) -> Callable[..., Any]:
    """The shared options on a command."""
    for option in reversed(SHARED):
        function = option(function)
    return function


def options(given: dict[str, Any]) -> Options:
    """The options of a run."""
    return Options(
        fail_on=Severity(given["fail_on"]),
        allow_empty=given["allow_empty"],
        strict=given.get("strict", False),
        exit_zero=given["exit_zero"],
        comparison_operators=_gate(given["feature_gates"]),
        why=given["why"],
    )


def _gate(text: str) -> bool | None:
    """The gate of Lt and Gt as kubectl's components write it; other gates decide nothing here and are refused."""
    answer: bool | None = None
    for part in filter(None, text.split(",")):
        name, _, value = part.partition("=")
        if name.strip() != _GATE or value.strip().lower() not in ("true", "false"):
            raise UsageError(f"--feature-gates takes {_GATE}=true or {_GATE}=false, not {part!r}")
        answer = value.strip().lower() == "true"
    return answer
