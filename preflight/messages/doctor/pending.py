"""Texts about pods that are waiting for a node, and about pods whose creation is refused."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.belonging import SignKind
from preflight.doctor.cluster_messages import HoldReason
from preflight.doctor.label_drift import LabelDrift
from preflight.doctor.pending.causes import PodWait, WaitCause, WaitGroup
from preflight.doctor.pending.creation_failures import RefusedCreation
from preflight.doctor.pending.schedulers import DEFAULT_SCHEDULER, SchedulingHold, get_scheduler
from preflight.doctor.root_causes import MissingComponent, MissingProvider, RootCause
from preflight.doctor.stranded_capacity import StaleAllocation
from preflight.messages.doctor.gaps import ADD_EVENTS, explain_gap
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
    HoldReason.QUEUE_QUOTA: "it is blocked by the quota of its queue",
}


def describe_hold_reason(reason: HoldReason) -> str:
    """Why a scheduler blocks a pod."""
    return _HOLD_TEXTS[reason]


def describe_gates(wait: PodWait) -> str:
    """The scheduling gates that a pod waits for."""
    gates = f"gate {wait.gates[0]} has" if len(wait.gates) == 1 else f"gates {join_and(wait.gates)} have"
    return f"its scheduling {gates} not been removed"


def explain_wait(wait: PodWait) -> str:
    """What a pod is waiting for, for use after a colon."""
    name, account = get_scheduler(wait.pod), wait.pod_fit
    if wait.hold is not None:
        return f"blocked by {wait.hold.component or 'its group or queue'}: {wait.hold.message}"
    if wait.cause is WaitCause.NO_SCHEDULER:
        return f"no scheduler named {name} responds"
    if wait.bug_match is not None:
        condition = f", if {wait.bug_match.sign.node} has room" if wait.bug_match.is_conditional else ""
        return f"a known bug of {wait.bug_match.bug.component} {wait.bug_match.version} ({wait.bug_match.bug.id}){condition}"
    if account is not None and account.fitting_nodes and wait.cause is WaitCause.SCHEDULER_DISAGREES:
        return f"the scheduler finds no node, but according to preflight the pod fits on {join_node_names(account.fitting_nodes)}"
    nearest = next((node_class for node_class in account.classes if node_class.can_take is False), None) if account is not None else None
    if nearest is not None:
        verb = "node is" if len(nearest.nodes) == 1 else "nodes are"
        return f"the closest {verb} {join_node_names(nearest.nodes)}: {describe_class(nearest)}"
    return describe_gates(wait) if wait.gates else wait.scheduler_message or _describe_no_message(name)


def _describe_no_message(scheduler: str) -> str:
    return "no scheduler has reported on it" if scheduler == DEFAULT_SCHEDULER else f"its scheduler {scheduler} has reported nothing"


def describe_waiting_pods(group: WaitGroup) -> str:
    """`3 pods of Job research/train are waiting`, with how many other pods wait for the same."""
    subject, number = group.owners[0]
    others = len(group.pods) - number
    more = f" and {others} other pod{'s' if others != 1 else ''}" if others else ""
    verb = "are waiting" if number + others > 1 else "is waiting"
    if subject.kind == "Pod":
        return f"Pod {subject}{more} {verb}"
    return f"{number} pod{'s' if number != 1 else ''} of {subject.kind} {subject}{more} {verb}"


_DEMANDS = {
    SignKind.VOLUMES_REQUESTED: "its claim waits for {names}, whose",
    SignKind.DEVICES_REQUESTED: "its ResourceClaims wait for the only DRA driver, whose",
    SignKind.LABELS_REQUESTED: "{names} is set by the node label producer, whose",
}


def describe_root_cause(cause: RootCause) -> str:
    """The root cause of the shortage that a pod meets."""
    match cause:
        case MissingProvider(resource, gap, is_certain):
            where = f"does not work on {join_node_names(gap.nodes)}" if gap.nodes else "runs nowhere"
            likely = "" if is_certain else "probably "
            return f"{resource} is {likely}provided by DaemonSet {gap.daemonset.key}, which {where}: {explain_gap(gap)}"
        case MissingComponent(kind, names, gap):
            where = f"does not work on {join_node_names(gap.nodes)}" if gap.nodes else "runs nowhere"
            provider = f"DaemonSet {gap.daemonset.key} {where}: {explain_gap(gap)}"
            return f"{_DEMANDS[kind].format(names=join_and(names))} {provider}"
        case LabelDrift():
            return describe_missing_label(cause)
        case StaleAllocation():
            return describe_held_resource(cause)


def _describe_count(group: WaitGroup) -> str:
    """`has 3 pods waiting`, of the workload that the finding is about; `is waiting` of a pod by itself."""
    subject, number = group.owners[0]
    if subject.kind == "Pod":
        return "has been waiting" if group.since else "is waiting"
    return "has a pod waiting" if number == 1 else f"has {number} pods waiting"


def _format_start(group: WaitGroup, latest_time: str) -> str:
    text = format_since(group.since, latest_time)
    return f" {text}" if text else ""


def describe_wait_for_node(group: WaitGroup, latest_time: str) -> str:
    """PF440: pods that are waiting for a node."""
    return f"{_describe_count(group)} for a node{_format_start(group, latest_time)}: {_get_wait_reason(group.first_wait)}"


def _get_wait_reason(wait: PodWait) -> str:
    name = get_scheduler(wait.pod)
    message = describe_gates(wait) if wait.gates else wait.scheduler_message
    if message:
        return message if name == DEFAULT_SCHEDULER else f"{name} reports: {message}"
    return _describe_no_message(name)


def describe_outdated_count(count_mismatch: str) -> str:
    """PF440: that the scheduler counts another number of nodes than the input has."""
    return f"{count_mismatch}: its message is from another time, or it does not know all nodes"


def describe_unknown_scheduler(wait: PodWait) -> str:
    """PF440: that whether the scheduler exists is unknown."""
    return f"unknown: whether a scheduler named {get_scheduler(wait.pod)} responds (no events in the input: {ADD_EVENTS})"


def describe_disagreement(group: WaitGroup, latest_time: str) -> str:
    """PF441: the scheduler refuses pods that fit on nodes according to preflight."""
    wait = group.first_wait
    nodes = wait.pod_fit.fitting_nodes if wait.pod_fit else ()
    waits = f"{_describe_count(group)} for {join_node_names(group.nodes) or 'a node'}{_format_start(group, latest_time)}"
    fits = f"although {'it' if group.owners[0][1] == 1 else 'one of them'} fits on {join_node_names(nodes)} according to preflight"
    return f"{waits}, {fits}: {wait.scheduler_message}"


def describe_held_pods(group: WaitGroup, hold: SchedulingHold, latest_time: str) -> str:
    """PF442: pods that another scheduler, a group or a queue blocks."""
    where = f" for {join_node_names(group.nodes)}" if group.nodes else ""
    blocker = hold.component or "a group or queue"
    return f"{_describe_count(group)}{where}{_format_start(group, latest_time)}, blocked by {blocker}: {hold.message}"


def iter_hold_notes(wait: PodWait, hold: SchedulingHold, fitting_nodes: tuple[str, ...]) -> Iterator[str]:
    """PF442: what blocks the pod and why; it fits on `fitting_nodes` according to preflight."""
    if hold.is_foreign and hold.component:
        yield f"its schedulerName is {get_scheduler(wait.pod)}, not {hold.component}"
    if hold.reason is not None:
        yield describe_hold_reason(hold.reason)
    if fitting_nodes:
        yield f"according to preflight it fits on {join_node_names(fitting_nodes)}: lack of capacity is not the cause"


def describe_silent_scheduler(group: WaitGroup, latest_time: str) -> str:
    """PF443: pods of a scheduler that does not exist."""
    where = f" for {join_node_names(group.nodes)}" if group.nodes else ""
    name = get_scheduler(group.first_wait.pod)
    return f"{_describe_count(group)}{where}{_format_start(group, latest_time)}: no scheduler named {name} responds"


def describe_silence(wait: PodWait) -> str:
    """PF443: where the name of the scheduler was looked for."""
    return f"no event and no condition comes from {get_scheduler(wait.pod)}, and no other pod or workload mentions it"


def describe_known_bug(group: WaitGroup, latest_time: str) -> str:
    """PF444: pods that wait because of a known bug."""
    match = group.first_wait.bug_match
    assert match is not None
    return f"{_describe_count(group)} for {join_node_names(group.nodes)}{_format_start(group, latest_time)}: {describe_bug(match)}"


def describe_scheduler_message(wait: PodWait) -> str:
    """PF444: the message of the scheduler."""
    return f"the scheduler reports: {wait.scheduler_message}"


def describe_other_owners(group: WaitGroup) -> str:
    """The other workloads whose pods wait for the same."""
    others = group.owners[1:]
    names = [f"{subject.kind} {subject}{f' ({number} pods)' if number > 1 else ''}" for subject, number in others[:_MAX_OWNERS]]
    more = f" and {len(others) - _MAX_OWNERS} more" if len(others) > _MAX_OWNERS else ""
    return f"also waiting for the same: {', '.join(names)}{more}"


UNKNOWN_WORKLOAD = "unknown: how many pods it lacks (the workload is not in the input: add it)"


def describe_refused_creation(refusal: RefusedCreation) -> str:
    """PF447: a workload whose pods cannot be created."""
    if refusal.wanted is None:
        return f"gets no new pods because their creation is refused: {refusal.message}"
    return f"has {refusal.existing} of {refusal.wanted} pods because creation of the others is refused: {refusal.message}"


def describe_refusal_time(refusal: RefusedCreation) -> str:
    """PF447: when a pod was refused last."""
    return f"last refused at {refusal.last_seen}"


def iter_quota_texts(refusal: RefusedCreation, quota: ResourceQuota | None, missing: str) -> Iterator[str]:
    """PF447: how much of the quota is used; `missing` is why the quota is unknown, "" if it is just not in the input."""
    if quota is None:
        why = missing or "no ResourceQuotas in the input: add the output of `kubectl get resourcequotas -A -o json`"
        yield f"unknown: how much of ResourceQuota {refusal.quota} is used ({why})"
        return
    for resource, hard in quota.spec.hard.items():
        if resource in quota.status.used:
            yield f"ResourceQuota {refusal.quota}: {quota.status.used[resource]} of {hard} {resource} in use"
