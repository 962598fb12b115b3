"""The chain of one loss, where `--why` asks for it: from the change to what people see."""

from __future__ import annotations

from typing import NamedTuple

from preflight.model.report import Report


class ChainStep(NamedTuple):
    """The links of one step, each with its heading; `number` is 0 where the chain has one step only."""

    number: int
    links: list[tuple[str, str]]


def make_chain(report: Report) -> list[ChainStep]:
    """The links, step by step; none where no chain was asked for."""
    steps = dict.fromkeys(link.step for link in report.why)
    return [
        ChainStep(step if len(steps) > 1 else 0, [(link.heading, link.text) for link in report.why if link.step == step]) for step in steps
    ]
