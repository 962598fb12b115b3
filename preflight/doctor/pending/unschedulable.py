"""Why no node takes a pod: the nodes of a cluster in classes, each with all that its nodes have against the pod."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import msgspec
from msgspec import Struct

from preflight.coverage.node_targeting import get_target_node
from preflight.doctor.index import ClusterIndex
from preflight.doctor.pending.node_fit import compute_fit
from preflight.doctor.pod_health import get_extended_requests
from preflight.model.core import Taint
from preflight.model.meta import SelectorRequirement
from preflight.model.reasons import SelectorMismatch
from preflight.model.runtime_state import PodState
from preflight.model.uncertainty import UncertaintyKind
from preflight.scheduling.affinity import AffinityMatch
from preflight.scheduling.anti_affinity import find_anti_affinities
from preflight.scheduling.filters import NODE_AFFINITY, TAINT_TOLERATION, FilterReason, Shortage
from preflight.scheduling.fit import FitResult
from preflight.scheduling.node_fit import NodeFit
from preflight.scheduling.occupancy import Occupancy

_CORDON_TAINT = "node.kubernetes.io/unschedulable"


class MissingResource(Struct, frozen=True):
    """A resource that the nodes do not have."""

    resource: str


class InsufficientCapacity(Struct, frozen=True):
    """A resource of which the nodes never have enough, even when they are empty."""

    resource: str
    requested: int
    allocatable: int


class NodesFull(Struct, frozen=True):
    """The nodes have as many pods as they may have."""

    allowed_pods: int


class InsufficientFree(Struct, frozen=True):
    """A resource of which too little is free: `free` is the most that a node has left, `is_most` where other nodes may have less."""

    resource: str
    requested: int
    free: int
    is_most: bool


class UntoleratedTaints(Struct, frozen=True):
    """Taints that the pod does not tolerate."""

    taints: tuple[Taint, ...]


class LabelMismatch(Struct, frozen=True):
    """Labels that the pod asks for and the nodes do not have: by nodeSelector, and by the terms of its affinity."""

    selector_mismatches: tuple[SelectorMismatch, ...]
    failed_terms: tuple[tuple[SelectorRequirement, ...], ...]


class OtherNode(Struct, frozen=True):
    """The pod is for another node."""


class FilterRefusal(Struct, frozen=True):
    """Another filter of the scheduler refuses the pod: its name, and what the scheduler says."""

    plugin: str
    text: str


ShortageObstacle = MissingResource | InsufficientCapacity | NodesFull | InsufficientFree
FitObstacle = ShortageObstacle | UntoleratedTaints | LabelMismatch | OtherNode | FilterRefusal


class NodeFitClass(Struct, frozen=True):
    """Nodes that have the same against a pod.

    `can_take` is as in NodeFit; `obstacles` are what the nodes have against the pod, `doubts` are why it is unknown whether they take it.
    """

    nodes: tuple[str, ...]
    can_take: bool | None
    obstacles: tuple[FitObstacle, ...] = ()
    doubts: tuple[UncertaintyKind, ...] = ()


class SchedulerAccount(Struct, frozen=True):
    """Our own account of where a pod fits.

    `classes` are the nodes in classes, those that come nearest to taking it first; `fitting_nodes` those that take it for certain. Pods
    with equal classes have the same account.
    """

    fit: FitResult
    classes: tuple[NodeFitClass, ...]
    fitting_nodes: tuple[str, ...]

    @property
    def short_resources(self) -> tuple[str, ...]:
        """The resources of which some node has too little for it, where a node that lacks nothing else counts alone."""
        refused = [node.reasons for node in self.fit.nodes if node.reasons]
        nearest = [reasons for reasons in refused if all(reason.shortage for reason in reasons)] or refused
        return tuple(dict.fromkeys(reason.shortage.resource for reasons in nearest for reason in reasons if reason.shortage))


class PodFits:
    """Our own accounts of pods that wait; pods that are alike are looked at once."""

    def __init__(self, index: ClusterIndex) -> None:
        """Of one cluster; nothing is worked out yet."""
        self._index = index
        self._accounts: dict[tuple[str, tuple[tuple[str, str], ...], bytes], SchedulerAccount] = {}

    def explain(self, pod: PodState) -> SchedulerAccount:
        """Our own account of a pod that waits.

        1. Pods are alike in all that the filters read, and in their labels where others may not want such pods near them.
        2. Of a pod of a DaemonSet only its own node is looked at: no other ever takes it.
        """
        occupancy = self._index.occupancy
        labels = tuple(sorted(pod.metadata.labels.items())) if occupancy.anti_affinities else ()
        key = (pod.metadata.namespace, labels, msgspec.json.encode(pod.spec))
        if key not in self._accounts:
            fit = compute_fit(self._index, pod, _select_occupancy(occupancy, pod))
            classes = _build_classes(fit, wants_device=bool(get_extended_requests(pod.spec)))
            self._accounts[key] = SchedulerAccount(fit, classes, fit.fitting_nodes)
        return self._accounts[key]


def _select_occupancy(occupancy: Occupancy, pod: PodState) -> Occupancy:
    """The nodes that a pod is for, with those of the pods that may not want it near them."""
    node = get_target_node(pod)
    if node not in occupancy.nodes:
        return occupancy
    guards = find_anti_affinities(occupancy, pod.metadata.labels, pod.metadata.namespace)
    names = sorted({node, *(guard.node for guard in guards)} & occupancy.nodes.keys())
    return Occupancy({name: occupancy.nodes[name] for name in names}, guards, occupancy.uncertainties)


def _build_classes(fit: FitResult, *, wants_device: bool) -> tuple[NodeFitClass, ...]:
    alike: defaultdict[tuple[object, ...], list[NodeFit]] = defaultdict(list)
    for node_fit in fit.nodes:
        kinds = tuple(dict.fromkeys(_make_reason_key(reason, fit) for reason in node_fit.reasons))
        doubts = tuple(UncertaintyKind(doubt.kind) for doubt in node_fit.uncertainties) if node_fit.fits is None else ()
        alike[_rank_distance(node_fit, wants_device=wants_device), len(kinds), kinds, doubts].append(node_fit)
    found = sorted(alike.items(), key=lambda item: (item[0][:2], -len(item[1]), item[1][0].node))
    return tuple(_build_class(node_fits, fit) for _, node_fits in found)


def _rank_distance(node: NodeFit, *, wants_device: bool) -> int:
    """How far a node is from taking the pod: 0 where it does, 1 where it may.

    A node with the device that the pod wants and room for it is 2: only a label or a taint keeps it. One that lacks only room is 3, any
    other 4: without a wish for a device most nodes are of another zone or pool.
    """
    if node.fits is not False:
        return 0 if node.fits else 1
    plugins = {reason.plugin for reason in node.reasons}
    if wants_device and plugins <= {NODE_AFFINITY, TAINT_TOLERATION}:
        return 2
    return 3 if all(reason.shortage for reason in node.reasons) else 4


def _make_reason_key(reason: FilterReason, fit: FitResult) -> object:
    """What makes two nodes say the same: of a resource that they have counts how much of it they have, not how much of it is taken."""
    shortage = reason.shortage
    if shortage is None:
        return _make_obstacle(reason, fit)
    if not shortage.allocatable:
        return shortage.resource, "missing"
    return shortage.resource, shortage.allocatable if shortage.requested > shortage.allocatable else "taken"


def _build_class(node_fits: list[NodeFit], fit: FitResult) -> NodeFitClass:
    names, first = tuple(node_fit.node for node_fit in node_fits), node_fits[0]
    if first.fits:
        return NodeFitClass(names, first.fits)
    if not first.reasons:
        doubts = dict.fromkeys(UncertaintyKind(doubt.kind) for doubt in (*first.uncertainties, *fit.uncertainties))
        return NodeFitClass(names, first.fits, doubts=tuple(doubts))
    shortages: defaultdict[str, list[Shortage]] = defaultdict(list)
    for reason in (reason for node_fit in node_fits for reason in node_fit.reasons):
        if reason.shortage is not None:
            shortages[reason.shortage.resource].append(reason.shortage)
    obstacles = dict.fromkeys(
        _sum_shortages(shortages[reason.shortage.resource]) if reason.shortage else _make_obstacle(reason, fit) for reason in first.reasons
    )
    return NodeFitClass(names, first.fits, (OtherNode(),) if OtherNode() in obstacles else tuple(obstacles))


def _sum_shortages(shortages: list[Shortage]) -> ShortageObstacle:
    """One obstacle for the shortages of the nodes of a class."""
    first = shortages[0]
    if not first.allocatable:
        return MissingResource(first.resource)
    if first.requested > first.allocatable:
        return InsufficientCapacity(first.resource, first.requested, first.allocatable)
    if first.resource == "pods":
        return NodesFull(first.allocatable)
    free = max(max(0, shortage.allocatable - shortage.used) for shortage in shortages)
    return InsufficientFree(first.resource, first.requested, free, is_most=len(shortages) > 1 and free > 0)


def _make_obstacle(reason: FilterReason, fit: FitResult) -> FitObstacle:
    """What a reason without a shortage consists of."""
    if reason.taints:
        others = tuple(taint for taint in reason.taints if taint.key != _CORDON_TAINT)  # a cordon has a filter of its own
        return UntoleratedTaints(others or reason.taints)
    if reason.affinity is not None and (mismatch := _find_label_mismatch(reason.affinity)):
        return mismatch
    if reason.plugin == NODE_AFFINITY and reason.affinity is None and not fit.has_conflict:
        return OtherNode()
    return FilterRefusal(reason.plugin, reason.text)


def _find_label_mismatch(match: AffinityMatch) -> LabelMismatch | None:
    terms: Iterable[tuple[SelectorRequirement, ...]] = ((*term.expressions, *term.fields) for term in match.term_mismatches)
    failed_terms = tuple(dict.fromkeys(term for term in terms if term))
    if not match.selector_mismatches and not failed_terms:
        return None
    return LabelMismatch(match.selector_mismatches, failed_terms)
