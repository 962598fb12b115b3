"""Findings of the rules on ordinary pods that a change removes: imported only for such a change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from preflight.messages.budgets import OTHER_SELECTOR, describe_blocked_drain, describe_shared_pods
from preflight.messages.evictions import (
    describe_advice,
    describe_full_nodes,
    describe_kept_pods,
    describe_lost_data,
    describe_missing_pods,
    describe_obstacles,
    describe_permanent_loss,
    describe_refused_drain,
    describe_static_pods,
)
from preflight.messages.jobs import describe_failing_job, describe_job_reason, describe_job_set_outcome, describe_overlap
from preflight.messages.lists import join_limited, list_first
from preflight.model.eviction_reasons import (
    Advice,
    AwaitJob,
    ChangeBudget,
    DrainReason,
    MakeRoom,
    NodeObstacle,
    RefusedByBudget,
    SavePods,
    StaysPending,
    TooFewFit,
)
from preflight.model.evictions import Eviction, EvictionMechanism, EvictionVerdict, JobSetOutcome, NodeEvictions, ReplacementOutcome
from preflight.model.job_reasons import JobLimit, JobSetRestarts
from preflight.model.meta import Origin
from preflight.model.owners import OwnerKey
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, FieldPath, Hit, ManifestLocation

_UNKNOWN_LOCATION = ManifestLocation(Origin("<none>"))


def _list_nodes(context: Context) -> Sequence[NodeEvictions]:
    return context.evictions.nodes if context.evictions else ()


def _list_advice(context: Context) -> Sequence[Advice]:
    return context.evictions.first if context.evictions else ()


def _is_by(context: Context, *mechanisms: EvictionMechanism) -> bool:
    return context.evictions is not None and context.evictions.way in mechanisms


def _iter_evictions(context: Context) -> Iterator[tuple[NodeEvictions, Eviction]]:
    return ((node, pod) for node in _list_nodes(context) for pod in node.pods)


def _make_subject(kind: str, key: str) -> Subject:
    namespace, _, name = key.partition("/")
    return Subject(kind, namespace, name)


def _locate_object(context: Context, kind: str, key: str, *path: FieldPath) -> ManifestLocation:
    """Where an object stands, at the first of some fields that its manifest has; nowhere where it was not given."""
    world = context.world
    for budget in (*world.budgets, *world.job_sets, *world.workloads):
        if type(budget).__name__ == kind and f"{budget.metadata.namespace}/{budget.metadata.name}" == key:
            return ManifestLocation(budget.origin, path[0] if path else ())
    return _UNKNOWN_LOCATION


def _locate_node(context: Context, name: str) -> ManifestLocation:
    node = context.world.nodes.get(name)
    return ManifestLocation(node.origin) if node is not None else _UNKNOWN_LOCATION


def _get_limit_path(context: Context, key: str) -> FieldPath:
    """The field of a budget that states how many it allows."""
    for budget in context.world.budgets:
        if "/".join(budget.key) == key:
            return ("spec", "maxUnavailable" if budget.spec.maxUnavailable is not None else "minAvailable")
    return ()


def find_refused_drains(context: Context) -> Iterator[Hit]:
    """What kubectl refuses, node by node."""
    for node in _list_nodes(context):
        for refusal in node.refusals:
            yield Hit(
                subject=Subject("Node", "", node.node),
                nodes=(node.node,),
                location=_locate_node(context, node.node),
                message=describe_refused_drain(refusal),
                key=(refusal.filter.value, *([refusal.daemonset] if refusal.daemonset else [])),
            )


def _group_by_budget(context: Context, verdict: EvictionVerdict) -> Iterator[tuple[str, list[tuple[NodeEvictions, Eviction]]]]:
    found: dict[str, list[tuple[NodeEvictions, Eviction]]] = {}
    for node, eviction in _iter_evictions(context):
        if eviction.verdict is verdict and len(eviction.budgets) == 1:
            found.setdefault(eviction.budgets[0], []).append((node, eviction))
    return iter(sorted(found.items()))


def _make_blocking_hits(context: Context, verdict: EvictionVerdict, endless_severity: Severity | None = None) -> Iterator[Hit]:
    """One hit for each budget that blocks; `endless_severity` is that if kubectl waits without end, None for the rule's own."""
    for key, pods in _group_by_budget(context, verdict):
        nodes = tuple(dict.fromkeys(node.node for node, _ in pods))
        refusal = next(reason for reason in pods[0][1].reasons if isinstance(reason, RefusedByBudget))
        yield Hit(
            subject=_make_subject("PodDisruptionBudget", key),
            nodes=nodes,
            location=_locate_object(context, "PodDisruptionBudget", key, _get_limit_path(context, key)),
            message=describe_blocked_drain(nodes, refusal, is_permanent=verdict is EvictionVerdict.BLOCKED_FOREVER),
            severity=endless_severity if any(node.ends is False for node, _ in pods) else None,
            notes=(
                ("impact", describe_kept_pods([pod.pod for _, pod in pods])),
                *(("help", describe_advice(advice)) for advice in _iter_budget_advice(context, key)),
            ),
        )


