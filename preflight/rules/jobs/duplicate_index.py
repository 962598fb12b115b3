"""Two pods of the same index run at the same time when a pod of a distributed Job is evicted or deleted.

Why it matters
    By default a Job counts a pod as failed when it is deleted, and creates its replacement 10 seconds later, while the old pod may use the
    rest of its grace period. During that time two pods have the same index and the same host name. Frameworks that register their workers
    by either fail, or wait for a worker that no longer exists. Reported for an Indexed Job whose indexes all run at the same time and that
    can be retried. A warning if its pods certainly work together: they have host names for one another (a `subdomain`, or a JobSet), a
    variable contains the address of the others (`MASTER_ADDR`, `TF_CONFIG`, `JAX_COORDINATOR_ADDRESS`, ...), or a launcher is configured
    for several machines (`torchrun --nnodes`, `mpirun --hostfile`, ...). A note if they only request an extended resource such as a GPU,
    use such a launcher without a number of machines, or run an image for distributed training.
How to fix
    `podReplacementPolicy: Failed`: the replacement then waits for the end of the old pod. A `podFailurePolicy` implies it.
Example
    `completionMode: Indexed`, `completions: 8`, `parallelism: 8`, and `subdomain: trainers` in the pods' template.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.job_templates import DEFAULT_REPLACEMENT_POLICY, describe_duplicate_index, describe_team_sign
from preflight.model.batch import JobSet
from preflight.model.job_reasons import TeamSign, TeamSignKind
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
        sign = _find_sign(batch)
        if seconds > 0 and sign is not None and _is_retried(batch) and not batch.has_other_controller:
            yield Hit(
                subject=batch.subject,
                location=batch.locate("podReplacementPolicy"),
                severity=Severity.WARNING if sign.kind.is_sure else Severity.NOTE,
                message=describe_duplicate_index(batch.replicated_job, seconds),
                label="" if spec.podReplacementPolicy else DEFAULT_REPLACEMENT_POLICY,
                notes=tuple(("note", text) for text in describe_team_sign(sign)),
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


def _find_sign(batch: JobTemplateItem) -> TeamSign | None:
    """What shows that its pods work together; None where nothing does, or not all of them run at once."""
    from preflight.scheduling.jobs.defaults import apply_job_defaults, count_max_parallel

    spec, owner = apply_job_defaults(batch.spec), batch.owner
    at_once = count_max_parallel(spec)
    if at_once != spec.completions or not at_once:
        return None
    if isinstance(owner, JobSet):
        pods = sum(
            replicated_job.replicas * count_max_parallel(apply_job_defaults(replicated_job.template.spec))
            for replicated_job in owner.spec.replicatedJobs
        )
        return None if pods < 2 else _find_strongest_sign(batch, has_host_names=owner.spec.network.enableDNSHostnames)
    return None if at_once < 2 else _find_strongest_sign(batch, has_host_names=bool(batch.pod_spec.subdomain))


def _find_strongest_sign(batch: JobTemplateItem, *, has_host_names: bool) -> TeamSign | None:
    if has_host_names:
        return TeamSign(TeamSignKind.HOST_NAMES)
    from preflight.components.distributed_frameworks import find_team_sign

    sign = find_team_sign(batch.spec.template.spec.containers)
    if batch.has_accelerators and (sign is None or sign.kind is TeamSignKind.IMAGE):
        return TeamSign(TeamSignKind.DEVICES)
    return sign


RULE = Rule(id="PF331", name="duplicate-index", severity=Severity.WARNING, check=check, is_per_object=True)
