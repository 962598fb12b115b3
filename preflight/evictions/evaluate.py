"""What a change does to ordinary pods: who goes, what blocks it, where replacements fit, what becomes of Jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from preflight.change.model import Change
from preflight.coverage.model import Impact
from preflight.evictions.advice import iter_advice
from preflight.evictions.evicted_pods import find_leaving_pods
from preflight.evictions.leaving_pod import LeavingPods, iter_gone_keys
from preflight.evictions.pod_index import PodIndex, PodKey
from preflight.evictions.replacement_placement import (
    MissingNodes,
    ReplacementPlacement,
    find_missing_nodes,
    find_returning_daemonsets,
    place_replacements,
)
from preflight.evictions.termination import TerminationIndex, is_replaced_after_end
from preflight.model.eviction_reasons import (
    BudgetWithoutNamespace,
    DrainReason,
    EvictionAssumption,
    EvictionFact,
    EvictionNote,
    LastReadyPods,
    OnlyNamespaces,
    OwnerJobFails,
    PartOfNodes,
    UnknownPlacement,
    UnreadBudgets,
    UnreadPods,
)
from preflight.model.evictions import (
    Eviction,
    EvictionMechanism,
    EvictionReport,
    EvictionVerdict,
    JobOutcome,
    JobSetOutcome,
    NodeEvictions,
    ReplacementOutcome,
    ReturningPod,
)
from preflight.model.job_reasons import JobFailure
from preflight.model.owners import OwnerKey
from preflight.model.pod_scheduling import SchedulerPod
from preflight.model.policy import PodDisruptionBudget
from preflight.model.world import ClusterState
from preflight.scheduling.budgets import find_covering_budgets

_SECONDS_BETWEEN = 1
"""Seconds between two looks of kubectl at a pod that takes its time; where none does, the next node comes at once."""

_NODE_ENDINGS = (EvictionMechanism.SHUTDOWN, EvictionMechanism.GONE)


_COMING_BACK = (ReplacementOutcome.FITS, ReplacementOutcome.UNKNOWN, ReplacementOutcome.NOT_DUE)


class _Fates(NamedTuple):
    """What becomes of the pods that go.

    `placed` are where replacements find a node, `stuck` the pods that stay in Terminating and whose owners wait for their end; `jobs` what
    becomes of Jobs, `leaving` all of them, and `gone` those that are gone once all is over.
    """

    placed: Mapping[PodKey, ReplacementPlacement]
    stuck: frozenset[PodKey]
    jobs: tuple[JobOutcome, ...]
    gone: frozenset[PodKey]
    leaving: frozenset[PodKey]


class _JobEffects(NamedTuple):
    """What becomes of Jobs and JobSets; whether a Job has its domain for itself."""

    jobs: tuple[JobOutcome, ...] = ()
    job_sets: tuple[JobSetOutcome, ...] = ()
    are_placed_exclusively: bool = False


class EvictionImpact(NamedTuple):
    """What a change does to ordinary pods, and the world once that is over.

    `missing` is what has to be known of the cluster before all of it is certain; None for nothing.
    """

    evictions: EvictionReport
    after: ClusterState
    missing: MissingNodes | None = None


def evaluate_evictions(change: Change, impact: Impact) -> EvictionImpact | None:
    """What a change does to ordinary pods; None where it lets none go, or pods were not read.

    1. Replacements that find a node are taken to be Ready soon: a pod that waits for one goes. What fits nowhere for certain does not come
       back, and a budget that waits for it blocks. Nothing replaces a pod that stays in Terminating where its owner waits for its end.
    2. `impact` is what the change does to DaemonSets: whether a CSI driver is there that unmounts the volumes of a pod.
    3. The world after: pods that went are on no node. Those that are replaced count as Ready still, somewhere; the others are gone.
    """
    if not change.after.has_full_pods:
        return None
    known = PodIndex(change.before)
    terminations = TerminationIndex(known, impact)
    found = find_leaving_pods(change, known, terminations, frozenset())
    if found is None:
        return None
    excluded = change.recreation_nodes if found.mechanism in _NODE_ENDINGS else frozenset()
    stuck = frozenset(pod.pod.key for pod in found.pods if pod.hangs and is_replaced_after_end(known, pod.pod))
    replaced = [_mark_due(known, pod.pod) for pod in found.pods if pod.pod.key not in stuck]
    placed = place_replacements(known, replaced, change.after.nodes, excluded)
    pending = frozenset(key for key, place in placed.items() if place.outcome is ReplacementOutcome.PENDING)
    if (pending or stuck) and any(eviction.verdict is EvictionVerdict.WAITS for node in found.nodes for eviction in node.pods):
        found = find_leaving_pods(change, known, terminations, pending | stuck) or found
    jobs = _evaluate_jobs(known, change, found)
    gone = frozenset(iter_gone_keys(found))
    leaving = frozenset(pod.pod.key for pod in found.pods)
    nodes = tuple(_complete_node(known, change, found, node, _Fates(placed, stuck, jobs.jobs, gone, leaving)) for node in found.nodes)
    evictions = EvictionReport(
        way=found.mechanism,
        nodes=nodes,
        jobs=jobs.jobs,
        jobSets=jobs.job_sets,
        ends=found.completes,
        least=_sum_seconds((node.least for node in nodes), 0) if found.mechanism is EvictionMechanism.DRAIN else None,
        withGrace=_sum_seconds((node.withGrace for node in nodes), _SECONDS_BETWEEN)
        if found.mechanism is EvictionMechanism.DRAIN
        else None,
        notes=tuple(_iter_notes(known, change, found, placed)),
    )
    evictions = replace(evictions, first=tuple(iter_advice(known, change, evictions, gone)))
    is_part = known.listed_nodes is not None and not known.has_all_nodes
    missing = find_missing_nodes([pod.pod for pod in found.pods], placed, needs_all_nodes=is_part and jobs.are_placed_exclusively)
    return EvictionImpact(evictions, _make_world_after(change, evictions, gone), missing)


def _evaluate_jobs(pod_index: PodIndex, change: Change, leaving_pods: LeavingPods) -> _JobEffects:
    """What becomes of the Jobs and JobSets whose pods go."""
    if not any(pod.pod.controller is not None and pod.pod.controller.kind == "Job" for pod in leaving_pods.pods):
        return _JobEffects()
    from preflight.evictions import jobs as effects  # most changes let no pod of a Job go

    deletes = change.drain_flags is not None and change.drain_flags.disable_eviction
    disruption = effects.get_disruption(leaving_pods.mechanism, deletes=deletes)
    forecasts = effects.forecast_jobs(pod_index, leaving_pods.pods, disruption)
    return _JobEffects(
        effects.build_job_outcomes(pod_index, leaving_pods.pods, forecasts, disruption),
        effects.build_job_set_outcomes(pod_index, leaving_pods.pods, forecasts, change.after.nodes),
        effects.have_exclusive_placement(pod_index, leaving_pods.pods),
    )


def _complete_node(pod_index: PodIndex, change: Change, leaving_pods: LeavingPods, node: NodeEvictions, fates: _Fates) -> NodeEvictions:
    """A node with what becomes of those that go from it."""
    failing = {_make_job_key(job.job): job.fails for job in fates.jobs if job.fails and job.certain}
    pods = tuple(_complete_eviction(pod_index, pod, fates, failing, leaving_pods.mechanism) for pod in node.pods)
    back: tuple[ReturningPod, ...] = ()
    place = change.after.nodes.get(node.node)
    if leaving_pods.mechanism is EvictionMechanism.DRAIN and place is not None and not place.is_partial and not node.refusals:
        back = find_returning_daemonsets(pod_index, place, fates.gone)
    return replace(node, pods=pods, returning=back)


def _complete_eviction(
    pod_index: PodIndex, eviction: Eviction, fates: _Fates, failing: Mapping[OwnerKey, JobFailure], mechanism: EvictionMechanism
) -> Eviction:
    if not eviction.is_leaving:
        return eviction
    namespace, _, name = eviction.pod.partition("/")
    place = fates.placed.get((namespace, name))
    if eviction.lost:
        return replace(eviction, replacement=ReplacementOutcome.NONE, reasons=(*eviction.reasons, EvictionFact.NOT_RECREATED))
    owner = eviction.owner
    if owner is not None and owner in failing:
        return replace(eviction, replacement=ReplacementOutcome.NONE, reasons=(*eviction.reasons, OwnerJobFails(failing[owner])))
    is_stuck = (namespace, name) in fates.stuck
    if owner is None or (place is None and not is_stuck):
        return eviction
    peers = [pod for pod in pod_index.pods_by_owner.get(owner, ()) if pod.is_ready and not pod.metadata.deletionTimestamp]
    last = (
        bool(peers) and pod_index.is_namespace_listed(namespace) and all(pod.key in fates.leaving for pod in peers) and owner.kind != "Job"
    )
    reasons = [*eviction.reasons]
    if place is None:
        reasons.append(EvictionFact.AWAITS_END)
    elif place.outcome is ReplacementOutcome.PENDING and mechanism in _NODE_ENDINGS:
        reasons.append(EvictionFact.WAITS_FOR_NODE)
    elif place.outcome is ReplacementOutcome.UNKNOWN:
        reasons.append(UnknownPlacement(place.unknown_causes))
    elif place.pending_reason is not None:
        reasons.append(place.pending_reason)
    if last:
        reasons.append(LastReadyPods(owner, len(peers)))
    if place is None:
        return replace(eviction, replacement=ReplacementOutcome.NONE, reasons=tuple(reasons), last=last)
    return replace(eviction, replacement=place.outcome, where=place.candidate_nodes, reasons=tuple(reasons), last=last)


def _mark_due(pod_index: PodIndex, pod: SchedulerPod) -> SchedulerPod:
    """The pod as one whose replacement is due when it goes: of those that are being deleted only where their owner waits for the end."""
    if not pod.metadata.deletionTimestamp or not is_replaced_after_end(pod_index, pod):
        return pod
    return replace(pod, metadata=replace(pod.metadata, deletionTimestamp=""))


def _sum_seconds(seconds: Iterator[float | None], seconds_between: float) -> float | None:
    durations = list(seconds)
    known = [duration for duration in durations if duration is not None]
    return sum(known) + seconds_between * (len(known) - 1) if known and len(known) == len(durations) else None


def _iter_notes(
    pod_index: PodIndex, change: Change, leaving_pods: LeavingPods, placed: Mapping[PodKey, ReplacementPlacement]
) -> Iterator[EvictionAssumption]:
    """What the answer rests on, and what of it is not known."""
    world = pod_index.world
    if not pod_index.has_all_pods and pod_index.listed_namespaces:
        yield OnlyNamespaces(tuple(sorted(pod_index.listed_namespaces)))
    if pod_index.listed_nodes is not None and any(placement.candidate_nodes for placement in placed.values()):
        yield PartOfNodes(len(pod_index.listed_nodes))
    unread = len(world.pods) - len(world.pods_by_key or ())
    if unread > 0 and not world.has_displaced_pods:
        yield UnreadPods(unread)
    if (
        leaving_pods.mechanism is EvictionMechanism.DRAIN
        and pod_index.budgets is None
        and any(pod.why is DrainReason.UNKNOWN for node in leaving_pods.nodes for pod in node.pods)
    ):
        yield _find_unknown_budgets(pod_index)
    if any(eviction.verdict is EvictionVerdict.WAITS for node in leaving_pods.nodes for eviction in node.pods):
        yield EvictionNote.REPLACEMENTS_READY
    if world.has_displaced_pods:
        yield EvictionNote.DISPLACED_PODS_READY
    if change.drain_flags is not None and change.drain_flags.disable_eviction:
        yield EvictionNote.BUDGETS_BYPASSED


def _find_unknown_budgets(pod_index: PodIndex) -> BudgetWithoutNamespace | UnreadBudgets:
    """Why it is unknown which budgets there are."""
    if pod_index.budgets_without_namespace:
        return BudgetWithoutNamespace(pod_index.budgets_without_namespace[0].metadata.name)
    return UnreadBudgets(pod_index.world.missing_kinds.get("PodDisruptionBudget", ""))


def _make_job_key(job: str) -> OwnerKey:
    namespace, _, name = job.partition("/")
    return OwnerKey("Job", namespace, name)


def _make_world_after(change: Change, evictions: EvictionReport, gone: frozenset[PodKey]) -> ClusterState:
    world = change.after
    assert world.pods_by_key is not None
    if not gone:
        return world
    back = {eviction.pod for node in evictions.nodes for eviction in node.pods if eviction.replacement in _COMING_BACK}
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
    budgets = tuple(_clear_budget_status(budget) if budget.key in stale else budget for budget in world.budgets)
    return replace(world, pods_by_key=running, budgets=budgets, has_displaced_pods=True)


def _clear_budget_status(budget: PodDisruptionBudget) -> PodDisruptionBudget:
    """The budget without its status: it is then counted from the pods that are left."""
    return replace(budget, status=None)
