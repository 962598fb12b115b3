"""What the answers rest on: what could not be read, what was assumed, what was not judged, and what this page is."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Report
from preflight.report.formatting import format_location
from preflight.report.html.classes import PageNodeClasses
from preflight.report.html.escaping import escape_text, render_code, render_terms
from preflight.report.summary import format_summary

_EXITS = {
    0: "judged, and nothing at or above --fail-on",
    1: "there are findings",
    3: "something could not be read, nothing was there to judge, or an answer is unknown",
    4: "a rule crashed, which is a bug of preflight",
}


def render_section(report: Report, classes: PageNodeClasses, all_rows: bool) -> Iterator[str]:
    """Always there, and nothing in it is cut."""
    del classes, all_rows
    yield "<section id=basis aria-labelledby=basis-name><h2 id=basis-name>What this rests on</h2>"
    yield f"<p>{escape_text(format_summary(report), 5000)}</p>"
    if report.problems:
        yield "<h3 id=problems>What could not be read</h3><ul>"
        for problem in report.problems:
            where = f"{render_code(format_location(problem.location))}: " if problem.location else ""
            yield f"<li>{where}{escape_text(problem.message)}</li>"
        yield "</ul>"
    if report.assumptions:
        yield f"<h3>What was assumed</h3><ul>{''.join(f'<li>{escape_text(assumption)}</li>' for assumption in report.assumptions)}</ul>"
    if report.skipped:
        yield "<h3>What was not judged</h3>"
        reasons: dict[str, list[str]] = {}
        for check in report.skipped:
            reasons.setdefault(check.why, []).append(check.what)
        yield render_terms((escape_text(why) or "no reason given", ", ".join(map(escape_text, what))) for why, what in reasons.items())
    yield (
        f"<footer>preflight {escape_text(report.preflight, 60)}. Exit code {report.exit}: {_EXITS.get(report.exit, '')}.</footer></section>"
    )
