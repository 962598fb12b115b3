"""What the pods without a node really wait for: each under one cause, and alike ones together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from functools import cached_property

from msgspec import Struct

from preflight.coverage.node_targeting import get_target_node
from preflight.doctor.cluster_messages import parse_node_count
from preflight.doctor.demand import DemandIndex
from preflight.doctor.index import ClusterIndex
from preflight.doctor.owners import get_owner
from preflight.doctor.pending.known_bugs import BugMatch, SchedulerRefusal, find_known_bug, list_possible_bugs
from preflight.doctor.pending.schedulers import (
    DEFAULT_SCHEDULER,
    SchedulingHold,
    find_hold,
    find_scheduler_message,
    find_silent_schedulers,
    get_scheduler,
    is_overdue,
    may_be_silent,
)
from preflight.doctor.pending.unschedulable import PodFits, SchedulerAccount
from preflight.model.report import Subject
from preflight.model.runtime_state import PodState
from preflight.model.uncertainty import UncertaintyKind


class WaitCause(Enum):
    """What a pod waits for.

    1. ON_HOLD: another scheduler, a group of pods or a quota holds it. NO_SCHEDULER: no scheduler has the name that it states.
    2. GATED: a scheduling gate, which somebody has to take away.
    3. SCHEDULER_DISAGREES: the scheduler says that no node takes it, and by our own account one does. KNOWN_BUG: and the version of the
       server has a fault that explains it.
    4. NO_NODE_FITS: no node takes it, as far as is known.
    """

    ON_HOLD = "on-hold"
    NO_SCHEDULER = "no-scheduler"
    GATED = "gated"
    SCHEDULER_DISAGREES = "scheduler-disagrees"
    KNOWN_BUG = "known-bug"
    NO_NODE_FITS = "no-node-fits"


class PodWait(Struct, frozen=True):
    """Why one pod waits.

    1. `scheduler_message` is the scheduler's, "" where it has said nothing; `pod_fit` is our own account, None where it does not matter.
    2. `hold`, `gates` and `bug_match` are there for the causes ON_HOLD, GATED and KNOWN_BUG alone. `possible_bugs` are those that may
       explain SCHEDULER_DISAGREES: the version of the server is unknown.
    """

    pod: PodState
    owner: Subject
    cause: WaitCause
    scheduler_message: str = ""
    hold: SchedulingHold | None = None
    pod_fit: SchedulerAccount | None = None
    bug_match: BugMatch | None = None
    gates: tuple[str, ...] = ()
    possible_bugs: tuple[BugMatch, ...] = ()

    @property
    def is_not_capacity(self) -> bool:
        """Whether it waits for something else than room on a node."""
        return self.cause not in (WaitCause.NO_NODE_FITS, WaitCause.GATED)

    @property
    def counted_nodes(self) -> int | None:
        """How many nodes the scheduler counts; None where it counts none."""
        return parse_node_count(self.scheduler_message)

    @property
    def node(self) -> str:
        """The node that it is for, as the pod of a DaemonSet; "" where it may get any."""
        return get_target_node(self.pod)


class WaitFinder:
    """Finds what pods without a node wait for."""

    def __init__(self, index: ClusterIndex, pod_fits: PodFits) -> None:
        """Of one cluster; nothing is worked out yet."""
        self._index, self._pod_fits = index, pod_fits

    @cached_property
    def _silent_schedulers(self) -> frozenset[str]:
        return find_silent_schedulers(self._index)

    def find(self, pod: PodState) -> PodWait:
        """What one pod waits for: the first cause that holds, in the order of `WaitCause`."""
        index, owner = self._index, get_owner(pod)
        message = find_scheduler_message(index, pod)
        if hold := find_hold(index, pod):
            return PodWait(pod, owner, WaitCause.ON_HOLD, message, hold=hold)
        if pod.spec.schedulingGates:
            return PodWait(pod, owner, WaitCause.GATED, gates=tuple(gate.name for gate in pod.spec.schedulingGates))
        if may_be_silent(index, pod) and get_scheduler(pod) in self._silent_schedulers:
            return PodWait(pod, owner, WaitCause.NO_SCHEDULER)
        account = self._pod_fits.explain(pod)
        takes_any = any(not index.is_new_node(name) for name in account.fitting_nodes) and not _has_claims(pod)
        if not (message and get_scheduler(pod) == DEFAULT_SCHEDULER and takes_any):
            bug_match = self._find_conditional_bug(pod, message, account)
            cause = WaitCause.NO_NODE_FITS if bug_match is None else WaitCause.KNOWN_BUG
            return PodWait(pod, owner, cause, message, pod_fit=account, bug_match=bug_match)
        refusal = SchedulerRefusal(message, get_target_node(pod), account.fitting_nodes)
        bug_match = find_known_bug(index, refusal)
        if bug_match is not None:
            return PodWait(pod, owner, WaitCause.KNOWN_BUG, message, pod_fit=account, bug_match=bug_match)
        possible_bugs = list_possible_bugs(index, refusal)
        return PodWait(pod, owner, WaitCause.SCHEDULER_DISAGREES, message, pod_fit=account, possible_bugs=possible_bugs)

    def _find_conditional_bug(self, pod: PodState, message: str, account: SchedulerAccount) -> BugMatch | None:
        """The known bug that explains why the pod of a DaemonSet waits, if its node has room: of which not all pods are known."""
        node = get_target_node(pod)
        own = next((node_class for node_class in account.classes if node in node_class.nodes), None)
        is_in_doubt = own is not None and own.can_take is None and set(own.doubts) == {UncertaintyKind.PODS}
        if not (message and get_scheduler(pod) == DEFAULT_SCHEDULER and is_in_doubt) or _has_claims(pod):
            return None
        return find_known_bug(self._index, SchedulerRefusal(message, node, (node,), is_conditional=True))


def _has_claims(pod: PodState) -> bool:
    """Whether a pod has claims: how many volumes a node may have is not judged, so that the scheduler may be right."""
    return any(volume.persistentVolumeClaim is not None for volume in pod.spec.volumes)


def find_waits(index: ClusterIndex, wait_finder: WaitFinder, demand: DemandIndex) -> tuple[PodWait, ...]:
    """What every pod waits for that has waited for more than a moment; those of DaemonSets first.

    One that is nominated to a node waits for pods that end there already, and is left out; but not where it has a claim that is not bound:
    from Kubernetes 1.35 on the scheduler nominates a node while it waits for the volume, too.
    """
    pods = [
        pod
        for pod in index.waiting_pods
        if is_overdue(index, pod) and (not pod.status.nominatedNodeName or demand.find_unbound_drivers(pod))
    ]
    return tuple(sorted(map(wait_finder.find, pods), key=lambda wait: (wait.owner.kind != "DaemonSet", wait.pod.key)))


class WaitGroup(Struct, frozen=True):
    """Pods that wait for the same, of one workload or of several; `first_wait` tells of all of them, `pods` in order of their names."""

    first_wait: PodWait
    pods: tuple[PodState, ...]
    owners: tuple[tuple[Subject, int], ...]

    @property
    def since(self) -> str:
        """When the oldest of them was created."""
        return min(pod.metadata.creationTimestamp for pod in self.pods)

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes that they are for, where they are for one each."""
        return tuple(sorted({node for pod in self.pods if (node := get_target_node(pod))}))


