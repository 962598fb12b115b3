"""What judging one change works out once, or is told: what DaemonSets are, how well nodes and pods are, how new pods begin."""

from __future__ import annotations

from msgspec import Struct

from preflight.change.performed import Change
from preflight.impact.health import Health
from preflight.impact.recognised import Recognised
from preflight.impact.rollouts import Starts


class Known(Struct, frozen=True):
    """What every look at one change shares.

    `starts` says how new pods begin, where somebody knows; None assumes that they become Ready where nothing speaks against it.
    """

    recognised: Recognised
    health: Health
    starts: Starts | None = None


def known(change: Change, starts: Starts | None = None) -> Known:
    """What is known of a change; nothing is worked out before it is asked for."""
    return Known(Recognised(change.after), Health(change.after.nodes, change.before.pods), starts)
