"""`preflight fix [PATH...]`: the smallest exact toleration as an edit that keeps everything else, or as a patch."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from preflight.cli.options import _gate
from preflight.errors import InputError, UsageError

if TYPE_CHECKING:
    from preflight.fix.planner import Outcome
    from preflight.kubectl.commands import Command
    from preflight.load import Loaded
    from preflight.model.objects import DaemonSet, Origin

_PATCHES = ("kubectl", "kustomize")


class _Fix(click.Command):
    """A command whose `--patch` may stand without its value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`--patch PATH` is `--patch=kubectl PATH`."""
        given = [
            "--patch=kubectl" if arg == "--patch" and not (args[number + 1 : number + 2] and args[number + 1] in _PATCHES) else arg
            for number, arg in enumerate(args)
        ]
        return super().parse_args(ctx, given)


@click.command("fix", cls=_Fix)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--from", "sources", multiple=True, metavar="PATH", help="The world around PATH: it is not edited. Repeatable.")
@click.option("--for", "lines", multiple=True, metavar="COMMAND", help="Fix what this change would cost: kubectl's words. Repeatable.")
@click.option("--plan", "plan", metavar="FILE", help="Fix what this plan would cost.")
@click.option("--rule", "rules", multiple=True, metavar="RULE", help="Only these findings, notes included: an id or a name. Repeatable.")
@click.option("--diff", "diff", is_flag=True, help="Print a diff for git apply or patch -p1 (default).")
@click.option("--write", "write", is_flag=True, help="Write the files.")
@click.option("--patch", "patch", type=click.Choice(_PATCHES), help="Print JSON patches: lines for kubectl (default), or for kustomize.")
@click.option("--rendered", is_flag=True, help="Edit what Helm rendered, too.")
@click.option("--allow-empty", is_flag=True, help="Nothing to judge is no fault.")
@click.option("--feature-gates", metavar="GATE=BOOL", default="", help="The gate of Lt and Gt, as in every command.")
def command(paths: tuple[str, ...], sources: tuple[str, ...], *, allow_empty: bool, **given: Any) -> int:
    """Fix what lint finds, or what a change would cost. The diff or patch goes to standard output, the account to standard error."""
    from preflight import load
    from preflight.fix.evaluate import Question
    from preflight.fix.plan import Selection
    from preflight.fix.planner import Way, work_out
    from preflight.fix.summary import account
    from preflight.model.report import Problem
    from preflight.report.text import render_problems

    if sum((given["diff"], given["write"], bool(given["patch"]))) > 1:
        raise UsageError("--diff, --write and --patch exclude one another")
    rules = _rules(given["rules"])
    commands = _commands(given["lines"], given["plan"])
    gate = _gate(given["feature_gates"])
    named = paths or (".",)
    loaded = load.read(named, around=sources, stdin=sys.stdin.buffer, one_cluster=bool(commands), comparison_operators=gate)
    base = given["plan"] or ""
    read = functools.cache(lambda path: load.read_objects(path, base).given)
    around = frozenset() if loaded.judged is None else loaded.sources - loaded.judged
    way = Way(patches=bool(given["patch"]), rendered=given["rendered"], around=around)
    question = Question(loaded.world, tuple(commands), read, None if commands else loaded.judged)
    problems = list(loaded.problems)
    if not allow_empty:
        problems += map(Problem, _nothing(loaded, commands))
    outcome = work_out(question, Selection(rules, lint=not commands), way, _originals(loaded, commands, read))
    lines = list(account(outcome, commands, patches=way.patches, written=given["write"]))
    failed = _write(outcome) if given["write"] else []
    if way.patches:
        click.echo(_patches(outcome, given["patch"]), nl=False)
    elif not given["write"]:
        _diff(outcome)
    _print(lines, err=not given["write"])
    problems += map(Problem, failed)
    if problems:
        click.echo(render_problems(tuple(problems)), nl=False, err=True)
    if problems or outcome.unknown:
        return 3
    return 1 if outcome.left or outcome.loses else 0


def _rules(names: Iterable[str]) -> frozenset[str]:
    from preflight.fix.plan import FIXABLE
    from preflight.rules.registry import all_rules

    ids = {each.name: each.id for each in all_rules()}
    found = frozenset(ids.get(name.lower(), name.upper()) for name in names)
    for rule in sorted(found - FIXABLE):
        raise UsageError(f"nothing is known that fixes {rule}: fix knows {', '.join(sorted(FIXABLE))}")
    return found


def _commands(lines: Sequence[str], plan: str | None) -> list[Command]:
    from preflight import load
    from preflight.kubectl.plan_file import commands

    if lines and plan:
        raise UsageError("--for and --plan exclude one another")
    if plan:
        steps = load.read_plan(plan)
        return commands([item for _, item in steps], [f"{origin.file}:{origin.line}" for origin, _ in steps])
    return commands(lines) if lines else []


def _nothing(loaded: Loaded, commands: Sequence[Command]) -> list[str]:
    if not loaded.objects:
        return ["nothing was there to judge: no object of a kind that preflight knows"]
    if commands and not loaded.world.daemonsets and not any(type(each).__name__ == "ApplyFiles" for each in commands):
        return ["no DaemonSet was given: there is nothing that a change could cost"]
    return []


def _originals(loaded: Loaded, commands: Sequence[Command], read: Any) -> dict[Origin, DaemonSet]:
    """The DaemonSets as they stand in their files, those of `apply -f` included."""
    from preflight.kubectl.commands import ApplyFiles
    from preflight.model.objects import DaemonSet

    applied = [each for command in commands if isinstance(command, ApplyFiles) for path in command.files for each in read(path)]
    return {each.origin: each for each in (*applied, *loaded.world.workloads) if isinstance(each, DaemonSet)}


def _write(outcome: Outcome) -> list[str]:
    """Write the files; what could not be written, in words."""
    from preflight.fix.write import write

    failed = []
    for file, (before, after) in sorted(outcome.files.items()):
        try:
            write(file, before, after)
        except InputError as error:
            failed.append(str(error))
    return failed


def _patches(outcome: Outcome, form: str) -> str:
    from preflight.fix.kubectl_patch import kubectl, kustomize

    if form == "kubectl":
        return "".join(f"{kubectl(each.daemonset, each.operations)}\n" for each in outcome.fixes)
    return kustomize([(each.daemonset, each.operations) for each in outcome.fixes]) if outcome.fixes else ""


def _diff(outcome: Outcome) -> None:
    """The diffs as they are, byte for byte; on a terminal made plain, so that no file can command it."""
    from preflight.fix.unified_diff import unified

    data = b"".join(unified(file, before, after) for file, (before, after) in sorted(outcome.files.items()))
    if sys.stdout.isatty():
        _print(data.decode("utf-8", "replace").split("\n")[:-1], err=False)
    else:
        click.echo(data, nl=False)


def _print(lines: Iterable[str], *, err: bool) -> None:
    from preflight.report.terminal import inert, plain

    for line in lines:
        click.echo("\t".join(inert(plain(part)) for part in line.removesuffix("\r").split("\t")), err=err)
