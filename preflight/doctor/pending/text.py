"""Pods that wait, told in a sentence each: how many of which workload, and what for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.doctor.jobset_leaders import lines
from preflight.doctor.jobsets import Stall, Stalled
from preflight.doctor.pending.causes import Cause, Group, Wait, groups, wait_of
from preflight.doctor.pending.schedulers import DEFAULT, scheduler_of
from preflight.doctor.pending.unschedulable import account
from preflight.messages.lists import names

if TYPE_CHECKING:
    from preflight.doctor.context import Diagnosis

_TOLD = (Cause.HELD, Cause.UNANSWERED, Cause.FAULT, Cause.DISAGREES, Cause.REFUSED)


def sentences(facts: Diagnosis) -> Iterator[tuple[tuple[str, ...], str]]:
    """A sentence for all pods that wait for the same, the most pods first, with the nodes that it is about.

    Those of DaemonSets are told with their nodes. Of JobSets the Jobs are told whose followers cannot come.
    """
    alike: defaultdict[tuple[str, str, str], list[Stalled]] = defaultdict(list)
    for each in facts.pending.stalled:
        name = each.job_set.metadata.name if each.job_set is not None else ""
        alike[each.namespace, name, stalled(facts, each)].append(each)
    for (namespace, _, why), same in alike.items():
        jobs = f"Job {namespace}/{same[0].job} gets" if len(same) == 1 else f"{len(same)} Jobs such as {namespace}/{same[0].job} get"
        yield same[0].nodes, f"{jobs} no followers: {why}"
    for one in facts.pending.refused:
        yield (), f"{one.subject.kind} {one.subject} has {one.there} of {one.wanted} pods: their creation is refused: {one.words}"
    for group in groups(facts, *_TOLD):
        if group.first.owner.kind != "DaemonSet":
            yield (), f"{who(group)}: {because(group.first)}"


def stalled(facts: Diagnosis, each: Stalled) -> str:
    """Why the followers of a Job cannot come."""
    if each.stall is Stall.ABSENT or each.leader is None:
        return f"the leader is not there{f': {each.refused}' if each.refused else ''}"
    node = each.leader.spec.nodeName
    if each.stall is Stall.UNSCHEDULED:
        wait = wait_of(facts, each.leader)
        nearest = next(lines(facts, each, account(facts, each.leader)), "") if wait.cause is Cause.REFUSED else ""
        return f"the leader has no node: {nearest or because(wait)}"
    if each.stall is Stall.NO_DOMAIN:
        return f"no node has the label {each.topology}"
    if each.stall is Stall.EMPTY:
        return f"they ask for an empty {each.topology}"
    return f"{node}, where the leader is, {'is gone' if each.stall is Stall.NODE_GONE else f'lacks the label {each.topology}'}"


def who(group: Group) -> str:
    """`3 pods of Job research/train wait`, with how many others wait for the same."""
    subject, number = group.owners[0]
    others = len(group.pods) - number
    more = f" and {others} of others" if others else ""
    if subject.kind == "Pod":
        return f"Pod {subject}{more} {'wait' if others else 'waits'}"
    verb = "wait" if number + others > 1 else "waits"
    return f"{number} pod{'s' if number != 1 else ''} of {subject.kind} {subject}{more} {verb}"


def because(wait: Wait) -> str:
    """What a pod waits for, to stand after a colon."""
    name = scheduler_of(wait.pod)
    if wait.hold is not None:
        return f"{wait.hold.component or 'its group or queue'} holds it: {wait.hold.words}"
    if wait.cause is Cause.UNANSWERED:
        return f"nobody answers to the scheduler {name}"
    if wait.fault is not None:
        return f"a known fault of {wait.fault.fault.component} {wait.fault.version} ({wait.fault.fault.id})"
    ours = wait.account
    if ours is not None and ours.takers and wait.cause is Cause.DISAGREES:
        return f"the scheduler finds no node, and by our own account {names(ours.takers)} {'takes' if len(ours.takers) == 1 else 'take'} it"
    nearest = next((each for each in ours.classes if each.takes is False), None) if ours is not None else None
    if nearest is not None:
        return f"nearest {'is' if len(nearest.nodes) == 1 else 'are'} {names(nearest.nodes)}: {nearest.why}"
    return wait.words or (f"its scheduler {name} has said nothing" if name != DEFAULT else "no scheduler has looked at it")
