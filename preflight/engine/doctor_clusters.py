"""`preflight doctor` over several clusters: the answers of all as one report, a step for each cluster."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from preflight.engine.doctor import diagnose_cluster
from preflight.engine.multi_cluster import ClusterAnswer, ask_clusters
from preflight.engine.report_builder import Analysis
from preflight.engine.session import Session
from preflight.errors import InputError, PreflightError
from preflight.load.inputs import Live
from preflight.messages import clusters as messages
from preflight.model.report import CheckedCounts, Finding, Problem, Report, ReportStep, SkippedCheck


def diagnose_clusters(sessions: Sequence[Session]) -> Analysis:
    """One answer with the reports of all as one: a step for each cluster, in the order in which they were given.

    The exit code is the worst of all; a cluster that cannot be read is a problem, and 3. Errors: InputError where none can be read.
    """
    answers = ask_clusters([_silence(session) for session in sessions], diagnose_cluster, hidden_errors=PreflightError)
    analyses = [answer.value for answer in answers if answer.value is not None]
    if not analyses:
        raise InputError("; ".join(f"{answer.name}: {answer.error}" for answer in answers))
    return replace(
        analyses[0],
        report=_merge_reports(answers),
        impacts=tuple(impact for analysis in analyses for impact in analysis.impacts),
        crashes=tuple(crash for analysis in analyses for crash in analysis.crashes),
        request_summary="\n".join(analysis.request_summary for analysis in analyses if analysis.request_summary),
    )


def _silence(session: Session) -> Session:
    """The session without a word on its progress: those of several clusters would mix."""
    if not isinstance(session.input, Live):
        return session
    target = replace(session.input.target, shows_progress=False)
    return replace(session, input=replace(session.input, target=target))


def _merge_reports(answers: Sequence[ClusterAnswer[Analysis]]) -> Report:
    reports = [answer.value.report for answer in answers if answer.value is not None]
    unread = [3 for answer in answers if answer.value is None]
    rules = {rule.id: rule for report in reports for rule in report.rules}
    skipped: set[SkippedCheck] = {check for report in reports for check in report.skipped}
    return Report(
        reports[0].preflight,
        " ".join(["doctor", *(answer.name for answer in answers)]),
        tuple(_make_step(answer) for answer in answers),
        _add_counts([report.judged for report in reports]),
        tuple(dict.fromkeys(assumption for report in reports for assumption in report.assumptions)),
        tuple(sorted(skipped, key=lambda check: (check.why, check.what))),
        _merge_problems(answers),
        _merge_findings(answers),
        max([*(report.exit for report in reports), *unread]),
        (),
        tuple(rules[id] for id in sorted(rules)),
    )


def _merge_problems(answers: Sequence[ClusterAnswer[Analysis]]) -> tuple[Problem, ...]:
    """Which clusters could not be read, then what of the others could not be."""
    unread = [Problem(f"{answer.name}: {answer.error}") for answer in answers if answer.value is None]
    named = [
        problem if problem.location else replace(problem, message=f"{answer.name}: {problem.message}")
        for answer in answers
        if answer.value is not None
        for problem in answer.value.report.problems
    ]
    return (*unread, *named)


def _merge_findings(answers: Sequence[ClusterAnswer[Analysis]]) -> tuple[Finding, ...]:
    """The findings of all, each at the step of its cluster."""
    return tuple(
        replace(finding, step=number)
        for number, answer in enumerate(answers, 1)
        if answer.value is not None
        for finding in answer.value.report.findings
    )


def _add_counts(counts: Sequence[CheckedCounts]) -> CheckedCounts:
    return CheckedCounts(
        files=sum(count.files for count in counts),
        objects=sum(count.objects for count in counts),
        daemonsets=sum(count.daemonsets for count in counts),
        nodes=sum(count.nodes for count in counts),
        pairs=sum(count.pairs for count in counts),
    )


def _make_step(answer: ClusterAnswer[Analysis]) -> ReportStep:
    if answer.value is None:
        return ReportStep(answer.name, messages.describe_unread_cluster(answer.name, answer.error), story=())
    report = answer.value.report
    step, asked = report.steps[0], report.cluster
    where = f" ({asked.server}{f', Kubernetes {asked.version}' if asked.version else ''})" if asked is not None and asked.server else ""
    return replace(step, command=answer.name, cluster=answer.name, headline=f"{answer.name}{where}: {step.headline}")
