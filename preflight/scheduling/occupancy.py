"""What the pods that are there take of each node's room, counted once for all the pods that ask for what is left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from msgspec import Struct, msgpack
from msgspec.structs import replace

from preflight.model.core import Node, PodSpec
from preflight.model.pod_scheduling import PodAffinityTerm, SchedulerPod, SchedulerPodStatus
from preflight.model.pod_status import ClusterPod
from preflight.model.uncertainty import Uncertainty, UncertaintyKind
from preflight.scheduling.ports import HostPort, list_host_ports
from preflight.scheduling.quantities import QuantityError, count_units, parse_millis
from preflight.scheduling.requests import is_being_resized, is_counted_resource, sum_allocated_requests, sum_pod_requests

_USAGE_KEY_ENCODER = msgpack.Encoder()


class PodUsage(Struct, frozen=True):
    """What one pod takes of a node.

    1. `amounts` are as the scheduler counts them, {} where they cannot be read (`uncertainties` says so).
    2. A `is_nominated` pod is not there yet: the scheduler clears the node for it, and keeps the room from pods of lower priority.
    3. `started` is the time at which it started, as the API server writes it; "" where it is not known.
    """

    key: tuple[str, str]
    amounts: Mapping[str, int]
    ports: frozenset[HostPort] = frozenset()
    priority: int = 0
    is_nominated: bool = False
    uncertainties: tuple[Uncertainty, ...] = ()
    started: str = ""

    def is_less_important(self, other: PodUsage) -> bool:
        """Whether the scheduler evicts the pod before the other one: it is of lower priority, or of the same and has started later.

        Source: kubernetes `pkg/scheduler/util/utils.go`, MoreImportantPod.
        """
        if self.priority != other.priority:
            return self.priority < other.priority
        return bool(other.started) and self.started > other.started


class NodeUsage(Struct, frozen=True):
    """What pods take of a node together: their number, amounts and ports, and what of it is not certain."""

    pod_count: int
    amounts: Mapping[str, int]
    ports: frozenset[HostPort]
    uncertainties: tuple[Uncertainty, ...]


class NodeOccupancy(Struct, frozen=True, dict=True):
    """A node and what is taken of it.

    1. `allocatable` is as the scheduler counts it, by resource; a resource that is not there is 0, also the number of pods. None where
       the node does not give any.
    2. `unreadable_resources` are the resources of which it gives an amount that cannot be read.
    3. `are_pods_listed` is False where nobody asked which pods are there: more is taken than `pod_usages` say.
    """

    node: Node
    pod_usages: tuple[PodUsage, ...]
    allocatable: Mapping[str, int] | None
    unreadable_resources: frozenset[str] = frozenset()
    are_pods_listed: bool = True

    @cached_property
    def bound_usage(self) -> NodeUsage:
        """What the pods that are there take."""
        return _sum_usage(pod_usage for pod_usage in self.pod_usages if not pod_usage.is_nominated)

    def sum_usage_for(self, priority: int | None) -> NodeUsage:
        """What is taken for a pod of a priority: by the pods that are there, and by nominated ones of no lower priority.

        None, a priority that is not known, counts only the pods that are there.

        Source: `pkg/scheduler/framework/runtime/framework.go`, RunFilterPluginsWithNominatedPods.
        """
        if priority is None or not any(pod_usage.is_nominated for pod_usage in self.pod_usages):
            return self.bound_usage
        return _sum_usage(usage for usage in self.pod_usages if not usage.is_nominated or usage.priority >= priority)

    def sum_usage_above(self, priority: int) -> NodeUsage:
        """What would still be taken once every pod of lower priority were gone."""
        return _sum_usage(pod_usage for pod_usage in self.pod_usages if pod_usage.priority >= priority)

    def with_pod(self, key: tuple[str, str], spec: PodSpec) -> NodeOccupancy:
        """The node with one more pod on it, just bound."""
        return replace(self, pod_usages=(*self.pod_usages, measure_spec(key, spec)))

    def without_pod(self, key: tuple[str, str]) -> NodeOccupancy:
        """The node once a pod is gone; the node as it is where it is not there."""
        return replace(self, pod_usages=tuple(pod_usage for pod_usage in self.pod_usages if pod_usage.key != key))


class PodAntiAffinity(Struct, frozen=True):
    """A pod that is there and wants no pod of some kind near it: its namespace and name, its node, and a term of its anti-affinity."""

    key: tuple[str, str]
    node: str
    term: PodAffinityTerm


class Occupancy(Struct, frozen=True):
    """The nodes of a cluster and what is taken of them.

    1. `nodes` by the name of the node, in order of the names.
    2. `uncertainties` are PODS and NODES where the input does not hold all of them, and UNREAD where pods were not read whole, so that
       their anti-affinity is not known.
    """

    nodes: Mapping[str, NodeOccupancy]
    anti_affinities: tuple[PodAntiAffinity, ...] = ()
    uncertainties: tuple[Uncertainty, ...] = ()

    def with_node(self, node_occupancy: NodeOccupancy) -> Occupancy:
        """The same with another state of one node: to place pods one after another, or to take some away."""
        return Occupancy({**self.nodes, node_occupancy.node.name: node_occupancy}, self.anti_affinities, self.uncertainties)


def build_occupancy(
    nodes: Iterable[Node],
    pods: Iterable[ClusterPod] | None,
    *,
    all_pods: bool = True,
    all_nodes: bool = True,
    listed_nodes: frozenset[str] | None = None,
) -> Occupancy:
    """What the pods take of the nodes.

    1. A pod takes room of the node in its `nodeName`, also while it is Pending or terminating; once it has Succeeded or Failed it takes
       none. A pod of a node that is not among `nodes` is left out.
    2. A pod without a node takes room only where it is nominated to one.
    3. `pods` None means that nothing is known of them, as `all_pods` False does of the others.
    4. `listed_nodes` are the nodes whose pods were listed, None for all of them.
    """
    taken: dict[str, list[PodUsage]] = {}
    guards: list[PodAntiAffinity] = []
    asked: dict[bytes, PodDemand] = {}
    unread = False
    for pod in pods or ():
        node = pod.spec.nodeName
        if pod.has_ended:
            continue
        if isinstance(pod, SchedulerPod):
            nominated = not node
            node = node or pod.status.nominatedNodeName
            guards += (PodAntiAffinity(pod.key, node, term) for term in list_anti_affinity_terms(pod) if not nominated)
        elif node:
            nominated, unread = False, True
        if node:
            taken.setdefault(node, []).append(_measure_cached_pod(pod, nominated, asked))
    doubts = []
    if pods is None or not all_pods:
        doubts.append(Uncertainty(UncertaintyKind.PODS))
    if not all_nodes:
        doubts.append(Uncertainty(UncertaintyKind.NODES))
    if unread:
        doubts.append(Uncertainty(UncertaintyKind.UNREAD, "pods"))
    return assemble_occupancy(nodes, taken, guards, doubts, listed_nodes)


def assemble_occupancy(
    nodes: Iterable[Node],
    pod_usages: Mapping[str, Iterable[PodUsage]],
    anti_affinities: Iterable[PodAntiAffinity],
    uncertainties: Iterable[Uncertainty],
    listed_nodes: frozenset[str] | None = None,
) -> Occupancy:
    """The same from what is taken of each node, for whoever has counted it: see `build_occupancy`."""
    rooms = {node.name: _make_node_occupancy(node, pod_usages.get(node.name, ())) for node in sorted(nodes, key=lambda node: node.name)}
    if listed_nodes is not None:
        rooms = {name: room if name in listed_nodes else replace(room, are_pods_listed=False) for name, room in rooms.items()}
    return Occupancy(rooms, tuple(anti_affinities), tuple(uncertainties))


def _make_node_occupancy(node: Node, pod_usages: Iterable[PodUsage]) -> NodeOccupancy:
    if not node.status.allocatable:
        return NodeOccupancy(node, tuple(pod_usages), None)
    allocatable = {}
    unreadable = set()
    for name, quantity in node.status.allocatable.items():
        if name == "pods" or is_counted_resource(name):
            try:
                allocatable[name] = count_units(name, parse_millis(quantity))
            except QuantityError:
                unreadable.add(name)
    return NodeOccupancy(node, tuple(pod_usages), allocatable, frozenset(unreadable))


PodDemand = tuple[Mapping[str, int] | None, frozenset[HostPort]]
"""What a pod takes, None where it cannot be read, and the ports of its node."""


def measure_pod_usage(pod: ClusterPod, *, is_nominated: bool = False, demand_cache: dict[bytes, PodDemand] | None = None) -> PodUsage:
    """What one pod takes of its node, or of the node that is cleared for it.

    `demand_cache` is filled with what pods take, for whoever measures many: pods whose specs say the same are counted once.
    """
    return _measure_cached_pod(pod, is_nominated, {} if demand_cache is None else demand_cache)


def _measure_cached_pod(pod: ClusterPod, is_nominated: bool, demand_cache: dict[bytes, PodDemand]) -> PodUsage:
    """`demand_cache` has what pods take whose specs say the same: most pods have many like them."""
    doubts = []
    if not isinstance(pod, SchedulerPod) and is_being_resized(pod):
        doubts.append(Uncertainty(UncertaintyKind.UNREAD, "/".join(pod.key)))
    try:
        same = _make_usage_key(pod)
    except (OverflowError, UnicodeEncodeError):  # numbers and names that no server takes
        amounts, ports = _read_demand(pod)
    else:
        if same not in demand_cache:
            demand_cache[same] = _read_demand(pod)
        amounts, ports = demand_cache[same]
    if amounts is None:
        doubts.append(Uncertainty(UncertaintyKind.QUANTITY, "/".join(pod.key)))
    started = pod.status.startTime if isinstance(pod.status, SchedulerPodStatus) else ""
    return PodUsage(pod.key, amounts or {}, ports, pod.spec.priority or 0, is_nominated, tuple(doubts), started)


def _make_usage_key(pod: ClusterPod) -> bytes:
    """All that decides what a pod takes: equal for pods of which that is equal."""
    spec, status = pod.spec, pod.status
    said: list[object] = [spec.containers, spec.initContainers, spec.resources, spec.overhead, spec.hostNetwork]
    if isinstance(status, SchedulerPodStatus):
        said += [status.resources, status.allocatedResources, status.containerStatuses, status.initContainerStatuses]
        said += [condition for condition in status.conditions if condition.type == "PodResizePending"]
    return _USAGE_KEY_ENCODER.encode((isinstance(pod, SchedulerPod), *said))


def _read_demand(pod: ClusterPod) -> PodDemand:
    try:
        return sum_allocated_requests(pod), list_host_ports(pod.spec)
    except QuantityError:
        return None, list_host_ports(pod.spec)


def measure_spec(key: tuple[str, str], spec: PodSpec) -> PodUsage:
    """What a pod of a template takes of its node once it is bound."""
    try:
        amounts, doubts = sum_pod_requests(spec), ()
    except QuantityError:
        return PodUsage(
            key, {}, list_host_ports(spec), spec.priority or 0, uncertainties=(Uncertainty(UncertaintyKind.QUANTITY, "/".join(key)),)
        )
    return PodUsage(key, amounts, list_host_ports(spec), spec.priority or 0, uncertainties=doubts)


def _sum_usage(pod_usages: Iterable[PodUsage]) -> NodeUsage:
    pods = 0
    amounts: dict[str, int] = {}
    ports: set[HostPort] = set()
    doubts: list[Uncertainty] = []
    for pod_usage in pod_usages:
        pods += 1
        for name, amount in pod_usage.amounts.items():
            amounts[name] = amounts.get(name, 0) + amount
        ports |= pod_usage.ports
        doubts += pod_usage.uncertainties
    return NodeUsage(pods, amounts, frozenset(ports), tuple(doubts))


def list_anti_affinity_terms(pod: SchedulerPod) -> tuple[PodAffinityTerm, ...]:
    """The required terms of a pod's anti-affinity: what it wants no pod of near it."""
    affinity = pod.spec.affinity
    return affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution if affinity and affinity.podAntiAffinity else ()
