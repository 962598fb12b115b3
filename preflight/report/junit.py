"""The report as JUnit XML, for the test tabs of CI systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from preflight.inert_text import escape_ci_commands, escape_unprintable, make_markup_inert
from preflight.messages import report as messages
from preflight.model.report import Coverage, Finding, Outcome, Report, Severity
from preflight.report import findings as shape
from preflight.report.ci_annotation import format_sentence, format_title
from preflight.report.formatting import clip, format_names
from preflight.report.summary import format_summary
from preflight.report.terminal import Ink
from preflight.report.text import render_problems

_MOST_LINES = 200
_SKIPPED_OUTCOMES = (Outcome.LOST_NOW, Outcome.LOST_ON_RECREATION, Outcome.LOOP, Outcome.NOT_READY, Outcome.UNKNOWN)


def render(report: Report, **_options: object) -> str:
    """One test suite, `preflight`. The options of a terminal change nothing.

    1. The first test case, `preflight input`, is always there: an error where something could not be read; what was judged is its output.
    2. Each object and rule that has findings is a test case: a failure for errors and warnings, skipped where all are exempted, else
       passed with its notes as output.
    3. Each DaemonSet whose coverage was judged and for which no case failed is a test case `coverage`: passed, or skipped where a pair
       is unknown, or lost and exempted.
    4. No clock is read, so no case has a time. Every control character is written as an escape, lines are cut at 1,000 characters and
       a case at 200 lines.
    """
    suite = Element("testsuite", {"name": "preflight"})
    _add_input_case(suite, report)
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in report.findings:
        groups.setdefault((f"{finding.subject.kind} {finding.subject}", finding.rule, finding.name), []).append(finding)
    failed = {owner for (owner, *_), case in groups.items() if _add_finding_case(suite, owner, case, len(report.steps))}
    _add_coverage_cases(suite, report, failed)
    for attribute, path in (("tests", "testcase"), ("failures", ".//failure"), ("errors", ".//error"), ("skipped", ".//skipped")):
        suite.set(attribute, str(len(suite.findall(path))))
    root = Element("testsuites", {attribute: suite.get(attribute, "") for attribute in ("name", "tests", "failures", "errors")})
    root.append(suite)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{make_markup_inert(ElementTree.tostring(root, encoding="unicode"))}\n'


def _add_case(suite: Element, owner: str, name: str) -> Element:
    return SubElement(suite, "testcase", {"classname": clip(escape_unprintable(owner), 500), "name": clip(escape_unprintable(name), 500)})


def _add_input_case(suite: Element, report: Report) -> None:
    case = _add_case(suite, "preflight", "input")
    if report.problems:
        lines = render_problems(report.problems).splitlines()
        SubElement(
            case, "error", {"message": clip(escape_unprintable(report.problems[0].message), 1000), "type": "input"}
        ).text = _join_lines(lines)
    SubElement(case, "system-out").text = _join_lines([format_summary(report)])


def _add_finding_case(suite: Element, owner: str, findings: Sequence[Finding], steps: int) -> bool:
    """The test case of one object and rule; whether it failed."""
    case = _add_case(suite, owner, format_title(findings[0]))
    still = [finding for finding in findings if finding.exempted is None]
    bad = [finding for finding in still if finding.severity is not Severity.NOTE]
    if bad:
        worst = min(bad, key=lambda finding: finding.severity.rank)
        more = messages.count_others(len(bad) - 1) if len(bad) > 1 else ""
        told = {"message": format_sentence(worst, steps) + more, "type": str(worst.severity)}
        SubElement(case, "failure", told).text = _join_lines(_iter_lines(bad, steps))
    elif not still:
        reason = next(finding.exempted for finding in findings if finding.exempted is not None)
        SubElement(case, "skipped", {"message": clip(escape_unprintable(messages.label_exempted(reason)), 1000)})
    if rest := [finding for finding in findings if finding not in bad]:
        SubElement(case, "system-out").text = _join_lines(_iter_lines(rest, steps))
    return bool(bad)


def _iter_lines(findings: Sequence[Finding], steps: int) -> Iterator[str]:
    for finding in findings:
        yield from shape.draw_finding(finding, Ink(False), 0)
        if finding.exempted is not None:
            yield f"  = {messages.label_exempted(finding.exempted)}"
        if steps > 1 and finding.step:
            yield f"  = {messages.label_step(finding.step, steps)}"
        yield ""


def _add_coverage_cases(suite: Element, report: Report, failed: set[str]) -> None:
    groups: dict[str, list[Coverage]] = {}
    for row in (coverage for step in report.steps for coverage in step.coverage):
        name = f"DaemonSet {row.daemonset}"
        if name not in failed:
            groups.setdefault(f"{name} ({row.place})" if row.place else name, []).append(row)
    for name, parts in groups.items():
        case = _add_case(suite, name, "coverage")
        if open_ := [part for part in parts if part.outcome in _SKIPPED_OUTCOMES]:
            reasons = dict.fromkeys(reason for part in open_ for reason in part.reasons)
            nodes = dict.fromkeys(node for part in open_ for node in part.nodes)
            words = dict.fromkeys(part.outcome.value for part in open_)
            message = f"{', '.join(words)} on {format_names(tuple(nodes))}"
            message += f": {'; '.join(reasons)}" if reasons else ""
            SubElement(case, "skipped", {"message": clip(escape_unprintable(message), 1000)})


def _join_lines(lines: Iterator[str] | Sequence[str]) -> str:
    """Lines as the text of an element: nothing in it but what prints, and no command to a machine that prints it."""
    kept = [escape_ci_commands(clip(escape_unprintable(line), 1000)) for line in lines]
    cut = [messages.count_more_lines(len(kept) - _MOST_LINES)] if len(kept) > _MOST_LINES else []
    return "\n".join([*kept[:_MOST_LINES], *cut]).strip("\n")
