"""What becomes of a pair, by the table of outcomes in docs/semantics.md: a pod before, now, and after a re-creation."""

from __future__ import annotations

import pytest

from preflight.coverage.outcome import KnownPlacement, PodAfter, PodEvent, PodForecast, forecast_pod, stay_pending
from preflight.model.report import Outcome
from preflight.scheduling.tolerations import NEVER
from preflight.scheduling.update_strategy import UpdateEffect

RUNS = KnownPlacement(True, True, True)
BOMB = KnownPlacement(True, False, True)  # a NoSchedule taint
BANNED = KnownPlacement(True, False, False)  # a NoExecute taint
UNSELECTED = KnownPlacement(False, False, False)

REPLACED, STALLED, HUNG = (PodEvent(update=effect) for effect in (UpdateEffect.REPLACE, UpdateEffect.STALL, UpdateEffect.HANG))
DELETED_POD = PodEvent(is_ended=True)
ORPHANED = PodEvent(cascade="orphan")


def forecast(before: KnownPlacement | None, after: KnownPlacement | None, **more: object) -> PodForecast:
    arguments = {"has_pod": True, "own_eviction": NEVER, "new_eviction": NEVER, **more}
    return forecast_pod(before, after, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "after", "more", "expected"),
    [
        pytest.param(RUNS, RUNS, {}, (Outcome.KEPT, True, PodAfter.SAME, True), id="nothing changes"),
        pytest.param(RUNS, RUNS, {"event": REPLACED}, (Outcome.KEPT, True, PodAfter.NEW, True), id="an update replaces the pod"),
        pytest.param(RUNS, RUNS, {"event": STALLED}, (Outcome.KEPT, True, PodAfter.SAME, True), id="an update stops before the pod"),
        pytest.param(RUNS, RUNS, {"event": HUNG}, (Outcome.MISSING, True, PodAfter.NONE, True), id="an update deletes a pod that hangs"),
        pytest.param(
            RUNS, RUNS, {"event": DELETED_POD}, (Outcome.KEPT, True, PodAfter.NEW, True), id="the pod is deleted, and created again"
        ),
        pytest.param(RUNS, BOMB, {}, (Outcome.LOST_ON_RECREATION, True, PodAfter.SAME, False), id="a NoSchedule taint"),
        pytest.param(BOMB, BOMB, {}, (Outcome.ALREADY_FRAGILE, True, PodAfter.SAME, False), id="the taint was there before"),
        pytest.param(None, BOMB, {}, (Outcome.LOST_ON_RECREATION, True, PodAfter.SAME, False), id="an adopted pod on a tainted node"),
        pytest.param(BOMB, BOMB, {"event": REPLACED}, (Outcome.LOST_NOW, True, PodAfter.NONE, False), id="an update ends a time bomb"),
        pytest.param(BOMB, BOMB, {"event": STALLED}, (Outcome.LOST_NOW, True, PodAfter.NONE, False), id="so does one that stops"),
        pytest.param(BOMB, BOMB, {"event": HUNG}, (Outcome.LOST_NOW, True, PodAfter.NONE, False), id="so does one that hangs"),
        pytest.param(BOMB, BOMB, {"event": DELETED_POD}, (Outcome.LOST_NOW, True, PodAfter.NONE, False), id="so does its deletion"),
        pytest.param(RUNS, BANNED, {}, (Outcome.LOST_NOW, True, PodAfter.NONE, False), id="a NoExecute taint"),
        pytest.param(RUNS, UNSELECTED, {}, (Outcome.LOST_NOW, True, PodAfter.NONE, False), id="a label is removed"),
        pytest.param(
            RUNS,
            RUNS,
            {"own_eviction": 300.0, "new_eviction": 300.0},
            (Outcome.LOOP, True, PodAfter.NEW, True, 300),
            id="tolerated for five minutes",
        ),
        pytest.param(
            RUNS, RUNS, {"own_eviction": 0.0, "new_eviction": 0.0}, (Outcome.LOOP, True, PodAfter.NEW, False, 0), id="tolerated for no time"
        ),
        pytest.param(
            RUNS, RUNS, {"own_eviction": 300.0}, (Outcome.KEPT, True, PodAfter.NEW, True), id="the old pod is evicted, the new one stays"
        ),
        pytest.param(
            RUNS, RUNS, {"own_eviction": 300.0, "horizon": 299.0}, (Outcome.KEPT, True, PodAfter.SAME, True), id="later than was looked"
        ),
        pytest.param(RUNS, RUNS, {"own_eviction": 300.0, "horizon": 300.0}, (Outcome.KEPT, True, PodAfter.NEW, True), id="within the time"),
        pytest.param(
            RUNS, RUNS, {"new_eviction": 300.0}, (Outcome.LOOP, True, PodAfter.SAME, True, 300), id="only the next pod is evicted"
        ),
        pytest.param(
            RUNS,
            BOMB,
            {"own_eviction": 60.0, "new_eviction": 60.0},
            (Outcome.LOST_NOW, True, PodAfter.NONE, False),
            id="evicted, and another taint keeps the next one off",
        ),
    ],
)
def test_a_pod_becomes(
    before: KnownPlacement | None, after: KnownPlacement, more: dict[str, object], expected: tuple[Outcome, bool, PodAfter, bool]
) -> None:
    assert forecast(before, after, **more) == PodForecast(*expected)


