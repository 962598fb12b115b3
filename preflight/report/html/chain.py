"""The chain of one loss, where `--why` asks for it: from the change to what people see."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Report
from preflight.report.html.classes import PageNodeClasses
from preflight.report.html.escaping import escape_text, render_terms


def render_section(report: Report, classes: PageNodeClasses, all_rows: bool) -> Iterator[str]:
    """The links, step by step, each under its heading."""
    del classes, all_rows
    if not report.why:
        return
    yield "<section id=why aria-labelledby=why-name><h2 id=why-name>Why</h2>"
    steps = dict.fromkeys(link.step for link in report.why)
    for step in steps:
        if len(steps) > 1:
            yield f"<h3>step {step}</h3>"
        yield render_terms(((escape_text(link.heading, 60), escape_text(link.text)) for link in report.why if link.step == step), " chain")
    yield "</section>"
