"""The capacity for a new pod in words: amounts, causes, answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from preflight.messages.counts import format_count
from preflight.messages.lists import format_names
from preflight.model.capacity import CapacityStep, ClusterCapacity, ClusterCapacityAnswer, StaleAllocationRow
from preflight.model.capacity_reasons import CapacityLossCause, StaleReason

_BINARY = (("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10))
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
REQUESTED = "requested is not utilised: what pods have asked for counts, whether or not they use it"


def format_amount(resource: str, number: int | None) -> str:
    """An amount as people write it: cpu `1500m` or `2`, memory in the largest unit with one decimal, all else as it is; `?` for None."""
    if number is None:
        return "?"
    if resource == "cpu":
        return str(number // 1000) if number % 1000 == 0 else f"{number}m"
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        for unit, bits in _BINARY:
            if number >= 1 << bits:
                whole = f"{number / (1 << bits):.1f}"
                return f"{whole.removesuffix('.0')}{unit}"
    return str(number)


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
