"""Which ordinary pods go by a change, node by node: of a drain, a NoExecute taint, a node that shuts down or is gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from preflight.change.model import Change
from preflight.evictions.pod_index import Key, Known, is_of_daemonset, is_static, texts
from preflight.evictions.reasons import kubectl_words, taint_words
from preflight.model.evictions import Eviction, NodeEvictions
from preflight.model.objects import Node
from preflight.model.pod_scheduling import ScheduledPod
from preflight.model.pod_status import RunningPod
from preflight.scheduling.budgets import guarding
from preflight.scheduling.drain import Assumed, NodeDrain, PodDrain, Verdict, at_once, drain
from preflight.scheduling.drain.model import grace_of
from preflight.scheduling.drain.pod_filters import DAEMONSET_REFUSED, LOCAL_DATA_REFUSED, UNMANAGED_REFUSED, has_local_data
from preflight.scheduling.taint_eviction import TaintEviction, taint_evictions
from preflight.scheduling.tolerations import NEVER

_FLAGS = {
    DAEMONSET_REFUSED: "--ignore-daemonsets",
    LOCAL_DATA_REFUSED: "--delete-emptydir-data",
    UNMANAGED_REFUSED: "--force",
}
_VERDICTS = {
    Verdict.EVICTED: "evicted",
    Verdict.DELETED: "deleted",
    Verdict.REFUSED: "refused",
    Verdict.HELD: "held",
    Verdict.BLOCKED_FOREVER: "blocked-for-ever",
    Verdict.BLOCKED_NOW: "blocked-now",
    Verdict.UNKNOWN: "unknown",
    Verdict.SKIPPED: "stays",
}


_LATER = 3600.0
"""Seconds after which the next node is taken to come where kubectl waits for ever: somebody has to do something before."""


class Left(Struct, frozen=True):
    """A pod that goes: when, in seconds from the start of the change, whether for certain, and what it leaves of time to end."""

    pod: ScheduledPod
    at: float
    grace: int
    hangs: bool = False


class Leaving(Struct, frozen=True):
    """The nodes of a change, and the pods that go from them in order; `budgets_known` is False where nobody knows what budgets say."""

    way: str
    nodes: tuple[NodeEvictions, ...]
    left: tuple[Left, ...]
    ends: bool | None = True


def leaving(change: Change, known: Known, pending: frozenset[Key]) -> Leaving | None:
    """The pods that go; None where the change lets none go.

    `pending` are pods whose replacements fit nowhere for certain: no budget gets them back.
    """
    if change.eviction is not None:
        return _drained(change, known, pending)
    tainted = [name for name in sorted(change.nodes) if _gets_no_execute(change.before.nodes.get(name), change.after.nodes.get(name))]
    if tainted:
        return _tainted(change, known, tainted)
    if change.ending:
        return _ended(change, known)
    return None


def _drained(change: Change, known: Known, pending: frozenset[Key]) -> Leaving:
    """A drain, twice: nothing comes back, and every pod ends at once and every replacement that finds a node is Ready at once.

    1. What is blocked in the first course and goes in the second waits for replacements.
    2. The time with whole grace periods is that of a third course, where these keep the replacements of StatefulSets waiting too.
    """
    assert change.eviction is not None
    nodes = [change.after.nodes[name] for name in change.order]

    def ready(pod: RunningPod) -> float | None:
        return None if pod.key in pending else 0.0

    def course(assumed: Assumed) -> tuple[NodeDrain, ...]:
        assert change.eviction is not None
        return drain(nodes, known.pods, known.budgets, known.owners, change.eviction, assumed, None if known.all_pods else known.listed)

    worst = course(Assumed())
    best = slow = worst
    if any(each.verdict is Verdict.BLOCKED_NOW for node in worst for each in node.pods):
        best = course(Assumed(ready_after=ready, ends_after=at_once, forgotten=0))
        slow = course(Assumed(ready_after=ready))
    shown: list[NodeEvictions] = []
    left: list[Left] = []
    start = 0.0
    for first, second, third in zip(worst, best, slow, strict=True):
        shown.append(_node(known, first, second, third))
        left += (
            Left(_whole(each.pod), start + each.at, each.grace, bool(each.hangs))
            for each in second.pods
            if each.at is not None and not each.pod.has_ended
        )
        start += _LATER if third.with_grace is None else third.with_grace + 1
    sure = [node.ends for node in worst]
    maybe = [node.ends for node in best]
    ends = True if all(sure) else False if False in maybe else None
    return Leaving("drain", tuple(shown), tuple(left), ends)


def _node(known: Known, worst: NodeDrain, best: NodeDrain, slow: NodeDrain) -> NodeEvictions:
    pods: list[Eviction] = []
    daemonsets, static, staying = 0, [], 0
    missing: dict[str, None] = {}
    for first, second in zip(worst.pods, best.pods, strict=True):
        pod = _whole(first.pod)
        if first.verdict is Verdict.REFUSED and first.words in _FLAGS:
            missing[_FLAGS[first.words]] = None
        if is_static(pod) and first.verdict is Verdict.SKIPPED:
            static.append("/".join(pod.key))
        elif is_of_daemonset(pod) and not pod.has_ended and first.verdict in (Verdict.SKIPPED, Verdict.REFUSED):
            daemonsets += 1
        elif first.verdict is Verdict.SKIPPED:
            staying += 1
        else:
            pods.append(_eviction(known, pod, first, second))
    return NodeEvictions(
        node=worst.node,
        pods=tuple(pods),
        daemonsets=daemonsets,
        static=tuple(static),
        staying=staying,
        refusals=worst.refusals,
        missing=tuple(missing),
        ends=worst.ends if worst.ends == best.ends else None,
        exitCodes=tuple(sorted({*worst.exit_codes, *best.exit_codes})),
        least=best.least,
        withGrace=slow.with_grace,
        reached=best.reached,
    )


def _eviction(known: Known, pod: ScheduledPod, first: PodDrain, second: PodDrain) -> Eviction:
    waits = first.verdict is Verdict.BLOCKED_NOW and second.at is not None
    shown = second if waits else first
    return Eviction(
        pod="/".join(pod.key),
        owner=known.owner(pod),
        verdict="waits" if waits else _VERDICTS[first.verdict],
        why=first.why.name.lower().replace("_", "-"),
        reasons=tuple(kubectl_words(first, waits=waits)),
        after=shown.at,
        grace=shown.grace,
        budgets=tuple(texts(first.budgets)),
        lost=shown.lost,
        localData=shown.local_data,
    )


def _whole(pod: RunningPod) -> ScheduledPod:
    """The pod as it was read: what drains speak of is one of those."""
    assert isinstance(pod, ScheduledPod)
    return pod


def _gets_no_execute(before: Node | None, after: Node | None) -> bool:
    if before is None or after is None or before is after:
        return False
    return any(taint.effect == "NoExecute" and taint not in before.spec.taints for taint in after.spec.taints)


def _tainted(change: Change, known: Known, names: Sequence[str]) -> Leaving:
    """The pods that taint eviction deletes; a timer that ran before is no news."""
    shown, left = [], []
    for name in names:
        before, after = change.before.nodes[name], change.after.nodes[name]
        there = known.by_node.get(name, [])
        found = taint_evictions(there, name, after.spec.taints, before.spec.taints, known.budgets or (), change.after.comparison_operators)
        news = [each for each in found if _is_news(each)]
        pods = []
        for each in news:
            pod = _whole(each.pod)
            pods.append(_by_taint(known, pod, each))
            if each.after is not None:
                left.append(Left(pod, each.after, grace_of(pod, -1)))
        static = tuple("/".join(pod.key) for pod in there if is_static(pod))
        kept = [each for each in found if each not in news and not is_static(_whole(each.pod)) and not each.pod.has_ended]
        daemonsets = sum(is_of_daemonset(pod) for pod in there)
        shown.append(NodeEvictions(name, tuple(pods), daemonsets, static, len(kept)))
    return Leaving("taint", tuple(shown), tuple(left))


def _is_news(each: TaintEviction) -> bool:
    """Whether the pod goes, or goes sooner than before, or nobody can tell; nothing runs in one that has ended."""
    if each.pod.has_ended:
        return False
    return each.after is None or each.after < (NEVER if each.before is None else each.before)


def _by_taint(known: Known, pod: ScheduledPod, each: TaintEviction) -> Eviction:
    return Eviction(
        pod="/".join(pod.key),
        owner=known.owner(pod),
        verdict="unknown" if each.after is None else "deleted",
        why="taint",
        reasons=tuple(taint_words(each)),
        after=each.after,
        grace=grace_of(pod, -1),
        budgets=tuple(texts(each.budgets)),
        lost=each.lost and each.after is not None,
        localData=each.local_data and each.after is not None,
    )


def _ended(change: Change, known: Known) -> Leaving:
    """All pods of nodes that shut down or are gone: neither budgets nor kubectl are asked."""
    shown, left = [], []
    for name in sorted(change.reborn):
        pods, static = [], []
        daemonsets = 0
        for pod in sorted(known.by_node.get(name, ()), key=lambda pod: pod.key):
            if is_static(pod):
                static.append("/".join(pod.key))
            elif is_of_daemonset(pod):
                daemonsets += 1
            elif not pod.has_ended:
                pods.append(_ending(known, pod))
                left.append(Left(pod, 0.0, grace_of(pod, -1)))
        shown.append(NodeEvictions(name, tuple(pods), daemonsets, tuple(static)))
    return Leaving(change.ending, tuple(shown), tuple(left))


def _ending(known: Known, pod: ScheduledPod) -> Eviction:
    return Eviction(
        pod="/".join(pod.key),
        owner=known.owner(pod),
        verdict="ends",
        why="node",
        after=0.0,
        grace=grace_of(pod, -1),
        budgets=tuple(sorted(texts(each.key for each in guarding(pod, known.budgets or ())))),
        lost=pod.controller is None,
        localData=has_local_data(pod),
    )


def going(found: Leaving) -> Iterator[Key]:
    """The pods that are gone once all is over."""
    return (each.pod.key for each in found.left if not each.hangs)
