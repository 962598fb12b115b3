"""The story of a diagnosis: which nodes lack what and why, a sentence each, the worst first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.doctor.device_fault import ResourceFault
from preflight.doctor.gap_text import describe_component, explain_gap
from preflight.doctor.stranded_capacity import format_resources
from preflight.doctor.timestamps import format_since
from preflight.messages.lists import join_node_names

if TYPE_CHECKING:
    from preflight.doctor.context import ClusterFacts


def write_headline(facts: ClusterFacts, node: str = "") -> str:
    """`today at 2026-03-01T12:00:00Z: something is wrong on 3 of 15 nodes`; of one node its name."""
    hurt = {name for nodes, _ in _iter_sentences(facts) for name in nodes}
    every = sum(each.pool is None for each in facts.world.nodes.values())
    at = f" at {facts.latest_time}" if facts.latest_time else ""
    if node:
        return f"{node}{at}"
    if not hurt:
        waiting = "pods wait, and " if facts.pending_pods.sentences else ""
        return f"today{at}: {waiting}nothing wrong is seen on {every} node{'s' if every != 1 else ''}"
    return f"today{at}: something is wrong on {len(hurt)} of {every} node{'s' if every != 1 else ''}"


def write_summary(facts: ClusterFacts, node: str = "") -> tuple[str, ...]:
    """The sentences, those on one node where it is named."""
    return tuple(sentence for nodes, sentence in _iter_sentences(facts) if not node or node in nodes)


def _iter_sentences(facts: ClusterFacts) -> Iterator[tuple[tuple[str, ...], str]]:
    for name in sorted(facts.not_ready_nodes):
        condition = facts.get_node_state(name).find_condition("Ready")
        begun = format_since(condition.lastTransitionTime if condition else "", facts.latest_time)
        yield (name,), f"{name} is not Ready{f' {begun}' if begun else ''}"
    for gap in facts.gaps:
        if gap.nodes and not (gap.is_doubtful and not gap.is_critical):
            verb = "lacks" if len(gap.nodes) == 1 else "lack"
            reason = facts.pending_pods.describe_hold(gap) or explain_gap(gap)
            yield gap.nodes, f"{join_node_names(gap.nodes)} {verb} {describe_component(gap.component)} ({gap.daemonset.key}): {reason}"
    told = {name for gap in facts.gaps for name in gap.nodes}
    for lack in facts.missing_drivers:
        if not told.issuperset(lack.nodes):
            verb = "mounts" if len(lack.pods) == 1 else "mount"
            number = f"{len(lack.pods)} pod{'s' if len(lack.pods) != 1 else ''}"
            yield (
                lack.nodes,
                (
                    f"{join_node_names(lack.nodes)} {_format_subject_nodes(lack.nodes)} no pod of the CSI "
                    f"driver {lack.driver}, whose volumes {number} {verb} there"
                ),
            )
    for left in facts.leftover_taints:
        if not told.issuperset(left.nodes):
            yield (
                left.nodes,
                f"{join_node_names(left.nodes)} {_format_subject_nodes(left.nodes)} the startup taint {left.key} still: {left.reason}",
            )
    for fault in facts.faulty_resources:
        if fault.fault in (ResourceFault.NOT_ALLOCATABLE, ResourceFault.NOT_ADVERTISED):
            yield fault.nodes, f"{fault.resource} cannot be had on {join_node_names(fault.nodes)}: {fault.why}"
    for update in facts.stalled_rollouts:
        if update.is_certain:
            yield update.nodes, f"an update of {update.daemonset.key} stands still: {update.old_pod_summary}"
    for label_drift in facts.label_drifts:
        if not (label_drift.waiting_pods or label_drift.idle_devices):
            continue
        verb, devices = "lacks" if len(label_drift.nodes) == 1 else "lack", format_resources(label_drift.idle_devices)
        tail = f"; {devices} there lie idle" if devices else ""
        yield (
            label_drift.nodes,
            f"{join_node_names(label_drift.nodes)} {verb} the label {label_drift.label}, which {len(label_drift.peers)} peers carry{tail}",
        )
    for idle in facts.idle_cordoned:
        if idle.free_resources and not idle.is_new:
            begun = format_since(idle.since, facts.latest_time)
            yield (
                idle.nodes,
                f"{idle.nodes[0]} is cordoned{f' {begun}' if begun else ''}; {format_resources(idle.free_resources)} there lie idle",
            )
    for held in facts.stale_allocations:
        yield held.nodes, f"{held.amount} {held.resource} on {join_node_names(held.nodes)} are held by pods of which nothing runs"
    yield from facts.pending_pods.sentences


def _format_subject_nodes(nodes: tuple[str, ...]) -> str:
    return "has" if len(nodes) == 1 else "have"
