"""What counts as equal, and that a difference is noticed: by hand, without a cluster."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.truth.account import Account
from tests.truth.comparing import Compared, Scene, numbers, recreated, settled
from tests.truth.prediction import Placed, Said, Step
from tests.truth.watching import QUIET, SOON, Event, Memory, Pair, Pod, There, _Metadata, _Spec, _Status

PAIR = ("storage", "csi", "n1")
OTHER = ("storage", "csi", "n2")
OLD = There(live=frozenset(["old"]))
NEW = There(live=frozenset(["new"]))


def said(outcome: str, pod: str, *, here: bool = True, again: str = "a pod", period: int | None = None, later: bool = False) -> Said:
    return Said(outcome, here, pod != "absent", again != "none", period, pod, later, here, again)


def scene(before: There | None, after: There | None, *, looped: bool = False, loops: bool = False, unsettled: bool = False) -> Scene:
    pair = frozenset([PAIR])
    return Scene(
        {PAIR: before} if before else {},
        {PAIR: after} if after else {},
        pair if looped else frozenset(),
        pair if loops else frozenset(),
        pair if unsettled else frozenset(),
    )


def only(found: Iterable[Compared]) -> Compared:
    (one,) = found
    return one


def test_a_pod_that_nothing_controls_is_as_it_was_but_where_it_is_said_to_go() -> None:
    for gone in (False, True):
        step = Step({}, {}, gone=frozenset([PAIR] if gone else []))
        found = [(compared.seen, compared.equal) for after in (OLD, None) for compared in settled(step, scene(OLD, after))]
        assert found == [("same", not gone), ("absent", gone)]


@pytest.mark.parametrize(
    ("given", "seen", "says", "equal"),
    [
        pytest.param(said("kept", "same"), scene(OLD, OLD), "same", True, id="the same pod"),
        pytest.param(said("kept", "same"), scene(OLD, NEW), "new", False, id="a new pod where the same was said"),
        pytest.param(said("kept", "new"), scene(OLD, NEW), "new", True, id="a new pod"),
        pytest.param(said("kept", "new"), scene(OLD, OLD), "same", False, id="the same pod where a new one was said"),
        pytest.param(said("kept", "same"), scene(OLD, There(OLD.live, NEW.live)), "same", True, id="the same, and another that waits"),
        pytest.param(said("kept", "new"), scene(OLD, There(pending=NEW.live)), "pending", False, id="a new pod that is never bound"),
        pytest.param(said("lost-now", "absent"), scene(OLD, None), "absent", True, id="none"),
        pytest.param(said("lost-now", "absent"), scene(OLD, OLD), "same", False, id="one that stays though its loss was said"),
        pytest.param(said("kept", "same"), scene(OLD, None), "absent", False, id="one that is lost though it was said to stay"),
        pytest.param(said("gained", "new", here=False), scene(None, NEW), "new", True, id="one where none was"),
        pytest.param(
            said("excluded", "absent", here=False), scene(OLD, None), "absent, before a pod", False, id="one before where none was said"
        ),
        pytest.param(said("loop", "loop", period=5), scene(OLD, NEW, loops=True), "loop", True, id="one that comes and goes"),
        pytest.param(said("loop", "loop", period=5), scene(OLD, NEW), "new", False, id="one that stays though a loop was said"),
        pytest.param(said("kept", "new"), scene(OLD, NEW, loops=True), "loop", False, id="one that comes and goes though none was said to"),
        pytest.param(said("kept", "same"), scene(OLD, NEW, looped=True), "new", True, id="a last pod after many"),
        pytest.param(said("kept", "same"), scene(None, NEW, looped=True), "new", True, id="a last pod after many, caught in between"),
        pytest.param(said("kept", "same"), scene(OLD, OLD, unsettled=True), "unsettled, same", False, id="one that still moved"),
    ],
)
def test_a_pair_once_settled(given: Said, seen: Scene, says: str, equal: bool) -> None:
    found = only(settled(Step({PAIR: given}, {}), seen))
    assert (found.seen, found.equal) == (says, equal)


def test_a_pair_that_comes_and_goes_as_before_is_left_out() -> None:
    assert list(settled(Step({}, {}), scene(OLD, NEW, looped=True, loops=True))) == []


def test_an_unknown_pair_is_counted_and_never_differs() -> None:
    found = only(settled(Step({PAIR: said("unknown", "same")}, {}), scene(OLD, None)))
    assert (found.outcome, found.equal) == ("unknown", True)


@pytest.mark.parametrize(
    ("seen", "was", "says", "equal"),
    [
        pytest.param(scene(OLD, OLD), "same", "same", True, id="as it was"),
        pytest.param(scene(OLD, None), "same", "absent", False, id="lost"),
        pytest.param(scene(None, NEW), "absent", "new", False, id="gained"),
        pytest.param(scene(None, NEW, loops=True), "absent", "loop", False, id="one that comes and goes now"),
    ],
)
def test_a_pair_that_was_not_judged_stays_as_it_was(seen: Scene, was: str, says: str, equal: bool) -> None:
    found = only(settled(Step({}, {}), seen))
    assert (found.outcome, found.said, found.seen, found.equal) == ("untouched", was, says, equal)


@pytest.mark.parametrize(
    ("given", "seen", "equal"),
    [
        pytest.param(said("kept", "same"), scene(OLD, NEW), True, id="back, as was said"),
        pytest.param(said("kept", "same"), scene(OLD, None), False, id="gone, though it was said to come back"),
        pytest.param(said("lost-on-recreation", "same", again="none"), scene(OLD, None), True, id="gone, as was said"),
        pytest.param(said("lost-on-recreation", "same", again="none"), scene(OLD, NEW), False, id="back, though its loss was said"),
        pytest.param(said("loop", "same", again="loop", period=5), scene(OLD, NEW, loops=True), True, id="a loop begins, as was said"),
        pytest.param(said("loop", "same", again="loop", period=5), scene(OLD, NEW), False, id="no loop begins, though it was said"),
        pytest.param(None, scene(OLD, NEW), True, id="not judged, and placed there"),
        pytest.param(None, scene(OLD, None), False, id="not judged, placed there, and gone"),
    ],
)
def test_a_pair_after_its_re_creation(given: Said | None, seen: Scene, equal: bool) -> None:
    step = Step({PAIR: given} if given else {}, {PAIR[:2]: Placed(frozenset(["n1"]), frozenset(["n1"]))})
    assert only(recreated(step, [PAIR], seen)).equal is equal


def test_a_daemonset_whose_pods_are_refused_has_none_to_re_create() -> None:
    assert list(recreated(Step({}, {}), [("refused", "d", "n1")], scene(None, None))) == []


def status(desired: int, current: int, misscheduled: int) -> dict[str, object]:
    counts = {"desiredNumberScheduled": desired, "currentNumberScheduled": current, "numberMisscheduled": misscheduled}
    return {"metadata": {"namespace": "storage", "name": "csi"}, "status": counts}


@pytest.mark.parametrize(
    ("loops", "seen", "equal"),
    [
        pytest.param([], (2, 1, 1), True, id="equal"),
        pytest.param([], (3, 1, 1), False, id="another desired number"),
        pytest.param([], (2, 2, 1), False, id="another current number"),
        pytest.param([], (2, 1, 0), False, id="another misscheduled number"),
        pytest.param([OTHER], (2, 2, 1), True, id="a pod that comes and goes counts"),
        pytest.param([OTHER], (2, 1, 1), True, id="or does not"),
    ],
)
def test_status_numbers(loops: list[Pair], seen: tuple[int, int, int], equal: bool) -> None:
    placed = {("storage", "csi"): Placed(frozenset(["n1", "n2"]), frozenset(["n1", "n3"]))}
    ((_, _, _, found),) = numbers(placed, [status(*seen)], frozenset(loops))
    assert found is equal


def test_pods_that_end_come_back_where_they_are_placed() -> None:
    step = Step({}, {("storage", "csi"): Placed(frozenset(["n1", "n2"]), frozenset(["n1", "n3"]))})
    after = step.without([("storage", "csi", "n1"), ("storage", "csi", "n3")])
    assert after.placed == {("storage", "csi"): Placed(frozenset(["n1", "n2"]), frozenset(["n1"]))}


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def event(kind: str, uid: str, node: str = "n1", phase: str = "Running", deleted: str = "") -> Event:
    metadata = _Metadata(namespace="storage", name=uid, uid=uid, deletionTimestamp=deleted, labels={"app": "csi"})
    return Event(kind, Pod(metadata, _Spec(nodeName=node), _Status(phase=phase)))


def test_a_memory_knows_who_is_there_and_who_comes_and_goes() -> None:
    clock = Clock()
    memory = Memory(clock)
    memory.listed([event("", "a").object])
    assert memory.there() == {PAIR: There(live=frozenset(["a"]))}
    assert memory.moving([]) == (frozenset(), frozenset())
    memory.heard(event("MODIFIED", "a", deleted="now"))
    assert memory.there() == {}
    memory.heard(event("DELETED", "a", deleted="now"))
    memory.heard(event("ADDED", "b", phase="Pending"))
    assert memory.there() == {PAIR: There(pending=frozenset(["b"]))}
    assert memory.moving([]) == (frozenset(), frozenset([PAIR]))
    memory.heard(event("DELETED", "b"))
    memory.heard(event("ADDED", "c"))
    assert memory.moving([]) == (frozenset([PAIR]), frozenset())
    clock.now = SOON + 0.1
    assert memory.moving(["n1"]) == (frozenset([PAIR]), frozenset())
    assert memory.moving([]) == (frozenset(), frozenset())
    clock.now = QUIET + 0.1
    assert memory.moving(["n1"]) == (frozenset(), frozenset())
    memory.mark()
    memory.heard(event("ADDED", "d"))
    assert memory.moving([]) == (frozenset(), frozenset([PAIR]))


def test_an_account_counts_what_differs_and_adds_up() -> None:
    account = Account()
    equal = Compared("settled", PAIR, "kept", "", "", equal=True)
    different = Compared("recreated", PAIR, "kept", "", "", equal=False)
    assert account.add("cordon", [equal, different], {PAIR[:2]: "on-delete"}) == [different]
    assert account.mismatches == 1
    account.numbers[False] += 2
    account.faults += 1
    assert account.mismatches == 4
    total = Account.of(account.dumped())
    total.merge(account)
    assert total.mismatches == 8
    assert total.by_strategy == {("on-delete", "settled", True): 2, ("on-delete", "recreated", False): 2}
    assert "cordon                       kept                                  2          2          2" in total.table()
