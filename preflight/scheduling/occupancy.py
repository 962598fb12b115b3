"""What the pods that are there take of each node's room, counted once for all the pods that ask for what is left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from msgspec import Struct, msgpack

from preflight.model.objects import Node, PodSpec
from preflight.model.pod_scheduling import PodAffinityTerm, ScheduledPod, ScheduledStatus
from preflight.model.pod_status import RunningPod
from preflight.scheduling.ports import HostPort, host_ports
from preflight.scheduling.quantities import QuantityError, counted, millis
from preflight.scheduling.requests import is_being_resized, is_counted, pod_requests, running_requests
from preflight.scheduling.uncertainty import Doubt, Unjudged, doubt

_SAME = msgpack.Encoder()


class Taken(Struct, frozen=True):
    """What one pod takes of a node.

    1. `amounts` are as the scheduler counts them, {} where they cannot be read (`doubts` says so).
    2. A `nominated` pod is not there yet: the scheduler clears the node for it, and keeps the room from pods of lower priority.
    """

    key: tuple[str, str]
    amounts: Mapping[str, int]
    ports: frozenset[HostPort] = frozenset()
    priority: int = 0
    nominated: bool = False
    doubts: tuple[Doubt, ...] = ()


class Held(Struct, frozen=True):
    """What pods take of a node together: their number, amounts and ports, and what of it is not certain."""

    pods: int
    amounts: Mapping[str, int]
    ports: frozenset[HostPort]
    doubts: tuple[Doubt, ...]


class Room(Struct, frozen=True, dict=True):
    """A node and what is taken of it.

    1. `allocatable` is as the scheduler counts it, by resource; a resource that is not there is 0, also the number of pods. None where
       the node does not give any.
    2. `unreadable` are the resources of which it gives an amount that cannot be read.
    """

    node: Node
    taken: tuple[Taken, ...]
    allocatable: Mapping[str, int] | None
    unreadable: frozenset[str] = frozenset()

    @cached_property
    def bound(self) -> Held:
        """What the pods that are there take."""
        return _held(each for each in self.taken if not each.nominated)

    def held(self, priority: int | None) -> Held:
        """What is taken for a pod of a priority: by the pods that are there, and by nominated ones of no lower priority.

        None, a priority that is not known, counts only the pods that are there.

        Source: `pkg/scheduler/framework/runtime/framework.go`, RunFilterPluginsWithNominatedPods.
        """
        if priority is None or not any(each.nominated for each in self.taken):
            return self.bound
        return _held(each for each in self.taken if not each.nominated or each.priority >= priority)

    def held_above(self, priority: int) -> Held:
        """What would still be taken once every pod of lower priority were gone."""
        return _held(each for each in self.taken if each.priority >= priority)

    def with_pod(self, key: tuple[str, str], spec: PodSpec) -> Room:
        """The node with one more pod on it, just bound."""
        return Room(self.node, (*self.taken, _of_spec(key, spec)), self.allocatable, self.unreadable)

    def without(self, key: tuple[str, str]) -> Room:
        """The node once a pod is gone; the node as it is where it is not there."""
        return Room(self.node, tuple(each for each in self.taken if each.key != key), self.allocatable, self.unreadable)


class Guard(Struct, frozen=True):
    """A pod that is there and wants no pod of some kind near it: its namespace and name, its node, and a term of its anti-affinity."""

    key: tuple[str, str]
    node: str
    term: PodAffinityTerm


class Occupancy(Struct, frozen=True):
    """The nodes of a cluster and what is taken of them.

    1. `rooms` by the name of the node, in order of the names.
    2. `doubts` are PODS and NODES where the input does not hold all of them, and UNREAD where pods were not read whole, so that
       their anti-affinity is not known.
    """

    rooms: Mapping[str, Room]
    guards: tuple[Guard, ...] = ()
    doubts: tuple[Doubt, ...] = ()

    def changed(self, room: Room) -> Occupancy:
        """The same with another state of one node: to place pods one after another, or to take some away."""
        return Occupancy({**self.rooms, room.node.name: room}, self.guards, self.doubts)


def occupy(nodes: Iterable[Node], pods: Iterable[RunningPod] | None, *, all_pods: bool = True, all_nodes: bool = True) -> Occupancy:
    """What the pods take of the nodes.

    1. A pod takes room of the node in its `nodeName`, also while it is Pending or terminating; once it has Succeeded or Failed it takes
       none. A pod of a node that is not among `nodes` is left out.
    2. A pod without a node takes room only where it is nominated to one.
    3. `pods` None means that nothing is known of them, as `all_pods` False does of the others.
    """
    taken: dict[str, list[Taken]] = {}
    guards: list[Guard] = []
    asked: dict[bytes, _Asked] = {}
    unread = False
    for pod in pods or ():
        node = pod.spec.nodeName
        if pod.has_ended:
            continue
        if isinstance(pod, ScheduledPod):
            nominated = not node
            node = node or pod.status.nominatedNodeName
            guards += (Guard(pod.key, node, term) for term in unwanted(pod) if not nominated)
        elif node:
            nominated, unread = False, True
        if node:
            taken.setdefault(node, []).append(_of_pod(pod, nominated, asked))
    doubts = []
    if pods is None or not all_pods:
        doubts.append(doubt(Unjudged.PODS))
    if not all_nodes:
        doubts.append(doubt(Unjudged.NODES))
    if unread:
        doubts.append(doubt(Unjudged.UNREAD, "pods"))
    return occupied(nodes, taken, guards, doubts)


def occupied(nodes: Iterable[Node], taken: Mapping[str, Iterable[Taken]], guards: Iterable[Guard], doubts: Iterable[Doubt]) -> Occupancy:
    """The same from what is taken of each node, for whoever has counted it: see `occupy`."""
    rooms = {node.name: _room(node, taken.get(node.name, ())) for node in sorted(nodes, key=lambda node: node.name)}
    return Occupancy(rooms, tuple(guards), tuple(doubts))


def _room(node: Node, taken: Iterable[Taken]) -> Room:
    if not node.status.allocatable:
        return Room(node, tuple(taken), None)
    allocatable = {}
    unreadable = set()
    for name, quantity in node.status.allocatable.items():
        if name == "pods" or is_counted(name):
            try:
                allocatable[name] = counted(name, millis(quantity))
            except QuantityError:
                unreadable.add(name)
    return Room(node, tuple(taken), allocatable, frozenset(unreadable))


_Asked = tuple[Mapping[str, int] | None, frozenset[HostPort]]
"""What a pod takes, None where it cannot be read, and the ports of its node."""


def taken_by(pod: RunningPod, *, nominated: bool = False) -> Taken:
    """What one pod takes of its node, or of the node that is cleared for it."""
    return _of_pod(pod, nominated, {})


def _of_pod(pod: RunningPod, nominated: bool, asked: dict[bytes, _Asked]) -> Taken:
    """`asked` has what pods take whose specs say the same: most pods have many like them."""
    doubts = []
    if not isinstance(pod, ScheduledPod) and is_being_resized(pod):
        doubts.append(doubt(Unjudged.UNREAD, "/".join(pod.key)))
    try:
        same = _same(pod)
    except (OverflowError, UnicodeEncodeError):  # numbers and names that no server takes
        amounts, ports = _asked(pod)
    else:
        if same not in asked:
            asked[same] = _asked(pod)
        amounts, ports = asked[same]
    if amounts is None:
        doubts.append(doubt(Unjudged.QUANTITY, "/".join(pod.key)))
    return Taken(pod.key, amounts or {}, ports, pod.spec.priority or 0, nominated, tuple(doubts))


def _same(pod: RunningPod) -> bytes:
    """All that decides what a pod takes: equal for pods of which that is equal."""
    spec, status = pod.spec, pod.status
    said: list[object] = [spec.containers, spec.initContainers, spec.resources, spec.overhead, spec.hostNetwork]
    if isinstance(status, ScheduledStatus):
        said += [status.resources, status.allocatedResources, status.containerStatuses, status.initContainerStatuses]
        said += [each for each in status.conditions if each.type == "PodResizePending"]
    return _SAME.encode((isinstance(pod, ScheduledPod), *said))


def _asked(pod: RunningPod) -> _Asked:
    try:
        return running_requests(pod), host_ports(pod.spec)
    except QuantityError:
        return None, host_ports(pod.spec)


def _of_spec(key: tuple[str, str], spec: PodSpec) -> Taken:
    try:
        amounts, doubts = pod_requests(spec), ()
    except QuantityError:
        return Taken(key, {}, host_ports(spec), spec.priority or 0, doubts=(doubt(Unjudged.QUANTITY, "/".join(key)),))
    return Taken(key, amounts, host_ports(spec), spec.priority or 0, doubts=doubts)


def _held(taken: Iterable[Taken]) -> Held:
    pods = 0
    amounts: dict[str, int] = {}
    ports: set[HostPort] = set()
    doubts: list[Doubt] = []
    for each in taken:
        pods += 1
        for name, amount in each.amounts.items():
            amounts[name] = amounts.get(name, 0) + amount
        ports |= each.ports
        doubts += each.doubts
    return Held(pods, amounts, frozenset(ports), tuple(doubts))


def unwanted(pod: ScheduledPod) -> tuple[PodAffinityTerm, ...]:
    """The required terms of a pod's anti-affinity: what it wants no pod of near it."""
    affinity = pod.spec.affinity
    return affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution if affinity and affinity.podAntiAffinity else ()
