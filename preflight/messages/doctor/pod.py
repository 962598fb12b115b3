"""Why one pod does not start, as a chain of headings and sentences, from the pod to the commands that show it."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.cluster_messages import normalize_message
from preflight.doctor.diagnose import Diagnosis
from preflight.doctor.explain_pod import NodeProblem, PodExplanation, SchedulingProblem
from preflight.doctor.jobsets import StalledJob, StallReason
from preflight.doctor.pending.causes import PodWait, WaitCause
from preflight.doctor.pending.schedulers import DEFAULT_SCHEDULER, get_scheduler
from preflight.doctor.pod_health import is_pod_ready
from preflight.messages.doctor.gaps import describe_event, describe_gap_reason, describe_provider, explain_gap
from preflight.messages.doctor.jobsets import describe_stalled_jobs, describe_waiting_leader, explain_stalled_job
from preflight.messages.doctor.known_bugs import (
    describe_bug,
    describe_bug_help,
    describe_condition,
    describe_possible_bug,
    describe_sign,
    describe_version_source,
)
from preflight.messages.doctor.node_fits import describe_count_mismatch, describe_leader_fit
from preflight.messages.doctor.nodes import format_start
from preflight.messages.doctor.pending import (
    describe_gates,
    describe_hold_reason,
    describe_root_cause,
    describe_silence,
    describe_unknown_scheduler,
)
from preflight.messages.kubectl_hints import make_describe_command, make_events_command, make_get_command, make_node_pods_command
from preflight.messages.times import format_since
from preflight.model.report import Subject
from preflight.model.runtime_state import PodState
from preflight.model.versions import VersionSource

PodLink = tuple[str, str]
"""A heading and a sentence."""

CHECK_HEADING = "check"
"""The heading of the commands."""

_MAX_GAPS = 3


def write_pod_explanation(diagnosis: Diagnosis, explanation: PodExplanation) -> Iterator[PodLink]:
    """The links of the chain, in the order in which a person asks.

    1. The pod, its controller and since when it is so.
    2. Without a node: the scheduler's message, what else blocks it, why it does not fit on each class of nodes, and the root cause of a
       resource that they lack.
    3. On a node: the state of the node, what its containers and the events report, and which components the node lacks.
    4. The kubectl commands that show it.
    """
    pod, owner = explanation.pod, explanation.owner
    controller = f"{owner.kind} {owner} controls it" if owner.kind != "Pod" else "nothing controls it"
    yield "pod", f"{pod.metadata.namespace}/{pod.metadata.name} {_describe_state(pod, diagnosis.index.latest_time)}; {controller}"
    match explanation.problem:
        case None:
            if pod.status.reason or pod.status.message:
                yield "cause", ": ".join(text for text in (pod.status.reason, normalize_message(pod.status.message)) if text)
        case SchedulingProblem():
            yield from _explain_unscheduled(diagnosis, pod, explanation.problem)
        case NodeProblem():
            yield from _explain_scheduled(diagnosis, pod, explanation.problem)
    yield from (("JobSet", _describe_stall_effect(diagnosis, pod, stalled_job)) for stalled_job in explanation.stalled_jobs)
    yield from _iter_commands(pod, owner)


def _describe_state(pod: PodState, latest_time: str) -> str:
    if pod.metadata.deletionTimestamp:
        return f"has been terminating {format_since(pod.metadata.deletionTimestamp, latest_time)}".rstrip()
    if pod.has_ended:
        return f"has ended: {pod.status.phase}"
    since = format_start(pod.metadata.creationTimestamp, latest_time)
    if not pod.spec.nodeName:
        return f"has {'had ' if since else ''}no node{since}"
    if pod.status.phase == "Running":
        return f"runs on {pod.spec.nodeName}{' and is Ready' if is_pod_ready(pod) else ', and is not Ready'}"
    return f"{'has been' if since else 'is'} {pod.status.phase or 'Pending'} on {pod.spec.nodeName}{since}"


def _explain_unscheduled(diagnosis: Diagnosis, pod: PodState, problem: SchedulingProblem) -> Iterator[PodLink]:
    wait, name = problem.wait, get_scheduler(pod)
    if pod.status.nominatedNodeName:
        waits = "waits for its volumes" if diagnosis.demand.find_unbound_drivers(pod) else "preempts pods on it, and waits until they end"
        yield "scheduler", f"{name} has nominated {pod.status.nominatedNodeName}: it {waits}"
    if problem.is_new:
        yield "scheduler", "the pod was created moments ago: the scheduler may not have reached it yet"
    if wait.scheduler_message:
        yield "scheduler", f"{name} reports: {wait.scheduler_message}"
    elif wait.cause not in (WaitCause.GATED, WaitCause.NO_SCHEDULER):
        yield "scheduler", f"{name} has not reported on it"
    yield from _explain_special_wait(wait, has_events=diagnosis.index.has_events)
    yield from (("nodes", line) for line in describe_leader_fit(problem.fit))
    if mismatch := describe_count_mismatch(wait.counted_nodes, len(diagnosis.index.occupancy.nodes)):
        yield "nodes", mismatch
    yield from (("root cause", text) for text in dict.fromkeys(map(describe_root_cause, problem.root_causes)))


def _explain_special_wait(wait: PodWait, *, has_events: bool) -> Iterator[PodLink]:
    name = get_scheduler(wait.pod)
    if wait.hold is not None:
        blocker = f"{wait.hold.component}" if wait.hold.component else "a group or queue"
        other = f", which is not its scheduler ({name})" if wait.hold.is_foreign and wait.hold.component else ""
        yield "cause", f"blocked by {blocker}{other}: {wait.hold.message}"
        if wait.hold.reason is not None:
            yield "cause", describe_hold_reason(wait.hold.reason)
    elif wait.cause is WaitCause.NO_SCHEDULER:
        yield "cause", f"no scheduler named {name} responds: {describe_silence(wait)}"
    elif wait.cause is WaitCause.GATED:
        yield "cause", describe_gates(wait)
    elif wait.bug_match is not None:
        yield "cause", f"{describe_bug(wait.bug_match)} ({wait.bug_match.bug.id})"
        yield "cause", describe_sign(wait.bug_match.sign)
        if wait.bug_match.version_source is VersionSource.KUBELETS:
            yield "cause", describe_version_source(wait.bug_match)
        if wait.bug_match.is_conditional:
            yield "cause", describe_condition(wait.bug_match)
        yield "help", describe_bug_help(wait.bug_match.bug)
    elif wait.cause is WaitCause.SCHEDULER_DISAGREES:
        yield "cause", "according to preflight a node fits: the scheduler has not retried, or knows something that is not in the input"
        yield from (("cause", describe_possible_bug(match)) for match in wait.possible_bugs)
    elif name != DEFAULT_SCHEDULER and not wait.scheduler_message and not has_events:
        yield "cause", describe_unknown_scheduler(wait)


def _explain_scheduled(diagnosis: Diagnosis, pod: PodState, problem: NodeProblem) -> Iterator[PodLink]:
    node, condition = pod.spec.nodeName, problem.ready_condition
    if problem.is_removed:
        yield "node", f"{node} no longer exists: no kubelet starts or ends the pod"
    elif problem.is_not_ready:
        since = format_start(condition.lastTransitionTime if condition else "", diagnosis.index.latest_time)
        message = f": {normalize_message(condition.message)}" if condition and condition.message else ""
        yield "node", f"{node} {'has not been' if since else 'is not'} Ready{since}{message}"
    if problem.unhealthy_pod is not None and problem.unhealthy_pod.reason is not None:
        yield "cause", describe_gap_reason(problem.unhealthy_pod.reason)
    yield from (("cause", describe_event(event)) for event in problem.events)
    for gap in problem.gaps[:_MAX_GAPS]:
        yield "root cause", f"{node} lacks {describe_provider(gap)}: {explain_gap(gap)}"


def _describe_stall_effect(diagnosis: Diagnosis, pod: PodState, stalled_job: StalledJob) -> str:
    """What the pending leader means for its Job; for a follower, why it cannot start."""
    if stalled_job.leader == pod and stalled_job.stall_reason is StallReason.UNSCHEDULED:
        return describe_waiting_leader(stalled_job)
    return describe_stalled_jobs((stalled_job,), explain_stalled_job(stalled_job, diagnosis.get_leader_problem(stalled_job)))


def _iter_commands(pod: PodState, owner: Subject) -> Iterator[PodLink]:
    namespace, node = pod.metadata.namespace, pod.spec.nodeName
    commands = [make_describe_command("pod", pod.metadata.name, namespace), make_events_command("Pod", pod.metadata.name, namespace)]
    if owner.kind in ("Deployment", "StatefulSet", "DaemonSet", "Job"):
        commands.append(make_describe_command(owner.kind.lower(), owner.name, namespace))
    commands += [make_describe_command("node", node), make_node_pods_command(node)] if node else [make_get_command("nodes", output="wide")]
    yield from ((CHECK_HEADING, command) for command in commands if command)
