"""What was said against what was seen: pair by pair after a change, after a re-creation, and in the status numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from tests.truth.drawing import Object
from tests.truth.prediction import Placed, Said, Step
from tests.truth.state import Key
from tests.truth.watching import NOTHING, Pair, There
from tests.truth.worlds import REFUSED

UNTOUCHED = "untouched"
"""The outcome of a pair that the program did not judge, because the change cannot reach it."""

FREED = "untouched (room came free)"
"""The same where a pod that was Pending has found room."""

PREEMPTED = "untouched (preempted)"
"""The same where a pod had to go for one of higher priority."""

LOST_BY_CHANCE = "how many are lost by chance"
"""What is said of several pairs at once."""

LEFT_OUT = (UNTOUCHED, FREED, PREEMPTED)


class Compared(NamedTuple):
    """One comparison of a pair: at a stage (`settled` or `recreated`), under the outcome that the program gave; `equal` or not."""

    stage: str
    pair: Pair
    outcome: str
    said: str
    seen: str
    equal: bool


class Scene(NamedTuple):
    """What a watch saw: the pods at the begin and at the end, the pairs that came and went at both, and those that never settled."""

    before: Mapping[Pair, There]
    after: Mapping[Pair, There]
    loops_before: frozenset[Pair]
    loops_after: frozenset[Pair]
    unsettled: frozenset[Pair]
    silent: frozenset[str] = frozenset()
    preempted: frozenset[Pair] = frozenset()

    def seen(self, pair: Pair) -> str:
        """loop, same, new, started, bound, not started, pending or absent; each with `unsettled` in front where it still moved at the end.

        1. A pod that was Pending before and is bound now has `started`; one of a surge, which waited beside a live one, is new.
        2. Where the kubelet of the node is silent a `bound` pod is all that there can be; elsewhere it is `not started`.
        """
        if pair in self.loops_after:
            return "loop"
        before, after = self.before.get(pair, NOTHING), self.after.get(pair, NOTHING)
        there = after.on_node if pair[2] in self.silent else after.live
        if there:
            state = "same" if there & before.on_node else "started" if there & before.pending and not before.on_node else "new"
            state = "bound" if state != "same" and not after.live else state
        else:
            state = "not started" if after.bound else "pending" if after.pending else "absent"
        return f"unsettled, {state}" if pair in self.unsettled else state

    def was(self, pair: Pair) -> str:
        """What `seen` is where nothing happens."""
        before = self.before.get(pair, NOTHING)
        if before.live or (before.bound and pair[2] in self.silent):
            return "same"
        return "not started" if before.bound else "pending" if before.pending else "absent"

    @property
    def contended(self) -> frozenset[str]:
        """The nodes on which pods wait for room before, perhaps beside an old one: what comes free may go to any, or to a new one."""
        return frozenset(node for (_, _, node), there in self.before.items() if there.pending)


def settled(step: Step, scene: Scene) -> Iterator[Compared]:
    """Every pair once the change has settled.

    1. A pair that was judged has the pod that was said: same, new, none, or ones that come and go. One that came and went before has no
       pod to be the same as, and which nodes an update reaches may be chance: there same and new are one.
    2. A pod that is not bound is no pod that runs: where `new` was said it differs. Where none was said it is none if the DaemonSet should
       run, and if it was so before: one that should not be there goes when its DaemonSet is looked at. One that is bound to a silent node
       is a new one, or none: it does not run either.
    3. What the program says was there before, was; of a node where no more than a Pending pod was it may say that there was one, if
       none is left. Where an earlier step may have left one that waits, it waited or not, and goes on so.
    4. Any other pair is as it was, but for pods without a DaemonSet that are said to go, and Pending ones that should not be there; one
       that comes and goes is left out. Of pods
       that are preempted there, or that find room, nothing was said: they are counted apart.
    5. An outcome `unknown` equals nothing and differs from nothing: it is counted apart.
    6. Of pods that an update takes by chance, and whose successors wait, as many are lost as was said.
    """
    for pair, said in step.pairs.items():
        seen = scene.seen(pair)
        before = scene.before.get(pair, NOTHING)
        may_wait = before.waits or _is_wanted(step, pair)
        equal = _same(said.pod, seen, said.chance or pair in scene.loops_before, may_wait=may_wait)
        equal = equal or (said.may_be_lost and seen == "pending") or (said.may_wait and before.waits and seen in ("pending", "absent"))
        as_said = (
            pair in scene.loops_before or said.here == bool(before.on_node) or (before.waits and (said.pod == "absent" or said.may_wait))
        )
        if not as_said:
            seen = f"{seen}, before {'a pod' if not said.here else 'none'}"
        outcome = _outcome(said, " (Pending)" if seen == "pending" else "")
        yield Compared("settled", pair, outcome, _words(said), seen, (equal and as_said) or said.outcome == "unknown")
    for pairs, (fewest, most) in step.losses:
        lost = sum(scene.seen(pair) == "pending" for pair in pairs)
        namespace, name, _ = min(pairs)
        seen = f"{lost} of {len(pairs)}"
        yield Compared("settled", (namespace, name, "*"), LOST_BY_CHANCE, f"{fewest} to {most} lost", seen, fewest <= lost <= most)
    for pair in {*scene.before, *scene.after, *scene.loops_after} - step.pairs.keys() - scene.loops_before:
        was, seen = scene.was(pair), scene.seen(pair)
        was = "absent" if pair in step.gone else was
        if was == "pending" and seen == "absent" and not _is_wanted(step, pair):
            continue  # it never ran, and goes with its DaemonSet, or when the controller looks at that
        if was == "pending" and seen in ("started", "bound"):
            yield Compared("settled", pair, FREED, was, seen, equal=True)
        elif pair in scene.preempted and was == "same" != seen:
            yield Compared("settled", pair, PREEMPTED, was, seen, equal=True)
        elif (scene.was(pair), seen) != ("absent", "absent"):
            yield Compared("settled", pair, UNTOUCHED, was, seen, was == seen)


def _is_wanted(step: Step, pair: Pair) -> bool:
    placed = step.placed.get(pair[:2])
    return placed is not None and pair[2] in placed.wanted


def _outcome(said: Said, more: str = "") -> str:
    return (f"{said.outcome} (beyond)" if said.later else f"{said.outcome} (chance)" if said.chance else said.outcome) + more


def _words(said: Said) -> str:
    period = "" if said.period is None else f" every {said.period} s"
    return f"{said.outcome}{period}: {said.pod}, re-created: {said.again}"


def _same(said: str, seen: str, either: bool, *, may_wait: bool) -> bool:
    if seen == "bound":
        return said in ("same", "new") or (said == "absent" and may_wait)
    if seen == "started" or (either and seen in ("same", "new")):
        return said in ("same", "new")
    return said == seen or (seen == "pending" and said == "absent" and may_wait)


def recreated(step: Step, ended: Iterable[Pair], scene: Scene) -> Iterator[Compared]:
    """Every pair whose pod was deleted: one is there again exactly where it was said.

    1. A pair that the step did not judge has one again where the DaemonSet should run; whether it is bound was not said.
    2. A DaemonSet whose pods the server refuses has none to re-create.
    3. Many are re-created at once: where pods waited for room before, it may be others that find it, and one that was said to find none
       may find that of another.
    4. The new pod of a surge that waited beside the ended one is not bound, and may not have been ended with it: it goes on waiting where
       the DaemonSet should not run too, and is none.
    """
    contended = scene.contended
    ended = frozenset(ended)
    for pair in ended:
        namespace, _, node = pair
        if namespace == REFUSED:
            continue
        said = step.pairs.get(pair)
        if said is not None and said.outcome == "unknown":
            continue
        seen = scene.seen(pair)
        is_wanted = _is_wanted(step, pair)
        goes_on_waiting = scene.after.get(pair, NOTHING).pending <= scene.before.get(pair, NOTHING).pending
        none = ("absent", "pending") if is_wanted or goes_on_waiting else ("absent",)
        if said is None:
            expected: tuple[str, ...] = ("new", "started", "bound", "loop", "pending") if is_wanted else none
            yield Compared("recreated", pair, UNTOUCHED, "a pod" if is_wanted else "none", seen, seen in expected)
        elif is_wanted and node in contended and (seen in ("pending", "started") or _finds_other_room(said, seen, pair, ended)):
            yield Compared("recreated", pair, _outcome(said, " (contended)"), _words(said), seen, equal=True)
        else:
            expected = none if said.again == "none" else _AGAIN[said.again]
            outcome = _outcome(said, " (Pending)" if seen == "pending" else "")
            yield Compared("recreated", pair, outcome, _words(said), seen, seen in expected)


def _finds_other_room(said: Said, seen: str, pair: Pair, ended: Iterable[Pair]) -> bool:
    """Whether a new pod may have the room of one of another DaemonSet that was deleted with the one before it."""
    return seen == "new" and said.again == "none" and any(other[:2] != pair[:2] and other[2] == pair[2] for other in ended)


_AGAIN: dict[str, tuple[str, ...]] = {"a pod": ("new", "started", "bound"), "none": ("absent",), "loop": ("loop",)}


def happened(scene: Scene) -> Iterator[str]:
    """What the control plane did with pods, a word for each pair; and on silent nodes, which pods never start or never end."""
    for pair in {*scene.before, *scene.after}:
        before, after = scene.before.get(pair, NOTHING), scene.after.get(pair, NOTHING)
        old = before.on_node | before.pending
        if pair in scene.preempted:
            yield "preempted"
        if after.on_node - old:
            yield "created and bound"
        elif after.pending - old:
            yield "created and Pending"
        elif after.on_node & before.pending:
            yield "bound after it was Pending"
        if pair[2] in scene.silent and after.ending - before.ending:
            yield "ending for ever on a silent node"
        if pair[2] in scene.silent and after.bound - before.bound:
            yield "bound on a silent node"


class Numbers(NamedTuple):
    """A DaemonSet's desiredNumberScheduled, currentNumberScheduled and numberMisscheduled."""

    desired: int
    current: int
    misscheduled: int


