"""What the DaemonSets of a run are, recognised once for all rules that ask."""

from __future__ import annotations

from preflight.coverage.component_cache import Recognised
from preflight.model.world import World
from preflight.rules.api import Context


class _Last:
    """The world that was asked for last: the rules of one run ask for the same."""

    world: World | None = None
    recognised: Recognised | None = None


def recognised(context: Context) -> Recognised:
    """What the DaemonSets after the change are, or those of lint."""
    if context.impact is not None:
        return context.impact.recognised
    if _Last.recognised is None or _Last.world is not context.world:
        _Last.world, _Last.recognised = context.world, Recognised(context.world)
    return _Last.recognised
