"""What was said of a drain against what was seen of it: pod by pod, budget by budget, and how kubectl ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from itertools import chain
from typing import NamedTuple

from preflight.scheduling.drain import FirstRound, PodDrain
from preflight.scheduling.eviction import VIOLATES_BUDGET
from tests.replay.drain import REFUSED, WARNED
from tests.truth.drains.prediction import STAYS, NodeSaid, PodSaid, Said
from tests.truth.drains.seen import Request, Seen
from tests.truth.drains.values import Compared, besides, elsewhere, exit_code, kubectl_words, time_taken

MARGIN = 7.0
"""Seconds before a timeout after which a pod may be asked for in vain once more, for a replacement was late."""

_Answer = tuple[int | str, ...]
_NEEDS = re.compile(r"needs \d+ healthy pods and has (\d+) currently")


class Replacements(Enum):
    """What the world is known to do with replacements: they are all Ready at once, never Ready, or some are and some are not."""

    AT_ONCE = "at once"
    NEVER = "never"
    SOME = "some"


def compared(said: Said, seen: Seen, flags: list[str], replacements: Replacements) -> Iterator[Compared]:
    """Every comparison of a drain.

    1. Of each pod: whether and how kubectl asks for it, the first answer, and whether it is gone afterwards.
    2. Of each budget on each node: how many go in the first round, and how many of those that share it are gone afterwards.
    3. kubectl's refusals and warnings, its exit code, and its time. Pods of other nodes stay, and nothing else is asked for.
    4. Where replacements are NEVER Ready the course without any has to hold exactly; where all are AT_ONCE what waits for them goes, if
       there is time for it; else everything between the two courses can be.
    """
    if replacements is Replacements.NEVER:
        said = said._replace(nodes=tuple(each._replace(best=each.worst, pods=tuple(map(_without_any, each.pods))) for each in said.nodes))
    timeout = next((float(flag.partition("=")[2].removesuffix("s")) for flag in flags if flag.startswith("--timeout=")), 0.0)
    losing = {seen.before[name].owner for name in seen.first if name in seen.before}
    losing = {owner for owner in losing if owner.startswith("Job ")}
    for node in said.nodes:
        reach = _reach(node)
        going = frozenset(_going(node, timeout, at_once=replacements is Replacements.AT_ONCE))
        for pod in node.pods:
            yield _pod(pod, node, seen, reach, goes=pod.name in going, losing=losing)
        if all(reach):
            yield from _rounds(node, seen, going)
    yield kubectl_words("refusals", REFUSED, [(each.worst, _reach(each)) for each in said.nodes], seen)
    yield kubectl_words("warnings", WARNED, [(each.worst, _reach(each)) for each in said.nodes], seen)
    courses = [tuple(each.best for each in said.nodes)]
    if not (replacements is Replacements.AT_ONCE and all(_is_in_time(pod, timeout) for node in said.nodes for pod in node.pods)):
        courses.append(tuple(each.worst for each in said.nodes))
    yield exit_code(courses, seen)
    yield time_taken(courses, seen)
    yield elsewhere(said, seen, losing)
    yield besides(said, seen)


def _without_any(pod: PodSaid) -> PodSaid:
    """What is said of a pod where no replacement comes: one that waits for it stays."""
    return pod._replace(best=pod.worst, verdict="waits (in vain)" if pod.verdict == "waits" else pod.verdict)


def _going(node: NodeSaid, timeout: float, *, at_once: bool) -> Iterator[str]:
    """The pods of a node that go, of those that share a budget so many; where replacements are there at once, also what waits for them."""
    for pod in node.pods:
        if pod.verdict in ("evicted", "deleted") or (pod.verdict == "waits" and at_once and _is_in_time(pod, timeout)):
            yield pod.name


def _is_in_time(pod: PodSaid, timeout: float) -> bool:
    """Whether a pod does not wait for a replacement, or so shortly that kubectl asks for it again after that."""
    return pod.verdict != "waits" or not timeout or (pod.best.evicted_at or 0.0) + MARGIN < timeout


def _reach(node: NodeSaid) -> tuple[bool, bool]:
    """Whether kubectl gets to a node, in the one course and in the other."""
    return node.worst.is_reached, node.best.is_reached


def _pod(pod: PodSaid, node: NodeSaid, seen: Seen, reach: tuple[bool, bool], *, goes: bool, losing: set[str]) -> Compared:
    parts = [_request(pod, seen, reach), _answer(pod, node, seen, reach), _fate(pod, node, seen, reach, goes=goes, losing=losing)]
    found = [part for part in parts if isinstance(part, _Part)]
    return Compared(
        of=pod.verdict if any(reach) else f"{pod.verdict} (never reached)",
        about=pod.name,
        said="; ".join(" or ".join(each.said) for each in found),
        seen="; ".join(each.seen for each in found),
        equal=all(each.equal for each in found),
        by_chance=any(each.by_chance for each in found),
        is_pod=True,
        left_out=tuple(each for each in parts if isinstance(each, str)),
    )


class _Part(NamedTuple):
    said: tuple[str, ...]
    seen: str
    equal: bool
    by_chance: bool = False


def _request(pod: PodSaid, seen: Seen, reach: tuple[bool, bool]) -> _Part:
    """Whether kubectl asks for the pod; one that was going before may be gone when kubectl gets to its node."""
    request = seen.first.get(pod.name)
    is_asked = pod.verdict not in (STAYS, "refused", "held")
    how = "asked for by none" if not is_asked else "asked for: delete" if pod.verdict == "deleted" else "asked for: evict"
    possible = (how,) if all(reach) else ("asked for by none",) if not any(reach) else tuple({how, "asked for by none"})
    if seen.before[pod.name].is_going and not seen.is_there(pod.name):
        possible = tuple(dict.fromkeys((*possible, "asked for by none")))
    have = "asked for by none" if request is None else f"asked for: {request.how}"
    return _Part(possible, have, have in possible, len(possible) > 1)


def _answer(pod: PodSaid, node: NodeSaid, seen: Seen, reach: tuple[bool, bool]) -> _Part | str | None:
    """The first answer: that of both courses where they agree, one of them or what lies between where they do not."""
    request = seen.first.get(pod.name)
    if request is None or not any(reach):
        return None
    if not pod.worst.code or not pod.best.code:
        return "nobody can tell the first answer" if pod.verdict == "unknown" else None
    have: _Answer = (request.code, *request.words)
    worst, best = _said(pod.worst), _said(pod.best)
    if any(pod.worst.pod.key in each.pods for each in _contested(node)):
        return _Part(("201", f"429 {VIOLATES_BUDGET}"), _text(have), have[:2] in ((201,), (429, VIOLATES_BUDGET)), True)
    if worst == best:
        return _Part((_text(worst),), _text(have), have == worst)
    return _Part((_text(worst), _text(best)), _text(have), have in (worst, best) or _is_between(request, pod.worst, pod.best), True)


def _said(pod: PodDrain) -> _Answer:
    return (pod.code, *filter(None, (pod.message, pod.cause)))


def _text(answer: _Answer) -> str:
    return " ".join(map(str, answer))


def _is_between(request: Request, worst: PodDrain, best: PodDrain) -> bool:
    """A refusal by the budget of the one course, with a number of healthy pods between those of both.

    Where the better course lets the pod go, any number that is not below that of the other can be.
    """
    if request.code != 429 or worst.code != 429 or request.words[:1] != (VIOLATES_BUDGET,):
        return False
    numbers = [_NEEDS.search(" ".join(words)) for words in (request.words, (worst.cause,), (best.cause,))]
    have, least, most = (int(number[1]) if number else None for number in numbers)
    if have is None or least is None:
        return "does not allow evicting pods currently" in " ".join((*request.words, worst.cause))
    return least <= have and (most is None or have <= most)


def _fate(pod: PodSaid, node: NodeSaid, seen: Seen, reach: tuple[bool, bool], *, goes: bool, losing: set[str]) -> _Part | str:
    """Whether the pod is gone afterwards."""
    before = seen.before[pod.name]
    shares = any(pod.worst.pod.key in each.pods for each in _contested(node))
    if before.is_going:
        return "whether a pod goes that was going before"
    if pod.verdict == "unknown":
        return "nobody can tell whether it goes"
    if not goes and before.owner in losing:
        return "whether a pod stays whose Job lost others"
    if not any(reach) or not (goes or shares or pod.verdict == "waits"):
        possible: tuple[str, ...] = ("there",)
    else:
        possible = ("gone",) if goes and not shares and all(reach) else ("gone", "there")
    have = "there" if seen.is_there(pod.name) else "gone"
    if seen.code is None and goes and have == "there":
        return "whether a pod goes for which kubectl was not given the time"
    return _Part(possible, have, have in possible, len(possible) > 1)


def _contested(node: NodeSaid) -> list[FirstRound]:
    """The rounds in which some pods go and which ones is chance, in either course."""
    return [each for course in (node.worst, node.best) for each in course.first_round if each.is_contested]


def _rounds(node: NodeSaid, seen: Seen, going: frozenset[str]) -> Iterator[Compared]:
    """How many pods each budget lets go in the first round, and how many of those that share it are gone afterwards."""
    both: dict[tuple[str, str], list[FirstRound]] = {}
    for each in chain(node.worst.first_round, node.best.first_round):
        both.setdefault(each.budget, []).append(each)
    first = seen.first
    for budget, rounds in both.items():
        names = sorted({"/".join(key) for each in rounds for key in each.pods})
        least, most = min(each.min_evicted for each in rounds), max(each.max_evicted for each in rounds)
        number = sum(first[name].code == 201 for name in names if name in first)
        about = f"{'/'.join(budget)} on {node.told['node']}"
        yield Compared("let go at first", about, _range(least, most), str(number), least <= number <= most, least < most)
        if not any(each.is_contested for each in rounds):
            continue
        verdicts = [pod.verdict for pod in node.pods if pod.name in names]
        least = 0 if seen.code is None else len(going.intersection(names))
        most = max(most, verdicts.count("evicted") + verdicts.count("waits"))
        gone = sum(not seen.is_there(name) for name in names)
        yield Compared("gone of those that share", about, _range(least, most), str(gone), least <= gone <= most, least < most)


def _range(least: float, most: float) -> str:
    return f"{least:g}" if least == most else f"{least:g} to {most:g}"
