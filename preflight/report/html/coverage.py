"""The steps of a change, or the one look without a change: what each is, and what it does to DaemonSets and to ordinary pods."""

from __future__ import annotations

from typing import NamedTuple

from preflight.messages.html import number_step
from preflight.model.report import Report
from preflight.report.html.classes import PageNodeClasses
from preflight.report.html.matrix import Matrix, make_matrix
from preflight.report.html.pods import EvictionsView, make_evictions_view


class StepView(NamedTuple):
    """A step of the change; `position` is its number in words, as in `step 1 of 3`."""

    number: int
    position: str
    title: str
    notes: tuple[str, ...]
    matrix: Matrix
    evictions: EvictionsView | None


class CoverageView(NamedTuple):
    """All steps. `has_filter` where there is something to filter; with one step only, the step is not named."""

    has_filter: bool
    is_several: bool
    steps: list[StepView]


def make_coverage_view(report: Report, classes: PageNodeClasses, all_rows: bool) -> CoverageView:
    """A part for each step, in their order."""
    total = len(report.steps)
    steps = [
        StepView(
            number=number,
            position=number_step(number, total),
            title=step.headline or step.command,
            notes=step.notes,
            matrix=make_matrix(step, classes),
            evictions=make_evictions_view(step.evictions, number_step(number, total) if total > 1 else "", all_rows)
            if step.evictions is not None
            else None,
        )
        for number, step in enumerate(report.steps, 1)
    ]
    return CoverageView(has_filter=bool(report.steps or report.findings), is_several=total > 1, steps=steps)
