"""How one budget stands while pods leave and replacements become Ready."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from preflight.model.eviction_reasons import DrainReason
from preflight.model.pod_status import ClusterPod
from preflight.model.policy import PodDisruptionBudget
from preflight.scheduling.budgets import BudgetHealth, count_allowed_disruptions, get_server_status
from preflight.scheduling.eviction import BudgetView, EvictionResponse, view_budget

_CONFLICT_RETRY_SECONDS = 0.6
"""Seconds, at most, after which the API server tries again where two evictions wrote one status."""


class BudgetTracker:
    """One budget: how it stood at first, what the controller will make of it, and what has left or come back since.

    1. Until something of it changes, and for all that ask at that same moment, the API server reads its status as it is, less what was
       taken. After that the controller has written a new one.
    2. The new one counts from what the controller makes of it, where all pods of the namespace are known; else from the status. Where it
       fails to make anything of it, it allows nothing, and has still not seen what it had not seen.
    """

    def __init__(
        self, budget: PodDisruptionBudget, computed_health: BudgetHealth, *, all_listed: bool, may_be_ignored: bool = False
    ) -> None:
        self.budget = budget
        self.initial_view = msgspec.structs.replace(view_budget(budget, computed_health), may_be_ignored=may_be_ignored)
        status = get_server_status(budget)
        if status is not None and (computed_health.unknown or not all_listed):
            failure = self.initial_view.failure
            room = max(status.expectedPods, status.currentHealthy)
            computed_health = BudgetHealth(
                status.currentHealthy, status.desiredHealthy, status.expectedPods, failure=failure, capacity=room
            )
            computed_health = msgspec.structs.replace(
                computed_health,
                allowed=0
                if failure
                else count_allowed_disruptions(computed_health.current, computed_health.desired, computed_health.expected),
            )
        self.computed_health = computed_health
        self.departed_count = 0
        self.taken_disruptions = 0
        self.extra_disruptions = 0
        self.changed_at: float | None = None

    def view_at(self, moment: float, start: float) -> BudgetView:
        """How it stands for who asks at a moment, at a node that was begun at `start`."""
        first, made = self.initial_view, self.computed_health
        if first.missing_input or self._is_unchanged(moment, start):
            return msgspec.structs.replace(first, allowed=first.allowed + self.extra_disruptions - self.taken_disruptions)
        current = made.current - self.departed_count
        extra = self.extra_disruptions if moment == start else 0
        free = 0 if made.failure else count_allowed_disruptions(current + extra, made.desired, made.expected)
        synced = first.is_synced or not made.failure
        return msgspec.structs.replace(first, is_synced=synced, current=current, allowed=free, failure=made.failure, disrupted_count=0)

    def _is_unchanged(self, moment: float, start: float) -> bool:
        """Whether its status is the first one still: nothing changed before, and the controller has not caught up with its spec."""
        if self.changed_at is not None:
            return moment == self.changed_at
        return self.initial_view.is_synced or moment == start or bool(self.computed_health.failure)

    def will_sync(self) -> bool:
        """Whether the controller has yet to see it as it is, and nothing keeps it from that."""
        return self.changed_at is None and not self.initial_view.is_synced and not self.computed_health.failure

    def record_departure(self, pod: ClusterPod, moment: float, *, takes_disruption: bool, is_bare: bool) -> None:
        """A pod of it leaves."""
        if pod.metadata.deletionTimestamp or pod.has_ended:
            return
        self.departed_count += pod.is_ready
        self.taken_disruptions += takes_disruption
        if is_bare:
            self.computed_health = msgspec.structs.replace(self.computed_health, capacity=self.computed_health.capacity - 1)
        if self.changed_at is None:
            self.changed_at = moment

    def explain_refusal(self, response: EvictionResponse) -> tuple[DrainReason, bool]:
        """Why it refuses a pod with a 429, and whether that is for ever."""
        made, spec = self.computed_health, self.budget.spec
        if made.failure:
            return DrainReason.CANNOT_SYNC, True
        if response.retry_after:
            return DrainReason.NOT_SYNCED, False
        if self.changed_at is None and made.allowed > 0:
            return DrainReason.STALE_STATUS, False
        if spec.minAvailable is None and spec.maxUnavailable is None:
            return DrainReason.NO_LIMIT, True
        if made.expected <= 0:
            return DrainReason.NONE_EXPECTED, True
        if made.desired >= made.capacity:
            return (DrainReason.ZERO_UNAVAILABLE if spec.maxUnavailable in (0, "0%") else DrainReason.NEEDS_ALL_HEALTHY), True
        return (DrainReason.SHARED if self.taken_disruptions or self.departed_count > 0 else DrainReason.NOT_ENOUGH_HEALTHY), False

    def count_first_round(self, seconds_until_ready: Sequence[float | None]) -> tuple[int, int, int]:
        """How many it allows, and how many pods go at least and at most of those that ask for a disruption at the same moment.

        1. None allowed: none goes, and nothing is written that could conflict.
        2. Else one goes; all that are allowed, unless the status is stale and the controller makes less of it. Where it makes more of it,
           more may go.
        3. Any number may go where replacements are Ready (`seconds_until_ready` are the seconds until then) while the server still tries
           again.
        """
        asking = len(seconds_until_ready)
        made, is_first = self.computed_health, self.changed_at is None
        free = (
            self.initial_view.allowed
            if is_first
            else count_allowed_disruptions(made.current - self.departed_count, made.desired, made.expected)
        )
        if free <= 0 or (is_first and not self.initial_view.is_synced):
            return 0, 0, 0
        real = made.allowed if is_first else free
        least, most = min(asking, free, max(1, real)), min(asking, max(free, real))
        if any(seconds is not None and seconds < _CONFLICT_RETRY_SECONDS * (free + 1) for seconds in seconds_until_ready):
            most = asking
        return free, least, most
