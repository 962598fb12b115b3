"""What can be wrong with a resource of a node."""

from __future__ import annotations

from enum import Enum


class ResourceFault(Enum):
    """What is wrong with a resource of a node."""

    NOT_ALLOCATABLE = "not-allocatable"
    UNHEALTHY = "unhealthy"
    NO_PROVIDER = "ghost"
    NOT_ADVERTISED = "silent"
