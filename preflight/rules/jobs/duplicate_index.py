"""Two pods of one index run at once when a pod of a distributed Job is evicted or deleted.

Why it matters
    By default a Job counts a pod as failed when it is deleted, and creates its replacement 10 seconds later, though the old pod may use the
    rest of its grace period. For that time two pods have one index and one host name. Frameworks that register their workers by
    either fail, or wait for a worker that is gone. Said of an Indexed Job whose indexes all run at once and that can be tried again:
    where its pods have host names for one another (a `subdomain`, or a JobSet) a warning, where they only ask for an extended
    resource such as a GPU a note.
How to fix
    `podReplacementPolicy: Failed`: the replacement then waits for the end of the old pod. A `podFailurePolicy` brings it with it.
Example
    `completionMode: Indexed`, `completions: 8`, `parallelism: 8`, and `subdomain: trainers` in the pods' template.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.job_templates import DEFAULT_REPLACEMENT_POLICY, describe_duplicate_index
from preflight.model.batch import JobSet
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.jobs._templates import JobTemplateItem, iter_job_templates, make_suggestion


def check(context: Context) -> Iterator[Hit]:
    """One hit for each such Job, and each such replicated Job of a JobSet. Only in lint."""
    for batch in iter_job_templates(context):
        spec = batch.spec
        if spec.completionMode != "Indexed" or spec.podFailurePolicy is not None or spec.podReplacementPolicy == "Failed":
            continue
        seconds = _count_overlap_seconds(batch)
        severity = _get_severity(batch)
        if seconds > 0 and severity is not None and _is_retried(batch) and not batch.has_other_controller:
            yield Hit(
                subject=batch.subject,
                location=batch.locate("podReplacementPolicy"),
                severity=severity,
                message=describe_duplicate_index(batch.replicated_job, seconds),
                label="" if spec.podReplacementPolicy else DEFAULT_REPLACEMENT_POLICY,
                key=batch.key,
                suggestion=make_suggestion("podReplacementPolicy: Failed"),
            )


def _count_overlap_seconds(batch: JobTemplateItem) -> int:
    """The seconds of the grace period that the first back-off leaves."""
    grace = batch.pod_spec.terminationGracePeriodSeconds
    return (30 if grace is None else grace) - 10


def _is_retried(batch: JobTemplateItem) -> bool:
    limit, per_index = batch.spec.backoffLimit, batch.spec.backoffLimitPerIndex
    return limit != 0 and per_index != 0


def _get_severity(batch: JobTemplateItem) -> Severity | None:
    """None where nothing shows that its pods work together."""
    from preflight.scheduling.jobs.defaults import apply_job_defaults, count_max_parallel

    spec, owner = apply_job_defaults(batch.spec), batch.owner
    at_once = count_max_parallel(spec)
    if at_once != spec.completions:
        return None
    if isinstance(owner, JobSet):
        pods = sum(
            replicated_job.replicas * count_max_parallel(apply_job_defaults(replicated_job.template.spec))
            for replicated_job in owner.spec.replicatedJobs
        )
        return (
            None if pods < 2 or not at_once else Severity.WARNING if owner.spec.network.enableDNSHostnames else _get_device_severity(batch)
        )
    if at_once < 2:
        return None
    return Severity.WARNING if batch.pod_spec.subdomain else _get_device_severity(batch)


def _get_device_severity(batch: JobTemplateItem) -> Severity | None:
    return Severity.NOTE if batch.has_accelerators else None


RULE = Rule(id="PF331", name="duplicate-index", severity=Severity.WARNING, check=check, is_per_object=True)
