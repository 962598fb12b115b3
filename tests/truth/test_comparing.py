"""What counts as equal, and that a difference is noticed: by hand, without a cluster."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import pytest

from tests.truth.account import Account
from tests.truth.comparing import Compared, Scene, happened, numbers, read_numbers, recreated, settled
from tests.truth.prediction import Placed, Said, Step
from tests.truth.watching import QUIET, SOON, Event, Memory, Pair, Pod, There, _Condition, _Metadata, _Spec, _Status

PAIR = ("storage", "csi", "n1")
OTHER = ("storage", "csi", "n2")
OLD = There(live=frozenset(["old"]))
NEW = There(live=frozenset(["new"]))
WAITS, WAITED = (There(pending=frozenset([name])) for name in ("new", "old"))
BOUND = There(bound=frozenset(["new"]))
ENDS = There(ending=frozenset(["old"]))


def said(outcome: str, pod: str, *, here: bool = True, again: str = "a pod", period: int | None = None, later: bool = False) -> Said:
    return Said(outcome, here, pod != "absent", again != "none", period, pod, later, here, again)


def scene(
    before: There | None,
    after: There | None,
    *,
    looped: bool = False,
    loops: bool = False,
    unsettled: bool = False,
    silent: bool = False,
    preempted: bool = False,
) -> Scene:
    pair = frozenset([PAIR])
    return Scene(
        {PAIR: before} if before else {},
        {PAIR: after} if after else {},
        pair if looped else frozenset(),
        pair if loops else frozenset(),
        pair if unsettled else frozenset(),
        frozenset(["n1"] if silent else []),
        pair if preempted else frozenset(),
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
        pytest.param(said("kept", "new"), scene(OLD, BOUND), "not started", False, id="a new pod that no kubelet starts"),
        pytest.param(said("kept", "new"), scene(OLD, BOUND, silent=True), "bound", True, id="the same where the kubelet is silent"),
        pytest.param(said("kept", "new"), scene(OLD, ENDS, silent=True), "absent", False, id="none, for the old one never ends"),
        pytest.param(said("missing", "absent"), scene(OLD, ENDS, silent=True), "absent", True, id="one that never ends, as was said"),
        pytest.param(said("gained", "new", here=False), scene(None, WAITS), "pending", False, id="one that finds no room"),
        pytest.param(said("gained", "new", here=False), scene(WAITS, NEW), "started", True, id="one that has found room"),
        pytest.param(said("missing", "absent", here=False), scene(WAITS, WAITS), "pending", True, id="one that finds no room still"),
        pytest.param(said("missing", "absent", here=False), scene(WAITS, NEW), "started", False, id="one that was said to find none"),
        pytest.param(said("lost-now", "absent"), scene(WAITS, None), "absent", True, id="one that found no room, and goes"),
        pytest.param(said("kept", "same"), scene(WAITS, WAITS), "pending, before none", False, id="one that never ran, said to be kept"),
        pytest.param(said("kept", "same"), scene(OLD, WAITS, preempted=True), "pending", False, id="one that is preempted, said to stay"),
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


@pytest.mark.parametrize(("lost", "equal"), [(0, False), (1, True), (2, False)])
def test_of_pods_that_are_lost_by_chance_as_many_go_as_was_said(lost: int, equal: bool) -> None:
    pairs = [PAIR, OTHER]
    by_chance = said("lost-on-recreation", "same", again="none")._replace(chance=True, may_be_lost=True)
    step = Step(dict.fromkeys(pairs, by_chance), {}, losses=((frozenset(pairs), (1, 1)),))
    after = {pair: WAITS if number < lost else OLD for number, pair in enumerate(pairs)}
    found = list(settled(step, Scene(dict.fromkeys(pairs, OLD), after, frozenset(), frozenset(), frozenset())))
    assert [compared.equal for compared in found] == [True, True, equal]
    assert found[-1].seen == f"{lost} of 2"


@pytest.mark.parametrize(("wanted", "equal"), [(["n1"], [False]), ([], [])], ids=["one that should be there", "a surplus one"])
def test_a_pending_pod_that_goes_untouched(wanted: list[str], equal: list[bool]) -> None:
    step = Step({}, {PAIR[:2]: Placed(frozenset(wanted), frozenset())})
    assert [compared.equal for compared in settled(step, scene(WAITS, None))] == equal


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
        pytest.param(scene(OLD, WAITS), "same", "pending", False, id="one that is not bound any more"),
        pytest.param(scene(WAITS, WAITS), "pending", "pending", True, id="not bound still"),
        pytest.param(scene(BOUND, BOUND, silent=True), "same", "same", True, id="bound still where the kubelet is silent"),
    ],
)
def test_a_pair_that_was_not_judged_stays_as_it_was(seen: Scene, was: str, says: str, equal: bool) -> None:
    found = only(settled(Step({}, {}), seen))
    assert (found.outcome, found.said, found.seen, found.equal) == ("untouched", was, says, equal)


@pytest.mark.parametrize(
    ("seen", "outcome", "was", "says"),
    [
        pytest.param(scene(WAITED, OLD), "untouched (room came free)", "pending", "started", id="one that has found room"),
        pytest.param(scene(OLD, WAITS, preempted=True), "untouched (preempted)", "same", "pending", id="one that had to go"),
        pytest.param(scene(OLD, None, preempted=True), "untouched (preempted)", "same", "absent", id="one that nothing makes again"),
    ],
)
def test_what_happens_to_a_pair_that_was_not_judged_is_counted_apart(seen: Scene, outcome: str, was: str, says: str) -> None:
    found = only(settled(Step({}, {}), seen))
    assert (found.outcome, found.said, found.seen, found.equal) == (outcome, was, says, True)


def test_a_pod_that_never_ran_may_go_with_its_daemonset() -> None:
    placed = {PAIR[:2]: Placed(frozenset(["n1"]), frozenset())}
    assert list(settled(Step({}, {}), scene(WAITS, None))) == []
    assert only(settled(Step({}, placed), scene(WAITS, None))).equal is False
    assert only(settled(Step({}, {}), scene(WAITS, WAITS))).equal is True


@pytest.mark.parametrize(
    ("after", "silent", "equal"),
    [
        pytest.param(WAITS, False, True, id="one that is not bound"),
        pytest.param(BOUND, True, True, id="one that is bound to a silent node"),
        pytest.param(BOUND, False, False, id="one that is bound and should have started"),
        pytest.param(NEW, True, False, id="one that runs"),
    ],
)
def test_a_pod_that_does_not_run_is_none_where_the_daemonset_should_run(after: There, silent: bool, equal: bool) -> None:
    placed = {PAIR[:2]: Placed(frozenset(["n1"]), frozenset())}
    step = Step({PAIR: said("missing", "absent", here=False)}, placed)
    assert only(settled(step, scene(ENDS, after, silent=silent))).equal is equal


def test_an_ended_pod_that_stays_is_no_pod() -> None:
    assert list(settled(Step({}, {}), scene(ENDS, ENDS, silent=True))) == []


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        pytest.param(scene(OLD, OLD), [], id="nothing"),
        pytest.param(scene(OLD, NEW), ["created and bound"], id="one that is bound"),
        pytest.param(scene(None, WAITS), ["created and Pending"], id="one that is not"),
        pytest.param(scene(WAITED, OLD), ["bound after it was Pending"], id="one that is bound at last"),
        pytest.param(scene(OLD, WAITS, preempted=True), ["preempted", "created and Pending"], id="one for which there is no more room"),
        pytest.param(scene(OLD, ENDS, silent=True), ["ending for ever on a silent node"], id="one that never ends"),
        pytest.param(scene(None, BOUND, silent=True), ["created and bound", "bound on a silent node"], id="one that never starts"),
    ],
)
def test_what_the_control_plane_did(seen: Scene, words: list[str]) -> None:
    assert list(happened(seen)) == words


@pytest.mark.parametrize(
    ("given", "seen", "equal"),
    [
        pytest.param(said("kept", "same"), scene(OLD, NEW), True, id="back, as was said"),
        pytest.param(said("kept", "same"), scene(OLD, WAITS), False, id="back, and not bound"),
        pytest.param(said("kept", "same"), scene(There(OLD.live, WAITS.pending), NEW), True, id="back, for the next one waited already"),
        pytest.param(said("kept", "same"), scene(WAITED, WAITS), True, id="not bound, where others waited for the room too"),
        pytest.param(said("missing", "absent"), scene(WAITED, NEW), True, id="bound, where it waited for the room"),
        pytest.param(said("missing", "absent", again="none"), scene(OLD, WAITS), True, id="not bound, as was said"),
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


@pytest.mark.parametrize("given", [said("already-fragile", "same", again="none"), None], ids=["judged", "not judged"])
@pytest.mark.parametrize(
    ("before", "equal"),
    [
        pytest.param(There(OLD.live, WAITS.pending), True, id="it waited beside the ended one"),
        pytest.param(OLD, False, id="it is a new one"),
        pytest.param(There(OLD.live, frozenset(["another"])), False, id="another one waited"),
    ],
)
def test_a_new_pod_of_a_surge_goes_on_waiting_where_the_daemonset_should_not_run(given: Said | None, before: There, equal: bool) -> None:
    step = Step({PAIR: given} if given else {}, {PAIR[:2]: Placed(frozenset(), frozenset(["n1"]))})
    assert only(recreated(step, [PAIR], scene(before, WAITS))).equal is equal


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
    ((_, _, _, found),) = numbers(placed, read_numbers([status(*seen)]), frozenset(loops))
    assert found is equal


def test_a_pod_that_waits_or_ends_counts_as_scheduled() -> None:
    placed = {("storage", "csi"): Placed(frozenset(["n1", "n2"]), frozenset(["n1"]))}
    for unplaced, equal in (([], False), ([OTHER], True)):
        ((_, _, _, found),) = numbers(placed, read_numbers([status(2, 2, 0)]), frozenset(), unplaced)
        assert found is equal


def test_pods_that_end_come_back_where_they_are_placed() -> None:
    step = Step({}, {("storage", "csi"): Placed(frozenset(["n1", "n2"]), frozenset(["n1", "n3"]))})
    after = step.without([("storage", "csi", "n1"), ("storage", "csi", "n3")])
    assert after.placed == {("storage", "csi"): Placed(frozenset(["n1", "n2"]), frozenset(["n1"]))}


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def event(kind: str, uid: str, node: str = "n1", phase: str = "Running", deleted: str = "", reason: str = "") -> Event:
    metadata = _Metadata(namespace="storage", name=uid, uid=uid, deletionTimestamp=deleted, labels={"app": "csi"})
    conditions = (_Condition("DisruptionTarget", "True", reason),) if reason else ()
    return Event(kind, Pod(metadata, _Spec(nodeName=node), _Status(phase=phase, conditions=conditions)))


def test_a_memory_knows_who_is_there_and_who_comes_and_goes() -> None:
    clock = Clock()
    memory = Memory(clock)
    memory.listed([event("", "a").object])
    assert memory.there() == {PAIR: There(live=frozenset(["a"]))}
    assert memory.moving([]) == (frozenset(), frozenset())
    memory.heard(event("MODIFIED", "a", deleted="now"))
    assert memory.there() == {PAIR: There(ending=frozenset(["a"]))}
    memory.heard(event("DELETED", "a", deleted="now"))
    assert memory.there() == {}
    memory.heard(event("ADDED", "b", phase="Pending"))
    assert memory.there() == {PAIR: There(bound=frozenset(["b"]))}
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


def test_a_memory_knows_who_was_preempted_since_the_mark() -> None:
    memory = Memory(Clock())
    memory.heard(event("MODIFIED", "a", deleted="now", reason="PreemptionByScheduler"))
    memory.heard(event("MODIFIED", "b", node="n2", deleted="now", reason="DeletionByTaintManager"))
    assert memory.preempted() == {PAIR}
    memory.mark()
    assert memory.preempted() == frozenset()


def test_a_memory_knows_whose_pod_has_failed() -> None:
    memory = Memory(Clock())
    memory.heard(event("ADDED", "a", phase="Failed"))
    memory.heard(event("ADDED", "b", node="n2"))
    assert memory.failed() == {PAIR}
    assert {node for _, _, node in memory.there()} == {"n2"}
    memory.heard(event("DELETED", "a", phase="Failed"))
    assert memory.failed() == frozenset()


def test_a_pod_that_is_not_bound_is_of_the_node_that_it_was_made_for() -> None:
    field = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [field]}}}
    metadata = {"namespace": "storage", "name": "csi-x", "uid": "a", "labels": {"app": "csi"}}
    memory = Memory(Clock())
    memory.listed([msgspec.convert({"metadata": metadata, "spec": {"affinity": affinity}, "status": {"phase": "Pending"}}, Pod)])
    assert memory.there() == {PAIR: There(pending=frozenset(["a"]))}


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
