"""The chain of one loss, where `--why` asks for it: from the change to what people see."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Report
from preflight.report.html.classes import Classes
from preflight.report.html.escaping import safe, terms


def section(report: Report, classes: Classes, all_rows: bool) -> Iterator[str]:
    """The links, step by step, each under its heading."""
    del classes, all_rows
    if not report.why:
        return
    yield "<section id=why aria-labelledby=why-name><h2 id=why-name>Why</h2>"
    steps = dict.fromkeys(link.step for link in report.why)
    for step in steps:
        if len(steps) > 1:
            yield f"<h3>step {step}</h3>"
        yield terms(((safe(link.heading, 60), safe(link.text)) for link in report.why if link.step == step), " chain")
    yield "</section>"
