"""What the rules on JobSets share: the Jobs that stall for the same reason, and the notes on the webhook and on the restarts left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from preflight.doctor.jobsets import StalledJob, StallReason
from preflight.doctor.owners import UNKNOWN_ORIGIN
from preflight.messages.doctor.jobsets import describe_restarts_left, describe_webhook_message
from preflight.messages.kubectl_hints import make_describe_command, make_events_command
from preflight.model.report import Subject
from preflight.rules.api import Context, FieldPath, Hit, ManifestLocation
from preflight.rules.doctor._gap_hits import get_diagnosis, make_check_notes


def iter_similar_stalls(context: Context, *stall_reasons: StallReason) -> Iterator[tuple[StalledJob, ...]]:
    """The child Jobs that stall, those of one JobSet and for one reason together."""
    found: defaultdict[tuple[Subject, StallReason], list[StalledJob]] = defaultdict(list)
    for stalled_job in get_diagnosis(context).stalled_jobs:
        if stalled_job.stall_reason in stall_reasons:
            found[stalled_job.subject, stalled_job.stall_reason].append(stalled_job)
    yield from (tuple(same) for same in found.values())


def make_jobset_hit(
    stalled_jobs: tuple[StalledJob, ...], message: str, *notes: tuple[str, str], path: FieldPath = (), commands: Iterable[str] = ()
) -> Hit:
    """The finding on them, with the message of the webhook, the restarts left and the commands that show it."""
    first = stalled_jobs[0]
    leader = make_describe_command("pod", first.leader.metadata.name, first.namespace) if first.leader is not None else ""
    return Hit(
        subject=first.subject,
        key=(first.stall_reason.value, first.topology),
        nodes=tuple(sorted({node for stalled_job in stalled_jobs for node in stalled_job.nodes})),
        location=ManifestLocation(first.job_set.origin if first.job_set is not None else UNKNOWN_ORIGIN, path),
        message=message,
        notes=(
            *notes,
            *((("note", describe_webhook_message(first)),) if first.webhook_message else ()),
            ("note", describe_restarts_left(first)),
            *make_check_notes(*commands, leader, make_events_command("Job", first.job, first.namespace)),
        ),
    )
