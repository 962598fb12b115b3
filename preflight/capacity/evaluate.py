"""The room that a world has for a new pod, node by node and class by class, with everything that takes it away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec.structs import replace

from preflight.coverage.reasons import list_mismatches
from preflight.errors import InputError, RefusalError
from preflight.evictions.pod_index import PodIndex
from preflight.messages import capacity as messages
from preflight.messages.capacity import count_reasons, describe_capacity_doubt, describe_capacity_reason, describe_unchecked_limit
from preflight.messages.uncertainty import describe_uncertainty
from preflight.model.capacity import CapacityStep, ClusterCapacity, NewPod, NodeCapacity, NodeClassCapacity, StaleAllocationRow
from preflight.model.capacity_reasons import (
    AddedToleration,
    AlwaysUnchecked,
    CapacityDoubt,
    CapacityLossCause,
    CapacityReason,
    CapacityUncertainty,
    NodeFact,
    PodLimit,
    PossiblePreemption,
    QuotaLimits,
    SchedulerWords,
    UncheckedLimit,
    UnreadQuota,
    WaitingPods,
)
from preflight.model.core import Node, Taint
from preflight.model.reasons import Untolerated
from preflight.model.uncertainty import UncertaintyKind
from preflight.model.world import ClusterState
from preflight.scheduling.capacity import Capacity, explain_capacity, find_excluding_cause, sum_pod_usage
from preflight.scheduling.filters import NODE_AFFINITY, NODE_PORTS, NODE_UNSCHEDULABLE, TAINT_TOLERATION, FilterReason
from preflight.scheduling.fit import FitResult, find_pod_priority, fit_pod
from preflight.scheduling.node_fit import NodeFit
from preflight.scheduling.occupancy import NodeOccupancy, build_occupancy
from preflight.scheduling.quantities import QuantityError
from preflight.scheduling.requests import sum_pod_requests
from preflight.scheduling.runtime_class import RuntimeClassRefusedError, apply_runtime_class
from preflight.scheduling.scheduler_behavior import find_scheduler_behavior
from preflight.scheduling.stale_allocations import list_stale_pods
from preflight.scheduling.tolerations import find_near_miss

_INSTANCE_TYPE_LABELS = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
_NOT_READY = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_UNCERTAIN_KINDS = {UncertaintyKind.PODS: "Pod", UncertaintyKind.NODES: "Node"}


def measure_capacity(world: ClusterState, new_pod: NewPod, resource: str = "", *, is_complete: bool = True) -> ClusterCapacity:
    """How many copies of a pod fit now, where, and where the room for more has gone.

    1. `world` was read with its whole pods. Templates of pools are no nodes; a node that is only partly known is in doubt.
    2. `resource` is the one that is followed: "" for the one whose way says most.
    3. Pods that are being deleted hold their room until they are gone: now is now.
    4. What is not known is never counted as room: see ClusterRoom. `is_complete` false: something could not be read, and may be pods.

    Errors: UsageError where an amount cannot be read, or the pod does not ask for the resource.
    """
    was_admitted = new_pod.is_admitted
    new_pod = _apply_runtime_class(world, new_pod)
    known = PodIndex(world)
    nodes = {name: node for name, node in world.nodes.items() if node.pool is None}
    occupancy = build_occupancy(nodes.values(), known.pods, all_pods=known.has_all_pods and is_complete, all_nodes=known.has_all_nodes)
    found = fit_pod(
        new_pod.spec,
        occupancy,
        labels=new_pod.labels,
        namespace=new_pod.namespace,
        is_admitted=new_pod.is_admitted,
        comparison_operators=world.comparison_operators,
        behavior=find_scheduler_behavior(world.versions),
        volumes=known.volumes.list_bound_volumes(new_pod.spec, new_pod.namespace),
    )
    idle = list_stale_pods(known.pods, nodes)
    keys = frozenset(pod.key for pod in idle)
    try:
        requests = {name: amount for name, amount in sum_pod_requests(new_pod.spec).items() if amount}
        way = explain_capacity(new_pod.spec, occupancy, found, resource, keys, find_scheduler_behavior(world.versions))
    except QuantityError as error:
        raise RefusalError(messages.describe_uncountable(new_pod.description, error)) from None
    except KeyError:
        raise RefusalError(messages.describe_unrequested(resource, [*requests, "pods"])) from None
    rooms = [_NodeCapacity(new_pod, fit, occupancy.nodes[fit.node], way, keys, requests) for fit in found.nodes]
    amounts = {stale_pod.key: _get_amount(occupancy.nodes[stale_pod.node], stale_pod.key, way.resource) for stale_pod in idle}
    return ClusterCapacity(
        resource=way.resource,
        wanted=way.requested,
        requests=requests,
        allocatable=way.total,
        free=way.free,
        copies=found.copies,
        atMost=found.max_copies,
        largest=way.largest,
        largestOn=tuple(
            room.fit.node for room in rooms if way.largest and room.free_amount == way.largest and not find_excluding_cause(room.fit)
        ),
        steps=tuple(_iter_steps(way, {capacity.fit.node: capacity for capacity in rooms})),
        classes=_build_classes(rooms),
        nodes=tuple(sorted((capacity.report_row for capacity in rooms), key=_make_sort_key)),
        ghosts=tuple(
            StaleAllocationRow("/".join(stale_pod.key), stale_pod.node, amounts[stale_pod.key], stale_pod.reason)
            for stale_pod in idle
            if amounts[stale_pod.key]
        ),
        unread=way.unknown_nodes,
        message="" if found.fitting_nodes else found.format_message() or "",
        unknown=tuple(map(describe_capacity_doubt, _iter_doubts(found, world, {} if was_admitted else requests))),
        notJudged=tuple(map(describe_unchecked_limit, _iter_unchecked_limits(world, known, new_pod))),
    )


def _apply_runtime_class(world: ClusterState, new_pod: NewPod) -> NewPod:
    """The pod with what its RuntimeClass adds; as it is where that class is not known.

    Errors: InputError where the API server would refuse it, or there is no such class.
    """
    name = new_pod.spec.runtimeClassName
    if not name or new_pod.is_admitted:
        return new_pod
    found = next((node_class for node_class in world.runtime_classes if node_class.metadata.name == name), None)
    if found is None:
        if "RuntimeClass" in world.complete_kinds:
            raise InputError(messages.describe_refusal(messages.describe_missing_runtime_class(name)))
        return new_pod
    try:
        return replace(new_pod, spec=apply_runtime_class(new_pod.spec, found), is_admitted=True)
    except RuntimeClassRefusedError as error:
        raise InputError(messages.describe_refusal(error)) from None


class _NodeCapacity:
    """A node that was judged: what is said of it, and what tells its class."""

    def __init__(
        self,
        new_pod: NewPod,
        node_fit: NodeFit,
        room: NodeOccupancy,
        resource_capacity: Capacity,
        stale_pods: frozenset[tuple[str, str]],
        requests: Mapping[str, int],
    ) -> None:
        self.new_pod, self.fit, self.room, self.resource_capacity = new_pod, node_fit, room, resource_capacity
        self.allocatable_amount = (
            None if node_fit.node in resource_capacity.unknown_nodes else (room.allocatable or {}).get(resource_capacity.resource, 0)
        )
        held = room.sum_usage_for(find_pod_priority(new_pod.spec))
        self.used_amount = held.pod_count if resource_capacity.resource == "pods" else held.amounts.get(resource_capacity.resource, 0)
        self.stale_amount = min(self.used_amount, sum_pod_usage(stale_pods, room, resource_capacity.resource))
        self.free_amount = None if self.allocatable_amount is None else max(0, self.allocatable_amount - self.used_amount)
        self.requests = requests

    @cached_property
    def reasons(self) -> tuple[CapacityReason, ...]:
        """All that stands in the way of one copy."""
        return tuple(fact for reason in self.fit.reasons for fact in self.iter_facts(reason))

    def iter_facts(self, reason: FilterReason) -> Iterator[CapacityReason]:
        """What is behind a reason of the scheduler."""
        if reason.plugin == NODE_UNSCHEDULABLE:
            yield NodeFact.CORDONED
        elif reason.plugin == TAINT_TOLERATION:
            yield from self._iter_taint_facts(reason.taints)
        elif reason.plugin == NODE_AFFINITY:
            yield from (list_mismatches(reason.affinity) if reason.affinity else (NodeFact.OTHER_NODES,))
        elif reason.plugin == NODE_PORTS:
            yield NodeFact.HOST_PORT
        elif reason.shortage and reason.shortage.resource == "pods":
            yield PodLimit(reason.shortage.used, reason.shortage.allocatable)
        else:
            yield SchedulerWords(reason.text)

    def _iter_taint_facts(self, taints: Sequence[Taint]) -> Iterator[CapacityReason]:
        if any(taint.key in _NOT_READY for taint in taints):
            yield NodeFact.NOT_READY
        plain = []
        for taint in taints:
            if taint.key in _NOT_READY or (taint.key == "node.kubernetes.io/unschedulable" and self.room.node.spec.unschedulable):
                continue
            if miss := find_near_miss(self.new_pod.spec.tolerations, taint):
                yield miss
            else:
                plain.append(taint)
        if plain:
            yield Untolerated(tuple(plain))

    @cached_property
    def report_row(self) -> NodeCapacity:
        """The node as the report has it."""
        unknown = (
            ()
            if self.fit.fits is not None
            else tuple(dict.fromkeys(describe_uncertainty(uncertainty) for uncertainty in self.fit.uncertainties))
        )
        return NodeCapacity(
            node=self.fit.node,
            kind=_get_instance_type(self.room.node),
            allocatable=self.allocatable_amount,
            used=self.used_amount - self.stale_amount,
            ghosts=self.stale_amount,
            free=self.free_amount,
            copies=self.fit.copies,
            atMost=self.fit.max_copies,
            takes=self.fit.fits,
            missing=self._missing_amount,
            reasons=tuple(map(describe_capacity_reason, self.reasons)),
            unknown=unknown,
        )

    @property
    def _missing_amount(self) -> int | None:
        """What a copy lacks of the followed resource, None where something else stands in its way too."""
        shortages = [reason.shortage for reason in self.fit.reasons]
        if len(shortages) != 1 or shortages[0] is None or shortages[0].resource != self.resource_capacity.resource:
            return None
        return shortages[0].used + shortages[0].requested - shortages[0].allocatable

    @property
    def scarce_resources(self) -> list[str]:
        """The resources that are used up before the one that is followed."""
        held, allocatable = self.room.sum_usage_for(find_pod_priority(self.new_pod.spec)), self.room.allocatable or {}
        left = {name: max(0, allocatable.get(name, 0) - held.amounts.get(name, 0)) // amount for name, amount in self.requests.items()}
        fewest = min(left.values(), default=0)
        return [name for name, copies in left.items() if copies == fewest and name != self.resource_capacity.resource]


def _make_sort_key(node: NodeCapacity) -> tuple[int, int, int, str]:
    """Nodes that take most first, then those with most that is free."""
    return -node.copies, -(node.atMost or 0), -(node.free or 0), node.node


def _get_instance_type(node: Node) -> str:
    return next((node.metadata.labels[key] for key in _INSTANCE_TYPE_LABELS if key in node.metadata.labels), "")


def _build_classes(nodes: Iterable[_NodeCapacity]) -> tuple[NodeClassCapacity, ...]:
    """Nodes of one type, with the same to allocate, and the same reasons but for what is used."""
    found: dict[object, list[tuple[_NodeCapacity, NodeCapacity]]] = {}
    for node in nodes:
        of_all = node.room.allocatable or {}
        fixed = tuple(fact for reason in node.fit.reasons if reason.shortage is None for fact in node.iter_facts(reason))
        key = (
            _get_instance_type(node.room.node),
            tuple(of_all.get(name, 0) for name in node.requests),
            node.allocatable_amount,
            fixed,
            node.report_row.unknown,
        )
        found.setdefault(key, []).append((node, node.report_row))
    classes = []
    for members in found.values():
        shown = [member for _, member in members]
        bounds = [capacity.atMost for capacity in shown]
        free, total = [node.free for node in shown], [node.allocatable for node in shown]
        reasons = [fact for node, row in members if not row.copies for fact in node.reasons]
        classes.append(
            NodeClassCapacity(
                kind=shown[0].kind,
                nodes=tuple(node.node for node in shown),
                allocatable=None if None in total else sum(amount or 0 for amount in total),
                used=sum(node.used for node in shown),
                ghosts=sum(node.ghosts for node in shown),
                free=None if None in free else sum(amount or 0 for amount in free),
                copies=sum(node.copies for node in shown),
                atMost=None if None in bounds else sum(bound or 0 for bound in bounds),
                reasons=tuple(count_reasons(reasons, len(shown))),
                unknown=shown[0].unknown,
            )
        )
    return tuple(
        sorted(classes, key=lambda node_class: (-node_class.copies, -(node_class.atMost or 0), -(node_class.free or 0), node_class.nodes))
    )


def _iter_steps(resource_capacity: Capacity, nodes: Mapping[str, _NodeCapacity]) -> Iterator[CapacityStep]:
    for step in resource_capacity.steps:
        on = [nodes[name] for name in step.nodes]
        details: Iterable[str] = ()
        if step.cause is CapacityLossCause.TAINTS:
            reasons = (reason for capacity in on for reason in capacity.fit.reasons if reason.plugin == TAINT_TOLERATION)
            details = (str(taint) for reason in reasons for taint in reason.taints)
        elif step.cause is CapacityLossCause.SELECTOR:
            details = (
                describe_capacity_reason(fact)
                for capacity in on
                for reason in capacity.fit.reasons
                if reason.plugin == NODE_AFFINITY
                for fact in capacity.iter_facts(reason)
            )
        elif step.cause is CapacityLossCause.OTHER_RESOURCES:
            details = (name for capacity in on for name in capacity.scarce_resources)
        elif step.cause is CapacityLossCause.UNKNOWN:
            details = (text for capacity in on for text in capacity.report_row.unknown)
        yield CapacityStep(step.cause, step.amount, step.free, step.nodes, tuple(dict.fromkeys(details)))


def _get_amount(room: NodeOccupancy, key: tuple[str, str], resource: str) -> int:
    return sum_pod_usage(frozenset({key}), room, resource)


def _iter_doubts(cluster_fit: FitResult, world: ClusterState, requests: Mapping[str, int]) -> Iterator[CapacityDoubt]:
    """Why more may fit than is certain, or what is said may not hold; `requests` are {} for a pod that admission has added to."""
    for uncertainty in dict.fromkeys(cluster_fit.uncertainties):
        if uncertainty.kind is not UncertaintyKind.PREEMPTION:
            yield CapacityUncertainty(uncertainty, world.missing_kinds.get(_UNCERTAIN_KINDS.get(uncertainty.kind, ""), ""))
    dedicated = sum(_is_reserved_for_resource(node, requests) for node in cluster_fit.nodes)
    if dedicated:
        yield AddedToleration(dedicated)
    preempting = [node.node for node in cluster_fit.nodes if node.may_preempt]
    if preempting:
        yield PossiblePreemption(len(preempting))
    elif any(node.may_preempt is None and node.fits is False for node in cluster_fit.nodes):
        yield PossiblePreemption(None)


def _is_reserved_for_resource(node: NodeFit, requests: Mapping[str, int]) -> bool:
    """Whether nothing but a taint named as an extended resource that the pod asks for keeps it from a node.

    Source: `plugin/pkg/admission/extendedresourcetoleration/admission.go`, Admit.
    """
    return bool(node.reasons) and all(
        reason.plugin == TAINT_TOLERATION
        and all("/" in taint.key and taint.key in requests and taint.effect == "NoSchedule" for taint in reason.taints)
        for reason in node.reasons
    )


def _iter_unchecked_limits(world: ClusterState, pod_index: PodIndex, new_pod: NewPod) -> Iterator[UncheckedLimit]:
    """What may still keep copies from binding, and is not checked."""
    quotas = sorted(quota.metadata.name for quota in world.quotas if quota.metadata.namespace == new_pod.namespace)
    if quotas:
        yield QuotaLimits(tuple(quotas), new_pod.namespace)
    elif "ResourceQuota" in world.missing_kinds or "ResourceQuota" not in world.complete_kinds:
        yield UnreadQuota(new_pod.namespace, world.missing_kinds.get("ResourceQuota", ""))
    waiting = sorted("/".join(pod.key) for pod in pod_index.pods if not pod.spec.nodeName and not pod.has_ended)
    if waiting:
        yield WaitingPods(tuple(waiting))
    yield AlwaysUnchecked()
