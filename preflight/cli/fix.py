"""`preflight fix [PATH...]`: the smallest exact toleration as an edit that keeps everything else, or as a patch."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from preflight.cli.options import parse_feature_gate
from preflight.errors import InputError, UsageError

if TYPE_CHECKING:
    from preflight.fix.planner import FixResult
    from preflight.kubectl.commands import Command
    from preflight.load import LoadResult
    from preflight.model.objects import DaemonSet, Origin

_PATCHES = ("kubectl", "kustomize")


class _FixCommand(click.Command):
    """A command whose `--patch` may stand without its value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`--patch PATH` is `--patch=kubectl PATH`."""
        given = [
            "--patch=kubectl" if arg == "--patch" and not (args[number + 1 : number + 2] and args[number + 1] in _PATCHES) else arg
            for number, arg in enumerate(args)
        ]
        return super().parse_args(ctx, given)


@click.command("fix", cls=_FixCommand)
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
    from preflight.fix.evaluate import EvaluationInput
    from preflight.fix.plan import FindingSelection
    from preflight.fix.planner import FixOptions, plan_fixes
    from preflight.fix.summary import format_fix_summary
    from preflight.model.report import Problem
    from preflight.report.text import render_problems

    if sum((given["diff"], given["write"], bool(given["patch"]))) > 1:
        raise UsageError("--diff, --write and --patch exclude one another")
    rules = _parse_rules(given["rules"])
    commands = _parse_commands(given["lines"], given["plan"])
    gate = parse_feature_gate(given["feature_gates"])
    named = paths or (".",)
    loaded = load.load_world(named, context_paths=sources, stdin=sys.stdin.buffer, one_cluster=bool(commands), comparison_operators=gate)
    base = given["plan"] or ""
    read = functools.cache(lambda path: load.read_objects(path, base).given_objects)
    around = frozenset() if loaded.checked_files is None else loaded.sources - loaded.checked_files
    way = FixOptions(makes_patches=bool(given["patch"]), edits_rendered=given["rendered"], context_files=around)
    question = EvaluationInput(loaded.world, tuple(commands), read, None if commands else loaded.checked_files)
    problems = list(loaded.problems)
    if not allow_empty:
        problems += map(Problem, _find_empty_reasons(loaded, commands))
    outcome = plan_fixes(question, FindingSelection(rules, is_lint=not commands), way, _collect_originals(loaded, commands, read))
    lines = list(format_fix_summary(outcome, commands, patches=way.makes_patches, is_written=given["write"]))
    failed = _write_files(outcome) if given["write"] else []
    if way.makes_patches:
        click.echo(_format_patches(outcome, given["patch"]), nl=False)
    elif not given["write"]:
        _print_diff(outcome)
    _print_lines(lines, err=not given["write"])
    problems += map(Problem, failed)
    if problems:
        click.echo(render_problems(tuple(problems)), nl=False, err=True)
    if problems or outcome.is_unknown:
        return 3
    return 1 if outcome.unfixed or outcome.has_losses else 0


def _parse_rules(names: Iterable[str]) -> frozenset[str]:
    from preflight.rules.registry import load_all_rules

    ids = {rule_info.name: rule_info.id for rule_info in load_all_rules()}
    found = frozenset(ids.get(name.lower(), name.upper()) for name in names)
    fixable = [rule.id for rule in load_all_rules() if rule.fix is not None]
    for rule in sorted(found.difference(fixable)):
        raise UsageError(f"nothing is known that fixes {rule}: fix knows {', '.join(fixable)}")
    return found


def _parse_commands(lines: Sequence[str], plan: str | None) -> list[Command]:
    from preflight import load
    from preflight.kubectl.plan_file import parse_plan

    if lines and plan:
        raise UsageError("--for and --plan exclude one another")
    if plan:
        steps = load.read_plan(plan)
        return parse_plan([item for _, item in steps], [f"{origin.file}:{origin.line}" for origin, _ in steps])
    return parse_plan(lines) if lines else []


def _find_empty_reasons(loaded: LoadResult, commands: Sequence[Command]) -> list[str]:
    if not loaded.objects:
        return ["nothing was there to judge: no object of a kind that preflight knows"]
    if commands and not loaded.world.daemonsets and not any(type(each).__name__ == "ApplyFiles" for each in commands):
        return ["no DaemonSet was given: there is nothing that a change could cost"]
    return []


def _collect_originals(loaded: LoadResult, commands: Sequence[Command], read: Any) -> dict[Origin, DaemonSet]:
    """The DaemonSets as they stand in their files, those of `apply -f` included."""
    from preflight.kubectl.commands import ApplyFiles
    from preflight.model.objects import DaemonSet

    applied = [each for command in commands if isinstance(command, ApplyFiles) for path in command.files for each in read(path)]
    return {daemonset.origin: daemonset for daemonset in (*applied, *loaded.world.workloads) if isinstance(daemonset, DaemonSet)}


def _write_files(outcome: FixResult) -> list[str]:
    """Write the files; what could not be written, in words."""
    from preflight.fix.write import write_fixed_file

    failed = []
    for file, (before, after) in sorted(outcome.files.items()):
        try:
            write_fixed_file(file, before, after)
        except InputError as error:
            failed.append(str(error))
    return failed


def _format_patches(outcome: FixResult, form: str) -> str:
    from preflight.fix.kubectl_patch import format_kubectl_patch, format_kustomization

    if form == "kubectl":
        return "".join(f"{format_kubectl_patch(fixe.daemonset, fixe.operations)}\n" for fixe in outcome.fixes)
    return format_kustomization([(fix.daemonset, fix.operations) for fix in outcome.fixes]) if outcome.fixes else ""


def _print_diff(outcome: FixResult) -> None:
    """The diffs as they are, byte for byte; on a terminal made plain, so that no file can command it."""
    from preflight.fix.unified_diff import format_unified_diff

    data = b"".join(format_unified_diff(file, before, after) for file, (before, after) in sorted(outcome.files.items()))
    if sys.stdout.isatty():
        _print_lines(data.decode("utf-8", "replace").split("\n")[:-1], err=False)
    else:
        click.echo(data, nl=False)


def _print_lines(lines: Iterable[str], *, err: bool) -> None:
    from preflight.report.terminal import escape_ci_commands, escape_unprintable

    for line in lines:
        click.echo("\t".join(escape_ci_commands(escape_unprintable(part)) for part in line.removesuffix("\r").split("\t")), err=err)