def _iter_budget_advice(context: Context, budget: str) -> Iterator[Advice]:
    """The advice on a budget, on the pods that it selects and on their Jobs."""
    covered = [eviction for _, eviction in _iter_evictions(context) if budget in eviction.budgets]
    pods = {eviction.pod for eviction in covered}
    owners = {eviction.owner for eviction in covered}
    for advice in _list_advice(context):
        match advice:
            case ChangeBudget(budgets=budgets) if budget in budgets:
                yield advice
            case MakeRoom(pods=named) | SavePods(pods=named) if not pods.isdisjoint(named):
                yield advice
            case AwaitJob(job=job) if OwnerKey("Job", *job.split("/")) in owners:
                yield advice


def find_permanent_blocks(context: Context) -> Iterator[Hit]:
    """The budgets that block permanently."""
    return _make_blocking_hits(context, EvictionVerdict.BLOCKED_FOREVER)


def find_temporary_blocks(context: Context, *, endless_severity: Severity) -> Iterator[Hit]:
    """The budgets that block as things are."""
    return _make_blocking_hits(context, EvictionVerdict.BLOCKED_NOW, endless_severity)


def find_shared_budgets(context: Context) -> Iterator[Hit]:
    """The sets of budgets that share a pod."""
    found: dict[tuple[str, ...], list[tuple[NodeEvictions, Eviction]]] = {}
    for node, eviction in _iter_evictions(context):
        if eviction.why is DrainReason.SEVERAL_BUDGETS:
            found.setdefault(eviction.budgets, []).append((node, eviction))
    for budgets, pods in sorted(found.items()):
        nodes = tuple(dict.fromkeys(node.node for node, _ in pods))
        yield Hit(
            subject=_make_subject("PodDisruptionBudget", budgets[0]),
            nodes=nodes,
            location=_locate_object(context, "PodDisruptionBudget", budgets[0], ("spec", "selector")),
            message=describe_shared_pods(budgets[1:], join_limited([pod.pod for _, pod in pods], "pods")),
            key=budgets[1:],
            related_locations=tuple(
                (OTHER_SELECTOR, _locate_object(context, "PodDisruptionBudget", other, ("spec", "selector"))) for other in budgets[1:]
            ),
        )


def find_unmanaged_pods(context: Context, *, lower_severity: Severity) -> Iterator[Hit]:
    """The pods that nothing creates again."""
    is_asked = _is_by(context, EvictionMechanism.DRAIN, EvictionMechanism.DELETION)
    for node, eviction in _iter_evictions(context):
        if eviction.is_leaving and eviction.lost:
            yield Hit(
                subject=_make_subject("Pod", eviction.pod),
                nodes=(node.node,),
                location=_UNKNOWN_LOCATION,
                severity=lower_severity if is_asked else None,
                message=describe_permanent_loss(node.node),
            )


def find_local_data_loss(context: Context) -> Iterator[Hit]:
    """The nodes whose pods lose the data of their emptyDir volumes."""
    for node in _list_nodes(context):
        pods = [pod.pod for pod in node.pods if pod.is_leaving and pod.localData]
        if pods:
            yield Hit(
                subject=Subject("Node", "", node.node),
                nodes=(node.node,),
                location=_locate_node(context, node.node),
                message=describe_lost_data(pods),
            )


def _find_pod_nodes(context: Context, pods: Iterable[str]) -> tuple[str, ...]:
    wanted = set(pods)
    return tuple(dict.fromkeys(node.node for node, eviction in _iter_evictions(context) if eviction.pod in wanted))


def find_failing_jobs(context: Context, *, lower_severity: Severity) -> Iterator[Hit]:
    """The Jobs that fail and that no JobSet restarts."""
    jobs, job_sets = (context.evictions.jobs, context.evictions.jobSets) if context.evictions else ((), ())
    theirs = {job for job_set in job_sets if not job_set.unknown for job in job_set.jobs}
    for outcome in jobs:
        if outcome.fails and outcome.job not in theirs:
            nodes = _find_pod_nodes(context, outcome.pods)
            yield Hit(
                subject=_make_subject("Job", outcome.job),
                nodes=nodes,
                location=_locate_object(context, "Job", outcome.job, ("spec", (outcome.limit or (JobLimit.BACKOFF_LIMIT,))[-1].value)),
                severity=None if outcome.certain else lower_severity,
                message=describe_failing_job(outcome, nodes),
                key=(outcome.fails.value,),
                notes=tuple(("note", describe_job_reason(reason)) for reason in outcome.reasons),
            )


