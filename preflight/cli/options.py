"""The options that commands share, and what is made of them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import Any

import click
from msgspec.structs import replace

from preflight import policy
from preflight.engine import Options
from preflight.errors import InputError, UsageError
from preflight.model.report import Severity
from preflight.policy.terms import Terms

_FORMATS = "text (default), concise, json, sarif, junit, github, gitlab or markdown; repeatable."
_GATE = "TaintTolerationComparisonOperators"

SHARED: tuple[Callable[[Any], Any], ...] = (
    click.option("-o", "--output", "outputs", multiple=True, metavar="FORMAT[=PATH]", help=_FORMATS),
    click.option("--fail-on", type=click.Choice([each.value for each in Severity]), default="error", help="What makes the exit code 1."),
    click.option("--exit-zero", is_flag=True, help="Only report: findings do not change the exit code."),
    click.option("--allow-empty", is_flag=True, help="Nothing to judge is no fault."),
    click.option("--all-rows", is_flag=True, help="Every row of the table and every finding."),
    click.option("--why", metavar="DAEMONSET/NODE", default="", help="The chain of one loss, from the change to what people see."),
    click.option("--feature-gates", metavar="GATE=BOOL", default="", help=f"A gate of the cluster: {_GATE}=true or =false."),
    click.option("--policy", metavar="FILE|NAME", default="", help="A policy file or pack, in place of the .preflight.yaml that is found."),
    click.option("--no-policy", is_flag=True, help="No policy, not even the .preflight.yaml that is found."),
    click.option("--no-exemptions", is_flag=True, help="Nothing is exempted: no annotation, comment, policy or baseline counts."),
    click.option("--baseline", metavar="FILE", default="", help="Findings that FILE holds are accepted."),
    click.option("--write-baseline", metavar="FILE", default="", help="Accept what there is today: write it to FILE."),
    click.option("--baseline-expires", metavar="DAYS|DATE", default="90", help="How long --write-baseline accepts it (default: 90 days)."),
    click.option("--today", metavar="DATE", default="", help="The day that exemptions are judged by (default: today)."),
    click.option("-v", "--verbose", is_flag=True, help="Also the traceback of a rule that crashed."),
)


def shared(function: Callable[..., Any]) -> Callable[..., Any]:
    """The shared options on a command."""
    for option in reversed(SHARED):
        function = option(function)
    return function


world = click.option("--from", "sources", multiple=True, metavar="PATH", help="File, folder or - (standard input): the world. Repeatable.")
"""The world that a change is judged in."""


def need_world(sources: Sequence[str], words: Sequence[str]) -> None:
    """InputError where no world was given; `words` are the command to type again."""
    if not sources:
        import shlex

        raise InputError(
            "no --from: preflight does not ask the live cluster yet. Pipe it in:\n"
            f"  kubectl get nodes,ds,pods -A -o json | preflight {shlex.join(words)} --from -"
        )


def options(given: dict[str, Any]) -> Options:
    """The options of a run."""
    return Options(
        fail_on=Severity(given["fail_on"]),
        allow_empty=given["allow_empty"],
        strict=given.get("strict", False),
        exit_zero=given["exit_zero"],
        comparison_operators=_gate(given["feature_gates"]),
        why=given["why"],
        terms=terms(given),
    )


def terms(given: dict[str, Any]) -> Terms:
    """What a run is held to: the policy that is named or found, exemptions, the baseline, and the day."""
    if given["policy"] and given["no_policy"]:
        raise UsageError("--policy and --no-policy exclude one another")
    name = given["policy"] or (None if given["no_policy"] else policy.find())
    today = _day(given["today"])
    held = Terms(policy=policy.load(name) if name else policy.Policy(), exemptions=not given["no_exemptions"], today=today)
    accept, known = given["write_baseline"], given["baseline"]
    if given["no_exemptions"] and (accept or known):
        raise UsageError("--no-exemptions leaves no baseline: leave out --baseline and --write-baseline")
    if not (accept or known):
        return held
    from preflight.policy import baseline as baselines

    if not accept:
        return replace(held, baseline=baselines.read(known, known))
    return replace(held, accept=(accept, baselines.last_day(given["baseline_expires"], today or datetime.date.today())))


def _day(text: str) -> datetime.date | None:
    """A day as 2027-01-31; None for none."""
    if not text:
        return None
    from preflight.policy.checking import day

    found = day(text)
    if found is None:
        raise UsageError(f"--today takes a day as 2027-01-31, not {text!r}")
    return found


def _gate(text: str) -> bool | None:
    """The gate of Lt and Gt as kubectl's components write it; other gates decide nothing here and are refused."""
    answer: bool | None = None
    for part in filter(None, text.split(",")):
        name, _, value = part.partition("=")
        if name.strip() != _GATE or value.strip().lower() not in ("true", "false"):
            raise UsageError(f"--feature-gates takes {_GATE}=true or {_GATE}=false, not {part!r}")
        answer = value.strip().lower() == "true"
    return answer
