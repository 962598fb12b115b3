"""Texts about the capacity for a new pod: amounts, causes, answers."""

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
    CapacityLossCause.SELECTOR: "on nodes that its nodeSelector or affinity excludes",
    CapacityLossCause.TAINTS: "on nodes with a taint that it does not tolerate",
    CapacityLossCause.USED: "requested by pods",
    CapacityLossCause.STALE: "held by pods that are not running",
    CapacityLossCause.FRAGMENTED: "left over, too small for another pod",
    CapacityLossCause.OTHER_RESOURCES: "left over, another resource runs out first",
    CapacityLossCause.POD_LIMIT: "left over, the node has reached its pod limit",
    CapacityLossCause.HOST_PORTS: "left over, its host port is in use",
    CapacityLossCause.UNKNOWN: "unknown whether usable",
}
_NODE_TEXTS = {
    NodeFact.CORDONED: "cordoned",
    NodeFact.NOT_READY: "not Ready",
    NodeFact.OTHER_NODES: "its node affinity names other nodes",
    NodeFact.HOST_PORT: "its host port is in use",
}
_ALWAYS_UNCHECKED = "changes made by admission (webhooks, LimitRanges, Pod Security), scheduler extenders and other scheduler settings"
REQUESTED = "counts what pods request, not what they use"


def describe_capacity_reason(reason: CapacityReason) -> str:
    """Why a copy does not fit on a node."""
    match reason:
        case NodeFact():
            return _NODE_TEXTS[reason]
        case PodLimit():
            return f"pod limit reached ({reason.used} of {reason.allowed})"
        case SchedulerWords():
            return reason.words
        case _:
            return describe_reason(reason)


def count_reasons(reasons: Sequence[CapacityReason], nodes: int) -> Iterator[str]:
    """Each reason once, with the number of nodes unless it applies to all."""
    for reason, number in Counter(map(describe_capacity_reason, reasons)).items():
        yield reason if number == nodes else f"{reason} ({number} of {nodes})"


def describe_capacity_doubt(doubt: CapacityDoubt) -> str:
    """Why more copies may fit than is certain, or why the answer may not hold."""
    match doubt:
        case CapacityUncertainty():
            return f"{describe_uncertainty(doubt.uncertainty)}{f': {doubt.cause}' if doubt.cause else ''}"
        case AddedToleration():
            plugin = "if the admission plugin ExtendedResourceToleration is enabled (off by default)"
            return f"{plugin}, the pod tolerates the taint of {doubt.nodes} of the nodes"
        case PossiblePreemption(nodes=None):
            return "the priority of the pod is unknown: pods of lower priority may be preempted for it"
        case PossiblePreemption():
            return f"preemption of lower priority pods is not counted: with it, more copies may fit on {doubt.nodes} of the nodes"


def describe_unchecked_limit(limit: UncheckedLimit) -> str:
    """What is not checked and may keep copies from being scheduled."""
    match limit:
        case QuotaLimits():
            return f"ResourceQuota {join_and(limit.quotas)} of namespace {limit.namespace}, which may allow fewer pods"
        case UnreadQuota(cause=""):
            return f"quota of namespace {limit.namespace} (not in the input)"
        case UnreadQuota():
            return f"quota of namespace {limit.namespace}: {limit.cause}"
        case WaitingPods():
            count = format_count(len(limit.pods), "pod")
            return f"{count} already waiting for a node, which may use this capacity first: {format_names(limit.pods)}"
        case AlwaysUnchecked():
            return _ALWAYS_UNCHECKED


def format_cause(step: CapacityStep) -> str:
    """Why an amount cannot be used."""
    return _CAUSE_TEXTS[step.cause]


def format_copies(room: ClusterCapacity) -> str:
    """`13 copies fit now`, `at least 0 copies fit, at most 4`, `at least 0 copies fit, upper limit unknown`."""
    fit = format_count(room.copies, "copy fits", "copies fit")
    if room.atMost == room.copies:
        return f"{fit} now"
    return f"at least {fit}, {f'at most {room.atMost}' if room.atMost is not None else 'upper limit unknown'}"


def format_answer(room: ClusterCapacity) -> str:
    """The answer in one line: how many fit, how much is free, and where that is."""
    free = f"{format_amount(room.resource, room.free)} of {format_amount(room.resource, room.allocatable)} {room.resource} free"
    out_of_reach = [step for step in room.steps if step.free]
    parts = [f"{format_amount(room.resource, step.free)} {format_cause(step)}" for step in out_of_reach]
    if room.copies and parts:
        parts.insert(0, f"{format_amount(room.resource, room.copies * room.wanted)} usable")
    where = ", ".join(parts)
    return f"{format_copies(room)}: {free}{f' ({where})' if where else ''}"


def format_largest_block(room: ClusterCapacity) -> str:
    """`largest free block on one eligible node: 2 (gpu-4)`."""
    where = f" ({format_names(room.largestOn)})" if room.largestOn else ""
    return f"largest free block on one eligible node: {format_amount(room.resource, room.largest)}{where}"


