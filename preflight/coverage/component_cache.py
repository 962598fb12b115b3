"""What the DaemonSets of a world are, worked out when somebody asks and once for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from preflight.model.apps import DaemonSet
from preflight.model.world import ClusterState

if TYPE_CHECKING:
    from preflight.components import Component


class ComponentCache:
    """The components of the DaemonSets of a world; a lost DaemonSet is asked for by many rules."""

    def __init__(self, world: ClusterState) -> None:
        """`world` holds the ConfigMaps that device plugins read their resources from, and what a policy states."""
        self._world = world
        self._components: dict[int, tuple[DaemonSet, tuple[Component, ...]]] = {}

    def recognize(self, daemonset: DaemonSet) -> tuple[Component, ...]:
        """What a DaemonSet is; () where nothing is known of it."""
        found = self._components.get(id(daemonset))
        if found is None:
            from preflight.components import recognize_components

            found = self._components[id(daemonset)] = (
                daemonset,
                recognize_components(daemonset, self._world.config_maps, self._world.component_overrides),
            )
        return found[1]

    def get_rank(self, daemonset: DaemonSet) -> int:
        """How much its loss matters: 0 for the worst kind that it is, more than any kind's for a DaemonSet that is nothing known."""
        return min((component.kind.rank for component in self.recognize(daemonset)), default=99)
