"""What becomes of Jobs and JobSets that lose pods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf

from preflight.evictions.leaving_pod import LeavingPod
from preflight.evictions.pod_index import PodIndex, PodKey
from preflight.model.batch import JobSet
from preflight.model.core import Node
from preflight.model.evictions import EvictionMechanism, JobOutcome, JobSetOutcome
from preflight.model.job_reasons import (
    JobFact,
    JobFailure,
    JobReason,
    JobSetReason,
    JobSetRestarts,
    JobUnknown,
    JobUnknownKind,
    LeaderLabelMissing,
    LeaderMoves,
    QueueNotChecked,
    SkipCause,
    TooFewDomains,
)
from preflight.model.owners import OwnerKey, find_controller
from preflight.model.releases import Behavior
from preflight.model.versions import ClusterVersions
from preflight.scheduling.jobs.controller import JobBehavior
from preflight.scheduling.jobs.defaults import INDEXED, apply_job_defaults
from preflight.scheduling.jobs.disruption import Disruption
from preflight.scheduling.jobs.exclusive_placement import (
    LEADER_INDEX,
    count_required_domains,
    find_exclusive_placement,
    find_exclusive_topology,
    list_follower_refusals,
)
from preflight.scheduling.jobs.forecast import JobForecast, forecast_job
from preflight.scheduling.jobs.jobsets import JobSetForecast, find_replicated_job, forecast_job_set
from preflight.scheduling.jobs.lost_pods import SIGKILL, SIGTERM, PodLoss, make_job_pod
from preflight.scheduling.jobs.tracked_pod import MAX_BACK_OFF, OLDER_MAX_BACK_OFF
from preflight.scheduling.owners import is_kind

_QUEUE_LABELS = ("kueue.x-k8s.io/queue-name", "scheduling.volcano.sh/queue-name", "pod-group.scheduling.sigs.k8s.io/name")
_DISRUPTIONS = {
    EvictionMechanism.DRAIN: Disruption.EVICTION,
    EvictionMechanism.DELETION: Disruption.DELETION,
    EvictionMechanism.TAINT: Disruption.TAINT,
    EvictionMechanism.SHUTDOWN: Disruption.SHUTDOWN,
    EvictionMechanism.GONE: Disruption.POD_GC,
}
ForecastsByJob = Mapping[PodKey, Sequence[JobForecast]]


def get_disruption(mechanism: EvictionMechanism, *, deletes: bool) -> Disruption:
    """How a change ends pods; `deletes` is a drain with --disable-eviction."""
    return Disruption.DELETION if deletes else _DISRUPTIONS[mechanism]


def group_by_job(leaving_pods: Sequence[LeavingPod]) -> dict[PodKey, list[LeavingPod]]:
    """The pods that go, by the Job that controls them."""
    found: dict[PodKey, list[LeavingPod]] = {}
    for leaving_pod in leaving_pods:
        reference = leaving_pod.pod.controller
        if reference is not None and is_kind(reference, "Job", ("batch",)) and not leaving_pod.pod.metadata.deletionTimestamp:
            found.setdefault((leaving_pod.pod.metadata.namespace, reference.name), []).append(leaving_pod)
    return found


def forecast_jobs(pod_index: PodIndex, leaving_pods: Sequence[LeavingPod], disruption: Disruption) -> dict[PodKey, tuple[JobForecast, ...]]:
    """What becomes of each Job that is known, once for each way in which its pods may end.

    Pods end at once by the signal, or after their whole grace period, or take it for the end of their work (exit code 0), which takes them
    two seconds: the controller has seen the deletion by then. Where the version is not known and controllers differ, for each of these.
    """
    behaviors = _list_behaviors(pod_index.world.versions)
    found: dict[PodKey, tuple[JobForecast, ...]] = {}
    for key, pods in group_by_job(leaving_pods).items():
        job = pod_index.jobs.get(key)
        if job is None or not pod_index.is_namespace_listed(key[0]):
            continue
        names = {leaving_pod.pod.controller.uid for leaving_pod in pods if leaving_pod.pod.controller is not None}
        own = [pod for pod in pod_index.pods_by_owner.get(OwnerKey("Job", *key), ()) if pod.controller and pod.controller.uid in names]
        ways = (lambda grace: (min(1.0, grace), SIGTERM), lambda grace: (float(grace), SIGKILL), lambda grace: (min(2.0, grace), 0))
        answers = []
        for way in ways:
            losses = []
            for leaving_pod in pods:
                after, code = way(leaving_pod.grace_seconds)
                losses.append(
                    PodLoss(leaving_pod.pod.metadata.name, disruption, leaving_pod.leaves_at, inf if leaving_pod.hangs else after, code)
                )
            answers += [forecast_job(job, [make_job_pod(pod) for pod in own], losses, behavior) for behavior in behaviors]
        found[key] = tuple(answers)
    return found


def _list_behaviors(versions: ClusterVersions) -> tuple[JobBehavior, ...]:
    """What the Job controller of a cluster may do."""
    awaits, is_long = versions.has(Behavior.AWAITS_POD_END), versions.has(Behavior.LONG_BACK_OFF)
    answers = ((awaits_end, long) for awaits_end in (True, False) for long in (True, False))
    return tuple(
        JobBehavior(awaits_end, MAX_BACK_OFF if long else OLDER_MAX_BACK_OFF)
        for awaits_end, long in answers
        if awaits in (awaits_end, None) and is_long in (long, None)
    )


def build_job_outcomes(
    pod_index: PodIndex, leaving_pods: Sequence[LeavingPod], job_forecasts: ForecastsByJob, disruption: Disruption
) -> tuple[JobOutcome, ...]:
    """What becomes of each Job that loses pods, by namespace and name."""
    return tuple(
        _build_job_outcome(pod_index, key, pods, job_forecasts.get(key, ()), disruption)
        for key, pods in sorted(group_by_job(leaving_pods).items())
    )


def _build_job_outcome(
    pod_index: PodIndex, key: PodKey, pods: Sequence[LeavingPod], answers: Sequence[JobForecast], disruption: Disruption
) -> JobOutcome:
    name, lost = "/".join(key), tuple("/".join(pod.pod.key) for pod in pods)
    job = pod_index.jobs.get(key)
    if job is None:
        return JobOutcome(name, lost, unknown=JobUnknown(JobUnknownKind.JOB, name))
    if not answers:
        return JobOutcome(name, lost, unknown=JobUnknown(JobUnknownKind.NAMESPACE_PODS, key[0]))
    if skip_reason := answers[0].skip_reason:
        is_managed = skip_reason.cause is SkipCause.MANAGED_BY_OTHER
        return JobOutcome(name, lost, unknown=skip_reason if is_managed else None, reasons=(skip_reason,))
    spec = apply_job_defaults(job.spec)
    fails = [answer.end_reason or answer.failure_reason for answer in answers]
    after = [fate.replaced_after for forecast in answers for fate in forecast.lost_pods if fate.replaced_after is not None]
    overlap = max((fate.overlap for forecast in answers for fate in forecast.lost_pods if fate.overlap < inf), default=0.0)
    labels = {*job.metadata.labels, *job.spec.template.metadata.labels}
    reasons: list[JobReason] = [QueueNotChecked(label) for label in _QUEUE_LABELS if label in labels]
    if not answers[0].is_back_off_known:
        reasons.append(JobFact.BACK_OFF_UNKNOWN)
    if disruption is Disruption.DELETION and job.spec.podFailurePolicy is not None:
        reasons.append(JobFact.IGNORE_RULE_BYPASSED)
    limits = dict.fromkeys(limit for forecast in answers for fate in forecast.lost_pods for limit in fate.counts_against)
    return JobOutcome(
        job=name,
        pods=lost,
        fails=next(filter(None, fails), JobFailure.NONE),
        certain=all(fails) or not any(fails),
        limit=tuple(limits),
        overlap=overlap,
        indexed=spec.completionMode == INDEXED,
        after=min(after, default=None),
        reasons=tuple(reasons),
    )


def build_job_set_outcomes(
    pod_index: PodIndex, leaving_pods: Sequence[LeavingPod], job_forecasts: ForecastsByJob, nodes: Mapping[str, Node]
) -> tuple[JobSetOutcome, ...]:
    """What becomes of each JobSet whose Jobs lose pods, by namespace and name."""
    return tuple(
        _build_job_set_outcome(pod_index, key, jobs, group_by_job(leaving_pods), job_forecasts, nodes)
        for key, jobs in sorted(_group_by_job_set(pod_index, leaving_pods).items())
    )


def have_exclusive_placement(pod_index: PodIndex, leaving_pods: Sequence[LeavingPod]) -> bool:
    """Whether a pod is of a JobSet with exclusive placement: what becomes of that depends on every node."""
    job_sets = (pod_index.job_sets.get(key) for key in _group_by_job_set(pod_index, leaving_pods))
    return any(job_set is not None and count_required_domains(job_set) for job_set in job_sets)


def _group_by_job_set(pod_index: PodIndex, leaving_pods: Sequence[LeavingPod]) -> dict[PodKey, list[PodKey]]:
    """The Jobs that lose pods, by the JobSet that they are of."""
    touched: dict[PodKey, list[PodKey]] = {}
    for key, pods in group_by_job(leaving_pods).items():
        job = pod_index.jobs.get(key)
        controller = find_controller(job.metadata.ownerReferences) if job else None
        owner = controller if controller is not None and controller.kind == "JobSet" else None
        name = owner.name if owner else pods[0].pod.metadata.labels.get("jobset.sigs.k8s.io/jobset-name", "")
        if name:
            touched.setdefault((key[0], name), []).append(key)
    return touched


def _build_job_set_outcome(
    pod_index: PodIndex,
    key: PodKey,
    jobs: Sequence[PodKey],
    lost_pods: Mapping[PodKey, Sequence[LeavingPod]],
    job_forecasts: ForecastsByJob,
    nodes: Mapping[str, Node],
) -> JobSetOutcome:
    name = "/".join(key)
    shown = tuple(sorted("/".join(job) for job in jobs))
    job_set = pod_index.job_sets.get(key)
    if job_set is None:
        return JobSetOutcome(name, shown, unknown=JobUnknown(JobUnknownKind.JOB_SET, name))
    if any(job not in job_forecasts for job in jobs):
        missing = next(job for job in sorted(jobs) if job not in job_forecasts)
        return JobSetOutcome(name, shown, unknown=JobUnknown(JobUnknownKind.JOB_OUTCOME, "/".join(missing)))
    number = len(job_forecasts[jobs[0]])
    answers = [forecast_job_set(job_set, {job[1]: job_forecasts[job][at] for job in jobs}) for at in range(number)]
    worst = max(answers, key=_rank_severity)
    leaders, reasons = _find_leader_loss(pod_index, job_set, jobs, lost_pods, nodes)
    if worst.restarts_all:
        reasons += _iter_missing_domains(pod_index, job_set, nodes)
    if worst.skip_reason:
        reasons.append(worst.skip_reason)
    return JobSetOutcome(
        jobSet=name,
        jobs=shown,
        fails=worst.failure_reason,
        restarts=JobSetRestarts.ALL if worst.restarts_all else JobSetRestarts.ONE if worst.restarted_job else JobSetRestarts.NONE,
        certain=len({_rank_severity(answer) for answer in answers}) == 1,
        left=worst.restarts_left,
        leader=leaders,
        unknown=worst.unknown,
        reasons=tuple(reasons),
    )


def _rank_severity(restart_forecast: JobSetForecast) -> int:
    return (
        4
        if restart_forecast.failure_reason
        else 3
        if restart_forecast.unknown
        else 2
        if restart_forecast.restarts_all
        else 1
        if restart_forecast.restarted_job
        else 0
    )


def _find_leader_loss(
    pod_index: PodIndex,
    job_set: JobSet,
    jobs: Sequence[PodKey],
    lost_pods: Mapping[PodKey, Sequence[LeavingPod]],
    nodes: Mapping[str, Node],
) -> tuple[bool, list[JobSetReason]]:
    """Whether the leader of an exclusive placement goes, and what that asks for."""
    reasons: list[JobSetReason] = []
    has_leader = False
    for key in sorted(jobs):
        replicated = find_replicated_job(job_set, key[1])
        topology = find_exclusive_topology(job_set, replicated) if replicated else ""
        if not topology:
            continue
        index = {pod.metadata.name: make_job_pod(pod).index for pod in pod_index.pods_by_owner.get(OwnerKey("Job", *key), ())}
        domains: dict[int, str | None] = {}
        for pod in pod_index.pods_by_owner.get(OwnerKey("Job", *key), ()):
            at = index[pod.metadata.name]
            node = nodes.get(pod.spec.nodeName)
            if at is not None and node is not None:
                domains[at] = node.metadata.labels.get(topology)
        anew = [at for lost_pod in lost_pods[key] if (at := index.get(lost_pod.pod.metadata.name)) is not None]
        asked = find_exclusive_placement(topology, domains, anew)
        if asked is None:
            continue
        if asked.has_leader and LEADER_INDEX in anew:
            has_leader = True
            reasons.append(LeaderMoves("/".join(key), topology, asked.domain))
            if list_follower_refusals(asked):
                reasons.append(JobFact.FOLLOWERS_WAIT)
        elif asked.is_refused:
            reasons.append(LeaderLabelMissing(topology))
    return has_leader, reasons


def _iter_missing_domains(pod_index: PodIndex, job_set: JobSet, nodes: Mapping[str, Node]) -> Iterator[TooFewDomains]:
    """The topologies of which all Jobs of a JobSet need more domains than have a node to schedule on."""
    for topology, needed in count_required_domains(job_set).items():
        available = {
            node.metadata.labels[topology] for node in nodes.values() if topology in node.metadata.labels and not node.spec.unschedulable
        }
        if pod_index.has_all_nodes and len(available) < needed:
            yield TooFewDomains(topology, needed, tuple(sorted(available)))
