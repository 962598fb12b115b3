"""`kubectl drain` over nodes one after another: who leaves, who is refused, what hangs, and how long it takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from preflight.model.budgets import PodDisruptionBudget
from preflight.model.objects import Node
from preflight.model.pod_status import RunningPod
from preflight.scheduling.drain.durations import exit_code, longest, why_hangs
from preflight.scheduling.drain.eviction_loop import evict, first_rounds
from preflight.scheduling.drain.model import NOTHING_COMES_BACK, Assumed, FirstRound, NodeDrain, PodDrain, Verdict, at_once, whole_grace
from preflight.scheduling.drain.pdb_tracker import Book
from preflight.scheduling.drain.pod_filters import DrainFlags, Fate, Filtered, filtered, refusals, warnings
from preflight.scheduling.drain.pod_results import blind, deleted, evicted, not_asked
from preflight.scheduling.owners import Owners

_BETWEEN = 1
"""Seconds between two looks of kubectl at a pod that it waits for; a node takes that much at least."""


def drain(
    nodes: Sequence[Node],
    pods: Sequence[RunningPod],
    budgets: Iterable[PodDisruptionBudget] | None,
    owners: Owners,
    flags: DrainFlags,
    assumed: Assumed = NOTHING_COMES_BACK,
    listed: frozenset[str] | None = None,
) -> tuple[NodeDrain, ...]:
    """What `kubectl drain` does to nodes, in the order given, which is that of the command line (of a selector: by name).

    1. All nodes are cordoned first: no replacement lands on a node that is drained later. Then one node after another.
    2. Each pod of a node goes through kubectl's filters (`filtered`). One that is refused, and nothing goes from this node; kubectl goes
       on with the next and ends with 1.
    3. The pods that are to go are evicted at once, each by itself (`evict`), or with --disable-eviction deleted, and no budget is asked.
    4. Budgets stand as their status says, or as the controller makes them where there is none (`Ledger`); what one pod takes the next one
       lacks, on this node and the later ones. `budgets` None: nobody knows them, nor what becomes of a pod that would ask one.
    5. A pod that is refused is asked for again until the timeout, which each node has anew. It is blocked for ever where nothing that
       `assumed` says can change the answer and `Why` says so, else for now.
    6. kubectl then waits for each pod to be gone, and is done with the node; a pod that hangs holds it until the timeout.

    `pods` are all that are known, of all nodes; `listed` are the namespaces of which that is every pod, None for all of them: elsewhere
    budgets rest on their status alone.
    """
    book = Book(pods, budgets or (), owners, assumed, listed)
    drains: list[NodeDrain] = []
    by_node: dict[str, list[RunningPod]] = {node.name: [] for node in nodes}
    for pod in pods:
        if pod.spec.nodeName in by_node:
            by_node[pod.spec.nodeName].append(pod)
    start, is_reached = 0.0, True
    for node in nodes:
        there = filtered(by_node[node.name], flags, owners, assumed.now)
        done, took = _drain_node(node, there, book, flags, start, budgets_known=budgets is not None)
        drains.append(replace(done, reached=is_reached))
        is_reached = is_reached and done.ends is not False
        by_node[node.name] = [each.pod for each in done.pods if each.at is None]
        start += took + _BETWEEN
    return tuple(drains)


def _drain_node(
    node: Node, there: Sequence[Filtered], book: Book, flags: DrainFlags, start: float, *, budgets_known: bool
) -> tuple[NodeDrain, float]:
    """One node, and the seconds until nothing happens there any more."""
    refused = refusals(there)
    if refused:
        pods = tuple(not_asked(each) for each in there)
        return NodeDrain(node.name, pods, refusals=refused, exit_codes=(1,)), 0.0
    going = [each.pod for each in there if each.fate is Fate.GOES]
    rounds: tuple[FirstRound, ...] = ()
    other: list[PodDrain] = []
    if flags.disable_eviction:
        asked = [deleted(pod, book, flags) for pod in going]
        for each in asked:
            book.leave(each.pod, start, each.grace, takes=False, lucky=False)
    elif not budgets_known:
        asked = [blind(pod, flags) for pod in going]
    else:
        rounds = first_rounds(going, book, flags, start)
        tried = book.copy()
        asked = _evicted(going, book, flags, start, rounds, lucky=False)
        if any(each.code == 429 for each in asked):
            other = _evicted(going, tried, flags, start, rounds, lucky=True)
    assumed = book.assumed
    asked, other = ([replace(each, hangs=why_hangs(each, node, assumed)) for each in pods] for pods in (asked, other))
    by_key = {each.pod.key: each for each in asked}
    done = tuple(by_key.get(each.pod.key) or not_asked(each) for each in there)
    quick = replace(assumed, ends_after=at_once)
    codes = {exit_code(pods, flags, each) for pods in (asked, other or asked) for each in (assumed, quick)}
    unknown = any(each.verdict is Verdict.UNKNOWN for each in done)
    known = [each for each in asked if each.verdict is not Verdict.UNKNOWN]
    took = longest(known, flags, assumed)
    return NodeDrain(
        node.name,
        done,
        warnings=warnings(there),
        first_round=rounds,
        exit_codes=(0, 1) if unknown else tuple(sorted(each for each in codes if each is not None)),
        ends=None if unknown or (None in codes and len(codes) > 1) else None not in codes,
        least=longest(known, flags, quick),
        with_grace=longest(known, flags, replace(assumed, ends_after=whole_grace)),
    ), max((each.at or 0.0 for each in known), default=0.0) if took is None else took


def _evicted(
    going: Sequence[RunningPod], book: Book, flags: DrainFlags, start: float, rounds: Iterable[FirstRound], *, lucky: bool
) -> list[PodDrain]:
    peers = {key: len(each.pods) for each in rounds if each.is_contested for key in each.pods}
    courses = evict(going, book, flags, start, lucky=lucky)
    return [evicted(pod, course, book, flags, start, peers) for pod, course in zip(going, courses, strict=True)]
