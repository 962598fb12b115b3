"""The links of the chain of one loss that name who depends on what goes."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.coverage.model import CoverageGroup, Impact
from preflight.dependents.consequences import find_consequences
from preflight.model.loss_chain import BrokenWorkload


def explain_dependents(impact: Impact, group: CoverageGroup, node: str) -> Iterator[BrokenWorkload]:
    """Who depends on what goes from the node."""
    for consequence in find_consequences(impact):
        if consequence.key == group.key and node in consequence.nodes:
            for dependent in consequence.dependents:
                yield BrokenWorkload(dependent.subject, dependent.needs, dependent.can_run_elsewhere)
