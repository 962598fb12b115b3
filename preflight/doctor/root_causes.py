"""What stands behind what nodes lack for a pod: the DaemonSet that provides a resource, a label that drifted, pods that only hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.dependents.requirements import is_extended_resource
from preflight.doctor.gap_text import explain_gap
from preflight.messages.lists import join_node_names
from preflight.model.report import Subject

if TYPE_CHECKING:
    from preflight.doctor.context import ClusterFacts
    from preflight.doctor.coverage_gaps import CoverageGap
    from preflight.doctor.pending.unschedulable import SchedulerAccount
    from preflight.model.runtime_state import PodState


def iter_missing_providers(facts: ClusterFacts, pod_fit: SchedulerAccount) -> Iterator[tuple[str, CoverageGap]]:
    """For each extended resource that is short: who provides it, and the nodes where that one is missing, with why."""
    for resource in pod_fit.short_resources:
        if not is_extended_resource(resource):
            continue
        for gap in facts.gaps:
            if gap.nodes and any(component.advertises(resource) for component in facts.component_cache.recognize(gap.daemonset)):
                verb = "lacks" if len(gap.nodes) == 1 else "lack"
                yield f"{resource} comes from {gap.daemonset.key}, which {join_node_names(gap.nodes)} {verb}: {explain_gap(gap)}", gap


def iter_root_causes(facts: ClusterFacts, pod: PodState, pod_fit: SchedulerAccount) -> Iterator[tuple[str, Subject]]:
    """All that stands behind it, each with what a finding on it is about.

    1. Who provides a resource that is short, and is missing.
    2. Nodes that lack a label which the pod asks for and which their peers carry.
    3. Pods that hold a resource that is short, and of which nothing runs.
    """
    for text, gap in iter_missing_providers(facts, pod_fit):
        yield text, Subject("DaemonSet", gap.daemonset.metadata.namespace, gap.daemonset.metadata.name)
    asked = _collect_requested_labels(pod)
    for drift in facts.label_drifts:
        if drift.label in asked:
            verb = "lacks" if len(drift.nodes) == 1 else "lack"
            text = f"{join_node_names(drift.nodes)} {verb} the label {drift.label}, which {len(drift.peers)} peers carry"
            yield text, Subject("Node", "", drift.nodes[0])
    for held in facts.stale_allocations:
        if held.resource in pod_fit.short_resources:
            text = f"{held.amount} {held.resource} on {join_node_names(held.nodes)} are held by pods of which nothing runs"
            yield text, Subject("Resource", "", held.resource)


def _collect_requested_labels(pod: PodState) -> frozenset[str]:
    """The labels of nodes that a pod asks for."""
    affinity = pod.spec.affinity.nodeAffinity if pod.spec.affinity else None
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity else None
    keys = [expression.key for term in required.nodeSelectorTerms for expression in term.matchExpressions] if required else []
    return frozenset((*pod.spec.nodeSelector, *keys))
