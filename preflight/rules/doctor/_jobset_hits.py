"""What the rules on JobSets share: which Jobs stall alike, how many followers that costs, and which restarts are left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from preflight.doctor.jobsets import StalledJob, StallReason
from preflight.doctor.kubectl_hints import make_describe_command, make_events_command
from preflight.doctor.owners import UNKNOWN_ORIGIN
from preflight.messages.lists import join_and
from preflight.model.report import Subject
from preflight.rules.api import Context, FieldPath, Hit, ManifestLocation
from preflight.rules.doctor._gap_hits import get_cluster_facts, make_check_notes
from preflight.scheduling.jobs.jobsets import count_restarts_left

_MAX_LISTED = 3


def iter_similar_stalls(context: Context, *stall_reasons: StallReason) -> Iterator[tuple[StalledJob, ...]]:
    """The child Jobs of each JobSet that stall in the same way, those of one JobSet and way together."""
    found: defaultdict[tuple[object, ...], list[StalledJob]] = defaultdict(list)
    for stalled_job in get_cluster_facts(context).pending_pods.stalled_jobs:
        if stalled_job.stall_reason in stall_reasons:
            found[get_stalled_subject(stalled_job), stalled_job.stall_reason].append(stalled_job)
    yield from (tuple(same) for same in found.values())


def get_stalled_subject(stalled_job: StalledJob) -> Subject:
    """The JobSet; the Job where its JobSet was not given."""
    if stalled_job.job_set is None:
        return Subject("Job", stalled_job.namespace, stalled_job.job)
    return Subject("JobSet", stalled_job.namespace, stalled_job.job_set.metadata.name)


def join_jobs(stalled_jobs: tuple[StalledJob, ...]) -> str:
    """`Job a` or `Jobs a, b and 3 more`."""
    every = [stalled_job.job for stalled_job in stalled_jobs]
    if len(every) == 1:
        return f"Job {every[0]}"
    if len(every) <= _MAX_LISTED:
        return f"Jobs {join_and(every)}"
    return f"Jobs {', '.join(every[:_MAX_LISTED])} and {len(every) - _MAX_LISTED} more"


def describe_followers(stalled_jobs: tuple[StalledJob, ...]) -> str:
    """`7 followers are`, `its followers are` where nobody says how many."""
    counts = [stalled_job.followers for stalled_job in stalled_jobs]
    number = sum(count for count in counts if count is not None)
    if None in counts:
        return "its followers are"
    return f"{number} follower{'s are' if number != 1 else ' is'}"


def make_jobset_hit(stalled_jobs: tuple[StalledJob, ...], message: str, *notes: tuple[str, str], path: FieldPath = ()) -> Hit:
    """What a rule says of them, with the words of the webhook, the restarts left and the commands that show it."""
    first = stalled_jobs[0]
    leader = make_describe_command("pod", first.leader.metadata.name, first.namespace) if first.leader is not None else ""
    return Hit(
        subject=get_stalled_subject(first),
        nodes=tuple(sorted({node for stalled_job in stalled_jobs for node in stalled_job.nodes})),
        location=ManifestLocation(first.job_set.origin if first.job_set is not None else UNKNOWN_ORIGIN, path),
        message=message,
        notes=(
            *notes,
            *((("note", f"of the followers is said: {first.webhook_message}"),) if first.webhook_message else ()),
            ("note", _describe_restarts(first)),
            *make_check_notes(leader, make_events_command("Job", first.job, first.namespace)),
        ),
    )


def _describe_restarts(stalled_job: StalledJob) -> str:
    job_set = stalled_job.job_set
    if job_set is None:
        return "its JobSet was not given: how many restarts are left is not known"
    policy = job_set.spec.failurePolicy
    if policy is None:
        return "it has no failurePolicy: the first Job that fails makes it fail"
    left = count_restarts_left(job_set)
    return f"{left or 'none'} of {policy.maxRestarts} restarts {'is' if left == 1 else 'are'} left"
