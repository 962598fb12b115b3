"""Where the room for a pod goes: from the sum of what the nodes can allocate down to the copies that fit."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from msgspec import Struct

from preflight.model.objects import PodSpec
from preflight.scheduling.filters import NODE_AFFINITY, NODE_UNSCHEDULABLE, TAINT_TOLERATION
from preflight.scheduling.fit import Fit, pod_priority
from preflight.scheduling.node_fit import NodeFit
from preflight.scheduling.occupancy import Occupancy, Room
from preflight.scheduling.ports import clashes, host_ports
from preflight.scheduling.requests import pod_requests

_NOT_READY = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


class Cause(Enum):
    """What takes room away, in the order in which it is taken; a node that several exclude counts under the first.

    1. A node as a whole: NOT_READY (by its taints), CORDONED, SELECTOR (nodeSelector and affinity), TAINTS.
    2. Of the other nodes: USED (by pods), GHOSTS (by pods of which nothing runs), REST (too small a rest on one node for one more copy),
       OTHERS (another resource is used up first), PODS (no more pods are allowed), PORTS (one copy a node, or none), UNKNOWN (what would
       fit, were it not in doubt).
    """

    NOT_READY = "not-ready"
    CORDONED = "cordoned"
    SELECTOR = "selector"
    TAINTS = "taints"
    USED = "used"
    GHOSTS = "ghosts"
    REST = "rest"
    OTHERS = "others"
    PODS = "pods"
    PORTS = "ports"
    UNKNOWN = "unknown"


EXCLUDING = (Cause.NOT_READY, Cause.CORDONED, Cause.SELECTOR, Cause.TAINTS)


class Step(Struct, frozen=True):
    """What one cause takes away: how much, of which nodes, and how much of it no pod uses."""

    cause: Cause
    amount: int
    free: int
    nodes: tuple[str, ...]


class Capacity(Struct, frozen=True):
    """The way from what the nodes can allocate of one resource to the copies of a pod.

    1. `resource` is the one that is followed, as the scheduler counts it, or `pods`; `wanted` is what one copy asks for.
    2. `total` minus the amounts of all `steps` is `copies` times `wanted`; a cause that takes nothing has no step.
    3. `largest` is the largest rest on one node that is not excluded: no single pod can ask for more.
    4. `unknown` are the nodes that do not give what they can allocate of it; they are in no number.
    """

    resource: str
    wanted: int
    total: int
    steps: tuple[Step, ...]
    copies: int
    largest: int
    unknown: tuple[str, ...] = ()

    @property
    def free(self) -> int:
        """How much no pod has asked for, whether or not it can be had."""
        return sum(step.free for step in self.steps) + self.copies * self.wanted


def followed(spec: PodSpec) -> str:
    """The resource whose way says most: the first extended one that a pod asks for, else cpu, memory, any other, or the pods."""
    wanted = sorted(name for name, amount in pod_requests(spec).items() if amount)
    extended = [name for name in wanted if "/" in name]
    return next((name for name in (*extended, "cpu", "memory", *wanted) if name in wanted), "pods")


def capacity(
    spec: PodSpec, occupancy: Occupancy, found: Fit, resource: str = "", ghosts: frozenset[tuple[str, str]] = frozenset()
) -> Capacity:
    """Why so few copies of a pod fit where so much of a resource is there.

    `found` is what `fit` says of the same pod and occupancy; `resource` is one that the pod asks for, or `pods`; "" means `followed`.
    `ghosts` are the pods, by namespace and name, of which nothing runs.

    Raises QuantityError where what the pod asks for cannot be read, KeyError for a resource that it does not ask for.
    """
    resource = resource or followed(spec)
    asked = _Asked(spec, {name: amount for name, amount in pod_requests(spec).items() if amount}, resource, ghosts)
    taken: dict[Cause, list[tuple[str, int, int]]] = {cause: [] for cause in Cause}
    total = largest = 0
    unknown = []
    for node in found.nodes:
        room = occupancy.rooms[node.node]
        if room.allocatable is None or resource in room.unreadable:
            unknown.append(node.node)
            continue
        total += room.allocatable.get(resource, 0)
        cause = excluded(node)
        left = asked.left(room)
        if cause:
            taken[cause].append((node.node, room.allocatable.get(resource, 0), left))
            continue
        largest = max(largest, left)
        for cause, amount in asked.losses(room, node).items():
            taken[cause].append((node.node, amount, 0 if cause in (Cause.USED, Cause.GHOSTS) else amount))
    steps = tuple(
        Step(cause, sum(amount for _, amount, _ in rows), sum(free for _, _, free in rows), tuple(name for name, _, _ in rows))
        for cause, every in taken.items()
        if (rows := [row for row in every if row[1]])
    )
    copies = sum(node.copies for node in found.nodes if node.node not in unknown)
    return Capacity(resource, asked.wanted, total, steps, copies, largest, tuple(unknown))


def excluded(node: NodeFit) -> Cause | None:
    """The first cause that excludes a node as a whole; None where none does for certain."""
    if node.takes is not False:
        return None
    by_plugin = {reason.plugin: reason for reason in node.reasons}
    tainted = by_plugin.get(TAINT_TOLERATION)
    if tainted and any(taint.key in _NOT_READY for taint in tainted.taints):
        return Cause.NOT_READY
    if NODE_UNSCHEDULABLE in by_plugin:
        return Cause.CORDONED
    if NODE_AFFINITY in by_plugin:
        return Cause.SELECTOR
    return Cause.TAINTS if tainted else None


class _Asked(NamedTuple):
    """What a pod asks for, and the resource that is followed."""

    spec: PodSpec
    requests: Mapping[str, int]
    resource: str
    ghosts: frozenset[tuple[str, str]] = frozenset()

    @property
    def wanted(self) -> int:
        """What one copy asks for of the resource."""
        return 1 if self.resource == "pods" else self.requests[self.resource]

    def left(self, room: Room, resource: str = "") -> int:
        """What is left of a resource on a node, 0 where more is taken than there is."""
        resource = resource or self.resource
        held = room.held(pod_priority(self.spec))
        used = held.pods if resource == "pods" else held.amounts.get(resource, 0)
        return max(0, (room.allocatable or {}).get(resource, 0) - used)

    def losses(self, room: Room, node: NodeFit) -> dict[Cause, int]:
        """What each cause takes away of a node that is not excluded, in their order."""
        left, wanted = self.left(room), self.wanted
        used = (room.allocatable or {}).get(self.resource, 0) - left
        idle = min(used, taken_by(self.ghosts, room, self.resource))
        losses = {Cause.USED: used - idle, Cause.GHOSTS: idle, Cause.REST: left % wanted}
        copies = left // wanted
        others = [self.left(room, name) // amount for name, amount in self.requests.items() if name not in room.unreadable]
        bounds = {Cause.OTHERS: min(others, default=copies)}
        if "pods" not in room.unreadable:
            bounds[Cause.PODS] = self.left(room, "pods")
        if ports := host_ports(self.spec):
            held = room.held(pod_priority(self.spec))
            bounds[Cause.PORTS] = 0 if any(clashes(port, held.ports) for port in ports) else 1
        for cause, bound in bounds.items():
            losses[cause] = max(0, copies - bound) * wanted
            copies = min(copies, bound)
        losses[Cause.UNKNOWN] = (copies - node.copies) * wanted
        return losses


def taken_by(keys: frozenset[tuple[str, str]], room: Room, resource: str) -> int:
    """What some of the pods of a node take of a resource together, or their number for `pods`."""
    return sum(1 if resource == "pods" else each.amounts.get(resource, 0) for each in room.taken if each.key in keys)
