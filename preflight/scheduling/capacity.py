"""Where the room for a pod goes: from the sum of what the nodes can allocate down to the copies that fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct

from preflight.model.capacity_reasons import CapacityLossCause
from preflight.model.core import PodSpec
from preflight.scheduling.filters import NODE_AFFINITY, NODE_UNSCHEDULABLE, TAINT_TOLERATION
from preflight.scheduling.fit import FitResult, find_pod_priority
from preflight.scheduling.node_fit import NodeFit
from preflight.scheduling.occupancy import NodeOccupancy, Occupancy
from preflight.scheduling.ports import conflicts, list_host_ports
from preflight.scheduling.requests import sum_pod_requests
from preflight.scheduling.scheduler_behavior import NEWEST_SCHEDULER, SchedulerBehavior

_NOT_READY_TAINTS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


EXCLUDING_CAUSES = (CapacityLossCause.NOT_READY, CapacityLossCause.CORDONED, CapacityLossCause.SELECTOR, CapacityLossCause.TAINTS)


class CapacityLoss(Struct, frozen=True):
    """What one cause takes away: how much, of which nodes, and how much of it no pod uses."""

    cause: CapacityLossCause
    amount: int
    free: int
    nodes: tuple[str, ...]


class Capacity(Struct, frozen=True):
    """The way from what the nodes can allocate of one resource to the copies of a pod.

    1. `resource` is the one that is followed, as the scheduler counts it, or `pods`; `requested` is what one copy asks for.
    2. `total` minus the amounts of all `steps` is `copies` times `requested`; a cause that takes nothing has no step.
    3. `largest` is the largest rest on one node that is not excluded: no single pod can ask for more.
    4. `unknown_nodes` are the nodes that do not give what they can allocate of it; they are in no number.
    """

    resource: str
    requested: int
    total: int
    steps: tuple[CapacityLoss, ...]
    copies: int
    largest: int
    unknown_nodes: tuple[str, ...] = ()

    @property
    def free(self) -> int:
        """How much no pod has asked for, whether or not it can be had."""
        return sum(step.free for step in self.steps) + self.copies * self.requested


def choose_resource(spec: PodSpec) -> str:
    """The resource whose way says most: the first extended one that a pod asks for, else cpu, memory, any other, or the pods."""
    wanted = sorted(name for name, amount in sum_pod_requests(spec).items() if amount)
    extended = [name for name in wanted if "/" in name]
    return next((name for name in (*extended, "cpu", "memory", *wanted) if name in wanted), "pods")


def explain_capacity(
    spec: PodSpec,
    occupancy: Occupancy,
    pod_fit: FitResult,
    resource: str = "",
    stale_pods: frozenset[tuple[str, str]] = frozenset(),
    behavior: SchedulerBehavior = NEWEST_SCHEDULER,
) -> Capacity:
    """Why so few copies of a pod fit where so much of a resource is there.

    `pod_fit` is what `fit` says of the same pod and occupancy; `resource` is one that the pod asks for, or `pods`; "" means
    `choose_resource`. `stale_pods` are the pods, by namespace and name, of which nothing runs. `behavior` is that of the scheduler.

    Raises QuantityError where what the pod asks for cannot be read, KeyError for a resource that it does not ask for.
    """
    resource = resource or choose_resource(spec)
    requests = {name: amount for name, amount in sum_pod_requests(spec).items() if amount}
    asked = _CopyDemand(spec, requests, resource, stale_pods, behavior)
    taken: dict[CapacityLossCause, list[tuple[str, int, int]]] = {cause: [] for cause in CapacityLossCause}
    total = largest = 0
    unknown = []
    for node in pod_fit.nodes:
        room = occupancy.nodes[node.node]
        if room.allocatable is None or resource in room.unreadable_resources:
            unknown.append(node.node)
            continue
        total += room.allocatable.get(resource, 0)
        cause = find_excluding_cause(node)
        left = asked.count_free(room)
        if cause:
            taken[cause].append((node.node, room.allocatable.get(resource, 0), left))
            continue
        largest = max(largest, left)
        for cause, amount in asked.split_losses(room, node).items():
            taken[cause].append((node.node, amount, 0 if cause in (CapacityLossCause.USED, CapacityLossCause.STALE) else amount))
    steps = tuple(
        CapacityLoss(cause, sum(amount for _, amount, _ in rows), sum(free for _, _, free in rows), tuple(name for name, _, _ in rows))
        for cause, every in taken.items()
        if (rows := [row for row in every if row[1]])
    )
    copies = sum(node.copies for node in pod_fit.nodes if node.node not in unknown)
    return Capacity(resource, asked.requested, total, steps, copies, largest, tuple(unknown))


def find_excluding_cause(node_fit: NodeFit) -> CapacityLossCause | None:
    """The first cause that excludes a node as a whole; None where none does for certain."""
    if node_fit.fits is not False:
        return None
    by_plugin = {reason.plugin: reason for reason in node_fit.reasons}
    tainted = by_plugin.get(TAINT_TOLERATION)
    if tainted and any(taint.key in _NOT_READY_TAINTS for taint in tainted.taints):
        return CapacityLossCause.NOT_READY
    if NODE_UNSCHEDULABLE in by_plugin:
        return CapacityLossCause.CORDONED
    if NODE_AFFINITY in by_plugin:
        return CapacityLossCause.SELECTOR
    return CapacityLossCause.TAINTS if tainted else None


class _CopyDemand(NamedTuple):
    """What a pod asks for, and the resource that is followed."""

    spec: PodSpec
    requests: Mapping[str, int]
    resource: str
    stale_pods: frozenset[tuple[str, str]] = frozenset()
    behavior: SchedulerBehavior = NEWEST_SCHEDULER

    @property
    def requested(self) -> int:
        """What one copy asks for of the resource."""
        return 1 if self.resource == "pods" else self.requests[self.resource]

    def count_free(self, node_occupancy: NodeOccupancy, resource: str = "") -> int:
        """What is left of a resource on a node, 0 where more is taken than there is."""
        resource = resource or self.resource
        held = node_occupancy.sum_usage_for(find_pod_priority(self.spec))
        used = held.pod_count if resource == "pods" else held.amounts.get(resource, 0)
        return max(0, (node_occupancy.allocatable or {}).get(resource, 0) - used)

    def split_losses(self, node_occupancy: NodeOccupancy, node_fit: NodeFit) -> dict[CapacityLossCause, int]:
        """What each cause takes away of a node that is not excluded, in their order."""
        left, wanted = self.count_free(node_occupancy), self.requested
        used = (node_occupancy.allocatable or {}).get(self.resource, 0) - left
        idle = min(used, sum_pod_usage(self.stale_pods, node_occupancy, self.resource))
        losses = {CapacityLossCause.USED: used - idle, CapacityLossCause.STALE: idle, CapacityLossCause.FRAGMENTED: left % wanted}
        copies = left // wanted
        others = [
            self.count_free(node_occupancy, name) // amount
            for name, amount in self.requests.items()
            if name not in node_occupancy.unreadable_resources
        ]
        if any(reason.shortage is not None and not reason.shortage.requested for reason in node_fit.reasons):
            others.append(0)  # an older scheduler refuses the node for a resource that is not asked for
        bounds = {CapacityLossCause.OTHER_RESOURCES: min(others, default=copies)}
        if "pods" not in node_occupancy.unreadable_resources:
            bounds[CapacityLossCause.POD_LIMIT] = self.count_free(node_occupancy, "pods")
        ports, counts = list_host_ports(self.spec), self.behavior.counts_sidecar_ports
        if conflicts(ports, (), has_copies=True, counts_sidecars=counts):
            held = node_occupancy.sum_usage_for(find_pod_priority(self.spec))
            bounds[CapacityLossCause.HOST_PORTS] = 0 if conflicts(ports, held.ports, has_copies=False, counts_sidecars=counts) else 1
        for cause, bound in bounds.items():
            losses[cause] = max(0, copies - bound) * wanted
            copies = min(copies, bound)
        losses[CapacityLossCause.UNKNOWN] = (copies - node_fit.copies) * wanted
        return losses


def sum_pod_usage(keys: frozenset[tuple[str, str]], node_occupancy: NodeOccupancy, resource: str) -> int:
    """What some of the pods of a node take of a resource together, or their number for `pods`."""
    return sum(
        1 if resource == "pods" else pod_usage.amounts.get(resource, 0) for pod_usage in node_occupancy.pod_usages if pod_usage.key in keys
    )
