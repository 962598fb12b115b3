"""What is behind the shortage of a pod: a missing provider of a resource, a label that drifted, pods that only hold devices."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.dependents.requirements import is_extended_resource
from preflight.doctor.coverage_gaps import CoverageGap
from preflight.doctor.label_drift import LabelDrift
from preflight.doctor.pending.unschedulable import SchedulerAccount
from preflight.doctor.providers import ProviderIndex
from preflight.doctor.stranded_capacity import StaleAllocation
from preflight.model.report import Subject
from preflight.model.runtime_state import PodState


class MissingProvider(Struct, frozen=True):
    """A resource of which too little is left, and a gap of the DaemonSet that advertises it."""

    resource: str
    gap: CoverageGap

    @property
    def subject(self) -> Subject:
        """What a finding on it is about."""
        metadata = self.gap.daemonset.metadata
        return Subject("DaemonSet", metadata.namespace, metadata.name)


RootCause = MissingProvider | LabelDrift | StaleAllocation


def iter_missing_providers(providers: ProviderIndex, gaps: tuple[CoverageGap, ...], pod_fit: SchedulerAccount) -> Iterator[MissingProvider]:
    """For each extended resource that is short: the gaps of the DaemonSets that advertise it."""
    for resource in pod_fit.short_resources:
        if not is_extended_resource(resource):
            continue
        for gap in gaps:
            if gap.nodes and any(component.advertises(resource) for component in providers.recognize(gap.daemonset)):
                yield MissingProvider(resource, gap)


def iter_root_causes(
    providers: ProviderIndex,
    gaps: tuple[CoverageGap, ...],
    label_drifts: tuple[LabelDrift, ...],
    stale_allocations: tuple[StaleAllocation, ...],
    pod: PodState,
    pod_fit: SchedulerAccount,
) -> Iterator[RootCause]:
    """Everything behind the shortage of a pod.

    1. The DaemonSet that advertises a resource that is short, and is missing.
    2. Nodes that lack a label which the pod asks for and which their peers carry.
    3. Pods that hold a resource that is short, and of which no container runs.
    """
    yield from iter_missing_providers(providers, gaps, pod_fit)
    labels = _collect_requested_labels(pod)
    yield from (drift for drift in label_drifts if drift.label in labels)
    yield from (allocation for allocation in stale_allocations if allocation.resource in pod_fit.short_resources)


def get_cause_subject(cause: RootCause) -> Subject:
    """What a finding on a root cause is about."""
    match cause:
        case MissingProvider():
            return cause.subject
        case LabelDrift():
            return Subject("Node", "", cause.nodes[0])
        case StaleAllocation():
            return Subject("Resource", "", cause.resource)


def _collect_requested_labels(pod: PodState) -> frozenset[str]:
    """The labels of nodes that a pod asks for."""
    affinity = pod.spec.affinity.nodeAffinity if pod.spec.affinity else None
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity else None
    keys = [expression.key for term in required.nodeSelectorTerms for expression in term.matchExpressions] if required else []
    return frozenset((*pod.spec.nodeSelector, *keys))
