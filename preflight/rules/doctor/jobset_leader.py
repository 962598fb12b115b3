"""The followers of a JobSet are refused because their leader has no node: the leader's reason is the answer.

Why it matters
    With exclusive placement the leader of each Job, the pod of index 0, decides the topology domain. Until it has a node the webhook
    refuses every follower, with words that sound like a fault of the JobSet: "follower pod node selector not set". The real reason is the
    leader's, and nothing leads from the one to the other.
How to fix
    Look at the leader alone: what it lacks is said here for each class of nodes. Where every domain is taken, wait for a Job that ends, or
    add a domain. A leader that is not there at all was refused itself.
Example
    Four Jobs with a rack each, and three racks: the fourth leader is Pending, and seven followers are refused every few minutes.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.jobset_leaders import describe_leader_nodes
from preflight.doctor.jobsets import StalledJob, StallReason, group_by_domain
from preflight.doctor.pending.causes import WaitCause, find_wait
from preflight.doctor.pending.text import explain_wait
from preflight.doctor.pending.unschedulable import explain_pod_fit
from preflight.doctor.root_causes import iter_missing_providers
from preflight.doctor.timestamps import format_since
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_cluster_facts
from preflight.rules.doctor._jobset_hits import describe_followers, iter_similar_stalls, join_jobs, make_jobset_hit
from preflight.scheduling.jobs.exclusive_placement import count_required_domains


def check(context: Context) -> Iterator[Hit]:
    """One hit for all Jobs of a JobSet that stall in the same way."""
    for same in iter_similar_stalls(context, StallReason.UNSCHEDULED, StallReason.ABSENT, StallReason.NODE_GONE):
        first = same[0]
        notes = _iter_notes(context, first) if first.stall_reason is StallReason.UNSCHEDULED else ()
        yield make_jobset_hit(same, _format_message(context, same), *(("note", text) for text in notes))


def _format_message(context: Context, stalled_jobs: tuple[StalledJob, ...]) -> str:
    facts, first = get_cluster_facts(context), stalled_jobs[0]
    refused = f"{describe_followers(stalled_jobs)} refused"
    if first.stall_reason is StallReason.ABSENT:
        why = first.leader_refusal or "no event says why"
        return f"has no leader in {join_jobs(stalled_jobs)}, so that {refused}: {why}"
    assert first.leader is not None
    name = first.leader.metadata.name
    if first.stall_reason is StallReason.NODE_GONE:
        return (
            f"has the leader {name} of {join_jobs(stalled_jobs)} on {first.leader.spec.nodeName}, "
            f"which is gone: {refused} until it is created anew"
        )
    begun = format_since(first.leader.metadata.creationTimestamp, facts.latest_time)
    wait = find_wait(facts, first.leader)
    why = wait.scheduler_message if wait.cause is WaitCause.NO_NODE_FITS and wait.scheduler_message else explain_wait(wait)
    return f"waits for the leader of {join_jobs(stalled_jobs)}{f' {begun}' if begun else ''}: {refused} until {name} has a node: {why}"


def _iter_notes(context: Context, stalled_job: StalledJob) -> Iterator[str]:
    facts = get_cluster_facts(context)
    assert stalled_job.leader is not None
    ours = explain_pod_fit(facts, stalled_job.leader)
    yield from describe_leader_nodes(facts, stalled_job, ours)
    yield from dict.fromkeys(text for text, _ in iter_missing_providers(facts, ours))
    if stalled_job.job_set is not None:
        wanted, there = (
            count_required_domains(stalled_job.job_set).get(stalled_job.topology, 0),
            len(group_by_domain(facts, stalled_job.topology)),
        )
        if wanted > there:
            yield (
                f"its Jobs want {wanted} domains of {stalled_job.topology} between them, and there {'are' if there != 1 else 'is'} {there}"
            )


RULE = Rule(id="PF445", name="jobset-leader", severity=Severity.WARNING, check=check)
