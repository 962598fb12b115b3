"""From the course of an eviction to the verdict on a pod."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from preflight.model.objects import Taint
from preflight.model.pod_status import RunningPod
from preflight.scheduling.drain.eviction_loop import Course
from preflight.scheduling.drain.model import PodDrain, Verdict, Why, grace_of
from preflight.scheduling.drain.pdb_tracker import Book
from preflight.scheduling.drain.pod_filters import DrainFlags, Fate, Filtered, has_local_data
from preflight.scheduling.eviction import asks_no_budget
from preflight.scheduling.tolerations import find_toleration

_CORDON = Taint("node.kubernetes.io/unschedulable", effect="NoSchedule")

NO_BUDGETS_KNOWN = "nobody knows which budgets there are"


def not_asked(each: Filtered) -> PodDrain:
    """A pod that kubectl sends no request for: left, refused, of unknown fate, or held because another one is refused."""
    if each.fate is Fate.UNKNOWN:
        return PodDrain(each.pod, Verdict.UNKNOWN, Why.NOT_KNOWN, each.words)
    if each.fate is Fate.GOES:
        return PodDrain(each.pod, Verdict.HELD, Why.NODE_REFUSED)
    return PodDrain(each.pod, Verdict.REFUSED if each.fate is Fate.REFUSED else Verdict.SKIPPED, Why.FILTERED, each.words)


def blind(pod: RunningPod, flags: DrainFlags) -> PodDrain:
    """A pod that is asked for while nobody knows the budgets; one that asks none goes all the same."""
    if asks_no_budget(pod):
        return _leaving(PodDrain(pod, Verdict.EVICTED, Why.NOT_ASKED, code=201, at=0.0), flags)
    return PodDrain(pod, Verdict.UNKNOWN, Why.NOT_KNOWN, NO_BUDGETS_KNOWN)


def deleted(pod: RunningPod, book: Book, flags: DrainFlags) -> PodDrain:
    """A pod that --disable-eviction deletes; the budgets that it passes by are named."""
    budgets = tuple(guard.budget.key for guard in book.guards(pod))
    return _leaving(PodDrain(pod, Verdict.DELETED, Why.BYPASSED, code=200, budgets=budgets, at=0.0), flags)


def evicted(pod: RunningPod, course: Course, book: Book, flags: DrainFlags, start: float, peers: Mapping[tuple[str, str], int]) -> PodDrain:
    """A pod whose eviction had this course; the book is as the node left it.

    1. Let go: evicted, and why the server did so. Refused: for ever or for now, and why.
    2. A 500 is for ever, a 403 for now: kubectl asks neither again.

    `peers` says for pods that share a budget how many they are, where which of them go first is chance.
    """
    guards = book.guards(pod)
    first, last = course.first, course.last
    done = PodDrain(
        pod,
        Verdict.UNKNOWN,
        Why.NOT_KNOWN,
        code=first.code,
        message=first.message if first.code else "",
        cause=first.cause,
        given_up=None if course.gave_up is None else course.gave_up - start,
        budgets=tuple(guard.budget.key for guard in guards),
        peers=peers.get(pod.key, 0),
    )
    if last.code == 201:
        assert course.at is not None
        why = Why.ALLOWED if last.takes else Why.NOT_ASKED if asks_no_budget(pod) else Why.UNHEALTHY_FREE if guards else Why.NO_BUDGET
        return _leaving(replace(done, verdict=Verdict.EVICTED, why=why, at=course.at - start), flags)
    if last.code == 500:
        return replace(done, verdict=Verdict.BLOCKED_FOREVER, why=Why.SEVERAL_BUDGETS)
    if last.code == 403:
        return replace(done, verdict=Verdict.BLOCKED_NOW, why=Why.FORBIDDEN)
    if last.code == 429:
        why, is_forever = guards[0].why_refused(last)
        return replace(done, verdict=Verdict.BLOCKED_FOREVER if is_forever else Verdict.BLOCKED_NOW, why=why)
    return replace(done, words=last.message)


def _leaving(done: PodDrain, flags: DrainFlags) -> PodDrain:
    pod = done.pod
    cordon, certain = find_toleration(pod.spec.tolerations, _CORDON, None)
    return replace(
        done,
        grace=grace_of(pod, flags.grace_period),
        lost=pod.controller is None and not pod.has_ended,
        local_data=has_local_data(pod) and not pod.has_ended,
        may_return=pod.controller is not None and (cordon is not None or not certain),
    )
