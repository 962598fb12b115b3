"""Texts about JobSets with exclusive placement whose followers are refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from preflight.doctor.diagnose import LeaderProblem
from preflight.doctor.jobsets import StalledJob, StallReason
from preflight.doctor.pending.causes import WaitCause
from preflight.messages.doctor.node_fits import describe_leader_fit
from preflight.messages.doctor.pending import explain_wait
from preflight.messages.lists import join_and, join_limited, join_node_names
from preflight.messages.times import format_since
from preflight.scheduling.jobs.jobsets import count_restarts_left

_MAX_LISTED = 3


def explain_stalled_job(stalled_job: StalledJob, problem: LeaderProblem | None) -> str:
    """Why the followers of a Job cannot come; `problem` is why its leader has no node."""
    leader, topology = stalled_job.leader, stalled_job.topology
    if stalled_job.stall_reason is StallReason.ABSENT or leader is None:
        return f"the leader pod is missing{f': {stalled_job.leader_refusal}' if stalled_job.leader_refusal else ''}"
    match stalled_job.stall_reason:
        case StallReason.UNSCHEDULED:
            assert problem is not None
            no_node_fits = problem.wait.cause is WaitCause.NO_NODE_FITS
            nearest = next(describe_leader_fit(problem.fit), "") if no_node_fits else ""
            return f"the leader pod is not scheduled: {nearest or explain_wait(problem.wait)}"
        case StallReason.NO_DOMAIN:
            return f"no node has the label {topology}"
        case StallReason.EMPTY_DOMAIN:
            return f"they require an empty value of {topology}"
        case StallReason.NODE_GONE:
            return f"{leader.spec.nodeName}, the node of the leader, no longer exists"
        case _:
            return f"{leader.spec.nodeName}, the node of the leader, lacks the label {topology}"


def join_jobs(stalled_jobs: Sequence[StalledJob]) -> str:
    """`Job a` or `Jobs a, b and 3 more`."""
    names = [stalled_job.job for stalled_job in stalled_jobs]
    if len(names) == 1:
        return f"Job {names[0]}"
    if len(names) <= _MAX_LISTED:
        return f"Jobs {join_and(names)}"
    return f"Jobs {', '.join(names[:_MAX_LISTED])} and {len(names) - _MAX_LISTED} more"


def describe_stalled_leader(stalled_jobs: Sequence[StalledJob], problem: LeaderProblem | None, latest_time: str) -> str:
    """PF445: Jobs whose leader has no node."""
    first, jobs = stalled_jobs[0], join_jobs(stalled_jobs)
    refused = _describe_refused_followers(stalled_jobs)
    if first.stall_reason is StallReason.ABSENT:
        return f"has no leader in {jobs}, so {refused}: {first.leader_refusal or 'no event gives a reason'}"
    assert first.leader is not None
    name = first.leader.metadata.name
    if first.stall_reason is StallReason.NODE_GONE:
        where = f"{first.leader.spec.nodeName}, which no longer exists"
        return f"has the leader {name} of {jobs} on {where}: {refused} until the leader is re-created"
    assert problem is not None
    since, wait = format_since(first.leader.metadata.creationTimestamp, latest_time), problem.wait
    why = wait.scheduler_message if wait.cause is WaitCause.NO_NODE_FITS and wait.scheduler_message else explain_wait(wait)
    waits = f"has been waiting for the leader of {jobs} {since}" if since else f"is waiting for the leader of {jobs}"
    return f"{waits}: {refused} until {name} has a node: {why}"


def describe_missing_domains(topology: str, wanted: int, existing: int) -> str:
    """PF445: that the Jobs need more domains than exist."""
    return f"its Jobs need {wanted} domains of {topology} in total, but only {existing} {'exist' if existing != 1 else 'exists'}"


def describe_topology_problem(stalled_jobs: Sequence[StalledJob]) -> str:
    """PF446: Jobs whose topology domains have no label."""
    first, jobs = stalled_jobs[0], join_jobs(stalled_jobs)
    if first.stall_reason is StallReason.EMPTY_DOMAIN:
        pods = [pod.metadata.name for stalled_job in stalled_jobs for pod in stalled_job.pods]
        verb, names = "requires" if len(pods) == 1 else "require", join_limited(pods, "pods")
        return f"has followers in {jobs} that fit on no node: {names} {verb} a node with an empty value of {first.topology}"
    refused = _describe_refused_followers(stalled_jobs)
    if first.stall_reason is StallReason.NO_DOMAIN:
        return f"is waiting in {jobs} for a domain of {first.topology}, but no node has this label: {refused}"
    nodes = sorted({job.leader.spec.nodeName for job in stalled_jobs if job.leader is not None})
    verb = "lacks" if len(nodes) == 1 else "lack"
    return f"has leaders in {jobs} on {join_node_names(nodes)}, which {verb} the label {first.topology}: {refused}"


def describe_domains(domains: Mapping[str, tuple[str, ...]]) -> str:
    """PF446: how many domains exist, and on which nodes."""
    nodes = sorted(name for names in domains.values() for name in names)
    return f"{'1 domain exists' if len(domains) == 1 else f'{len(domains)} domains exist'}, on {join_node_names(nodes)}"


def _describe_refused_followers(stalled_jobs: Sequence[StalledJob]) -> str:
    """`7 followers are refused`, `its followers are refused` if their number is unknown."""
    counts = [stalled_job.followers for stalled_job in stalled_jobs]
    number = sum(count for count in counts if count is not None)
    if None in counts:
        return "its followers are refused"
    return f"{number} follower{'s are' if number != 1 else ' is'} refused"


def describe_webhook_message(stalled_job: StalledJob) -> str:
    """The message of the webhook about the followers."""
    return f"the followers are refused with: {stalled_job.webhook_message}"


def describe_restarts_left(stalled_job: StalledJob) -> str:
    """How many restarts the JobSet has left."""
    job_set = stalled_job.job_set
    if job_set is None:
        return "unknown: how many restarts are left (the JobSet is not in the input: add the output of `kubectl get jobsets -A -o json`)"
    policy = job_set.spec.failurePolicy
    if policy is None:
        return "the JobSet has no failurePolicy, so it fails with its first failed Job"
    return f"{count_restarts_left(job_set)} of {policy.maxRestarts} restarts left"


def describe_stalled_jobs(stalled_jobs: Sequence[StalledJob], reason: str) -> str:
    """The Jobs of a JobSet that get no followers for the same reason, as a sentence."""
    first = stalled_jobs[0]
    name = f"{first.namespace}/{first.job}"
    jobs = f"Job {name} gets" if len(stalled_jobs) == 1 else f"{len(stalled_jobs)} Jobs such as {name} get"
    return f"{jobs} no followers: {reason}"


def describe_waiting_leader(stalled_job: StalledJob) -> str:
    """What a leader without a node costs its Job."""
    count = stalled_job.followers
    followers = "the followers" if count is None else f"{count} follower{'s' if count != 1 else ''}"
    verb = "is" if count == 1 else "are"
    return f"it is the leader: {followers} of Job {stalled_job.namespace}/{stalled_job.job} {verb} refused until it has a node"
