"""What is behind the shortage of a pod: a missing provider of a resource, a label that drifted, pods that only hold devices."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.coverage.node_targeting import collect_asked_labels
from preflight.dependents.requirements import is_extended_resource
from preflight.doctor.belonging import SignKind
from preflight.doctor.coverage_gaps import CoverageGap, GapKind
from preflight.doctor.demand import DemandIndex
from preflight.doctor.label_drift import LabelDrift
from preflight.doctor.pending.unschedulable import SchedulerAccount
from preflight.doctor.providers import ProviderIndex
from preflight.doctor.stranded_capacity import StaleAllocation
from preflight.model.report import Subject
from preflight.model.runtime_state import PodState


class MissingProvider(Struct, frozen=True):
    """A resource of which too little is left, and a gap of the DaemonSet that advertises it.

    `is_certain`: the DaemonSet is known to advertise it, and is not only the one device plugin whose resources are not known.
    """

    resource: str
    gap: CoverageGap
    is_certain: bool = True

    @property
    def subject(self) -> Subject:
        """What a finding on it is about."""
        metadata = self.gap.daemonset.metadata
        return Subject("DaemonSet", metadata.namespace, metadata.name)


class MissingVolumeDriver(Struct, frozen=True):
    """A CSI driver that should make the volume of a claim that is not bound, and a gap of its DaemonSet."""

    driver: str
    gap: CoverageGap

    @property
    def subject(self) -> Subject:
        """What a finding on it is about."""
        metadata = self.gap.daemonset.metadata
        return Subject("DaemonSet", metadata.namespace, metadata.name)


RootCause = MissingProvider | MissingVolumeDriver | LabelDrift | StaleAllocation


def iter_missing_providers(providers: ProviderIndex, gaps: tuple[CoverageGap, ...], pod_fit: SchedulerAccount) -> Iterator[MissingProvider]:
    """For each extended resource that is short: the gaps of the DaemonSets that advertise it."""
    for resource in pod_fit.short_resources:
        if not is_extended_resource(resource):
            continue
        advertisers = [provider.daemonset for provider in providers.find_likely_advertisers(resource)]
        for gap in gaps:
            if (gap.nodes or gap.kind is GapKind.NOT_SELECTED) and any(gap.daemonset is daemonset for daemonset in advertisers):
                yield MissingProvider(resource, gap, is_certain=bool(providers.find_advertisers(resource)))


def iter_missing_drivers(
    providers: ProviderIndex, demand: DemandIndex, gaps: tuple[CoverageGap, ...], pod: PodState
) -> Iterator[MissingVolumeDriver]:
    """For each CSI driver that claims of a pod wait for: the gaps of its DaemonSets that these claims are evidence for."""
    for driver in demand.find_unbound_drivers(pod):
        for gap in gaps:
            is_missed = any(sign.kind is SignKind.VOLUMES_REQUESTED and driver in sign.names for sign in gap.signs)
            is_driver = any(driver in component.drivers for component in providers.recognize(gap.daemonset))
            if is_driver and (is_missed or gap.kind not in (GapKind.KEPT_OUT, GapKind.NOT_SELECTED)):
                yield MissingVolumeDriver(driver, gap)


def iter_root_causes(
    providers: ProviderIndex,
    demand: DemandIndex,
    gaps: tuple[CoverageGap, ...],
    label_drifts: tuple[LabelDrift, ...],
    stale_allocations: tuple[StaleAllocation, ...],
    pod: PodState,
    pod_fit: SchedulerAccount,
) -> Iterator[RootCause]:
    """Everything behind the shortage of a pod.

    1. The DaemonSet that advertises a resource that is short, and is missing.
    2. The DaemonSet of a CSI driver that should make the volume of a claim, and is missing.
    3. Nodes that lack a label which the pod asks for and which their peers carry.
    4. Pods that hold a resource that is short, and of which no container runs.
    """
    yield from iter_missing_providers(providers, gaps, pod_fit)
    yield from iter_missing_drivers(providers, demand, gaps, pod)
    labels = collect_asked_labels(pod.spec)
    yield from (drift for drift in label_drifts if drift.label in labels)
    yield from (allocation for allocation in stale_allocations if allocation.resource in pod_fit.short_resources)


def get_cause_subject(cause: RootCause) -> Subject:
    """What a finding on a root cause is about."""
    match cause:
        case MissingProvider() | MissingVolumeDriver():
            return cause.subject
        case LabelDrift():
            return Subject("Node", "", cause.nodes[0])
        case StaleAllocation():
            return Subject("Resource", "", cause.resource)
