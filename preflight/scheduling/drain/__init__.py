"""`kubectl drain`: which pods leave a node, what refuses, what hangs, and how long it takes."""

from preflight.scheduling.drain.filters import DrainFlags
from preflight.scheduling.drain.nodes import drain
from preflight.scheduling.drain.verdicts import (
    NOTHING_COMES_BACK,
    Assumed,
    FirstRound,
    NodeDrain,
    PodDrain,
    Verdict,
    Why,
    at_once,
    never_ready,
    ready_at_once,
    whole_grace,
)

__all__ = [
    "NOTHING_COMES_BACK",
    "Assumed",
    "DrainFlags",
    "FirstRound",
    "NodeDrain",
    "PodDrain",
    "Verdict",
    "Why",
    "at_once",
    "drain",
    "never_ready",
    "ready_at_once",
    "whole_grace",
]
