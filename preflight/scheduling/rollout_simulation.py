"""The course of an update: what it leaves on each node once the controller has nothing more to do, and what holds it up."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from preflight.model.objects import DaemonSetSpec
from preflight.scheduling.rollout import surges
from preflight.scheduling.validation import scaled


class Start(Enum):
    """What becomes of a new pod: READY, bound but never Ready, never bound to its node, or never created (quota, webhook)."""

    READY = "ready"
    UNREADY = "unready"
    PENDING = "pending"
    REFUSED = "refused"


class Pod(Enum):
    """The live pod of a node: none, one of an old template, or one of the template that the update brings."""

    NONE = "none"
    OLD = "old"
    NEW = "new"


class Part(Struct, frozen=True, gc=False):
    """Nodes that an update cannot tell apart.

    1. `should_run` and `may_stay` are the placement of the new template.
    2. `pod` is the live pod there, `ready` whether it is available. `leaving`: a pod there is terminating.
    3. `silent`: the kubelet says nothing. A pod that is deleted hangs in Terminating, and no new one becomes Ready.
    4. `start` is what becomes of a new pod; `crowded`: it is not bound while an old one is on the node, a terminating one included.
    """

    count: int
    should_run: bool
    may_stay: bool
    pod: Pod = Pod.NONE
    ready: bool = True
    leaving: bool = False
    silent: bool = False
    start: Start = Start.READY
    crowded: bool = False


class There(NamedTuple):
    """The pods on a node: the one from before, a new one (`bound` or waiting for that), and one that hangs in Terminating."""

    same: bool = False
    new: bool = False
    bound: bool = True
    hangs: bool = False


class End(Struct, frozen=True, gc=False):
    """What an update comes to on the nodes of a part.

    1. `reached` is what is there where their turn came, `left` where it did not; the two are equal where there is no turn to wait for.
    2. `fewest` and `most` are how many of the nodes it reaches; equal and neither 0 nor all: how many is certain, which ones is chance.
    3. `holds`: a node that is reached uses a part of the budget up for good.
    4. `waits`: an available old pod has to wait for the budget. `sunset`: with a surge, it should not run there, and goes only once
       enough others are available.
    5. `available`: its nodes have an available pod in the end, the old one or a new one.
    """

    count: int
    reached: There
    left: There
    fewest: int
    most: int
    holds: bool = False
    waits: bool = False
    sunset: bool = False
    available: bool = False

    @property
    def possible(self) -> tuple[There, ...]:
        """What may be on any one of the nodes."""
        return tuple(dict.fromkeys((*([self.reached] if self.most else []), *([self.left] if self.fewest < self.count else []))))


class Course(Struct, frozen=True):
    """The course of an update to its end.

    1. `desired` is the number of nodes that should run the new template, `budget` what maxUnavailable or maxSurge comes to with it (0
       under OnDelete), `surge` which of the two counts.
    2. `held` is how many nodes use the budget up whatever the update does with the pods that wait for it.
    3. `waiting` is the number of nodes with an available old pod that waits for its turn, `bad` how many of them would use the budget up
       for good, `bad_reached` how many of those are reached.
    4. `sunset` is the number of available old pods that a surge takes once enough others are available, `sunset_kept` how many stay.
    5. `ends` has an end for each part, in their order.
    """

    desired: int
    budget: int
    surge: bool
    held: int
    waiting: int
    bad: int
    bad_reached: int
    sunset: int
    sunset_kept: int
    ends: tuple[End, ...]

    @property
    def stops(self) -> bool:
        """Whether old pods that wait for the budget may be left behind, or new ones never get their place."""
        return any(end.waits and end.left in end.possible for end in self.ends) or (self.surge and self.bad_reached > 0)

    @property
    def reached(self) -> tuple[int, int]:
        """How many of the waiting nodes the update reaches, at least and at most."""
        left = self.budget - self.held
        if self.bad < left:
            return self.waiting, self.waiting
        return self.bad_reached, self.bad_reached + (self.waiting - self.bad if left > 0 else 0)


def course(spec: DaemonSetSpec, desired: int, parts: Sequence[Part]) -> Course:
    """How an update ends, where nothing changes but by it.

    1. A pod that may not stay is deleted at once, whatever the strategy; a wanted node without a pod gets a new one. Without a surge a
       pod that hangs in Terminating blocks the new one.
    2. OnDelete does nothing else.
    3. maxSurge 0: an old pod that is not available is deleted at once. Available ones are deleted while fewer than maxUnavailable nodes
       lack an available pod. These are the nodes whose pod is terminating or not available, and the wanted ones without a pod.
    4. maxSurge above 0: where the old pod is not available, a new one is created at once, and the old one goes. Beside available ones up to
       maxSurge new ones are created, and each old one goes once its new one is available. Where the DaemonSet should not run, a pod that
       is not available goes at once, and of the available ones as many stay as wanted nodes lack an available pod.
    5. The order of nodes is random. An update goes through where fewer nodes than the budget end without an available pod; else it stops
       once as many are reached as the budget has left, and may have reached any of the others before.
    6. Ready counts as available: `minReadySeconds` are over at the end.

    `desired` is the number of nodes that should run the new template.

    Source: `pkg/controller/daemon/update.go` (rollingUpdate, updatedDesiredNodeCounts), `daemon_controller.go` (podsShouldBeOnNode).
    """
    rolling, on_delete = spec.updateStrategy.rollingUpdate, spec.updateStrategy.type == "OnDelete"
    surge = 0 if on_delete else scaled(rolling.maxSurge, desired, default=0)
    budget = surge or (0 if on_delete else scaled(rolling.maxUnavailable, desired, default=1))
    if desired and not budget and not on_delete:
        budget = 1  # what the API server refuses: the controller takes it for the default
    beside = surges(spec)
    ends = [_end(part, surge=surge > 0, beside=beside, on_delete=on_delete) for part in parts]
    if surge:  # nodes without a live old pod take no part of it
        ends = [replace(end, holds=end.holds and end.waits) for end in ends]
    held = sum(end.count for end in ends if end.holds and not end.waits)
    waiting = sum(end.count for end in ends if end.waits)
    bad = sum(end.count for end in ends if end.waits and end.holds)
    bad_reached = min(bad, max(budget - held, 0))
    sunset = sum(end.count for end in ends if end.sunset)
    available = sum(end.count for end in ends if end.available)
    kept = min(sunset, max(desired - available, 0))
    return Course(
        desired,
        budget,
        surge > 0,
        held,
        waiting,
        bad,
        bad_reached,
        sunset,
        kept,
        tuple(_counted(end, bad, max(budget - held, 0), sunset, kept) for end in ends),
    )


def _counted(end: End, bad: int, left: int, sunset: int, kept: int) -> End:
    """An end with how many of its nodes are reached, where `left` of the budget can be used up for good by `bad` nodes."""
    if end.sunset:
        gone = sunset - kept
        return _between(end, max(gone - (sunset - end.count), 0), min(end.count, gone))
    if not end.waits or bad < left:
        return end
    if left == 0:
        return _between(end, 0, 0)
    if end.holds:
        return _between(end, max(left - (bad - end.count), 0), min(end.count, left))
    return _between(end, 0, end.count)


def _between(end: End, fewest: int, most: int) -> End:
    return replace(end, fewest=fewest, most=most)


def _end(part: Part, *, surge: bool, beside: bool, on_delete: bool) -> End:
    """What is there where the turn of a part came, and where it did not, as if all were reached.

    `surge`: new pods are created before old ones go. `beside`: the strategy allows two pods on a node.
    """
    same = There(same=True)
    if not part.may_stay:
        hangs = part.silent and (part.pod is not Pod.NONE or part.leaving)
        return _made(part, There(hangs=hangs), holds=hangs)
    if part.pod is Pod.NONE:
        hangs = part.silent and part.leaving
        if not part.should_run or (hangs and not beside):
            return _made(part, There(hangs=hangs), holds=hangs)
        return _made(part, _new(part, hangs=hangs), holds=not _starts(part))
    if part.pod is Pod.NEW or on_delete:
        return _made(part, same, holds=part.pod is Pod.NEW and not part.ready)
    if not surge:
        replaced = There(hangs=part.silent) if part.silent or not part.should_run else _new(part)
        return _made(part, replaced, same, holds=part.silent or (part.should_run and not _starts(part)), waits=part.ready)
    if not part.should_run:
        return _made(part, There(hangs=part.silent), same, sunset=part.ready)
    if part.start is Start.REFUSED:
        return _made(part, same)
    if not part.ready:
        return _made(part, _new(part, hangs=part.silent))
    if _starts(part) and not part.crowded:
        return _made(part, There(new=True), same, waits=True)
    return _made(part, There(same=True, new=True, bound=part.start is not Start.PENDING and not part.crowded), same, holds=True, waits=True)


def _made(part: Part, reached: There, left: There | None = None, *, holds: bool = False, waits: bool = False, sunset: bool = False) -> End:
    """An end that reaches all of its nodes; `left` counts only where they wait for something."""
    available = part.ready if reached.same else reached.new and _starts(part)
    left = left if left is not None and (waits or sunset) else reached
    if part.leaving and part.silent:
        reached, left = reached._replace(hangs=True), left._replace(hangs=True)
    return End(part.count, reached, left, part.count, part.count, holds, waits, sunset, available)


def _starts(part: Part) -> bool:
    """Whether a new pod becomes Ready."""
    return part.start is Start.READY and not part.silent


def _new(part: Part, *, hangs: bool = False) -> There:
    """A new pod without an old live one, beside one that hangs perhaps."""
    if part.start is Start.REFUSED:
        return There(hangs=hangs)
    return There(new=True, bound=part.start is not Start.PENDING and not (part.crowded and hangs), hangs=hangs)
