"""Whether new pods of DaemonSets fit on their nodes, in words: the obstacle, which pod causes it, and what the DaemonSet loses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from preflight.messages.amounts import format_amount
from preflight.messages.counts import format_count
from preflight.messages.lists import join_and, join_limited, join_node_names
from preflight.model.fit_reasons import (
    FilterRefusal,
    FitDoubt,
    FitObstacle,
    PodLimitReached,
    PortConflict,
    ResourceShortage,
    StaysPending,
    VolumeElsewhere,
)
from preflight.model.reasons import LossCause, PartialLoss
from preflight.model.uncertainty import Uncertainty

_ENDINGS = {
    LossCause.UPDATED: "its update deletes the pod, and the new one stays Pending",
    LossCause.ENDED: "the pod ends, and the new one stays Pending",
}
PORT_HELP = "use another port for one of the two, or keep one of them off these nodes"
ROOM_HELP = "lower its requests, free capacity on the node, or give it a priority class above that of other pods"


class ObstacleExample(Struct, frozen=True):
    """What is in the way of a new pod on one node; `is_shared`: it is the same on every node that a message is about."""

    node: str
    obstacles: tuple[FitObstacle, ...]
    is_shared: bool = True


def describe_obstacle(obstacle: FitObstacle) -> str:
    """What is in the way of a pod: `requests 500m cpu, but 200m of 2 are free`."""
    match obstacle:
        case ResourceShortage(resource, requested, free, allocatable):
            wanted = f"requests {format_amount(resource, requested)} {resource}"
            if free is None or allocatable is None:
                return f"{wanted}, but less is free"
            if not allocatable:
                return f"{wanted}, but the node offers none"
            if requested > allocatable:
                return f"{wanted}, but the node has only {format_amount(resource, allocatable)}"
            return f"{wanted}, but {format_amount(resource, free)} of {format_amount(resource, allocatable)} are free"
        case PortConflict(number, protocol, owner, pod):
            return f"port {number} ({protocol}) of the node is used by {_name_holder(owner, pod)}"
        case PodLimitReached(allowed):
            return f"the node already has its maximum of {format_count(allowed, 'pod')}"
        case VolumeElsewhere(claim, volume):
            return f"PersistentVolume {volume} of its claim {claim} can only be used on other nodes"
        case FilterRefusal(text):
            return text.removeprefix("node(s) ")


def _name_holder(owner: str, pod: str) -> str:
    if not pod:
        return owner or "another pod"
    return f"pod {pod} ({owner})" if owner else f"pod {pod}"


def describe_obstacles(obstacles: Iterable[FitObstacle]) -> str:
    """All that is in the way."""
    return join_and(map(describe_obstacle, obstacles))


def describe_fit_reason(reason: StaysPending | FitDoubt) -> str:
    """Why a pod that is created does not run, or may not."""
    return describe_stays_pending(reason) if isinstance(reason, StaysPending) else describe_fit_doubt(reason)


def describe_stays_pending(reason: StaysPending) -> str:
    """Why a new pod is not bound, as a reason."""
    return f"the new pod stays Pending: {describe_obstacles(reason.obstacles)}"


def describe_fit_doubt(doubt: FitDoubt) -> str:
    """Why it is not known whether a new pod is bound, as a reason."""
    if doubt.preemptors:
        return f"the new pod of {join_and(doubt.preemptors)} has a higher priority, and the scheduler may evict this one for it"
    if doubt.rivals:
        return f"its new pod and that of {join_and(doubt.rivals)} do not both fit, and it is unknown which one is bound first"
    return f"unknown whether the new pod is bound: {describe_doubts(doubt.uncertainties)}"


def describe_doubts(uncertainties: Iterable[Uncertainty]) -> str:
    """What keeps a fit from being known."""
    from preflight.messages.uncertainty import describe_uncertainty  # it speaks of ordinary pods too, which few runs read

    return join_and(dict.fromkeys(map(describe_uncertainty, uncertainties)))


def describe_example(example: ObstacleExample) -> str:
    """What is in the way, with the facts of one node, which is named where others differ."""
    said = describe_obstacles(example.obstacles)
    return said if example.is_shared else f"{said} (on {example.node})"


def describe_loss_without_fit(nodes: Sequence[str], cause: LossCause, example: ObstacleExample, partial: PartialLoss | None) -> str:
    """PF101 where a pod gives way to one that is not bound."""
    ending = f"{_ENDINGS[cause]}: {describe_example(example)}"
    if partial is None:
        return f"loses {join_node_names(nodes)} now: {ending}"
    fewest, most = partial.lost_range
    number = str(most) if fewest == most else f"{fewest} to {most}"
    return f"loses {number} of {join_node_names(partial.nodes)} now, unknown which: {ending}; then the update stops"


def describe_recreation_without_fit(nodes: Sequence[str], example: ObstacleExample) -> str:
    """PF102 where the successor of a pod is not bound."""
    cause = f"the new pod stays Pending ({describe_example(example)})"
    return f"will not come back on {join_node_names(nodes)} when its pods are re-created: {cause}"


def describe_pending_pod(nodes: Sequence[str], example: ObstacleExample, *, is_new: bool) -> str:
    """PF122."""
    return f"{'is new and stays' if is_new else 'stays'} Pending on {join_node_names(nodes)}: {describe_example(example)}"


def describe_preemption(nodes: Sequence[str], victims: Sequence[str], example: ObstacleExample) -> str:
    """PF123."""
    pods = "a pod" if len(victims) == 1 else "pods"
    where = f"starts on {join_node_names(nodes)} only by preempting {pods} of lower priority"
    return f"{where} ({join_limited(victims, 'pods')}): {describe_example(example)}"


def note_unknown_fit(uncertainties: Iterable[Uncertainty]) -> str:
    """The note on a pod that is created, where the input does not hold all that decides whether it is bound."""
    return f"unknown whether it is bound: {describe_doubts(uncertainties)}"
