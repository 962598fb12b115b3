"""The steps of a change, or the one look without a change: what each is, and what it does to DaemonSets and to ordinary pods."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Report, ReportStep
from preflight.report.html import matrix, pods
from preflight.report.html.classes import PageNodeClasses
from preflight.report.html.escaping import escape_text, render_code

FILTER = (
    '<search class=filter id=filter aria-label="Filter the page" hidden>'
    "<label>Name or reason <input type=search id=words autocomplete=off spellcheck=false></label>"
    "<label>Node <input type=search id=node autocomplete=off spellcheck=false></label>"
    "<label>Show <select id=least>"
    "<option value=all>everything<option value=open>what is not fine<option value=bad>losses and errors"
    "</select></label><output id=shown aria-live=polite></output></search>"
)
"""The controls that the script shows: they filter the rows of all tables, the columns by node, and the findings."""


def render_section(report: Report, classes: PageNodeClasses, all_rows: bool) -> Iterator[str]:
    """A part for each step, with its number where there are several; the filter stands before the first one."""
    if report.steps or report.findings:
        yield FILTER
    several = len(report.steps) > 1
    if several:
        words = (render_code(step.headline or step.command, 200) for step in report.steps)
        links = "".join(f'<li><a href="#step-{at}">{each}</a></li>' for at, each in enumerate(words, 1))
        yield f"<nav aria-label=Steps><ol class=steps>{links}</ol></nav>"
    for at, step in enumerate(report.steps, 1):
        number = f"<span class=step>step {at} of {len(report.steps)}</span> " if several else ""
        yield f'<section id="step-{at}" aria-labelledby="step-{at}-name">'
        yield f'<h2 id="step-{at}-name">{number}{escape_text(step.headline or step.command) if several else "Coverage"}</h2>'
        yield from _render_notes(step)
        yield from matrix.render_matrix(step, classes)
        if step.evictions is not None:
            yield from pods.render_evictions(step.evictions, at, all_rows)
        yield "</section>"


def _render_notes(step: ReportStep) -> Iterator[str]:
    if step.notes:
        yield f"<ul class=notes>{''.join(f'<li>{escape_text(note)}</li>' for note in step.notes)}</ul>"
