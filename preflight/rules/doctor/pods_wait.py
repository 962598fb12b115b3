"""Pods wait for a node, and these are the actual reasons.

Why it matters
    The scheduler's message is one number for each reason, over all nodes: it names no node, and only the first of several reasons. Here
    each class of nodes lists everything that keeps the pod off, which shows the closest nodes and how little is missing there. Pods that
    wait for the same are reported together. Other rules report the pods of DaemonSets.
How to fix
    Start with the first line: these nodes lack least. Typical reasons are a missing label, a taint, a resource without its provider, or
    free capacity that is too small on each node.
Example
    Eight pods of a Job that request four GPUs each: three nodes have two GPUs free each, and four lack the label of the node selector.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.diagnose import Diagnosis
from preflight.doctor.pending.causes import PodWait, WaitCause
from preflight.doctor.pending.schedulers import DEFAULT_SCHEDULER, get_scheduler
from preflight.doctor.root_causes import RootCause
from preflight.messages.doctor.node_fits import describe_classes, describe_count_mismatch
from preflight.messages.doctor.pending import (
    describe_outdated_count,
    describe_root_cause,
    describe_unknown_scheduler,
    describe_wait_for_node,
)
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis
from preflight.rules.doctor._pending_hits import iter_wait_groups, make_wait_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for all pods that wait for the same; a note for those that a scheduling gate holds back."""
    diagnosis = get_diagnosis(context)
    for group, key in iter_wait_groups(context, WaitCause.NO_NODE_FITS, WaitCause.GATED):
        if group.first_wait.owner.kind == "DaemonSet" and group.first_wait.cause is WaitCause.NO_NODE_FITS:
            continue
        yield make_wait_hit(
            context,
            group,
            key,
            Severity.NOTE if group.first_wait.cause is WaitCause.GATED else Severity.WARNING,
            describe_wait_for_node(group, diagnosis.index.latest_time),
            *(("note", text) for text in _iter_notes(diagnosis, group.first_wait)),
        )


def _iter_notes(diagnosis: Diagnosis, wait: PodWait) -> Iterator[str]:
    index, account = diagnosis.index, wait.pod_fit
    if account is None:
        return
    yield from describe_classes(account.classes)
    causes: tuple[RootCause, ...] = (*diagnosis.list_missing_providers(account), *diagnosis.list_missing_components(wait.pod))
    yield from dict.fromkeys(map(describe_root_cause, causes))
    if mismatch := describe_count_mismatch(wait.counted_nodes, len(index.occupancy.nodes)):
        yield describe_outdated_count(mismatch)
    if get_scheduler(wait.pod) != DEFAULT_SCHEDULER and not wait.scheduler_message and not index.has_events:
        yield describe_unknown_scheduler(wait)


RULE = Rule(id="PF440", name="pods-wait", severity=Severity.WARNING, check=check)
