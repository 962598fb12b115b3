"""What the DaemonSets of a run are, recognized once for all rules that ask."""

from __future__ import annotations

from preflight.coverage.component_cache import ComponentCache
from preflight.model.world import ClusterState
from preflight.rules.api import Context


class _LastWorld:
    """The world that was asked for last: the rules of one run ask for the same."""

    world: ClusterState | None = None
    recognized: ComponentCache | None = None


def get_component_cache(context: Context) -> ComponentCache:
    """What the DaemonSets after the change are, or those of lint."""
    if context.impact is not None:
        return context.impact.component_cache
    if _LastWorld.recognized is None or _LastWorld.world is not context.world:
        _LastWorld.world, _LastWorld.recognized = context.world, ComponentCache(context.world)
    return _LastWorld.recognized
