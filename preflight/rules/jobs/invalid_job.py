"""The API server refuses a Job because of the fields that control how it reacts to lost pods.

Why it matters
    The Job is refused as a whole, and only when it is applied; the same holds for a CronJob. A JobSet is accepted, and its Jobs are
    refused one by one, which shows only in its events. Several of these fields depend on one another, and some require Kubernetes 1.28.
How to fix
    As the reason says: `backoffLimitPerIndex` and `maxFailedIndexes` need `completionMode: Indexed`, a `podFailurePolicy` needs
    `restartPolicy: Never` and no `podReplacementPolicy` other than Failed, and a rule must name containers that exist.
Example
    `maxFailedIndexes: 1` without `backoffLimitPerIndex`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from preflight.messages.job_templates import describe_refused_job
from preflight.model.batch import CronJob, Job, JobSet
from preflight.model.meta import Refusal
from preflight.model.report import Severity
from preflight.rules.api import Context, FieldPath, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.jobs._templates import JobTemplateItem, iter_job_templates

_SeenFields = Counter[tuple[int, tuple[str, ...]]]
"""How often a field of an object was refused."""


def check(context: Context) -> Iterator[Hit]:
    """One hit for each wrong field; what a Job's pods share with those of others has rules of its own. Only in lint."""
    seen: _SeenFields = Counter()
    for batch in iter_job_templates(context) if context.is_lint else ():
        for refusal in _iter_refusals(batch):
            is_inside = refusal.path[: len(batch.path)] == batch.path
            path = (*batch.key, *refusal.path[len(batch.path) :]) if is_inside else refusal.path
            yield Hit(
                key=_make_key(batch.owner, path, seen),
                subject=batch.subject,
                location=ManifestLocation(batch.owner.origin, refusal.path),
                message=describe_refused_job(refusal.reason, is_of_jobs=isinstance(batch.owner, JobSet)),
            )
    for job_set in context.world.job_sets if context.is_lint else ():
        for refusal in job_set.refusals:
            place = ManifestLocation(job_set.origin, refusal.path)
            yield Hit(
                subject=make_subject_of(job_set),
                location=place,
                message=describe_refused_job(refusal.reason, is_of_jobs=False),
                key=_make_key(job_set, refusal.path, seen),
            )


def _make_key(owner: Job | CronJob | JobSet, path: FieldPath, seen: _SeenFields) -> tuple[str, ...]:
    """The field that is refused; a second refusal of the same field has `2` at the end, and so on."""
    key = tuple(map(str, path))
    seen[id(owner), key] += 1
    number = seen[id(owner), key]
    return key if number == 1 else (*key, str(number))


def _iter_refusals(batch: JobTemplateItem) -> Iterator[Refusal]:
    """What is refused of a Job."""
    from preflight.scheduling.jobs.validation import validate_job, validate_job_name

    owner = batch.owner
    is_whole = (
        bool(batch.pod_spec.restartPolicy) or batch.spec.podFailurePolicy is not None
    )  # else it may be a patch, and has one elsewhere
    for refusal in validate_job(batch.spec, batch.path, is_template=isinstance(owner, CronJob)):
        if is_whole or refusal.path[-1] != "restartPolicy":
            yield refusal
    if isinstance(owner, Job) and not owner.metadata.name.endswith("*"):
        for refusal in validate_job_name(owner.metadata.name, owner.spec):
            yield refusal


RULE = Rule(id="PF335", name="invalid-job", severity=Severity.ERROR, check=check, is_per_object=True)
