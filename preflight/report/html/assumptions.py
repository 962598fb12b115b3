"""What the answers rest on: what could not be read, what was assumed, what was not judged, and what this page is."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Report
from preflight.report.formatting import place
from preflight.report.html.classes import Classes
from preflight.report.html.escaping import code, safe, terms
from preflight.report.summary import summary

_EXITS = {
    0: "judged, and nothing at or above --fail-on",
    1: "there are findings",
    3: "something could not be read, nothing was there to judge, or an answer is unknown",
    4: "a rule crashed, which is a bug of preflight",
}


def section(report: Report, classes: Classes, all_rows: bool) -> Iterator[str]:
    """Always there, and nothing in it is cut."""
    del classes, all_rows
    yield "<section id=basis aria-labelledby=basis-name><h2 id=basis-name>What this rests on</h2>"
    yield f"<p>{safe(summary(report), 5000)}</p>"
    if report.problems:
        yield "<h3 id=problems>What could not be read</h3><ul>"
        for problem in report.problems:
            where = f"{code(place(problem.location))}: " if problem.location else ""
            yield f"<li>{where}{safe(problem.message)}</li>"
        yield "</ul>"
    if report.assumptions:
        yield f"<h3>What was assumed</h3><ul>{''.join(f'<li>{safe(each)}</li>' for each in report.assumptions)}</ul>"
    if report.skipped:
        yield "<h3>What was not judged</h3>"
        reasons: dict[str, list[str]] = {}
        for each in report.skipped:
            reasons.setdefault(each.why, []).append(each.what)
        yield terms((safe(why) or "no reason given", ", ".join(map(safe, what))) for why, what in reasons.items())
    yield f"<footer>preflight {safe(report.preflight, 60)}. Exit code {report.exit}: {_EXITS.get(report.exit, '')}.</footer></section>"
