"""What the page calls one of several steps: its number, or its cluster."""

from __future__ import annotations

from preflight.messages.html import number_step
from preflight.model.report import Report


def name_step(report: Report, number: int) -> str:
    """`step 1 of 3`, or the name of a cluster where each step is one; "" where there is one step only, and for 0, which is none of them."""
    if len(report.steps) <= 1 or not number:
        return ""
    step = report.steps[number - 1]
    return step.command if step.story is not None else number_step(number, len(report.steps))