def find_overlapping_job_pods(context: Context) -> Iterator[Hit]:
    """The Indexed Jobs that go on, and have two pods of one index for a while."""
    for job in context.evictions.jobs if context.evictions else ():
        if job.indexed and job.overlap > 0 and not (job.fails and job.certain):
            nodes = _find_pod_nodes(context, job.pods)
            yield Hit(
                subject=_make_subject("Job", job.job),
                nodes=nodes,
                location=_locate_object(context, "Job", job.job, ("spec", "podReplacementPolicy")),
                message=describe_overlap(job, nodes),
                notes=tuple(("note", describe_job_reason(reason)) for reason in job.reasons),
            )


def find_jobset_restarts(context: Context, *, lower_severity: Severity) -> Iterator[Hit]:
    """The JobSets that fail, restart Jobs, or lose a leader."""
    if context.evictions is None:
        return
    jobs = {outcome.job: outcome for outcome in context.evictions.jobs}
    for job_set in context.evictions.jobSets:
        if job_set.unknown or not (job_set.fails or job_set.restarts is not JobSetRestarts.NONE or job_set.leader):
            continue
        nodes = _find_pod_nodes(context, (pod for job in job_set.jobs for pod in (jobs[job].pods if job in jobs else ())))
        yield Hit(
            subject=_make_subject("JobSet", job_set.jobSet),
            nodes=nodes,
            location=_locate_object(context, "JobSet", job_set.jobSet, ("spec", "failurePolicy")),
            severity=None if job_set.fails and job_set.certain else lower_severity,
            message=describe_job_set_outcome(job_set),
            key=_identify_job_set_outcome(job_set),
            notes=tuple(("note", describe_job_reason(reason)) for reason in job_set.reasons),
        )


def _identify_job_set_outcome(outcome: JobSetOutcome) -> tuple[str, ...]:
    """A failure by its reason, else which Jobs restart, else that a leader is lost."""
    if outcome.fails:
        return ("fails", outcome.fails.value)
    return ("leader",) if outcome.restarts is JobSetRestarts.NONE else ("restarts", outcome.restarts.value)


def find_unplaceable_pods(context: Context, *, higher_severity: Severity) -> Iterator[Hit]:
    """The owners of whose pods some stay Pending."""
    if not _is_by(context, EvictionMechanism.DRAIN, EvictionMechanism.DELETION, EvictionMechanism.TAINT):
        return
    found: dict[OwnerKey, list[tuple[NodeEvictions, Eviction]]] = {}
    for node, eviction in _iter_evictions(context):
        if eviction.owner is not None and eviction.is_leaving and eviction.replacement is ReplacementOutcome.PENDING:
            found.setdefault(eviction.owner, []).append((node, eviction))
    for owner, pods in sorted(found.items(), key=lambda item: str(item[0])):
        key = f"{owner.namespace}/{owner.name}"
        nodes = tuple(dict.fromkeys(node.node for node, _ in pods))
        last = any(pod.last for _, pod in pods)
        first = pods[0][1]
        why = next(reason for reason in first.reasons if isinstance(reason, StaysPending | TooFewFit))
        yield Hit(
            subject=Subject(owner.kind, owner.namespace, owner.name),
            nodes=nodes,
            location=_locate_object(context, owner.kind, key),
            severity=higher_severity
            if last and all(pod.replacement is ReplacementOutcome.PENDING for _, pod in _iter_evictions(context) if pod.owner == owner)
            else None,
            message=describe_missing_pods(first.pod, len(pods), why),
            notes=tuple(
                ("help", describe_advice(advice))
                for advice in _list_advice(context)
                if isinstance(advice, MakeRoom) and first.pod in list_first(advice.pods)
            ),
        )


def find_daemonsets_without_capacity(context: Context) -> Iterator[Hit]:
    """The DaemonSets whose pod finds no room when it comes back."""
    found: dict[tuple[str, tuple[NodeObstacle, ...]], list[str]] = {}
    for node in _list_nodes(context):
        for pod in node.returning:
            found.setdefault((pod.daemonset, pod.obstacles), []).append(node.node)
    for (daemonset, obstacles), nodes in sorted(found.items(), key=lambda item: (item[0][0], describe_obstacles(item[0][1]))):
        yield Hit(
            subject=_make_subject("DaemonSet", daemonset),
            nodes=tuple(nodes),
            location=_locate_object(context, "DaemonSet", daemonset),
            message=describe_full_nodes(nodes, obstacles),
            key=tuple(part for obstacle in obstacles for part in (obstacle.filter, obstacle.resource) if part),
        )


def find_static_pods(context: Context) -> Iterator[Hit]:
    """The drained nodes with static pods."""
    for node in _list_nodes(context) if _is_by(context, EvictionMechanism.DRAIN) else ():
        if node.static:
            yield Hit(
                subject=Subject("Node", "", node.node),
                nodes=(node.node,),
                location=_locate_node(context, node.node),
                message=describe_static_pods(node.static),
            )
