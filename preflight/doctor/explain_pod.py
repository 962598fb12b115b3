"""Why one pod does not start: one chain, from the pod to what stands behind it and to the commands that show it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.doctor import jobset_leaders
from preflight.doctor.gap_text import because, what
from preflight.doctor.jobsets import Stall, Stalled
from preflight.doctor.kubectl_hints import describe, events_of, get, pods_on
from preflight.doctor.owners import owner_of
from preflight.doctor.pending import unschedulable
from preflight.doctor.pending.causes import Cause, Wait, wait_of
from preflight.doctor.pending.known_bugs import not_ruled_out
from preflight.doctor.pending.node_fit import miscounted
from preflight.doctor.pending.schedulers import DEFAULT, is_late, scheduler_of
from preflight.doctor.pending.text import stalled
from preflight.doctor.pod_health import Trouble, ailing, is_ready
from preflight.doctor.root_causes import causes
from preflight.doctor.timestamps import since
from preflight.model.report import Subject

if TYPE_CHECKING:
    from preflight.doctor.context import Diagnosis
    from preflight.doctor.coverage_gaps import Gap
    from preflight.model.runtime_state import StatedPod

Link = tuple[str, str]
"""A heading and a sentence."""

SHOWS = "shows it"
"""The heading of the commands."""

_MOST_GAPS = 3


def why_pod(facts: Diagnosis, pod: StatedPod) -> Iterator[Link]:
    """The links of the chain, in the order in which a person asks.

    1. The pod, whose it is and since when it is so.
    2. Without a node: the scheduler's words, who else holds it, each class of nodes with all that it has against the pod, and what stands
       behind a resource that they lack.
    3. On a node: how the node is, what its containers and the events say, and which components the node lacks.
    4. The kubectl lines that show it.
    """
    owner, name = owner_of(pod), f"{pod.metadata.namespace}/{pod.metadata.name}"
    of = f"{owner.kind} {owner} controls it" if owner.kind != "Pod" else "nothing controls it"
    yield "pod", f"{name} {_state(facts, pod)}; {of}"
    if pod.has_ended:
        if pod.status.reason or pod.status.message:
            yield "because", ": ".join(each for each in (pod.status.reason, " ".join(pod.status.message.split())) if each)
    elif not pod.spec.nodeName:
        yield from _without_node(facts, pod)
    else:
        yield from _on_node(facts, pod)
    yield from (("JobSet", _waits_for_it(facts, pod, each)) for each in _stalls(facts, pod))
    yield from _commands(pod, owner)


def subjects(facts: Diagnosis, pod: StatedPod) -> frozenset[Subject]:
    """What the chain is about: of findings on these it tells the reason.

    The pod, who controls it, its JobSet, its node, and the DaemonSets that are missing behind it.
    """
    found = {owner_of(pod), Subject("Pod", pod.metadata.namespace, pod.metadata.name)}
    found |= {_job_set(each) for each in _stalls(facts, pod)}
    if pod.spec.nodeName:
        found.add(Subject("Node", "", pod.spec.nodeName))
    if is_pending(pod):
        found |= {subject for _, subject in causes(facts, pod, unschedulable.account(facts, pod))}
    found |= {Subject("DaemonSet", gap.daemonset.metadata.namespace, gap.daemonset.metadata.name) for gap in _missing(facts, pod)}
    return frozenset(found)


def is_pending(pod: StatedPod) -> bool:
    """Whether a pod waits for a node."""
    return not pod.spec.nodeName and not pod.has_ended and not pod.metadata.deletionTimestamp


def _state(facts: Diagnosis, pod: StatedPod) -> str:
    if pod.metadata.deletionTimestamp:
        return f"is being deleted {since(pod.metadata.deletionTimestamp, facts.at)}".rstrip()
    if pod.has_ended:
        return f"has ended: {pod.status.phase}"
    begun = since(pod.metadata.creationTimestamp, facts.at)
    if not pod.spec.nodeName:
        return f"has no node{f' {begun}' if begun else ''}"
    if pod.status.phase == "Running":
        return f"runs on {pod.spec.nodeName}{' and is Ready' if is_ready(pod) else ', and is not Ready'}"
    return f"is {pod.status.phase or 'Pending'} on {pod.spec.nodeName}{f' {begun}' if begun else ''}"


def _without_node(facts: Diagnosis, pod: StatedPod) -> Iterator[Link]:
    wait, name = wait_of(facts, pod), scheduler_of(pod)
    if pod.status.nominatedNodeName:
        yield "scheduler", f"{name} clears {pod.status.nominatedNodeName} for it: it waits for pods that end there"
    if not is_late(facts, pod):
        yield "scheduler", "it has just been created: a scheduler needs a moment"
    if wait.words and wait.cause is not Cause.GATED:
        yield "scheduler", f"{name} says: {wait.words}"
    elif wait.cause not in (Cause.GATED, Cause.UNANSWERED):
        yield "scheduler", f"{name} has said nothing of it"
    yield from _special(facts, wait)
    stalls = _stalls(facts, pod)
    ours = unschedulable.account(facts, pod)
    lines = jobset_leaders.lines(facts, stalls[0], ours) if stalls else unschedulable.lines(ours.classes)
    yield from (("nodes", line) for line in lines)
    if other := miscounted(wait.words, len(facts.occupancy.rooms)):
        yield "nodes", other
    yield from (("behind it", text) for text in dict.fromkeys(text for text, _ in causes(facts, pod, ours)))


def _special(facts: Diagnosis, wait: Wait) -> Iterator[Link]:
    name = scheduler_of(wait.pod)
    if wait.hold is not None:
        who = f"{wait.hold.component} holds it" if wait.hold.component else "it is held"
        other = f", and is not its scheduler {name}" if wait.hold.foreign and wait.hold.component else ""
        yield "because", f"{who}{other}: {wait.hold.words}"
        if wait.hold.means:
            yield "because", wait.hold.means
    elif wait.cause is Cause.UNANSWERED:
        yield "because", f"nobody answers to the scheduler {name}: no event, no condition and no other pod is of it"
    elif wait.cause is Cause.GATED:
        yield "because", wait.words
    elif wait.fault is not None:
        fault = wait.fault.fault
        yield "because", f"{fault.component} {wait.fault.version} {fault.what} ({fault.id})"
        yield "because", wait.fault.sign
        yield "help", fault.help
    elif wait.cause is Cause.DISAGREES:
        yield "because", "by our own account a node takes it: the scheduler has not looked again, or knows what is not seen here"
        yield from (("because", text) for text in not_ruled_out(facts, wait))
    elif name != DEFAULT and not wait.words and not facts.knows_events:
        yield "because", f"whether anybody answers to {name} is not known: events were not given"


def _on_node(facts: Diagnosis, pod: StatedPod) -> Iterator[Link]:
    node = pod.spec.nodeName
    if node in facts.removed:
        yield "node", f"{node} is not there any more: nobody starts or ends the pod"
    elif node in facts.down:
        condition = facts.node_state(node).condition("Ready")
        begun = since(condition.lastTransitionTime if condition else "", facts.at)
        said = f": {' '.join(condition.message.split())}" if condition and condition.message else ""
        yield "node", f"{node} is not Ready{f' {begun}' if begun else ''}{said}"
    found = ailing(pod, facts.at, silent=node in facts.down)
    if found is not None and found.why:
        yield "because", found.why
    elif found is not None and found.trouble is Trouble.UNTOUCHED:
        yield "because", "the kubelet has not begun to start it"
    for event in facts.events.of("Pod", *pod.key)[:2] if found is not None else ():
        yield "because", f"{event.component or 'an event'} says: {event.reason}: {' '.join(event.message.split())}"
    if found is not None:
        for gap in _missing(facts, pod)[:_MOST_GAPS]:
            yield "behind it", f"{node} lacks {what(gap.component)} ({gap.daemonset.key}): {because(gap)}"


def _missing(facts: Diagnosis, pod: StatedPod) -> list[Gap]:
    """The components that the node of a pod lacks and without which workloads break; not the pod's own DaemonSet."""
    if not pod.spec.nodeName:
        return []
    owner = owner_of(pod)
    gaps = [gap for gap in facts.gaps if gap.is_critical and pod.spec.nodeName in gap.nodes]
    return [gap for gap in gaps if (gap.daemonset.metadata.namespace, gap.daemonset.metadata.name) != (owner.namespace, owner.name)]


