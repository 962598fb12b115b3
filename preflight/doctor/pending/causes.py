"""What the pods without a node really wait for: each under one cause, and alike ones together."""

from __future__ import annotations

from collections import defaultdict
from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from preflight.doctor.owners import owner_of
from preflight.doctor.pending.known_bugs import Seen, seen
from preflight.doctor.pending.schedulers import DEFAULT, Hold, hold, is_late, is_unanswered, scheduler_of, words_of
from preflight.doctor.pending.unschedulable import Account, account
from preflight.doctor.pod_health import bound_for
from preflight.messages.lists import listed

if TYPE_CHECKING:
    from preflight.doctor.context import Diagnosis
    from preflight.model.report import Subject
    from preflight.model.runtime_state import StatedPod


class Cause(Enum):
    """What a pod waits for.

    1. HELD: another scheduler, a group of pods or a quota holds it. UNANSWERED: nobody answers to the scheduler that it names.
    2. GATED: a scheduling gate, which somebody has to take away.
    3. DISAGREES: the scheduler says that no node takes it, and by our own account one does. FAULT: and the version of the server has a
       fault that explains it.
    4. REFUSED: no node takes it, as far as is known.
    """

    HELD = "held"
    UNANSWERED = "unanswered"
    GATED = "gated"
    DISAGREES = "disagrees"
    FAULT = "fault"
    REFUSED = "refused"


class Wait(Struct, frozen=True):
    """Why one pod waits.

    `words` are the scheduler's, "" where it has said none; `account` is ours, None where it does not matter. `hold` and `fault` are there
    for the causes HELD and FAULT alone.
    """

    pod: StatedPod
    owner: Subject
    cause: Cause
    words: str = ""
    hold: Hold | None = None
    account: Account | None = None
    fault: Seen | None = None

    @property
    def is_special(self) -> bool:
        """Whether it waits for something else than room on a node."""
        return self.cause not in (Cause.REFUSED, Cause.GATED)

    @property
    def node(self) -> str:
        """The node that it is for, as the pod of a DaemonSet; "" where it may get any."""
        return bound_for(self.pod)


def waits(facts: Diagnosis) -> tuple[Wait, ...]:
    """What every pod waits for that has waited for more than a moment; those of DaemonSets first.

    One that is nominated to a node waits for pods that end there already, and is left out.
    """
    found = [wait_of(facts, pod) for pod in facts.waiting if is_late(facts, pod) and not pod.status.nominatedNodeName]
    return tuple(sorted(found, key=lambda wait: (wait.owner.kind != "DaemonSet", wait.pod.key)))


def wait_of(facts: Diagnosis, pod: StatedPod) -> Wait:
    """What one pod without a node waits for: the first cause that holds, in the order of `Cause`."""
    owner, words = owner_of(pod), words_of(facts, pod)
    if held := hold(facts, pod):
        return Wait(pod, owner, Cause.HELD, words, hold=held)
    if pod.spec.schedulingGates:
        return Wait(pod, owner, Cause.GATED, f"its gate {listed(each.name for each in pod.spec.schedulingGates)} is not taken away")
    if is_unanswered(facts, pod):
        return Wait(pod, owner, Cause.UNANSWERED)
    ours = account(facts, pod)
    disagrees = bool(words) and scheduler_of(pod) == DEFAULT and any(not facts.is_new(name) for name in ours.takers)
    found = Wait(pod, owner, Cause.DISAGREES if disagrees else Cause.REFUSED, words, account=ours)
    fault = seen(facts, found) if disagrees else None
    return replace(found, cause=Cause.FAULT, fault=fault) if fault is not None else found


class Group(Struct, frozen=True):
    """Pods that wait for the same, of one workload or of several; `first` tells of all of them, `pods` in order of their names."""

    first: Wait
    pods: tuple[StatedPod, ...]
    owners: tuple[tuple[Subject, int], ...]

    @property
    def since(self) -> str:
        """When the oldest of them was created."""
        return min(pod.metadata.creationTimestamp for pod in self.pods)

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes that they are for, where they are for one each."""
        return tuple(sorted({node for pod in self.pods if (node := bound_for(pod))}))


def groups(facts: Diagnosis, *causes: Cause) -> tuple[Group, ...]:
    """The pods that wait for some causes, alike ones together: of one DaemonSet or with the same account of the nodes; the most first.

    1. Pods of DaemonSets are told by DaemonSet: each is about nodes of its own.
    2. Held pods are alike where the same holds them in the same words.
    3. Leaders of JobSets whose followers wait for them are left out: they are told with their JobSet.
    """
    alike: defaultdict[tuple[object, ...], list[Wait]] = defaultdict(list)
    for wait in facts.pending.waits:
        if wait.cause in causes and wait.pod.key not in facts.pending.of_job_sets:
            alike[wait.cause, *_likeness(wait)].append(wait)
    found = []
    for same in alike.values():
        counts: dict[Subject, int] = {}
        for wait in same:
            counts[wait.owner] = counts.get(wait.owner, 0) + 1
        owners = sorted(counts.items(), key=lambda item: (-item[1], item[0].kind, str(item[0])))
        first = next(wait for wait in same if wait.owner == owners[0][0])
        found.append(Group(first, tuple(wait.pod for wait in same), tuple(owners)))
    return tuple(sorted(found, key=lambda group: (group.first.owner.kind != "DaemonSet", -len(group.pods), str(group.first.owner))))


def _likeness(wait: Wait) -> tuple[object, ...]:
    if wait.owner.kind == "DaemonSet":
        return (wait.owner, wait.hold.words if wait.hold else "")
    if wait.hold is not None:
        return (wait.hold.component, wait.hold.words)
    if wait.account is None or all(each.takes is None for each in wait.account.classes):
        return (scheduler_of(wait.pod), wait.words, wait.owner if not wait.words else "")
    return (wait.account.likeness,)
