"""What the rules share that compare a cluster with what was saved of it."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.comparison.pods import DaemonSetComparison
from preflight.components import recognize_components
from preflight.messages.lists import join_node_names
from preflight.model.world import ClusterState


def make_impact_note(comparison: DaemonSetComparison, world: ClusterState) -> tuple[tuple[str, str], ...]:
    """The line that says what breaks where a DaemonSet is missing: of the worst that it is."""
    found = recognize_components(comparison.daemonset, world.config_maps, world.component_overrides)
    return (("then", found[0].kind.symptom),) if found else ()


def format_other_nodes(others: Sequence[str], verb: str) -> str:
    """`, as are n2, n3`: what is said of one node holds for others too; "" where there are none."""
    if not others:
        return ""
    plural = {"is": "are", "does": "do", "has": "have"}[verb] if len(others) > 1 else verb
    return f", as {plural} {join_node_names(others)}"
