"""How one budget stands while pods leave and replacements become Ready."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from preflight.model.budgets import PodDisruptionBudget
from preflight.model.pod_status import RunningPod
from preflight.scheduling.budgets import Health, allowed, stated
from preflight.scheduling.drain.model import Why
from preflight.scheduling.eviction import Answer, Standing, standing

_CONFLICT = 0.6
"""Seconds, at most, after which the API server tries again where two evictions wrote one status."""


class Ledger:
    """One budget: how it stood at first, what the controller will make of it, and what has left or come back since.

    1. Until something of it changes, and for all that ask at that same moment, the API server reads its status as it is, less what was
       taken. After that the controller has written a new one.
    2. The new one counts from what the controller makes of it, where all pods of the namespace are known; else from the status. Where it
       fails to make anything of it, it allows nothing, and has still not seen what it had not seen.
    """

    def __init__(self, budget: PodDisruptionBudget, made: Health, *, all_listed: bool) -> None:
        self.budget = budget
        self.first = standing(budget, made)
        status = stated(budget)
        if status is not None and (made.unknown or not all_listed):
            failure = self.first.failure
            room = max(status.expectedPods, status.currentHealthy)
            made = Health(status.currentHealthy, status.desiredHealthy, status.expectedPods, failure=failure, capacity=room)
            made = msgspec.structs.replace(made, allowed=0 if failure else allowed(made.current, made.desired, made.expected))
        self.made = made
        self.gone = 0
        self.taken = 0
        self.extra = 0
        self.touched: float | None = None

    def standing_at(self, moment: float, start: float) -> Standing:
        """How it stands for who asks at a moment, at a node that was begun at `start`."""
        first, made = self.first, self.made
        if first.unknown or self._is_as_it_was(moment, start):
            return msgspec.structs.replace(first, allowed=first.allowed + self.extra - self.taken)
        current = made.current - self.gone
        extra = self.extra if moment == start else 0
        free = 0 if made.failure else allowed(current + extra, made.desired, made.expected)
        synced = first.synced or not made.failure
        return msgspec.structs.replace(first, synced=synced, current=current, allowed=free, failure=made.failure, disrupted=0)

    def _is_as_it_was(self, moment: float, start: float) -> bool:
        """Whether its status is the first one still: nothing changed before, and the controller has not caught up with its spec."""
        if self.touched is not None:
            return moment == self.touched
        return self.first.synced or moment == start or bool(self.made.failure)

    def will_sync(self) -> bool:
        """Whether the controller has yet to see it as it is, and nothing keeps it from that."""
        return self.touched is None and not self.first.synced and not self.made.failure

    def leave(self, pod: RunningPod, moment: float, *, takes: bool, bare: bool) -> None:
        """A pod of it leaves."""
        if pod.metadata.deletionTimestamp or pod.has_ended:
            return
        self.gone += pod.ready
        self.taken += takes
        if bare:
            self.made = msgspec.structs.replace(self.made, capacity=self.made.capacity - 1)
        if self.touched is None:
            self.touched = moment

    def why_refused(self, answer: Answer) -> tuple[Why, bool]:
        """Why it refuses a pod with a 429, and whether that is for ever."""
        made, spec = self.made, self.budget.spec
        if made.failure:
            return Why.CANNOT_SYNC, True
        if answer.retry_after:
            return Why.NOT_SYNCED, False
        if self.touched is None and made.allowed > 0:
            return Why.STALE_STATUS, False
        if spec.minAvailable is None and spec.maxUnavailable is None:
            return Why.NO_LIMIT, True
        if made.expected <= 0:
            return Why.NONE_EXPECTED, True
        if made.desired >= made.capacity:
            return (Why.NONE_MAY_LACK if spec.maxUnavailable in (0, "0%") else Why.NEEDS_ALL), True
        return (Why.SHARED if self.taken or self.gone > 0 else Why.NOT_ENOUGH_HEALTHY), False

    def first_round(self, takers: Sequence[float | None]) -> tuple[int, int, int]:
        """How many it allows, and how many pods go at least and at most of those that ask for a disruption at the same moment.

        1. None allowed: none goes, and nothing is written that could conflict.
        2. Else one goes; all that are allowed, unless the status is stale and the controller makes less of it. Where it makes more of it,
           more may go.
        3. Any number may go where replacements are Ready (`takers` are the seconds until then) while the server still tries again.
        """
        asking = len(takers)
        made, is_first = self.made, self.touched is None
        free = self.first.allowed if is_first else allowed(made.current - self.gone, made.desired, made.expected)
        if free <= 0 or (is_first and not self.first.synced):
            return 0, 0, 0
        real = made.allowed if is_first else free
        least, most = min(asking, free, max(1, real)), min(asking, max(free, real))
        if any(each is not None and each < _CONFLICT * (free + 1) for each in takers):
            most = asking
        return free, least, most
