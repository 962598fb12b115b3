"""What the first sentence of a report states of ordinary pods that have to go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from preflight.model.evictions import (
    Eviction,
    EvictionMechanism,
    EvictionReport,
    EvictionVerdict,
    ReplacementOutcome,
)
from preflight.model.job_reasons import JobFailure, JobSetFailure
from preflight.model.verdict import (
    DrainEnd,
    DrainResult,
    FailingJobs,
    InterruptedWorkloads,
    LeavingPods,
    PlainFact,
    StuckPods,
    VerdictFact,
    VerdictSign,
)


def judge_evictions(evictions: EvictionReport) -> tuple[list[VerdictFact], VerdictSign]:
    """The facts about the pods that a step lets go, and how bad they are."""
    pods = [pod for node in evictions.nodes for pod in node.pods]
    leaving = [pod for pod in pods if pod.is_leaving]
    drain = list(_iter_drain_results(evictions, pods))
    moved = LeavingPods(
        evictions.way,
        len(leaving),
        lost_count=sum(pod.lost for pod in leaving),
        pending_count=sum(pod.replacement is ReplacementOutcome.PENDING for pod in leaving),
        placed_count=sum(pod.replacement is ReplacementOutcome.FITS for pod in leaving),
        unplaced_count=sum(pod.replacement is ReplacementOutcome.UNKNOWN for pod in leaving),
        unknown_count=sum(pod.verdict is EvictionVerdict.UNKNOWN for pod in pods),
    )
    facts: list[VerdictFact] = [*drain]
    if leaving or moved.unknown_count:
        facts.append(moved)
    elif not pods and not any(node.refusals for node in evictions.nodes):
        facts.append(PlainFact.NO_POD_LEAVES)
    hangs = [pod.hang for pod in leaving if pod.hang is not None]
    is_hanging = any(hang.certain for hang in hangs)
    if hangs:
        facts.append(StuckPods(sum(hang.certain for hang in hangs) if is_hanging else len(hangs), is_hanging))
    failing = [job.certain for job in evictions.jobs if job.fails is not JobFailure.NONE]
    failing += [job_set.certain for job_set in evictions.jobSets if job_set.fails is not JobSetFailure.NONE]
    is_failing = any(failing)
    if failing:
        facts.append(FailingJobs(sum(failing) if is_failing else len(failing), is_failing))
    if last := {pod.owner for pod in leaving if pod.last}:
        facts.append(InterruptedWorkloads(len(last)))
    ends = {result.end for result in drain}
    if ends & {DrainEnd.REFUSED, DrainEnd.NEVER} or evictions.ends is False:
        return facts, VerdictSign.BAD
    if moved.lost_count or moved.pending_count or is_hanging or is_failing:
        return facts, VerdictSign.BAD
    if evictions.has_unknown_pods or DrainEnd.UNKNOWN in ends:
        return facts, VerdictSign.UNKNOWN
    is_doubtful = failing or last or moved.unplaced_count or DrainEnd.REPLACEMENTS in ends
    return facts, VerdictSign.WARNING if is_doubtful else VerdictSign.FINE


def _iter_drain_results(evictions: EvictionReport, pods: Sequence[Eviction]) -> Iterator[DrainResult]:
    """How a drain ends: where kubectl is stuck, which nodes it refuses; else whether and when it ends."""
    if evictions.way is not EvictionMechanism.DRAIN:
        return
    nodes, total = evictions.nodes, len(evictions.nodes)
    budgets = tuple(sorted({name for pod in pods if pod.verdict is EvictionVerdict.BLOCKED_FOREVER for name in pod.budgets}))
    refused = [node for node in nodes if node.refusals]
    stuck = tuple(node.node for node in nodes if node.ends is False and node.reached)
    if evictions.ends is False and (stuck or not refused):
        yield DrainResult(DrainEnd.NEVER, stuck, total, budgets=budgets)
    if refused:
        flags = tuple(dict.fromkeys(str(flag) for node in refused for flag in node.missing))
        yield DrainResult(DrainEnd.REFUSED, tuple(node.node for node in refused), total, flags)
    elif evictions.ends is None:
        is_unknown = any(pod.verdict is EvictionVerdict.UNKNOWN or (pod.is_leaving and pod.hang is not None) for pod in pods)
        yield DrainResult(DrainEnd.UNKNOWN if is_unknown else DrainEnd.REPLACEMENTS, (), total, budgets=budgets)
    elif evictions.ends:
        yield DrainResult(DrainEnd.ENDS, (), total, seconds=evictions.withGrace if evictions.withGrace is not None else evictions.least)
