"""What to type next, as the page shows it: commands that can be copied, and what to do between them."""

from __future__ import annotations

from typing import NamedTuple

from preflight.model.report import Report
from preflight.report.next_steps import list_next_steps

_COMMENT = "# "


class NextStep(NamedTuple):
    """A line: a command, or a sentence."""

    text: str
    is_command: bool


def make_next_steps(report: Report) -> list[NextStep]:
    """The lines of the text, in their order: those that are comments of the shell are sentences."""
    return [NextStep(line.removeprefix(_COMMENT), not line.startswith(_COMMENT)) for line in list_next_steps(report)]