def format_main_causes(room: ClusterCapacity) -> str:
    """The two causes that make most of the free capacity unusable."""
    steps = sorted((step for step in room.steps if step.free), key=lambda step: -step.free)
    return ", ".join(f"{format_amount(room.resource, step.free)} {format_cause(step)}" for step in steps[:2])


def iter_remarks(room: ClusterCapacity) -> Iterator[tuple[str, str]]:
    """What is unknown and not checked, each with its heading; then what the numbers mean."""
    for reason in room.unknown:
        yield "unknown", reason
    if room.unread:
        yield "unknown", f"allocatable of {format_names(room.unread)} (not in the input)"
    if room.message:
        yield "scheduler", room.message
    for unchecked in room.notJudged:
        yield "not checked", unchecked
    yield from (("note", note) for note in room.notes)
    yield "note", REQUESTED


def format_subject(answer: ClusterCapacityAnswer, room: ClusterCapacity) -> str:
    """The pod, with the requests of one copy unless its description has them."""
    requests = ", ".join(f"{name}={format_amount(name, number)}" for name, number in room.requests.items()) or "no resources"
    return answer.pod if requests in answer.pod else f"{answer.pod}, which requests {requests}"


def format_stale_allocation(room: ClusterCapacity, stale_pod: StaleAllocationRow) -> str:
    """A pod that holds capacity without a running container: what it holds, where, and why."""
    state = (
        "Pending there, its containers have not started"
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
    """`1 of 3 clusters could not be queried`; "" if all could be."""
    failed = sum(cluster.room is None for cluster in clusters)
    return f"{failed} of {format_count(len(clusters), 'cluster')} could not be queried" if failed else ""


# The pod in question, and errors.


def describe_copied_pod(workload: str, pod: str) -> str:
    """A pod like an existing one of a workload."""
    return f"{workload}, like its pod {pod}"


def describe_template(workload: str, file: str) -> str:
    """A pod from the template of a workload in a file."""
    return f"{workload} in {file}"


def describe_invalid_reference(text: str) -> str:
    """That the value of --like cannot be read."""
    return f"--like requires KIND/NAME, not {text!r}: KIND is deploy, ds, sts, rs, job, cj or pod"


def describe_missing_nodes(source: str, cause: str) -> str:
    """That a source has no nodes; `cause` is why, "" if unknown."""
    return f"{source}: no nodes in the input{f': {cause}' if cause else ' (add the output of `kubectl get nodes -o json`)'}"


def describe_missing_workload(source: str, workload: str, other_namespaces: Sequence[str] = (), problem: str = "") -> str:
    """That a source has no such workload, which other namespaces have one, and what could not be read."""
    elsewhere = f"; it exists in {', '.join(other_namespaces)} (use -n)" if other_namespaces else ""
    unread = f"; not all of the input was read: {problem}" if problem else ""
    return f"{source}: {workload} not found{elsewhere}{unread}"


NO_RESOURCE = "no resources"


def describe_requested_pod(parts: Iterable[str]) -> str:
    """A pod by its requests."""
    return f"a pod that requests {' '.join(parts)}"


def describe_invalid_request(text: str) -> str:
    """A value of --request that cannot be read."""
    return f"--request requires RESOURCE=QUANTITY, not {text!r}"


DEVICE_ADVICE = "; a resource of a device plugin has a domain, such as nvidia.com/gpu"


def describe_unknown_resource(text: str, name: str, advice: str) -> str:
    """A value of --request that names no resource."""
    return f"--request {text}: {name!r} is not a resource that the scheduler counts{advice}"


def describe_invalid_quantity(text: str, error: object) -> str:
    """A value of --request with an amount that cannot be read."""
    return f"--request {text}: {error}"


def describe_part_of_device_request(text: str, name: str) -> str:
    """A value of --request with a fraction of a device."""
    return f"--request {text}: {name} requires a whole number"


def describe_invalid_toleration(text: str, effects: Iterable[str]) -> str:
    """A value of --tolerate that cannot be read."""
    return f"--tolerate requires KEY=VALUE:EFFECT, KEY:EFFECT, KEY=VALUE, KEY or *, not {text!r}: EFFECT is {', '.join(effects)}"


def describe_uncountable(pod: str, error: object) -> str:
    """Requests that are no quantities."""
    return f"{pod} has an invalid request: {error}"


def describe_unrequested(resource: str, requested: Sequence[str]) -> str:
    """A --resource that the pod does not request."""
    return f"--resource {resource}: the pod requests {join_and(requested)}, not this resource"


def describe_refusal(reason: object) -> str:
    """A pod that admission refuses."""
    return f"the API server would refuse the pod: {reason}"


def describe_missing_runtime_class(name: str) -> str:
    """A RuntimeClass that does not exist."""
    return f"RuntimeClass {name} not found"
