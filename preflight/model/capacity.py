"""How much room there is for a pod: what `preflight capacity` says. Its reporters read this and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from preflight.model.capacity_reasons import CapacityLossCause, StaleReason
from preflight.model.core import PodSpec
from preflight.model.report import ClusterIdentity


class NewPod(Struct, frozen=True):
    """A pod that asks for room.

    1. `description` say where it is from: `Deployment shop/web of web.yaml`, or what it asks for.
    2. `labels` and `namespace` are those that it would have; "" is the namespace of the context.
    3. `is_admitted`: admission has added to it already, for it was a pod. A `spec` that is no ScheduledSpec was not read whole.
    """

    description: str
    spec: PodSpec
    labels: Mapping[str, str] = {}
    namespace: str = ""
    is_admitted: bool = False


class CapacityStep(Struct, frozen=True, gc=False):
    """What one cause takes away of the resource that is followed.

    `free` is how much of the amount no pod has asked for. `details` say more, in words.
    """

    cause: CapacityLossCause
    amount: int
    free: int
    nodes: tuple[str, ...]
    details: tuple[str, ...] = ()


class NodeCapacity(Struct, frozen=True, gc=False):
    """One node: what of the followed resource it can allocate, what is used, held by ghosts and free, and how many copies it takes.

    1. `allocatable` and `free` are None where the node does not say what it can allocate.
    2. `takes` is None where it is not known, then `unknown` has the reasons; `atMost` is None where nothing bounds it.
    3. `reasons` are all that stand in the way of one copy. `missing` is how much of the followed resource a copy lacks where nothing else
       stands in its way, and None otherwise.
    """

    node: str
    kind: str
    allocatable: int | None
    used: int
    ghosts: int
    free: int | None
    copies: int
    atMost: int | None
    takes: bool | None
    missing: int | None = None
    reasons: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


class NodeClassCapacity(Struct, frozen=True, gc=False):
    """Nodes that are alike: of one instance type, with as much to allocate of all that the pod asks for, and the same reasons.

    `allocatable`, `used`, `ghosts`, `free`, `copies` are those of all of them together; None as in NodeRoom.
    """

    kind: str
    nodes: tuple[str, ...]
    allocatable: int | None
    used: int
    ghosts: int
    free: int | None
    copies: int
    atMost: int | None
    reasons: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


class StaleAllocationRow(Struct, frozen=True, gc=False):
    """A pod that holds room though nothing of it runs, and why."""

    pod: str
    node: str
    amount: int
    why: StaleReason


class ClusterCapacity(Struct, frozen=True, gc=False):
    """The room for a pod in one cluster.

    1. `resource` is the one that is followed, `wanted` what one copy asks of it, `requests` all that one copy asks for: cpu in
       thousandths, all else in whole units.
    2. `allocatable` minus the amounts of all steps is `copies` times `wanted`. `free` is what no pod has asked for.
    3. `copies` fit for certain; `atMost` where all that is unknown turns out well, None where nothing bounds it.
    4. `largest` is the largest free block on one node that is not excluded, `largestOn` the nodes that have it.
    5. `unread` are nodes that do not say what they can allocate: they are in no number.
    6. `message` is what the scheduler says of such a pod that is Pending now, "" where one fits or that is not certain.
    7. `unknown` is why more may fit than `copies`, or nobody can tell; `notJudged` what may still make it fewer. `notes` are about the pod
       and the version of the cluster.
    """

    resource: str
    wanted: int
    requests: Mapping[str, int]
    allocatable: int
    free: int
    copies: int
    atMost: int | None
    largest: int
    largestOn: tuple[str, ...]
    steps: tuple[CapacityStep, ...]
    classes: tuple[NodeClassCapacity, ...]
    nodes: tuple[NodeCapacity, ...]
    ghosts: tuple[StaleAllocationRow, ...] = ()
    unread: tuple[str, ...] = ()
    message: str = ""
    unknown: tuple[str, ...] = ()
    notJudged: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class ClusterCapacityAnswer(Struct, frozen=True, gc=False):
    """One cluster of the question: its room, or None and the `error` for which there is none; `problems` could not be read."""

    name: str
    pod: str = ""
    cluster: ClusterIdentity | None = None
    room: ClusterCapacity | None = None
    error: str = ""
    problems: tuple[str, ...] = ()


class CapacityReport(Struct, frozen=True, gc=False):
    """What `preflight capacity` says: `question` in words, one answer a cluster in the order in which they were named, the exit code.

    `atLeast` is how many copies one of the clusters has to take for certain.
    """

    preflight: str
    question: str
    atLeast: int
    clusters: tuple[ClusterCapacityAnswer, ...]
    exit: int
