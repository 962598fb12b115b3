"""Where an update ends: what the controller's own steps come to in any order, and the numbers by hand."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from preflight.model.apps import DaemonSetSpec, DaemonSetUpdateStrategy, RollingUpdateDaemonSet
from preflight.scheduling.rollout_simulation import (
    NEWEST_BEHAVIOR,
    LivePod,
    NewPodOutcome,
    PodsOnNode,
    UpdateBehavior,
    UpdateCohort,
    UpdateForecast,
    simulate_update,
)
from tests.scheduling.daemonset_controller import Controller

Limit = int | str | None

SAME, NEW, GONE, HANGS = PodsOnNode(has_previous=True), PodsOnNode(has_new=True), PodsOnNode(), PodsOnNode(hangs=True)
PENDING = PodsOnNode(has_new=True, is_bound=False)
BOTH, WAITS = PodsOnNode(has_previous=True, has_new=True), PodsOnNode(has_previous=True, has_new=True, is_bound=False)


def spec(unavailable: Limit = None, surge: Limit = None, kind: str = "") -> DaemonSetSpec:
    return DaemonSetSpec(updateStrategy=DaemonSetUpdateStrategy(kind, RollingUpdateDaemonSet(unavailable, surge)))


def wanted(count: int, **more: object) -> UpdateCohort:
    """Nodes that should run it, with an available old pod."""
    return UpdateCohort(count, should_run=True, may_stay=True, **{"pod": LivePod.OLD, **more})  # type: ignore[arg-type]


def bomb(count: int, **more: object) -> UpdateCohort:
    """Nodes that should not run it, where an available old pod may stay."""
    return UpdateCohort(count, should_run=False, may_stay=True, **{"pod": LivePod.OLD, **more})  # type: ignore[arg-type]


def waiting(count: int, *, should_run: bool, may_stay: bool = True) -> UpdateCohort:
    """Nodes where nothing is but a new pod that finds no room."""
    return UpdateCohort(count, should_run, may_stay, new_pod=NewPodOutcome.PENDING, is_waiting=True)


def ends(found: UpdateForecast) -> list[tuple[tuple[PodsOnNode, ...], int, int]]:
    return [(end.possible_states, end.fewest, end.most) for end in found.ends]


OLDER = UpdateBehavior(counts_unavailable=False, removes_unwanted=False)
UNREADY, REFUSED = NewPodOutcome.UNREADY, NewPodOutcome.REFUSED
NUMBERS: list[int | str] = [1, 2, 3, 5, "10%", "34%", "50%", "100%"]


@pytest.mark.parametrize(
    ("strategy", "parts", "answer"),
    [
        pytest.param(spec(), [wanted(3)], [((NEW,), 3, 3)], id="all well: all are replaced"),
        pytest.param(spec(), [wanted(3), bomb(2)], [((NEW,), 3, 3), ((GONE,), 2, 2)], id="a time bomb goes and nothing comes"),
        pytest.param(spec(kind="OnDelete"), [wanted(3), bomb(2)], [((SAME,), 3, 3), ((SAME,), 2, 2)], id="OnDelete leaves both"),
        pytest.param(spec("50%"), [bomb(2)], [((SAME,), 0, 0)], id="a percentage of nothing leaves available pods"),
        pytest.param(spec("50%"), [bomb(2, is_available=False)], [((GONE,), 2, 2)], id="and takes those that are not"),
        pytest.param(spec(), [bomb(3)], [((GONE,), 3, 3)], id="the default is an integer"),
        pytest.param(spec(2), [bomb(3)], [((GONE,), 3, 3)], id="an integer takes them all"),
        pytest.param(spec(0, 1), [bomb(3)], [((GONE,), 3, 3)], id="so does a surge that is an integer"),
        pytest.param(spec("0%", "0%"), [wanted(2)], [((NEW,), 2, 2)], id="two limits of 0 are the default"),
        pytest.param(
            spec(1),
            [wanted(3), bomb(1, is_available=False, is_kubelet_silent=True)],
            [((SAME,), 0, 0), ((HANGS,), 1, 1)],
            id="one that hangs stops it",
        ),
        pytest.param(
            spec(2), [wanted(3), bomb(1, is_available=False, is_kubelet_silent=True)], [((NEW,), 3, 3), ((HANGS,), 1, 1)], id="and not two"
        ),
        pytest.param(
            spec(1),
            [wanted(3), UpdateCohort(1, should_run=True, may_stay=True, new_pod=REFUSED)],
            [((SAME,), 0, 0), ((GONE,), 1, 1)],
            id="a creation that is refused stops it",
        ),
        pytest.param(spec(2), [wanted(5, new_pod=REFUSED)], [((GONE, SAME), 2, 2)], id="a quota takes as many as may lack one, for good"),
        pytest.param(spec(0, 2), [wanted(5, new_pod=REFUSED)], [((SAME,), 5, 5)], id="with a surge it takes none"),
        pytest.param(spec(2), [wanted(5, new_pod=UNREADY)], [((NEW, SAME), 2, 2)], id="a bad image reaches as many as may lack one"),
        pytest.param(spec(0, 2), [wanted(5, new_pod=UNREADY)], [((BOTH, SAME), 2, 2)], id="with a surge as many beside the old ones"),
        pytest.param(spec(0, 1), [wanted(3, is_crowded=True)], [((WAITS, SAME), 1, 1)], id="a port keeps the surge waiting"),
        pytest.param(spec(0, "100%"), [wanted(3, is_crowded=True)], [((WAITS,), 3, 3)], id="on all of them where all may surge"),
        pytest.param(
            spec(0, 1),
            [wanted(1, is_crowded=True, is_available=False)],
            [((NEW,), 1, 1)],
            id="a node goes on where its old pod is not available",
        ),
        pytest.param(
            spec(2),
            [wanted(3, new_pod=UNREADY), wanted(4)],
            [((NEW, SAME), 2, 2), ((NEW, SAME), 0, 4)],
            id="of good ones any number before",
        ),
        pytest.param(
            spec(2),
            [wanted(2, new_pod=UNREADY), bomb(3)],
            [((NEW,), 2, 2), ((GONE, SAME), 0, 3)],
            id="the last of the budget is certain to be used up",
        ),
        pytest.param(
            spec(0, 1),
            [wanted(4), wanted(2, is_available=False, new_pod=UNREADY), bomb(3)],
            [((NEW,), 4, 4), ((NEW,), 2, 2), ((GONE, SAME), 1, 1)],
            id="a surge keeps as many as wanted nodes lack an available pod",
        ),
        pytest.param(
            spec(1),
            [UpdateCohort(2, should_run=True, may_stay=True, is_terminating=True, is_kubelet_silent=True), wanted(1)],
            [((HANGS,), 2, 2), ((SAME,), 0, 0)],
            id="without a surge a pod that hangs blocks the new one",
        ),
        pytest.param(
            spec(0, 1),
            [UpdateCohort(2, should_run=True, may_stay=True, is_terminating=True, is_kubelet_silent=True, is_crowded=True), wanted(1)],
            [((PodsOnNode(has_new=True, is_bound=False, hangs=True),), 2, 2), ((NEW,), 1, 1)],
            id="with one it waits beside it for the port",
        ),
        pytest.param(
            spec(1),
            [UpdateCohort(2, should_run=False, may_stay=False, pod=LivePod.OLD, is_kubelet_silent=True), wanted(1)],
            [((HANGS,), 2, 2), ((SAME,), 0, 0)],
            id="pods that may not stay and hang hold the budget too",
        ),
        pytest.param(
            spec(1), [waiting(1, should_run=True), wanted(2)], [((PENDING,), 1, 1), ((SAME,), 0, 0)], id="one that waits stops it"
        ),
        pytest.param(
            spec(1),
            [waiting(1, should_run=False), wanted(2), bomb(2)],
            [((PENDING,), 1, 1), ((SAME,), 0, 0), ((SAME,), 0, 0)],
            id="so does one that should not run there",
        ),
        pytest.param(
            spec(2),
            [waiting(1, should_run=False), wanted(2)],
            [((PENDING,), 1, 1), ((NEW,), 2, 2)],
            id="where one may lack, not where two may",
        ),
        pytest.param(
            spec(1),
            [waiting(1, should_run=False, may_stay=False), wanted(2)],
            [((GONE,), 1, 1), ((NEW,), 2, 2)],
            id="one that may not stay is deleted",
        ),
        pytest.param(
            spec(0, 1), [waiting(1, should_run=False), wanted(2)], [((PENDING,), 1, 1), ((NEW,), 2, 2)], id="a surge does not count it"
        ),
    ],
)
def test_the_end_of_an_update(
    strategy: DaemonSetSpec, parts: list[UpdateCohort], answer: list[tuple[tuple[PodsOnNode, ...], int, int]]
) -> None:
    assert ends(simulate_update(strategy, sum(part.count for part in parts if part.should_run), parts)) == answer


@pytest.mark.parametrize(
    ("unavailable", "desired", "allowed"),
    [
        pytest.param(None, 9, 1, id="the default is 1"),
        pytest.param(3, 2, 3, id="an integer, even above what is desired"),
        pytest.param("50%", 4, 2, id="a percentage"),
        pytest.param("50%", 3, 2, id="a percentage rounds up"),
        pytest.param("1%", 164, 2, id="a small one too"),
        pytest.param("34%", 3, 2, id="from a little above a third"),
        pytest.param("100%", 3, 3, id="all"),
        pytest.param("100%", 0, 0, id="all of none"),
        pytest.param("some", 3, 1, id="a text that is none is the default"),
    ],
)
def test_the_budget(unavailable: Limit, desired: int, allowed: int) -> None:
    assert simulate_update(spec(unavailable), desired, [wanted(desired)]).budget == allowed


def test_the_numbers_of_an_update_that_stops() -> None:
    parts = [wanted(9), wanted(3, new_pod=UNREADY), wanted(2, is_available=False, new_pod=UNREADY), bomb(1)]
    found = simulate_update(spec("25%"), 14, parts)
    assert (found.budget, found.blocked_nodes, found.waiting_nodes, found.failing_nodes, found.failing_reached) == (4, 2, 13, 3, 2)
    assert found.reached_range == (2, 12)
    assert found.may_stop


def test_an_update_that_goes_through_does_not_stop() -> None:
    found = simulate_update(spec(3), 14, [wanted(9), wanted(2, is_available=False, new_pod=UNREADY)])
    assert found.reached_range == (9, 9)
    assert not found.may_stop


@st.composite
def any_part(draw: st.DrawFn) -> UpdateCohort:
    should_run = draw(st.booleans())
    pod = draw(st.sampled_from(LivePod))
    is_waiting = pod is LivePod.NONE and draw(st.booleans())
    return UpdateCohort(
        draw(st.integers(1, 3)),
        should_run,
        should_run or draw(st.booleans()),
        pod,
        draw(st.booleans()) or pod is LivePod.NONE,
        draw(st.sampled_from([False, False, True])),
        draw(st.sampled_from([False, False, True])),
        NewPodOutcome.PENDING if is_waiting else draw(st.sampled_from([NewPodOutcome.READY, NewPodOutcome.READY, *NewPodOutcome])),
        False,
        is_waiting=is_waiting,
    )


@st.composite
def any_update(draw: st.DrawFn) -> tuple[DaemonSetSpec, list[UpdateCohort]]:
    number = draw(st.sampled_from(NUMBERS))
    surge, kind = draw(st.booleans()), draw(st.sampled_from(["", "", "", "", "OnDelete"]))
    parts = draw(st.lists(any_part(), min_size=1, max_size=6))
    if surge and draw(st.booleans()):
        parts = [replace(part, is_crowded=True) for part in parts]
    return spec(0 if surge else number, number if surge else 0, kind), parts


@settings(max_examples=600, deadline=None)
@given(any_update(), st.sampled_from([NEWEST_BEHAVIOR, OLDER]), st.randoms(use_true_random=False))
def test_whatever_the_order_the_controller_ends_as_foretold(
    update: tuple[DaemonSetSpec, list[UpdateCohort]], behavior: UpdateBehavior, chance: random.Random
) -> None:
    strategy, parts = update
    foretold = simulate_update(strategy, sum(part.count for part in parts if part.should_run), parts, behavior)
    reached = kept = 0
    seen: Counter[tuple[int, PodsOnNode]] = Counter(Controller(strategy, parts, chance, behavior).run())
    for index, end in enumerate(foretold.ends):
        found = {there: number for (place, there), number in seen.items() if place == index}
        assert set(found) <= set(end.possible_states), index
        if end.reached != end.unreached:
            assert end.fewest <= found.get(end.reached, 0) <= end.most
        reached += found.get(end.reached, 0) if end.waits else 0
        kept += found.get(end.unreached, 0) if end.awaits_removal else 0
    assert foretold.reached_range[0] <= reached <= foretold.reached_range[1]
    assert foretold.removable_kept == (kept, kept)


@pytest.mark.parametrize(
    ("strategy", "parts", "answer"),
    [
        pytest.param(
            spec(1),
            [bomb(1), wanted(1, is_available=False, is_kubelet_silent=True)],
            [((GONE,), 1, 1), ((HANGS,), 1, 1)],
            id="beside a silent node an available pod is lost all the same",
        ),
        pytest.param(
            spec(1),
            [wanted(4), wanted(1, is_available=False, is_kubelet_silent=True)],
            [((NEW, SAME), 1, 1), ((HANGS,), 1, 1)],
            id="of four available pods one is replaced, any of them",
        ),
        pytest.param(
            spec(3),
            [wanted(3, new_pod=UNREADY), wanted(2, is_available=False, new_pod=UNREADY)],
            [((NEW,), 3, 3), ((NEW,), 2, 2)],
            id="three with a template that is never Ready, on top of two",
        ),
        pytest.param(
            spec(1),
            [wanted(3), wanted(1, pod=LivePod.NEW, is_available=False)],
            [((SAME,), 0, 0), ((SAME,), 1, 1)],
            id="a new pod that is not available counts in every version",
        ),
        pytest.param(spec(0, 1), [bomb(1), wanted(2)], [((WAITS,), 1, 1), ((NEW, SAME), 0, 2)], id="a surge waits where it should not run"),
        pytest.param(spec(0, 2), [bomb(1), wanted(2)], [((WAITS,), 1, 1), ((NEW,), 2, 2)], id="a surge of two ends beside it"),
    ],
)
def test_the_end_of_an_update_by_an_older_controller(
    strategy: DaemonSetSpec, parts: list[UpdateCohort], answer: list[tuple[tuple[PodsOnNode, ...], int, int]]
) -> None:
    assert ends(simulate_update(strategy, sum(part.count for part in parts if part.should_run), parts, OLDER)) == answer


def test_each_end_that_is_possible_comes_about_in_some_order() -> None:
    parts = [wanted(3, new_pod=UNREADY), wanted(2), bomb(2)]
    strategy = spec(2)
    foretold = simulate_update(strategy, 5, parts)
    seen = {found for seed in range(400) for found in Controller(strategy, parts, random.Random(seed)).run()}
    assert seen == {(index, there) for index, end in enumerate(foretold.ends) for there in end.possible_states}
    counts = {Counter(Controller(strategy, parts, random.Random(seed)).run())[2, GONE] for seed in range(400)}
    assert (min(counts), max(counts)) == (foretold.ends[2].fewest, foretold.ends[2].most)
