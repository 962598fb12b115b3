"""The DaemonSet controller and its kubelets in small, step by step in random order: what `course` foretells, played.

Each method follows the function of Kubernetes that its docstring names, over pods as plain records. It knows nothing of `course` but the
parts that it is given.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from preflight.model.apps import DaemonSetSpec
from preflight.scheduling.rollout_simulation import NEWEST_BEHAVIOR, LivePod, NewPodOutcome, PodsOnNode, UpdateBehavior, UpdateCohort
from preflight.scheduling.update_strategy import uses_surge
from preflight.scheduling.validation import resolve_int_or_percent

_PATIENCE = 100


@dataclass
class Played:
    """A pod: of the new template or not, there since before the update, bound, Ready, being deleted."""

    new: bool
    before: bool
    bound: bool = True
    ready: bool = False
    terminating: bool = False


@dataclass
class Place:
    """A node with its pods, the oldest first."""

    part: UpdateCohort
    index: int
    pods: list[Played] = field(default_factory=list)

    @property
    def live(self) -> list[Played]:
        return [pod for pod in self.pods if not pod.terminating]


class Controller:
    """One DaemonSet over nodes, until nothing moves; `behavior` is that of its version."""

    def __init__(
        self, spec: DaemonSetSpec, parts: Sequence[UpdateCohort], chance: random.Random, behavior: UpdateBehavior = NEWEST_BEHAVIOR
    ) -> None:
        self.spec, self.chance, self.behavior = spec, chance, behavior
        self.places = [Place(part, index, list(_pods(part))) for index, part in enumerate(parts) for _ in range(part.count)]
        self.desired = sum(place.part.should_run for place in self.places)
        self.moved = self.refused = False

    def run(self) -> list[tuple[int, PodsOnNode]]:
        """What is on each node in the end, with the place of its part.

        A sync whose creations were refused is tried again, and may then ask for another node.
        """
        idle = 0
        while True:
            self.moved = self.refused = False
            self._sync()
            self._kubelets(every=False)
            if not self.moved:
                self._kubelets(every=True)
            idle = 0 if self.moved else idle + 1
            if idle and (not self.refused or idle > _PATIENCE):
                return [(place.index, _seen(place)) for place in self.places]

    def _sync(self) -> None:
        """updateDaemonSet: rollingUpdate only where manage had nothing to do."""
        before = self.moved
        self.moved = False
        for place in self.places:
            self._manage(place)
        if not self.moved and self.spec.updateStrategy.type != "OnDelete":
            self._rolling_update()
        self.moved = self.moved or before

    def _manage(self, place: Place) -> None:
        """podsShouldBeOnNode."""
        part, live = place.part, place.live
        if part.should_run and not place.pods:
            self._create(place)
        elif part.may_stay:
            if not uses_surge(self.spec):
                for pod in live[1:]:
                    self._delete(pod)
                return
            if not live and part.should_run:
                self._create(place)
            old, new = [pod for pod in live if not pod.new], [pod for pod in live if pod.new]
            for pod in (*old[1:], *new[1:]):
                self._delete(pod)
            if old and new and (not old[0].ready or new[0].ready):
                self._delete(old[0])
        else:
            for pod in live:
                self._delete(pod)

    def _rolling_update(self) -> None:
        """rollingUpdate, with the nodes in random order as a map of Go has them."""
        rolling = self.spec.updateStrategy.rollingUpdate
        surge = resolve_int_or_percent(rolling.maxSurge, self.desired, default=0)
        unavailable = resolve_int_or_percent(rolling.maxUnavailable, self.desired, default=1)
        if self.desired and not surge and not unavailable:
            unavailable = 1
        places = [place for place in self.places if place.pods or place.part.should_run]
        self.chance.shuffle(places)
        if surge:
            self._surge(places, surge)
        else:
            self._replace(places, unavailable)

    def _replace(self, places: Iterable[Place], unavailable: int) -> None:
        lacking = 0
        allowed: list[Played] = []
        candidates: list[Played] = []
        for place in places:
            new, old = _new_and_old(place)
            if (new is None) == (old is None):
                lacking += 1
            elif new is not None:
                lacking += not new.ready
            elif old is not None and not old.ready:
                allowed.append(old)
                lacking += self.behavior.counts_unavailable
            elif old is not None and lacking < unavailable:
                candidates.append(old)
        for pod in (*allowed, *candidates[: max(unavailable - lacking, 0)]):
            self._delete(pod)

    def _surge(self, places: Iterable[Place], surge: int) -> None:
        surged = available = 0
        gone: list[Played] = []
        unwanted: list[Played] = []
        allowed: list[Place] = []
        candidates: list[Place] = []
        for place in places:
            new, old = _new_and_old(place)
            counted = old or new
            available += counted is not None and counted.ready
            if old is None:
                continue
            if new is not None:
                if new.ready:
                    gone.append(old)
                else:
                    surged += 1
            elif not old.ready:
                if place.part.should_run or not self.behavior.removes_unwanted:
                    allowed.append(place)
                else:
                    gone.append(old)
            elif not place.part.should_run and self.behavior.removes_unwanted:
                unwanted.append(old)
            elif surged < surge:
                candidates.append(place)
        gone += unwanted[: max(available - self.desired, 0)]
        for pod in gone:
            self._delete(pod)
        for place in (*allowed, *candidates[: max(surge - surged, 0)]):
            self._create(place)

    def _create(self, place: Place) -> None:
        if place.part.new_pod is NewPodOutcome.REFUSED:
            self.refused = True
        else:
            place.pods.append(Played(new=True, before=False, bound=False))
            self.moved = True

    def _delete(self, pod: Played) -> None:
        pod.terminating = True
        self.moved = True

    def _kubelets(self, *, every: bool) -> None:
        """The scheduler and the kubelets: each thing that is due happens now or, unless `every`, perhaps later."""
        for place in self.places:
            part = place.part
            for pod in list(place.pods):
                if not every and self.chance.random() < 0.5:
                    continue
                crowded = part.is_crowded and any(other is not pod and not other.new for other in place.pods)
                if pod.terminating and (not part.is_kubelet_silent or not pod.bound):
                    place.pods.remove(pod)
                    self.moved = True
                elif not pod.bound and part.should_run and part.new_pod is not NewPodOutcome.PENDING and not crowded:
                    pod.bound = True
                    self.moved = True
                elif pod.bound and not pod.before and not pod.ready and part.new_pod is NewPodOutcome.READY and not part.is_kubelet_silent:
                    pod.ready = True
                    self.moved = True


def _pods(part: UpdateCohort) -> Iterator[Played]:
    if part.is_terminating:
        yield Played(new=False, before=True, terminating=True)
    if part.pod is not LivePod.NONE:
        yield Played(new=part.pod is LivePod.NEW, before=True, ready=part.is_available)
    elif part.is_waiting:
        yield Played(new=True, before=False, bound=False)


def _new_and_old(place: Place) -> tuple[Played | None, Played | None]:
    """findUpdatedPodsOnNode."""
    return next((pod for pod in place.live if pod.new), None), next((pod for pod in place.live if not pod.new), None)


def _seen(place: Place) -> PodsOnNode:
    fresh = [pod for pod in place.live if not pod.before]
    return PodsOnNode(
        has_previous=any(pod.before for pod in place.live),
        has_new=bool(fresh),
        is_bound=all(pod.bound for pod in fresh),
        hangs=any(pod.terminating for pod in place.pods),
    )
