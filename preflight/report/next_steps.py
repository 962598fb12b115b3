"""The end of a report: what to type next, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from preflight.inert_text import escape_unprintable
from preflight.messages import next_steps as messages
from preflight.model.report import Finding, FixCommand, Report, Severity
from preflight.model.verdict import DrainResult, LeavingPods, UnknownCoverage, VerdictSign
from preflight.report.findings import list_checks
from preflight.report.terminal import Ink, count_columns
from preflight.report.verdict import decide_verdict, select_answering_findings

_MOST_CHECKS = 3
"""For how many faults there is a command: the others are as likely to follow from them."""


class NextStep(NamedTuple):
    """A command, and a comment of the shell; one of the two may be empty."""

    command: str
    comment: str = ""

    def __str__(self) -> str:
        """Both on one line."""
        return messages.add_comment(self.command, self.comment)


def list_next_steps(report: Report) -> list[NextStep]:
    """What to type next, in order.

    1. How to fix what is lost, then the change itself. Where pods are in the way, the run is repeated after the advice was followed.
    2. The input that is missing, where an answer is unknown; the change itself, where it is fine.
    3. The command that explains the worst finding comes last.
    """
    verdict = decide_verdict(report)
    sign = verdict.sign
    findings = select_answering_findings(report)
    worst = sorted((finding for finding in findings if finding.severity is not Severity.NOTE), key=lambda finding: finding.severity.rank)
    has_story = any(step.story for step in report.steps)
    steps = list(_iter_fix_steps(report, findings)) if sign is not VerdictSign.UNKNOWN else []
    has_gap = any(isinstance(fact, UnknownCoverage | LeavingPods) for fact in verdict.facts) or any(
        problem.location is None for problem in report.problems
    )
    if sign is VerdictSign.UNKNOWN and has_gap and report.cluster is None and report.command:
        steps.append(NextStep(messages.GIVE_CLUSTER, messages.THEN_FROM))
    elif sign in (VerdictSign.FINE, VerdictSign.WARNING) or (steps and sign is VerdictSign.BAD):
        context = report.cluster.context if report.cluster is not None else ""
        steps += [NextStep(messages.describe_kubectl(line, context)) for line in report.next.kubectl]
        if report.next.fix is not None and report.next.fix.plan:
            steps.append(NextStep("", messages.describe_plan(report.next.fix.plan)))
    elif any(step.evictions is not None for step in report.steps):
        flags = [flag for fact in verdict.facts if isinstance(fact, DrainResult) for flag in fact.flags]
        steps += [
            NextStep(messages.describe_repetition(line, flags, report.next.sources), messages.CHECK_AGAIN) for line in report.next.kubectl
        ]
    elif sign is VerdictSign.BAD and report.command and not has_story and any(finding.effect is not None for finding in worst):
        steps.append(NextStep("", messages.LEAVE_IT_OUT))
    if has_story:
        steps += map(NextStep, list(_iter_checks(worst))[:_MOST_CHECKS])
    if worst:
        steps.append(NextStep(messages.describe_explanation(worst[0].rule)))
    return steps


def draw_next_steps(report: Report, ink: Ink, width: int) -> list[str]:
    """The lines: commands are never folded, so that they can be pasted; a comment that does not fit is left out. [] for nothing to do."""
    steps = list_next_steps(report)
    return [ink(messages.NEXT, "strong"), *(f"  {fit_step(step, width)}" for step in steps)] if steps else []


def fit_step(step: NextStep, width: int) -> str:
    """One step, whose comment is left out where it does not fit; `width` 0 is as wide as it gets."""
    line = escape_unprintable(str(step))
    return line if not width or count_columns(line) + 2 <= width else escape_unprintable(step.command or str(step))


def _iter_checks(findings: Sequence[Finding]) -> Iterator[str]:
    """The first command of each finding that shows what is broken, each once.

    Not of one about nodes that others before it are about, too: what is wrong there may follow from these.
    """
    seen: set[str] = set()
    commands = []
    for finding in findings:
        if not finding.nodes or not seen.issuperset(finding.nodes):
            commands.append(next(iter(list_checks(finding)), ""))
        seen.update(finding.nodes)
    yield from dict.fromkeys(filter(None, commands))


def _iter_fix_steps(report: Report, findings: Sequence[Finding]) -> Iterator[NextStep]:
    fixable = [finding for finding in findings if finding.suggestion is not None and finding.severity is not Severity.NOTE]
    if not report.command and report.next.fix is not None:
        edits = {rule.id for rule in report.rules if rule.is_fixable}
        fixable = [finding for finding in findings if finding.rule in edits and finding.severity is not Severity.NOTE]
    if not fixable:
        return
    fix = report.next.fix
    if fix is not None:
        makes_patches = all(finding.location is not None and not finding.location.source for finding in fixable)
        yield _describe_fix(fix, makes_patches=makes_patches)
        yield NextStep("", messages.RUN_PATCHES if makes_patches else messages.APPLY_FIXES)
    elif report.cluster is None or not report.next.kubectl:
        yield NextStep("", messages.ADD_TOLERATIONS)
    else:
        yield NextStep(messages.SNAPSHOT)
        yield _describe_fix(FixCommand(("cluster.json.gz",), report.next.kubectl), makes_patches=True)
        yield NextStep("", messages.RUN_PATCHES)


def _describe_fix(fix: FixCommand, *, makes_patches: bool) -> NextStep:
    comment = messages.PRINTS_PATCHES if makes_patches else messages.PRINTS_EDITS
    return NextStep(messages.describe_fix(fix, makes_patches=makes_patches), comment)
