"""The links of the chain of one loss that name who depends on what goes."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.coverage.explain import Link
from preflight.coverage.model import Group, Impact
from preflight.dependents.consequences import consequences
from preflight.messages.lists import listed


def explain_dependents(impact: Impact, group: Group, node: str) -> Iterator[Link]:
    """Who depends on what goes from the node."""
    for each in consequences(impact):
        if each.key == group.key and node in each.nodes:
            for dependent in each.dependents:
                needs = f" {listed(dependent.needs)}" if dependent.needs else " it"
                where = ", and can get it elsewhere" if dependent.elsewhere else " there"
                yield "breaks", f"{dependent.subject.kind} {dependent.subject} needs{needs}{where}"
