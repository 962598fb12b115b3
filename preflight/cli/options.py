"""The options that commands share, and what is made of them."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click
from msgspec.structs import replace

from preflight import policy
from preflight.cli.version_options import VERSION_OPTIONS, make_version_options
from preflight.engine.session import Options, Session
from preflight.errors import UsageError
from preflight.load.inputs import Input, select_input
from preflight.load.live.target import ClusterTarget, parse_timeout
from preflight.messages import cli as messages
from preflight.model.exclusion import ExcludedPaths, Exclusion
from preflight.model.report import Severity
from preflight.policy.evaluate import PolicyOptions

_FORMATS_HELP = "text (default), concise, json, sarif, junit, github, gitlab, markdown or html. Repeatable."

EXCLUSION_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--exclude",
        "excluded",
        metavar="GLOB",
        multiple=True,
        help="Leave out files and folders that match, where a folder is read; * matches / too. Repeatable.",
    ),
    click.option("--no-gitignore", is_flag=True, help="Read what git ignores, too."),
)


def add_exclusion_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options for files that are not read, on a command."""
    for option in reversed(EXCLUSION_OPTIONS):
        function = option(function)
    return function


SHARED_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option("-o", "--output", "outputs", multiple=True, metavar="FORMAT[=PATH]", help=_FORMATS_HELP),
    click.option(
        "--fail-on",
        type=click.Choice([severity.value for severity in Severity]),
        default="error",
        help="Exit 1 on findings of at least this severity. Default: error.",
    ),
    click.option("--exit-zero", is_flag=True, help="Exit 0 in spite of findings and unknown answers."),
    click.option("--allow-empty", is_flag=True, help="Exit 0 when there is nothing to check."),
    click.option("-q", "--quiet", is_flag=True, help="Print only findings that make the exit code 1, one per line, and count the rest."),
    click.option("--all-rows", is_flag=True, help="Show every row and every finding."),
    click.option(
        "--why", metavar="DAEMONSET/NODE", default="", help="Explain step by step why a node is lost; NAMESPACE/POD explains a pod."
    ),
    *EXCLUSION_OPTIONS,
    *VERSION_OPTIONS,
    click.option(
        "--policy", metavar="FILE|NAME", default="", help="Policy file or pack. Default: the .preflight.yaml of this folder or one above."
    ),
    click.option("--no-policy", is_flag=True, help="Use no policy."),
    click.option("--no-exemptions", is_flag=True, help="Ignore exemptions in annotations, comments and policies, and baselines."),
    click.option("--baseline", metavar="FILE", default="", help="Accept the findings listed in FILE."),
    click.option("--write-baseline", metavar="FILE", default="", help="Write the findings of today to FILE, as a baseline."),
    click.option("--baseline-expires", metavar="DAYS|DATE", default="90", help="How long --write-baseline accepts them. Default: 90 days."),
    click.option("--today", metavar="DATE", default="", help="Day for which exemptions are checked, as 2027-01-31. Default: today."),
    click.option("-v", "--verbose", is_flag=True, help="Show the requests to the cluster, and the traceback of a rule that crashed."),
)


def add_shared_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The shared options on a command."""
    for option in reversed(SHARED_OPTIONS):
        function = option(function)
    return function


def add_state_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The option for files that say how the cluster is, where others are checked."""
    given = "Read cluster state (nodes, pods) from files; they get no findings. Repeatable."
    return click.option("--from", "sources", multiple=True, metavar="PATH", help=given)(function)


def add_world_options(function: Callable[..., Any], *, several: bool = False) -> Callable[..., Any]:
    """The options that say in which world a change is judged: files, or a cluster; `several`: or several clusters."""
    given = "Read cluster state from a file, folder or - (standard input) instead of the live cluster. Repeatable."
    return click.option("--from", "sources", multiple=True, metavar="PATH", help=given)(add_connection_options(function, several=several))


CONNECTION_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option("--context", metavar="NAME", default="", help="Context of the kubeconfig. Default: the current context."),
    click.option("--kubeconfig", metavar="FILE", default="", help="Path of the kubeconfig. Default: $KUBECONFIG, then ~/.kube/config."),
    click.option("--as", "user", metavar="USER", default="", help="User to impersonate, as in kubectl."),
    click.option("--as-group", "groups", metavar="GROUP", multiple=True, help="Group to impersonate, with --as. Repeatable."),
    click.option(
        "--request-timeout",
        metavar="SECONDS",
        default="30",
        help="Time limit of one request, such as 5 or 1m30s; 0 for none. Default: 30s.",
    ),
)


