"""Updates of DaemonSets in words: where one stops and why, and what it leaves on the nodes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from preflight.messages.lists import join_and, join_node_names
from preflight.model.reasons import BlockingCause

_CAUSES = {
    BlockingCause.NODE_NOT_READY: "{0} {1} not Ready: it is not known whether new pods become Ready there",
    BlockingCause.POD_NOT_READY: "{0} {1} not Ready: it is not known whether {2} successor becomes Ready",
    BlockingCause.POD_MISSING: "{0} {3} no pod though one should run there: it is not known whether a new one starts",
    BlockingCause.DOES_NOT_FIT: "{0}: the new pod does not fit there and stays Pending",
    BlockingCause.POSSIBLE_POD: (
        "{0}: no kubelet answers there, and if a pod is there (none were given) it hangs in Terminating once deleted"
    ),
    BlockingCause.SILENT: "{0}: no kubelet answers there, so a deleted pod hangs in Terminating and a new one does not start",
}

NEW_PODS_STAY_PENDING = "the new pods stay Pending"
MAKE_PODS_FIT = "ask for less in the new template, or make room on these nodes: a larger budget loses more pods"
MAY_STAND_STILL = (
    "may stand still during its update until something happens to one of its pods: with maxSurge and minReadySeconds the "
    "controller can miss that a new pod has become available"
)


class UpdateResult(Struct, frozen=True):
    """What an update leaves on the nodes, each node in one of the sets.

    1. `keeping`: the old pod stays, and beside `waiting_beside` of them a new one waits. `waiting` and `removable`: on `waiting_kept` and
       `removable_kept` of them (at least and at most) the old pod stays, and which ones is chance.
    2. `new`: a new pod. `failing`: a new pod that does not become Ready. `hanging`: the old pod hangs in Terminating, with a new one that
       does not start beside it on `hanging_beside`. `losing`: no pod any more.
    """

    keeping: frozenset[str]
    waiting_beside: int
    waiting: frozenset[str]
    waiting_kept: tuple[int, int]
    removable: frozenset[str]
    removable_kept: tuple[int, int]
    new: frozenset[str]
    failing: frozenset[str]
    hanging: frozenset[str]
    hanging_beside: frozenset[str]
    losing: frozenset[str]


def describe_result(result: UpdateResult) -> str:
    """`8 nodes keep the old pod (n1, ...), 2 nodes get a new one (n5, n6), 1 node hangs in Terminating (n3)`.

    Where it is chance which nodes are reached, how many are: `2 to 3 of 4 nodes keep the old pod, which ones is chance (n1, n2, n3, n4)`.
    """
    beside = f", and beside {'it' if len(result.keeping) == 1 else f'{result.waiting_beside} of them'} a new one waits"
    pieces = [
        _format_many(result.keeping, "keeps the old pod", "keep the old pod")
        + (beside if result.keeping and result.waiting_beside else ""),
        _format_range(result.waiting, *result.waiting_kept),
        _format_range(result.removable, *result.removable_kept),
        _format_many(result.new, "gets a new pod", "get a new pod"),
        _format_many(result.failing, "gets one that does not become Ready", "get one that does not become Ready"),
        _format_many(result.hanging, "hangs in Terminating", "hang in Terminating"),
        _format_many(
            result.hanging_beside,
            "has a new pod that does not start beside the one that hangs",
            "have a new pod that does not start beside the one that hangs",
        ),
        _format_many(result.losing, "loses its pod for good", "lose their pods for good"),
    ]
    return "; ".join(piece for piece in pieces if piece)


def _format_many(nodes: Collection[str], singular: str, plural: str) -> str:
    return (
        f"{len(nodes)} node{'s' * (len(nodes) > 1)} {singular if len(nodes) == 1 else plural} ({join_node_names(sorted(nodes))})"
        if nodes
        else ""
    )


def _format_range(nodes: Collection[str], at_least: int, at_most: int) -> str:
    if not nodes:
        return ""
    number = str(at_least) if at_least == at_most else f"{at_least} to {at_most}"
    return f"{number} of {len(nodes)} nodes keep the old pod, which ones is chance ({join_node_names(sorted(nodes))})"


def describe_blocking_cause(cause: BlockingCause, places: Sequence[str]) -> str:
    """Why nodes use the budget up; `places` are the nodes, or `pod on node`."""
    return _CAUSES[cause].format(join_node_names(places), *(("is", "its", "has") if len(places) == 1 else ("are", "their", "have")))


def describe_conflict(nodes: Sequence[str], surge: object, ports: Sequence[int], resources: Sequence[str]) -> str:
    """PF105 where a new pod cannot start beside the old one: both take these ports of the node, or too much of these resources."""
    cause = (
        f", which holds port{'s' * (len(ports) > 1)} {join_and(ports)} of the node"
        if ports
        else f", and there is too little {join_and(resources)} for both"
    )
    return f"cannot finish its update on {join_node_names(nodes)}: maxSurge {surge} starts each new pod beside the old one{cause}"


def describe_conflict_help(ports: Sequence[int]) -> str:
    """What to do about such a conflict."""
    takes = "takes ports of the node" if ports else "takes most of what its nodes have"
    return f"set maxSurge to 0 and maxUnavailable to 1 for a DaemonSet that {takes}"


def describe_used_budget(nodes: Sequence[str], budget: int, *, is_certain: bool, is_at_start: bool, has_surge: bool) -> str:
    """PF105 where nodes without an available pod use the budget up."""
    where = "at the start" if is_at_start else "in the middle"
    who = f"{join_node_names(nodes)} {'has' if len(nodes) == 1 else 'have'}"
    lack = "no available new pod" if has_surge else "no available pod"
    return (
        f"{'stops' if is_certain else 'may stop'} {where} of its update: {who} {lack}, and {get_limit(has_surge=has_surge)} allows {budget}"
    )


def describe_used_budget_help(needed: int, *, has_surge: bool) -> str:
    """What to do about a budget that is used up."""
    return f"mend these nodes or pods first, or raise {get_limit(has_surge=has_surge)} to {needed}"


def describe_zero_budget(limit_value: object, *, has_surge: bool) -> str:
    """PF105 where a percentage of no node allows nothing."""
    return f"does not begin its update: no node should run it, and {get_limit(has_surge=has_surge)} {limit_value} of none is 0"


def describe_hanging(nodes: Sequence[str]) -> str:
    """PF105 where an update that completes leaves pods hanging."""
    return f"leaves a pod in Terminating on {join_node_names(nodes)}: no kubelet answers there"


def get_limit(*, has_surge: bool) -> str:
    """The field that limits an update."""
    return "maxSurge" if has_surge else "maxUnavailable"
