"""Pods that wait, told in a sentence each: how many of which workload, and what for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.doctor.jobset_leaders import describe_leader_nodes
from preflight.doctor.jobsets import StalledJob, StallReason
from preflight.doctor.pending.causes import PodWait, WaitCause, WaitGroup, find_wait, group_waits
from preflight.doctor.pending.schedulers import DEFAULT_SCHEDULER, get_scheduler
from preflight.doctor.pending.unschedulable import explain_pod_fit
from preflight.messages.lists import join_node_names

if TYPE_CHECKING:
    from preflight.doctor.context import ClusterFacts

_EXPLAINED_CAUSES = (WaitCause.ON_HOLD, WaitCause.NO_SCHEDULER, WaitCause.KNOWN_BUG, WaitCause.SCHEDULER_DISAGREES, WaitCause.NO_NODE_FITS)


def describe_pending_pods(facts: ClusterFacts) -> Iterator[tuple[tuple[str, ...], str]]:
    """A sentence for all pods that wait for the same, the most pods first, with the nodes that it is about.

    Those of DaemonSets are told with their nodes. Of JobSets the Jobs are told whose followers cannot come.
    """
    alike: defaultdict[tuple[str, str, str], list[StalledJob]] = defaultdict(list)
    for stalled_job in facts.pending_pods.stalled_jobs:
        name = stalled_job.job_set.metadata.name if stalled_job.job_set is not None else ""
        alike[stalled_job.namespace, name, explain_stalled_job(facts, stalled_job)].append(stalled_job)
    for (namespace, _, why), same in alike.items():
        jobs = f"Job {namespace}/{same[0].job} gets" if len(same) == 1 else f"{len(same)} Jobs such as {namespace}/{same[0].job} get"
        yield same[0].nodes, f"{jobs} no followers: {why}"
    for one in facts.pending_pods.refused_creations:
        yield (), f"{one.subject.kind} {one.subject} has {one.existing} of {one.wanted} pods: their creation is refused: {one.reason}"
    for group in group_waits(facts, *_EXPLAINED_CAUSES):
        if group.first_wait.owner.kind != "DaemonSet":
            yield (), f"{describe_waiting_pods(group)}: {explain_wait(group.first_wait)}"


def explain_stalled_job(facts: ClusterFacts, stalled_job: StalledJob) -> str:
    """Why the followers of a Job cannot come."""
    if stalled_job.stall_reason is StallReason.ABSENT or stalled_job.leader is None:
        return f"the leader is not there{f': {stalled_job.leader_refusal}' if stalled_job.leader_refusal else ''}"
    node = stalled_job.leader.spec.nodeName
    if stalled_job.stall_reason is StallReason.UNSCHEDULED:
        wait = find_wait(facts, stalled_job.leader)
        nearest = (
            next(describe_leader_nodes(facts, stalled_job, explain_pod_fit(facts, stalled_job.leader)), "")
            if wait.cause is WaitCause.NO_NODE_FITS
            else ""
        )
        return f"the leader has no node: {nearest or explain_wait(wait)}"
    if stalled_job.stall_reason is StallReason.NO_DOMAIN:
        return f"no node has the label {stalled_job.topology}"
    if stalled_job.stall_reason is StallReason.EMPTY_DOMAIN:
        return f"they ask for an empty {stalled_job.topology}"
    return (
        f"{node}, where the leader is, "
        f"{'is gone' if stalled_job.stall_reason is StallReason.NODE_GONE else f'lacks the label {stalled_job.topology}'}"
    )


def describe_waiting_pods(group: WaitGroup) -> str:
    """`3 pods of Job research/train wait`, with how many others wait for the same."""
    subject, number = group.owners[0]
    others = len(group.pods) - number
    more = f" and {others} of others" if others else ""
    if subject.kind == "Pod":
        return f"Pod {subject}{more} {'wait' if others else 'waits'}"
    verb = "wait" if number + others > 1 else "waits"
    return f"{number} pod{'s' if number != 1 else ''} of {subject.kind} {subject}{more} {verb}"


def explain_wait(wait: PodWait) -> str:
    """What a pod waits for, to stand after a colon."""
    name = get_scheduler(wait.pod)
    if wait.hold is not None:
        return f"{wait.hold.component or 'its group or queue'} holds it: {wait.hold.message}"
    if wait.cause is WaitCause.NO_SCHEDULER:
        return f"nobody answers to the scheduler {name}"
    if wait.bug_match is not None:
        return f"a known fault of {wait.bug_match.bug.component} {wait.bug_match.version} ({wait.bug_match.bug.id})"
    ours = wait.pod_fit
    if ours is not None and ours.fitting_nodes and wait.cause is WaitCause.SCHEDULER_DISAGREES:
        return (
            f"the scheduler finds no node, and by our own account {join_node_names(ours.fitting_nodes)} "
            f"{'takes' if len(ours.fitting_nodes) == 1 else 'take'} it"
        )
    nearest = next((node_class for node_class in ours.classes if node_class.can_take is False), None) if ours is not None else None
    if nearest is not None:
        return f"nearest {'is' if len(nearest.nodes) == 1 else 'are'} {join_node_names(nearest.nodes)}: {nearest.reason}"
    return wait.scheduler_message or (
        f"its scheduler {name} has said nothing" if name != DEFAULT_SCHEDULER else "no scheduler has looked at it"
    )
