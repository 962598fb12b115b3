"""Which nodes take a pod now, how many copies of it, and why the others do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from preflight.model.core import PodSpec
from preflight.model.pod_scheduling import SchedulerPodSpec
from preflight.model.releases import Behavior
from preflight.model.uncertainty import Uncertainty, UncertaintyKind
from preflight.scheduling.anti_affinity import find_anti_affinities
from preflight.scheduling.filters import PodToSchedule
from preflight.scheduling.node_fit import FitConditions, NodeFit, fit_node
from preflight.scheduling.occupancy import Occupancy
from preflight.scheduling.ports import list_host_ports
from preflight.scheduling.quantities import QuantityError
from preflight.scheduling.requests import sum_pod_requests
from preflight.scheduling.scheduler_behavior import NEWEST_SCHEDULER, SchedulerBehavior
from preflight.scheduling.tolerations import add_default_tolerations
from preflight.scheduling.uncertainty import iter_pod_uncertainties
from preflight.scheduling.volumes import BoundVolume

_SYSTEM_PRIORITIES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


class FitResult(Struct, frozen=True):
    """Where a pod fits now.

    1. `nodes` in order of their names, `uncertainties` what is not judged of the pod or known of the cluster.
    2. `has_conflict`: the terms of the required affinity name nodes that exclude one another, so that no node is looked at.
    """

    nodes: tuple[NodeFit, ...]
    uncertainties: tuple[Uncertainty, ...] = ()
    has_conflict: bool = False

    @property
    def fits(self) -> bool | None:
        """Whether some node takes the pod: None where it is in doubt, or pods of lower priority may have to go for it."""
        if any(node.fits for node in self.nodes):
            return True
        in_doubt = any(node.fits is None or node.may_preempt is not False for node in self.nodes)
        return None if in_doubt or Uncertainty(UncertaintyKind.NODES) in self.uncertainties else False

    @property
    def fitting_nodes(self) -> tuple[str, ...]:
        """The nodes that take it for certain."""
        return tuple(node.node for node in self.nodes if node.fits)

    @property
    def copies(self) -> int:
        """How many copies fit for certain: see `fit_pod`."""
        return sum(node.copies for node in self.nodes)

    @property
    def max_copies(self) -> int | None:
        """How many copies fit where all in doubt turns out well: `copies` where nothing is in doubt, None where nothing bounds it."""
        counts = [node.max_copies for node in self.nodes]
        if None in counts or Uncertainty(UncertaintyKind.NODES) in self.uncertainties:
            return None
        return sum(count for count in counts if count is not None)

    def count_reasons(self, *, when_full: bool = False) -> Mapping[str, int] | None:
        """How many nodes the scheduler counts under each reason, now or once all `copies` are bound.

        A node may count under several, where one filter found several. None where it is not certain what it says of some node.
        """
        counts: Counter[str] = Counter()
        for node in self.nodes:
            reasons = node.full_reasons if when_full else node.stated_reasons
            if reasons is None:
                return None
            counts.update(reason.text for reason in reasons)
        return counts

    def format_message(self, *, when_full: bool = False) -> str | None:
        """What the scheduler says of a pod that no node takes, or of one more once all `copies` are bound.

        Its sentence on preemption is left out. None as for `count_reasons`, and where a node takes the pod.

        Source: `pkg/scheduler/framework/types.go`, FitError.Error.
        """
        counts = self.count_reasons(when_full=when_full)
        if counts is None or (self.fitting_nodes and not when_full):
            return None
        if not self.nodes:
            return "no nodes available to schedule pods"
        said = list(counts) if self.has_conflict else sorted(f"{count} {text}" for text, count in counts.items())
        return f"0/{len(self.nodes)} nodes are available: {', '.join(said)}."


def fit_pod(
    spec: PodSpec,
    occupancy: Occupancy,
    *,
    labels: Mapping[str, str] | None = None,
    namespace: str = "",
    is_admitted: bool = False,
    comparison_operators: bool | None = None,
    behavior: SchedulerBehavior = NEWEST_SCHEDULER,
    claimed_resources: frozenset[str] = frozenset(),
    volumes: tuple[BoundVolume, ...] = (),
) -> FitResult:
    """Which nodes take a new pod now, how many copies, and why not.

    1. The pod may be one as it is sent, or as the API server keeps it: defaults are filled in here, the two tolerations of 300 s included.
       `is_admitted` says that its RuntimeClass has added what it adds. `nodeName` is not looked at: a pod that has it asks no scheduler.
    2. The pod asks nobody to go: whether pods of lower priority could be evicted for it is in `preempts`, and not in the copies.
    3. `copies` is a sum over the nodes. All copies are equal, so each takes the same of whatever node it gets; and every filter here looks
       at the pod and at one node with what is on it. So a node takes the same number of copies however they come, none of them changes
       what another node takes, and a copy stays Pending only once every node is full. Which node each gets is for the scores, and chance.
    4. On one node that number is the smallest of: what is left of the pods that it may have; for each resource that the pod asks for, what
       is left of it divided by what one copy asks for, rounded down; and 1 where the pod takes a port of the node.
    5. `labels` and `namespace` are those of the pod, None and "" where not known: other pods may want no such pod near them.
    6. `claimed_resources` are resources that a DeviceClass provides. `comparison_operators` is the gate of Lt and Gt, None where not known.
       `behavior` is that of the scheduler's version.
    7. `volumes` are the volumes of the pod whose claims are bound, and what they are bound to: see `volumes.filter_volumes`. Any other
       volume with a claim leaves every node in doubt.

    Not looked at: other pods that wait, quota, extenders, features that a node must declare, how many volumes a node may have.

    Source: `pkg/scheduler/schedule_one.go`, findNodesThatFitPod.
    """
    wanted = make_pod_to_schedule(spec, behavior)
    doubts = [uncertainty for uncertainty in occupancy.uncertainties if uncertainty != Uncertainty(UncertaintyKind.NODES)]
    unlisted = tuple(doubt for doubt in doubts if doubt == Uncertainty(UncertaintyKind.PODS))
    decided = {Uncertainty(UncertaintyKind.VOLUMES, volume.name) for volume in volumes}
    doubts += (doubt for doubt in iter_pod_uncertainties(spec, is_admitted) if doubt not in decided)
    if behavior.skips_empty_name_terms is None and wanted.named_nodes != _list_named_nodes(spec, refuses_empty_terms=True):
        doubts.append(Uncertainty(UncertaintyKind.VERSION, Behavior.SKIPS_EMPTY_NAME_TERMS))
    if wanted.requests is None:
        doubts.append(Uncertainty(UncertaintyKind.QUANTITY))
    terms = FitConditions(
        comparison_operators,
        claimed_resources,
        tuple(doubts),
        unlisted,
        are_refusals_certain=all(doubt.kind != UncertaintyKind.SCHEDULER for doubt in doubts),
        can_preempt=not (isinstance(spec, SchedulerPodSpec) and spec.preemptionPolicy == "Never"),
        anti_affinities=find_anti_affinities(occupancy, labels, namespace),
        are_tolerations_complete=all(doubt.kind != UncertaintyKind.ADMISSION for doubt in doubts),
        volumes=volumes,
    )
    nodes = tuple(fit_node(wanted, room, occupancy, terms) for room in occupancy.nodes.values())
    if Uncertainty(UncertaintyKind.NODES) in occupancy.uncertainties:
        doubts.append(Uncertainty(UncertaintyKind.NODES))
    if any(node.may_preempt for node in nodes):
        doubts.append(Uncertainty(UncertaintyKind.PREEMPTION))
    return FitResult(nodes, tuple(doubts), has_conflict=wanted.named_nodes == frozenset())


def make_pod_to_schedule(spec: PodSpec, behavior: SchedulerBehavior = NEWEST_SCHEDULER) -> PodToSchedule:
    """A new pod as the filters of a scheduler see it: defaults are filled in."""
    try:
        requests = sum_pod_requests(spec)
    except QuantityError:
        requests = None
    tolerations = add_default_tolerations(spec.tolerations)
    named = _list_named_nodes(spec, refuses_empty_terms=behavior.skips_empty_name_terms is False)
    return PodToSchedule(spec, tolerations, requests, list_host_ports(spec), named, find_pod_priority(spec), behavior)


def find_pod_priority(spec: PodSpec) -> int | None:
    """The priority of a pod: 0 where it names no class, None where the value of its class is not known."""
    if spec.priority is not None:
        return spec.priority
    return _SYSTEM_PRIORITIES.get(spec.priorityClassName) if spec.priorityClassName else 0


def _list_named_nodes(spec: PodSpec, *, refuses_empty_terms: bool) -> frozenset[str] | None:
    """The nodes that the terms of the required affinity name; None where a term names none, and where there is no term.

    `refuses_empty_terms`: an older scheduler looks at no node once the names of one term exclude one another.

    Source: `pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go`, PreFilter.
    """
    affinity = spec.affinity.nodeAffinity if spec.affinity else None
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity else None
    if not required or not required.nodeSelectorTerms:
        return None
    named: set[str] = set()
    for term in required.nodeSelectorTerms:
        wanted = [
            frozenset(match_field.values)
            for match_field in term.matchFields
            if (match_field.key, match_field.operator) == ("metadata.name", "In")
        ]
        if not wanted:
            return None
        nodes = frozenset.intersection(*wanted)
        if refuses_empty_terms and not nodes:
            return nodes
        named |= nodes
    return frozenset(named)
