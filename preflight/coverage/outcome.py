"""What becomes of one DaemonSet's pod on one node: before a change, once it has settled, and after a re-creation."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from preflight.model.report import Outcome
from preflight.scheduling.placement import Placement
from preflight.scheduling.tolerations import NEVER
from preflight.scheduling.update_strategy import UpdateEffect


class PodAfter(Enum):
    """What is on the node once the change has settled: the same pod, a new one, or none."""

    SAME = "same"
    NEW = "new"
    NONE = "none"


class KnownPlacement(Struct, frozen=True, gc=False):
    """A placement with nothing left unknown: see scheduling.placement."""

    is_selected: bool
    should_run: bool
    may_stay: bool


class PodEvent(Struct, frozen=True, gc=False):
    """What the change does to the pod besides moving labels and taints.

    1. `update` is what the strategy makes of a new template; None where the template stays.
    2. `is_ended`: the pod is deleted, by name or with everything on its node, and may be created again.
    3. `cascade` is how the DaemonSet is deleted: background, foreground or orphan; "" where it is not.
    """

    update: UpdateEffect | None = None
    is_ended: bool = False
    cascade: str = ""


NO_EVENT = PodEvent()


class PodForecast(Struct, frozen=True, gc=False):
    """The answer for a pair.

    1. `outcome` is one of the outcomes of the interface; None where there is nothing to say (no pod before, no DaemonSet after).
    2. `had_pod`: a pod was there. `pod_after`: what is there once the change has settled. `is_recreated`: a pod is there after a
       re-creation.
    3. `loop_seconds` is the seconds between two deletions of a loop, 0 for a loop without a pause; None where there is no loop.
    """

    outcome: Outcome | None
    had_pod: bool
    pod_after: PodAfter
    is_recreated: bool
    loop_seconds: int | None = None

    @property
    def has_pod(self) -> bool:
        """Whether a pod is there once the change has settled; a loop counts, unless it has no pause."""
        return self.pod_after is PodAfter.SAME or (self.pod_after is PodAfter.NEW and self.loop_seconds != 0)


class PossibleForecast(Struct, frozen=True, gc=False):
    """A forecast under an assumption: whether the unknown labels match."""

    labels_match: bool
    forecast: PodForecast


def assume_placement(placement: Placement | None, labels_match: bool) -> KnownPlacement | None:
    """A placement under the assumption that the unknown labels match, or do not; the gate must be known. None stays None."""
    if placement is None:
        return None
    selected = labels_match if placement.is_selected is None else placement.is_selected
    may_stay = selected and not any(taint.effect == "NoExecute" for taint in placement.untolerated_taints)
    return KnownPlacement(selected, may_stay and not placement.untolerated_taints, may_stay)


def forecast_pod(
    before: KnownPlacement | None,
    after: KnownPlacement | None,
    *,
    has_pod: bool,
    own_eviction: float,
    new_eviction: float,
    event: PodEvent = NO_EVENT,
    horizon: float = NEVER,
    in_transit: bool = False,
    finds_room: bool = False,
    is_waiting: bool = False,
    was_looping: bool = False,
    creates_none: bool = False,
) -> PodForecast:
    """What becomes of a pair.

    1. `had_pod` and `after` are None where the DaemonSet or the node is not there.
    2. `own_eviction` is the time that taint eviction gives the pod that is there (its own tolerations, the taints after the change),
       `new_eviction` the time that it gives a new pod of the template after the change.
    3. Once settled means: an update that the change starts is over, and so is an eviction after up to `horizon` seconds. The default
       is any number of seconds; a recording that was cut off sooner has a shorter one.
    4. `in_transit`: no live pod is there, but one is on its way out or in. Where the DaemonSet should run no more, none comes after it.
       Where no pod was listed and the DaemonSet should run, the controller has yet to create it (a node that has just joined): that none
       comes any more is a loss too.
    5. `finds_room`: the pod that is missing waited for room, and finds some. `is_waiting`: it goes on waiting; taint eviction ends none
       that is not bound.
    6. `was_looping`: before, pods came and went there. Where they do so no more, the next one stays.
    7. A pod that an update deletes and that hangs leaves a wanted node without one; one that hangs already lets none come and go.
    8. `creates_none`: no node that should run the DaemonSet has a pod of it; a node that should now gets none either.

    Source: semantics 2, 5 and 6 (`docs/semantics.md`).
    """
    if own_eviction > horizon:
        own_eviction = NEVER
    if after is None:
        return _forecast_deleted_daemonset(has_pod, own_eviction, event)
    pod = _get_pod_after(after, has_pod, own_eviction, event)
    loops = after.should_run and new_eviction != NEVER
    period = int(new_eviction) if loops else None
    recreated = after.should_run and period != 0
    if not has_pod:
        if before is not None and before.should_run and not after.should_run:
            return PodForecast(Outcome.LOST_NOW, in_transit, PodAfter.NONE, False)
        was_wanted = before is not None and before.should_run
        if loops and not (was_wanted and is_waiting) and event.update is not UpdateEffect.HANG:
            return PodForecast(Outcome.LOOP, False, PodAfter.NEW, recreated, period)
        is_missing = (creates_none or (was_wanted and (is_waiting or not was_looping))) and not finds_room
        if after.should_run and (is_missing or event.update is UpdateEffect.HANG):
            return PodForecast(Outcome.MISSING, False, PodAfter.NONE, True)
        if after.should_run:
            return PodForecast(Outcome.GAINED, False, PodAfter.NEW, True)
        return PodForecast(Outcome.NEVER if after.is_selected else Outcome.EXCLUDED, False, PodAfter.NONE, False)
    if loops:
        return PodForecast(Outcome.LOOP, True, pod, recreated, period)
    if pod is PodAfter.NONE:
        return PodForecast(Outcome.MISSING if after.should_run else Outcome.LOST_NOW, True, pod, recreated)
    if after.should_run:
        return PodForecast(Outcome.KEPT, True, pod, True)
    fragile = before is not None and not before.should_run
    return PodForecast(Outcome.ALREADY_FRAGILE if fragile else Outcome.LOST_ON_RECREATION, True, pod, False)


def stay_pending(forecast: PodForecast) -> PodForecast:
    """The forecast where the scheduler binds no new pod to the node: one that is created, or the successor of one that stays, is no pod.

    One that would come and go stays where it is: taint eviction ends no pod that is not bound.
    """
    match forecast.outcome, forecast.pod_after:
        case Outcome.LOOP, PodAfter.NEW if forecast.had_pod:
            return PodForecast(Outcome.LOST_NOW, True, PodAfter.NONE, False)
        case (Outcome.GAINED, _) | (Outcome.LOOP, PodAfter.NEW):
            return PodForecast(Outcome.MISSING, False, PodAfter.NONE, False)
        case Outcome.MISSING, _:
            return PodForecast(Outcome.MISSING, forecast.had_pod, PodAfter.NONE, False)
        case Outcome.KEPT, PodAfter.NEW:
            return PodForecast(Outcome.LOST_NOW, True, PodAfter.NONE, False)
        case Outcome.KEPT, PodAfter.SAME:
            return PodForecast(Outcome.LOST_ON_RECREATION, True, PodAfter.SAME, False)
        case _:
            return forecast


def _get_pod_after(after: KnownPlacement, has_pod: bool, own_eviction: float, event: PodEvent) -> PodAfter:
    """What a pod that is there turns into."""
    if not has_pod:
        return PodAfter.NONE
    gone = event.is_ended or not after.may_stay or own_eviction != NEVER or event.update is UpdateEffect.REPLACE
    if event.update is UpdateEffect.STALL and not after.should_run:
        gone = True
    if event.update is UpdateEffect.HANG:
        return PodAfter.NONE
    if not gone:
        return PodAfter.SAME
    return PodAfter.NEW if after.should_run else PodAfter.NONE


def _forecast_deleted_daemonset(has_pod: bool, own_eviction: float, event: PodEvent) -> PodForecast:
    """A DaemonSet that is deleted takes its pods with it, but for the cascade orphan: then taint eviction alone ends them."""
    if not has_pod:
        return PodForecast(None, False, PodAfter.NONE, False)
    if event.cascade == "orphan" and own_eviction == NEVER and not event.is_ended:
        return PodForecast(Outcome.LOST_ON_RECREATION, True, PodAfter.SAME, False)
    return PodForecast(Outcome.LOST_NOW, True, PodAfter.NONE, False)
