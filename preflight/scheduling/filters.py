"""Why one node does not take one pod: the filters of kube-scheduler, in its order and its words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from preflight.model.core import Node, PodSpec, Taint, Toleration
from preflight.model.releases import Behavior
from preflight.model.uncertainty import Uncertainty, UncertaintyKind
from preflight.scheduling.affinity import AffinityMatch, match_affinity
from preflight.scheduling.occupancy import NodeOccupancy, NodeUsage
from preflight.scheduling.ports import HostPort, conflicts
from preflight.scheduling.scheduler_behavior import NEWEST_SCHEDULER, SchedulerBehavior
from preflight.scheduling.tolerations import find_toleration

NODE_AFFINITY = "NodeAffinity"
NODE_PORTS = "NodePorts"
NODE_RESOURCES = "NodeResourcesFit"
NODE_UNSCHEDULABLE = "NodeUnschedulable"
TAINT_TOLERATION = "TaintToleration"

_CORDON_TAINT = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
_CORE_RESOURCES = ("cpu", "memory", "ephemeral-storage")


class PodToSchedule(Struct, frozen=True):
    """A new pod, as the filters see it.

    1. `tolerations` are those that it has after admission.
    2. `requests` are as the scheduler counts them; None where one cannot be read.
    3. `named_nodes` are the nodes that every term of its required affinity names, None where a term names none: the scheduler then does not
       look at the other nodes.
    4. `priority` is None where it is not known. `behavior` is that of the scheduler's version.
    """

    spec: PodSpec
    tolerations: tuple[Toleration, ...]
    requests: Mapping[str, int] | None
    ports: frozenset[HostPort]
    named_nodes: frozenset[str] | None
    priority: int | None
    behavior: SchedulerBehavior = NEWEST_SCHEDULER


class Shortage(Struct, frozen=True):
    """A resource of which too little is left: what one pod asks for, what is used and what the node can allocate, as it is counted."""

    resource: str
    requested: int
    used: int
    allocatable: int


class FilterReason(Struct, frozen=True):
    """One reason why a node does not take a pod.

    1. `plugin` is the filter, `text` what the scheduler says (1.37; older ones name a taint: `node(s) had untolerated taint {key: value}`).
    2. `taints`, `affinity` and `shortage` are what stands behind it, all of it; empty and None for the other filters.
    3. `is_unresolvable`: it does not help if pods go from the node (the scheduler's "Preemption is not helpful for scheduling").
    """

    plugin: str
    text: str
    is_unresolvable: bool
    taints: tuple[Taint, ...] = ()
    affinity: AffinityMatch | None = None
    shortage: Shortage | None = None


class FilterResult(Struct, frozen=True):
    """What one filter says of one node: the reasons to refuse it, and what keeps that from being certain or complete."""

    reasons: tuple[FilterReason, ...] = ()
    uncertainties: tuple[Uncertainty, ...] = ()


def run_node_filters(pod: PodToSchedule, node: Node, comparison_operators: bool | None) -> Iterator[FilterResult]:
    """What the filters say that look at the node alone, in the order of the scheduler.

    1. Where every term of the required affinity names nodes, the others are not looked at; where the names exclude one another, none is.
    2. A cordoned node takes only pods that tolerate the taint that a cordon brings.
    3. A NoSchedule or NoExecute taint that is not tolerated. PreferNoSchedule keeps nothing away.
    4. nodeSelector and required node affinity.

    Whether a node is Ready is not looked at, only the taints that follow it. A node that is only partly known may have more taints.

    Source: `pkg/scheduler/apis/config/v1/default_plugins.go` for the order; `pkg/scheduler/framework/plugins/` nodeunschedulable,
    tainttoleration and nodeaffinity.
    """
    if pod.named_nodes is not None:
        if node.is_partial and node.name.startswith("("):
            yield FilterResult(uncertainties=(Uncertainty(UncertaintyKind.LABELS, "metadata.name"),))
        elif node.name not in pod.named_nodes:
            text = f"node(s) didn't satisfy plugin(s) [{NODE_AFFINITY}]" if pod.named_nodes else "pod affinity terms conflict"
            yield FilterResult((FilterReason(NODE_AFFINITY, text, is_unresolvable=True),))
    if node.is_partial:
        yield FilterResult(uncertainties=(Uncertainty(UncertaintyKind.NODE),))
    if node.spec.unschedulable and not find_toleration(pod.tolerations, _CORDON_TAINT, comparison_operators)[0]:
        yield FilterResult((FilterReason(NODE_UNSCHEDULABLE, "node(s) were unschedulable", is_unresolvable=True),))
    yield _filter_taints(pod, node, comparison_operators)
    match = match_affinity(pod.spec, node)
    if match.matches is False:
        yield FilterResult(
            (FilterReason(NODE_AFFINITY, "node(s) didn't match Pod's node affinity/selector", is_unresolvable=True, affinity=match),)
        )
    elif match.matches is None:
        yield FilterResult(uncertainties=tuple(Uncertainty(UncertaintyKind.LABELS, key) for key in match.unknown_labels))


def _filter_taints(pod: PodToSchedule, node: Node, comparison_operators: bool | None) -> FilterResult:
    untolerated: list[Taint] = []
    unsure: list[Taint] = []
    for taint in node.spec.taints:
        if taint.effect in ("NoSchedule", "NoExecute"):
            toleration, certain = find_toleration(pod.tolerations, taint, comparison_operators)
            if toleration is None:
                (untolerated if certain else unsure).append(taint)
    if untolerated:
        return FilterResult(
            (FilterReason(TAINT_TOLERATION, "node(s) had untolerated taint(s)", is_unresolvable=True, taints=tuple(untolerated)),)
        )
    return FilterResult(uncertainties=tuple(Uncertainty(UncertaintyKind.COMPARISON, str(taint)) for taint in unsure))


def run_usage_filters(
    pod: PodToSchedule,
    node_occupancy: NodeOccupancy,
    usage: NodeUsage,
    copies: int,
    claimed_resources: frozenset[str],
    uncertainties: tuple[Uncertainty, ...],
) -> Iterator[FilterResult]:
    """What the filters say that look at what is left of a node, once `usage` and some copies of the pod are there.

    1. A port of the node that the pod takes, and another pod, or a copy, has already. Older schedulers do not see the ports of sidecars.
    2. One more pod than the node may have, and every resource of which less is left than the pod asks for: all of them, not the first. A
       resource of which it asks for 0 keeps it from no node, however overcommitted; but an older scheduler refuses a node with
       overcommitted cpu, memory or ephemeral storage to a pod that asks for any resource.
    3. A resource in `claimed_resources` may be had through a DeviceClass where the node itself has none.
    4. `uncertainties` are why more may be held than `usage` says.

    Source: `pkg/scheduler/framework/plugins/` nodeports and noderesources/fit.go, fitsRequest.
    """
    is_refused = conflicts(pod.ports, usage.ports, has_copies=copies > 0, counts_sidecars=pod.behavior.counts_sidecar_ports)
    if is_refused is None:
        yield FilterResult(uncertainties=(Uncertainty(UncertaintyKind.VERSION, Behavior.SIDECAR_PORTS),))
    if is_refused:
        yield FilterResult((FilterReason(NODE_PORTS, "node(s) didn't have free ports for the requested pod ports", is_unresolvable=False),))
    if uncertainties or usage.uncertainties:
        yield FilterResult(uncertainties=(*uncertainties, *usage.uncertainties))
    yield _filter_resources(pod, node_occupancy, usage, copies, claimed_resources)


def _filter_resources(
    pod: PodToSchedule, node_occupancy: NodeOccupancy, usage: NodeUsage, copies: int, claimed_resources: frozenset[str]
) -> FilterResult:
    if node_occupancy.allocatable is None:
        return FilterResult(uncertainties=(Uncertainty(UncertaintyKind.ALLOCATABLE),))
    reasons = []
    doubts = []
    if "pods" in node_occupancy.unreadable_resources:
        doubts.append(Uncertainty(UncertaintyKind.QUANTITY, "pods"))
    elif usage.pod_count + copies + 1 > (allowed := node_occupancy.allocatable.get("pods", 0)):
        reasons.append(
            FilterReason(
                NODE_RESOURCES, "Too many pods", is_unresolvable=False, shortage=Shortage("pods", 1, usage.pod_count + copies, allowed)
            )
        )
    if pod.requests is None:
        return FilterResult(tuple(reasons), (*doubts, Uncertainty(UncertaintyKind.QUANTITY)))
    if pod.behavior.skips_zero_requests is not True:
        for name in _find_overcommitted(pod.requests, node_occupancy, usage):
            if pod.behavior.skips_zero_requests is None:
                doubts.append(Uncertainty(UncertaintyKind.VERSION, Behavior.SKIPS_ZERO_REQUESTS))
            else:
                shortage = Shortage(name, 0, usage.amounts.get(name, 0), node_occupancy.allocatable.get(name, 0))
                reasons.append(FilterReason(NODE_RESOURCES, f"Insufficient {name}", is_unresolvable=False, shortage=shortage))
    for name in sorted(pod.requests, key=_rank_resource):
        amount = pod.requests[name]
        if not amount:
            continue
        if name in node_occupancy.unreadable_resources:
            doubts.append(Uncertainty(UncertaintyKind.QUANTITY, name))
            continue
        allocatable = node_occupancy.allocatable.get(name, 0)
        used = usage.amounts.get(name, 0) + copies * amount
        if may_be_claimed(name, node_occupancy, claimed_resources):
            doubts.append(Uncertainty(UncertaintyKind.CLAIMS, name))
        elif amount > allocatable - used:
            shortage = Shortage(name, amount, used, allocatable)
            reasons.append(FilterReason(NODE_RESOURCES, f"Insufficient {name}", is_unresolvable=amount > allocatable, shortage=shortage))
    return FilterResult(tuple(reasons), tuple(doubts))


def _find_overcommitted(requests: Mapping[str, int], node_occupancy: NodeOccupancy, usage: NodeUsage) -> list[str]:
    """The core resources of which a pod asks for nothing and more is taken than there is; none for a pod that asks for no resource at all.

    Source: `pkg/scheduler/framework/plugins/noderesources/fit.go`, fitsRequest (1.27).
    """
    allocatable = node_occupancy.allocatable or {}
    if not any(amount or name not in _CORE_RESOURCES for name, amount in requests.items()):
        return []
    return [name for name in _CORE_RESOURCES if not requests.get(name) and usage.amounts.get(name, 0) > allocatable.get(name, 0)]


def may_be_claimed(resource: str, node_occupancy: NodeOccupancy, claimed_resources: frozenset[str]) -> bool:
    """Whether a resource may come from a device claim and not from the node's own number.

    Source: `pkg/scheduler/framework/plugins/noderesources/fit.go`, shouldDelegateResourceToDRA.
    """
    if resource in ("cpu", "memory", "ephemeral-storage") or (
        node_occupancy.allocatable and node_occupancy.allocatable.get(resource, 0) > 0
    ):
        return False
    return resource in claimed_resources or resource.startswith("deviceclass.resource.kubernetes.io/")


def _rank_resource(resource: str) -> tuple[int, str]:
    return (_CORE_RESOURCES.index(resource) if resource in _CORE_RESOURCES else len(_CORE_RESOURCES)), resource
