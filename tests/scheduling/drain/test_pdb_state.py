"""One budget while pods leave: what the API server reads of it, what the controller makes of it, and why it refuses: semantics 10."""

from __future__ import annotations

import pytest

from preflight.model.eviction_reasons import DrainReason, MissingInput, MissingKind
from preflight.model.policy import BudgetStatus, PodDisruptionBudget
from preflight.scheduling.budgets import BudgetHealth
from preflight.scheduling.drain.pdb_state import BudgetTracker
from preflight.scheduling.eviction import EvictionResponse
from tests.scheduling.drain_objects import budget, pod, status

UNKNOWN = MissingInput(MissingKind.NAMESPACE_PODS)
REFUSED = EvictionResponse(429)


def health(current: int, desired: int, expected: int, capacity: int | None = None, **more: object) -> BudgetHealth:
    allowed = max(current - desired, 0) if expected else 0
    return BudgetHealth(current, desired, expected, allowed, capacity=expected if capacity is None else capacity, **more)  # type: ignore[arg-type]


def tracker(
    given: BudgetHealth = health(4, 2, 4),  # noqa: B008
    stored: BudgetStatus | None = None,
    *,
    spec: PodDisruptionBudget | None = None,
    generation: int = 1,
    all_listed: bool = True,
) -> BudgetTracker:
    return BudgetTracker(spec or budget(2, status=stored, generation=generation), given, all_listed=all_listed)


def leave(guard: BudgetTracker, moment: float, count: int = 1, **more: bool) -> BudgetTracker:
    for _ in range(count):
        guard.record_departure(pod(), moment, takes_disruption=more.get("takes", True), is_bare=more.get("bare", False))
    return guard


def view(guard: BudgetTracker, moment: float, start: float = 0.0) -> tuple[int, int]:
    seen = guard.view_at(moment, start)
    return seen.current, seen.allowed


# What counts: the pods where all are known, else the status.


@pytest.mark.parametrize(
    ("given", "stored", "all_listed", "current", "allowed"),
    [
        pytest.param(health(4, 2, 4), None, False, 4, 2, id="a manifest has the pods alone"),
        pytest.param(health(4, 2, 4), status(3, 2, 4, 1), True, 4, 2, id="the pods, where all are known"),
        pytest.param(health(4, 2, 4), status(3, 2, 4, 1), False, 3, 1, id="the status, where some are not"),
        pytest.param(BudgetHealth(9, unknown=UNKNOWN), status(3, 2, 4, 1), True, 3, 1, id="the status, where an owner is unknown"),
        pytest.param(health(4, 2, 4), status(3, 4, 4, 0), False, 3, 0, id="never less than none"),
        pytest.param(health(4, 2, 4), status(3, 2, 0, 1), False, 3, 0, id="nothing is expected"),
        pytest.param(health(4, 2, 4), status(3, 2, 4, 0, failure="no scale"), False, 3, 0, id="a failed sync allows nothing"),
    ],
)
def test_the_controller_counts(given: BudgetHealth, stored: BudgetStatus | None, all_listed: bool, current: int, allowed: int) -> None:
    made = tracker(given, stored, all_listed=all_listed).computed_health
    assert (made.current, made.allowed) == (current, allowed)


def test_a_status_says_how_many_can_be_healthy() -> None:
    """The more of the pods that are expected, and of those that are healthy: a budget with a number expects what it selects."""
    assert tracker(stored=status(3, 2, 4, 1), all_listed=False).computed_health.capacity == 4
    assert tracker(stored=status(5, 2, 4, 1), all_listed=False).computed_health.capacity == 5


# What the API server reads.


def test_until_something_changes_the_status_counts_less_what_was_taken() -> None:
    guard = tracker(stored=status(3, 2, 4, 1))
    assert view(guard, 0.0) == (3, 1)
    assert view(guard, 100.0) == (3, 1)
    leave(guard, 5.0)
    assert view(guard, 5.0) == (3, 0)
    assert view(guard, 5.1) == (3, 1)  # the controller has counted: 4 pods less one, of which 2 must stay


