"""What was said of a drain as a whole against what was seen: kubectl's words, its exit code and time, and the pods that it leaves alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from preflight.scheduling.drain import NodeDrain
from tests.truth.drains.prediction import Said
from tests.truth.drains.seen import Seen, words

Course = tuple[NodeDrain, ...]
"""What becomes of the nodes of a drain, in order."""

SLACK = 4.0
"""Seconds that kubectl and the cluster may take for themselves, for a drain and for each of its nodes."""


class Compared(NamedTuple):
    """One comparison.

    1. `of` is a verdict, and `is_pod`, or a value of the whole drain or of a node of it. `about` is the pod or the node.
    2. `by_chance`: more than one answer was possible by what was said. `left_out` is why a part could not be compared.
    """

    of: str
    about: str
    said: str
    seen: str
    equal: bool
    by_chance: bool = False
    is_pod: bool = False
    left_out: tuple[str, ...] = ()


def kubectl_words(of: str, pattern: re.Pattern[str], nodes: list[tuple[NodeDrain, tuple[bool, bool]]], seen: Seen) -> Compared:
    """kubectl's refusals or warnings, all nodes together; those of a node that it may not reach may be missing."""

    def expected(courses: list[NodeDrain]) -> dict[str, set[str]]:
        lines = [
            line
            for course in courses
            for line in ([refusal.words for refusal in course.refusals] if of == "refusals" else [f"Warning: {'; '.join(course.warnings)}"])
        ]
        return words(pattern, "\n".join(lines))

    sure, maybe = (expected([course for course, reach in nodes if which(reach)]) for which in (all, any))
    have = words(pattern, seen.stderr)
    equal = all(names <= have.get(key, set()) for key, names in sure.items())
    equal = equal and all(names <= maybe.get(key, set()) for key, names in have.items())
    return Compared(of, "", _told(maybe), _told(have), equal, sure != maybe)


def _told(found: Mapping[str, set[str]]) -> str:
    return "; ".join(f"{key}: {', '.join(sorted(names))}" for key, names in sorted(found.items()))


def exit_code(courses: Sequence[Course], seen: Seen) -> Compared:
    """kubectl's exit code, which is 1 if it is so for one node; None while it still waits."""
    possible: set[int | None] = set()
    for course in courses:
        codes = [drain.exit_codes for drain in course]
        ends = [each.does_end for each in course]
        possible |= {1} if False not in ends and any(1 in each for each in codes) else set()
        possible |= {0} if False not in ends and all(0 in each for each in codes) else set()
        possible |= set() if all(ends) else {None}
    shown = " or ".join(sorted("never ends" if code is None else str(code) for code in possible))
    have = "never ends" if seen.code is None else str(seen.code)
    return Compared("exit code", "", shown, have, seen.code in possible, len(possible) > 1)


def time_taken(courses: Sequence[Course], seen: Seen) -> Compared:
    """How long kubectl takes: at least what the quicker course says, but for chance in a first round; at most what the slower one does."""
    quick = [_total(drain.min_seconds for drain in course) for course in courses]
    slow = [_total(each.grace_seconds for each in course) for course in courses]
    least = None if None in quick else min(each or 0.0 for each in quick)
    most = None if None in slow else max(each or 0.0 for each in slow) + SLACK * (len(courses[0]) + 1)
    lucky = any(
        each.is_contested and each.min_evicted < each.max_evicted for course in courses for node in course for each in node.first_round
    )
    is_slow = least is None or seen.code is None or seen.seconds >= least
    is_quick = most is None or seen.code is None or seen.seconds <= most
    shown = " to ".join("for ever" if each is None else f"{each:g} s" for each in (least, most))
    return Compared("time", "", shown, f"{seen.seconds:.1f} s", (is_slow or lucky) and is_quick, lucky)


def _total(seconds: Iterable[float | None]) -> float | None:
    every = list(seconds)
    known = [each for each in every if each is not None]
    return sum(known) if len(known) == len(every) else None


def elsewhere(said: Said, seen: Seen, losing: set[str]) -> Compared:
    """The pods that are on none of the drained nodes are there still; those of Jobs that lose pods, or that have ended, do not count."""
    drained = {node.told["node"] for node in said.nodes}
    others = [
        name
        for name, pod in seen.before.items()
        if pod.node not in drained and not pod.is_going and not pod.has_ended and pod.owner not in losing
    ]
    gone = [name for name in others if not seen.is_there(name)]
    return Compared("pods of other nodes", "", "all are there", f"gone: {', '.join(gone)}" if gone else "all are there", not gone)


def besides(said: Said, seen: Seen) -> Compared:
    """What else kubectl asks for: replacements of pods that tolerate a cordon may land on a drained node before kubectl gets there."""
    judged = {pod.name for node in said.nodes for pod in node.pods}
    others = [name for name in seen.first if name not in judged]
    owners = [each.owner.partition(" ")[2] for each in seen.before.values() if each.tolerates_cordon and each.owner]
    strange = [name for name in others if not any(name.startswith(f"{owner}-") for owner in owners)]
    return Compared("asked for besides", "", "replacements that tolerate a cordon", ", ".join(others), not strange, bool(others))
