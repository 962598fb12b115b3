"""What a change does to ordinary pods: who goes, what blocks it, where replacements fit, what becomes of Jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from preflight.change.model import Change
from preflight.evictions import jobs as job_effects
from preflight.evictions.advice import iter_advice
from preflight.evictions.evicted_pods import LeavingPods, find_leaving_pods, iter_gone_keys
from preflight.evictions.pod_index import PodIndex, PodKey
from preflight.evictions.replacement_placement import ReplacementPlacement, find_returning_daemonsets, place_replacements
from preflight.messages.lists import join_and
from preflight.model.budgets import PodDisruptionBudget
from preflight.model.evictions import Eviction, EvictionReport, JobOutcome, NodeEvictions, ReturningPod
from preflight.model.pod_scheduling import SchedulerPod
from preflight.model.world import ClusterState
from preflight.scheduling.budgets import find_covering_budgets

_SECONDS_BETWEEN = 1
"""Seconds between two looks of kubectl at a pod that takes its time; where none does, the next node comes at once."""

_NODE_ENDINGS = ("shutdown", "gone")


class EvictionImpact(NamedTuple):
    """What a change does to ordinary pods, and the world once that is over."""

    evictions: EvictionReport
    after: ClusterState


def evaluate_evictions(change: Change) -> EvictionImpact | None:
    """What a change does to ordinary pods; None where it lets none go, or pods were not read.

    1. Replacements that find a node are taken to be Ready soon: a pod that waits for one goes. What fits nowhere for certain does not come
       back, and a budget that waits for it blocks.
    2. The world after: pods that went are on no node. Those that are replaced count as Ready still, somewhere; the others are gone.
    """
    if not change.after.has_full_pods:
        return None
    known = PodIndex(change.before)
    found = find_leaving_pods(change, known, frozenset())
    if found is None:
        return None
    excluded = change.recreation_nodes if found.mechanism in _NODE_ENDINGS else frozenset()
    placed = place_replacements(known, [pod.pod for pod in found.pods], change.after.nodes, excluded)
    pending = frozenset(key for key, place in placed.items() if place.answer == "pending")
    if pending and any(eviction.verdict == "waits" for node in found.nodes for eviction in node.pods):
        found = find_leaving_pods(change, known, pending) or found
    disruption = job_effects.get_disruption(found.mechanism, deletes=change.drain_flags is not None and change.drain_flags.disable_eviction)
    forecasts = job_effects.forecast_jobs(known, found.pods, disruption)
    jobs = job_effects.build_job_fates(known, found.pods, forecasts, disruption)
    gone = frozenset(iter_gone_keys(found))
    nodes = tuple(_complete_node(known, change, found, node, placed, jobs, gone) for node in found.nodes)
    evictions = EvictionReport(
        way=found.mechanism,
        nodes=nodes,
        jobs=jobs,
        jobSets=job_effects.build_job_set_fates(known, found.pods, forecasts, change.after.nodes),
        ends=found.completes,
        least=_sum_seconds((node.least for node in nodes), 0) if found.mechanism == "drain" else None,
        withGrace=_sum_seconds((node.withGrace for node in nodes), _SECONDS_BETWEEN) if found.mechanism == "drain" else None,
        notes=tuple(_iter_notes(known, change, found)),
    )
    evictions = replace(evictions, first=tuple(iter_advice(known, change, evictions, gone)))
    return EvictionImpact(evictions, _make_world_after(change, evictions, gone))


def _complete_node(
    pod_index: PodIndex,
    change: Change,
    leaving_pods: LeavingPods,
    node: NodeEvictions,
    placed: Mapping[PodKey, ReplacementPlacement],
    jobs: tuple[JobOutcome, ...],
    gone: frozenset[PodKey],
) -> NodeEvictions:
    """A node with what becomes of those that go from it."""
    failing = {f"Job {job.job}": job.fails for job in jobs if job.fails and job.certain}
    pods = tuple(_complete_eviction(pod_index, pod, placed, failing, leaving_pods.mechanism, gone) for pod in node.pods)
    back: tuple[ReturningPod, ...] = ()
    place = change.after.nodes.get(node.node)
    if leaving_pods.mechanism == "drain" and place is not None and not place.is_partial and not node.refusals:
        back = find_returning_daemonsets(pod_index, place, gone)
    return replace(node, pods=pods, returning=back)


def _complete_eviction(
    pod_index: PodIndex,
    eviction: Eviction,
    placed: Mapping[PodKey, ReplacementPlacement],
    failing: Mapping[str, str],
    mechanism: str,
    gone: frozenset[PodKey],
) -> Eviction:
    if not eviction.is_leaving:
        return eviction
    namespace, _, name = eviction.pod.partition("/")
    place = placed.get((namespace, name))
    if eviction.lost:
        return replace(eviction, replacement="none", reasons=(*eviction.reasons, "nothing creates it again"))
    if eviction.owner in failing:
        return replace(eviction, replacement="none", reasons=(*eviction.reasons, f"its Job fails: {failing[eviction.owner]}"))
    if place is None:
        return eviction
    peers = [pod for pod in pod_index.pods_by_owner.get(eviction.owner, ()) if pod.is_ready and not pod.metadata.deletionTimestamp]
    last = (
        bool(peers)
        and pod_index.is_namespace_listed(namespace)
        and all(pod.key in gone for pod in peers)
        and not eviction.owner.startswith("Job ")
    )
    reasons = [*eviction.reasons]
    if place.answer == "pending" and mechanism in _NODE_ENDINGS:
        reasons.append("no other node takes its replacement: it waits until the node is back")
    elif place.answer == "unknown":
        reasons.append(f"not known where its replacement goes: {'; '.join(place.reasons)}")
    else:
        reasons += place.reasons
    if last:
        number = len(peers)
        reasons.append(
            f"{eviction.owner} has no Ready pod until a replacement is: {'its only one goes' if number == 1 else f'all {number} go'}"
        )
    return replace(eviction, replacement=place.answer, where=place.candidate_nodes, reasons=tuple(reasons), last=last)


def _sum_seconds(seconds: Iterator[float | None], seconds_between: float) -> float | None:
    every = list(seconds)
    known = [each for each in every if each is not None]
    return sum(known) + seconds_between * (len(known) - 1) if known and len(known) == len(every) else None


def _iter_notes(pod_index: PodIndex, change: Change, leaving_pods: LeavingPods) -> Iterator[str]:
    """What the answer rests on, and what of it is not known."""
    world = pod_index.world
    if not pod_index.has_all_pods and pod_index.listed_namespaces:
        yield f"only the pods of {join_and(sorted(pod_index.listed_namespaces))} were given: those of other namespaces are not judged"
    unread = len(world.pods) - len(world.pods_by_key or ())
    if unread > 0 and not world.has_displaced_pods:
        yield f"{unread} {'pod is' if unread == 1 else 'pods are'} not understood, and not judged"
    if (
        leaving_pods.mechanism == "drain"
        and pod_index.budgets is None
        and any(pod.why == "not-known" for node in leaving_pods.nodes for pod in node.pods)
    ):
        yield _explain_unknown_budgets(pod_index)
    if any(eviction.verdict == "waits" for node in leaving_pods.nodes for eviction in node.pods):
        yield "assumed: replacements that find a node become Ready; until then kubectl asks again every 5 s"
    if world.has_displaced_pods:
        yield "assumed: what went in the steps before is Ready again, on nodes that nobody knows"
    if change.drain_flags is not None and change.drain_flags.disable_eviction:
        yield "--disable-eviction deletes pods: no budget is asked"


def _explain_unknown_budgets(pod_index: PodIndex) -> str:
    """Why nobody knows what the API server answers, and what to do about it."""
    unknown = "so nobody knows what the API server answers"
    if pod_index.budgets_without_namespace:
        return f"PodDisruptionBudget -/{pod_index.budgets_without_namespace[0].metadata.name} states no namespace, {unknown}"
    if why := pod_index.world.missing_kinds.get("PodDisruptionBudget"):
        return f"not all PodDisruptionBudgets could be had, {unknown}: {why}"
    return (
        f"no PodDisruptionBudget was given, {unknown}: add the output of `kubectl get pdb -A -o json`, or, where there is none, of "
        "`kubectl get --raw /apis/policy/v1/poddisruptionbudgets`"
    )


def _make_world_after(change: Change, evictions: EvictionReport, gone: frozenset[PodKey]) -> ClusterState:
    world = change.after
    assert world.pods_by_key is not None
    if not gone:
        return world
    back = {eviction.pod for node in evictions.nodes for eviction in node.pods if eviction.replacement in ("fits", "unknown", "")}
    running: dict[PodKey, SchedulerPod] = {}
    unhealthy: list[SchedulerPod] = []
    for key, pod in world.pods_by_key.items():
        if key not in gone:
            running[key] = pod
        elif "/".join(key) in back and pod.controller is not None:
            running[key] = replace(pod, spec=replace(pod.spec, nodeName=""))
        else:
            unhealthy.append(pod)
    stale = {budget.key for pod in unhealthy for budget in find_covering_budgets(pod, world.budgets)}
    budgets = tuple(_clear_budget_status(each) if each.key in stale else each for each in world.budgets)
    return replace(world, pods_by_key=running, budgets=budgets, has_displaced_pods=True)


def _clear_budget_status(budget: PodDisruptionBudget) -> PodDisruptionBudget:
    """The budget without its status: it is then counted from the pods that are left."""
    return replace(budget, status=None)
