"""`preflight fix [PATH...]`: the smallest exact toleration as an edit that keeps everything else, or as a patch."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from preflight import policy
from preflight.cli.documented_command import DocumentedCommand
from preflight.cli.options import add_exclusion_options, make_exclusion
from preflight.cli.output import print_problems
from preflight.cli.streams import print_data, print_line, print_text
from preflight.cli.version_options import add_version_options, make_version_options
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
@add_exclusion_options
@add_version_options
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
    exclusion = make_exclusion({**given, "allow_empty": allow_empty}, policy.find_policy())
    options = Options(allow_empty=allow_empty, versions=make_version_options(given), exclusion=exclusion)
    proposal = propose_fixes(Session(Files(paths or (".",), sources), options, stdin=sys.stdin.buffer), request)
    outcome = proposal.result
    lines = list(format_fix_summary(outcome, request.plan.commands, patches=request.makes_patches, is_written=given["write"]))
    failed = _write_files(outcome, paths if given["plan"] else None) if given["write"] else []
    if request.makes_patches:
        if patches := _format_patches(outcome, given["patch"]):
            print_text(patches.removesuffix("\n"))
    elif not given["write"]:
        _print_diff(outcome)
    if outcome.fixes or outcome.unfixed or not proposal.problems:
        for line in lines:
            print_line(line, err=not given["write"])
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


def _write_files(outcome: FixResult, named: Sequence[str] | None) -> list[str]:
    """Write the files; what could not be written, in words. `named` are the paths of the command line where a plan names files too."""
    from preflight.fix.write import require_named, write_fixed_file

    failed = []
    for file, (before, after) in sorted(outcome.files.items()):
        try:
            if named is not None:
                require_named(file, named)
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
    """The diffs as they are, byte for byte; made inert on a terminal, and where a CI system would obey something in them."""
    from preflight.fix.unified_diff import format_unified_diff
    from preflight.inert_text import has_ci_commands, is_ci_job

    data = b"".join(format_unified_diff(file, before, after) for file, (before, after) in sorted(outcome.files.items()))
    text = data.decode("utf-8", "replace")
    if sys.stdout.isatty() or (is_ci_job(os.environ) and has_ci_commands(text)):
        print_text(text.removesuffix("\n").replace("\r\n", "\n"))
    elif data:
        print_data(data)