def read_numbers(daemonsets: Iterable[Object]) -> dict[Key, Numbers]:
    """The status of each DaemonSet."""
    return {
        (daemonset["metadata"]["namespace"], daemonset["metadata"]["name"]): Numbers(
            daemonset["status"]["desiredNumberScheduled"],
            daemonset["status"]["currentNumberScheduled"],
            daemonset["status"]["numberMisscheduled"],
        )
        for daemonset in daemonsets
    }


def numbers(
    placed: Mapping[Key, Placed], statuses: Mapping[Key, Numbers], moving: frozenset[Pair], unplaced: Iterable[Pair] = ()
) -> Iterator[tuple[Key, str, str, bool]]:
    """The status of each DaemonSet against our own placement: what is said, what is seen, and whether they are equal.

    Pairs that come and go, or of which nothing is known, may count or not. Those of `unplaced` have a pod that is Pending, or ends: the
    controller counts it too.
    """
    counted = set(unplaced)
    for key, seen in statuses.items():
        if key not in placed:
            yield key, "no such DaemonSet", str(tuple(seen)), False
            continue
        wanted, there = placed[key]
        there |= {node for namespace, name, node in counted if (namespace, name) == key}
        loops = frozenset(node for namespace, name, node in moving if (namespace, name) == key)
        least, most = there - loops, there | loops
        equal = (
            seen.desired == len(wanted)
            and len(wanted & least) <= seen.current <= len(wanted & most)
            and len(least - wanted) <= seen.misscheduled <= len(most - wanted)
        )
        yield key, str((len(wanted), len(wanted & there), len(there - wanted))), str(tuple(seen)), equal
