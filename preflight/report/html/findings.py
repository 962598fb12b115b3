"""The findings: what, where, what follows from it, and the fix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from preflight.model.report import Finding, Location, Report, RuleInfo, Severity
from preflight.report.ci_annotation import open_findings
from preflight.report.findings import window
from preflight.report.formatting import place
from preflight.report.html.classes import Classes
from preflight.report.html.escaping import CLASSES, block, code, counted, mark, safe, terms

SIGNS = {Severity.ERROR: "x", Severity.WARNING: "!", Severity.NOTE: "i"}
_MOST_OPEN = 12
_MOST_FLAT = 40
_MOST_NOTES = 100
_SOURCE = 120


def section(report: Report, classes: Classes, all_rows: bool) -> Iterator[str]:
    """All findings, the worst first, else in the order of the report; the exempted ones folded at the end, each with its reason.

    1. The first 12 are open. More than 40 stand under their rules, those with the worst findings first, and only the first rule is open.
    2. After them, the rules that have findings are explained, each once.
    """
    del all_rows
    if not report.findings:
        return
    found = open_findings(report)
    cards = _Cards(report, classes)
    yield "<section id=findings aria-labelledby=findings-name><h2 id=findings-name>Findings</h2>"
    if not found:
        yield "<p class=quiet>None that is not exempted.</p>"
    if len(found) <= _MOST_FLAT:
        for at, finding in enumerate(found):
            yield from cards.card(finding, "3", is_open=at < _MOST_OPEN)
    else:
        yield from _by_rule(found, cards)
    if exempted := [finding for finding in report.findings if finding.exempted is not None]:
        yield f"<details class=group><summary><h3>{len(exempted)} exempted</h3></summary>"
        for finding in exempted:
            yield from cards.card(finding, "4", is_open=False)
        yield "</details>"
    yield from _rules(report.rules)
    yield "</section>"


def _by_rule(found: Sequence[Finding], cards: _Cards) -> Iterator[str]:
    rules: dict[tuple[int, str, str], list[Finding]] = {}
    for finding in found:
        rules.setdefault((finding.severity.rank, finding.rule, finding.name), []).append(finding)
    for at, ((_, rule, name), group) in enumerate(sorted(rules.items())):
        severity = group[0].severity
        heading = f"<h3>{mark(SIGNS[severity])}{safe(rule)} {safe(name)}</h3>"
        number = f"<span class=quiet>{counted(len(group), severity)}</span>"
        yield f"<details class=group{'' if at else ' open'}><summary>{heading} {number}</summary>"
        for finding in group:
            yield from cards.card(finding, "4", is_open=False)
        yield "</details>"


class _Cards:
    """Draws the findings of a report, and numbers them."""

    def __init__(self, report: Report, classes: Classes) -> None:
        self._classes = classes
        self._steps = len(report.steps)
        self._ids: Mapping[int, int] = {id(finding): at for at, finding in enumerate(report.findings, 1)}

    def card(self, finding: Finding, level: str, *, is_open: bool) -> Iterator[str]:
        """One finding: its sentence is the heading, the rest is folded below it."""
        sign = SIGNS[finding.severity]
        step = f"<span class=step>step {finding.step} of {self._steps}</span>" if self._steps > 1 and finding.step else ""
        letters = self._classes.letters(finding.nodes)
        where = f' data-c="{letters}"' if letters else ""
        sort = f'class="f {CLASSES[sign]}" data-m="{sign if finding.exempted is None else ""}"'
        yield f"<details id=f{self._ids[id(finding)]} {sort}{where}{' open' if is_open else ''}><summary>"
        subject = f"<span class=v>{finding.severity}: </span>{code(str(finding.subject), 300)}"
        yield f"<h{level}>{mark(sign)}{subject} {safe(finding.message)}</h{level}>"
        yield f"<p class=rule>{safe(finding.rule)} {safe(finding.name)}{step}</p></summary>"
        if finding.exempted is not None:
            yield f"<p>exempted: {safe(finding.exempted)}</p>"
        location = finding.location
        pointed = False
        if location is not None:
            yield f"<p class=place>{code(place(location))}</p>"
            if location.line and location.source.strip():
                pointed = bool(location.column)
                yield _source(location, finding.label)
        yield terms(self._told(finding, pointed))
        yield "</details>"

    def _told(self, finding: Finding, pointed: bool) -> Iterator[tuple[str, str]]:
        """What stands below the sentence: each heading with its text, both HTML. `pointed`: the label stands in the source already."""
        notes = [("note", finding.label)] if finding.label and not pointed else []
        texts = [(safe(head, 60), safe(text)) for head, text in (*notes, *finding.notes)]
        for each in finding.related:
            where = f" ({code(place(each.location))})" if each.location else ""
            texts.append(("note", f"{safe(each.message)}{where}"))
        yield from texts[:_MOST_NOTES]
        if hidden := texts[_MOST_NOTES:]:
            yield "note", f"{len(hidden)} more (-o json has all)"
        if finding.nodes:
            yield "nodes", self._classes.told(finding.nodes)
        if finding.suggestion and finding.suggestion.text:
            yield "fix", block(finding.suggestion.text)


def _source(location: Location, label: str) -> str:
    """The line of the file, and below it a caret at the column with the label."""
    before, after = window(location.source, location.column, _SOURCE)
    pad = " " * len(before)
    gutter = str(location.line)
    lines = [f"{safe(gutter)} │ {safe(before)}{safe(after)}"]
    if location.column:
        lines.append(f"{' ' * len(gutter)} │ {pad}<b>^ {safe(label)}</b>")
    return f"<pre class=source>{'&#10;'.join(lines)}</pre>"


def _rules(rules: Sequence[RuleInfo]) -> Iterator[str]:
    if rules:
        yield "<details class=group><summary><h3>What these rules mean</h3></summary>"
        for rule in rules:
            yield f"<h4>{safe(rule.id)} {safe(rule.name)}</h4>{block(rule.explanation.splitlines())}"
        yield "</details>"