def test_what_asks_no_budget_takes_nothing_of_it() -> None:
    guard = leave(tracker(stored=status(4, 2, 4, 2)), 5.0, takes=False)
    assert view(guard, 5.0) == (4, 2)
    assert view(guard, 6.0) == (3, 1)


@pytest.mark.parametrize(
    "leaving",
    [
        pytest.param(pod(deletion="2026-06-30T06:00:00Z"), id="that is being deleted"),
        pytest.param(pod(phase="Failed"), id="that has ended"),
    ],
)
def test_a_pod_changes_nothing(leaving: object) -> None:
    guard = tracker(stored=status(4, 2, 4, 2))
    guard.record_departure(leaving, 5.0, takes_disruption=True, is_bare=True)  # type: ignore[arg-type]
    assert (guard.changed_at, guard.departed_count, guard.taken_disruptions, guard.computed_health.capacity) == (None, 0, 0, 4)


def test_a_pod_that_is_not_ready_was_not_counted() -> None:
    guard = tracker()
    guard.record_departure(pod(ready=False), 5.0, takes_disruption=False, is_bare=False)
    assert (guard.changed_at, guard.departed_count) == (5.0, 0)


def test_the_first_departure_is_the_moment_of_the_change() -> None:
    guard = leave(leave(tracker(), 5.0), 9.0)
    assert (guard.changed_at, guard.departed_count, guard.taken_disruptions) == (5.0, 2, 2)


def test_a_bare_pod_does_not_come_back() -> None:
    assert leave(tracker(), 5.0, bare=True).computed_health.capacity == 3
    assert leave(tracker(), 5.0).computed_health.capacity == 4


def test_a_status_that_is_behind_counts_only_at_the_start() -> None:
    guard = tracker(stored=status(4, 4, 4, 0), generation=2)
    assert not guard.view_at(0.0, 0.0).is_synced
    later = guard.view_at(0.1, 0.0)
    assert (later.is_synced, later.current, later.allowed) == (True, 4, 2)


def test_what_the_controller_cannot_sync_stays_as_it_is() -> None:
    failing = health(4, 2, 4, failure="no scale")
    guard = tracker(failing, status(4, 4, 4, 0), generation=2)
    assert not guard.view_at(100.0, 0.0).is_synced
    leave(guard, 5.0)
    later = guard.view_at(6.0, 0.0)
    assert (later.is_synced, later.allowed, later.failure) == (False, 0, "no scale")


def test_a_synced_budget_that_fails_later_is_synced() -> None:
    guard = leave(tracker(health(4, 2, 4, failure="no scale"), status(4, 2, 4, 2)), 5.0)
    assert guard.view_at(6.0, 0.0).is_synced
    assert guard.view_at(6.0, 0.0).allowed == 0


def test_disruptions_of_a_first_round_count_at_its_start_only() -> None:
    guard = tracker(stored=status(4, 2, 4, 2))
    guard.extra_disruptions = 1
    assert view(guard, 0.0) == (4, 3)
    leave(guard, 0.0)
    assert view(guard, 7.0, start=7.0) == (3, 2)
    assert view(guard, 7.1, start=7.0) == (3, 1)


def test_what_is_unknown_stays_unknown() -> None:
    guard = leave(tracker(BudgetHealth(4, unknown=UNKNOWN)), 5.0)
    assert guard.view_at(6.0, 0.0).missing_input == UNKNOWN


@pytest.mark.parametrize(
    ("given", "generation", "leaves", "expected"),
    [
        pytest.param(health(4, 2, 4), 2, False, True, id="behind, and nothing stops it"),
        pytest.param(health(4, 2, 4), 1, False, False, id="seen already"),
        pytest.param(health(4, 2, 4), 2, True, False, id="a pod left: it has"),
        pytest.param(health(4, 2, 4, failure="no scale"), 2, False, False, id="it cannot"),
    ],
)
def test_the_controller_has_yet_to_see_it(given: BudgetHealth, generation: int, leaves: bool, expected: bool) -> None:
    guard = tracker(given, status(4, 4, 4, 0), generation=generation)
    if leaves:
        leave(guard, 5.0)
    assert guard.will_sync() is expected


