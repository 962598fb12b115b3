"""Cohorts: the nodes of one class that also have the same pods of a DaemonSet, and to whose pods a change does the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from preflight.coverage.daemonset_pods import DaemonSetPods, PodGroup
from preflight.coverage.node_classes import NodeClass, split_nodes
from preflight.model.fit_reasons import FitDoubt, FitVerdict, PodFit, StaysPending, drop_node_facts
from preflight.model.reasons import PartialLoss, UpdateUncertainty
from preflight.scheduling.placement import Placement
from preflight.scheduling.update_strategy import UpdateEffect


class PodPresence(Enum):
    """What is known of a DaemonSet's pod on a node.

    1. KNOWN: a live pod is there, as a list showed or an earlier step left it.
    2. ASSUMED: nothing is known, and a pod is assumed where the DaemonSet should run.
    3. IN_TRANSIT: no live pod is there, one is on its way out or in, and the controller would create the next.
    4. UNSCHEDULABLE: the same of one that the scheduler has found no room for. WAITING: and the change leaves room that it may find.
    5. NONE: no pod is there.
    """

    KNOWN = "known"
    ASSUMED = "assumed"
    IN_TRANSIT = "in-transit"
    UNSCHEDULABLE = "unschedulable"
    WAITING = "waiting"
    NONE = "none"


class NodeEvents(NamedTuple):
    """What a change does to the pods of one DaemonSet by node: it ends them, and it reboots, drains or replaces the node.

    `hanging` are the nodes where a pod that it ends stays in Terminating, for the kubelet is silent.
    """

    ended: frozenset[str]
    disrupted: frozenset[str]
    hanging: frozenset[str] = frozenset()


class PlacementPair(NamedTuple):
    """The placements before and after a change; None where the DaemonSet or the node is not there."""

    before: Placement | None
    after: Placement | None


class NodeCohort(Struct, frozen=True):
    """Nodes that one DaemonSet cannot tell apart, with the same pods and the same events.

    1. `node_class` is the class that they are cut from, with its `placements`. `pod_group` are the pods where their presence is KNOWN.
    2. `is_pod_ended` and `possible_updates` are what the change does to the pod; `is_disrupted`: it reboots, drains or replaces the node.
    3. `fit` is why a new pod stays Pending there, or may; None where it is bound, as far as anybody knows. `partial_loss`: the update takes
       only some of the pods whose successors stay Pending, `lost_count` of these nodes.
    4. `possible_updates` has more than one answer where it is not certain what the update does; `update_uncertainty` says why.
    """

    node_class: NodeClass
    placements: PlacementPair
    nodes: frozenset[str]
    presence: PodPresence
    pod_group: PodGroup | None
    is_pod_ended: bool = False
    is_disrupted: bool = False
    possible_updates: tuple[UpdateEffect | None, ...] = (None,)
    update_uncertainty: UpdateUncertainty | None = None
    fit: StaysPending | FitDoubt | None = None
    partial_loss: PartialLoss | None = None
    lost_count: int = 0

    @property
    def has_old_pod(self) -> bool:
        """Whether its pods are known to be of an older template than their DaemonSet's."""
        return self.pod_group is not None and self.pod_group.is_old

    @property
    def may_have_updated_pod(self) -> bool:
        """Whether its old pods may be of their DaemonSet's own template."""
        return self.pod_group is not None and self.pod_group.is_old and self.pod_group.may_be_updated

    @property
    def may_have_pending_pod(self) -> bool:
        """Whether its pods may be bound or wait for room, which an earlier step left open."""
        return self.pod_group is not None and self.pod_group.may_be_pending

    @property
    def has_listed_pod(self) -> bool:
        """Whether its pods were listed and are the same since."""
        return self.pod_group is not None and self.pod_group.is_listed


class _NodesByPod(NamedTuple):
    """Nodes with the same presence of a pod."""

    nodes: frozenset[str]
    presence: PodPresence
    pod_group: PodGroup | None = None


def iter_cohorts(
    node_class: NodeClass, placements: PlacementPair, pods: DaemonSetPods, unlisted: PodPresence, events: NodeEvents
) -> Iterator[NodeCohort]:
    """A class of nodes cut by the pods that are there, then by what the change does to them; a cohort without a node is left out.

    `unlisted` is the presence on nodes of which it is not settled whether a pod is there.
    """
    for part in _split_by_pods(node_class.nodes, pods, unlisted):
        for is_pod_ended, ending in split_nodes(part.nodes, events.ended):
            for is_disrupted, disrupted in split_nodes(ending, events.disrupted):
                for is_hanging, nodes in split_nodes(disrupted, events.hanging):
                    updates = (UpdateEffect.HANG,) if is_hanging else (None,)
                    yield NodeCohort(node_class, placements, nodes, part.presence, part.pod_group, is_pod_ended, is_disrupted, updates)


def _split_by_pods(nodes: frozenset[str], pods: DaemonSetPods, unlisted: PodPresence) -> Iterator[_NodesByPod]:
    """Nodes cut by their pods: each group, then those where one is in transit, those without one, and those of which nothing is known."""
    rest = nodes
    for group in pods.groups:
        there = rest if rest <= group.nodes else rest & group.nodes
        yield _NodesByPod(there, PodPresence.KNOWN, group)
        rest = frozenset() if there is rest else rest - group.nodes
    settled = rest if rest <= pods.decided_nodes else rest & pods.decided_nodes
    for is_moving, part in split_nodes(settled, pods.nodes_in_transit):
        for is_waiting, there in split_nodes(part, pods.waiting_nodes if is_moving else frozenset()):
            moving = PodPresence.UNSCHEDULABLE if is_waiting else PodPresence.IN_TRANSIT
            yield _NodesByPod(there, moving if is_moving else PodPresence.NONE)
    yield _NodesByPod(rest - pods.decided_nodes, unlisted)


def split_by_fit(cohort: NodeCohort, fits: Mapping[str, PodFit]) -> Iterator[NodeCohort]:
    """A cohort cut by whether new pods, and those that wait, are bound to its nodes, where the DaemonSet should run."""
    after = cohort.placements.after
    if after is None or not after.should_run or fits.keys().isdisjoint(cohort.nodes):
        yield cohort
        return
    nodes_by_fit: defaultdict[tuple[PodPresence, StaysPending | FitDoubt | None], set[str]] = defaultdict(set)
    for name in cohort.nodes:
        found = fits.get(name)
        presence = PodPresence.WAITING if found is not None and found.finds_room else cohort.presence
        nodes_by_fit[presence, _summarize_fit(found)].add(name)
    for (presence, fit), nodes in nodes_by_fit.items():
        yield replace(cohort, nodes=frozenset(nodes), presence=presence, fit=fit)


def _summarize_fit(fit: PodFit | None) -> StaysPending | FitDoubt | None:
    """What a fit comes to, without what differs from node to node."""
    if fit is not None and fit.verdict is FitVerdict.UNFIT:
        return StaysPending(tuple(dict.fromkeys(map(drop_node_facts, fit.obstacles))))
    if fit is not None and fit.verdict is FitVerdict.DOUBTFUL:
        return FitDoubt(fit.rivals, fit.uncertainties, fit.preemptors)
    return None
