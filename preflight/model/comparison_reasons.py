"""What two states of a cluster cannot be compared on, and what differs of a node, as data. The words are in `messages.verify`."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from preflight.model.core import Taint


class Side(Enum):
    """One of the two states: what was saved before, and the cluster now."""

    BEFORE = "before"
    NOW = "now"


class UnlistedNodes(Struct, frozen=True):
    """Not all nodes of one side are known, so that none of the other side is new or gone; `has_some`: some nodes are known."""

    side: Side
    has_some: bool


class UnknownAllocatable(Struct, frozen=True):
    """So many nodes state on one side only what they can allocate."""

    node_count: int


class UnlistedSides(Struct, frozen=True):
    """The pods of the DaemonSet's namespace were not listed on these sides."""

    sides: tuple[Side, ...]


class UnlistedDaemonSets(Struct, frozen=True):
    """Not all DaemonSets are known now; `cause` is what the server or the reader answered, "" where none was given."""

    cause: str = ""


class ComparisonGap(Enum):
    """A reason without fields: no DaemonSet was given now; the manifest states no namespace, so that its pods are unknown."""

    NO_DAEMONSETS = "no-daemonsets"
    NO_NAMESPACE = "no-namespace"


Limitation = UnlistedNodes | UnknownAllocatable | UnlistedSides | UnlistedDaemonSets | ComparisonGap


class LabelDifference(Struct, frozen=True):
    """A label with another value than before; None where it is absent."""

    key: str
    value_before: str | None
    value_now: str | None


class TaintDifference(Struct, frozen=True):
    """A taint that was added since, or removed."""

    taint: Taint
    is_added: bool


class NodeChangeKind(Enum):
    """What became of a node."""

    GONE = "gone"
    NEW = "new"
    NOT_READY = "not-ready"
    CORDONED = "cordoned"
    LABELS = "labels"
    TAINTS = "taints"


class NodeChange(Struct, frozen=True):
    """One change of a node, with the labels or the taints that differ."""

    kind: NodeChangeKind
    labels: tuple[LabelDifference, ...] = ()
    taints: tuple[TaintDifference, ...] = ()
