"""The links of the chain of one loss that name who depends on what goes."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.coverage.explain import LossLink
from preflight.coverage.model import CoverageGroup, Impact
from preflight.dependents.consequences import find_consequences
from preflight.messages.lists import join_and


def explain_dependents(impact: Impact, group: CoverageGroup, node: str) -> Iterator[LossLink]:
    """Who depends on what goes from the node."""
    for consequence in find_consequences(impact):
        if consequence.key == group.key and node in consequence.nodes:
            for dependent in consequence.dependents:
                needs = f" {join_and(dependent.needs)}" if dependent.needs else " it"
                where = ", and can get it elsewhere" if dependent.can_run_elsewhere else " there"
                yield "breaks", f"{dependent.subject.kind} {dependent.subject} needs{needs}{where}"
