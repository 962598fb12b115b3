"""`kubectl drain`: which pods leave a node, what refuses, what hangs, and how long it takes."""

from preflight.model.drain_flags import DrainFlags
from preflight.model.eviction_reasons import DrainReason
from preflight.scheduling.drain.drain import simulate_drain
from preflight.scheduling.drain.model import (
    NO_REPLACEMENTS,
    DrainAssumptions,
    DrainBehavior,
    DrainVerdict,
    FirstRound,
    NodeDrain,
    PodDrain,
    assume_full_grace,
    assume_immediate_end,
    assume_never_ready,
    assume_ready_immediately,
)

__all__ = [
    "NO_REPLACEMENTS",
    "DrainAssumptions",
    "DrainBehavior",
    "DrainFlags",
    "DrainReason",
    "DrainVerdict",
    "FirstRound",
    "NodeDrain",
    "PodDrain",
    "assume_full_grace",
    "assume_immediate_end",
    "assume_never_ready",
    "assume_ready_immediately",
    "simulate_drain",
]