# Why it refuses, and whether for good.


@pytest.mark.parametrize(
    ("guard", "response", "reason", "is_final"),
    [
        pytest.param(tracker(health(4, 2, 4, failure="x")), REFUSED, DrainReason.CANNOT_SYNC, True, id="it cannot be synced"),
        pytest.param(tracker(), EvictionResponse(429, retry_after=10), DrainReason.NOT_SYNCED, False, id="it is still being processed"),
        pytest.param(tracker(stored=status(2, 2, 4, 0)), REFUSED, DrainReason.STALE_STATUS, False, id="the controller would allow it"),
        pytest.param(tracker(health(2, 2, 4), spec=budget()), REFUSED, DrainReason.NO_LIMIT, True, id="it states neither limit"),
        pytest.param(tracker(BudgetHealth(0, 2, 0)), REFUSED, DrainReason.NONE_EXPECTED, True, id="it expects no pods"),
        pytest.param(tracker(health(4, 4, 4), spec=budget(4)), REFUSED, DrainReason.NEEDS_ALL_HEALTHY, True, id="it wants all"),
        pytest.param(tracker(health(4, 5, 4), spec=budget(5)), REFUSED, DrainReason.NEEDS_ALL_HEALTHY, True, id="it wants more"),
        pytest.param(tracker(health(4, 4, 4), spec=budget(max=0)), REFUSED, DrainReason.ZERO_UNAVAILABLE, True, id="maxUnavailable 0"),
        pytest.param(tracker(health(4, 4, 4), spec=budget(max="0%")), REFUSED, DrainReason.ZERO_UNAVAILABLE, True, id="of 0 %"),
        pytest.param(tracker(health(2, 2, 4)), REFUSED, DrainReason.NOT_ENOUGH_HEALTHY, False, id="too few are healthy"),
        pytest.param(leave(tracker(health(3, 2, 4)), 1.0), REFUSED, DrainReason.SHARED, False, id="another pod went before"),
        pytest.param(
            leave(tracker(health(2, 2, 4)), 1.0, takes=False), REFUSED, DrainReason.SHARED, False, id="another pod went, and asked nobody"
        ),
    ],
)
def test_it_refuses(guard: BudgetTracker, response: EvictionResponse, reason: DrainReason, is_final: bool) -> None:
    assert guard.explain_refusal(response) == (reason, is_final)


# How many go of those that ask at one moment.


@pytest.mark.parametrize(
    ("guard", "ready", "expected"),
    [
        pytest.param(tracker(health(2, 2, 4)), [None] * 3, (0, 0, 0), id="none is allowed"),
        pytest.param(tracker(stored=status(4, 2, 4, 2), generation=2), [None] * 3, (0, 0, 0), id="it is not synced"),
        pytest.param(tracker(), [None], (2, 1, 1), id="fewer ask than are allowed"),
        pytest.param(tracker(), [None] * 3, (2, 2, 2), id="as many as are allowed"),
        pytest.param(tracker(health(2, 2, 4), status(4, 2, 4, 2)), [None] * 3, (2, 1, 2), id="the controller would allow none: one goes"),
        pytest.param(tracker(health(3, 2, 4), status(4, 2, 4, 2)), [None] * 3, (2, 1, 2), id="or as many as it would allow"),
        pytest.param(tracker(health(5, 2, 4), status(4, 2, 4, 2)), [None] * 4, (2, 2, 3), id="it would allow more: they may go"),
        pytest.param(tracker(), [None, 1.7, None], (2, 2, 3), id="a replacement that is Ready soon"),
        pytest.param(tracker(), [None, 1.8, None], (2, 2, 2), id="or too late"),
        pytest.param(leave(tracker(), 1.0), [None] * 3, (1, 1, 1), id="later it is the controller's number"),
        pytest.param(leave(tracker(), 1.0, 2), [None] * 3, (0, 0, 0), id="of which none may be left"),
    ],
)
def test_a_first_round_allows_and_lets_go(guard: BudgetTracker, ready: list[float | None], expected: tuple[int, int, int]) -> None:
    assert guard.count_first_round(ready) == expected
