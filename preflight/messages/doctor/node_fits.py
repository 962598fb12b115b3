"""Texts about why a pod does not fit on nodes, according to preflight."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from preflight.doctor.jobset_leaders import DomainState, LeaderFit, NoDomain, TakenDomain, UnknownFit
from preflight.doctor.pending.node_fit import OwnNodeFit
from preflight.doctor.pending.unschedulable import (
    FilterRefusal,
    FitObstacle,
    InsufficientCapacity,
    InsufficientFree,
    LabelMismatch,
    MissingResource,
    NodeFitClass,
    NodesFull,
    OtherNode,
    UntoleratedTaints,
)
from preflight.messages.amounts import format_amount
from preflight.messages.coverage import format_requirement
from preflight.messages.lists import join_and, join_node_names
from preflight.messages.tolerations import describe_untolerated
from preflight.model.uncertainty import UncertaintyKind
from preflight.scheduling.filters import NODE_UNSCHEDULABLE, FilterReason

_MAX_CLASSES = 6

_DOUBT_TEXTS = {
    UncertaintyKind.PODS: "not all pods are known",
    UncertaintyKind.NODES: "not all nodes are known",
    UncertaintyKind.ALLOCATABLE: "its allocatable is not in the input",
    UncertaintyKind.SCHEDULER: "another scheduler decides",
    UncertaintyKind.VOLUMES: "its volumes may be restricted to some nodes",
    UncertaintyKind.AFFINITY: "its pod affinity is not checked",
    UncertaintyKind.SPREAD: "its topology spread is not checked",
    UncertaintyKind.CLAIMS: "its device claims are not checked",
    UncertaintyKind.GATES: "it has a scheduling gate",
    UncertaintyKind.GROUP: "it waits for its group",
    UncertaintyKind.NEIGHBORS: "anti-affinity of other pods may exclude it",
}


def describe_classes(classes: Sequence[NodeFitClass]) -> Iterator[str]:
    """A line for each class of nodes, `gpu-1, gpu-2: insufficient ...`; of many classes those that match best."""
    for node_class in classes[:_MAX_CLASSES]:
        yield f"{join_node_names(node_class.nodes)}: {describe_class(node_class)}"
    rest = [name for node_class in classes[_MAX_CLASSES:] for name in node_class.nodes]
    if rest:
        yield f"{join_node_names(rest)}: other reasons"


def describe_leader_fit(fit: LeaderFit) -> Iterator[str]:
    """A line for each state of a topology domain, then one for each class of the other nodes."""
    for state, nodes in fit.domains:
        yield f"{join_node_names(nodes)}: {_describe_domain_state(state)}"
    yield from describe_classes(fit.classes)


def _describe_domain_state(state: DomainState) -> str:
    match state:
        case NoDomain(topology):
            return f"no label {topology}"
        case TakenDomain(domain, owner):
            return f"its domain {domain} is in use by {owner.kind} {owner}"
        case UnknownFit(obstacles, doubts):
            return _describe_facts(obstacles, doubts)


def describe_class(node_class: NodeFitClass) -> str:
    """Why a pod does not fit on the nodes of a class, or why that is unknown."""
    if node_class.can_take:
        return "the pod fits"
    return _describe_facts(node_class.obstacles, node_class.doubts)


def _describe_facts(obstacles: Sequence[FitObstacle], doubts: Iterable[UncertaintyKind]) -> str:
    return join_and(map(describe_obstacle, obstacles)) if obstacles else _describe_doubts(doubts)


def _describe_doubts(doubts: Iterable[UncertaintyKind]) -> str:
    return f"unknown ({join_and(dict.fromkeys(_DOUBT_TEXTS.get(doubt, doubt.value) for doubt in doubts))})"


def describe_obstacle(obstacle: FitObstacle) -> str:
    """Why a pod does not fit on nodes."""
    match obstacle:
        case MissingResource(resource):
            return f"no {_name_resource(resource)}"
        case InsufficientCapacity(resource, requested, allocatable):
            wanted, whole = format_amount(resource, requested), format_amount(resource, allocatable)
            return f"never enough {_name_resource(resource)} (requests {wanted}, a node has {whole})"
        case NodesFull(allowed_pods):
            return f"pod limit reached ({allowed_pods})"
        case InsufficientFree(resource, requested, free, is_most):
            most = "at most " if is_most else ""
            left = format_amount(resource, free) if free else "none"
            return f"insufficient {_name_resource(resource)} (requests {format_amount(resource, requested)}, {most}{left} free)"
        case UntoleratedTaints(taints):
            return describe_untolerated(taints)
        case LabelMismatch():
            return _describe_mismatch(obstacle)
        case OtherNode():
            return "the pod is for another node"
        case FilterRefusal(plugin, text):
            return "cordoned" if plugin == NODE_UNSCHEDULABLE else text.removeprefix("node(s) ")


def _name_resource(resource: str) -> str:
    return "pod slots" if resource == "pods" else resource


def _describe_mismatch(mismatch: LabelMismatch) -> str:
    found = [
        f"no label {entry.key}={entry.required}{f' (the value is {entry.actual})' if entry.actual is not None else ''}"
        for entry in mismatch.selector_mismatches
    ]
    if mismatch.failed_terms:
        terms = (join_and(map(format_requirement, term)) for term in mismatch.failed_terms)
        found.append(f"node affinity requires {'; or '.join(dict.fromkeys(terms))}")
    return join_and(found)


def describe_own_node(own: OwnNodeFit) -> str:
    """PF412: why a pod of a DaemonSet does not fit on its node."""
    return f"{own.node_fit.node}, according to preflight: {_describe_own_fit(own)}"


def _describe_own_fit(own: OwnNodeFit) -> str:
    if own.node_fit.fits:
        return "the pod fits"
    if own.node_fit.reasons:
        return join_and(dict.fromkeys(map(_describe_reason, own.node_fit.reasons)))
    doubts = (*own.node_fit.uncertainties, *own.cluster_fit.uncertainties)
    return _describe_doubts(UncertaintyKind(doubt.kind) for doubt in doubts)


def _describe_reason(reason: FilterReason) -> str:
    """A reason of the scheduler with its cause."""
    if reason.shortage is not None:
        short = reason.shortage
        wanted, used, whole = (format_amount(short.resource, number) for number in (short.requested, short.used, short.allocatable))
        return f"{reason.text} (requests {wanted}, {used} of {whole} in use)"
    if reason.taints:
        return describe_untolerated(reason.taints)
    return reason.text


def describe_count_mismatch(counted: int | None, nodes: int) -> str:
    """That the scheduler counts another number of nodes than the input has; "" if it does not, or counts none."""
    if counted is None or counted == nodes:
        return ""
    return f"the scheduler counts {counted} node{'s' if counted != 1 else ''}, the input has {nodes}"
