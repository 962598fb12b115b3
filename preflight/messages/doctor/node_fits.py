"""Texts about what nodes have against a pod, by our own account."""

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
    UncertaintyKind.ALLOCATABLE: "what it can allocate is not given",
    UncertaintyKind.SCHEDULER: "another scheduler decides",
    UncertaintyKind.VOLUMES: "its volumes may be had on some nodes only",
    UncertaintyKind.AFFINITY: "its affinity to other pods is not judged",
    UncertaintyKind.SPREAD: "its spread over nodes is not judged",
    UncertaintyKind.CLAIMS: "its device claims are not judged",
    UncertaintyKind.GATES: "it has a scheduling gate",
    UncertaintyKind.GROUP: "it waits for its group",
    UncertaintyKind.NEIGHBORS: "other pods may not want it near them",
}


def describe_classes(classes: Sequence[NodeFitClass]) -> Iterator[str]:
    """A line for each class of nodes, `gpu-1, gpu-2: too little ...`; of many classes those that come nearest."""
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
            return f"it has no label {topology}"
        case TakenDomain(domain, owner):
            return f"its domain {domain} belongs to {owner.kind} {owner}"
        case UnknownFit(obstacles, doubts):
            return _describe_facts(obstacles, doubts)


def describe_class(node_class: NodeFitClass) -> str:
    """What the nodes of a class have against a pod; else why that is not known."""
    if node_class.can_take:
        return "takes the pod" if len(node_class.nodes) == 1 else "take the pod"
    return _describe_facts(node_class.obstacles, node_class.doubts)


def _describe_facts(obstacles: Sequence[FitObstacle], doubts: Iterable[UncertaintyKind]) -> str:
    return join_and(map(describe_obstacle, obstacles)) if obstacles else _describe_doubts(doubts)


def _describe_doubts(doubts: Iterable[UncertaintyKind]) -> str:
    return f"not known ({join_and(dict.fromkeys(_DOUBT_TEXTS.get(doubt, doubt.value) for doubt in doubts))})"


def describe_obstacle(obstacle: FitObstacle) -> str:
    """What nodes have against a pod."""
    match obstacle:
        case MissingResource(resource):
            return f"no {_name_resource(resource)}"
        case InsufficientCapacity(resource, requested, allocatable):
            wanted, whole = format_amount(resource, requested), format_amount(resource, allocatable)
            return f"never enough {_name_resource(resource)} (asks for {wanted}, a node has {whole})"
        case NodesFull(allowed_pods):
            return f"no room for one more pod (all {allowed_pods} are there)"
        case InsufficientFree(resource, requested, free, is_most):
            most = "at most " if is_most else ""
            left = format_amount(resource, free) if free else "none"
            return f"too little {_name_resource(resource)} left (asks for {format_amount(resource, requested)}, {most}{left} free)"
        case UntoleratedTaints(taints):
            return describe_untolerated(taints)
        case LabelMismatch():
            return _describe_mismatch(obstacle)
        case OtherNode():
            return "it is for another node"
        case FilterRefusal(plugin, text):
            return "cordoned" if plugin == NODE_UNSCHEDULABLE else text.removeprefix("node(s) ")


def _name_resource(resource: str) -> str:
    return "room for one more pod" if resource == "pods" else resource


def _describe_mismatch(mismatch: LabelMismatch) -> str:
    found = [
        f"label {entry.key}={entry.required} is asked for{f', it has {entry.actual}' if entry.actual is not None else ' and is not there'}"
        for entry in mismatch.selector_mismatches
    ]
    if mismatch.failed_terms:
        terms = (join_and(map(format_requirement, term)) for term in mismatch.failed_terms)
        found.append(f"its affinity asks for {'; or '.join(dict.fromkeys(terms))}")
    return join_and(found)


def describe_own_node(own: OwnNodeFit) -> str:
    """PF412: what the node that a pod of a DaemonSet is for has against it."""
    return f"{own.node_fit.node} by our own account: {_describe_own_fit(own)}"


def _describe_own_fit(own: OwnNodeFit) -> str:
    if own.node_fit.fits:
        return "takes the pod"
    if own.node_fit.reasons:
        return join_and(dict.fromkeys(map(_describe_reason, own.node_fit.reasons)))
    doubts = (*own.node_fit.uncertainties, *own.cluster_fit.uncertainties)
    return _describe_doubts(UncertaintyKind(doubt.kind) for doubt in doubts)


def _describe_reason(reason: FilterReason) -> str:
    """A reason of the scheduler with what is behind it."""
    if reason.shortage is not None:
        short = reason.shortage
        wanted, used, whole = (format_amount(short.resource, number) for number in (short.requested, short.used, short.allocatable))
        return f"{reason.text} (asks for {wanted}, {used} of {whole} are taken)"
    if reason.taints:
        return describe_untolerated(reason.taints)
    return reason.text


def describe_count_mismatch(counted: int | None, nodes: int) -> str:
    """That the scheduler counts another number of nodes than there are; "" where it does not, or counts none."""
    if counted is None or counted == nodes:
        return ""
    return f"the scheduler counts {counted} node{'s' if counted != 1 else ''}, and there {'are' if nodes != 1 else 'is'} {nodes}"
