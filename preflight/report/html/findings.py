"""The findings: what, where, what follows from it, and the fix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from preflight.model.report import Finding, Location, Report, RuleInfo, Severity
from preflight.report.ci_annotation import select_open_findings
from preflight.report.findings import clip_source_line
from preflight.report.formatting import format_location
from preflight.report.html.classes import PageNodeClasses
from preflight.report.html.escaping import (
    MARKER_CSS_CLASSES,
    escape_text,
    format_grouped_count,
    render_block,
    render_code,
    render_mark,
    render_terms,
)

SEVERITY_SIGNS = {Severity.ERROR: "x", Severity.WARNING: "!", Severity.NOTE: "i"}
_MOST_OPEN = 12
_MOST_FLAT = 40
_MOST_NOTES = 100
_SOURCE = 120


def render_section(report: Report, classes: PageNodeClasses, all_rows: bool) -> Iterator[str]:
    """All findings, the worst first, else in the order of the report; the exempted ones folded at the end, each with its reason.

    1. The first 12 are open. More than 40 stand under their rules, those with the worst findings first, and only the first rule is open.
    2. After them, the rules that have findings are explained, each once.
    """
    del all_rows
    if not report.findings:
        return
    found = select_open_findings(report)
    cards = _CardRenderer(report, classes)
    yield "<section id=findings aria-labelledby=findings-name><h2 id=findings-name>Findings</h2>"
    if not found:
        yield "<p class=quiet>None that is not exempted.</p>"
    if len(found) <= _MOST_FLAT:
        for at, finding in enumerate(found):
            yield from cards.render_card(finding, "3", is_open=at < _MOST_OPEN)
    else:
        yield from _render_by_rule(found, cards)
    if exempted := [finding for finding in report.findings if finding.exempted is not None]:
        yield f"<details class=group><summary><h3>{len(exempted)} exempted</h3></summary>"
        for finding in exempted:
            yield from cards.render_card(finding, "4", is_open=False)
        yield "</details>"
    yield from _render_rules(report.rules)
    yield "</section>"


def _render_by_rule(unexempted: Sequence[Finding], cards: _CardRenderer) -> Iterator[str]:
    rules: dict[tuple[int, str, str], list[Finding]] = {}
    for finding in unexempted:
        rules.setdefault((finding.severity.rank, finding.rule, finding.name), []).append(finding)
    for at, ((_, rule, name), group) in enumerate(sorted(rules.items())):
        severity = group[0].severity
        heading = f"<h3>{render_mark(SEVERITY_SIGNS[severity])}{escape_text(rule)} {escape_text(name)}</h3>"
        number = f"<span class=quiet>{format_grouped_count(len(group), severity)}</span>"
        yield f"<details class=group{'' if at else ' open'}><summary>{heading} {number}</summary>"
        for finding in group:
            yield from cards.render_card(finding, "4", is_open=False)
        yield "</details>"


class _CardRenderer:
    """Draws the findings of a report, and numbers them."""

    def __init__(self, report: Report, classes: PageNodeClasses) -> None:
        self._classes = classes
        self._steps = len(report.steps)
        self._ids: Mapping[int, int] = {id(finding): at for at, finding in enumerate(report.findings, 1)}

    def render_card(self, finding: Finding, level: str, *, is_open: bool) -> Iterator[str]:
        """One finding: its sentence is the heading, the rest is folded below it."""
        sign = SEVERITY_SIGNS[finding.severity]
        step = f"<span class=step>step {finding.step} of {self._steps}</span>" if self._steps > 1 and finding.step else ""
        letters = self._classes.get_letters(finding.nodes)
        where = f' data-c="{letters}"' if letters else ""
        sort = f'class="f {MARKER_CSS_CLASSES[sign]}" data-m="{sign if finding.exempted is None else ""}"'
        yield f"<details id=f{self._ids[id(finding)]} {sort}{where}{' open' if is_open else ''}><summary>"
        subject = f"<span class=v>{finding.severity}: </span>{render_code(str(finding.subject), 300)}"
        yield f"<h{level}>{render_mark(sign)}{subject} {escape_text(finding.message)}</h{level}>"
        yield f"<p class=rule>{escape_text(finding.rule)} {escape_text(finding.name)}{step}</p></summary>"
        if finding.exempted is not None:
            yield f"<p>exempted: {escape_text(finding.exempted)}</p>"
        location = finding.location
        pointed = False
        if location is not None:
            yield f"<p class=place>{render_code(format_location(location))}</p>"
            if location.line and location.source.strip():
                pointed = bool(location.column)
                yield _render_source(location, finding.label)
        yield render_terms(self._iter_details(finding, pointed))
        yield "</details>"

    def _iter_details(self, finding: Finding, is_label_shown: bool) -> Iterator[tuple[str, str]]:
        """What stands below the sentence: each heading with its text, both HTML. `is_label_shown`.

        The label stands in the source already.
        """
        notes = [("note", finding.label)] if finding.label and not is_label_shown else []
        texts = [(escape_text(head, 60), escape_text(text)) for head, text in (*notes, *finding.notes)]
        for location in finding.related:
            where = f" ({render_code(format_location(location.location))})" if location.location else ""
            texts.append(("note", f"{escape_text(location.message)}{where}"))
        yield from texts[:_MOST_NOTES]
        if hidden := texts[_MOST_NOTES:]:
            yield "note", f"{len(hidden)} more (-o json has all)"
        if finding.nodes:
            yield "nodes", self._classes.render_nodes(finding.nodes)
        if finding.suggestion and finding.suggestion.text:
            yield "fix", render_block(finding.suggestion.text)


def _render_source(location: Location, label: str) -> str:
    """The line of the file, and below it a caret at the column with the label."""
    before, after = clip_source_line(location.source, location.column, _SOURCE)
    pad = " " * len(before)
    gutter = str(location.line)
    lines = [f"{escape_text(gutter)} │ {escape_text(before)}{escape_text(after)}"]
    if location.column:
        lines.append(f"{' ' * len(gutter)} │ {pad}<b>^ {escape_text(label)}</b>")
    return f"<pre class=source>{'&#10;'.join(lines)}</pre>"


def _render_rules(rules: Sequence[RuleInfo]) -> Iterator[str]:
    if rules:
        yield "<details class=group><summary><h3>What these rules mean</h3></summary>"
        for rule in rules:
            yield f"<h4>{escape_text(rule.id)} {escape_text(rule.name)}</h4>{render_block(rule.explanation.splitlines())}"
        yield "</details>"
