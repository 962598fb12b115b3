"""The room that a world has for a new pod, node by node and class by class, with everything that takes it away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec.structs import replace

from preflight.coverage.reasons import nearly, unmatched
from preflight.errors import InputError, UsageError
from preflight.evictions.pod_index import Known
from preflight.messages.lists import listed
from preflight.messages.uncertainty import doubt_words
from preflight.model.capacity import ClassRoom, ClusterRoom, GhostPod, NewPod, NodeRoom, Step
from preflight.model.objects import Node, Taint
from preflight.model.world import World
from preflight.scheduling.capacity import Capacity, Cause, capacity, excluded, taken_by
from preflight.scheduling.filters import NODE_AFFINITY, NODE_PORTS, NODE_UNSCHEDULABLE, TAINT_TOLERATION, Reason
from preflight.scheduling.fit import Fit, fit, pod_priority
from preflight.scheduling.node_fit import NodeFit
from preflight.scheduling.occupancy import Room, occupy
from preflight.scheduling.quantities import QuantityError
from preflight.scheduling.requests import pod_requests
from preflight.scheduling.runtime_class import RefusedError, with_runtime_class
from preflight.scheduling.stale_allocations import ghosts
from preflight.scheduling.tolerations import near_miss
from preflight.scheduling.uncertainty import Unjudged

_TYPES = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
_NOT_READY = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_ALWAYS = "what admission adds or refuses (LimitRanges, webhooks, Pod Security), extenders and other settings of the scheduler"


def room(world: World, new: NewPod, resource: str = "", *, is_whole: bool = True) -> ClusterRoom:
    """How many copies of a pod fit now, where, and where the room for more has gone.

    1. `world` was read with its whole pods. Templates of pools are no nodes; a node that is only partly known is in doubt.
    2. `resource` is the one that is followed: "" for the one whose way says most.
    3. Pods that are being deleted hold their room until they are gone: now is now.
    4. What is not known is never counted as room: see ClusterRoom. `is_whole` false: something could not be read, and may be pods.

    Errors: UsageError where an amount cannot be read, or the pod does not ask for the resource.
    """
    was_admitted = new.admitted
    new = _admitted(world, new)
    known = Known(world)
    nodes = {name: node for name, node in world.nodes.items() if node.pool is None}
    occupancy = occupy(nodes.values(), known.pods, all_pods=known.all_pods and is_whole, all_nodes=known.all_nodes)
    found = fit(
        new.spec,
        occupancy,
        labels=new.labels,
        namespace=new.namespace,
        admitted=new.admitted,
        comparison_operators=world.comparison_operators,
    )
    idle = ghosts(known.pods, nodes)
    keys = frozenset(each.key for each in idle)
    try:
        requests = {name: amount for name, amount in pod_requests(new.spec).items() if amount}
        way = capacity(new.spec, occupancy, found, resource, keys)
    except QuantityError as error:
        raise UsageError(f"{new.words} asks for what the scheduler cannot count: {error}") from None
    except KeyError:
        raise UsageError(f"--resource {resource}: the pod does not ask for it: {listed([*requests, 'pods'])}") from None
    rooms = [_Node(new, each, occupancy.rooms[each.node], way, keys, requests) for each in found.nodes]
    amounts = {each.key: _amount(occupancy.rooms[each.node], each.key, way.resource) for each in idle}
    return ClusterRoom(
        resource=way.resource,
        wanted=way.wanted,
        requests=requests,
        allocatable=way.total,
        free=way.free,
        copies=found.copies,
        atMost=found.at_most,
        largest=way.largest,
        largestOn=tuple(each.fit.node for each in rooms if way.largest and each.left == way.largest and not excluded(each.fit)),
        steps=tuple(_steps(way, {each.fit.node: each for each in rooms})),
        classes=_classes(rooms),
        nodes=tuple(sorted((each.shown for each in rooms), key=_rank)),
        ghosts=tuple(GhostPod("/".join(each.key), each.node, amounts[each.key], each.why.value) for each in idle if amounts[each.key]),
        unread=way.unknown,
        message="" if found.takers else found.message() or "",
        unknown=tuple(_unknown(found, world, {} if was_admitted else requests)),
        notJudged=tuple(_not_judged(world, known, new)),
    )


def _admitted(world: World, new: NewPod) -> NewPod:
    """The pod with what its RuntimeClass adds; as it is where that class is not known.

    Errors: InputError where the API server would refuse it, or there is no such class.
    """
    name = new.spec.runtimeClassName
    if not name or new.admitted:
        return new
    found = next((each for each in world.runtime_classes if each.metadata.name == name), None)
    if found is None:
        if "RuntimeClass" in world.complete:
            raise InputError(f"the API server would refuse the pod: there is no RuntimeClass {name}")
        return new
    try:
        return replace(new, spec=with_runtime_class(new.spec, found), admitted=True)
    except RefusedError as error:
        raise InputError(f"the API server would refuse the pod: {error}") from None


class _Node:
    """A node that was judged: what is said of it, and what tells its class."""

    def __init__(
        self, new: NewPod, found: NodeFit, room: Room, way: Capacity, ghosts: frozenset[tuple[str, str]], requests: Mapping[str, int]
    ) -> None:
        self.new, self.fit, self.room, self.way = new, found, room, way
        self.given = None if found.node in way.unknown else (room.allocatable or {}).get(way.resource, 0)
        held = room.held(pod_priority(new.spec))
        self.held = held.pods if way.resource == "pods" else held.amounts.get(way.resource, 0)
        self.ghosts = min(self.held, taken_by(ghosts, room, way.resource))
        self.left = None if self.given is None else max(0, self.given - self.held)
        self.requests = requests

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """All that stands in the way of one copy, in words."""
        return tuple(text for reason in self.fit.reasons for text in self._words(reason))

    def _words(self, reason: Reason) -> Iterator[str]:
        if reason.plugin == NODE_UNSCHEDULABLE:
            yield "cordoned"
        elif reason.plugin == TAINT_TOLERATION:
            yield from self._taints(reason.taints)
        elif reason.plugin == NODE_AFFINITY:
            yield from (unmatched(reason.affinity) if reason.affinity else ("its node affinity names other nodes",))
        elif reason.plugin == NODE_PORTS:
            yield "a host port of it is taken"
        elif reason.shortage and reason.shortage.resource == "pods":
            yield f"has {reason.shortage.used} pods and may have {reason.shortage.allocatable}"
        else:
            yield reason.text

    def _taints(self, taints: Sequence[Taint]) -> Iterator[str]:
        if any(taint.key in _NOT_READY for taint in taints):
            yield "not Ready"
        plain = []
        for taint in taints:
            if taint.key in _NOT_READY or (taint.key == "node.kubernetes.io/unschedulable" and self.room.node.spec.unschedulable):
                continue
            if miss := near_miss(self.new.spec.tolerations, taint):
                yield nearly(miss, taint)
            else:
                plain.append(taint)
        if plain:
            yield f"does not tolerate {listed(plain)}"

    @cached_property
    def shown(self) -> NodeRoom:
        """The node as the report has it."""
        unknown = () if self.fit.takes is not None else tuple(dict.fromkeys(doubt_words(each) for each in self.fit.doubts))
        return NodeRoom(
            node=self.fit.node,
            kind=_type(self.room.node),
            allocatable=self.given,
            used=self.held - self.ghosts,
            ghosts=self.ghosts,
            free=self.left,
            copies=self.fit.copies,
            atMost=self.fit.at_most,
            takes=self.fit.takes,
            reasons=self.reasons,
            unknown=unknown,
        )

    @property
    def scarce(self) -> list[str]:
        """The resources that are used up before the one that is followed."""
        held, allocatable = self.room.held(pod_priority(self.new.spec)), self.room.allocatable or {}
        left = {name: max(0, allocatable.get(name, 0) - held.amounts.get(name, 0)) // amount for name, amount in self.requests.items()}
        fewest = min(left.values(), default=0)
        return [name for name, copies in left.items() if copies == fewest and name != self.way.resource]


def _rank(node: NodeRoom) -> tuple[int, int, int, str]:
    """Nodes that take most first, then those with most that is free."""
    return -node.copies, -(node.atMost or 0), -(node.free or 0), node.node


def _type(node: Node) -> str:
    return next((node.metadata.labels[key] for key in _TYPES if key in node.metadata.labels), "")


def _classes(rooms: Iterable[_Node]) -> tuple[ClassRoom, ...]:
    """Nodes of one type, with the same to allocate, and the same reasons but for what is used."""
    found: dict[object, list[tuple[_Node, NodeRoom]]] = {}
    for each in rooms:
        of_all = each.room.allocatable or {}
        fixed = tuple(text for reason in each.fit.reasons if reason.shortage is None for text in each._words(reason))
        key = (_type(each.room.node), tuple(of_all.get(name, 0) for name in each.requests), each.given, fixed, each.shown.unknown)
        found.setdefault(key, []).append((each, each.shown))
    classes = []
    for members in found.values():
        shown = [each for _, each in members]
        bounds = [each.atMost for each in shown]
        free, total = [each.free for each in shown], [each.allocatable for each in shown]
        reasons = [text for each in shown if not each.copies for text in each.reasons]
        classes.append(
            ClassRoom(
                kind=shown[0].kind,
                nodes=tuple(each.node for each in shown),
                allocatable=None if None in total else sum(each or 0 for each in total),
                used=sum(each.used for each in shown),
                ghosts=sum(each.ghosts for each in shown),
                free=None if None in free else sum(each or 0 for each in free),
                copies=sum(each.copies for each in shown),
                atMost=None if None in bounds else sum(each or 0 for each in bounds),
                reasons=tuple(_counted(reasons, len(shown))),
                unknown=shown[0].unknown,
            )
        )
    return tuple(sorted(classes, key=lambda each: (-each.copies, -(each.atMost or 0), -(each.free or 0), each.nodes)))


def _counted(reasons: Sequence[str], nodes: int) -> Iterator[str]:
    """Each reason once, with the number of nodes where it is not that of all."""
    for text in dict.fromkeys(reasons):
        number = reasons.count(text)
        yield text if number == nodes else f"{text} ({number} of {nodes})"


def _steps(way: Capacity, rooms: Mapping[str, _Node]) -> Iterator[Step]:
    for step in way.steps:
        on = [rooms[name] for name in step.nodes]
        details: Iterable[str] = ()
        if step.cause is Cause.TAINTS:
            reasons = (reason for each in on for reason in each.fit.reasons if reason.plugin == TAINT_TOLERATION)
            details = (str(taint) for reason in reasons for taint in reason.taints)
        elif step.cause is Cause.SELECTOR:
            details = (text for each in on for reason in each.fit.reasons if reason.plugin == NODE_AFFINITY for text in each._words(reason))
        elif step.cause is Cause.OTHERS:
            details = (name for each in on for name in each.scarce)
        elif step.cause is Cause.UNKNOWN:
            details = (text for each in on for text in each.shown.unknown)
        yield Step(step.cause.value, step.amount, step.free, step.nodes, tuple(dict.fromkeys(details)))


def _amount(room: Room, key: tuple[str, str], resource: str) -> int:
    return taken_by(frozenset({key}), room, resource)


def _unknown(found: Fit, world: World, requests: Mapping[str, int]) -> Iterator[str]:
    """Why more may fit than is certain, or what is said may not hold; `requests` are {} for a pod that admission has added to."""
    doubts = [each for each in found.doubts if each.what != Unjudged.PREEMPTION.value]
    for each in dict.fromkeys(doubts):
        kind = {"pods": "Pod", "nodes": "Node"}.get(each.what, "")
        why = world.missing.get(kind, "")
        yield f"{doubt_words(each)}{f': {why}' if why else ''}"
    dedicated = sum(_is_for_its_resource(node, requests) for node in found.nodes)
    if dedicated:
        where = f"{dedicated} of the nodes"
        yield f"where the admission plugin ExtendedResourceToleration is on (by default it is off), it tolerates the taint of {where}"
    preempting = [node.node for node in found.nodes if node.preempts]
    if preempting:
        yield f"with pods of lower priority evicted more may fit, on {len(preempting)} of the nodes: nobody is evicted here"
    elif any(node.preempts is None and node.takes is False for node in found.nodes):
        yield "the priority of the pod is not known: pods of lower priority may be evicted for it"


def _is_for_its_resource(node: NodeFit, requests: Mapping[str, int]) -> bool:
    """Whether nothing but a taint named as an extended resource that the pod asks for keeps it from a node.

    Source: `plugin/pkg/admission/extendedresourcetoleration/admission.go`, Admit.
    """
    return bool(node.reasons) and all(
        reason.plugin == TAINT_TOLERATION
        and all("/" in taint.key and taint.key in requests and taint.effect == "NoSchedule" for taint in reason.taints)
        for reason in node.reasons
    )


def _not_judged(world: World, known: Known, new: NewPod) -> Iterator[str]:
    """What may still keep copies from binding, and is not looked at."""
    quotas = sorted(each.metadata.name for each in world.quotas if each.metadata.namespace == new.namespace)
    if quotas:
        yield f"ResourceQuota {listed(quotas)} of namespace {new.namespace}, which may allow fewer pods"
    elif "ResourceQuota" in world.missing:
        yield f"quota of namespace {new.namespace}: {world.missing['ResourceQuota']}"
    elif "ResourceQuota" not in world.complete:
        yield f"quota of namespace {new.namespace} (not given)"
    waiting = sum(not pod.spec.nodeName and not pod.has_ended for pod in known.pods)
    if waiting:
        yield f"{'1 pod that waits' if waiting == 1 else f'{waiting} pods that wait'} for a node already, and may take this room first"
    yield _ALWAYS
