"""Which nodes lack which DaemonSet today, and why: by the pods that exist, never by a counter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from preflight.change.node_lifecycle import is_controller_owned
from preflight.components import Component
from preflight.coverage.model import CoverageGroup, Impact
from preflight.coverage.node_targeting import targets_nodes
from preflight.coverage.reasons import list_outcome_reasons
from preflight.dependents.remaining_providers import RemainingProviders
from preflight.doctor.belonging import BelongingEvidence, are_doubtful, list_signs
from preflight.doctor.coverage_gaps import CoverageGap, CoverageReason, GapKind, merge_gaps
from preflight.doctor.csi_mounts import MissingDriver
from preflight.doctor.daemonset_health import DaemonSetPodHealth, PodHealthByDaemonSet
from preflight.doctor.demand import DemandIndex
from preflight.doctor.index import ClusterIndex
from preflight.doctor.platforms import find_wrong_platform
from preflight.doctor.pod_health import CrashLoop, PodReason, PodTrouble, UnhealthyPod
from preflight.doctor.providers import ProviderIndex
from preflight.doctor.refused_gaps import find_refused_gaps, is_recent, make_refused_gap
from preflight.doctor.selection_gaps import find_selection_gaps
from preflight.model.apps import DaemonSet
from preflight.model.report import Outcome
from preflight.scheduling.node_health import is_virtual

_GAP_KINDS = {
    PodTrouble.PENDING: GapKind.PENDING,
    PodTrouble.WAITING: GapKind.WAITING,
    PodTrouble.NOT_STARTED: GapKind.WAITING,
    PodTrouble.INITIALIZING: GapKind.WAITING,
    PodTrouble.CRASHING: GapKind.CRASHING,
    PodTrouble.FAILED: GapKind.CRASHING,
    PodTrouble.NOT_READY: GapKind.NOT_READY,
    PodTrouble.TERMINATING: GapKind.TERMINATING,
}


class _Finder:
    """The facts that the search for gaps needs."""

    def __init__(
        self,
        index: ClusterIndex,
        impact: Impact,
        providers: ProviderIndex,
        pod_health: PodHealthByDaemonSet,
        missing_drivers: tuple[MissingDriver, ...],
        demand: DemandIndex,
    ) -> None:
        self.index, self.impact, self.providers, self.pod_health = index, impact, providers, pod_health
        self.missing_drivers, self.demand = missing_drivers, demand

    @cached_property
    def evidence(self) -> BelongingEvidence:
        """What the signs that a DaemonSet belongs on a node are read from."""
        return BelongingEvidence(self.index, self.impact, self.providers, self.pod_health, self.missing_drivers, self.demand)

    def is_judged(self, daemonset: DaemonSet, node: str) -> bool:
        """Whether a node is Ready, or is not for want of its network, and the DaemonSet is one."""
        if node in self.index.nodes_without_network:
            return self.providers.is_pod_network(daemonset)
        return node not in self.index.not_ready_nodes

    @cached_property
    def remaining_providers(self) -> RemainingProviders:
        """What other DaemonSets provide."""
        return RemainingProviders(self.impact)

    def iter_absent_gaps(self, group: CoverageGroup) -> Iterator[CoverageGap]:
        """The gaps of nodes without a pod, and of those where pods are deleted again and again."""
        index, daemonset = self.index, group.daemonset
        health = self.pod_health.get((group.key.namespace, group.key.name))
        moving = health.nodes_in_transit if health else frozenset()
        absent = {name for name in group.nodes if name not in moving and not is_virtual(index.cluster.nodes[name])}
        nodes = {name for name in absent if self.is_judged(daemonset, name) and not index.is_new_node(name)}
        refusals = index.events.get_events("DaemonSet", group.key.namespace, group.key.name, "FailedCreate")
        if group.outcome is Outcome.MISSING and refusals and is_recent(index, refusals[0]):
            nodes = absent
        if not nodes:
            return
        component = self.providers.get_worst_component(daemonset)
        names = tuple(sorted(nodes))
        if group.outcome is Outcome.LOOP:
            yield CoverageGap(daemonset, GapKind.LOOP, names, CoverageReason(list_outcome_reasons(group)), component=component)
        elif group.outcome is Outcome.MISSING:
            if refusals:
                yield make_refused_gap(daemonset, names, refusals[0], component)
            else:
                yield CoverageGap(daemonset, GapKind.MISSING, names, component=component)
        else:
            yield from self._iter_kept_out_gaps(group, nodes, component)

    def _iter_kept_out_gaps(self, group: CoverageGroup, nodes: set[str], component: Component | None) -> Iterator[CoverageGap]:
        index, daemonset = self.index, group.daemonset
        health = self.pod_health.get((group.key.namespace, group.key.name))
        taints = group.placement_after.untolerated_taints if group.placement_after else ()
        without_network = nodes & index.nodes_without_network
        if not taints or (all(is_controller_owned(taint) for taint in taints) and not without_network):
            return
        rest = nodes - index.nodes_being_removed
        if not targets_nodes(daemonset.spec.template.spec):
            rest = {name for name in rest if not _is_windows(index, name)}
        for provided in self.providers.recognize(daemonset):
            rest = rest - self.remaining_providers.find_other_nodes(group.key, provided, recreated=False)
        signs = list_signs(self.evidence, group, frozenset(rest))
        if rest and signs:
            yield CoverageGap(
                daemonset,
                GapKind.KEPT_OUT,
                tuple(sorted(rest)),
                CoverageReason(list_outcome_reasons(group)),
                signs=signs,
                taints=taints,
                component=component,
                is_doubtful=are_doubtful(signs, runs_elsewhere=bool(health and health.working_nodes)),
            )

    def iter_unhealthy_gaps(self, daemonset: DaemonSet, health: DaemonSetPodHealth) -> Iterator[CoverageGap]:
        """The gaps of pods that exist and do not work, one for each reason."""
        by_reason: defaultdict[tuple[GapKind, PodReason | None], list[tuple[str, UnhealthyPod]]] = defaultdict(list)
        for node, unhealthy_pods in health.unhealthy_pods.items():
            if not self.is_judged(daemonset, node) or node in self.index.removed_nodes:
                continue
            for unhealthy_pod in unhealthy_pods[:1]:
                if node not in health.working_nodes or unhealthy_pod.trouble in (PodTrouble.PENDING, PodTrouble.TERMINATING):
                    wrong = find_wrong_platform(self.index, daemonset, unhealthy_pod, health)
                    reason = wrong or _drop_restart_count(unhealthy_pod.reason)
                    by_reason[_GAP_KINDS[unhealthy_pod.trouble], reason].append((node, unhealthy_pod))
        for (kind, reason), places in by_reason.items():
            places.sort(key=lambda place: place[0])
            yield CoverageGap(
                daemonset,
                kind,
                tuple(node for node, _ in places if node),
                reason,
                pod_names=tuple(unhealthy_pod.pod.metadata.name for _, unhealthy_pod in places),
                since=min(unhealthy_pod.start_time for _, unhealthy_pod in places),
                component=self.providers.get_worst_component(daemonset),
                pending_pods=tuple(unhealthy_pod for _, unhealthy_pod in places if kind is GapKind.PENDING),
            )


def find_gaps(
    index: ClusterIndex,
    impact: Impact | None,
    providers: ProviderIndex,
    pod_health: PodHealthByDaemonSet,
    missing_drivers: tuple[MissingDriver, ...],
    demand: DemandIndex,
) -> tuple[CoverageGap, ...]:
    """Every gap, the worst components first.

    1. A node that is not Ready is left out: all its pods are as it is. Only where its kubelet says that the network is missing, the pod
       networks are judged there: they are why. A virtual node, where no DaemonSet has a pod, is left out, too.
    2. A DaemonSet that should run and has no pod, none on its way: what refused it, where an event of the DaemonSet says so. A refusal of
       the last minutes counts wherever a pod is missing or may be: see `find_refused_gaps`.
    3. One that a taint alone keeps out, where something says that it belongs there and nothing else provides the same: see `list_signs`.
       Not of nodes that an autoscaler is about to remove, nor of those of Windows where it names no nodes: its image is one for Linux.
    4. One that a selector alone keeps out: see `find_selection_gaps`.
    5. Pods that exist and do not work; of two on one node the one that works counts.
    """
    if impact is None:
        return tuple(merge_gaps(find_refused_gaps(index, None, providers, ())))
    found: list[CoverageGap] = []
    finder = _Finder(index, impact, providers, pod_health, missing_drivers, demand)
    for group in impact.groups:
        if group.outcome in (Outcome.MISSING, Outcome.NEVER, Outcome.LOOP) and index.cluster.are_pods_listed(
            group.key.namespace, group.key.name
        ):
            found += finder.iter_absent_gaps(group)
    for key, daemonset in index.cluster.daemonsets.items():
        health = pod_health.get((key.namespace, key.name))
        if health is not None and index.cluster.are_pods_listed(*key[:2]):
            found += finder.iter_unhealthy_gaps(daemonset, health)
    found += find_selection_gaps(finder.evidence)
    found += find_refused_gaps(index, impact, providers, found)
    return tuple(merge_gaps(found))


def _drop_restart_count(reason: PodReason | None) -> PodReason | None:
    """The reason without the number of restarts: pods that crash alike are one gap."""
    if not isinstance(reason, CrashLoop):
        return reason
    return CrashLoop(reason.container, None, reason.last_reason, reason.last_exit_code)


def _is_windows(index: ClusterIndex, name: str) -> bool:
    return index.cluster.nodes[name].metadata.labels.get("kubernetes.io/os") == "windows"
