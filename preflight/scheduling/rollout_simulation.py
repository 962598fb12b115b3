"""The course of an update: what it leaves on each node once the controller has nothing more to do, and what holds it up."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from preflight.model.apps import DaemonSetSpec
from preflight.scheduling.update_strategy import uses_surge
from preflight.scheduling.validation import resolve_int_or_percent


class NewPodOutcome(Enum):
    """What becomes of a new pod: READY, bound but never Ready, never bound to its node, or never created (quota, webhook)."""

    READY = "ready"
    UNREADY = "unready"
    PENDING = "pending"
    REFUSED = "refused"


class LivePod(Enum):
    """The live pod of a node: none, one of an old template, or one of the template that the update brings."""

    NONE = "none"
    OLD = "old"
    NEW = "new"


class _UpdateMethod(Enum):
    """How an update replaces old pods: not at all (OnDelete), by deleting them first, or by creating new ones first (maxSurge above 0)."""

    ON_DELETE = "on-delete"
    DELETE_FIRST = "delete-first"
    SURGE = "surge"


class UpdateBehavior(NamedTuple):
    """What the controller of a cluster does in an update that older ones do not: see `versions.Behavior`."""

    counts_unavailable: bool = True
    removes_unwanted: bool = True


NEWEST_BEHAVIOR = UpdateBehavior()


class UpdateCohort(Struct, frozen=True, gc=False):
    """Nodes that an update cannot tell apart.

    1. `should_run` and `may_stay` are the placement of the new template.
    2. `pod` is the live pod there, `is_available` whether it is available. `is_terminating`: a pod there is terminating.
    3. `is_kubelet_silent`: the kubelet says nothing. A pod that is deleted hangs in Terminating, and no new one becomes Ready.
    4. `new_pod` is what becomes of a new pod; `is_crowded`: it is not bound while an old one is on the node, a terminating one included.
    5. `is_surging`: a new pod that finds no room waits beside the old one. `is_waiting`: one waits where no live pod is, and goes on
       waiting (`new_pod` is PENDING).
    6. `is_deregistered`: the Node object is deleted before the pod that was there, and is created again.
    """

    count: int
    should_run: bool
    may_stay: bool
    pod: LivePod = LivePod.NONE
    is_available: bool = True
    is_terminating: bool = False
    is_kubelet_silent: bool = False
    new_pod: NewPodOutcome = NewPodOutcome.READY
    is_crowded: bool = False
    is_surging: bool = False
    is_waiting: bool = False
    is_deregistered: bool = False


class PodsOnNode(NamedTuple):
    """The pods on a node: the one from before, a new one (`is_bound` or waiting for that), and one that hangs in Terminating."""

    has_previous: bool = False
    has_new: bool = False
    is_bound: bool = True
    hangs: bool = False


class UpdateEnd(Struct, frozen=True, gc=False):
    """What an update comes to on the nodes of a part.

    1. `reached_range` is what is there where their turn came, `unreached` where it did not; the two are equal where there is no turn to
       wait for.
    2. `fewest` and `most` are how many of the nodes it reaches; equal and neither 0 nor all: how many is certain, which ones is chance.
    3. `holds`: a node that is reached uses a part of the budget up for good.
    4. `waits`: an available old pod has to wait for the budget. `awaits_removal`: with a surge, it should not run there, and goes only once
       enough others are available.
    5. `is_available`: its nodes have an available pod in the end, the old one or a new one.
    """

    count: int
    reached: PodsOnNode
    unreached: PodsOnNode
    fewest: int
    most: int
    holds: bool = False
    waits: bool = False
    awaits_removal: bool = False
    is_available: bool = False

    @property
    def possible_states(self) -> tuple[PodsOnNode, ...]:
        """What may be on any one of the nodes."""
        return tuple(dict.fromkeys((*([self.reached] if self.most else []), *([self.unreached] if self.fewest < self.count else []))))


class UpdateForecast(Struct, frozen=True):
    """The course of an update to its end.

    1. `desired` is the number of nodes that should run the new template, `budget` what maxUnavailable or maxSurge comes to with it (0
       under OnDelete), `is_surge` which of the two counts.
    2. `blocked_nodes` is how many nodes use the budget up whatever the update does with the pods that wait for it.
    3. `waiting_nodes` is the number of nodes with an available old pod that waits for its turn, `failing_nodes` how many of them would use
       the budget up for good, `failing_reached` how many of those are reached.
    4. `removable_pods` is the number of available old pods that a surge takes once enough others are available, `removable_kept` how many
       of them stay, at least and at most.
    5. `ends` has an end for each part, in their order.
    6. `first_batch` is how many available old pods an older controller deletes before it counts those that are not available, at least and
       at most; it never deletes fewer.
    """

    desired: int
    budget: int
    is_surge: bool
    blocked_nodes: int
    waiting_nodes: int
    failing_nodes: int
    failing_reached: int
    removable_pods: int
    removable_kept: tuple[int, int]
    ends: tuple[UpdateEnd, ...]
    first_batch: tuple[int, int] = (0, 0)

    @property
    def may_stop(self) -> bool:
        """Whether old pods that wait for the budget may be left behind, or new ones never get their place."""
        return any(end.waits and end.unreached in end.possible_states for end in self.ends) or (self.is_surge and self.failing_reached > 0)

    @property
    def reached_range(self) -> tuple[int, int]:
        """How many of the waiting nodes the update reaches, at least and at most."""
        left = self.budget - self.blocked_nodes
        if self.failing_nodes < left:
            return self.waiting_nodes, self.waiting_nodes
        most = self.failing_reached + (self.waiting_nodes - self.failing_nodes if left > 0 else 0)
        return max(self.failing_reached, self.first_batch[0]), max(most, self.first_batch[1])

    @property
    def failing_range(self) -> tuple[int, int]:
        """How many of the nodes that would use the budget up for good the update reaches, at least and at most."""
        return _find_failing_range(self.failing_reached, self.waiting_nodes, self.failing_nodes, self.first_batch)


def simulate_update(
    spec: DaemonSetSpec, desired: int, cohorts: Sequence[UpdateCohort], behavior: UpdateBehavior = NEWEST_BEHAVIOR
) -> UpdateForecast:
    """How an update ends, where nothing changes but by it.

    1. A pod that may not stay is deleted at once, whatever the strategy; a wanted node without a pod gets a new one. Without a surge a
       pod that hangs in Terminating blocks the new one.
    2. OnDelete does nothing else.
    3. maxSurge 0: an old pod that is not available is deleted at once. Available ones are deleted while fewer than maxUnavailable nodes
       lack an available pod. These are the nodes whose pod is terminating or not available, one that is not bound and should not run
       there included, and the wanted ones without a pod.
    4. maxSurge above 0: where the old pod is not available, a new one is created at once, and the old one goes. Beside available ones up to
       maxSurge new ones are created, and each old one goes once its new one is available. Where the DaemonSet should not run, a pod that
       is not available goes at once, and of the available ones as many stay as wanted nodes lack an available pod. One that a new pod
       waits beside is none of these: it stays while it is Ready, and the new one, which will never be bound there, uses up the budget.
    5. The order of nodes is random. An update goes through where fewer nodes than the budget end without an available pod; else it stops
       once as many are reached as the budget has left, and may have reached any of the others before.
    6. Ready counts as available: `minReadySeconds` are over at the end.
    7. An older controller (`counts_unavailable` is False) does not count old pods that are not available until it has deleted them: with
       them it deletes as many available ones as the other nodes leave of maxUnavailable, and goes on as above.
    8. An older one with a surge (`removes_unwanted` is False) also creates new pods where the DaemonSet should not run: they stay Pending.
    9. While a Node object is missing its node is not wanted, and the pod that is still there counts as available. A surge that is looked at
       then, which is chance, keeps one pod fewer where the DaemonSet should not run.

    `desired` is the number of nodes that should run the new template, `behavior` what the controller does.

    Source: `pkg/controller/daemon/update.go` (rollingUpdate, updatedDesiredNodeCounts), `daemon_controller.go` (podsShouldBeOnNode).
    """
    rolling, on_delete = spec.updateStrategy.rollingUpdate, spec.updateStrategy.type == "OnDelete"
    surge = 0 if on_delete else resolve_int_or_percent(rolling.maxSurge, desired, default=0)
    budget = surge or (0 if on_delete else resolve_int_or_percent(rolling.maxUnavailable, desired, default=1))
    if desired and not budget and not on_delete:
        budget = 1  # what the API server refuses: the controller takes it for the default
    beside = uses_surge(spec)
    method = _UpdateMethod.ON_DELETE if on_delete else _UpdateMethod.SURGE if surge else _UpdateMethod.DELETE_FIRST
    ends = [_simulate_cohort(cohort, method, allows_two_pods=beside, removes_unwanted=behavior.removes_unwanted) for cohort in cohorts]
    if surge:  # nodes without a live old pod take no part of it
        ends = [replace(end, holds=end.holds and (end.waits or cohort.is_surging)) for end, cohort in zip(ends, cohorts, strict=True)]
    held = sum(end.count for end in ends if end.holds and not end.waits)
    waiting = sum(end.count for end in ends if end.waits)
    bad = sum(end.count for end in ends if end.waits and end.holds)
    bad_reached = min(bad, max(budget - held, 0))
    removable_pods = sum(end.count for end in ends if end.awaits_removal)
    available = sum(end.count for end in ends if end.is_available)
    batch = (0, 0)
    if method is _UpdateMethod.DELETE_FIRST and not behavior.counts_unavailable:
        batch = _count_first_batch(cohorts, ends, budget)
    lacking = max(desired - available, 0)
    lacking_meanwhile = max(lacking - sum(cohort.count for cohort in cohorts if cohort.is_deregistered), 0)
    kept = (min(removable_pods, lacking_meanwhile), min(removable_pods, lacking))
    return UpdateForecast(
        desired,
        budget,
        surge > 0,
        held,
        waiting,
        bad,
        bad_reached,
        removable_pods,
        kept,
        tuple(
            _limit_removal(end, removable_pods, kept) if end.awaits_removal else _limit_end(end, waiting, bad, max(budget - held, 0), batch)
            for end in ends
        ),
        batch,
    )


def _count_first_batch(cohorts: Sequence[UpdateCohort], ends: Sequence[UpdateEnd], budget: int) -> tuple[int, int]:
    """How many available old pods the first look of an older controller deletes: see `simulate_update`, rule 7.

    A node that lacks a pod for a moment only may have one by then.
    """
    held, passing, waiting = 0, 0, 0
    for cohort, end in zip(cohorts, ends, strict=True):
        if end.waits:
            waiting += end.count
        elif cohort.pod is not LivePod.OLD and end.holds:
            held += end.count
        elif cohort.is_terminating or not cohort.may_stay or (cohort.pod is LivePod.NONE and cohort.should_run):
            passing += end.count
    return min(max(budget - held - passing, 0), waiting), min(max(budget - held, 0), waiting)


def _limit_removal(end: UpdateEnd, removable_pods: int, removable_kept: tuple[int, int]) -> UpdateEnd:
    """An end with how many of its nodes lose a pod that a surge takes."""
    fewest, most = removable_pods - removable_kept[1], removable_pods - removable_kept[0]
    return _set_reach(end, max(fewest - (removable_pods - end.count), 0), min(end.count, most))


def _limit_end(end: UpdateEnd, waiting_nodes: int, failing_nodes: int, left: int, first_batch: tuple[int, int]) -> UpdateEnd:
    """An end with how many of its nodes are reached, where `failing_nodes` nodes can use up what is `left` of the budget for good."""
    if not end.waits or failing_nodes < left:
        return end
    fewest, most = first_batch
    if left and end.holds:
        fewest, most = _find_failing_range(left, waiting_nodes, failing_nodes, first_batch)
        return _set_reach(end, max(fewest - (failing_nodes - end.count), 0), min(end.count, most))
    return _set_reach(end, max(fewest - (waiting_nodes - end.count), 0), end.count if left else min(end.count, most))


def _find_failing_range(reached: int, waiting_nodes: int, failing_nodes: int, first_batch: tuple[int, int]) -> tuple[int, int]:
    """How many failing nodes are reached, where `reached` are so in any case and the first batch may have more of them."""
    fewest, most = first_batch
    return max(reached, fewest - (waiting_nodes - failing_nodes)), max(reached, min(most, failing_nodes))


def _set_reach(end: UpdateEnd, fewest: int, most: int) -> UpdateEnd:
    return replace(end, fewest=fewest, most=most)


def _simulate_cohort(cohort: UpdateCohort, method: _UpdateMethod, *, allows_two_pods: bool, removes_unwanted: bool) -> UpdateEnd:
    """What is there where the turn of a part came, and where it did not, as if all were reached.

    `allows_two_pods`: the strategy allows two pods on a node. `removes_unwanted`: a surge removes pods where the DaemonSet should not run.
    """
    same = PodsOnNode(has_previous=True)
    if not cohort.may_stay:
        hangs = cohort.is_kubelet_silent and (cohort.pod is not LivePod.NONE or cohort.is_terminating)
        return _make_end(cohort, PodsOnNode(hangs=hangs), holds=hangs)
    if cohort.pod is LivePod.NONE:
        hangs = cohort.is_kubelet_silent and cohort.is_terminating
        if cohort.is_waiting:
            return _make_end(cohort, PodsOnNode(has_new=True, is_bound=False, hangs=hangs), holds=True)
        if not cohort.should_run or (hangs and not allows_two_pods):
            return _make_end(cohort, PodsOnNode(hangs=hangs), holds=hangs)
        return _make_end(cohort, _make_new_pod(cohort, hangs=hangs), holds=not _becomes_ready(cohort))
    if cohort.pod is LivePod.NEW or method is _UpdateMethod.ON_DELETE:
        return _make_end(cohort, same, holds=cohort.pod is LivePod.NEW and not cohort.is_available)
    if method is _UpdateMethod.DELETE_FIRST:
        replaced = (
            PodsOnNode(hangs=cohort.is_kubelet_silent) if cohort.is_kubelet_silent or not cohort.should_run else _make_new_pod(cohort)
        )
        return _make_end(
            cohort,
            replaced,
            same,
            holds=cohort.is_kubelet_silent or (cohort.should_run and not _becomes_ready(cohort)),
            waits=cohort.is_available,
        )
    if not cohort.should_run and cohort.is_surging and cohort.is_available:
        return _make_end(cohort, PodsOnNode(has_previous=True, has_new=True, is_bound=False), holds=True)
    if not cohort.should_run and removes_unwanted:
        return _make_end(cohort, PodsOnNode(hangs=cohort.is_kubelet_silent), same, awaits_removal=cohort.is_available)
    if not cohort.should_run and cohort.new_pod is not NewPodOutcome.REFUSED:
        cohort = replace(cohort, new_pod=NewPodOutcome.PENDING)
    if cohort.new_pod is NewPodOutcome.REFUSED:
        return _make_end(cohort, same)
    if not cohort.is_available:
        return _make_end(cohort, _make_new_pod(cohort, hangs=cohort.is_kubelet_silent))
    if _becomes_ready(cohort) and not cohort.is_crowded:
        return _make_end(cohort, PodsOnNode(has_new=True), same, waits=True)
    return _make_end(
        cohort,
        PodsOnNode(has_previous=True, has_new=True, is_bound=cohort.new_pod is not NewPodOutcome.PENDING and not cohort.is_crowded),
        same,
        holds=True,
        waits=True,
    )


def _make_end(
    cohort: UpdateCohort,
    reached: PodsOnNode,
    unreached: PodsOnNode | None = None,
    *,
    holds: bool = False,
    waits: bool = False,
    awaits_removal: bool = False,
) -> UpdateEnd:
    """An end that reaches all of its nodes; `unreached` counts only where they wait for something."""
    available = cohort.is_available if reached.has_previous else reached.has_new and _becomes_ready(cohort)
    unreached = unreached if unreached is not None and (waits or awaits_removal) else reached
    if cohort.is_terminating and cohort.is_kubelet_silent:
        reached, unreached = reached._replace(hangs=True), unreached._replace(hangs=True)
    return UpdateEnd(cohort.count, reached, unreached, cohort.count, cohort.count, holds, waits, awaits_removal, available)


def _becomes_ready(cohort: UpdateCohort) -> bool:
    """Whether a new pod becomes Ready."""
    return cohort.new_pod is NewPodOutcome.READY and not cohort.is_kubelet_silent


def _make_new_pod(cohort: UpdateCohort, *, hangs: bool = False) -> PodsOnNode:
    """A new pod without an old live one, beside one that hangs perhaps."""
    if cohort.new_pod is NewPodOutcome.REFUSED:
        return PodsOnNode(hangs=hangs)
    return PodsOnNode(has_new=True, is_bound=cohort.new_pod is not NewPodOutcome.PENDING and not (cohort.is_crowded and hangs), hangs=hangs)
