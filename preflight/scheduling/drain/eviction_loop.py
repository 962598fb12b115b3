"""The course of one node's evictions in time: who asks when, what the API server answers, when kubectl gives up."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

from msgspec import Struct

from preflight.model.pod_status import RunningPod
from preflight.scheduling.drain.model import RETRY, FirstRound, grace_of
from preflight.scheduling.drain.pdb_state import Ledger
from preflight.scheduling.drain.pdb_tracker import Book
from preflight.scheduling.drain.pod_filters import DrainFlags
from preflight.scheduling.eviction import Answer, answer, asks_no_budget

_TRIES = 10
"""How often a client asks again by itself where the server names a time (Retry-After), within one call of kubectl."""


class Course(Struct, frozen=True):
    """What became of one pod's eviction.

    1. `first` and `last` are the server's answers.
    2. `at` is the moment at which it was let go. `gave_up` is when kubectl stopped asking: at once after a 403 or 500, else at its timeout.
       Both are None where kubectl asks for ever.
    """

    first: Answer
    last: Answer
    at: float | None = None
    gave_up: float | None = None


def evict(pods: Sequence[RunningPod], book: Book, flags: DrainFlags, start: float, *, lucky: bool = False) -> tuple[Course, ...]:
    """Evict the pods of a node, all at the same moment, as kubectl does.

    1. Pods that ask at one moment are answered in the order given; which of them comes first is chance.
    2. After a 429 kubectl waits 5 s. Where the server names 10 s (a budget that is not synced) the client first asks ten times more by
       itself, so that one call takes 100 s.
    3. The timeout is looked at between two calls only: 8 s end at 10 s, or at 105 s in the case before.
    4. Each budget lets go as many in the first round as it does at least; with `lucky` as many as it possibly can (FirstRound).

    `start` and the moments are seconds from the start of the drain. The book keeps what happened.
    """
    rounds = [each for each in first_rounds(pods, book, flags, start) if each.is_contested]
    extra = {each.budget: (max(each.most, each.allowed) if lucky else each.least) - each.allowed for each in rounds}
    for guard in (guard for pod in pods for guard in book.guards(pod)):
        guard.extra = extra.get(guard.budget.key, 0)
    firsts: dict[int, Answer] = {}
    courses: dict[int, Course] = {}
    queue = [(start, place, 0) for place in range(len(pods))]
    while queue:
        moment, place, tries = heapq.heappop(queue)
        book.until(moment)
        pod = pods[place]
        guards = book.guards(pod)
        got = _ask(pod, guards, moment, start)
        first = firsts.setdefault(place, got)
        if got.code == 201:
            book.leave(pod, moment, grace_of(pod, flags.grace_period), takes=got.takes, lucky=lucky)
            courses[place] = Course(first, got, at=moment)
        elif got.code != 429:
            courses[place] = Course(first, got, gave_up=moment)
        elif not book.coming and not any(guard.will_sync() for guard in guards):
            courses[place] = Course(first, got, gave_up=_gives_up(moment, tries, got, flags.timeout, start))
        elif got.retry_after and tries < _TRIES:
            heapq.heappush(queue, (moment + got.retry_after, place, tries + 1))
        elif flags.timeout and moment + RETRY - start >= flags.timeout:
            courses[place] = Course(first, got, gave_up=moment + RETRY)
        else:
            heapq.heappush(queue, (moment + RETRY, place, 0))
    return tuple(courses[place] for place in range(len(pods)))


def first_rounds(pods: Sequence[RunningPod], book: Book, flags: DrainFlags, start: float) -> tuple[FirstRound, ...]:
    """How many each budget lets go of the pods that ask at the start: those that are Ready, or that it minds."""
    book.until(start)
    asking: dict[tuple[str, str], list[RunningPod]] = {}
    ledgers: dict[tuple[str, str], Ledger] = {}
    for pod in pods:
        guards = book.guards(pod)
        if len(guards) != 1 or asks_no_budget(pod):
            continue
        got = _ask(pod, guards, start, start)
        if got.takes or got.code == 429:
            ledgers[guards[0].budget.key] = guards[0]
            asking.setdefault(guards[0].budget.key, []).append(pod)
    rounds = []
    for key, takers in sorted(asking.items()):
        until_ready = [book.back_after(pod, grace_of(pod, flags.grace_period)) for pod in takers]
        rounds.append(FirstRound(key, tuple(pod.key for pod in takers), *ledgers[key].first_round(until_ready)))
    return tuple(rounds)


def _ask(pod: RunningPod, guards: Sequence[Ledger], moment: float, start: float) -> Answer:
    return answer(pod, [guard.standing_at(moment, start) for guard in guards])


def _gives_up(moment: float, tries: int, got: Answer, timeout: float, start: float) -> float | None:
    """When kubectl stops asking, if the answer stays the same; None for never."""
    if not timeout:
        return None
    call = _TRIES * got.retry_after
    ends = moment + (_TRIES - tries) * got.retry_after + RETRY
    cycles = max(math.ceil((start + timeout - ends) / (call + RETRY)), 0)
    return ends + cycles * (call + RETRY)
