"""Updates of DaemonSets in words: where one stops and why, and what it leaves on the nodes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from preflight.messages.lists import join_and, join_node_names
from preflight.messages.versions import explain_behavior
from preflight.model.reasons import BlockingCause
from preflight.model.releases import Behavior

_CAUSES = {
    BlockingCause.NODE_NOT_READY: "{0} {1} not Ready: unknown whether new pods become Ready there",
    BlockingCause.POD_NOT_READY: "{0} {1} not Ready: unknown whether {2} replacement becomes Ready",
    BlockingCause.POD_MISSING: "{0} {3} no pod although one should run there: unknown whether a new one starts",
    BlockingCause.DOES_NOT_FIT: "{0}: the new pod does not fit there and stays Pending",
    BlockingCause.POSSIBLE_POD: (
        "{0}: the kubelet does not respond, and a pod there (no pods in the input) would hang in Terminating when deleted"
    ),
    BlockingCause.SILENT: "{0}: the kubelet does not respond, so a deleted pod hangs in Terminating and a new one does not start",
}

NEW_PODS_STAY_PENDING = "the new pods stay Pending"
MAKE_PODS_FIT = "lower the requests in the new template, or free capacity on these nodes: a larger budget loses more pods"
MAY_STAND_STILL = (
    "may stall during its update until one of its pods changes: with maxSurge and minReadySeconds the "
    "controller can miss that a new pod has become available"
)


class UpdateResult(Struct, frozen=True):
    """What an update leaves on the nodes, each node in one of the sets.

    1. `keeping`: the old pod stays, and next to `waiting_beside` of them a new one waits. `waiting` and `removable`: on `waiting_kept` and
       `removable_kept` of them (at least and at most) the old pod stays, and which ones is unknown.
    2. `new`: a new pod. `failing`: a new pod that does not become Ready. `hanging`: the old pod hangs in Terminating, with a new one that
       does not start next to it on `hanging_beside`. `losing`: no pod any more.
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

    Where it is unknown which nodes are reached, how many are: `2 to 3 of 4 nodes keep the old pod, unknown which (n1, n2, n3, n4)`.
    """
    waiting = f", and a new one waits next to {'it' if len(result.keeping) == 1 else f'{result.waiting_beside} of them'}"
    pieces = [
        _format_many(result.keeping, "keeps the old pod", "keep the old pod")
        + (waiting if result.keeping and result.waiting_beside else ""),
        _format_range(result.waiting, *result.waiting_kept),
        _format_range(result.removable, *result.removable_kept),
        _format_many(result.new, "gets a new pod", "get a new pod"),
        _format_many(result.failing, "gets a new pod that does not become Ready", "get a new pod that does not become Ready"),
        _format_many(result.hanging, "hangs in Terminating", "hang in Terminating"),
        _format_many(
            result.hanging_beside,
            "has a new pod that does not start next to the one that hangs",
            "have a new pod that does not start next to the one that hangs",
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
    return f"{number} of {len(nodes)} nodes keep{'s' * (number == '1')} the old pod, unknown which ({join_node_names(sorted(nodes))})"


def describe_blocking_cause(cause: BlockingCause, places: Sequence[str]) -> str:
    """Why nodes use up the budget; `places` are the nodes, or `pod on node`."""
    return _CAUSES[cause].format(join_node_names(places), *(("is", "its", "has") if len(places) == 1 else ("are", "their", "have")))


def describe_conflict(nodes: Sequence[str], surge: object, ports: Sequence[int], resources: Sequence[str]) -> str:
    """PF105 where a new pod cannot start next to the old one: both use these ports of the node, or too much of these resources."""
    cause = (
        f", which holds port{'s' * (len(ports) > 1)} {join_and(ports)} of the node"
        if ports
        else f", and the node has too little {join_and(resources)} for both"
    )
    return f"cannot finish its update on {join_node_names(nodes)}: maxSurge {surge} starts each new pod next to the old one{cause}"


def describe_conflict_help(ports: Sequence[int]) -> str:
    """What to do about such a conflict."""
    cause = "uses ports of the node" if ports else "needs most of the capacity of its nodes"
    return f"set maxSurge to 0 and maxUnavailable to 1 for a DaemonSet that {cause}"


def describe_used_budget(nodes: Sequence[str], budget: int, *, is_certain: bool, is_at_start: bool, has_surge: bool) -> str:
    """PF105 where nodes without an available pod use up the budget."""
    where = "at the start" if is_at_start else "in the middle"
    who = f"{join_node_names(nodes)} {'has' if len(nodes) == 1 else 'have'}"
    lack = "no available new pod" if has_surge else "no available pod"
    return (
        f"{'stops' if is_certain else 'may stop'} {where} of its update: {who} {lack}, and {get_limit(has_surge=has_surge)} allows {budget}"
    )


def explain_update_version(*, has_surge: bool) -> str:
    """The note on an update whose course depends on the version of the controller."""
    if has_surge:
        return f"{explain_behavior(Behavior.SURGE_REMOVES_UNWANTED)}: before, a new pod waits where the DaemonSet should not run"
    return f"{explain_behavior(Behavior.COUNTS_UNAVAILABLE)}: before, the update also takes available pods at its start"


def describe_used_budget_help(needed: int, *, has_surge: bool) -> str:
    """What to do about a budget that is used up."""
    return f"fix these nodes or pods first, or raise {get_limit(has_surge=has_surge)} to {needed}"


def describe_zero_budget(limit_value: object, *, has_surge: bool) -> str:
    """PF105 where a percentage of no node allows nothing."""
    return f"does not start its update: no node should run it, and {get_limit(has_surge=has_surge)} {limit_value} of 0 nodes is 0"


def describe_hanging(nodes: Sequence[str]) -> str:
    """PF105 where an update that completes leaves pods hanging."""
    return f"leaves a pod in Terminating on {join_node_names(nodes)}: the kubelet does not respond there"


def get_limit(*, has_surge: bool) -> str:
    """The field that limits an update."""
    return "maxSurge" if has_surge else "maxUnavailable"