def group_waits(waits: Iterable[PodWait], *causes: WaitCause) -> tuple[WaitGroup, ...]:
    """The pods that wait for some causes, alike ones together: of one DaemonSet or with the same account of the nodes; the most first.

    1. Pods of DaemonSets are told by DaemonSet: each is about nodes of its own.
    2. Held pods are alike where the same holds them in the same words.
    """
    alike: defaultdict[tuple[object, ...], list[PodWait]] = defaultdict(list)
    for wait in waits:
        if wait.cause in causes:
            alike[wait.cause, *_make_grouping_key(wait)].append(wait)
    found = []
    for same in alike.values():
        counts: dict[Subject, int] = {}
        for wait in same:
            counts[wait.owner] = counts.get(wait.owner, 0) + 1
        owners = sorted(counts.items(), key=lambda item: (-item[1], item[0].kind, str(item[0])))
        first = next(wait for wait in same if wait.owner == owners[0][0])
        found.append(WaitGroup(first, tuple(wait.pod for wait in same), tuple(owners)))
    return tuple(
        sorted(found, key=lambda group: (group.first_wait.owner.kind != "DaemonSet", -len(group.pods), str(group.first_wait.owner)))
    )


def _make_grouping_key(wait: PodWait) -> tuple[object, ...]:
    if wait.owner.kind == "DaemonSet":
        return (wait.owner, wait.hold.message if wait.hold else "")
    if wait.hold is not None:
        return (wait.hold.component, wait.hold.message)
    if wait.pod_fit is None or all(node_class.can_take is None for node_class in wait.pod_fit.classes):
        has_reason = wait.gates or wait.scheduler_message
        return (get_scheduler(wait.pod), wait.gates, wait.scheduler_message, None if has_reason else wait.owner)
    return (wait.pod_fit.classes,)
