"""Whether one node takes one pod, how many copies of it, and all that stands in the way."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from preflight.model.uncertainty import Uncertainty, UncertaintyKind
from preflight.scheduling.anti_affinity import iter_topology_uncertainties
from preflight.scheduling.filters import (
    TAINT_TOLERATION,
    FilterReason,
    FilterResult,
    PodToSchedule,
    may_be_claimed,
    run_node_filters,
    run_usage_filters,
)
from preflight.scheduling.occupancy import NodeOccupancy, NodeUsage, Occupancy, PodAntiAffinity
from preflight.scheduling.ports import conflicts
from preflight.scheduling.volumes import BoundVolume, filter_volumes


class NodeFit(Struct, frozen=True):
    """Whether a node takes a pod, and how many copies of it.

    1. `fits`: True or False where it is certain, None where `uncertainties`, of the node or of the pod, leave it open.
    2. `reasons` are all that stand in the way, those of later filters too, in the scheduler's order; empty unless it is refused.
    3. `stated_reasons` are those that the scheduler says: it stops at the first filter that refuses, and says all that this one found. None
       where it is not certain which they are.
    4. `copies` fit for certain, one after another; `max_copies` where all in doubt turns out well, None where nothing bounds it. They are
       equal where `fits` is not None, unless it depends on the version whether a second copy fits.
    5. `full_reasons` is what the scheduler says of the node once `copies` are there; None where `stated_reasons` would be.
    6. `may_preempt`: it takes the pod once pods of lower priority are gone, and refuses it now. None where that is not known.
    """

    node: str
    fits: bool | None
    reasons: tuple[FilterReason, ...]
    stated_reasons: tuple[FilterReason, ...] | None
    copies: int
    max_copies: int | None
    full_reasons: tuple[FilterReason, ...] | None
    may_preempt: bool | None = False
    uncertainties: tuple[Uncertainty, ...] = ()


class FitConditions(Struct, frozen=True):
    """What holds for a pod on every node.

    1. `uncertainties` keep any node from taking it for certain; `unlisted_pods` are those of them that concern the pods that are there.
    2. `are_refusals_certain` are certain: false where another scheduler may do as it likes.
    3. `can_preempt`: pods of lower priority may have to go for it.
    4. `anti_affinities` are the pods whose anti-affinity may select it.
    5. `are_tolerations_complete` are all known: false where a RuntimeClass may add some, so that a taint need not refuse it. One of the
       node itself (`node.kubernetes.io/`) does all the same: no class tolerates that.
    6. `volumes` are the volumes of the pod whose claims are bound: they decide on nodes.
    """

    comparison_operators: bool | None
    claimed_resources: frozenset[str]
    uncertainties: tuple[Uncertainty, ...] = ()
    unlisted_pods: tuple[Uncertainty, ...] = ()
    are_refusals_certain: bool = True
    can_preempt: bool = True
    anti_affinities: tuple[PodAntiAffinity, ...] = ()
    are_tolerations_complete: bool = True
    volumes: tuple[BoundVolume, ...] = ()


def fit_node(pod: PodToSchedule, node_occupancy: NodeOccupancy, occupancy: Occupancy, conditions: FitConditions) -> NodeFit:
    """Whether a node takes a pod, with the filters in the order of the scheduler: see NodeFit."""
    if not node_occupancy.are_pods_listed:
        conditions = replace(conditions, unlisted_pods=(Uncertainty(UncertaintyKind.PODS),))
    fixed = tuple(run_node_filters(pod, node_occupancy.node, conditions.comparison_operators))
    held = node_occupancy.sum_usage_for(pod.priority)
    answers = (
        *fixed,
        *run_usage_filters(pod, node_occupancy, held, 0, conditions.claimed_resources, conditions.unlisted_pods),
        *filter_volumes(conditions.volumes, node_occupancy.node),
    )
    reasons = tuple(reason for answer in answers for reason in answer.reasons)
    doubts = [uncertainty for answer in answers for uncertainty in answer.uncertainties if uncertainty not in conditions.uncertainties]
    doubts += iter_topology_uncertainties(conditions.anti_affinities, node_occupancy.node, occupancy)
    if pod.priority is None and any(pod_usage.is_nominated for pod_usage in node_occupancy.pod_usages):
        doubts.append(Uncertainty(UncertaintyKind.PREEMPTION))
    name = node_occupancy.node.name
    if reasons and conditions.are_refusals_certain and (conditions.are_tolerations_complete or not _may_be_tolerated(reasons)):
        stated = _find_stated_reasons(answers)
        preempts = _may_preempt(pod, node_occupancy, held, conditions, fixed, reasons)
        return NodeFit(name, False, reasons, stated, 0, 0, stated, preempts, tuple(doubts))
    most = _count_max_copies(pod, node_occupancy, held, conditions.claimed_resources) if conditions.are_refusals_certain else None
    if doubts or conditions.uncertainties:
        return NodeFit(name, None, reasons, None, 0, most, None, None, tuple(doubts))
    copies = most or 0
    if copies > 1 and pod.ports and conflicts(pod.ports, (), has_copies=True, counts_sidecars=pod.behavior.counts_sidecar_ports) is None:
        return NodeFit(name, True, (), (), 1, most, None)
    full = _find_stated_reasons(tuple(run_usage_filters(pod, node_occupancy, held, copies, conditions.claimed_resources, ())))
    return NodeFit(name, True, (), (), copies, copies, full)


def _may_be_tolerated(reasons: Sequence[FilterReason]) -> bool:
    """Whether nothing but taints stands in the way, and none of them is one of the node itself."""
    return all(
        reason.plugin == TAINT_TOLERATION and not any(taint.key.startswith("node.kubernetes.io/") for taint in reason.taints)
        for reason in reasons
    )


def _find_stated_reasons(answers: Sequence[FilterResult]) -> tuple[FilterReason, ...] | None:
    """The reasons of the first filter that refuses; None where one before it, or itself, is in doubt."""
    first = next((answer for answer in answers if answer.uncertainties or answer.reasons), None)
    return first.reasons if first and not first.uncertainties else None


def _count_max_copies(pod: PodToSchedule, node_occupancy: NodeOccupancy, usage: NodeUsage, claimed_resources: frozenset[str]) -> int | None:
    """How many copies what is left has room for, by all of it that is known."""
    is_alone = conflicts(pod.ports, (), has_copies=True, counts_sidecars=pod.behavior.counts_sidecar_ports)
    bounds = [1] if is_alone else []
    if node_occupancy.allocatable is not None:
        if "pods" not in node_occupancy.unreadable_resources:
            bounds.append(node_occupancy.allocatable.get("pods", 0) - usage.pod_count)
        for name, amount in (pod.requests or {}).items():
            if amount and name not in node_occupancy.unreadable_resources and not may_be_claimed(name, node_occupancy, claimed_resources):
                bounds.append((node_occupancy.allocatable.get(name, 0) - usage.amounts.get(name, 0)) // amount)
    return min(bounds) if bounds else None


def _may_preempt(
    pod: PodToSchedule,
    node_occupancy: NodeOccupancy,
    usage: NodeUsage,
    conditions: FitConditions,
    node_results: Sequence[FilterResult],
    reasons: Sequence[FilterReason],
) -> bool | None:
    """Whether the node would take the pod once every pod of lower priority were gone from it.

    Source: `pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go`, SelectVictimsOnNode.
    """
    if not conditions.can_preempt or any(reason.is_unresolvable for reason in reasons):
        return False
    if conditions.unlisted_pods:
        return None
    if pod.priority is None:
        return None if usage.pod_count else False
    staying = node_occupancy.sum_usage_above(pod.priority)
    if staying.pod_count == usage.pod_count:
        return False
    answers = (*node_results, *run_usage_filters(pod, node_occupancy, staying, 0, conditions.claimed_resources, ()))
    if any(answer.reasons for answer in answers):
        return False
    return None if conditions.uncertainties or any(answer.uncertainties for answer in answers) else True
