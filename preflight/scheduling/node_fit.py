"""Whether one node takes one pod, how many copies of it, and all that stands in the way."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from preflight.scheduling.anti_affinity import neighbour_doubts
from preflight.scheduling.filters import TAINT_TOLERATION, Answer, Reason, Wanted, may_be_claimed, node_answers, room_answers
from preflight.scheduling.occupancy import Guard, Held, Occupancy, Room
from preflight.scheduling.uncertainty import Doubt, Unjudged, doubt


class NodeFit(Struct, frozen=True):
    """Whether a node takes a pod, and how many copies of it.

    1. `takes`: True or False where it is certain, None where `doubts`, of the node or of the pod, leave it open.
    2. `reasons` are all that stand in the way, those of later filters too, in the scheduler's order; empty unless it is refused.
    3. `stated` are those that the scheduler says: it stops at the first filter that refuses, and says all that this one found. None
       where it is not certain which they are.
    4. `copies` fit for certain, one after another; `at_most` where all in doubt turns out well, None where nothing bounds it. They are
       equal where `takes` is not None.
    5. `full` is what the scheduler says of the node once `copies` are there; None where `stated` would be.
    6. `preempts`: it takes the pod once pods of lower priority are gone, and refuses it now. None where that is not known.
    """

    node: str
    takes: bool | None
    reasons: tuple[Reason, ...]
    stated: tuple[Reason, ...] | None
    copies: int
    at_most: int | None
    full: tuple[Reason, ...] | None
    preempts: bool | None = False
    doubts: tuple[Doubt, ...] = ()


class Terms(Struct, frozen=True):
    """What holds for a pod on every node.

    1. `doubts` keep any node from taking it for certain; `unlisted` are those of them that concern the pods that are there.
    2. `refusals` are certain: false where another scheduler may do as it likes.
    3. `evicts`: pods of lower priority may have to go for it.
    4. `guards` are the pods whose anti-affinity may select it.
    5. `tolerations` are all known: false where a RuntimeClass may add some, so that a taint need not refuse it. One of the node itself
       (`node.kubernetes.io/`) does all the same: no class tolerates that.
    """

    comparison_operators: bool | None
    claimed: frozenset[str]
    doubts: tuple[Doubt, ...] = ()
    unlisted: tuple[Doubt, ...] = ()
    refusals: bool = True
    evicts: bool = True
    guards: tuple[Guard, ...] = ()
    tolerations: bool = True


def node_fit(wanted: Wanted, room: Room, occupancy: Occupancy, terms: Terms) -> NodeFit:
    """Whether a node takes a pod, with the filters in the order of the scheduler: see NodeFit."""
    fixed = tuple(node_answers(wanted, room.node, terms.comparison_operators))
    held = room.held(wanted.priority)
    answers = (*fixed, *room_answers(wanted, room, held, 0, terms.claimed, terms.unlisted))
    reasons = tuple(reason for answer in answers for reason in answer.reasons)
    doubts = [each for answer in answers for each in answer.doubts if each not in terms.doubts]
    doubts += neighbour_doubts(terms.guards, room.node, occupancy)
    if wanted.priority is None and any(each.nominated for each in room.taken):
        doubts.append(doubt(Unjudged.PREEMPTION))
    name = room.node.name
    if reasons and terms.refusals and (terms.tolerations or not _may_be_tolerated(reasons)):
        stated = _stated(answers)
        preempts = _preempts(wanted, room, held, terms, fixed, reasons)
        return NodeFit(name, False, reasons, stated, 0, 0, stated, preempts, tuple(doubts))
    most = _most(wanted, room, held, terms.claimed) if terms.refusals else None
    if doubts or terms.doubts:
        return NodeFit(name, None, reasons, None, 0, most, None, None, tuple(doubts))
    copies = most or 0
    full = _stated(tuple(room_answers(wanted, room, held, copies, terms.claimed, ())))
    return NodeFit(name, True, (), (), copies, copies, full)


def _may_be_tolerated(reasons: Sequence[Reason]) -> bool:
    """Whether nothing but taints stands in the way, and none of them is one of the node itself."""
    return all(
        reason.plugin == TAINT_TOLERATION and not any(taint.key.startswith("node.kubernetes.io/") for taint in reason.taints)
        for reason in reasons
    )


def _stated(answers: Sequence[Answer]) -> tuple[Reason, ...] | None:
    """The reasons of the first filter that refuses; None where one before it, or itself, is in doubt."""
    first = next((answer for answer in answers if answer.doubts or answer.reasons), None)
    return first.reasons if first and not first.doubts else None


def _most(wanted: Wanted, room: Room, held: Held, claimed: frozenset[str]) -> int | None:
    """How many copies what is left has room for, by all of it that is known."""
    bounds = [1] if wanted.ports else []
    if room.allocatable is not None:
        if "pods" not in room.unreadable:
            bounds.append(room.allocatable.get("pods", 0) - held.pods)
        for name, amount in (wanted.requests or {}).items():
            if amount and name not in room.unreadable and not may_be_claimed(name, room, claimed):
                bounds.append((room.allocatable.get(name, 0) - held.amounts.get(name, 0)) // amount)
    return min(bounds) if bounds else None


def _preempts(wanted: Wanted, room: Room, held: Held, terms: Terms, fixed: Sequence[Answer], reasons: Sequence[Reason]) -> bool | None:
    """Whether the node would take the pod once every pod of lower priority were gone from it.

    Source: `pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go`, SelectVictimsOnNode.
    """
    if not terms.evicts or any(reason.lasting for reason in reasons):
        return False
    if terms.unlisted:
        return None
    if wanted.priority is None:
        return None if held.pods else False
    staying = room.held_above(wanted.priority)
    if staying.pods == held.pods:
        return False
    answers = (*fixed, *room_answers(wanted, room, staying, 0, terms.claimed, ()))
    if any(answer.reasons for answer in answers):
        return False
    return None if terms.doubts or any(answer.doubts for answer in answers) else True
