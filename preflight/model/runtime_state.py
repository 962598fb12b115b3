"""What a cluster says of its state: conditions with their times, what nodes have, who set labels, what pods wait for, events.

Read only where somebody asks what is broken today; a snapshot keeps it for that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from preflight.model.objects import Taint, _Object
from preflight.model.pod_scheduling import ContainerStatus, ScheduledPod, ScheduledStatus


class OwnedMetadata(_Object, frozen=True, gc=False, rename={"labels": "f:labels"}):
    """`f:metadata` of the fields that somebody manages: the labels, as `f:KEY`."""

    labels: dict[str, Any] = field(default_factory=dict)


class OwnedFields(_Object, frozen=True, gc=False, rename={"metadata": "f:metadata"}):
    """`fieldsV1` of an entry of `managedFields`, as far as it is about labels."""

    metadata: OwnedMetadata | None = None


class ManagedFields(_Object, frozen=True, gc=False):
    """`metadata.managedFields[]`: who set which fields last, and when."""

    manager: str = ""
    operation: str = ""
    time: str = ""
    fieldsV1: OwnedFields | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The keys of the labels that are its own."""
        owned = self.fieldsV1.metadata.labels if self.fieldsV1 and self.fieldsV1.metadata else {}
        return tuple(name.removeprefix("f:") for name in owned if name.startswith("f:"))


class NodeStateMetadata(_Object, frozen=True, gc=False):
    """`metadata` of a node."""

    name: str = ""
    creationTimestamp: str = ""
    managedFields: tuple[ManagedFields, ...] = ()


class TimedTaint(Taint, frozen=True, gc=False):
    """`spec.taints[]`, with the time when it was added; the API server notes that of NoExecute, the node controller of a cordon."""

    timeAdded: str = ""


class NodeStateSpec(_Object, frozen=True, gc=False):
    """`spec` of a node."""

    taints: tuple[TimedTaint, ...] = ()


class StateCondition(_Object, frozen=True, gc=False):
    """`status.conditions[]` of a node."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    lastTransitionTime: str = ""
    lastHeartbeatTime: str = ""

    @property
    def is_bad(self) -> bool:
        """Whether it says that something is wrong: not Ready, or a pressure."""
        return (self.status != "True") if self.type == "Ready" else self.status == "True"


class NodeStateStatus(_Object, frozen=True, gc=False):
    """`status` of a node."""

    capacity: dict[str, str | int | float] = field(default_factory=dict)
    conditions: tuple[StateCondition, ...] = ()


class NodeState(_Object, frozen=True, gc=False):
    """v1 Node, as far as it says how it is and since when."""

    metadata: NodeStateMetadata = NodeStateMetadata()
    spec: NodeStateSpec = NodeStateSpec()
    status: NodeStateStatus = NodeStateStatus()

    def condition(self, type: str) -> StateCondition | None:
        """The condition of a type."""
        return next((each for each in self.status.conditions if each.type == type), None)

    def set_by(self, label: str) -> ManagedFields | None:
        """Who set a label last; None where nobody says."""
        found = [each for each in self.metadata.managedFields if label in each.labels]
        return max(found, key=lambda each: each.time) if found else None


class Waiting(_Object, frozen=True, gc=False):
    """`state.waiting` of a container: why it does not run."""

    reason: str = ""
    message: str = ""


class Terminated(_Object, frozen=True, gc=False):
    """`state.terminated` of a container; its message is left unread: it may be what the container printed."""

    exitCode: int = 0
    reason: str = ""


class ContainerState(_Object, frozen=True, gc=False):
    """`state` and `lastState` of a container."""

    waiting: Waiting | None = None
    terminated: Terminated | None = None


class StatedContainer(ContainerStatus, frozen=True, gc=False):
    """`status.containerStatuses[]` with what the container does, None where it runs; `started` is not read: a probe decides it."""

    state: ContainerState | None = None
    lastState: ContainerState | None = None
    restartCount: int = 0


class StatedStatus(ScheduledStatus, frozen=True, gc=False):
    """`status` of a pod, with its containers; `reason` says why it failed."""

    reason: str = ""
    message: str = ""
    containerStatuses: tuple[StatedContainer, ...] = ()
    initContainerStatuses: tuple[StatedContainer, ...] = ()


class StatedPod(ScheduledPod, tag="Pod", tag_field="kind", frozen=True, gc=False):
    """v1 Pod as the cluster has it, with what it waits for."""

    status: StatedStatus = StatedStatus()


class EventMetadata(_Object, frozen=True, gc=False):
    """`metadata` of an event."""

    name: str = ""
    namespace: str = ""
    creationTimestamp: str = ""


class EventObject(_Object, frozen=True, gc=False):
    """`involvedObject` of an event."""

    kind: str = ""
    namespace: str = ""
    name: str = ""


class EventSource(_Object, frozen=True, gc=False):
    """`source` of an event."""

    component: str = ""


class EventSeries(_Object, frozen=True, gc=False):
    """`series` of an event that goes on."""

    count: int = 0
    lastObservedTime: str = ""


class Event(_Object, frozen=True, gc=False):
    """v1 Event."""

    metadata: EventMetadata = EventMetadata()
    involvedObject: EventObject = EventObject()
    type: str = ""
    reason: str = ""
    message: str = ""
    count: int = 0
    source: EventSource = EventSource()
    reportingComponent: str = ""
    firstTimestamp: str = ""
    lastTimestamp: str = ""
    eventTime: str = ""
    series: EventSeries | None = None

    @property
    def component(self) -> str:
        """Who says it: a scheduler, a controller, a kubelet."""
        return self.reportingComponent or self.source.component

    @property
    def last(self) -> str:
        """When it was said last."""
        series = self.series.lastObservedTime if self.series else ""
        return max(series, self.lastTimestamp, self.eventTime, self.firstTimestamp, self.metadata.creationTimestamp)


class CSINodeDriver(_Object, frozen=True, gc=False):
    """`spec.drivers[]` of a CSINode."""

    name: str = ""


class CSINodeMetadata(_Object, frozen=True, gc=False):
    """`metadata` of a CSINode: the name of its node."""

    name: str = ""


class CSINodeSpec(_Object, frozen=True, gc=False):
    """`spec` of a CSINode."""

    drivers: tuple[CSINodeDriver, ...] = ()


class CSINode(_Object, frozen=True, gc=False):
    """storage.k8s.io/v1 CSINode: the CSI drivers that are registered on a node."""

    metadata: CSINodeMetadata = CSINodeMetadata()
    spec: CSINodeSpec = CSINodeSpec()


class State(Struct, frozen=True):
    """What a cluster says of its state.

    1. `nodes` and `csi_nodes` by the name of the node, `events` in order of their objects and times.
    2. `at` is the latest time that anything in it states, as it is written (UTC): nobody reads a clock. "" where no time is stated.
    3. `given` are the kinds of which something was given, though nothing of it be kept.
    """

    nodes: Mapping[str, NodeState] = {}
    events: tuple[Event, ...] = ()
    csi_nodes: Mapping[str, CSINode] = {}
    at: str = ""
    given: frozenset[str] = frozenset()


SAFE_REASONS = frozenset(
    ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable", "CrashLoopBackOff")
)
"""The reasons of a waiting container whose message names no argument and no variable of it."""
