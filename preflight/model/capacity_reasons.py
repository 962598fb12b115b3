"""Facts about the capacity for a new pod, as values. Words for them are in `preflight.messages.capacity`."""

from __future__ import annotations

from enum import StrEnum


class CapacityLossCause(StrEnum):
    """What takes room away, in the order in which it is taken; a node that several exclude counts under the first.

    1. A node as a whole: NOT_READY (by its taints), CORDONED, SELECTOR (nodeSelector and affinity), TAINTS.
    2. Of the other nodes: USED (by pods), STALE (by pods of which nothing runs), FRAGMENTED (too little is left on one node for one
       more copy), OTHER_RESOURCES (another resource is used up first), POD_LIMIT (no more pods are allowed), HOST_PORTS (one copy a node,
       or none), UNKNOWN (what would fit, were it not in doubt).
    """

    NOT_READY = "not-ready"
    CORDONED = "cordoned"
    SELECTOR = "selector"
    TAINTS = "taints"
    USED = "used"
    STALE = "ghosts"
    FRAGMENTED = "rest"
    OTHER_RESOURCES = "others"
    POD_LIMIT = "pods"
    HOST_PORTS = "ports"
    UNKNOWN = "unknown"


class StaleReason(StrEnum):
    """Why nothing of a pod runs.

    PENDING: its node has it, and has started nothing yet. DEAD: it is being deleted, and its node is not Ready.
    """

    PENDING = "pending"
    DEAD = "dead"
