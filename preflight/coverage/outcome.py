"""What becomes of one DaemonSet's pod on one node: before a change, once it has settled, and after a re-creation."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from preflight.model.report import Outcome
from preflight.scheduling.placement import Placement
from preflight.scheduling.rollout import Update
from preflight.scheduling.tolerations import NEVER


class PodAfter(Enum):
    """What is on the node once the change has settled: the same pod, a new one, or none."""

    SAME = "same"
    NEW = "new"
    NONE = "none"


class Facts(Struct, frozen=True, gc=False):
    """A placement with nothing left unknown: see scheduling.placement."""

    selected: bool
    should_run: bool
    may_stay: bool


class Event(Struct, frozen=True, gc=False):
    """What the change does to the pod besides moving labels and taints.

    1. `update` is what the strategy makes of a new template; None where the template stays.
    2. `ended`: the pod is deleted, by name or with everything on its node, and may be created again.
    3. `cascade` is how the DaemonSet is deleted: background, foreground or orphan; "" where it is not.
    """

    update: Update | None = None
    ended: bool = False
    cascade: str = ""


NOTHING = Event()


class Verdict(Struct, frozen=True, gc=False):
    """The answer for a pair.

    1. `outcome` is one of the outcomes of the interface; None where there is nothing to say (no pod before, no DaemonSet after).
    2. `before`: a pod was there. `pod`: what is there once the change has settled. `recreated`: a pod is there after a re-creation.
    3. `period` is the seconds between two deletions of a loop, 0 for a loop without a pause; None where there is no loop.
    """

    outcome: Outcome | None
    before: bool
    pod: PodAfter
    recreated: bool
    period: int | None = None

    @property
    def now(self) -> bool:
        """Whether a pod is there once the change has settled; a loop counts, unless it has no pause."""
        return self.pod is PodAfter.SAME or (self.pod is PodAfter.NEW and self.period != 0)


def facts(placement: Placement | None, labels_match: bool) -> Facts | None:
    """A placement under the assumption that the unknown labels match, or do not; the gate must be known. None stays None."""
    if placement is None:
        return None
    selected = labels_match if placement.selected is None else placement.selected
    may_stay = selected and not any(taint.effect == "NoExecute" for taint in placement.untolerated)
    return Facts(selected, may_stay and not placement.untolerated, may_stay)


def settle(
    before: Facts | None,
    after: Facts | None,
    *,
    has_pod: bool,
    own_eviction: float,
    new_eviction: float,
    event: Event = NOTHING,
    horizon: float = NEVER,
    transit: bool = False,
    looped: bool = False,
) -> Verdict:
    """What becomes of a pair.

    1. `before` and `after` are None where the DaemonSet or the node is not there.
    2. `own_eviction` is the time that taint eviction gives the pod that is there (its own tolerations, the taints after the change),
       `new_eviction` the time that it gives a new pod of the template after the change.
    3. Once settled means: an update that the change starts is over, and so is an eviction after up to `horizon` seconds. The default
       is any number of seconds; a recording that was cut off sooner has a shorter one.
    4. `transit`: no live pod is there, but one is on its way out or in. Where the DaemonSet should run no more, none comes after it.
    5. `looped`: before, pods came and went there. Where they do so no more, the next one stays.
    6. A pod that an update deletes and that hangs leaves a wanted node without one.

    Source: semantics 2, 5 and 6 (`docs/semantics.md`).
    """
    if own_eviction > horizon:
        own_eviction = NEVER
    if after is None:
        return _without_daemonset(has_pod, own_eviction, event)
    pod = _pod_after(after, has_pod, own_eviction, event)
    loops = after.should_run and new_eviction != NEVER
    period = int(new_eviction) if loops else None
    recreated = after.should_run and period != 0
    if not has_pod:
        if transit and before is not None and before.should_run and not after.should_run:
            return Verdict(Outcome.LOST_NOW, True, PodAfter.NONE, False)
        if loops:
            return Verdict(Outcome.LOOP, False, PodAfter.NEW, recreated, period)
        if after.should_run and ((before is not None and before.should_run and not looped) or event.update is Update.HANG):
            return Verdict(Outcome.MISSING, False, PodAfter.NONE, True)
        if after.should_run:
            return Verdict(Outcome.GAINED, False, PodAfter.NEW, True)
        return Verdict(Outcome.NEVER if after.selected else Outcome.EXCLUDED, False, PodAfter.NONE, False)
    if loops:
        return Verdict(Outcome.LOOP, True, pod, recreated, period)
    if pod is PodAfter.NONE:
        return Verdict(Outcome.MISSING if after.should_run else Outcome.LOST_NOW, True, pod, recreated)
    if after.should_run:
        return Verdict(Outcome.KEPT, True, pod, True)
    fragile = before is not None and not before.should_run
    return Verdict(Outcome.ALREADY_FRAGILE if fragile else Outcome.LOST_ON_RECREATION, True, pod, False)


def _pod_after(after: Facts, has_pod: bool, own_eviction: float, event: Event) -> PodAfter:
    """What a pod that is there turns into."""
    if not has_pod:
        return PodAfter.NONE
    gone = event.ended or not after.may_stay or own_eviction != NEVER or event.update is Update.REPLACE
    if event.update is Update.STALL and not after.should_run:
        gone = True
    if event.update is Update.HANG:
        return PodAfter.NONE
    if not gone:
        return PodAfter.SAME
    return PodAfter.NEW if after.should_run else PodAfter.NONE


def _without_daemonset(has_pod: bool, own_eviction: float, event: Event) -> Verdict:
    """A DaemonSet that is deleted takes its pods with it, but for the cascade orphan: then taint eviction alone ends them."""
    if not has_pod:
        return Verdict(None, False, PodAfter.NONE, False)
    if event.cascade == "orphan" and own_eviction == NEVER and not event.ended:
        return Verdict(Outcome.LOST_ON_RECREATION, True, PodAfter.SAME, False)
    return Verdict(Outcome.LOST_NOW, True, PodAfter.NONE, False)
