"""The story of a diagnosis: which nodes lack what and why, a sentence each, the worst first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from preflight.doctor.devices import ResourceFault
from preflight.doctor.diagnose import Diagnosis
from preflight.doctor.jobsets import StalledJob
from preflight.doctor.pending.causes import WaitCause
from preflight.messages.amounts import format_resources
from preflight.messages.doctor.gaps import describe_component, explain_gap
from preflight.messages.doctor.jobsets import describe_stalled_jobs, explain_stalled_job
from preflight.messages.doctor.nodes import describe_missing_label, explain_leftover_taint, format_start
from preflight.messages.doctor.pending import describe_waiting_pods, explain_wait
from preflight.messages.doctor.resources import describe_held_resource, explain_fault
from preflight.messages.doctor.rollouts import describe_old_pods
from preflight.messages.doctor.stuck_pods import summarize_stuck_pods
from preflight.messages.lists import join_node_names

Sentence = tuple[tuple[str, ...], str]
"""The nodes that a sentence is about, and the sentence."""

_EXPLAINED_CAUSES = (WaitCause.ON_HOLD, WaitCause.NO_SCHEDULER, WaitCause.KNOWN_BUG, WaitCause.SCHEDULER_DISAGREES, WaitCause.NO_NODE_FITS)


def write_headline(diagnosis: Diagnosis, node: str = "") -> str:
    """`today at 2026-03-01T12:00:00Z: something is wrong on 3 of 15 nodes`; of one node its name."""
    index = diagnosis.index
    faulty = {name for nodes, _ in _iter_sentences(diagnosis) for name in nodes}
    count = len(index.existing_nodes)
    at = f" at {index.latest_time}" if index.latest_time else ""
    if node:
        return f"{node}{at}"
    if not faulty:
        waiting = "pods wait, and " if next(_iter_pending_sentences(diagnosis), None) is not None else ""
        return f"today{at}: {waiting}nothing wrong is seen on {count} node{'s' if count != 1 else ''}"
    return f"today{at}: something is wrong on {len(faulty)} of {count} node{'s' if count != 1 else ''}"


def write_summary(diagnosis: Diagnosis, node: str = "") -> tuple[str, ...]:
    """The sentences, those on one node where it is named."""
    return tuple(sentence for nodes, sentence in _iter_sentences(diagnosis) if not node or node in nodes)


def _iter_sentences(diagnosis: Diagnosis) -> Iterator[Sentence]:
    index = diagnosis.index
    for name in sorted(index.not_ready_nodes):
        condition = index.get_node_state(name).find_condition("Ready")
        yield (name,), f"{name} is not Ready{format_start(condition.lastTransitionTime if condition else '', index.latest_time)}"
    for stuck in diagnosis.stuck_pods:
        if stuck.is_awaited:
            yield stuck.nodes, summarize_stuck_pods(stuck, index.latest_time)
    yield from _iter_gap_sentences(diagnosis)
    told = {name for gap in diagnosis.gaps for name in gap.nodes}
    for driver in diagnosis.missing_drivers:
        if not told.issuperset(driver.nodes):
            verb = "mounts" if len(driver.pods) == 1 else "mount"
            pods = f"{len(driver.pods)} pod{'s' if len(driver.pods) != 1 else ''}"
            has = _agree_have(driver.nodes)
            text = f"{join_node_names(driver.nodes)} {has} no pod of the CSI driver {driver.driver}, whose volumes {pods} {verb} there"
            yield driver.nodes, text
    for taint in diagnosis.leftover_taints:
        if not told.issuperset(taint.nodes):
            has = _agree_have(taint.nodes)
            text = f"{join_node_names(taint.nodes)} {has} the startup taint {taint.taint_key} still: {explain_leftover_taint(taint)}"
            yield taint.nodes, text
    for faulty in diagnosis.faulty_resources:
        if faulty.fault in (ResourceFault.NOT_ALLOCATABLE, ResourceFault.NOT_ADVERTISED):
            yield faulty.nodes, f"{faulty.resource} cannot be had on {join_node_names(faulty.nodes)}: {explain_fault(faulty.reason)}"
    for rollout in diagnosis.stalled_rollouts:
        if rollout.is_certain:
            yield rollout.nodes, f"an update of {rollout.daemonset.key} stands still: {describe_old_pods(rollout)}"
    for drift in diagnosis.label_drifts:
        if drift.waiting_pods or drift.idle_devices:
            idle = f"; {format_resources(drift.idle_devices)} there lie idle" if drift.idle_devices else ""
            yield drift.nodes, f"{describe_missing_label(drift)}{idle}"
    for cordoned in diagnosis.cordoned_nodes:
        if cordoned.free_resources and not cordoned.is_new:
            since = format_start(cordoned.since, index.latest_time)
            yield cordoned.nodes, f"{cordoned.nodes[0]} is cordoned{since}; {format_resources(cordoned.free_resources)} there lie idle"
    for allocation in diagnosis.stale_allocations:
        yield allocation.nodes, describe_held_resource(allocation)
    yield from _iter_pending_sentences(diagnosis)


def _iter_gap_sentences(diagnosis: Diagnosis) -> Iterator[Sentence]:
    for gap in diagnosis.gaps:
        if gap.nodes and not (gap.is_doubtful and not gap.is_critical):
            verb = "lacks" if len(gap.nodes) == 1 else "lack"
            wait = diagnosis.find_other_wait(gap)
            reason = explain_wait(wait) if wait is not None else explain_gap(gap)
            yield gap.nodes, f"{join_node_names(gap.nodes)} {verb} {describe_component(gap.component)} ({gap.daemonset.key}): {reason}"


def _iter_pending_sentences(diagnosis: Diagnosis) -> Iterator[Sentence]:
    """A sentence for all pods that wait for the same, the most pods first, with the nodes that it is about.

    Those of DaemonSets are told with their nodes. Of JobSets the Jobs are told whose followers cannot come.
    """
    alike: defaultdict[tuple[str, str, str], list[StalledJob]] = defaultdict(list)
    for stalled_job in diagnosis.stalled_jobs:
        name = stalled_job.job_set.metadata.name if stalled_job.job_set is not None else ""
        reason = explain_stalled_job(stalled_job, diagnosis.get_leader_problem(stalled_job))
        alike[stalled_job.namespace, name, reason].append(stalled_job)
    for (_, _, reason), same in alike.items():
        yield same[0].nodes, describe_stalled_jobs(same, reason)
    for refusal in diagnosis.refused_creations:
        subject = refusal.subject
        text = f"{subject.kind} {subject} has {refusal.existing} of {refusal.wanted} pods: their creation is refused: {refusal.message}"
        yield (), text
    for group in diagnosis.group_waits(*_EXPLAINED_CAUSES):
        if group.first_wait.owner.kind != "DaemonSet":
            yield (), f"{describe_waiting_pods(group)}: {explain_wait(group.first_wait)}"


def _agree_have(nodes: tuple[str, ...]) -> str:
    return "has" if len(nodes) == 1 else "have"
