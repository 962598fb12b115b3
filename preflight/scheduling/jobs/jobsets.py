"""What becomes of a JobSet whose child Jobs lose pods: which of them are created anew, and how many restarts are left."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from preflight.model.batch import JobSet, JobSetFailureRule, ReplicatedJob
from preflight.model.job_reasons import JobSetFailure, JobUnknown, JobUnknownKind, SkipCause, SkipReason
from preflight.scheduling.jobs.forecast import JobForecast

JOB_SET_CONTROLLER = "jobset.sigs.k8s.io/jobset-controller"

FAIL_JOB_SET, RESTART_JOB_SET, RESTART_WITHOUT_COUNTING = "FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts"
_SINGLE_JOB_ACTIONS = {"RestartJob": True, "RecreateJob": True, "RestartJobAndIgnoreMaxRestarts": False}
_END_CAUSES = {"Completed": SkipCause.COMPLETE, "Failed": SkipCause.FAILED}


class JobSetForecast(Struct, frozen=True):
    """What becomes of a JobSet.

    1. `skip_reason` is why nothing is foreseen, `unknown` what decides and cannot be known; None where something is foreseen.
    2. `failed_jobs` are the child Jobs that fail, in the order in which they do; () where none does, and then nothing else happens.
    3. `failure_reason` is the reason for which the JobSet fails, NONE where it does not: FailedJobs without a failure policy,
       ReachedMaxRestarts, or FailJobSetFailurePolicyAction. Its child Jobs are deleted then.
    4. `restarts_all`: every child Job is deleted and created anew, those that lost nothing too; `restarted_job` is the only one that is,
       "" where there is none.
    5. `rule_index` is the place of the rule that decides, None for the default. `counts_restart`: it costs one of the restarts, of which
       `count_restarts_left` are left.
    """

    skip_reason: SkipReason | None = None
    unknown: JobUnknown | None = None
    failed_jobs: tuple[str, ...] = ()
    failure_reason: JobSetFailure = JobSetFailure.NONE
    restarts_all: bool = False
    restarted_job: str = ""
    rule_index: int | None = None
    counts_restart: bool = False
    restarts_left: int = 0


def forecast_job_set(job_set: JobSet, forecasts: Mapping[str, JobForecast]) -> JobSetForecast:
    """What becomes of a JobSet, from what becomes of its child Jobs by their names; one that is not there loses nothing.

    1. A child Job that fails sets off the failure policy once its pods have ended; those that fail together are one failure.
    2. Without a failure policy the JobSet fails.
    3. The rules are asked in order, and the first that one of the failed Jobs matches counts: by its reason, its replicated Job and, which
       nobody can know beforehand, the words of its failure. Without a match all Jobs are restarted.
    4. A restart that counts and finds none left makes the JobSet fail.

    Source: JobSet `pkg/controllers/failure_policy.go`, executeFailurePolicy.
    """
    if reason := _find_skip_reason(job_set):
        return JobSetForecast(skip_reason=reason)
    left, policy = count_restarts_left(job_set), job_set.spec.failurePolicy
    times = {
        name: forecast.failed_by or 0.0
        for name, forecast in forecasts.items()
        if forecast.failure_reason and find_replicated_job(job_set, name)
    }
    failed = tuple(sorted(times, key=lambda name: (times[name], name)))
    if not failed:
        return JobSetForecast(restarts_left=left)
    if policy is None:
        return JobSetForecast(failed_jobs=failed, failure_reason=JobSetFailure.FAILED_JOBS)
    action, place, first = RESTART_JOB_SET, None, failed[0]
    for number, rule in enumerate(policy.rules):
        matched = next((name for name in failed if _matches(rule, job_set, name, forecasts[name].failure_reason)), None)
        if matched is not None:
            action, place, first = rule.action, number, matched
            if rule.onJobFailureMessagePatterns:
                return JobSetForecast(
                    failed_jobs=failed, restarts_left=left, rule_index=place, unknown=JobUnknown(JobUnknownKind.FAILURE_MESSAGE)
                )
            break
    if action == FAIL_JOB_SET:
        return JobSetForecast(failed_jobs=failed, failure_reason=JobSetFailure.FAIL_JOB_SET_ACTION, rule_index=place, restarts_left=left)
    if action not in (RESTART_JOB_SET, RESTART_WITHOUT_COUNTING, *_SINGLE_JOB_ACTIONS):
        return JobSetForecast(failed_jobs=failed, restarts_left=left, rule_index=place, unknown=JobUnknown(JobUnknownKind.ACTION, action))
    counts = _SINGLE_JOB_ACTIONS.get(action, action == RESTART_JOB_SET)
    if counts and not left:
        return JobSetForecast(failed_jobs=failed, failure_reason=JobSetFailure.REACHED_MAX_RESTARTS, rule_index=place)
    return JobSetForecast(
        failed_jobs=failed,
        restarts_all=action not in _SINGLE_JOB_ACTIONS,
        restarted_job=first if action in _SINGLE_JOB_ACTIONS else "",
        rule_index=place,
        counts_restart=counts,
        restarts_left=left - counts,
    )


def _find_skip_reason(job_set: JobSet) -> SkipReason | None:
    if job_set.spec.managedBy not in (None, JOB_SET_CONTROLLER):
        return SkipReason(SkipCause.MANAGED_BY_OTHER, job_set.spec.managedBy or "")
    if job_set.metadata.deletionTimestamp:
        return SkipReason(SkipCause.DELETED)
    for condition in job_set.status.conditions:
        if condition.type in _END_CAUSES and condition.status == "True":
            return SkipReason(_END_CAUSES[condition.type])
    return SkipReason(SkipCause.SUSPENDED) if job_set.spec.suspend else None


def find_replicated_job(job_set: JobSet, name: str) -> ReplicatedJob | None:
    """The replicated Job that a child Job comes from, by the child's name `JOBSET-REPLICATED-NUMBER`; None where it is no child."""
    for replicated_job in job_set.spec.replicatedJobs:
        head, dash, number = name.rpartition("-")
        if dash and head == f"{job_set.metadata.name}-{replicated_job.name}" and number.isdecimal() and number.isascii():
            return replicated_job
    return None


def _matches(rule: JobSetFailureRule, job_set: JobSet, name: str, reason: str) -> bool:
    if rule.onJobFailureReasons and reason not in rule.onJobFailureReasons:
        return False
    owner = find_replicated_job(job_set, name)
    return not rule.targetReplicatedJobs or (owner is not None and owner.name in rule.targetReplicatedJobs)


def count_restarts_left(job_set: JobSet) -> int:
    """How many of its restarts a JobSet has left; 0 without a failure policy.

    The status tells those that count from all since there are rules that let one be free. Without such a rule both are the same, and an
    older status has only all of them.
    """
    policy, status = job_set.spec.failurePolicy, job_set.status
    if policy is None:
        return 0
    free = any(rule.action.endswith("AndIgnoreMaxRestarts") for rule in policy.rules)
    used = status.restartsCountTowardsMax if free else max(status.restarts, status.restartsCountTowardsMax)
    return max(0, policy.maxRestarts - used)