def _stalls(facts: Diagnosis, pod: StatedPod) -> list[Stalled]:
    """The Jobs of JobSets whose leader a pod is, or of which it asks for a domain without a name."""
    return [each for each in facts.pending.stalled if pod in (each.leader, *each.pods)]


def _waits_for_it(facts: Diagnosis, pod: StatedPod, each: Stalled) -> str:
    """What the leader costs its Job; for a follower why it cannot start."""
    if each.leader == pod and each.stall is Stall.UNSCHEDULED:
        count = "the followers" if each.followers is None else f"{each.followers} follower{'s' if each.followers != 1 else ''}"
        verb = "is" if each.followers == 1 else "are"
        return f"it is the leader: {count} of Job {each.namespace}/{each.job} {verb} refused until it has a node"
    return f"Job {each.namespace}/{each.job} gets no followers: {stalled(facts, each)}"


def _job_set(each: Stalled) -> Subject:
    if each.job_set is None:
        return Subject("Job", each.namespace, each.job)
    return Subject("JobSet", each.namespace, each.job_set.metadata.name)


def _commands(pod: StatedPod, owner: Subject) -> Iterator[Link]:
    namespace, node = pod.metadata.namespace, pod.spec.nodeName
    lines = [describe("pod", pod.metadata.name, namespace), events_of("Pod", pod.metadata.name, namespace)]
    if owner.kind in ("Deployment", "StatefulSet", "DaemonSet", "Job"):
        lines.append(describe(owner.kind.lower(), owner.name, namespace))
    lines += [describe("node", node), pods_on(node)] if node else [get("nodes", output="wide")]
    yield from ((SHOWS, line) for line in lines if line)
