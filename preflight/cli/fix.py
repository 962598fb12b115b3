"""`preflight fix [PATH...]`: the smallest exact toleration as an edit that keeps everything else, or as a patch."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from preflight.cli.documented_command import DocumentedCommand
from preflight.cli.options import parse_feature_gate
from preflight.cli.output import print_problems
from preflight.errors import InputError, UsageError
from preflight.messages import cli as messages

if TYPE_CHECKING:
    from preflight.engine.plan import Plan
    from preflight.fix.planner import FixResult

_PATCHES = ("kubectl", "kustomize")


class _FixCommand(DocumentedCommand):
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
@click.option(
    "--from", "sources", multiple=True, metavar="PATH", help="Read cluster state (nodes, pods) from files; they are not edited. Repeatable."
)
@click.option("--for", "lines", multiple=True, metavar="COMMAND", help="Fix what this kubectl command would cost. Repeatable.")
@click.option("--plan", "plan", metavar="FILE", help="Fix what this plan would cost: a YAML list of command lines.")
@click.option("--rule", "rules", multiple=True, metavar="RULE", help="Fix only findings of this rule, by id or name. Repeatable.")
@click.option("--diff", "diff", is_flag=True, help="Print a diff for git apply or patch -p1. This is the default.")
@click.option("--write", "write", is_flag=True, help="Write the files.")
@click.option("--patch", "patch", type=click.Choice(_PATCHES), help="Print JSON patches for kubectl or kustomize. Default: kubectl.")
@click.option("--rendered", is_flag=True, help="Also edit files rendered by Helm.")
@click.option("--allow-empty", is_flag=True, help="Exit 0 when there is nothing to check.")
@click.option(
    "--feature-gates", metavar="GATE=BOOL", default="", help="TaintTolerationComparisonOperators=true or =false. Default: unknown."
)
def command(paths: tuple[str, ...], sources: tuple[str, ...], *, allow_empty: bool, **given: Any) -> int:
    """Fix what lint finds, or what a change would cost."""
    from preflight.engine.fix import FixRequest, propose_fixes
    from preflight.engine.session import Options, Session
    from preflight.fix.summary import format_fix_summary
    from preflight.load.inputs import Files
    from preflight.model.report import Problem

    if sum((given["diff"], given["write"], bool(given["patch"]))) > 1:
        raise UsageError(messages.EXCLUSIVE_FORMS)
    request = FixRequest(
        rules=_parse_rules(given["rules"]),
        plan=_parse_plan(given["lines"], given["plan"]),
        makes_patches=bool(given["patch"]),
        edits_rendered=given["rendered"],
    )
    options = Options(allow_empty=allow_empty, comparison_operators=parse_feature_gate(given["feature_gates"]))
    proposal = propose_fixes(Session(Files(paths or (".",), sources), options, stdin=sys.stdin.buffer), request)
    outcome = proposal.result
    lines = list(format_fix_summary(outcome, request.plan.commands, patches=request.makes_patches, is_written=given["write"]))
    failed = _write_files(outcome) if given["write"] else []
    if request.makes_patches:
        click.echo(_format_patches(outcome, given["patch"]), nl=False)
    elif not given["write"]:
        _print_diff(outcome)
    if outcome.fixes or outcome.unfixed or not proposal.problems:
        _print_lines(lines, err=not given["write"])
    problems = (*proposal.problems, *map(Problem, failed))
    if problems:
        print_problems(problems)
    if problems or outcome.is_unknown:
        return 3
    return 1 if outcome.unfixed or outcome.has_losses else 0


def _parse_rules(names: Iterable[str]) -> frozenset[str]:
    from preflight.rules.select_rules import load_all_rules

    ids = {word: rule.id for rule in load_all_rules() for word in (rule.id.lower(), rule.name)}
    for name in names:
        if name.lower() not in ids:
            raise UsageError(messages.describe_unknown_rule(name, [word for rule in load_all_rules() for word in (rule.id, rule.name)]))
    found = frozenset(ids[name.lower()] for name in names)
    fixable = [rule.id for rule in load_all_rules() if rule.fix is not None]
    for rule in sorted(found.difference(fixable)):
        raise UsageError(messages.describe_unfixable_rule(rule, fixable))
    return found


def _parse_plan(lines: Sequence[str], file: str | None) -> Plan:
    """The changes that are to cost nothing; none for what lint finds."""
    from preflight.engine.plan import Plan, make_plan, read_plan_lines

    if lines and file:
        raise UsageError(messages.EXCLUSIVE_CHANGES)
    if file:
        return Plan(tuple(read_plan_lines(file)), f"plan {file}", file)
    return make_plan(lines) if lines else Plan((), "")


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
    from preflight.fix.patches import format_kustomization, format_patch

    if form == "kubectl":
        return "".join(f"{line}\n" for line in dict.fromkeys(format_patch(fix.edited, fix.operations) for fix in outcome.fixes))
    return format_kustomization([(fix.edited, fix.operations) for fix in outcome.fixes]) if outcome.fixes else ""


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
