"""The first sentence of a report, decided from the whole of it or from one step; the text and the page both begin with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from preflight.model.report import Coverage, Finding, FindingRole, Outcome, Report, ReportStep, Severity, StoryOrder
from preflight.model.verdict import (
    AffectedWorkloads,
    CoverageGain,
    CoverageLoss,
    Faults,
    FindingCount,
    LossMoment,
    NoFault,
    PlainFact,
    ReplacementLoss,
    UnknownCoverage,
    UnreadInput,
    Verdict,
    VerdictFact,
    VerdictSign,
)
from preflight.report.eviction_verdict import judge_evictions

LOSING_OUTCOMES = (Outcome.LOST_NOW, Outcome.LOST_ON_RECREATION, Outcome.LOOP)


class _StatedFacts(NamedTuple):
    """What the first facts of a verdict are about."""

    has_losses: bool
    has_pods: bool
    has_faults: bool


def decide_verdict(report: Report) -> Verdict:
    """The worst that a report says, in the order of its weight.

    1. DaemonSets that lose a node come first, whether or not a finding is exempted, and how many workloads depend on them; then how a drain
       ends and what becomes of its pods; then errors that none of these facts states.
    2. What is unknown, or could not be read, is always stated. "No DaemonSet loses a node" is stated only if pairs were checked and all
       answers are known.
    3. Findings about what a change does not touch count nowhere.
    """
    return _decide(report, report.steps, select_answering_findings(report))


def decide_step_verdict(report: Report, number: int) -> Verdict:
    """The same of one step, by its 1-based number: what could not be read is left to the whole."""
    findings = [finding for finding in select_answering_findings(report) if finding.step == number]
    return _decide(None, (report.steps[number - 1],), findings)


def select_answering_findings(report: Report) -> list[Finding]:
    """The findings that answer what was asked and that no exemption covers, in the order of the report."""
    return [finding for finding in report.findings if finding.exempted is None and finding.role.is_about_change]


def _decide(report: Report | None, steps: Sequence[ReportStep], findings: Sequence[Finding]) -> Verdict:
    losses = list(_iter_losses(steps, findings))
    pods, sign_of_pods = _judge_pods(steps)
    faults = list(_iter_faults(steps))
    stated = _StatedFacts(bool(losses), sign_of_pods is VerdictSign.BAD, bool(faults))
    rest = [finding for finding in findings if not _is_stated(finding, stated, steps)]
    errors = list(_count_findings(rest, Severity.ERROR))
    unknown = list(_iter_unknown(report, steps, findings))
    if report is not None and report.exit == 3 and not unknown and sign_of_pods is not VerdictSign.UNKNOWN:
        unknown = [PlainFact.NOT_ALL_KNOWN]
    warnings = list(_count_findings(rest, Severity.WARNING))
    has_error = any(finding.severity is Severity.ERROR for finding in findings)
    if losses or faults or has_error or sign_of_pods is VerdictSign.BAD:
        return Verdict(VerdictSign.BAD, (*losses, *faults, *pods, *errors, *unknown))
    if unknown or sign_of_pods is VerdictSign.UNKNOWN:
        return Verdict(VerdictSign.UNKNOWN, (*pods, *unknown, *warnings))
    fine = _iter_fine(report, steps, findings, pods)
    has_warning = any(finding.severity is Severity.WARNING for finding in findings)
    is_failing = report is not None and report.exit != 0
    if has_warning or is_failing or sign_of_pods is VerdictSign.WARNING:
        notes = list(_count_findings(rest, Severity.NOTE)) if is_failing and not has_warning else []
        return Verdict(VerdictSign.WARNING, (*fine, *warnings, *notes))
    return Verdict(VerdictSign.FINE, tuple(fine))


def _iter_losses(steps: Sequence[ReportStep], findings: Sequence[Finding]) -> Iterator[VerdictFact]:
    rows = [row for step in steps if step.story is None for row in step.coverage if row.outcome in LOSING_OUTCOMES]
    if not rows:
        return
    outcomes = {row.outcome for row in rows}
    if any(step.compares for step in steps):
        moment = LossMoment.PAST
    elif outcomes == {Outcome.LOOP}:
        moment = LossMoment.LOOP
    elif outcomes == {Outcome.LOST_NOW}:
        moment = LossMoment.NOW
    else:
        moment = LossMoment.RECREATION if outcomes == {Outcome.LOST_ON_RECREATION} else LossMoment.MIXED
    yield CoverageLoss(_list_daemonsets(rows), _list_nodes(rows), moment)
    if workloads := {workload for finding in findings for workload in finding.workloads}:
        yield AffectedWorkloads(len(workloads))


def _list_daemonsets(rows: Sequence[Coverage]) -> tuple[str, ...]:
    return tuple(name for name, _ in sorted({(row.daemonset, row.place) for row in rows}))


def _list_nodes(rows: Sequence[Coverage]) -> tuple[str, ...]:
    return tuple(sorted({node for row in rows for node in row.nodes}))


def _judge_pods(steps: Sequence[ReportStep]) -> tuple[list[VerdictFact], VerdictSign]:
    """What becomes of ordinary pods, of the worst step that lets some go, and how bad that is."""
    judged = [judge_evictions(step.evictions) for step in steps if step.evictions is not None]
    order = list(VerdictSign)
    return min(judged, key=lambda answer: order.index(answer[1]), default=([], VerdictSign.FINE))


def _iter_faults(steps: Sequence[ReportStep]) -> Iterator[Faults]:
    """All faults of all clusters, as one fact."""
    if count := sum(len(step.story or ()) for step in steps):
        yield Faults(count, has_causes=any(step.story_order is StoryOrder.CAUSES_FIRST for step in steps))


def _is_stated(finding: Finding, stated: _StatedFacts, steps: Sequence[ReportStep]) -> bool:
    """Whether a fact of the verdict states what a finding says."""
    if stated.has_faults:
        return True
    if finding.effect is not None or finding.role is FindingRole.CONSEQUENCE:
        outcome = finding.effect.outcome if finding.effect is not None else Outcome.LOST_NOW
        return outcome is Outcome.UNKNOWN or (outcome in LOSING_OUTCOMES and stated.has_losses)
    return stated.has_pods and any(step.evictions is not None for step in steps)


def _count_findings(findings: Sequence[Finding], severity: Severity) -> Iterator[FindingCount]:
    found = [finding for finding in findings if finding.severity is severity]
    if found:
        yield FindingCount(severity, len(found), tuple(dict.fromkeys(finding.name for finding in found)))


def _iter_unknown(report: Report | None, steps: Sequence[ReportStep], findings: Sequence[Finding]) -> Iterator[VerdictFact]:
    """What is unknown: rows, what could not be read, what a crash left out."""
    facts: list[VerdictFact] = []
    rows = [row for step in steps for row in step.coverage]
    if unknown := [row for row in rows if row.outcome is Outcome.UNKNOWN]:
        judged = {(row.daemonset, row.place) for row in rows if row.outcome is not Outcome.EXCLUDED}
        reason = next((reason for row in unknown for reason in row.reasons), "")
        effects = (finding.effect for finding in findings if finding.effect is not None)
        effect = next((effect for effect in effects if effect.outcome is Outcome.UNKNOWN), None)
        facts.append(UnknownCoverage(len({(row.daemonset, row.place) for row in unknown}), len(judged), reason, effect))
    if report is None:
        yield from facts
        return
    if report.problems:
        facts.append(UnreadInput(report.problems[0].message, len(report.problems)))
    if report.exit == 4:
        facts.append(PlainFact.RULE_CRASHED)
    has_checked = report.judged.objects or report.judged.daemonsets or report.judged.pairs or report.findings
    if not facts and not has_checked and not any(step.evictions is not None for step in steps):
        facts.append(PlainFact.NOTHING_CHECKED)
    yield from facts


def _iter_fine(
    report: Report | None, steps: Sequence[ReportStep], findings: Sequence[Finding], pods: Sequence[VerdictFact]
) -> Iterator[VerdictFact]:
    """What is well; `pods` are the facts about ordinary pods."""
    rows = [row for step in steps for row in step.coverage if row.outcome is not Outcome.EXCLUDED]
    if pods:
        yield from pods
    elif any(step.story is not None for step in steps):
        yield NoFault(len({node for step in steps for node in step.nodes}))
    elif any(step.compares for step in steps):
        yield PlainFact.NO_PAST_LOSS
    elif any(step.coverage for step in steps) and (report is None or report.command):
        yield PlainFact.NO_LOSS
    else:
        yield PlainFact.NO_ERROR if findings else PlainFact.NO_FINDING
    if gained := [row for row in rows if row.outcome is Outcome.GAINED]:
        yield CoverageGain(_list_daemonsets(gained), _list_nodes(gained))
    if rows_lost := [row for row in rows if row.replaced is not None and row.replaced < row.recreated]:
        yield ReplacementLoss(_list_daemonsets(rows_lost), _list_nodes(rows_lost))
