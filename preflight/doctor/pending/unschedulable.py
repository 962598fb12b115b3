"""Why no node takes a pod: the nodes of a cluster in classes, each with all that its nodes have against the pod."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from preflight.doctor.pending.node_fit import FIT_DOUBTS, compute_fit, format_amount
from preflight.doctor.pod_health import get_extended_requests, get_target_node
from preflight.messages.coverage import format_requirement
from preflight.messages.lists import join_and, join_node_names
from preflight.scheduling.affinity import AffinityMatch
from preflight.scheduling.anti_affinity import find_anti_affinities
from preflight.scheduling.filters import NODE_AFFINITY, TAINT_TOLERATION, FilterReason, Shortage
from preflight.scheduling.fit import FitResult
from preflight.scheduling.node_fit import NodeFit
from preflight.scheduling.occupancy import Occupancy

if TYPE_CHECKING:
    from preflight.doctor.context import ClusterFacts
    from preflight.model.runtime_state import PodState

_MAX_CLASSES = 6
_OTHER_NODE_TEXT = "it is for another node"
_CORDON_TAINT = "node.kubernetes.io/unschedulable"


class NodeFitClass(Struct, frozen=True):
    """Nodes that say the same of a pod: `reason` in words; `can_take` as in NodeFit."""

    nodes: tuple[str, ...]
    reason: str
    can_take: bool | None


class SchedulerAccount(Struct, frozen=True):
    """Our own account of where a pod fits.

    1. `classes` are the nodes in classes, those that come nearest to taking it first; `fitting_nodes` those that take it for certain.
    2. Pods with equal `grouping_key` have the same account, word for word.
    """

    fit: FitResult
    classes: tuple[NodeFitClass, ...]
    fitting_nodes: tuple[str, ...]
    grouping_key: str

    @property
    def short_resources(self) -> tuple[str, ...]:
        """The resources of which some node has too little for it, where a node that lacks nothing else counts alone."""
        refused = [node.reasons for node in self.fit.nodes if node.reasons]
        nearest = [reasons for reasons in refused if all(reason.shortage for reason in reasons)] or refused
        return tuple(dict.fromkeys(reason.shortage.resource for reasons in nearest for reason in reasons if reason.shortage))


def explain_pod_fit(facts: ClusterFacts, pod: PodState) -> SchedulerAccount:
    """Our own account of a pod that waits.

    1. Pods that are alike are looked at once: in all that the filters read, and in their labels where others may not want such pods near.
    2. Of a pod of a DaemonSet only its own node is looked at: no other ever takes it.
    """
    labels = tuple(sorted(pod.metadata.labels.items())) if facts.occupancy.anti_affinities else ()
    key = (pod.metadata.namespace, labels, msgspec.json.encode(pod.spec))
    if key not in facts.pending_pods.pod_fits:
        found = compute_fit(facts, pod, _select_occupancy(facts.occupancy, pod))
        classes = _build_classes(found, wants_device=bool(get_extended_requests(pod.spec)))
        likeness = "\n".join(f"{' '.join(node_class.nodes)}: {node_class.reason}" for node_class in classes)
        facts.pending_pods.pod_fits[key] = SchedulerAccount(found, classes, found.fitting_nodes, likeness)
    return facts.pending_pods.pod_fits[key]


def _select_occupancy(occupancy: Occupancy, pod: PodState) -> Occupancy:
    """The nodes that a pod is for, with those of the pods that may not want it near them."""
    node = get_target_node(pod)
    if node not in occupancy.nodes:
        return occupancy
    guards = find_anti_affinities(occupancy, pod.metadata.labels, pod.metadata.namespace)
    names = sorted({node, *(guard.node for guard in guards)} & occupancy.nodes.keys())
    return Occupancy({name: occupancy.nodes[name] for name in names}, guards, occupancy.uncertainties)


def describe_classes(classes: Sequence[NodeFitClass]) -> Iterator[str]:
    """A line for each class of nodes, `gpu-1, gpu-2: too little ...`; of many classes those that come nearest."""
    for node_class in classes[:_MAX_CLASSES]:
        yield f"{join_node_names(node_class.nodes)}: {node_class.reason}"
    rest = [name for fit_class in classes[_MAX_CLASSES:] for name in fit_class.nodes]
    if rest:
        yield f"{join_node_names(rest)}: other reasons"


def _build_classes(fit: FitResult, *, wants_device: bool) -> tuple[NodeFitClass, ...]:
    pod_doubts = [FIT_DOUBTS.get(uncertainty.kind, uncertainty.kind) for uncertainty in fit.uncertainties]
    alike: defaultdict[tuple[int, int, tuple[str, ...]], list[NodeFit]] = defaultdict(list)
    for node in fit.nodes:
        kinds = tuple(dict.fromkeys(_make_reason_key(reason) for reason in node.reasons))
        doubts = [FIT_DOUBTS.get(each.kind, each.kind) for each in node.uncertainties] if node.fits is None else []
        alike[_rank_distance(node, wants_device=wants_device), len(kinds), (*kinds, *doubts)].append(node)
    return tuple(
        NodeFitClass(tuple(node.node for node in nodes), _explain_class(nodes, pod_doubts), nodes[0].fits)
        for (_, _, _), nodes in sorted(alike.items(), key=lambda item: (item[0][0], item[0][1], -len(item[1]), item[1][0].node))
    )


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


def _make_reason_key(reason: FilterReason) -> str:
    """What makes two nodes say the same: of a resource that is there how much of it there is counts, not how much of it is taken."""
    if reason.shortage is not None:
        return f"{reason.shortage.resource}/{_make_shortage_key(reason.shortage)}"
    return _describe_reason(reason)


def _make_shortage_key(shortage: Shortage) -> str:
    if not shortage.allocatable:
        return "none"
    return f"{shortage.allocatable}" if shortage.requested > shortage.allocatable else "taken"


def _explain_class(nodes: list[NodeFit], pod_doubts: Iterable[str]) -> str:
    first = nodes[0]
    if first.fits:
        return "takes the pod" if len(nodes) == 1 else "take the pod"
    if first.reasons:
        shortages = defaultdict(list)
        for node in nodes:
            for reason in node.reasons:
                if reason.shortage is not None:
                    shortages[reason.shortage.resource].append(reason.shortage)
        texts = [
            _describe_shortages(shortages[each.shortage.resource]) if each.shortage else _describe_reason(each) for each in first.reasons
        ]
        return _OTHER_NODE_TEXT if _OTHER_NODE_TEXT in texts else join_and(dict.fromkeys(texts))
    doubts = dict.fromkeys((*(FIT_DOUBTS.get(uncertainty.kind, uncertainty.kind) for uncertainty in first.uncertainties), *pod_doubts))
    return f"not known ({join_and(doubts)})"


def _describe_shortages(shortages: list[Shortage]) -> str:
    short = shortages[0]
    what = "room for one more pod" if short.resource == "pods" else short.resource
    if not short.allocatable:
        return f"no {what}"
    wanted = format_amount(short.resource, short.requested)
    if short.requested > short.allocatable:
        return f"never enough {what} (asks for {wanted}, a node has {format_amount(short.resource, short.allocatable)})"
    free = max(max(0, shortage.allocatable - shortage.used) for shortage in shortages)
    if short.resource == "pods":
        return f"no room for one more pod (all {short.allocatable} are there)"
    most = "at most " if len(shortages) > 1 and free else ""
    return f"too little {what} left (asks for {wanted}, {most}{format_amount(short.resource, free) if free else 'none'} free)"


def _describe_reason(reason: FilterReason) -> str:
    if reason.taints:
        said = [taint for taint in reason.taints if taint.key != _CORDON_TAINT]  # of a cordon its own filter speaks too
        return f"does not tolerate {join_and(said or reason.taints)}"
    if reason.affinity is not None and (found := _describe_mismatch(reason.affinity)):
        return found
    if reason.plugin == NODE_AFFINITY and "plugin(s)" in reason.text:
        return _OTHER_NODE_TEXT
    return reason.text.removeprefix("node(s) ").replace("were unschedulable", "cordoned")


def _describe_mismatch(match: AffinityMatch) -> str:
    found = [
        (
            f"label {mismatch.key}={mismatch.required} is asked "
            f"for{f', it has {mismatch.actual}' if mismatch.actual is not None else ' and is not there'}"
        )
        for mismatch in match.selector_mismatches
    ]
    failed = [[format_requirement(expression) for expression in (*term.expressions, *term.fields)] for term in match.term_mismatches]
    asked = [join_and(each) for each in failed if each]
    if asked:
        found.append(f"its affinity asks for {'; or '.join(dict.fromkeys(asked))}")
    return join_and(found)
