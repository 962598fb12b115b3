"""Facts about the capacity for a new pod, as values. Words for them are in `preflight.messages.capacity`."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from preflight.model.reasons import Reason
from preflight.model.uncertainty import Uncertainty


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


# Why a node does not take a copy. What keeps out a DaemonSet keeps out any pod: see `model.reasons`.


class NodeFact(StrEnum):
    """A reason without further facts: the node is cordoned or not Ready, its affinity names other nodes, a host port is in use."""

    CORDONED = "cordoned"
    NOT_READY = "not-ready"
    OTHER_NODES = "other-nodes"
    HOST_PORT = "host-port"


class PodLimit(Struct, frozen=True):
    """The node has as many pods as it may have."""

    used: int
    allowed: int


class SchedulerWords(Struct, frozen=True):
    """Another reason, in the scheduler's own words."""

    words: str


CapacityReason = NodeFact | PodLimit | SchedulerWords | Reason


# Why more copies may fit than is certain, or fewer.


class CapacityUncertainty(Struct, frozen=True):
    """What of the input keeps the answer from being certain; `cause` is why it was not read, "" if unknown."""

    uncertainty: Uncertainty
    cause: str = ""


class AddedToleration(Struct, frozen=True):
    """An admission plugin, off by default, lets the pod tolerate the taint of so many nodes."""

    nodes: int


class PossiblePreemption(Struct, frozen=True):
    """More fits on so many nodes if pods of lower priority are evicted; None if the priority of the pod is unknown."""

    nodes: int | None


class QuotaLimits(Struct, frozen=True):
    """ResourceQuotas of the namespace may allow fewer pods."""

    quotas: tuple[str, ...]
    namespace: str


class UnreadQuota(Struct, frozen=True):
    """The quota of the namespace was not read; `cause` says why, "" if none was in the input."""

    namespace: str
    cause: str = ""


class WaitingPods(Struct, frozen=True):
    """These pods wait for a node already, as `namespace/name`."""

    pods: tuple[str, ...]


class AlwaysUnchecked(Struct, frozen=True):
    """What no input tells: changes made by admission, extenders, other settings of the scheduler."""


CapacityDoubt = CapacityUncertainty | AddedToleration | PossiblePreemption
UncheckedLimit = QuotaLimits | UnreadQuota | WaitingPods | AlwaysUnchecked
