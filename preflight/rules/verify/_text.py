"""What the rules share that compare a cluster with a snapshot."""

from __future__ import annotations

from preflight.comparison.pods import DaemonSetComparison
from preflight.components import recognize_components
from preflight.model.world import ClusterState


def make_impact_note(comparison: DaemonSetComparison, world: ClusterState) -> tuple[tuple[str, str], ...]:
    """The line that says what breaks where a DaemonSet is missing: of the worst that it is."""
    found = recognize_components(comparison.daemonset, world.config_maps, world.component_overrides)
    return (("impact", found[0].symptom),) if found else ()
