"""A change as it was predicted against what was seen of it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from preflight.cli.main import move_verb_first
from tests.truth import comparing
from tests.truth.comparing import Compared
from tests.truth.evidence import Observed
from tests.truth.prediction import Prediction, Step
from tests.truth.state import Key
from tests.truth.watching import NOTHING, Pair


class NumbersCompared(NamedTuple):
    """The status numbers of a DaemonSet."""

    key: Key
    said: str
    seen: str
    equal: bool


class Judged(Struct):
    """The comparisons of a change; `fault` is how it went otherwise as a whole, `is_refused`: kubectl and the program refused it alike."""

    compared: list[Compared] = []
    numbers: list[NumbersCompared] = []
    fault: str = ""
    is_refused: bool = False

    @property
    def different(self) -> list[dict[str, object]]:
        """What differs, as plain data."""
        found: list[dict[str, object]] = [compared._asdict() for compared in self.compared if not compared.equal]
        found += ({"daemonset": "/".join(key), "said": said, "status": seen} for key, said, seen, equal in self.numbers if not equal)
        return [*found, {"fault": self.fault}] if self.fault else found


def is_of(step: Step, words: Sequence[str]) -> bool:
    """Whether a step judges a command line."""
    return step.command in (shlex.join(words), shlex.join(move_verb_first(list(words))))


def _list_unsure(said: Prediction) -> set[Pair]:
    """The pairs that are unknown, or that change beyond what a test sees: a surge that waits goes on once its DaemonSet is touched."""
    return {pair for step in said.steps for pair, forecast in step.pairs.items() if forecast.outcome == "unknown" or forecast.later}


def _list_hanging(observed: Observed) -> set[Pair]:
    """The pairs with a pod that hangs, perhaps of a DaemonSet of the same name before, or one that was deleted by force with others."""
    scenes = [observed.lines[-1].scene, *([observed.ended.scene] if observed.ended is not None else [])]
    return {
        pair for scene in scenes for pods in (scene.before, scene.after) for pair, there in pods.items() if there.ending and not there.any
    }


def _list_bound_since(observed: Observed) -> set[Pair]:
    """The pairs whose pod was Pending until pods of its node were ended, and found their room: the controller counts it all along."""
    if observed.ended is None:
        return set()
    before, after = observed.ended.scene.before, observed.ended.scene.after
    return {pair for pair, there in before.items() if there.waits and after.get(pair, NOTHING).on_node}


def judge(said: Prediction, observed: Observed) -> Judged:
    """Every comparison of a change; what follows a line of a plan that is refused was neither done nor judged."""
    found = Judged()
    step = last = said.steps[0] if said.steps else None
    for number, line in enumerate(observed.lines):
        step = said.steps[number] if number < len(said.steps) else None
        is_judged = step is not None and is_of(step, line.words)
        if line.code or step is None or not is_judged:
            if line.code and not is_judged:
                found.is_refused = True
            elif line.code or said.steps or line is observed.lines[-1]:
                found.fault = f"{shlex.join(line.words)}: kubectl {line.code}: {line.err}; preflight {said.result.code}: {said.result.err}"
            else:
                continue  # a later line of the plan will be refused
            return found
        found.compared += comparing.settled(step, line.scene)
        last = step
    if last is not None and observed.ended is not None:
        found.compared += comparing.recreated(last, observed.ended.pairs, observed.ended.scene)
        last = last.without(observed.ended.pairs)
    if last is not None and observed.status is not None:
        status = observed.status
        unsure = status.unsure | _list_unsure(said) | _list_hanging(observed)
        unplaced = status.unplaced | _list_bound_since(observed)
        numbers = comparing.numbers(last.placed, status.numbers, unsure, unplaced)
        found.numbers = [NumbersCompared(*compared) for compared in numbers]
    return found
