"""One eviction makes a Job fail, because it allows no failure and no rule ignores disruptions.

Why it matters
    A pod that is evicted by a drain, a NoExecute taint, a preemption or node pressure counts as a failure, whatever it was doing. With
    `backoffLimit: 0` the Job is Failed two seconds later, and all its other pods are deleted; with `backoffLimitPerIndex: 0` its index
    fails, and the Job ends as Failed. A warning if the Job is Indexed, belongs to a JobSet or requests a device such as a GPU, because
    such a Job is usually long and expensive; otherwise a note. Not reported if a JobSet restarts its Jobs in this case.
How to fix
    Ignore disruptions with the first rule of a podFailurePolicy: `{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}`. It needs
    `restartPolicy: Never`, and does not help against `kubectl delete pod` and `kubectl drain --disable-eviction`. Or allow some failures.
Example
    `backoffLimit: 0` in a Job that trains for a week on nodes that are drained each month.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.job_templates import NEEDS_RESTART_NEVER, describe_zero_limit
from preflight.model.batch import JobSet, JobSetStatus, JobSpec
from preflight.model.job_reasons import JobFailure, JobLimit
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.jobs._templates import IGNORE_DISRUPTION_RULE, JobTemplateItem, iter_job_templates, make_suggestion


def check(context: Context) -> Iterator[Hit]:
    """One hit for each such Job, and each such replicated Job of a JobSet. Only in lint."""
    for batch in iter_job_templates(context):
        spec = batch.spec
        limit = _find_zero_limit(spec)
        if limit is None or batch.has_other_controller or _handles_disruptions(batch) or not _is_final(batch, limit):
            continue
        never = batch.pod_spec.restartPolicy == "Never"
        yield Hit(
            subject=batch.subject,
            location=batch.locate(limit.value),
            severity=None if _is_expensive(batch) else Severity.NOTE,
            message=describe_zero_limit(batch.replicated_job, limit),
            notes=() if never else (("help", NEEDS_RESTART_NEVER),),
            key=(*batch.key, limit.value),
            suggestion=make_suggestion(f"podFailurePolicy: {{rules: [{IGNORE_DISRUPTION_RULE}]}}")
            if spec.podFailurePolicy is None
            else make_suggestion(f"- {IGNORE_DISRUPTION_RULE}"),
        )


def _find_zero_limit(spec: JobSpec) -> JobLimit | None:
    """The limit that one lost pod exceeds."""
    if spec.backoffLimit == 0:
        return JobLimit.BACKOFF_LIMIT
    return JobLimit.BACKOFF_LIMIT_PER_INDEX if spec.backoffLimitPerIndex == 0 else None


def _handles_disruptions(batch: JobTemplateItem) -> bool:
    """Whether a rule speaks of disruptions, or those on exit codes ignore every way in which one may end a pod."""
    from preflight.scheduling.jobs.pod_failure_policy import DISRUPTION_TARGET, make_disruption_failure, match_failure_policy

    policy = batch.spec.podFailurePolicy
    if policy is None:
        return False
    if any(condition.type == DISRUPTION_TARGET for rule in policy.rules for condition in rule.onPodConditions):
        return True
    return not any(
        match_failure_policy(policy, make_disruption_failure(batch.disrupted_containers, code)).is_counted for code in (143, 137)
    )


def _is_final(batch: JobTemplateItem, limit: JobLimit) -> bool:
    """Whether the failure is final: a JobSet may restart its Jobs."""
    if not isinstance(batch.owner, JobSet):
        return True
    from msgspec.structs import replace

    from preflight.scheduling.jobs.forecast import JobForecast
    from preflight.scheduling.jobs.jobsets import forecast_job_set

    fresh = replace(batch.owner, status=JobSetStatus(), spec=replace(batch.owner.spec, suspend=False))
    reason = JobFailure.BACKOFF_LIMIT_EXCEEDED if limit is JobLimit.BACKOFF_LIMIT else JobFailure.FAILED_INDEXES
    return bool(
        forecast_job_set(fresh, {f"{fresh.metadata.name}-{batch.replicated_job}-0": JobForecast(failure_reason=reason)}).failure_reason
    )


def _is_expensive(batch: JobTemplateItem) -> bool:
    return isinstance(batch.owner, JobSet) or batch.spec.completionMode == "Indexed" or batch.has_accelerators


RULE = Rule(id="PF332", name="fails-on-disruption", severity=Severity.WARNING, check=check, is_per_object=True)
