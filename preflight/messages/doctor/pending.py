"""Texts about pods that wait for a node, and about pods whose creation is refused."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.cluster_messages import HoldReason
from preflight.doctor.label_drift import LabelDrift
from preflight.doctor.pending.causes import PodWait, WaitCause, WaitGroup
from preflight.doctor.pending.creation_failures import RefusedCreation
from preflight.doctor.pending.schedulers import DEFAULT_SCHEDULER, SchedulingHold, get_scheduler
from preflight.doctor.root_causes import MissingProvider, RootCause
from preflight.doctor.stranded_capacity import StaleAllocation
from preflight.messages.doctor.gaps import explain_gap
from preflight.messages.doctor.known_bugs import describe_bug
from preflight.messages.doctor.node_fits import describe_class
from preflight.messages.doctor.nodes import describe_missing_label
from preflight.messages.doctor.resources import describe_held_resource
from preflight.messages.lists import join_and, join_node_names
from preflight.messages.times import format_since
from preflight.model.core import ResourceQuota

_MAX_OWNERS = 6

_HOLD_TEXTS = {
    HoldReason.GROUP: "it waits for the other pods of its group",
    HoldReason.QUEUE_QUOTA: "a quota of its queue holds it",
}


def describe_hold_reason(reason: HoldReason) -> str:
    """Why a scheduler holds a pod."""
    return _HOLD_TEXTS[reason]


def describe_gates(wait: PodWait) -> str:
    """The scheduling gates that a pod waits for."""
    return f"its gate {join_and(wait.gates)} is not taken away"


def explain_wait(wait: PodWait) -> str:
    """What a pod waits for, to stand after a colon."""
    name, account = get_scheduler(wait.pod), wait.pod_fit
    if wait.hold is not None:
        return f"{wait.hold.component or 'its group or queue'} holds it: {wait.hold.message}"
    if wait.cause is WaitCause.NO_SCHEDULER:
        return f"nobody answers to the scheduler {name}"
    if wait.bug_match is not None:
        return f"a known fault of {wait.bug_match.bug.component} {wait.bug_match.version} ({wait.bug_match.bug.id})"
    if account is not None and account.fitting_nodes and wait.cause is WaitCause.SCHEDULER_DISAGREES:
        verb = "takes" if len(account.fitting_nodes) == 1 else "take"
        return f"the scheduler finds no node, and by our own account {join_node_names(account.fitting_nodes)} {verb} it"
    nearest = next((node_class for node_class in account.classes if node_class.can_take is False), None) if account is not None else None
    if nearest is not None:
        verb = "is" if len(nearest.nodes) == 1 else "are"
        return f"nearest {verb} {join_node_names(nearest.nodes)}: {describe_class(nearest)}"
    if wait.gates:
        return describe_gates(wait)
    return wait.scheduler_message or (
        f"its scheduler {name} has said nothing" if name != DEFAULT_SCHEDULER else "no scheduler has looked at it"
    )


def describe_waiting_pods(group: WaitGroup) -> str:
    """`3 pods of Job research/train wait`, with how many others wait for the same."""
    subject, number = group.owners[0]
    others = len(group.pods) - number
    more = f" and {others} of others" if others else ""
    if subject.kind == "Pod":
        return f"Pod {subject}{more} {'wait' if others else 'waits'}"
    verb = "wait" if number + others > 1 else "waits"
    return f"{number} pod{'s' if number != 1 else ''} of {subject.kind} {subject}{more} {verb}"


def describe_root_cause(cause: RootCause) -> str:
    """What is behind the shortage of a pod."""
    match cause:
        case MissingProvider(resource, gap):
            verb = "lacks" if len(gap.nodes) == 1 else "lack"
            return f"{resource} comes from {gap.daemonset.key}, which {join_node_names(gap.nodes)} {verb}: {explain_gap(gap)}"
        case LabelDrift():
            return describe_missing_label(cause)
        case StaleAllocation():
            return describe_held_resource(cause)


def _describe_count(group: WaitGroup) -> str:
    """`has 3 pods that wait`, of the workload that the finding is about; `waits` of a pod by itself."""
    subject, number = group.owners[0]
    if subject.kind == "Pod":
        return "waits"
    return "has a pod that waits" if number == 1 else f"has {number} pods that wait"


def _format_start(group: WaitGroup, latest_time: str) -> str:
    text = format_since(group.since, latest_time)
    return f" {text}" if text else ""


def describe_wait_for_node(group: WaitGroup, latest_time: str) -> str:
    """PF440: pods that wait for a node."""
    return f"{_describe_count(group)} for a node{_format_start(group, latest_time)}: {_get_wait_reason(group.first_wait)}"


def _get_wait_reason(wait: PodWait) -> str:
    name = get_scheduler(wait.pod)
    message = describe_gates(wait) if wait.gates else wait.scheduler_message
    if message:
        return message if name == DEFAULT_SCHEDULER else f"{name} says: {message}"
    return "no scheduler has looked at it" if name == DEFAULT_SCHEDULER else f"its scheduler {name} has said nothing"


def describe_outdated_count(count_mismatch: str) -> str:
    """PF440: that the scheduler counts other nodes than there are."""
    return f"{count_mismatch}: its words are of another moment, or it does not know all"


def describe_unknown_scheduler(wait: PodWait) -> str:
    """PF440: that whether the scheduler exists is unknown."""
    return f"whether anybody answers to {get_scheduler(wait.pod)} is not known: events were not given"


def describe_disagreement(group: WaitGroup, latest_time: str) -> str:
    """PF441: the scheduler refuses pods that nodes take by our own account."""
    wait = group.first_wait
    nodes = wait.pod_fit.fitting_nodes if wait.pod_fit else ()
    verb = f"{'takes' if len(nodes) == 1 else 'take'} {'it' if group.owners[0][1] == 1 else 'one'}"
    waits = f"{_describe_count(group)} for {join_node_names(group.nodes) or 'a node'}{_format_start(group, latest_time)}"
    return f"{waits}, though by our own account {join_node_names(nodes)} {verb}: {wait.scheduler_message}"


def describe_held_pods(group: WaitGroup, hold: SchedulingHold, latest_time: str) -> str:
    """PF442: pods that somebody holds."""
    is_one = group.owners[0][1] == 1
    who = f"{hold.component} holds {'it' if is_one else 'them'}" if hold.component else f"{'it is' if is_one else 'they are'} held"
    where = f" for {join_node_names(group.nodes)}" if group.nodes else ""
    return f"{_describe_count(group)}{where}{_format_start(group, latest_time)}: {who}: {hold.message}"


def iter_hold_notes(wait: PodWait, hold: SchedulingHold, fitting_nodes: tuple[str, ...]) -> Iterator[str]:
    """PF442: who holds the pod and why; `fitting_nodes` take it by our own account."""
    if hold.is_foreign and hold.component:
        yield f"its schedulerName is {get_scheduler(wait.pod)}: {hold.component} is another one"
    if hold.reason is not None:
        yield describe_hold_reason(hold.reason)
    if fitting_nodes:
        verb = "takes" if len(fitting_nodes) == 1 else "take"
        yield f"by our own account {join_node_names(fitting_nodes)} {verb} it: it does not wait for room"


def describe_silent_scheduler(group: WaitGroup, latest_time: str) -> str:
    """PF443: pods of a scheduler that does not exist."""
    where = f" for {join_node_names(group.nodes)}" if group.nodes else ""
    name = get_scheduler(group.first_wait.pod)
    return f"{_describe_count(group)}{where}{_format_start(group, latest_time)} for the scheduler {name}, and nobody of that name answers"


def describe_silence(wait: PodWait) -> str:
    """PF443: where the name of the scheduler was looked for."""
    return f"no event and no condition is of {get_scheduler(wait.pod)}, and no other pod or workload says this name"


def describe_known_bug(group: WaitGroup, latest_time: str) -> str:
    """PF444: pods that wait because of a known fault."""
    match = group.first_wait.bug_match
    assert match is not None
    return f"{_describe_count(group)} for {join_node_names(group.nodes)}{_format_start(group, latest_time)}: {describe_bug(match)}"


def describe_scheduler_message(wait: PodWait) -> str:
    """PF444: what the scheduler says."""
    return f"the scheduler says: {wait.scheduler_message}"


def describe_other_owners(group: WaitGroup) -> str:
    """The other workloads whose pods wait for the same."""
    others = group.owners[1:]
    names = [f"{subject.kind} {subject}{f' ({number} pods)' if number > 1 else ''}" for subject, number in others[:_MAX_OWNERS]]
    more = f" and {len(others) - _MAX_OWNERS} more" if len(others) > _MAX_OWNERS else ""
    return f"for the same waits {', '.join(names)}{more}"


def describe_refused_creation(refusal: RefusedCreation) -> str:
    """PF447: a workload whose pods cannot be created."""
    return f"has {refusal.existing} of the {refusal.wanted} pods that it wants, for their creation is refused: {refusal.message}"


def describe_refusal_time(refusal: RefusedCreation) -> str:
    """PF447: when a pod was refused last."""
    return f"the last refusal is of {refusal.last_seen}"


def iter_quota_texts(refusal: RefusedCreation, quota: ResourceQuota | None, missing: str) -> Iterator[str]:
    """PF447: how much of the quota is used; `missing` is why the quota is unknown, "" where it was just not given."""
    if quota is None:
        why = missing or "ResourceQuotas were not given"
        yield f"how much of ResourceQuota {refusal.quota} is used now is not known: {why}"
        return
    for resource, hard in quota.spec.hard.items():
        if resource in quota.status.used:
            yield f"ResourceQuota {refusal.quota}: {quota.status.used[resource]} of {hard} {resource} are used"
