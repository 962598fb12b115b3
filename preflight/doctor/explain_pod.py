"""Why one pod does not start: one chain, from the pod to what stands behind it and to the commands that show it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.doctor import jobset_leaders
from preflight.doctor.gap_text import describe_component, explain_gap
from preflight.doctor.jobsets import StalledJob, StallReason
from preflight.doctor.kubectl_hints import make_describe_command, make_events_command, make_get_command, make_node_pods_command
from preflight.doctor.owners import get_owner
from preflight.doctor.pending import unschedulable
from preflight.doctor.pending.causes import PodWait, WaitCause, find_wait
from preflight.doctor.pending.known_bugs import iter_possible_bugs
from preflight.doctor.pending.node_fit import describe_count_mismatch
from preflight.doctor.pending.schedulers import DEFAULT_SCHEDULER, get_scheduler, is_overdue
from preflight.doctor.pending.text import explain_stalled_job
from preflight.doctor.pod_health import PodTrouble, check_pod, is_pod_ready
from preflight.doctor.root_causes import iter_root_causes
from preflight.doctor.timestamps import format_since
from preflight.model.report import Subject

if TYPE_CHECKING:
    from preflight.doctor.context import ClusterFacts
    from preflight.doctor.coverage_gaps import CoverageGap
    from preflight.model.runtime_state import PodState

PodLink = tuple[str, str]
"""A heading and a sentence."""

CHECK_HEADING = "shows it"
"""The heading of the commands."""

_MAX_GAPS = 3


def explain_pod(facts: ClusterFacts, pod: PodState) -> Iterator[PodLink]:
    """The links of the chain, in the order in which a person asks.

    1. The pod, whose it is and since when it is so.
    2. Without a node: the scheduler's words, who else holds it, each class of nodes with all that it has against the pod, and what stands
       behind a resource that they lack.
    3. On a node: how the node is, what its containers and the events say, and which components the node lacks.
    4. The kubectl lines that show it.
    """
    owner, name = get_owner(pod), f"{pod.metadata.namespace}/{pod.metadata.name}"
    of = f"{owner.kind} {owner} controls it" if owner.kind != "Pod" else "nothing controls it"
    yield "pod", f"{name} {_describe_state(facts, pod)}; {of}"
    if pod.has_ended:
        if pod.status.reason or pod.status.message:
            yield "because", ": ".join(each for each in (pod.status.reason, " ".join(pod.status.message.split())) if each)
    elif not pod.spec.nodeName:
        yield from _explain_unscheduled(facts, pod)
    else:
        yield from _explain_scheduled(facts, pod)
    yield from (("JobSet", _describe_stall_effect(facts, pod, related_stall)) for related_stall in _find_related_stalls(facts, pod))
    yield from _iter_commands(pod, owner)


def collect_subjects(facts: ClusterFacts, pod: PodState) -> frozenset[Subject]:
    """What the chain is about: of findings on these it tells the reason.

    The pod, who controls it, its JobSet, its node, and the DaemonSets that are missing behind it.
    """
    found = {get_owner(pod), Subject("Pod", pod.metadata.namespace, pod.metadata.name)}
    found |= {_get_job_set_subject(related_stall) for related_stall in _find_related_stalls(facts, pod)}
    if pod.spec.nodeName:
        found.add(Subject("Node", "", pod.spec.nodeName))
    if is_pending(pod):
        found |= {subject for _, subject in iter_root_causes(facts, pod, unschedulable.explain_pod_fit(facts, pod))}
    found |= {
        Subject("DaemonSet", gap.daemonset.metadata.namespace, gap.daemonset.metadata.name) for gap in _list_missing_components(facts, pod)
    }
    return frozenset(found)


def is_pending(pod: PodState) -> bool:
    """Whether a pod waits for a node."""
    return not pod.spec.nodeName and not pod.has_ended and not pod.metadata.deletionTimestamp


def _describe_state(facts: ClusterFacts, pod: PodState) -> str:
    if pod.metadata.deletionTimestamp:
        return f"is being deleted {format_since(pod.metadata.deletionTimestamp, facts.latest_time)}".rstrip()
    if pod.has_ended:
        return f"has ended: {pod.status.phase}"
    begun = format_since(pod.metadata.creationTimestamp, facts.latest_time)
    if not pod.spec.nodeName:
        return f"has no node{f' {begun}' if begun else ''}"
    if pod.status.phase == "Running":
        return f"runs on {pod.spec.nodeName}{' and is Ready' if is_pod_ready(pod) else ', and is not Ready'}"
    return f"is {pod.status.phase or 'Pending'} on {pod.spec.nodeName}{f' {begun}' if begun else ''}"


def _explain_unscheduled(facts: ClusterFacts, pod: PodState) -> Iterator[PodLink]:
    wait, name = find_wait(facts, pod), get_scheduler(pod)
    if pod.status.nominatedNodeName:
        yield "scheduler", f"{name} clears {pod.status.nominatedNodeName} for it: it waits for pods that end there"
    if not is_overdue(facts, pod):
        yield "scheduler", "it has just been created: a scheduler needs a moment"
    if wait.scheduler_message and wait.cause is not WaitCause.GATED:
        yield "scheduler", f"{name} says: {wait.scheduler_message}"
    elif wait.cause not in (WaitCause.GATED, WaitCause.NO_SCHEDULER):
        yield "scheduler", f"{name} has said nothing of it"
    yield from _explain_special_wait(facts, wait)
    stalls = _find_related_stalls(facts, pod)
    ours = unschedulable.explain_pod_fit(facts, pod)
    lines = jobset_leaders.describe_leader_nodes(facts, stalls[0], ours) if stalls else unschedulable.describe_classes(ours.classes)
    yield from (("nodes", line) for line in lines)
    if other := describe_count_mismatch(wait.scheduler_message, len(facts.occupancy.nodes)):
        yield "nodes", other
    yield from (("behind it", text) for text in dict.fromkeys(text for text, _ in iter_root_causes(facts, pod, ours)))


def _explain_special_wait(facts: ClusterFacts, wait: PodWait) -> Iterator[PodLink]:
    name = get_scheduler(wait.pod)
    if wait.hold is not None:
        who = f"{wait.hold.component} holds it" if wait.hold.component else "it is held"
        other = f", and is not its scheduler {name}" if wait.hold.is_foreign and wait.hold.component else ""
        yield "because", f"{who}{other}: {wait.hold.message}"
        if wait.hold.meaning:
            yield "because", wait.hold.meaning
    elif wait.cause is WaitCause.NO_SCHEDULER:
        yield "because", f"nobody answers to the scheduler {name}: no event, no condition and no other pod is of it"
    elif wait.cause is WaitCause.GATED:
        yield "because", wait.scheduler_message
    elif wait.bug_match is not None:
        fault = wait.bug_match.bug
        yield "because", f"{fault.component} {wait.bug_match.version} {fault.what} ({fault.id})"
        yield "because", wait.bug_match.sign
        yield "help", fault.help
    elif wait.cause is WaitCause.SCHEDULER_DISAGREES:
        yield "because", "by our own account a node takes it: the scheduler has not looked again, or knows what is not seen here"
        yield from (("because", text) for text in iter_possible_bugs(facts, wait))
    elif name != DEFAULT_SCHEDULER and not wait.scheduler_message and not facts.has_events:
        yield "because", f"whether anybody answers to {name} is not known: events were not given"


def _explain_scheduled(facts: ClusterFacts, pod: PodState) -> Iterator[PodLink]:
    node = pod.spec.nodeName
    if node in facts.removed_nodes:
        yield "node", f"{node} is not there any more: nobody starts or ends the pod"
    elif node in facts.not_ready_nodes:
        condition = facts.get_node_state(node).find_condition("Ready")
        begun = format_since(condition.lastTransitionTime if condition else "", facts.latest_time)
        said = f": {' '.join(condition.message.split())}" if condition and condition.message else ""
        yield "node", f"{node} is not Ready{f' {begun}' if begun else ''}{said}"
    found = check_pod(pod, facts.latest_time, is_kubelet_silent=node in facts.not_ready_nodes)
    if found is not None and found.reason:
        yield "because", found.reason
    elif found is not None and found.trouble is PodTrouble.NOT_STARTED:
        yield "because", "the kubelet has not begun to start it"
    for event in facts.events.get_events("Pod", *pod.key)[:2] if found is not None else ():
        yield "because", f"{event.reporter or 'an event'} says: {event.reason}: {' '.join(event.message.split())}"
    if found is not None:
        for gap in _list_missing_components(facts, pod)[:_MAX_GAPS]:
            yield "behind it", f"{node} lacks {describe_component(gap.component)} ({gap.daemonset.key}): {explain_gap(gap)}"


def _list_missing_components(facts: ClusterFacts, pod: PodState) -> list[CoverageGap]:
    """The components that the node of a pod lacks and without which workloads break; not the pod's own DaemonSet."""
    if not pod.spec.nodeName:
        return []
    owner = get_owner(pod)
    gaps = [gap for gap in facts.gaps if gap.is_critical and pod.spec.nodeName in gap.nodes]
    return [gap for gap in gaps if (gap.daemonset.metadata.namespace, gap.daemonset.metadata.name) != (owner.namespace, owner.name)]


