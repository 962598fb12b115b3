"""What to do before a change begins: at the top of the page, above what is lost otherwise."""

from __future__ import annotations

from typing import NamedTuple

from preflight.messages.html import number_step
from preflight.model.report import Report
from preflight.report.eviction_text import iter_advice


class StepAdvice(NamedTuple):
    """What to do before a step; `position` is "" where there is one step only."""

    position: str
    texts: list[str]


def make_advice(report: Report) -> list[StepAdvice]:
    """The advice of each step that has some, in their order."""
    total = len(report.steps)
    return [
        StepAdvice(number_step(number, total) if total > 1 else "", list(iter_advice(step.evictions)))
        for number, step in enumerate(report.steps, 1)
        if step.evictions is not None and step.evictions.first
    ]
