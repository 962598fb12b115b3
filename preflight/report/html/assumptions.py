"""What the answers rest on: what could not be read, what was assumed, what was not judged, and what this page is."""

from __future__ import annotations

from typing import NamedTuple

from preflight.messages.html import EXIT_MEANINGS, NO_REASON
from preflight.model.report import Report
from preflight.report.formatting import format_location
from preflight.report.summary import format_summary


class BasisView(NamedTuple):
    """The summary; problems, each with its place or ""; assumptions; and what was not judged, by the reason."""

    summary: str
    problems: list[tuple[str, str]]
    assumptions: tuple[str, ...]
    skipped: list[tuple[str, list[str]]]
    version: str
    exit_code: int
    exit_meaning: str


def make_basis_view(report: Report) -> BasisView:
    """Always there, and nothing in it is cut."""
    checks_by_reason: dict[str, list[str]] = {}
    for check in report.skipped:
        checks_by_reason.setdefault(check.why, []).append(check.what)
    return BasisView(
        summary=format_summary(report),
        problems=[(format_location(problem.location) if problem.location else "", problem.message) for problem in report.problems],
        assumptions=report.assumptions,
        skipped=[(reason or NO_REASON, checks) for reason, checks in checks_by_reason.items()],
        version=report.preflight,
        exit_code=report.exit,
        exit_meaning=EXIT_MEANINGS.get(report.exit, ""),
    )
