"""The course of one node's evictions in time: who asks when, what the API server answers, when kubectl gives up."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

from msgspec import Struct

from preflight.model.drain_flags import DrainFlags
from preflight.model.pod_status import ClusterPod
from preflight.scheduling.drain.model import RETRY_SECONDS, DrainCase, FirstRound, find_grace_period
from preflight.scheduling.drain.pdb_state import BudgetTracker
from preflight.scheduling.drain.pdb_tracker import DrainState
from preflight.scheduling.eviction import EvictionResponse, answer_eviction, skips_budget_check

_MAX_TRIES = 10
"""How often a client asks again by itself where the server names a time (Retry-After), within one call of kubectl."""


class EvictionCourse(Struct, frozen=True):
    """What became of one pod's eviction.

    1. `first_response` and `last_response` are the server's answers.
    2. `evicted_at` is the moment at which it was let go. `gave_up_at` is when kubectl stopped asking: at once after a 403 or 500, else at
       its timeout. Both are None where kubectl asks for ever.
    """

    first_response: EvictionResponse
    last_response: EvictionResponse
    evicted_at: float | None = None
    gave_up_at: float | None = None


def simulate_evictions(
    pods: Sequence[ClusterPod], drain_state: DrainState, flags: DrainFlags, start: float, case: DrainCase = DrainCase.CERTAIN
) -> tuple[EvictionCourse, ...]:
    """Evict the pods of a node, all at the same moment, as kubectl does.

    1. Pods that ask at one moment are answered in the order given; which of them comes first is chance.
    2. After a 429 kubectl waits 5 s. Where the server names 10 s (a budget that is not synced) the client first asks ten times more by
       itself, so that one call takes 100 s.
    3. The timeout is looked at between two calls only: 8 s end at 10 s, or at 105 s in the case before.
    4. Each budget lets go as many in the first round as it does at least; in the BEST case as many as it possibly can (FirstRound).

    `start` and the moments are seconds from the start of the drain. The book keeps what happened.
    """
    rounds = [
        predict_first_round
        for predict_first_round in predict_first_rounds(pods, drain_state, flags, start)
        if predict_first_round.is_contested
    ]
    extra = {
        first_round.budget: (max(first_round.max_evicted, first_round.allowed) if case is DrainCase.BEST else first_round.min_evicted)
        - first_round.allowed
        for first_round in rounds
    }
    for guard in (guard for pod in pods for guard in drain_state.find_trackers(pod)):
        guard.extra_disruptions = extra.get(guard.budget.key, 0)
    firsts: dict[int, EvictionResponse] = {}
    courses: dict[int, EvictionCourse] = {}
    queue = [(start, place, 0) for place in range(len(pods))]
    while queue:
        moment, place, tries = heapq.heappop(queue)
        drain_state.advance_to(moment)
        pod = pods[place]
        guards = drain_state.find_trackers(pod)
        got = _ask_server(pod, guards, moment, start)
        first = firsts.setdefault(place, got)
        if got.code == 201:
            drain_state.record_departure(
                pod, moment, find_grace_period(pod, flags.grace_period), takes_disruption=got.takes_disruption, case=case
            )
            courses[place] = EvictionCourse(first, got, evicted_at=moment)
        elif got.code != 429:
            courses[place] = EvictionCourse(first, got, gave_up_at=moment)
        elif not drain_state.pending_replacements and not any(guard.will_sync() for guard in guards):
            courses[place] = EvictionCourse(first, got, gave_up_at=_find_give_up_time(moment, tries, got, flags.timeout, start))
        elif got.retry_after and tries < _MAX_TRIES:
            heapq.heappush(queue, (moment + got.retry_after, place, tries + 1))
        elif flags.timeout and moment + RETRY_SECONDS - start >= flags.timeout:
            courses[place] = EvictionCourse(first, got, gave_up_at=moment + RETRY_SECONDS)
        else:
            heapq.heappush(queue, (moment + RETRY_SECONDS, place, 0))
    return tuple(courses[place] for place in range(len(pods)))


def predict_first_rounds(pods: Sequence[ClusterPod], drain_state: DrainState, flags: DrainFlags, start: float) -> tuple[FirstRound, ...]:
    """How many each budget lets go of the pods that ask at the start: those that are Ready, or that it minds."""
    drain_state.advance_to(start)
    asking: dict[tuple[str, str], list[ClusterPod]] = {}
    ledgers: dict[tuple[str, str], BudgetTracker] = {}
    for pod in pods:
        guards = drain_state.find_trackers(pod)
        if len(guards) != 1 or skips_budget_check(pod):
            continue
        got = _ask_server(pod, guards, start, start)
        if got.takes_disruption or got.code == 429:
            ledgers[guards[0].budget.key] = guards[0]
            asking.setdefault(guards[0].budget.key, []).append(pod)
    rounds = []
    for key, takers in sorted(asking.items()):
        until_ready = [drain_state.estimate_return(pod, find_grace_period(pod, flags.grace_period)) for pod in takers]
        rounds.append(FirstRound(key, tuple(pod.key for pod in takers), *ledgers[key].count_first_round(until_ready)))
    return tuple(rounds)


def _ask_server(pod: ClusterPod, trackers: Sequence[BudgetTracker], moment: float, start: float) -> EvictionResponse:
    return answer_eviction(pod, [guard.view_at(moment, start) for guard in trackers])


def _find_give_up_time(moment: float, tries: int, response: EvictionResponse, timeout: float, start: float) -> float | None:
    """When kubectl stops asking, if the answer stays the same; None for never."""
    if not timeout:
        return None
    call = _MAX_TRIES * response.retry_after
    ends = moment + (_MAX_TRIES - tries) * response.retry_after + RETRY_SECONDS
    cycles = max(math.ceil((start + timeout - ends) / (call + RETRY_SECONDS)), 0)
    return ends + cycles * (call + RETRY_SECONDS)
