"""What becomes of a Job that loses pods: replaced when, two pods of one index for how long, counted against which limit, failed or not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from preflight.model.batch import Job
from preflight.model.job_reasons import JobFailure, JobLimit, SkipCause, SkipReason
from preflight.scheduling.jobs.controller import NEWEST_JOB_BEHAVIOR, JobBehavior, JobController
from preflight.scheduling.jobs.defaults import apply_job_defaults
from preflight.scheduling.jobs.disruption import Disruption
from preflight.scheduling.jobs.lost_pods import DEFAULT_GRACE_PERIOD, SIGKILL, SIGTERM, JobPod, PodLoss
from preflight.scheduling.jobs.pod_failure_policy import DISRUPTION_TARGET, FailureVerdict
from preflight.scheduling.jobs.tracked_pod import TrackedPod

_END_CAUSES = {
    "Complete": SkipCause.COMPLETE,
    "Failed": SkipCause.FAILED,
    "SuccessCriteriaMet": SkipCause.SUCCEEDED,
    "FailureTarget": SkipCause.FAILING,
}
JOB_CONTROLLER = "kubernetes.io/job-controller"


class LostPodForecast(Struct, frozen=True):
    """What becomes of one lost pod.

    1. `replaced_after` is how many seconds after the loss its replacement is created, None where none is; `waits_for_end` whether that
       is after its end. `overlap` is for how many seconds both are there, 0 where never.
    2. `verdict` is what the pod failure policy makes of it; `counts_against` are the limits that it is counted against, () where a rule
       ignores it or it succeeded.
    3. `fails_index`: its index has failed, and is not tried again. `has_succeeded`: it ended well, which completes its index.
    """

    pod: str
    index: int | None
    replaced_after: float | None
    waits_for_end: bool
    overlap: float
    verdict: FailureVerdict
    counts_against: tuple[JobLimit, ...]
    fails_index: bool
    has_succeeded: bool


class JobForecast(Struct, frozen=True):
    """What becomes of a Job.

    1. `skip_reason` is why nothing is foreseen: another controller has it, it has ended, it is suspended; None where something is.
    2. `failure_reason` is the reason for which the losses make it fail, NONE where they do not; `fails_after` the seconds until that is
       decided, and `rule_index` the place of the rule that decides it. All its pods are deleted then; `failed_by` is when the last has
       ended, at the latest, and the Job is Failed.
    3. `end_reason` is the reason for which it ends Failed though all other pods succeed, NONE where it completes: FailedIndexes, or
       `failure_reason`.
    4. `succeeds`: the losses meet its success policy, and all its pods are deleted.
    5. `failed_count` is what its status then counts; `failed_indexes` are all failed indexes as the status writes them.
    6. `other_indexes` are the indexes that got a pod meanwhile besides the lost ones, None each in a Job that is not Indexed. `max_pods` is
       how many pods are there at the same time, those that are being deleted included.
    7. `is_back_off_known`: the back-off is certain. Where it is not, it may be longer, and overlaps shorter: it counts the failures since
       the last success, and the controller tells nobody how many of those in the status they are; and where a lost pod has not been ready
       for a time that is not known, none is taken to be left.
    """

    skip_reason: SkipReason | None = None
    lost_pods: tuple[LostPodForecast, ...] = ()
    failure_reason: JobFailure = JobFailure.NONE
    fails_after: float | None = None
    rule_index: int | None = None
    failed_by: float | None = None
    end_reason: JobFailure = JobFailure.NONE
    succeeds: bool = False
    failed_count: int = 0
    failed_indexes: str = ""
    other_indexes: tuple[int | None, ...] = ()
    max_pods: int = 0
    is_back_off_known: bool = True


def forecast_job(job: Job, pods: Sequence[JobPod], losses: Sequence[PodLoss], behavior: JobBehavior = NEWEST_JOB_BEHAVIOR) -> JobForecast:
    """What becomes of a Job that loses some of its pods; `pods` are all that it has and that have not ended.

    1. The controller looks one second after an event, so pods lost within a second are one event.
    2. A pod that is deleted counts as failed at once, and is replaced after the back-off while it may still run, unless the Job replaces
       only failed pods. One that fails in place (node pressure, shutdown) is replaced after its end either way.
    3. All other pods, and the replacements, run on. A Job that has fewer pods than it wants goes on having fewer: what keeps the others
       away, a back-off, a quota or a webhook, is not known.
    4. Of the deadline of a Job, and of containers that are restarted in place, nothing is said.
    5. `behavior` is that of the version: an older controller replaces a pod at once where only ended ones count as failed.
    """
    if reason := find_skip_reason(job):
        return JobForecast(skip_reason=reason)
    spec = apply_job_defaults(job.spec)
    tracked = {pod.name: _track_pod(pod) for pod in pods}
    lost = {loss.pod: loss for loss in losses if loss.pod in tracked and not tracked[loss.pod].deleted}
    controller = JobController(spec, job.status, tracked.values(), is_deleted=bool(job.metadata.deletionTimestamp), behavior=behavior)
    containers = {pod.name: pod.containers for pod in pods}
    created = _run_events(controller, [(tracked[name], loss, containers[name]) for name, loss in lost.items()])
    fates, others = _forecast_lost_pods(controller, [(tracked[name], loss) for name, loss in lost.items()], created)
    ends = controller.failure_reason or (
        JobFailure.FAILED_INDEXES if len(controller.failed_indexes) and not controller.succeeds else JobFailure.NONE
    )
    return JobForecast(
        lost_pods=fates,
        failure_reason=controller.failure_reason,
        fails_after=controller.fails_at,
        rule_index=controller.verdict.rule_index,
        failed_by=_find_failure_end(controller),
        end_reason=ends,
        succeeds=controller.succeeds,
        failed_count=controller.failed_count,
        failed_indexes=str(controller.failed_indexes),
        other_indexes=others,
        max_pods=_count_max_pods(controller.pods),
        is_back_off_known=(not job.status.failed or spec.backoffLimitPerIndex is not None)
        and not any(tracked[name].unready_since == -math.inf and loss.disruption.deletes_pod for name, loss in lost.items()),
    )


def forecast_by_exit_code(job: Job, pods: Sequence[JobPod], losses: Sequence[PodLoss]) -> Mapping[int, JobForecast]:
    """The forecast for each exit code that the containers of the lost pods may end with: SIGTERM, SIGKILL and 0. Nobody knows which."""
    return {code: forecast_job(job, pods, [replace(loss, exit_code=code) for loss in losses]) for code in (SIGTERM, SIGKILL, 0)}


def find_skip_reason(job: Job) -> SkipReason | None:
    """Why the Job controller creates no pod for a Job whatever it loses; None where it does."""
    if job.spec.managedBy not in (None, JOB_CONTROLLER):
        return SkipReason(SkipCause.MANAGED_BY_OTHER, job.spec.managedBy or "")
    true = {condition.type for condition in job.status.conditions if condition.status == "True"}
    for condition, cause in _END_CAUSES.items():
        if condition in true:
            return SkipReason(cause)
    return SkipReason(SkipCause.SUSPENDED) if job.spec.suspend else None


def _track_pod(pod: JobPod) -> TrackedPod:
    tracked = TrackedPod(pod.name, pod.index, pod.failures, pod.ignored_failures, -pod.age)
    tracked.conditions = dict(pod.conditions)
    if pod.unready_for is not None:
        tracked.unready_since = -pod.unready_for
    if pod.is_terminating:  # under either policy it no longer counts as active; it was counted, or will be at an end that nobody knows
        tracked.deleted, tracked.counted = -math.inf, True
    return tracked


def _run_events(controller: JobController, lost: Sequence[tuple[TrackedPod, PodLoss, tuple[str, ...]]]) -> list[TrackedPod]:
    """Let the losses happen, and the controller look, until nothing more comes of it; the pods that were created, in order."""
    events: list[tuple[float, int, TrackedPod, PodLoss, tuple[str, ...]]] = []
    for number, (pod, loss, containers) in enumerate(lost):
        if loss.disruption.deletes_pod:
            events.append((loss.lost_at, 2 * number, pod, loss, containers))
        end = loss.lost_at + (0.0 if loss.disruption.is_forced else loss.ends_after)
        if end < math.inf:
            events.append((end, 2 * number + 1, pod, loss, containers))
    events.sort(key=lambda event: event[:2])
    created: list[TrackedPod] = []
    while events or controller.next_sync < math.inf:
        if events and events[0][0] <= controller.next_sync:
            time, number, pod, loss, containers = events.pop(0)
            if number % 2:
                _end_pod(pod, loss, containers, time)
            elif pod.deleted is None:
                pod.deleted = time
            controller.schedule_sync(time)
        else:
            created += controller.sync(controller.next_sync)
    return created


def _end_pod(pod: TrackedPod, loss: PodLoss, containers: tuple[str, ...], time: float) -> None:
    """A pod that only a signal ended may have succeeded; one that its kubelet fails has failed, whatever its exit code."""
    if pod.ended is not None:
        return
    disruption = loss.disruption
    pod.ended, pod.ran = time, disruption.leaves_containers and loss.exit_code is not None
    if pod.ran and loss.exit_code is not None:
        pod.exit_codes = dict.fromkeys(containers, loss.exit_code)
    pod.phase = "Succeeded" if disruption.deletes_pod and pod.ran and loss.exit_code == 0 else "Failed"
    if disruption is Disruption.REFUSAL:
        pod.conditions, pod.unready_since = {}, None
    elif not disruption.is_forced:
        pod.conditions |= {"Ready": "False", "ContainersReady": "False"}
    if disruption.has_condition:
        pod.conditions[DISRUPTION_TARGET] = "True"


def _forecast_lost_pods(
    controller: JobController, lost: Sequence[tuple[TrackedPod, PodLoss]], created: Sequence[TrackedPod]
) -> tuple[tuple[LostPodForecast, ...], tuple[int | None, ...]]:
    """The fate of each lost pod, and the indexes of the pods that replace none of them."""
    left = list(created)
    fates = []
    for pod, loss in sorted(lost, key=lambda pair: pair[1].lost_at):
        new = next((other for other in left if other.index == pod.index), None)
        if new is not None:
            left.remove(new)
        fates.append(_forecast_lost_pod(controller, pod, loss, new))
    return tuple(fates), tuple(other.index for other in left)


def _forecast_lost_pod(controller: JobController, pod: TrackedPod, loss: PodLoss, replacement: TrackedPod | None) -> LostPodForecast:
    spec = controller.spec
    succeeded = pod.phase == "Succeeded" and not pod.is_failure
    verdict = controller.evaluate_failure(pod) if not succeeded else FailureVerdict()
    against: tuple[JobLimit, ...] = ()
    if pod.is_failure:
        per_index = spec.backoffLimitPerIndex is not None
        against = (JobLimit.BACKOFF_LIMIT, JobLimit.BACKOFF_LIMIT_PER_INDEX) if per_index else (JobLimit.BACKOFF_LIMIT,)
    end = _get_end(pod)
    return LostPodForecast(
        pod=pod.name,
        index=pod.index,
        replaced_after=None if replacement is None else replacement.created - loss.lost_at,
        waits_for_end=replacement is not None and replacement.created >= end,
        overlap=0.0 if replacement is None else max(0.0, end - replacement.created),
        verdict=verdict,
        counts_against=against,
        fails_index=pod.index is not None and pod.index in controller.failed_indexes,
        has_succeeded=succeeded,
    )


def _count_max_pods(pods: Sequence[TrackedPod]) -> int:
    """A pod that ends as another is created is not there with it."""
    steps = sorted([(pod.created, 1) for pod in pods] + [(_get_end(pod), -1) for pod in pods])
    return max(accumulate(step for _, step in steps), default=0)


def _find_failure_end(controller: JobController) -> float | None:
    if controller.fails_at is None:
        return None
    grace = controller.spec.template.spec.terminationGracePeriodSeconds
    left = controller.fails_at + (DEFAULT_GRACE_PERIOD if grace is None else grace)
    return max(left if pod.ended is None and pod.deleted == controller.fails_at else _get_end(pod) for pod in controller.pods)


def _get_end(pod: TrackedPod) -> float:
    return math.inf if pod.ended is None else pod.ended
