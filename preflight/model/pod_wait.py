"""How long `kubectl delete` waits for pods that it deletes."""

from __future__ import annotations

from enum import StrEnum


class PodWait(StrEnum):
    """How long kubectl waits: until the pods are GONE, until a TIMEOUT, or not at all (NONE)."""

    UNTIL_GONE = "gone"
    TIMEOUT = "timeout"
    NONE = "none"
