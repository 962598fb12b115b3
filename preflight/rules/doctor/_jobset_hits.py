"""What the rules on JobSets share: which Jobs stall alike, how many followers that costs, and which restarts are left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from preflight.doctor.jobsets import Stall, Stalled
from preflight.doctor.kubectl_hints import describe, events_of
from preflight.doctor.owners import NOWHERE
from preflight.messages.lists import listed
from preflight.model.report import Subject
from preflight.rules.api import Context, Hit, Path, Place
from preflight.rules.doctor._gap_hits import facts_of, shows
from preflight.scheduling.jobs.jobsets import restarts_left

_FEW = 3


def alike(context: Context, *stalls: Stall) -> Iterator[tuple[Stalled, ...]]:
    """The child Jobs of each JobSet that stall in the same way, those of one JobSet and way together."""
    found: defaultdict[tuple[object, ...], list[Stalled]] = defaultdict(list)
    for each in facts_of(context).pending.stalled:
        if each.stall in stalls:
            found[subject(each), each.stall].append(each)
    yield from (tuple(same) for same in found.values())


def subject(stalled: Stalled) -> Subject:
    """The JobSet; the Job where its JobSet was not given."""
    if stalled.job_set is None:
        return Subject("Job", stalled.namespace, stalled.job)
    return Subject("JobSet", stalled.namespace, stalled.job_set.metadata.name)


def jobs(same: tuple[Stalled, ...]) -> str:
    """`Job a` or `Jobs a, b and 3 more`."""
    every = [each.job for each in same]
    if len(every) == 1:
        return f"Job {every[0]}"
    if len(every) <= _FEW:
        return f"Jobs {listed(every)}"
    return f"Jobs {', '.join(every[:_FEW])} and {len(every) - _FEW} more"


def followers(same: tuple[Stalled, ...]) -> str:
    """`7 followers are`, `its followers are` where nobody says how many."""
    counts = [each.followers for each in same]
    number = sum(count for count in counts if count is not None)
    if None in counts:
        return "its followers are"
    return f"{number} follower{'s are' if number != 1 else ' is'}"


def hit(same: tuple[Stalled, ...], message: str, *notes: tuple[str, str], path: Path = ()) -> Hit:
    """What a rule says of them, with the words of the webhook, the restarts left and the commands that show it."""
    first = same[0]
    leader = describe("pod", first.leader.metadata.name, first.namespace) if first.leader is not None else ""
    return Hit(
        subject=subject(first),
        nodes=tuple(sorted({node for each in same for node in each.nodes})),
        place=Place(first.job_set.origin if first.job_set is not None else NOWHERE, path),
        message=message,
        notes=(
            *notes,
            *((("note", f"of the followers is said: {first.words}"),) if first.words else ()),
            ("note", _restarts(first)),
            *shows(leader, events_of("Job", first.job, first.namespace)),
        ),
    )


def _restarts(stalled: Stalled) -> str:
    job_set = stalled.job_set
    if job_set is None:
        return "its JobSet was not given: how many restarts are left is not known"
    policy = job_set.spec.failurePolicy
    if policy is None:
        return "it has no failurePolicy: the first Job that fails makes it fail"
    left = restarts_left(job_set)
    return f"{left or 'none'} of {policy.maxRestarts} restarts {'is' if left == 1 else 'are'} left"
