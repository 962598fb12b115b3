"""Files of which nothing could be read: the only answer is why."""

from __future__ import annotations

from preflight.errors import InputError
from preflight.messages.load import format_problem
from preflight.model.report import Problem


class UnreadableInputError(InputError):
    """Nothing of the input could be read; `problems` say why, each with its place."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(map(format_problem, problems)))
        self.problems = problems
