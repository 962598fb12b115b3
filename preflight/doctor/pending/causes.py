"""What the pods without a node really wait for: each under one cause, and alike ones together."""

from __future__ import annotations

from collections import defaultdict
from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from preflight.doctor.owners import get_owner
from preflight.doctor.pending.known_bugs import BugMatch, find_known_bug
from preflight.doctor.pending.schedulers import (
    DEFAULT_SCHEDULER,
    SchedulingHold,
    find_hold,
    find_scheduler_message,
    get_scheduler,
    is_overdue,
    is_scheduler_silent,
)
from preflight.doctor.pending.unschedulable import SchedulerAccount, explain_pod_fit
from preflight.doctor.pod_health import get_target_node
from preflight.messages.lists import join_and

if TYPE_CHECKING:
    from preflight.doctor.context import ClusterFacts
    from preflight.model.report import Subject
    from preflight.model.runtime_state import PodState


class WaitCause(Enum):
    """What a pod waits for.

    1. HELD: another scheduler, a group of pods or a quota holds it. UNANSWERED: nobody answers to the scheduler that it names.
    2. GATED: a scheduling gate, which somebody has to take away.
    3. DISAGREES: the scheduler says that no node takes it, and by our own account one does. FAULT: and the version of the server has a
       fault that explains it.
    4. REFUSED: no node takes it, as far as is known.
    """

    ON_HOLD = "held"
    NO_SCHEDULER = "unanswered"
    GATED = "gated"
    SCHEDULER_DISAGREES = "disagrees"
    KNOWN_BUG = "fault"
    NO_NODE_FITS = "refused"


class PodWait(Struct, frozen=True):
    """Why one pod waits.

    `scheduler_message` are the scheduler's, "" where it has said none; `pod_fit` is ours, None where it does not matter. `hold` and
    `bug_match` are there for the causes HELD and FAULT alone.
    """

    pod: PodState
    owner: Subject
    cause: WaitCause
    scheduler_message: str = ""
    hold: SchedulingHold | None = None
    pod_fit: SchedulerAccount | None = None
    bug_match: BugMatch | None = None

    @property
    def is_not_capacity(self) -> bool:
        """Whether it waits for something else than room on a node."""
        return self.cause not in (WaitCause.NO_NODE_FITS, WaitCause.GATED)

    @property
    def node(self) -> str:
        """The node that it is for, as the pod of a DaemonSet; "" where it may get any."""
        return get_target_node(self.pod)


def find_waits(facts: ClusterFacts) -> tuple[PodWait, ...]:
    """What every pod waits for that has waited for more than a moment; those of DaemonSets first.

    One that is nominated to a node waits for pods that end there already, and is left out.
    """
    found = [find_wait(facts, pod) for pod in facts.waiting_pods if is_overdue(facts, pod) and not pod.status.nominatedNodeName]
    return tuple(sorted(found, key=lambda wait: (wait.owner.kind != "DaemonSet", wait.pod.key)))


def find_wait(facts: ClusterFacts, pod: PodState) -> PodWait:
    """What one pod without a node waits for: the first cause that holds, in the order of `WaitCause`."""
    owner, words = get_owner(pod), find_scheduler_message(facts, pod)
    if held := find_hold(facts, pod):
        return PodWait(pod, owner, WaitCause.ON_HOLD, words, hold=held)
    if pod.spec.schedulingGates:
        return PodWait(
            pod,
            owner,
            WaitCause.GATED,
            f"its gate {join_and(gate.name for gate in pod.spec.schedulingGates)} is not taken away",
        )
    if is_scheduler_silent(facts, pod):
        return PodWait(pod, owner, WaitCause.NO_SCHEDULER)
    ours = explain_pod_fit(facts, pod)
    disagrees = bool(words) and get_scheduler(pod) == DEFAULT_SCHEDULER and any(not facts.is_new_node(name) for name in ours.fitting_nodes)
    found = PodWait(pod, owner, WaitCause.SCHEDULER_DISAGREES if disagrees else WaitCause.NO_NODE_FITS, words, pod_fit=ours)
    fault = find_known_bug(facts, found) if disagrees else None
    return replace(found, cause=WaitCause.KNOWN_BUG, bug_match=fault) if fault is not None else found


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


def group_waits(facts: ClusterFacts, *causes: WaitCause) -> tuple[WaitGroup, ...]:
    """The pods that wait for some causes, alike ones together: of one DaemonSet or with the same account of the nodes; the most first.

    1. Pods of DaemonSets are told by DaemonSet: each is about nodes of its own.
    2. Held pods are alike where the same holds them in the same words.
    3. Leaders of JobSets whose followers wait for them are left out: they are told with their JobSet.
    """
    alike: defaultdict[tuple[object, ...], list[PodWait]] = defaultdict(list)
    for wait in facts.pending_pods.pod_waits:
        if wait.cause in causes and wait.pod.key not in facts.pending_pods.job_set_pods:
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
        return (get_scheduler(wait.pod), wait.scheduler_message, wait.owner if not wait.scheduler_message else "")
    return (wait.pod_fit.grouping_key,)
