"""What the DaemonSets of a world are, worked out when somebody asks and once for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from preflight.model.objects import DaemonSet
from preflight.model.world import World

if TYPE_CHECKING:
    from preflight.components import Component


class Recognised:
    """The components of the DaemonSets of a world; a lost DaemonSet is asked for by many rules."""

    def __init__(self, world: World) -> None:
        """`world` holds the ConfigMaps that device plugins read their resources from, and what a policy states."""
        self._world = world
        self._found: dict[int, tuple[DaemonSet, tuple[Component, ...]]] = {}

    def of(self, daemonset: DaemonSet) -> tuple[Component, ...]:
        """What a DaemonSet is; () where nothing is known of it."""
        found = self._found.get(id(daemonset))
        if found is None:
            from preflight.components import recognise

            found = self._found[id(daemonset)] = (daemonset, recognise(daemonset, self._world.configs, self._world.stated))
        return found[1]

    def rank(self, daemonset: DaemonSet) -> int:
        """How much its loss matters: 0 for the worst kind that it is, more than any kind's for a DaemonSet that is nothing known."""
        return min((component.kind.rank for component in self.of(daemonset)), default=99)
