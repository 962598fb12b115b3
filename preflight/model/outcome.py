"""What a change means for a DaemonSet on a node."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """What a change means for a DaemonSet on a node (design: the outcomes), worst first."""

    LOST_NOW = "lost-now"
    LOST_ON_RECREATION = "lost-on-recreation"
    LOOP = "loop"
    UNKNOWN = "unknown"
    ALREADY_FRAGILE = "already-fragile"
    MISSING = "missing"
    NOT_READY = "not-ready"
    NODE_GONE = "node-gone"
    NEVER = "never"
    GAINED = "gained"
    KEPT = "kept"
    EXCLUDED = "excluded"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Outcome).index(self)
