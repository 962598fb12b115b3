"""What the rules about new pods share: the facts of the nodes that do not take them."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.coverage.model import Impact
from preflight.messages.pod_fit import PORT_HELP, ROOM_HELP, ObstacleExample
from preflight.model.fit_reasons import FitObstacle, PodFit, PortConflict, StaysPending
from preflight.model.meta import ObjectKey


def get_fits(impact: Impact, key: ObjectKey, nodes: Sequence[str]) -> dict[str, PodFit]:
    """The fits of a DaemonSet's new pods on some nodes, as far as they were judged."""
    known = impact.pod_fits.get(key, {})
    return {name: known[name] for name in nodes if name in known}


def make_example(impact: Impact, key: ObjectKey, nodes: Sequence[str], reason: StaysPending | None = None) -> ObstacleExample:
    """What is in the way on the first of some nodes that is known; without one, what `reason` says of all."""
    known = [(name, fit.obstacles) for name, fit in get_fits(impact, key, nodes).items() if fit.obstacles]
    if not known:
        return ObstacleExample(nodes[0], reason.obstacles if reason else ())
    name, obstacles = known[0]
    return ObstacleExample(name, obstacles, is_shared=all(others == obstacles for _, others in known))


def make_help(obstacles: Sequence[FitObstacle]) -> tuple[tuple[str, str], ...]:
    """What to do about obstacles."""
    takes_port = any(isinstance(obstacle, PortConflict) for obstacle in obstacles)
    return (("help", PORT_HELP if takes_port else ROOM_HELP),)
