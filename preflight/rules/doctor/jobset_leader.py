"""The followers of a JobSet are refused because their leader has no node: the root cause is why the leader is not scheduled.

Why it matters
    With exclusive placement the leader of each Job, the pod of index 0, decides the topology domain. Until it has a node, the webhook
    refuses every follower with a message that looks like a fault of the JobSet: "follower pod node selector not set". The root cause is the
    leader's, and nothing in the message points to it.
How to fix
    Look only at the leader: the notes show what it lacks on each class of nodes. If every domain is in use, wait for a Job to end, or add a
    domain. A missing leader was itself refused.
Example
    Four Jobs with a rack each, and three racks: the fourth leader is Pending, and seven followers are refused every few minutes.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.diagnose import Diagnosis, LeaderProblem
from preflight.doctor.jobsets import StalledJob, StallReason, group_by_domain
from preflight.messages.doctor.jobsets import describe_missing_domains, describe_stalled_leader
from preflight.messages.doctor.node_fits import describe_leader_fit
from preflight.messages.doctor.pending import describe_root_cause
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis
from preflight.rules.doctor._jobset_hits import iter_similar_stalls, make_jobset_hit
from preflight.scheduling.jobs.exclusive_placement import count_required_domains


def check(context: Context) -> Iterator[Hit]:
    """One hit for all Jobs of a JobSet that stall in the same way."""
    diagnosis = get_diagnosis(context)
    for same in iter_similar_stalls(context, StallReason.UNSCHEDULED, StallReason.ABSENT, StallReason.NODE_GONE):
        problem = diagnosis.get_leader_problem(same[0])
        message = describe_stalled_leader(same, problem, diagnosis.index.latest_time)
        notes = _iter_notes(diagnosis, same[0], problem) if problem is not None else ()
        yield make_jobset_hit(same, message, *(("note", text) for text in notes))


def _iter_notes(diagnosis: Diagnosis, stalled_job: StalledJob, problem: LeaderProblem) -> Iterator[str]:
    yield from describe_leader_fit(problem.fit)
    yield from dict.fromkeys(map(describe_root_cause, diagnosis.list_missing_providers(problem.account)))
    if stalled_job.job_set is not None:
        topology = stalled_job.topology
        wanted, existing = count_required_domains(stalled_job.job_set).get(topology, 0), len(group_by_domain(diagnosis.index, topology))
        if wanted > existing:
            yield describe_missing_domains(topology, wanted, existing)


RULE = Rule(id="PF445", name="jobset-leader", severity=Severity.WARNING, check=check)
