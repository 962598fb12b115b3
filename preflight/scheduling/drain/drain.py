"""`kubectl drain` over nodes one after another: who leaves, who is refused, what hangs, and how long it takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from preflight.model.core import Node
from preflight.model.drain_flags import DrainFlags
from preflight.model.pod_status import ClusterPod
from preflight.model.policy import PodDisruptionBudget
from preflight.scheduling.drain.durations import find_hang, measure_duration, predict_exit_code
from preflight.scheduling.drain.eviction_loop import predict_first_rounds, simulate_evictions
from preflight.scheduling.drain.model import (
    NO_REPLACEMENTS,
    DrainAssumptions,
    DrainCase,
    DrainVerdict,
    FirstRound,
    NodeDrain,
    PodDrain,
    assume_full_grace,
    assume_immediate_end,
)
from preflight.scheduling.drain.pdb_tracker import DrainState
from preflight.scheduling.drain.pod_filters import FilterDecision, FilteredPod, filter_pods, list_refusals, list_warnings
from preflight.scheduling.drain.pod_results import drain_by_deletion, drain_by_eviction, drain_without_budgets, drain_without_request
from preflight.scheduling.owners import Owners

_POLL_SECONDS = 1
"""Seconds between two looks of kubectl at a pod that it waits for; a node takes that much at least."""


def simulate_drain(
    nodes: Sequence[Node],
    pods: Sequence[ClusterPod],
    budgets: Iterable[PodDisruptionBudget] | None,
    owners: Owners,
    flags: DrainFlags,
    assumptions: DrainAssumptions = NO_REPLACEMENTS,
    listed_namespaces: frozenset[str] | None = None,
) -> tuple[NodeDrain, ...]:
    """What `kubectl drain` does to nodes, in the order given, which is that of the command line (of a selector: by name).

    1. All nodes are cordoned first: no replacement lands on a node that is drained later. Then one node after another.
    2. Each pod of a node goes through kubectl's filters (`filtered`). One that is refused, and nothing goes from this node; kubectl goes
       on with the next and ends with 1.
    3. The pods that are to go are evicted at once, each by itself (`evict`), or with --disable-eviction deleted, and no budget is asked.
    4. Budgets stand as their status says, or as the controller makes them where there is none (`Ledger`); what one pod takes the next one
       lacks, on this node and the later ones. `budgets` None: nobody knows them, nor what becomes of a pod that would ask one.
    5. A pod that is refused is asked for again until the timeout, which each node has anew. It is blocked for ever where nothing that
       `assumptions` says can change the answer and `Why` says so, else for now.
    6. kubectl then waits for each pod to be gone, and is done with the node; a pod that hangs holds it until the timeout.

    `pods` are all that are known, of all nodes; `listed_namespaces` are the namespaces of which that is every pod, None for all of them:
    elsewhere budgets rest on their status alone.
    """
    book = DrainState(pods, budgets or (), owners, assumptions, listed_namespaces)
    drains: list[NodeDrain] = []
    by_node: dict[str, list[ClusterPod]] = {node.name: [] for node in nodes}
    for pod in pods:
        if pod.spec.nodeName in by_node:
            by_node[pod.spec.nodeName].append(pod)
    start, is_reached = 0.0, True
    for node in nodes:
        there = filter_pods(by_node[node.name], flags, owners, assumptions.now, knows_apps_only=assumptions.behavior.knows_apps_only)
        done, took = _drain_node(node, there, book, flags, start, budgets_known=budgets is not None)
        drains.append(replace(done, is_reached=is_reached))
        is_reached = is_reached and done.does_end is not False
        by_node[node.name] = [drain.pod for drain in done.pods if drain.evicted_at is None]
        start += took + _POLL_SECONDS
    return tuple(drains)


def _drain_node(
    node: Node, filtered_pods: Sequence[FilteredPod], drain_state: DrainState, flags: DrainFlags, start: float, *, budgets_known: bool
) -> tuple[NodeDrain, float]:
    """One node, and the seconds until nothing happens there any more."""
    refused = list_refusals(filtered_pods)
    if refused:
        pods = tuple(drain_without_request(filtered_pod) for filtered_pod in filtered_pods)
        return NodeDrain(node.name, pods, refusals=refused, exit_codes=(1,)), 0.0
    going = [filtered_pod.pod for filtered_pod in filtered_pods if filtered_pod.decision is FilterDecision.GOES]
    rounds: tuple[FirstRound, ...] = ()
    other: list[PodDrain] = []
    if flags.disable_eviction:
        asked = [drain_by_deletion(pod, drain_state, flags) for pod in going]
        for drain in asked:
            drain_state.record_departure(drain.pod, start, drain.grace_seconds, takes_disruption=False, case=DrainCase.CERTAIN)
    elif not budgets_known:
        asked = [drain_without_budgets(pod, flags) for pod in going]
    else:
        rounds = predict_first_rounds(going, drain_state, flags, start)
        tried = drain_state.copy()
        asked = _evict_pods(going, drain_state, flags, start, rounds, DrainCase.CERTAIN)
        if any(drain.code == 429 for drain in asked):
            other = _evict_pods(going, tried, flags, start, rounds, DrainCase.BEST)
    assumed = drain_state.assumptions
    asked, other = ([_add_hang(drain, node, assumed) for drain in pods] for pods in (asked, other))
    by_key = {drain.pod.key: drain for drain in asked}
    done = tuple(by_key.get(filtered_pod.pod.key) or drain_without_request(filtered_pod) for filtered_pod in filtered_pods)
    quick = replace(assumed, ends_after=assume_immediate_end)
    cases = (asked, other or asked, _assume_hangs(asked), _assume_hangs(other or asked))
    codes = {predict_exit_code(pods, flags, assumptions) for pods in cases for assumptions in (assumed, quick)}
    unknown = any(drain.verdict is DrainVerdict.UNKNOWN for drain in done)
    known = [drain for drain in asked if drain.verdict is not DrainVerdict.UNKNOWN]
    took = measure_duration(known, flags, assumed)
    return NodeDrain(
        node.name,
        done,
        warnings=list_warnings(filtered_pods),
        first_round=rounds,
        exit_codes=(0, 1) if unknown else tuple(sorted(code for code in codes if code is not None)),
        does_end=None if unknown or (None in codes and len(codes) > 1) else None not in codes,
        min_seconds=measure_duration(known, flags, quick),
        grace_seconds=measure_duration(known, flags, replace(assumed, ends_after=assume_full_grace)),
    ), max((drain.evicted_at or 0.0 for drain in known), default=0.0) if took is None else took


def _add_hang(pod_drain: PodDrain, node: Node, assumptions: DrainAssumptions) -> PodDrain:
    """What becomes of a pod, with why it stays in Terminating."""
    if pod_drain.evicted_at is None:
        return pod_drain
    return replace(pod_drain, hang=find_hang(pod_drain.pod, pod_drain.grace_seconds, node, assumptions))


def _assume_hangs(pod_drains: Sequence[PodDrain]) -> list[PodDrain]:
    """The pods where each that may stay in Terminating does so."""
    return [drain if drain.hang is None else replace(drain, hang=replace(drain.hang, certain=True)) for drain in pod_drains]


def _evict_pods(
    pods: Sequence[ClusterPod], drain_state: DrainState, flags: DrainFlags, start: float, rounds: Iterable[FirstRound], case: DrainCase
) -> list[PodDrain]:
    peers = {key: len(first_round.pods) for first_round in rounds if first_round.is_contested for key in first_round.pods}
    courses = simulate_evictions(pods, drain_state, flags, start, case)
    return [drain_by_eviction(pod, course, drain_state, flags, start, peers) for pod, course in zip(pods, courses, strict=True)]
