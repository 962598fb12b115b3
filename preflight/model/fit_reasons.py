"""Why a pod that a DaemonSet is to get stays Pending on its node, or why that is not known, as data."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from preflight.model.meta import ObjectKey
from preflight.model.uncertainty import Uncertainty


class ResourceShortage(Struct, frozen=True, order=True):
    """The node has too little of a resource left, amounts as the scheduler counts them.

    `free` and `allocatable` are those of one node; both None where it is said of several.
    """

    resource: str
    requested: int
    free: int | None = None
    allocatable: int | None = None


class PortConflict(Struct, frozen=True, order=True):
    """A port of the node is held by a pod; `owner` is `DaemonSet ns/name`, or "" for a pod that nothing controls.

    `pod` is its `namespace/name`; "" where it is said of several nodes, or the pod is not listed.
    """

    number: int
    protocol: str
    owner: str = ""
    pod: str = ""


class PodLimitReached(Struct, frozen=True, order=True):
    """The node has as many pods as it may have."""

    allowed: int


class VolumeElsewhere(Struct, frozen=True, order=True):
    """The PersistentVolume of a claim can be used on other nodes only."""

    claim: str
    volume: str


class FilterRefusal(Struct, frozen=True, order=True):
    """Another filter of the scheduler refuses the node, in its words."""

    text: str


FitObstacle = ResourceShortage | PortConflict | PodLimitReached | VolumeElsewhere | FilterRefusal


class StaysPending(Struct, frozen=True):
    """The scheduler binds no new pod to the node, for all of these reasons."""

    obstacles: tuple[FitObstacle, ...]


class FitDoubt(Struct, frozen=True):
    """It is not known whether the scheduler binds a new pod to the node.

    1. `rivals` are DaemonSets whose new pods want the same room: not all of them get it, and chance decides.
    2. `uncertainties` are what is not judged or not known.
    3. `preemptors` are DaemonSets for whose new pods the scheduler may evict the one that is there: they are of higher priority.
    """

    rivals: tuple[ObjectKey, ...] = ()
    uncertainties: tuple[Uncertainty, ...] = ()
    preemptors: tuple[ObjectKey, ...] = ()


class FitVerdict(Enum):
    """Whether a node takes the pod that a DaemonSet is to get there.

    1. FITS: for certain. UNFIT: it stays Pending for certain, whatever pods of lower priority do.
    2. PREEMPTS: only once pods of lower priority are gone, which the scheduler evicts for it.
    3. DOUBTFUL: it depends on something of the pod, or of other new pods, that is not judged.
    4. NOT_JUDGED: nothing speaks against it, and the input does not hold all that decides.
    """

    FITS = "fits"
    UNFIT = "unfit"
    PREEMPTS = "preempts"
    DOUBTFUL = "doubtful"
    NOT_JUDGED = "not-judged"


class PodFit(Struct, frozen=True):
    """Whether one node takes the pod that a DaemonSet is to get there, once the old one is gone.

    1. `obstacles` are what is in the way, with the facts of the node; `victims` the pods of lower priority that may have to go.
    2. `rivals`, `uncertainties` and `preemptors`: see FitDoubt.
    3. `surge_shortages` are the resources of which too little is left beside the old pod, where the update starts the new one first.
    4. `finds_room`: a pod waited there that the node had no room for, and the change leaves room that it finds, or may find.
    5. `evicts_old`: with a surge, it is of higher priority than the old pod, which the scheduler evicts where they do not both fit.
    """

    verdict: FitVerdict
    obstacles: tuple[FitObstacle, ...] = ()
    victims: tuple[str, ...] = ()
    rivals: tuple[ObjectKey, ...] = ()
    uncertainties: tuple[Uncertainty, ...] = ()
    surge_shortages: tuple[str, ...] = ()
    finds_room: bool = False
    preemptors: tuple[ObjectKey, ...] = ()
    evicts_old: bool = False

    @property
    def changes_outcome(self) -> bool:
        """Whether another answer than that new pods are simply there, and waiting ones are not."""
        return self.verdict in (FitVerdict.UNFIT, FitVerdict.DOUBTFUL) or bool(self.surge_shortages) or self.finds_room or self.evicts_old


def drop_node_facts(obstacle: FitObstacle) -> FitObstacle:
    """An obstacle without what differs from node to node."""
    match obstacle:
        case ResourceShortage(resource, requested):
            return ResourceShortage(resource, requested)
        case PortConflict(number, protocol, owner, pod):
            return PortConflict(number, protocol, owner, "" if owner else pod)
        case _:
            return obstacle
