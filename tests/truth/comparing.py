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

    def seen(self, pair: Pair) -> str:
        """loop, same, new, pending or absent; each with `unsettled` in front where it still moved at the end.

        A pod of a surge that waited beside a live one and took its place is new.
        """
        if pair in self.loops_after:
            return "loop"
        before, after = self.before.get(pair, NOTHING), self.after.get(pair, NOTHING)
        if after.live:
            state = "same" if after.live & (before.live or before.pending) else "new"
        else:
            state = "pending" if after.pending else "absent"
        return f"unsettled, {state}" if pair in self.unsettled else state


def settled(step: Step, scene: Scene) -> Iterator[Compared]:
    """Every pair once the change has settled.

    1. A pair that was judged has the pod that was said: same, new, none, or ones that come and go. One that came and went before has no
       pod to be the same as, and which nodes an update reaches may be chance: there same and new are one.
    2. What the program says was there before, was.
    3. Any other pair is as it was, but for pods without a DaemonSet that are said to go; one that comes and goes is left out.
    4. An outcome `unknown` equals nothing and differs from nothing: it is counted apart.
    """
    for pair, said in step.pairs.items():
        seen = scene.seen(pair)
        equal = _same(said.pod, seen, said.chance or pair in scene.loops_before)
        as_said = pair in scene.loops_before or said.here == scene.before.get(pair, NOTHING).any
        if not as_said:
            seen = f"{seen}, before {'a pod' if not said.here else 'none'}"
        yield Compared("settled", pair, _outcome(said), _words(said), seen, (equal and as_said) or said.outcome == "unknown")
    for pair in {*scene.before, *scene.after, *scene.loops_after} - step.pairs.keys() - scene.loops_before:
        seen = scene.seen(pair)
        before = scene.before.get(pair, NOTHING)
        was = "same" if before.live else "pending" if before.pending else "absent"
        was = "absent" if pair in step.gone else was
        yield Compared("settled", pair, UNTOUCHED, was, seen, was == seen)


def _outcome(said: Said) -> str:
    return f"{said.outcome} (beyond)" if said.later else f"{said.outcome} (chance)" if said.chance else said.outcome


def _words(said: Said) -> str:
    period = "" if said.period is None else f" every {said.period} s"
    return f"{said.outcome}{period}: {said.pod}, re-created: {said.again}"


def _same(said: str, seen: str, either: bool) -> bool:
    if either and seen in ("same", "new"):
        return said in ("same", "new")
    return said == seen


def recreated(step: Step, ended: Iterable[Pair], scene: Scene) -> Iterator[Compared]:
    """Every pair whose pod was deleted: one is there again exactly where it was said.

    1. A pair that the step did not judge has one again where the DaemonSet should run.
    2. A DaemonSet whose pods the server refuses has none to re-create.
    """
    for pair in ended:
        namespace, name, node = pair
        if namespace == REFUSED:
            continue
        said = step.pairs.get(pair)
        if said is not None and said.outcome == "unknown":
            continue
        seen = scene.seen(pair)
        if said is None:
            placed = step.placed.get((namespace, name))
            again = "a pod" if placed and node in placed.wanted else "none"
            equal = seen in ("new", "loop") if again == "a pod" else seen == "absent"
            yield Compared("recreated", pair, UNTOUCHED, again, seen, equal)
        else:
            yield Compared("recreated", pair, _outcome(said), _words(said), seen, seen == _AGAIN[said.again])


_AGAIN = {"a pod": "new", "none": "absent", "loop": "loop"}


class Numbers(NamedTuple):
    """A DaemonSet's desiredNumberScheduled, currentNumberScheduled and numberMisscheduled."""

    desired: int
    current: int
    misscheduled: int


def numbers(placed: Mapping[Key, Placed], daemonsets: Iterable[Object], moving: frozenset[Pair]) -> Iterator[tuple[Key, str, str, bool]]:
    """The status of each DaemonSet against our own placement: what is said, what is seen, and whether they are equal.

    Pairs that come and go may count or not.
    """
    for daemonset in daemonsets:
        key = (daemonset["metadata"]["namespace"], daemonset["metadata"]["name"])
        status = daemonset["status"]
        seen = Numbers(status["desiredNumberScheduled"], status["currentNumberScheduled"], status["numberMisscheduled"])
        if key not in placed:
            yield key, "no such DaemonSet", str(tuple(seen)), False
            continue
        wanted, there = placed[key]
        loops = frozenset(node for namespace, name, node in moving if (namespace, name) == key)
        least, most = there - loops, there | loops
        equal = (
            seen.desired == len(wanted)
            and len(wanted & least) <= seen.current <= len(wanted & most)
            and len(least - wanted) <= seen.misscheduled <= len(most - wanted)
        )
        yield key, str((len(wanted), len(wanted & there), len(there - wanted))), str(tuple(seen)), equal
