"""Pods wait for a node, and this is what they really wait for.

Why it matters
    The scheduler's message is one number for each reason, over all nodes: it names no node, and of several reasons only the first. Here
    each class of nodes says all that it has against the pod, so that it shows which nodes come near and what little keeps the pod from
    them. Pods that wait for the same are told together. Those of DaemonSets are told by other rules.
How to fix
    Begin with the first line: these nodes lack least. A label that is not there, a taint, a resource whose provider is gone, a rest that is
    too small on each node.
Example
    Eight pods of a Job that ask for four GPUs each: three nodes have two GPUs free each, and four lack the label of the node selector.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.pending.causes import WaitCause, WaitGroup, group_waits
from preflight.doctor.pending.node_fit import describe_count_mismatch
from preflight.doctor.pending.schedulers import DEFAULT_SCHEDULER, get_scheduler
from preflight.doctor.pending.unschedulable import describe_classes
from preflight.doctor.root_causes import iter_missing_providers
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_cluster_facts
from preflight.rules.doctor._pending_hits import describe_waiting_count, format_wait_start, make_wait_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for all pods that wait for the same; a note for those that somebody holds by a scheduling gate."""
    for group in group_waits(get_cluster_facts(context), WaitCause.NO_NODE_FITS, WaitCause.GATED):
        if group.first_wait.owner.kind == "DaemonSet" and group.first_wait.cause is WaitCause.NO_NODE_FITS:
            continue
        yield make_wait_hit(
            context,
            group,
            Severity.NOTE if group.first_wait.cause is WaitCause.GATED else Severity.WARNING,
            f"{describe_waiting_count(group)} for a node{format_wait_start(context, group)}: {_describe_wait(group)}",
            *(("note", text) for text in _iter_notes(context, group)),
        )


def _describe_wait(group: WaitGroup) -> str:
    name, words = get_scheduler(group.first_wait.pod), group.first_wait.scheduler_message
    if words:
        return words if name == DEFAULT_SCHEDULER else f"{name} says: {words}"
    return "no scheduler has looked at it" if name == DEFAULT_SCHEDULER else f"its scheduler {name} has said nothing"


def _iter_notes(context: Context, group: WaitGroup) -> Iterator[str]:
    facts, account = get_cluster_facts(context), group.first_wait.pod_fit
    if account is None:
        return
    yield from describe_classes(account.classes)
    yield from dict.fromkeys(text for text, _ in iter_missing_providers(facts, account))
    if other := describe_count_mismatch(group.first_wait.scheduler_message, len(facts.occupancy.nodes)):
        yield f"{other}: its words are of another moment, or it does not know all"
    name = get_scheduler(group.first_wait.pod)
    if name != DEFAULT_SCHEDULER and not group.first_wait.scheduler_message and not facts.has_events:
        yield f"whether anybody answers to {name} is not known: events were not given"


RULE = Rule(id="PF440", name="pods-wait", severity=Severity.WARNING, check=check)