def _find_related_stalls(facts: ClusterFacts, pod: PodState) -> list[StalledJob]:
    """The Jobs of JobSets whose leader a pod is, or of which it asks for a domain without a name."""
    return [stalled_job for stalled_job in facts.pending_pods.stalled_jobs if pod in (stalled_job.leader, *stalled_job.pods)]


def _describe_stall_effect(facts: ClusterFacts, pod: PodState, stalled_job: StalledJob) -> str:
    """What the leader costs its Job; for a follower why it cannot start."""
    if stalled_job.leader == pod and stalled_job.stall_reason is StallReason.UNSCHEDULED:
        count = (
            "the followers"
            if stalled_job.followers is None
            else f"{stalled_job.followers} follower{'s' if stalled_job.followers != 1 else ''}"
        )
        verb = "is" if stalled_job.followers == 1 else "are"
        return f"it is the leader: {count} of Job {stalled_job.namespace}/{stalled_job.job} {verb} refused until it has a node"
    return f"Job {stalled_job.namespace}/{stalled_job.job} gets no followers: {explain_stalled_job(facts, stalled_job)}"


def _get_job_set_subject(stalled_job: StalledJob) -> Subject:
    if stalled_job.job_set is None:
        return Subject("Job", stalled_job.namespace, stalled_job.job)
    return Subject("JobSet", stalled_job.namespace, stalled_job.job_set.metadata.name)


def _iter_commands(pod: PodState, owner: Subject) -> Iterator[PodLink]:
    namespace, node = pod.metadata.namespace, pod.spec.nodeName
    lines = [make_describe_command("pod", pod.metadata.name, namespace), make_events_command("Pod", pod.metadata.name, namespace)]
    if owner.kind in ("Deployment", "StatefulSet", "DaemonSet", "Job"):
        lines.append(make_describe_command(owner.kind.lower(), owner.name, namespace))
    lines += [make_describe_command("node", node), make_node_pods_command(node)] if node else [make_get_command("nodes", output="wide")]
    yield from ((CHECK_HEADING, line) for line in lines if line)
