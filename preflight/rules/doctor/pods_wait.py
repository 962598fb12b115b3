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

from preflight.doctor.pending.causes import Cause, Group, groups
from preflight.doctor.pending.node_fit import miscounted
from preflight.doctor.pending.schedulers import DEFAULT, scheduler_of
from preflight.doctor.pending.unschedulable import lines
from preflight.doctor.root_causes import behind
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import facts_of
from preflight.rules.doctor._pending_hits import begun, hit, pods


def check(context: Context) -> Iterator[Hit]:
    """One hit for all pods that wait for the same; a note for those that somebody holds by a scheduling gate."""
    for group in groups(facts_of(context), Cause.REFUSED, Cause.GATED):
        if group.first.owner.kind == "DaemonSet" and group.first.cause is Cause.REFUSED:
            continue
        yield hit(
            context,
            group,
            Severity.NOTE if group.first.cause is Cause.GATED else Severity.WARNING,
            f"{pods(group)} for a node{begun(context, group)}: {_said(group)}",
            *(("note", text) for text in _notes(context, group)),
        )


def _said(group: Group) -> str:
    name, words = scheduler_of(group.first.pod), group.first.words
    if words:
        return words if name == DEFAULT else f"{name} says: {words}"
    return "no scheduler has looked at it" if name == DEFAULT else f"its scheduler {name} has said nothing"


def _notes(context: Context, group: Group) -> Iterator[str]:
    facts, account = facts_of(context), group.first.account
    if account is None:
        return
    yield from lines(account.classes)
    yield from dict.fromkeys(text for text, _ in behind(facts, account))
    if other := miscounted(group.first.words, len(facts.occupancy.rooms)):
        yield f"{other}: its words are of another moment, or it does not know all"
    name = scheduler_of(group.first.pod)
    if name != DEFAULT and not group.first.words and not facts.knows_events:
        yield f"whether anybody answers to {name} is not known: events were not given"


RULE = Rule(id="PF440", name="pods-wait", severity=Severity.WARNING, check=check)
