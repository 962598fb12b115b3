"""The capacity for a new pod in words: amounts, causes, answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from preflight.messages.amounts import format_amount
from preflight.messages.counts import format_count
from preflight.messages.coverage import describe_reason
from preflight.messages.lists import format_names, join_and
from preflight.messages.uncertainty import describe_uncertainty
from preflight.model.capacity import CapacityStep, ClusterCapacity, ClusterCapacityAnswer, StaleAllocationRow
from preflight.model.capacity_reasons import (
    AddedToleration,
    AlwaysUnchecked,
    CapacityDoubt,
    CapacityLossCause,
    CapacityReason,
    CapacityUncertainty,
    NodeFact,
    PodLimit,
    PossiblePreemption,
    QuotaLimits,
    SchedulerWords,
    StaleReason,
    UncheckedLimit,
    UnreadQuota,
    WaitingPods,
)

_CAUSE_TEXTS = {
    CapacityLossCause.NOT_READY: "on nodes that are not Ready",
    CapacityLossCause.CORDONED: "on cordoned nodes",
    CapacityLossCause.SELECTOR: "on nodes that its selector leaves out",
    CapacityLossCause.TAINTS: "on nodes with a taint that it does not tolerate",
    CapacityLossCause.USED: "requested by pods",
    CapacityLossCause.STALE: "held by pods of which nothing runs",
    CapacityLossCause.FRAGMENTED: "in rests that are too small for one more copy",
    CapacityLossCause.OTHER_RESOURCES: "left over: another resource is used up first",
    CapacityLossCause.POD_LIMIT: "left over: the node may have no more pods",
    CapacityLossCause.HOST_PORTS: "left over: its host port is taken",
    CapacityLossCause.UNKNOWN: "not known to be room",
}
_NODE_TEXTS = {
    NodeFact.CORDONED: "cordoned",
    NodeFact.NOT_READY: "not Ready",
    NodeFact.OTHER_NODES: "its node affinity names other nodes",
    NodeFact.HOST_PORT: "a host port of it is taken",
}
_ALWAYS_UNCHECKED = "what admission adds or refuses (LimitRanges, webhooks, Pod Security), extenders and other settings of the scheduler"
REQUESTED = "requested is not utilised: what pods have asked for counts, whether or not they use it"


def describe_capacity_reason(reason: CapacityReason) -> str:
    """Why a node does not take a copy."""
    match reason:
        case NodeFact():
            return _NODE_TEXTS[reason]
        case PodLimit():
            return f"has {reason.used} pods and may have {reason.allowed}"
        case SchedulerWords():
            return reason.words
        case _:
            return describe_reason(reason)


def count_reasons(reasons: Sequence[CapacityReason], nodes: int) -> Iterator[str]:
    """Each reason once, with the number of nodes where it is not that of all."""
    for reason, number in Counter(map(describe_capacity_reason, reasons)).items():
        yield reason if number == nodes else f"{reason} ({number} of {nodes})"


def describe_capacity_doubt(doubt: CapacityDoubt) -> str:
    """Why more may fit than is certain, or what is said may not hold."""
    match doubt:
        case CapacityUncertainty():
            return f"{describe_uncertainty(doubt.uncertainty)}{f': {doubt.cause}' if doubt.cause else ''}"
        case AddedToleration():
            plugin = "where the admission plugin ExtendedResourceToleration is on (by default it is off)"
            return f"{plugin}, it tolerates the taint of {doubt.nodes} of the nodes"
        case PossiblePreemption(nodes=None):
            return "the priority of the pod is not known: pods of lower priority may be evicted for it"
        case PossiblePreemption():
            return f"with pods of lower priority evicted more may fit, on {doubt.nodes} of the nodes: nobody is evicted here"


def describe_unchecked_limit(limit: UncheckedLimit) -> str:
    """What may still keep copies from binding, and is not checked."""
    match limit:
        case QuotaLimits():
            return f"ResourceQuota {join_and(limit.quotas)} of namespace {limit.namespace}, which may allow fewer pods"
        case UnreadQuota(cause=""):
            return f"quota of namespace {limit.namespace} (not given)"
        case UnreadQuota():
            return f"quota of namespace {limit.namespace}: {limit.cause}"
        case WaitingPods():
            waiting = format_count(limit.count, "pod that waits", "pods that wait")
            return f"{waiting} for a node already, and may take this room first"
        case AlwaysUnchecked():
            return _ALWAYS_UNCHECKED


def format_cause(step: CapacityStep) -> str:
    """What takes an amount away, in words."""
    return _CAUSE_TEXTS[step.cause]


def format_copies(room: ClusterCapacity) -> str:
    """`13 copies fit`, `0 copies fit for certain, 4 at most`, `0 copies fit for certain; how many more may, nobody can tell`."""
    fit = format_count(room.copies, "copy fits", "copies fit")
    if room.atMost == room.copies:
        return f"{fit} now"
    more = f", {room.atMost} at most" if room.atMost is not None else "; how many more may, nobody can tell"
    return f"{fit} for certain{more}"


def format_answer(room: ClusterCapacity) -> str:
    """The answer in one line: how many fit, how much is free all the same, and where that is."""
    free = f"{format_amount(room.resource, room.free)} of {format_amount(room.resource, room.allocatable)} {room.resource} free"
    out_of_reach = [step for step in room.steps if step.free]
    parts = [f"{format_amount(room.resource, step.free)} {format_cause(step)}" for step in out_of_reach]
    if room.copies and parts:
        parts.insert(0, f"{format_amount(room.resource, room.copies * room.wanted)} to be had")
    where = ", ".join(parts)
    return f"{format_copies(room)}: {free}{f' ({where})' if where else ''}"


def format_largest_block(room: ClusterCapacity) -> str:
    """`largest free block on one node: 2 (gpu-4)`, of the nodes that it may go to."""
    where = f" ({format_names(room.largestOn)})" if room.largestOn else ""
    return f"largest free block on one node that it may go to: {format_amount(room.resource, room.largest)}{where}"


def format_main_causes(room: ClusterCapacity) -> str:
    """The causes that keep most of what is free from being had, the first two."""
    steps = sorted((step for step in room.steps if step.free), key=lambda step: -step.free)
    return ", ".join(f"{format_amount(room.resource, step.free)} {format_cause(step)}" for step in steps[:2])


def iter_remarks(room: ClusterCapacity) -> Iterator[tuple[str, str]]:
    """What is not known and not judged, each with its heading; then what the numbers mean."""
    for reason in room.unknown:
        yield "unknown", f"because {reason}"
    if room.unread:
        yield "unknown", f"because {format_names(room.unread)} {'does' if len(room.unread) == 1 else 'do'} not say what can be allocated"
    if room.message:
        yield "the scheduler says", room.message
    for unchecked in room.notJudged:
        yield "not judged", unchecked
    yield "note", REQUESTED


def format_subject(answer: ClusterCapacityAnswer, room: ClusterCapacity) -> str:
    """The pod in words, with what one copy asks for unless the words say that."""
    asks = ", ".join(f"{name}={format_amount(name, number)}" for name, number in room.requests.items()) or "no resource"
    return answer.pod if asks in answer.pod else f"{answer.pod}, which asks for {asks}"


def format_stale_allocation(room: ClusterCapacity, stale_pod: StaleAllocationRow) -> str:
    """A pod that holds room though nothing of it runs: what it holds, where, and how this is known."""
    state = (
        "Pending there: its containers have not started"
        if stale_pod.why is StaleReason.PENDING
        else "being deleted, and its node is not Ready"
    )
    return f"{stale_pod.pod} holds {format_amount(room.resource, stale_pod.amount)} {room.resource} on {stale_pod.node}: {state}"


def format_cluster_title(answer: ClusterCapacityAnswer) -> str:
    """The cluster in one line: its context and server, or the files."""
    asked = answer.cluster
    if asked is None:
        return answer.name
    server = f" ({asked.server})" if asked.server else ""
    name = asked.context if asked.context and asked.context != answer.name else ""
    return f"{answer.name}{f', of cluster {name}' if name else ''}{server}{f', Kubernetes {asked.version}' if asked.version else ''}"


def format_copy_count(number: int) -> str:
    """`1 copy`, `2 copies`."""
    return format_count(number, "copy", "copies")


def format_failures(clusters: Sequence[ClusterCapacityAnswer]) -> str:
    """`1 of 3 clusters could not be asked`; "" where all were."""
    failed = sum(cluster.room is None for cluster in clusters)
    return f"{failed} of {format_count(len(clusters), 'cluster')} could not be asked" if failed else ""


# Which pod is asked about, and errors.


def describe_copied_pod(workload: str, pod: str) -> str:
    """A pod like one that a workload has."""
    return f"{workload}, as its pod {pod} is"


def describe_template(workload: str, file: str) -> str:
    """A pod by the template of a workload in a file."""
    return f"{workload} of {file}"


def describe_invalid_reference(text: str) -> str:
    """That the value of --like cannot be read."""
    return f"--like takes KIND/NAME, KIND one of deploy, ds, sts, rs, job, cj, pod: not {text!r}"


def describe_missing_nodes(source: str, cause: str) -> str:
    """That a source has no node; `cause` is why, "" if unknown."""
    return f"{source}: no node is known: there is nothing to fill{f': {cause}' if cause else ''}"


def describe_missing_workload(source: str, workload: str, other_namespaces: Sequence[str] = (), problem: str = "") -> str:
    """That a source has no such workload, in which other namespaces there is one, and what could not be read."""
    elsewhere = f"; there is one in {', '.join(other_namespaces)}: -n" if other_namespaces else ""
    unread = f"; not all was read: {problem}" if problem else ""
    return f"{source}: there is no {workload}{elsewhere}{unread}"


NO_RESOURCE = "no resource"


def describe_requested_pod(parts: Iterable[str]) -> str:
    """A pod by what it asks for."""
    return f"a pod that asks for {' '.join(parts)}"


def describe_invalid_request(text: str) -> str:
    """A value of --request that cannot be read."""
    return f"--request takes RESOURCE=QUANTITY, not {text!r}"


DEVICE_ADVICE = "; one of a device plugin has a domain, as nvidia.com/gpu"


def describe_unknown_resource(text: str, name: str, advice: str) -> str:
    """A value of --request that names no resource."""
    return f"--request {text}: {name!r} is no resource that the scheduler counts{advice}"


def describe_invalid_quantity(text: str, error: object) -> str:
    """A value of --request with an amount that cannot be read."""
    return f"--request {text}: {error}"


def describe_part_of_device_request(text: str, name: str) -> str:
    """A value of --request with a part of a device."""
    return f"--request {text}: {name} comes in whole numbers"


def describe_invalid_toleration(text: str, effects: Iterable[str]) -> str:
    """A value of --tolerate that cannot be read."""
    return f"--tolerate takes KEY=VALUE:EFFECT, KEY:EFFECT, KEY=VALUE, KEY or *, EFFECT one of {', '.join(effects)}: not {text!r}"


def describe_uncountable(pod: str, error: object) -> str:
    """Requests that are no quantities."""
    return f"{pod} asks for what the scheduler cannot count: {error}"


def describe_unrequested(resource: str, requested: Sequence[str]) -> str:
    """A --resource that the pod does not request."""
    return f"--resource {resource}: the pod does not ask for it: {join_and(requested)}"


def describe_refusal(reason: object) -> str:
    """A pod that admission refuses."""
    return f"the API server would refuse the pod: {reason}"


def describe_missing_runtime_class(name: str) -> str:
    """A RuntimeClass that does not exist."""
    return f"there is no RuntimeClass {name}"
