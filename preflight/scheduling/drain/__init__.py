"""`kubectl drain`: which pods leave a node, what refuses, what hangs, and how long it takes."""

from preflight.scheduling.drain.drain import drain
from preflight.scheduling.drain.model import (
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
from preflight.scheduling.drain.pod_filters import DrainFlags

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