@pytest.mark.parametrize(
    ("before", "after", "more", "expected"),
    [
        pytest.param(UNSELECTED, RUNS, {}, (Outcome.GAINED, False, PodAfter.NEW, True), id="a label is added"),
        pytest.param(None, RUNS, {}, (Outcome.GAINED, False, PodAfter.NEW, True), id="a new DaemonSet"),
        pytest.param(RUNS, RUNS, {}, (Outcome.MISSING, False, PodAfter.NONE, True), id="missing before and after"),
        pytest.param(RUNS, RUNS, {"finds_room": True}, (Outcome.GAINED, False, PodAfter.NEW, True), id="it waited, and finds room"),
        pytest.param(RUNS, RUNS, {"is_waiting": True}, (Outcome.MISSING, False, PodAfter.NONE, True), id="it waits, and goes on"),
        pytest.param(RUNS, RUNS, {"was_looping": True}, (Outcome.GAINED, False, PodAfter.NEW, True), id="the next pod of a loop stays"),
        pytest.param(
            RUNS, RUNS, {"was_looping": True, "is_waiting": True}, (Outcome.MISSING, False, PodAfter.NONE, True), id="a loop without room"
        ),
        pytest.param(UNSELECTED, RUNS, {"event": HUNG}, (Outcome.MISSING, False, PodAfter.NONE, True), id="the pod before hangs"),
        pytest.param(
            UNSELECTED,
            RUNS,
            {"new_eviction": 60.0},
            (Outcome.LOOP, False, PodAfter.NEW, True, 60),
            id="gained, and evicted again and again",
        ),
        pytest.param(RUNS, RUNS, {"new_eviction": 0.0}, (Outcome.LOOP, False, PodAfter.NEW, False, 0), id="evicted at once"),
        pytest.param(
            RUNS, RUNS, {"new_eviction": 60.0, "is_waiting": True}, (Outcome.MISSING, False, PodAfter.NONE, True), id="no pod to evict"
        ),
        pytest.param(
            UNSELECTED,
            RUNS,
            {"new_eviction": 60.0, "is_waiting": True},
            (Outcome.LOOP, False, PodAfter.NEW, True, 60),
            id="none was wanted before",
        ),
        pytest.param(RUNS, BOMB, {}, (Outcome.LOST_NOW, False, PodAfter.NONE, False), id="not created yet, and not any more"),
        pytest.param(RUNS, BOMB, {"in_transit": True}, (Outcome.LOST_NOW, True, PodAfter.NONE, False), id="on its way, and not any more"),
        pytest.param(BOMB, BOMB, {}, (Outcome.NEVER, False, PodAfter.NONE, False), id="a taint keeps it off, before too"),
        pytest.param(UNSELECTED, BANNED, {}, (Outcome.NEVER, False, PodAfter.NONE, False), id="selected, and a taint keeps it off"),
        pytest.param(None, UNSELECTED, {}, (Outcome.EXCLUDED, False, PodAfter.NONE, False), id="not selected"),
    ],
)
def test_no_pod_becomes(
    before: KnownPlacement | None, after: KnownPlacement, more: dict[str, object], expected: tuple[Outcome, bool, PodAfter, bool]
) -> None:
    assert forecast(before, after, has_pod=False, **more) == PodForecast(*expected)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        pytest.param({"has_pod": False}, (None, False, PodAfter.NONE, False), id="no pod, nothing to say"),
        pytest.param({}, (Outcome.LOST_NOW, True, PodAfter.NONE, False), id="its pods go with it"),
        pytest.param({"event": ORPHANED}, (Outcome.LOST_ON_RECREATION, True, PodAfter.SAME, False), id="an orphan stays until it ends"),
        pytest.param({"event": ORPHANED, "own_eviction": 5.0}, (Outcome.LOST_NOW, True, PodAfter.NONE, False), id="a taint ends an orphan"),
        pytest.param(
            {"event": ORPHANED, "own_eviction": 5.0, "horizon": 4.0},
            (Outcome.LOST_ON_RECREATION, True, PodAfter.SAME, False),
            id="later than was looked",
        ),
        pytest.param(
            {"event": PodEvent(is_ended=True, cascade="orphan")},
            (Outcome.LOST_NOW, True, PodAfter.NONE, False),
            id="an orphan is deleted as well",
        ),
        pytest.param({"event": PodEvent(cascade="foreground")}, (Outcome.LOST_NOW, True, PodAfter.NONE, False), id="in the foreground"),
    ],
)
def test_a_pod_of_a_deleted_daemonset_becomes(more: dict[str, object], expected: tuple[Outcome | None, bool, PodAfter, bool]) -> None:
    assert forecast(RUNS, None, **more) == PodForecast(*expected)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            (Outcome.LOOP, True, PodAfter.NEW, True, 60), (Outcome.LOST_NOW, True, PodAfter.NONE, False), id="the next one of a loop waits"
        ),
        pytest.param(
            (Outcome.LOOP, False, PodAfter.NEW, True, 60), (Outcome.MISSING, False, PodAfter.NONE, False), id="no loop without a node"
        ),
        pytest.param(
            (Outcome.LOOP, True, PodAfter.SAME, True, 60), (Outcome.LOOP, True, PodAfter.SAME, True, 60), id="the one that is there stays"
        ),
        pytest.param((Outcome.GAINED, False, PodAfter.NEW, True), (Outcome.MISSING, False, PodAfter.NONE, False), id="nothing gained"),
        pytest.param(
            (Outcome.MISSING, True, PodAfter.NONE, True), (Outcome.MISSING, True, PodAfter.NONE, False), id="missing stays missing"
        ),
        pytest.param(
            (Outcome.MISSING, False, PodAfter.NONE, True), (Outcome.MISSING, False, PodAfter.NONE, False), id="none before either"
        ),
        pytest.param((Outcome.KEPT, True, PodAfter.NEW, True), (Outcome.LOST_NOW, True, PodAfter.NONE, False), id="the successor waits"),
        pytest.param(
            (Outcome.KEPT, True, PodAfter.SAME, True), (Outcome.LOST_ON_RECREATION, True, PodAfter.SAME, False), id="the next one will wait"
        ),
        pytest.param((Outcome.LOST_NOW, True, PodAfter.NONE, False), (Outcome.LOST_NOW, True, PodAfter.NONE, False), id="lost stays lost"),
        pytest.param((Outcome.NEVER, False, PodAfter.NONE, False), (Outcome.NEVER, False, PodAfter.NONE, False), id="none is created"),
    ],
)
def test_without_room_it_becomes(given: tuple[Outcome, bool, PodAfter, bool], expected: tuple[Outcome, bool, PodAfter, bool]) -> None:
    assert stay_pending(PodForecast(*given)) == PodForecast(*expected)


@pytest.mark.parametrize(
    ("pod_after", "seconds", "has_pod"),
    [
        (PodAfter.SAME, None, True),
        (PodAfter.SAME, 0, True),
        (PodAfter.NEW, None, True),
        (PodAfter.NEW, 1, True),
        (PodAfter.NEW, 0, False),
        (PodAfter.NONE, None, False),
    ],
)
def test_a_loop_counts_as_a_pod_unless_it_has_no_pause(pod_after: PodAfter, seconds: int | None, has_pod: bool) -> None:
    assert PodForecast(Outcome.LOOP, True, pod_after, True, seconds).has_pod is has_pod
