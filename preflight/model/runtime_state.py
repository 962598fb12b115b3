"""What a cluster says of its state: conditions with their times, what nodes have, who set labels, what pods wait for, events.

Read only where somebody asks what is broken today; a snapshot keeps it for that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from preflight.model.core import Taint
from preflight.model.meta import APIStruct
from preflight.model.pod_scheduling import ContainerStatus, SchedulerPod, SchedulerPodStatus


class OwnedMetadata(APIStruct, frozen=True, gc=False, rename={"labels": "f:labels"}):
    """`f:metadata` of the fields that somebody manages: the labels, as `f:KEY`."""

    labels: dict[str, Any] = field(default_factory=dict)


class OwnedFields(APIStruct, frozen=True, gc=False, rename={"metadata": "f:metadata"}):
    """`fieldsV1` of an entry of `managedFields`, as far as it is about labels."""

    metadata: OwnedMetadata | None = None


class ManagedFields(APIStruct, frozen=True, gc=False):
    """`metadata.managedFields[]`: who set which fields last, and when."""

    manager: str = ""
    operation: str = ""
    time: str = ""
    fieldsV1: OwnedFields | None = None

    @property
    def owned_labels(self) -> tuple[str, ...]:
        """The keys of the labels that are its own."""
        owned = self.fieldsV1.metadata.labels if self.fieldsV1 and self.fieldsV1.metadata else {}
        return tuple(name.removeprefix("f:") for name in owned if name.startswith("f:"))


class NodeStateMetadata(APIStruct, frozen=True, gc=False):
    """`metadata` of a node."""

    name: str = ""
    creationTimestamp: str = ""
    annotations: dict[str, str] = field(default_factory=dict)
    managedFields: tuple[ManagedFields, ...] = ()


class TimedTaint(Taint, frozen=True, gc=False):
    """`spec.taints[]`, with the time when it was added; the API server notes that of NoExecute, the node controller of a cordon."""

    timeAdded: str = ""


class NodeStateSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a node."""

    taints: tuple[TimedTaint, ...] = ()


class NodeCondition(APIStruct, frozen=True, gc=False):
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


class NodeInfo(APIStruct, frozen=True, gc=False):
    """`status.nodeInfo` of a node."""

    kubeletVersion: str = ""


class NodeStateStatus(APIStruct, frozen=True, gc=False):
    """`status` of a node; `nodeInfo` None where it says nothing of its programs."""

    capacity: dict[str, str | int | float] = field(default_factory=dict)
    conditions: tuple[NodeCondition, ...] = ()
    nodeInfo: NodeInfo | None = None


class NodeState(APIStruct, frozen=True, gc=False):
    """v1 Node, as far as it says how it is and since when."""

    metadata: NodeStateMetadata = NodeStateMetadata()
    spec: NodeStateSpec = NodeStateSpec()
    status: NodeStateStatus = NodeStateStatus()

    def find_condition(self, type: str) -> NodeCondition | None:
        """The condition of a type."""
        return next((condition for condition in self.status.conditions if condition.type == type), None)

    def find_label_manager(self, label_key: str) -> ManagedFields | None:
        """Who set a label last; None where nobody says."""
        found = [managed_field for managed_field in self.metadata.managedFields if label_key in managed_field.owned_labels]
        return max(found, key=lambda managed_field: managed_field.time) if found else None


class ContainerStateWaiting(APIStruct, frozen=True, gc=False):
    """`state.waiting` of a container: why it does not run."""

    reason: str = ""
    message: str = ""


class ContainerStateTerminated(APIStruct, frozen=True, gc=False):
    """`state.terminated` of a container; its message is left unread: it may be what the container printed."""

    exitCode: int = 0
    reason: str = ""


class ContainerState(APIStruct, frozen=True, gc=False):
    """`state` and `lastState` of a container."""

    waiting: ContainerStateWaiting | None = None
    terminated: ContainerStateTerminated | None = None


class ContainerStatusWithState(ContainerStatus, frozen=True, gc=False):
    """`status.containerStatuses[]` with what the container does, None where it runs; `started` is not read: a probe decides it."""

    state: ContainerState | None = None
    lastState: ContainerState | None = None
    restartCount: int = 0


class PodStateStatus(SchedulerPodStatus, frozen=True, gc=False):
    """`status` of a pod, with its containers; `reason` says why it failed."""

    reason: str = ""
    message: str = ""
    containerStatuses: tuple[ContainerStatusWithState, ...] = ()
    initContainerStatuses: tuple[ContainerStatusWithState, ...] = ()


class PodState(SchedulerPod, tag="Pod", tag_field="kind", frozen=True, gc=False):
    """v1 Pod as the cluster has it, with what it waits for."""

    status: PodStateStatus = PodStateStatus()


class EventMetadata(APIStruct, frozen=True, gc=False):
    """`metadata` of an event."""

    name: str = ""
    namespace: str = ""
    creationTimestamp: str = ""


class EventObject(APIStruct, frozen=True, gc=False):
    """`involvedObject` of an event."""

    kind: str = ""
    namespace: str = ""
    name: str = ""


class EventSource(APIStruct, frozen=True, gc=False):
    """`source` of an event."""

    component: str = ""


class EventSeries(APIStruct, frozen=True, gc=False):
    """`series` of an event that goes on."""

    count: int = 0
    lastObservedTime: str = ""


class Event(APIStruct, frozen=True, gc=False):
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
    def reporter(self) -> str:
        """Who says it: a scheduler, a controller, a kubelet."""
        return self.reportingComponent or self.source.component

    @property
    def last_seen(self) -> str:
        """When it was said last."""
        series = self.series.lastObservedTime if self.series else ""
        return max(series, self.lastTimestamp, self.eventTime, self.firstTimestamp, self.metadata.creationTimestamp)


class CSINodeDriver(APIStruct, frozen=True, gc=False):
    """`spec.drivers[]` of a CSINode."""

    name: str = ""


class CSINodeMetadata(APIStruct, frozen=True, gc=False):
    """`metadata` of a CSINode: the name of its node."""

    name: str = ""


class CSINodeSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a CSINode."""

    drivers: tuple[CSINodeDriver, ...] = ()


class CSINode(APIStruct, frozen=True, gc=False):
    """storage.k8s.io/v1 CSINode: the CSI drivers that are registered on a node."""

    metadata: CSINodeMetadata = CSINodeMetadata()
    spec: CSINodeSpec = CSINodeSpec()


class RuntimeState(Struct, frozen=True):
    """What a cluster says of its state.

    1. `nodes` and `csi_nodes` by the name of the node, `events` in order of their objects and times.
    2. `latest_time` is the latest time that anything in it states, as it is written (UTC): nobody reads a clock. "" where no time is
       stated.
    3. `given_kinds` are the kinds of which something was given, though nothing of it be kept.
    """

    nodes: Mapping[str, NodeState] = {}
    events: tuple[Event, ...] = ()
    csi_nodes: Mapping[str, CSINode] = {}
    latest_time: str = ""
    given_kinds: frozenset[str] = frozenset()


SAFE_WAITING_REASONS = frozenset(
    ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable", "CrashLoopBackOff")
)
"""The reasons of a waiting container whose message names no argument and no variable of it."""
