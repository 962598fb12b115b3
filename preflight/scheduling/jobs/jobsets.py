"""What becomes of a JobSet whose child Jobs lose pods: which of them are created anew, and how many restarts are left."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from preflight.model.jobs import JobSetFailureRule
from preflight.model.objects import JobSet, ReplicatedJob
from preflight.scheduling.jobs.forecast import JobForecast

CONTROLLER = "jobset.sigs.k8s.io/jobset-controller"

FAIL, RESTART, RESTART_FREELY = "FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts"
_ONE_JOB = {"RestartJob": True, "RecreateJob": True, "RestartJobAndIgnoreMaxRestarts": False}
_ENDED = {"Completed": "it is complete", "Failed": "it has failed"}


class JobSetForecast(Struct, frozen=True):
    """What becomes of a JobSet.

    1. `left_alone` is why nothing is foreseen, `unknown` what decides and cannot be known; "" where something is foreseen.
    2. `failed` are the child Jobs that fail, in the order in which they do; () where none does, and then nothing else happens.
    3. `fails` is the reason for which the JobSet fails, "" where it does not: FailedJobs without a failure policy, ReachedMaxRestarts, or
       FailJobSetFailurePolicyAction. Its child Jobs are deleted then.
    4. `restarts_all`: every child Job is deleted and created anew, those that lost nothing too; `restarts_one` is the only one that is,
       "" where there is none.
    5. `rule` is the place of the rule that decides, None for the default. `counts`: it costs one of the restarts, of which `left` are left.
    """

    left_alone: str = ""
    unknown: str = ""
    failed: tuple[str, ...] = ()
    fails: str = ""
    restarts_all: bool = False
    restarts_one: str = ""
    rule: int | None = None
    counts: bool = False
    left: int = 0


def job_set_forecast(job_set: JobSet, forecasts: Mapping[str, JobForecast]) -> JobSetForecast:
    """What becomes of a JobSet, from what becomes of its child Jobs by their names; one that is not there loses nothing.

    1. A child Job that fails sets off the failure policy once its pods have ended; those that fail together are one failure.
    2. Without a failure policy the JobSet fails.
    3. The rules are asked in order, and the first that one of the failed Jobs matches counts: by its reason, its replicated Job and, which
       nobody can know beforehand, the words of its failure. Without a match all Jobs are restarted.
    4. A restart that counts and finds none left makes the JobSet fail.

    Source: JobSet `pkg/controllers/failure_policy.go`, executeFailurePolicy.
    """
    if reason := _left_alone(job_set):
        return JobSetForecast(left_alone=reason)
    left, policy = restarts_left(job_set), job_set.spec.failurePolicy
    times = {name: each.failed_by or 0.0 for name, each in forecasts.items() if each.fails and replicated_job(job_set, name)}
    failed = tuple(sorted(times, key=lambda name: (times[name], name)))
    if not failed:
        return JobSetForecast(left=left)
    if policy is None:
        return JobSetForecast(failed=failed, fails="FailedJobs")
    action, place, first = RESTART, None, failed[0]
    for number, rule in enumerate(policy.rules):
        matched = next((name for name in failed if _matches(rule, job_set, name, forecasts[name].fails)), None)
        if matched is not None:
            action, place, first = rule.action, number, matched
            if rule.onJobFailureMessagePatterns:
                return JobSetForecast(failed=failed, left=left, rule=place, unknown="its rule asks for the words of the failure")
            break
    if action == FAIL:
        return JobSetForecast(failed=failed, fails="FailJobSetFailurePolicyAction", rule=place, left=left)
    if action not in (RESTART, RESTART_FREELY, *_ONE_JOB):
        return JobSetForecast(failed=failed, left=left, rule=place, unknown=f"its rule has the action {action}")
    counts = _ONE_JOB.get(action, action == RESTART)
    if counts and not left:
        return JobSetForecast(failed=failed, fails="ReachedMaxRestarts", rule=place)
    return JobSetForecast(
        failed=failed,
        restarts_all=action not in _ONE_JOB,
        restarts_one=first if action in _ONE_JOB else "",
        rule=place,
        counts=counts,
        left=left - counts,
    )


def _left_alone(job_set: JobSet) -> str:
    if job_set.spec.managedBy not in (None, CONTROLLER):
        return f"it is managed by {job_set.spec.managedBy}"
    if job_set.metadata.deletionTimestamp:
        return "it is being deleted"
    for condition in job_set.status.conditions:
        if condition.type in _ENDED and condition.status == "True":
            return _ENDED[condition.type]
    return "it is suspended" if job_set.spec.suspend else ""


def replicated_job(job_set: JobSet, name: str) -> ReplicatedJob | None:
    """The replicated Job that a child Job comes from, by the child's name `JOBSET-REPLICATED-NUMBER`; None where it is no child."""
    for each in job_set.spec.replicatedJobs:
        head, dash, number = name.rpartition("-")
        if dash and head == f"{job_set.metadata.name}-{each.name}" and number.isdecimal() and number.isascii():
            return each
    return None


def _matches(rule: JobSetFailureRule, job_set: JobSet, name: str, reason: str) -> bool:
    if rule.onJobFailureReasons and reason not in rule.onJobFailureReasons:
        return False
    owner = replicated_job(job_set, name)
    return not rule.targetReplicatedJobs or (owner is not None and owner.name in rule.targetReplicatedJobs)


def restarts_left(job_set: JobSet) -> int:
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
