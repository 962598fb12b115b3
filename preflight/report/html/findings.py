"""The findings: what, where, what follows from it, and the fix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from preflight.messages import html as words
from preflight.model.report import Finding, Location, Report, Severity
from preflight.report.ci_annotation import select_open_findings
from preflight.report.formatting import format_location
from preflight.report.html.classes import PageNodeClasses
from preflight.report.html.escaping import format_grouped_count
from preflight.report.source_excerpt import clip_source_line

SEVERITY_SIGNS = {Severity.ERROR: "x", Severity.WARNING: "!", Severity.NOTE: "i"}
_MOST_OPEN = 12
_MOST_FLAT = 40
_MOST_NOTES = 100
_SOURCE = 120


class SourceLine(NamedTuple):
    """A line of a file with its number. Where its column is known, `token` stands there, and the `label` says what is the matter with it."""

    line: int
    before: str
    token: str
    after: str
    label: str


class FindingCard(NamedTuple):
    """A finding, with what its card shows below its sentence.

    1. `filter_sign` is the sign that the filter goes by, "" where the finding is exempted; `letters` are the classes of its nodes.
    2. `details` are texts with their heading and their place, which may be ""; `nodes` were written by a template.
    """

    number: int
    sign: str
    filter_sign: str
    letters: str
    is_open: bool
    severity: Severity
    subject: str
    message: str
    rule: str
    name: str
    step: str
    exemption: str | None
    place: str | None
    source: SourceLine | None
    details: list[tuple[str, str, str]]
    nodes: Markup
    fix: tuple[str, ...]

    @property
    def has_details(self) -> bool:
        """Whether anything stands in the list below the sentence."""
        return bool(self.details or self.nodes or self.fix)


class FindingGroup(NamedTuple):
    """The findings of one rule."""

    sign: str
    rule: str
    name: str
    number_found: str
    cards: list[FindingCard]


class ExplainedRule(NamedTuple):
    """A rule, and what it means: headings and paragraphs, each with whether it is a heading."""

    id: str
    name: str
    explanation: list[tuple[str, bool]]


class FindingsView(NamedTuple):
    """All findings, one below the other or in groups; the exempted ones, and what the rules mean."""

    is_all_exempted: bool
    cards: list[FindingCard]
    groups: list[FindingGroup]
    exempted_count: int
    exempted: list[FindingCard]
    rules: list[ExplainedRule]


def make_findings_view(report: Report, classes: PageNodeClasses) -> FindingsView | None:
    """All findings, the worst first, else in the order of the report; the exempted ones folded at the end, each with its reason.

    1. The first 12 are open. More than 40 stand under their rules, those with the worst findings first, and only the first rule is open.
    2. After them, the rules that have findings are explained, each once.
    3. None without a finding.
    """
    if not report.findings:
        return None
    open_findings = select_open_findings(report)
    exempted = [finding for finding in report.findings if finding.exempted is not None]
    maker = _CardMaker(report, classes)
    is_flat = len(open_findings) <= _MOST_FLAT
    return FindingsView(
        is_all_exempted=not open_findings,
        cards=maker.make_cards(open_findings, _MOST_OPEN) if is_flat else [],
        groups=[] if is_flat else _make_groups(open_findings, maker),
        exempted_count=len(exempted),
        exempted=maker.make_cards(exempted),
        rules=[ExplainedRule(rule.id, rule.name, _split_explanation(rule.explanation)) for rule in report.rules],
    )


def _split_explanation(explanation: str) -> list[tuple[str, bool]]:
    """Its lines without the breaks that they have for a terminal: what is indented is a paragraph under the heading before it."""
    summary, *lines = explanation.splitlines()
    blocks = [(summary, False)]
    for line in lines:
        if line.startswith(" ") and not blocks[-1][1] and len(blocks) > 1:
            blocks[-1] = (f"{blocks[-1][0]} {line.strip()}", False)
        elif line.strip():
            blocks.append((line.strip(), not line.startswith(" ")))
    return blocks


def format_step(report: Report, finding: Finding) -> str:
    """`step 1 of 3`; "" where there is one step only, or the finding belongs to none."""
    return words.number_step(finding.step, len(report.steps)) if len(report.steps) > 1 and finding.step else ""


def _make_groups(open_findings: Sequence[Finding], maker: _CardMaker) -> list[FindingGroup]:
    by_rule: dict[tuple[int, str, str], list[Finding]] = {}
    for finding in open_findings:
        by_rule.setdefault((finding.severity.rank, finding.rule, finding.name), []).append(finding)
    return [
        FindingGroup(
            sign=SEVERITY_SIGNS[group[0].severity],
            rule=rule,
            name=name,
            number_found=format_grouped_count(len(group), group[0].severity),
            cards=maker.make_cards(group),
        )
        for (_, rule, name), group in sorted(by_rule.items())
    ]


class _CardMaker:
    """Makes the cards of a report, and numbers them."""

    def __init__(self, report: Report, classes: PageNodeClasses) -> None:
        self._report = report
        self._classes = classes
        self._numbers: Mapping[int, int] = {id(finding): number for number, finding in enumerate(report.findings, 1)}

    def make_cards(self, findings: Sequence[Finding], open_count: int = 0) -> list[FindingCard]:
        """The findings in their order, of which the first `open_count` are open."""
        return [self._make_card(finding, is_open=at < open_count) for at, finding in enumerate(findings)]

    def _make_card(self, finding: Finding, *, is_open: bool) -> FindingCard:
        sign = SEVERITY_SIGNS[finding.severity]
        location = finding.location
        source = _make_source_line(location, finding.label) if location and location.line and location.source.strip() else None
        return FindingCard(
            number=self._numbers[id(finding)],
            sign=sign,
            filter_sign=sign if finding.exempted is None else "",
            letters=self._classes.get_letters(finding.nodes),
            is_open=is_open,
            severity=finding.severity,
            subject=str(finding.subject),
            message=finding.message,
            rule=finding.rule,
            name=finding.name,
            step=format_step(self._report, finding),
            exemption=finding.exempted,
            place=format_location(location) if location is not None else None,
            source=source,
            details=_make_details(finding, is_label_shown=source is not None and bool(source.label)),
            nodes=self._classes.render_nodes(finding.nodes) if finding.nodes else Markup(""),
            fix=finding.suggestion.text if finding.suggestion else (),
        )


def _make_details(finding: Finding, *, is_label_shown: bool) -> list[tuple[str, str, str]]:
    """What stands below the sentence: heading, text and place. The label is left out where the source shows it."""
    notes = [("note", finding.label)] if finding.label and not is_label_shown else []
    details = [(heading, text, "") for heading, text in (*notes, *finding.notes)]
    details += (("note", related.message, format_location(related.location) if related.location else "") for related in finding.related)
    if hidden := details[_MOST_NOTES:]:
        details[_MOST_NOTES:] = [("note", words.count_hidden_notes(len(hidden)), "")]
    return details


def _measure_token(text: str) -> int:
    import re

    found = re.match(r"[^\s,{}\[\]#:]+", text)
    return len(found[0]) if found else 1


def _make_source_line(location: Location, label: str) -> SourceLine:
    before, after = clip_source_line(location.source, location.column, _SOURCE)
    length = _measure_token(after) if location.column else 0
    return SourceLine(location.line, before.lstrip(), after[:length], after[length:], label if length else "")
