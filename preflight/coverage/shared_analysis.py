"""What judging one change works out once, or is told: what DaemonSets are, how well nodes and pods are, how new pods begin."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from preflight.change.model import Change, PodEnding
from preflight.coverage.component_cache import ComponentCache

if TYPE_CHECKING:
    from preflight.coverage.node_health import NodeHealth
    from preflight.model.meta import ObjectKey
    from preflight.scheduling.rollout_simulation import NewPodOutcome


class SharedAnalysis:
    """What every look at one change shares; nothing is worked out before it is asked for."""

    def __init__(self, change: Change, starts: Mapping[ObjectKey, Mapping[str, NewPodOutcome]] | None = None) -> None:
        """Of a change as it was performed.

        `starts` says by DaemonSet and node how new pods begin, READY where a node is not in it. None, which is all that anybody knows of a
        real cluster, assumes that they become Ready where nothing speaks against it.
        """
        self._change = change
        self.nodes = change.after.nodes
        self.rebooted_nodes = change.rebooted_nodes
        self.deregistered_nodes = change.recreation_nodes if change.pod_ending is PodEnding.GONE else frozenset()
        self.starts = starts
        self.component_cache = ComponentCache(change.after)

    @cached_property
    def health(self) -> NodeHealth:
        """How well the nodes are after the change, and the pods that were listed before it."""
        from preflight.coverage.node_health import NodeHealth  # only an update asks

        return NodeHealth(self.nodes, self._change.before.pods)
