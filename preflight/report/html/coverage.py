"""The steps of a change, or the one look without a change: what each is, and what it does to DaemonSets and to ordinary pods."""

from __future__ import annotations

from typing import NamedTuple

from preflight.messages.html import number_step
from preflight.messages.verdict import describe_verdict
from preflight.model.report import Report
from preflight.report.html.classes import PageNodeClasses
from preflight.report.html.matrix import Matrix, make_matrix
from preflight.report.html.pods import EvictionsView, make_evictions_view
from preflight.report.verdict import decide_step_verdict


class StepView(NamedTuple):
    """A step of the change; `position` is its number in words, as in `step 1 of 3`, "" where there is one step only.

    `sign`, `verdict` and `story` are what the text says of one of several steps: the top of the page has those of a single one.
    """

    number: int
    position: str
    title: str
    sign: str
    verdict: str
    story: tuple[str, ...]
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
    return CoverageView(
        has_filter=bool(report.steps or report.findings),
        is_several=len(report.steps) > 1,
        steps=[_make_step_view(report, number, classes, all_rows) for number in range(1, len(report.steps) + 1)],
    )


def _make_step_view(report: Report, number: int, classes: PageNodeClasses, all_rows: bool) -> StepView:
    step = report.steps[number - 1]
    is_several = len(report.steps) > 1
    position = number_step(number, len(report.steps)) if is_several else ""
    verdict = decide_step_verdict(report, number)
    return StepView(
        number=number,
        position=position,
        title=step.headline or step.command,
        sign=str(verdict.sign),
        verdict=describe_verdict(verdict) if is_several else "",
        story=(step.story or ()) if is_several else (),
        notes=step.notes,
        matrix=make_matrix(step, classes),
        evictions=make_evictions_view(step.evictions, position, classes, all_rows) if step.evictions is not None else None,
    )
