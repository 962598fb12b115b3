"""Why one node does not take one pod: the filters of kube-scheduler, in its order and its words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from preflight.model.objects import Node, PodSpec, Taint, Toleration
from preflight.scheduling.affinity import AffinityMatch, match_affinity
from preflight.scheduling.occupancy import Held, Room
from preflight.scheduling.ports import HostPort, clashes
from preflight.scheduling.tolerations import find_toleration
from preflight.scheduling.uncertainty import Doubt, Unjudged, doubt

NODE_AFFINITY = "NodeAffinity"
NODE_PORTS = "NodePorts"
NODE_RESOURCES = "NodeResourcesFit"
NODE_UNSCHEDULABLE = "NodeUnschedulable"
TAINT_TOLERATION = "TaintToleration"

_CORDON = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
_CORE = ("cpu", "memory", "ephemeral-storage")


class Wanted(Struct, frozen=True):
    """A new pod, as the filters see it.

    1. `tolerations` are those that it has after admission.
    2. `requests` are as the scheduler counts them; None where one cannot be read.
    3. `names` are the nodes that every term of its required affinity names, None where a term names none: the scheduler then does not
       look at the other nodes.
    4. `priority` is None where it is not known.
    """

    spec: PodSpec
    tolerations: tuple[Toleration, ...]
    requests: Mapping[str, int] | None
    ports: frozenset[HostPort]
    names: frozenset[str] | None
    priority: int | None


class Shortage(Struct, frozen=True):
    """A resource of which too little is left: what one pod asks for, what is used and what the node can allocate, as it is counted."""

    resource: str
    wanted: int
    used: int
    allocatable: int


class Reason(Struct, frozen=True):
    """One reason why a node does not take a pod.

    1. `plugin` is the filter, `text` what the scheduler says (1.37; older ones name a taint: `node(s) had untolerated taint {key: value}`).
    2. `taints`, `affinity` and `shortage` are what stands behind it, all of it; empty and None for the other filters.
    3. `lasting`: it does not help if pods go from the node (the scheduler's "Preemption is not helpful for scheduling").
    """

    plugin: str
    text: str
    lasting: bool
    taints: tuple[Taint, ...] = ()
    affinity: AffinityMatch | None = None
    shortage: Shortage | None = None


class Answer(Struct, frozen=True):
    """What one filter says of one node: the reasons to refuse it, and what keeps that from being certain or complete."""

    reasons: tuple[Reason, ...] = ()
    doubts: tuple[Doubt, ...] = ()


def node_answers(wanted: Wanted, node: Node, comparison_operators: bool | None) -> Iterator[Answer]:
    """What the filters say that look at the node alone, in the order of the scheduler.

    1. Where every term of the required affinity names nodes, the others are not looked at; where the names exclude one another, none is.
    2. A cordoned node takes only pods that tolerate the taint that a cordon brings.
    3. A NoSchedule or NoExecute taint that is not tolerated. PreferNoSchedule keeps nothing away.
    4. nodeSelector and required node affinity.

    Whether a node is Ready is not looked at, only the taints that follow it. A node that is only partly known may have more taints.

    Source: `pkg/scheduler/apis/config/v1/default_plugins.go` for the order; `pkg/scheduler/framework/plugins/` nodeunschedulable,
    tainttoleration and nodeaffinity.
    """
    if wanted.names is not None:
        if node.partial and node.name.startswith("("):
            yield Answer(doubts=(doubt(Unjudged.LABELS, "metadata.name"),))
        elif node.name not in wanted.names:
            text = f"node(s) didn't satisfy plugin(s) [{NODE_AFFINITY}]" if wanted.names else "pod affinity terms conflict"
            yield Answer((Reason(NODE_AFFINITY, text, lasting=True),))
    if node.partial:
        yield Answer(doubts=(doubt(Unjudged.NODE),))
    if node.spec.unschedulable and not find_toleration(wanted.tolerations, _CORDON, comparison_operators)[0]:
        yield Answer((Reason(NODE_UNSCHEDULABLE, "node(s) were unschedulable", lasting=True),))
    yield _taints(wanted, node, comparison_operators)
    match = match_affinity(wanted.spec, node)
    if match.matches is False:
        yield Answer((Reason(NODE_AFFINITY, "node(s) didn't match Pod's node affinity/selector", lasting=True, affinity=match),))
    elif match.matches is None:
        yield Answer(doubts=tuple(doubt(Unjudged.LABELS, key) for key in match.unknown))


def _taints(wanted: Wanted, node: Node, comparison_operators: bool | None) -> Answer:
    untolerated: list[Taint] = []
    unsure: list[Taint] = []
    for taint in node.spec.taints:
        if taint.effect in ("NoSchedule", "NoExecute"):
            toleration, certain = find_toleration(wanted.tolerations, taint, comparison_operators)
            if toleration is None:
                (untolerated if certain else unsure).append(taint)
    if untolerated:
        return Answer((Reason(TAINT_TOLERATION, "node(s) had untolerated taint(s)", lasting=True, taints=tuple(untolerated)),))
    return Answer(doubts=tuple(doubt(Unjudged.COMPARISON, str(taint)) for taint in unsure))


def room_answers(
    wanted: Wanted, room: Room, held: Held, copies: int, claimed: frozenset[str], doubts: tuple[Doubt, ...]
) -> Iterator[Answer]:
    """What the filters say that look at what is left of a node, once `held` and some copies of the pod are there.

    1. A port of the node that the pod takes, and another pod, or a copy, has already.
    2. One more pod than the node may have, and every resource of which less is left than the pod asks for: all of them, not the first. A
       resource of which it asks for 0 keeps it from no node, however overcommitted.
    3. A resource in `claimed` may be had through a DeviceClass where the node itself has none.
    4. `doubts` are why more may be held than `held` says.

    Source: `pkg/scheduler/framework/plugins/` nodeports and noderesources/fit.go, fitsRequest.
    """
    if wanted.ports and (copies or any(clashes(port, held.ports) for port in wanted.ports)):
        yield Answer((Reason(NODE_PORTS, "node(s) didn't have free ports for the requested pod ports", lasting=False),))
    if doubts or held.doubts:
        yield Answer(doubts=(*doubts, *held.doubts))
    yield _resources(wanted, room, held, copies, claimed)


def _resources(wanted: Wanted, room: Room, held: Held, copies: int, claimed: frozenset[str]) -> Answer:
    if room.allocatable is None:
        return Answer(doubts=(doubt(Unjudged.ALLOCATABLE),))
    reasons = []
    doubts = []
    if "pods" in room.unreadable:
        doubts.append(doubt(Unjudged.QUANTITY, "pods"))
    elif held.pods + copies + 1 > (allowed := room.allocatable.get("pods", 0)):
        reasons.append(Reason(NODE_RESOURCES, "Too many pods", lasting=False, shortage=Shortage("pods", 1, held.pods + copies, allowed)))
    if wanted.requests is None:
        return Answer(tuple(reasons), (*doubts, doubt(Unjudged.QUANTITY)))
    for name in sorted(wanted.requests, key=_place):
        amount = wanted.requests[name]
        if not amount:
            continue
        if name in room.unreadable:
            doubts.append(doubt(Unjudged.QUANTITY, name))
            continue
        allocatable = room.allocatable.get(name, 0)
        used = held.amounts.get(name, 0) + copies * amount
        if may_be_claimed(name, room, claimed):
            doubts.append(doubt(Unjudged.CLAIMS, name))
        elif amount > allocatable - used:
            shortage = Shortage(name, amount, used, allocatable)
            reasons.append(Reason(NODE_RESOURCES, f"Insufficient {name}", lasting=amount > allocatable, shortage=shortage))
    return Answer(tuple(reasons), tuple(doubts))


def may_be_claimed(resource: str, room: Room, claimed: frozenset[str]) -> bool:
    """Whether a resource may come from a device claim and not from the node's own number.

    Source: `pkg/scheduler/framework/plugins/noderesources/fit.go`, shouldDelegateResourceToDRA.
    """
    if resource in ("cpu", "memory", "ephemeral-storage") or (room.allocatable and room.allocatable.get(resource, 0) > 0):
        return False
    return resource in claimed or resource.startswith("deviceclass.resource.kubernetes.io/")


def _place(resource: str) -> tuple[int, str]:
    return (_CORE.index(resource) if resource in _CORE else len(_CORE)), resource
