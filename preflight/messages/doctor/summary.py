"""The summary of a diagnosis: which nodes lack what and why, one sentence each, the worst first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from preflight.doctor.coverage_gaps import GapKind
from preflight.doctor.devices import ResourceFault
from preflight.doctor.diagnose import Diagnosis
from preflight.doctor.jobsets import StalledJob
from preflight.doctor.pending.causes import WaitCause
from preflight.messages.amounts import format_resources
from preflight.messages.counts import format_count
from preflight.messages.doctor.gaps import describe_provider, explain_gap
from preflight.messages.doctor.jobsets import describe_stalled_jobs, explain_stalled_job
from preflight.messages.doctor.nodes import describe_missing_label, describe_missing_network, explain_leftover_taint, format_start
from preflight.messages.doctor.pending import describe_refused_creation, describe_root_cause, describe_waiting_pods, explain_wait
from preflight.messages.doctor.resources import describe_held_resource, explain_fault
from preflight.messages.doctor.rollouts import describe_old_pods
from preflight.messages.doctor.stuck_pods import summarize_stuck_pods
from preflight.messages.lists import join_node_names

Sentence = tuple[tuple[str, ...], str]
"""The nodes that a sentence is about, and the sentence."""

_EXPLAINED_CAUSES = (WaitCause.ON_HOLD, WaitCause.NO_SCHEDULER, WaitCause.KNOWN_BUG, WaitCause.SCHEDULER_DISAGREES, WaitCause.NO_NODE_FITS)


def write_headline(diagnosis: Diagnosis, node: str = "") -> str:
    """`problems found on 3 of 15 nodes at 2026-03-01T12:00:00Z`; for one node its name."""
    index = diagnosis.index
    faulty = {name for nodes, _ in _iter_sentences(diagnosis) for name in nodes}
    count = len(index.existing_nodes)
    at = f" at {index.latest_time}" if index.latest_time else ""
    if node:
        return f"{node}{at}"
    if not faulty:
        waiting = "pods are waiting, but " if next(_iter_pending_sentences(diagnosis), None) is not None else ""
        return f"{waiting}no problems found on {format_count(count, 'node')}{at}"
    return f"problems found on {len(faulty)} of {format_count(count, 'node')}{at}"


def write_summary(diagnosis: Diagnosis, node: str = "") -> tuple[str, ...]:
    """The sentences, only those about one node if it is named."""
    return tuple(sentence for nodes, sentence in _iter_sentences(diagnosis) if not node or node in nodes)


def _iter_sentences(diagnosis: Diagnosis) -> Iterator[Sentence]:
    index = diagnosis.index
    for network in diagnosis.missing_networks:
        since = format_start(network.since, index.latest_time)
        verb = ("has not been" if since else "is not") if len(network.nodes) == 1 else ("have not been" if since else "are not")
        yield network.nodes, f"{join_node_names(network.nodes)} {verb} Ready{since}: {describe_missing_network(network)}"
    explained = {name for network in diagnosis.missing_networks for name in network.nodes}
    for name in sorted(index.not_ready_nodes - explained):
        condition = index.get_node_state(name).find_condition("Ready")
        since = format_start(condition.lastTransitionTime if condition else "", index.latest_time)
        count = sum(len(stuck.pods) for stuck in diagnosis.stuck_pods if stuck.nodes == (name,) and not stuck.is_awaited)
        hang = f"; {format_count(count, 'pod')} there {'is' if count == 1 else 'are'} stuck in Terminating" if count else ""
        yield (name,), f"{name} {'has not been' if since else 'is not'} Ready{since}{hang}"
    for stuck in diagnosis.stuck_pods:
        if stuck.is_awaited:
            yield stuck.nodes, summarize_stuck_pods(stuck, index.latest_time)
    yield from _iter_gap_sentences(diagnosis)
    reported = {name for gap in diagnosis.gaps for name in gap.nodes}
    for driver in diagnosis.missing_drivers:
        if not reported.issuperset(driver.nodes):
            mount = f"{format_count(len(driver.pods), 'pod')} there {'mounts' if len(driver.pods) == 1 else 'mount'} its volumes"
            has = _agree_have(driver.nodes)
            yield driver.nodes, f"{join_node_names(driver.nodes)} {has} no pod of the CSI driver {driver.driver}, but {mount}"
    for taint in diagnosis.leftover_taints:
        if not reported.issuperset(taint.nodes):
            has = _agree_have(taint.nodes)
            text = f"{join_node_names(taint.nodes)} still {has} the startup taint {taint.taint_key}: {explain_leftover_taint(taint)}"
            yield taint.nodes, text
    for faulty in diagnosis.faulty_resources:
        if faulty.fault in (ResourceFault.NOT_ALLOCATABLE, ResourceFault.NOT_ADVERTISED):
            yield faulty.nodes, f"{faulty.resource} is not available on {join_node_names(faulty.nodes)}: {explain_fault(faulty.reason)}"
    for rollout in diagnosis.stalled_rollouts:
        if rollout.is_certain:
            yield rollout.nodes, f"the update of DaemonSet {rollout.daemonset.key} is stalled: {describe_old_pods(rollout)}"
    for drift in diagnosis.label_drifts:
        if drift.waiting_pods or drift.is_critical:
            idle = f"; {format_resources(drift.idle_devices)} idle there" if drift.idle_devices else ""
            yield drift.nodes, f"{describe_missing_label(drift)}{idle}"
    for cordoned in diagnosis.cordoned_nodes:
        if cordoned.free_resources and not cordoned.is_new:
            since = format_start(cordoned.since, index.latest_time)
            idle = f"{format_resources(cordoned.free_resources)} idle there"
            yield cordoned.nodes, f"{cordoned.nodes[0]} {'has been' if since else 'is'} cordoned{since}; {idle}"
    for allocation in diagnosis.stale_allocations:
        yield allocation.nodes, describe_held_resource(allocation)
    yield from _iter_pending_sentences(diagnosis)


def _iter_gap_sentences(diagnosis: Diagnosis) -> Iterator[Sentence]:
    reported = {network.gap.key for network in diagnosis.missing_networks if network.gap is not None}
    for gap in diagnosis.gaps:
        if gap.key in reported and diagnosis.index.nodes_without_network.issuperset(gap.nodes):
            continue
        if gap.nodes and not (gap.is_doubtful and not gap.is_critical):
            verb = "lacks" if len(gap.nodes) == 1 else "lack"
            wait = diagnosis.find_other_wait(gap)
            reason = explain_wait(wait) if wait is not None else explain_gap(gap)
            yield gap.nodes, f"{join_node_names(gap.nodes)} {verb} {describe_provider(gap)}: {reason}"
        elif gap.kind is GapKind.NOT_SELECTED:
            yield (), f"{describe_provider(gap)} runs nowhere: {explain_gap(gap)}"
        elif gap.kind is GapKind.REFUSED:
            yield (), f"{describe_provider(gap)} gets no new pods: {explain_gap(gap)}"


def _iter_pending_sentences(diagnosis: Diagnosis) -> Iterator[Sentence]:
    """A sentence for all pods that wait for the same, the most pods first, with the nodes that it is about.

    Pods of DaemonSets are reported with their nodes. For a JobSet the Jobs are reported whose followers are refused.
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
        yield (), f"{subject.kind} {subject} {describe_refused_creation(refusal)}"
    for group in diagnosis.group_waits(*_EXPLAINED_CAUSES):
        if group.first_wait.owner.kind != "DaemonSet":
            causes = diagnosis.list_missing_components(group.first_wait.pod)
            yield (), f"{describe_waiting_pods(group)}: {describe_root_cause(causes[0]) if causes else explain_wait(group.first_wait)}"


def _agree_have(nodes: tuple[str, ...]) -> str:
    return "has" if len(nodes) == 1 else "have"
