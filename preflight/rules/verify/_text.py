"""What the rules share that compare a cluster with what was saved of it."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.comparison.pods import PodsSince
from preflight.components import recognise
from preflight.messages.lists import names
from preflight.model.world import World


def then(each: PodsSince, world: World) -> tuple[tuple[str, str], ...]:
    """The line that says what breaks where a DaemonSet is missing: of the worst that it is."""
    found = recognise(each.daemonset, world.configs, world.stated)
    return (("then", found[0].kind.symptom),) if found else ()


def so(others: Sequence[str], verb: str) -> str:
    """`, as are n2, n3`: what is said of one node holds for others too; "" where there are none."""
    if not others:
        return ""
    plural = {"is": "are", "does": "do", "has": "have"}[verb] if len(others) > 1 else verb
    return f", as {plural} {names(others)}"
