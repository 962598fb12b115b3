"""The state of a cluster beside its objects: read where somebody asks what is broken today, and where a snapshot is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Raw

from preflight.load.kinds import STATE_KINDS
from preflight.load.kubectl_list_schema import RAW_LIST_DECODER
from preflight.load.object_times import find_latest_time, is_time
from preflight.load.pod_texts import decode_kept_pod
from preflight.model.convert import convert, decode_object
from preflight.model.core import CoveragePod
from preflight.model.image_platforms import find_missing_platform
from preflight.model.lazy_pods import LazyPods
from preflight.model.meta import APIStruct, Origin
from preflight.model.runtime_state import CSINode, Event, NodeState, PodState, RuntimeState

STATE_TYPES: Mapping[str, tuple[str, type[APIStruct]]] = {
    "Node": ("v1", NodeState),
    "Event": ("v1", Event),
    "CSINode": ("storage.k8s.io/v1", CSINode),
}
"""The kinds that say something of the state, with their apiVersion."""

_OF_KUBELETS = frozenset(("FailedCreatePodSandBox", "NetworkNotReady", "FailedAttachVolume", "UnexpectedAdmissionError"))
_UNREGISTERED = "in the list of registered CSI drivers"


def _decode_pod(raw: Raw | memoryview) -> PodState | None:
    return decode_kept_pod(raw, PodState)


class RuntimeStateCollector:
    """What reading gathers of the state."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self.pods = LazyPods(_decode_pod)
        self._nodes: dict[str, NodeState] = {}
        self._events: dict[tuple[str, str], Event] = {}
        self._csi_nodes: dict[str, CSINode] = {}
        self.given: set[str] = set()
        self._latest_time = ""

    def note_times(self, value: Raw | memoryview | object) -> None:
        """Take what the text, or the plain data, of an object of any kind says of when the list was made."""
        self._latest_time = max(self._latest_time, find_latest_time(value))

    def take_items(self, items: Sequence[Any], raws: Sequence[Raw]) -> None:
        """Take what the decoded items of a list say of the state, of which `raws` are the texts."""
        for item, raw in zip(items, raws, strict=True):
            self.note_times(raw)
            if type(item) is CoveragePod:
                self.pods.add_text((item.metadata.namespace, item.metadata.name), raw)
            else:
                kind = type(item).__struct_config__.tag
                if kind in STATE_TYPES:
                    self.take_text(kind, raw)

    def take_text(self, kind: str, raw: Raw | memoryview) -> bool:
        """Take one object of a kind from its text; one with a null or a wrong type in it by way of plain data. Whether it could be read."""
        value = decode_object(raw, STATE_TYPES[kind][1])
        if value is not None:
            self._add_object(value)
        return value is not None

    def take_data(self, kind: str, data: object) -> None:
        """Take one object from plain data."""
        value = convert(data, STATE_TYPES[kind][1], Origin("<none>"))[0]
        if value is not None:
            self._add_object(value)

    def take_state_object(self, data: Mapping[str, Any]) -> bool:
        """Take what plain data says of the state; whether nothing else is to be read of it."""
        self.note_times(data)
        kind = data.get("kind")
        if not isinstance(kind, str) or kind not in STATE_TYPES or data.get("apiVersion") not in (None, STATE_TYPES[kind][0]):
            return False
        self.take_data(kind, data)
        return kind in STATE_KINDS

    def take_pod(self, data: object) -> None:
        """Take a pod from plain data."""
        self.note_times(data)
        pod = convert(data, PodState, Origin("<none>"))[0]
        if pod is not None:
            self.pods.add_pod(pod)

    def take_page(self, kind: str, text: bytes) -> int | None:
        """Take a page of a list of the API; the index of the first item that cannot be read, None where all can."""
        self.given.add(kind)
        are_read = [self.take_text(kind, raw) for raw in RAW_LIST_DECODER.decode(text).items or ()]
        return None if all(are_read) else are_read.index(False)

    def merge(self, other: RuntimeStateCollector) -> None:
        """Take what another list showed."""
        self.pods.update(other.pods)
        self._nodes.update(other._nodes)
        self._events.update(other._events)
        self._csi_nodes.update(other._csi_nodes)
        self.given |= other.given
        self._latest_time = max(self._latest_time, other._latest_time)

    def build_state(self, snapshot_time: str = "") -> RuntimeState:
        """All of it; `snapshot_time` is the time that a snapshot states."""
        events = sorted(self._events.values(), key=_event_order)
        return RuntimeState(self._nodes, tuple(events), self._csi_nodes, snapshot_time or self._latest_time, frozenset(self.given))

    def _add_object(self, value: APIStruct) -> None:
        if isinstance(value, NodeState):
            self._nodes[value.metadata.name] = value
        elif isinstance(value, CSINode):
            self.given.add("CSINode")
            self._csi_nodes[value.metadata.name] = value
        elif isinstance(value, Event):
            self.given.add("Event")
            if is_time(value.last_seen):
                self._latest_time = max(self._latest_time, value.last_seen)
            if value.type != "Normal" and _is_harmless(value):
                self._events[value.metadata.namespace, value.metadata.name] = value


def _is_harmless(event: Event) -> bool:
    """Whether an event holds no output of a container and no arguments of a mount: a kubelet's may, and one that names nobody."""
    if event.reporter not in ("kubelet", ""):
        return True
    if event.reason == "Failed":
        return find_missing_platform((event.message,)) is not None  # a pull that fails names the image alone
    return event.reason in _OF_KUBELETS or (event.reason == "FailedMount" and _UNREGISTERED in event.message)


def _event_order(event: Event) -> tuple[str, ...]:
    about = event.involvedObject
    return about.kind, about.namespace, about.name, event.last_seen, event.metadata.name
