"""Which nodes lack which DaemonSet today, and why: by the pods that exist, never by a counter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cached_property

from msgspec import Struct

from preflight.change.node_lifecycle import is_controller_owned
from preflight.components import Component
from preflight.coverage.model import CoverageGroup, Impact
from preflight.coverage.node_targeting import targets_nodes
from preflight.coverage.reasons import list_outcome_reasons
from preflight.dependents.remaining_providers import RemainingProviders
from preflight.doctor.belonging import BelongingSign, SignKind, list_signs
from preflight.doctor.cluster_messages import get_creation_error
from preflight.doctor.csi_mounts import MissingDriver
from preflight.doctor.daemonset_health import DaemonSetPodHealth, PodHealthByDaemonSet
from preflight.doctor.index import ClusterIndex
from preflight.doctor.platforms import find_wrong_platform
from preflight.doctor.pod_health import (
    CrashLoop,
    FailedContainer,
    NotStarted,
    PodReason,
    PodTrouble,
    RunningInitContainer,
    StartingPod,
    StatedReason,
    UnhealthyPod,
    WaitingContainer,
    WrongPlatform,
)
from preflight.doctor.providers import ProviderIndex
from preflight.model.apps import DaemonSet
from preflight.model.core import Taint
from preflight.model.meta import ObjectKey
from preflight.model.reasons import EvictionLoop, NearMiss, Reason, Untolerated
from preflight.model.report import Outcome
from preflight.scheduling.node_health import is_virtual


class GapKind(Enum):
    """How a DaemonSet is missing from a node."""

    MISSING = "missing"
    REFUSED = "refused"
    KEPT_OUT = "kept-out"
    LOOP = "loop"
    PENDING = "pending"
    WAITING = "waiting"
    CRASHING = "crashing"
    NOT_READY = "not-ready"
    TERMINATING = "terminating"


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


class CoverageReason(Struct, frozen=True):
    """Coverage itself keeps the pods away, for these reasons."""

    reasons: tuple[Reason, ...]


GapReason = PodReason | CoverageReason
GapKey = tuple[ObjectKey, GapKind, GapReason | None]


class CoverageGap(Struct, frozen=True):
    """One DaemonSet that does not work on some nodes, for one reason.

    1. `reason` is None where nothing states one; `signs` show that the DaemonSet belongs there, where that is a question.
    2. `component` is the component whose loss breaks most, None where the DaemonSet is not recognized. `pod_names` are the pods in
       question, in order of the nodes.
    3. `since` is when the oldest of them was created. `taints` are what keeps it out.
    4. `pending_pods` are the pods themselves that no scheduler has bound.
    5. `is_doubtful`: the DaemonSet may be left out there on purpose: it selects these nodes among others that it runs on.
    """

    daemonset: DaemonSet
    kind: GapKind
    nodes: tuple[str, ...]
    reason: GapReason | None = None
    pod_names: tuple[str, ...] = ()
    since: str = ""
    signs: tuple[BelongingSign, ...] = ()
    taints: tuple[Taint, ...] = ()
    component: Component | None = None
    pending_pods: tuple[UnhealthyPod, ...] = ()
    is_doubtful: bool = False

    @property
    def is_critical(self) -> bool:
        """Whether workloads break without it."""
        return self.component is not None and self.component.kind.critical

    @property
    def key(self) -> GapKey:
        """What tells it from the other gaps: equal gaps are merged."""
        return self.daemonset.key, self.kind, self.reason


class _Finder:
    """The facts that the search for gaps needs."""

    def __init__(
        self,
        index: ClusterIndex,
        impact: Impact,
        providers: ProviderIndex,
        pod_health: PodHealthByDaemonSet,
        missing_drivers: tuple[MissingDriver, ...],
    ) -> None:
        self.index, self.impact, self.providers, self.pod_health = index, impact, providers, pod_health
        self.missing_drivers = missing_drivers

    @cached_property
    def remaining_providers(self) -> RemainingProviders:
        """What other DaemonSets provide."""
        return RemainingProviders(self.impact)

    def iter_absent_gaps(self, group: CoverageGroup) -> Iterator[CoverageGap]:
        """The gaps of nodes without a pod, and of those where pods are deleted again and again."""
        index, daemonset = self.index, group.daemonset
        health = self.pod_health.get((group.key.namespace, group.key.name))
        moving = health.nodes_in_transit if health else frozenset()
        nodes = {
            name
            for name in group.nodes
            if not (name in index.not_ready_nodes or name in moving or index.is_new_node(name) or is_virtual(index.cluster.nodes[name]))
        }
        if not nodes:
            return
        component = self.providers.get_worst_component(daemonset)
        names = tuple(sorted(nodes))
        if group.outcome is Outcome.LOOP:
            yield CoverageGap(daemonset, GapKind.LOOP, names, CoverageReason(list_outcome_reasons(group)), component=component)
        elif group.outcome is Outcome.MISSING:
            refusals = index.events.get_events("DaemonSet", group.key.namespace, group.key.name, "FailedCreate")
            if refusals:
                refusal = get_creation_error(refusals[0].message)
                yield CoverageGap(
                    daemonset,
                    GapKind.REFUSED,
                    names,
                    StatedReason(refusal) if refusal else None,
                    since=refusals[0].last_seen,
                    component=component,
                )
            else:
                yield CoverageGap(daemonset, GapKind.MISSING, names, component=component)
        else:
            yield from self._iter_kept_out_gaps(group, nodes, component)

    def _iter_kept_out_gaps(self, group: CoverageGroup, nodes: set[str], component: Component | None) -> Iterator[CoverageGap]:
        index, daemonset = self.index, group.daemonset
        health = self.pod_health.get((group.key.namespace, group.key.name))
        taints = group.placement_after.untolerated_taints if group.placement_after else ()
        if not taints or all(is_controller_owned(taint) for taint in taints):
            return
        rest = nodes - index.nodes_being_removed
        if not targets_nodes(daemonset.spec.template.spec):
            rest = {name for name in rest if not _is_windows(index, name)}
        for provided in self.providers.recognize(daemonset):
            rest = rest - self.remaining_providers.find_other_nodes(group.key, provided, recreated=False)
        signs = list_signs(index, self.impact, self.providers, self.missing_drivers, group, frozenset(rest))
        if rest and signs:
            yield CoverageGap(
                daemonset,
                GapKind.KEPT_OUT,
                tuple(sorted(rest)),
                CoverageReason(list_outcome_reasons(group)),
                signs=signs,
                taints=taints,
                component=component,
                is_doubtful=[sign.kind for sign in signs] == [SignKind.SELECTS_NODES] and bool(health and health.working_nodes),
            )

    def iter_unhealthy_gaps(self, daemonset: DaemonSet, health: DaemonSetPodHealth) -> Iterator[CoverageGap]:
        """The gaps of pods that exist and do not work, one for each reason."""
        by_reason: defaultdict[tuple[GapKind, PodReason | None], list[tuple[str, UnhealthyPod]]] = defaultdict(list)
        for node, unhealthy_pods in health.unhealthy_pods.items():
            if node in self.index.not_ready_nodes or node in self.index.removed_nodes:
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
) -> tuple[CoverageGap, ...]:
    """Every gap, the worst components first.

    1. A node that is not Ready is left out: all its pods are as it is. So is a virtual one, where no DaemonSet has a pod.
    2. A DaemonSet that should run and has no pod, none on its way: what refused it, where an event of the DaemonSet says so.
    3. One that a taint alone keeps out, where something says that it belongs there and nothing else provides the same: see `list_signs`.
       Not of nodes that an autoscaler is about to remove, nor of those of Windows where it names no nodes: its image is one for Linux.
    4. Pods that exist and do not work; of two on one node the one that works counts.
    """
    if impact is None:
        return ()
    found: list[CoverageGap] = []
    finder = _Finder(index, impact, providers, pod_health, missing_drivers)
    for group in impact.groups:
        if group.outcome in (Outcome.MISSING, Outcome.NEVER, Outcome.LOOP) and index.cluster.are_pods_listed(
            group.key.namespace, group.key.name
        ):
            found += finder.iter_absent_gaps(group)
    for key, daemonset in index.cluster.daemonsets.items():
        health = pod_health.get((key.namespace, key.name))
        if health is not None and index.cluster.are_pods_listed(*key[:2]):
            found += finder.iter_unhealthy_gaps(daemonset, health)
    return tuple(sorted(_merge_gaps(found), key=_make_sort_key))


def _drop_restart_count(reason: PodReason | None) -> PodReason | None:
    """The reason without the number of restarts: pods that crash alike are one gap."""
    if not isinstance(reason, CrashLoop):
        return reason
    return CrashLoop(reason.container, None, reason.last_reason, reason.last_exit_code)


def _merge_gaps(gaps: Iterable[CoverageGap]) -> Iterator[CoverageGap]:
    """Gaps of one DaemonSet, kind and reason as one."""
    alike: dict[GapKey, list[CoverageGap]] = {}
    for gap in gaps:
        alike.setdefault(gap.key, []).append(gap)
    for same in alike.values():
        first = same[0]
        yield CoverageGap(
            first.daemonset,
            first.kind,
            tuple(sorted({name for gap in same for name in gap.nodes})),
            first.reason,
            tuple(name for gap in same for name in gap.pod_names),
            min((gap.since for gap in same if gap.since), default=""),
            tuple(dict.fromkeys(sign for gap in same for sign in gap.signs)),
            tuple(dict.fromkeys(taint for gap in same for taint in gap.taints)),
            first.component,
            tuple(pending_pod for gap in same for pending_pod in gap.pending_pods),
            all(gap.is_doubtful for gap in same),
        )


def _make_sort_key(gap: CoverageGap) -> tuple[int, int, str, str, tuple[str, ...]]:
    rank = gap.component.kind.rank if gap.component else 99
    return rank, -len(gap.nodes), str(gap.daemonset.key), gap.kind.value, _make_reason_sort_key(gap.reason)


def _make_reason_sort_key(reason: GapReason | None) -> tuple[str, ...]:
    match reason:
        case None:
            return ()
        case StatedReason(text) | StartingPod(text):
            return ("0", text)
        case WaitingContainer(container, stated, message):
            return ("1", container, "", stated, message)
        case WrongPlatform(container, stated, platform):
            return ("1", container, "", stated, platform)
        case CrashLoop(container, _, last_reason, exit_code):
            return ("1", container, "crashes", last_reason, "" if exit_code is None else str(exit_code))
        case FailedContainer(container, code, restarts):
            return ("1", container, "ended", str(code), str(restarts))
        case RunningInitContainer(container):
            return ("2", container)
        case NotStarted():
            return ("3",)
        case CoverageReason(reasons):
            return ("0", *(text for reason in reasons for text in _iter_sort_texts(reason)))


def _iter_sort_texts(reason: Reason) -> Iterator[str]:
    match reason:
        case Untolerated(taints) | EvictionLoop(taints):
            yield from map(str, taints)
        case NearMiss():
            yield f"~{reason.taint}"


def _is_windows(index: ClusterIndex, name: str) -> bool:
    return index.cluster.nodes[name].metadata.labels.get("kubernetes.io/os") == "windows"