_CONTEXTS_OPTION = click.option(
    "--context",
    "contexts",
    metavar="NAME",
    multiple=True,
    help="Context of the kubeconfig. Repeatable: one report for each cluster. Default: the current context.",
)


def add_connection_options(function: Callable[..., Any], *, several: bool = False) -> Callable[..., Any]:
    """The options that say which cluster is asked, on a command; `several`: the contexts are `contexts`, any number of them."""
    for option in reversed((_CONTEXTS_OPTION, *CONNECTION_OPTIONS[1:]) if several else CONNECTION_OPTIONS):
        function = option(function)
    return function


def make_target(given: dict[str, Any], sources: Sequence[str], *, live: bool) -> ClusterTarget | None:
    """The cluster to ask: None where files are the world.

    `live`: a cluster is asked where no file is given, and of a line of kubectl's with files its choice of a cluster means nothing here.
    Else a cluster is asked only where one is chosen. Errors: UsageError where both are.
    """
    chosen = [word for name, word in _CONNECTION_FLAGS.items() if given[name]]
    if sources and chosen and not live:
        raise UsageError(messages.describe_from_and_cluster(chosen[0]))
    if sources or not (live or chosen):
        return None
    return ClusterTarget(
        context=given["context"],
        kubeconfig=given["kubeconfig"],
        user=given["user"],
        groups=given["groups"],
        timeout=_parse_timeout(given["request_timeout"]),
        shows_progress=sys.stderr.isatty(),
    )


_CONNECTION_FLAGS = {"context": "--context", "kubeconfig": "--kubeconfig", "user": "--as", "groups": "--as-group"}


def _parse_timeout(text: str) -> float:
    seconds = parse_timeout(text)
    if seconds is None:
        raise UsageError(messages.describe_invalid_timeout(text))
    return seconds


def make_input(given: dict[str, Any], sources: Sequence[str], *, live: bool) -> Input:
    """The cluster that the options name: files, a snapshot, or a live one, as `make_target` has it."""
    return select_input(sources, target=make_target(given, sources, live=live))


def make_session(given: dict[str, Any], source: Input) -> Session:
    """What a run is about and how it is judged: the input, the shared options, and standard input."""
    options = Options(
        fail_on=Severity(given["fail_on"]),
        allow_empty=given["allow_empty"],
        strict=given.get("strict", False),
        exit_zero=given["exit_zero"],
        versions=make_version_options(given),
        exclusion=make_exclusion(given),
        why=given["why"],
    )
    return Session(source, options, make_policy_options(given), sys.stdin.buffer)


def make_exclusion(given: dict[str, Any], policy_name: str | None = None) -> Exclusion:
    """What the options leave out where folders are read, and what a policy does, None for no policy."""
    stated = policy.load(policy_name).excluded if policy_name else ()
    return Exclusion(
        (*(ExcludedPaths(glob) for glob in given["excluded"]), *stated),
        covers_ignored_files=not given["no_gitignore"],
        covers_named_files=given["allow_empty"],
    )


def make_policy_options(given: dict[str, Any]) -> PolicyOptions:
    """What a run is held to: the policy that is named or found, exemptions, the baseline, and the day."""
    if given["policy"] and given["no_policy"]:
        raise UsageError(messages.EXCLUSIVE_POLICIES)
    name = given["policy"] or (None if given["no_policy"] else policy.find_policy())
    today = _parse_today(given["today"])
    held = PolicyOptions(policy=policy.load(name) if name else policy.Policy(), allows_exemptions=not given["no_exemptions"], today=today)
    accept, known = given["write_baseline"], given["baseline"]
    if given["no_exemptions"] and (accept or known):
        raise UsageError(messages.EXCLUSIVE_BASELINE)
    if not (accept or known):
        return held
    from preflight.policy import baseline as baselines

    if not accept:
        return replace(held, baseline=baselines.read_baseline(known, known))
    return replace(held, new_baseline=(accept, baselines.parse_last_day(given["baseline_expires"], today or datetime.date.today())))


def _parse_today(text: str) -> datetime.date | None:
    """A day as 2027-01-31; None for none."""
    if not text:
        return None
    from preflight.policy.validate import parse_day

    found = parse_day(text)
    if found is None:
        raise UsageError(messages.describe_invalid_day(text))
    return found
