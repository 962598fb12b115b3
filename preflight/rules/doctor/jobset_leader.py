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

from preflight.doctor.jobset_leaders import lines
from preflight.doctor.jobsets import Stall, Stalled, domains
from preflight.doctor.pending.causes import Cause, wait_of
from preflight.doctor.pending.text import because
from preflight.doctor.pending.unschedulable import account
from preflight.doctor.root_causes import behind
from preflight.doctor.timestamps import since
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import facts_of
from preflight.rules.doctor._jobset_hits import alike, followers, hit, jobs
from preflight.scheduling.jobs.exclusive_placement import domains_wanted


def check(context: Context) -> Iterator[Hit]:
    """One hit for all Jobs of a JobSet that stall in the same way."""
    for same in alike(context, Stall.UNSCHEDULED, Stall.ABSENT, Stall.NODE_GONE):
        first = same[0]
        notes = _notes(context, first) if first.stall is Stall.UNSCHEDULED else ()
        yield hit(same, _message(context, same), *(("note", text) for text in notes))


def _message(context: Context, same: tuple[Stalled, ...]) -> str:
    facts, first = facts_of(context), same[0]
    refused = f"{followers(same)} refused"
    if first.stall is Stall.ABSENT:
        why = first.refused or "no event says why"
        return f"has no leader in {jobs(same)}, so that {refused}: {why}"
    assert first.leader is not None
    name = first.leader.metadata.name
    if first.stall is Stall.NODE_GONE:
        return f"has the leader {name} of {jobs(same)} on {first.leader.spec.nodeName}, which is gone: {refused} until it is created anew"
    begun = since(first.leader.metadata.creationTimestamp, facts.at)
    wait = wait_of(facts, first.leader)
    why = wait.words if wait.cause is Cause.REFUSED and wait.words else because(wait)
    return f"waits for the leader of {jobs(same)}{f' {begun}' if begun else ''}: {refused} until {name} has a node: {why}"


def _notes(context: Context, stalled: Stalled) -> Iterator[str]:
    facts = facts_of(context)
    assert stalled.leader is not None
    ours = account(facts, stalled.leader)
    yield from lines(facts, stalled, ours)
    yield from dict.fromkeys(text for text, _ in behind(facts, ours))
    if stalled.job_set is not None:
        wanted, there = domains_wanted(stalled.job_set).get(stalled.topology, 0), len(domains(facts, stalled.topology))
        if wanted > there:
            yield f"its Jobs want {wanted} domains of {stalled.topology} between them, and there {'are' if there != 1 else 'is'} {there}"


RULE = Rule(id="PF445", name="jobset-leader", severity=Severity.WARNING, check=check)
