"""What is behind the shortage of a pod: a missing provider of a resource, a label that drifted, pods that only hold devices."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec import Struct

from preflight.coverage.node_targeting import collect_asked_labels
from preflight.dependents.requirements import is_extended_resource
from preflight.doctor.belonging import BelongingSign, SignKind
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


class MissingComponent(Struct, frozen=True):
    """What a pod waits for besides resources, and a gap of the DaemonSet that provides it.

    `kind` is VOLUMES_REQUESTED (`names` are CSI drivers), DEVICES_REQUESTED (DRA drivers) or LABELS_REQUESTED (labels of nodes).
    """

    kind: SignKind
    names: tuple[str, ...]
    gap: CoverageGap

    @property
    def subject(self) -> Subject:
        """What a finding on it is about."""
        metadata = self.gap.daemonset.metadata
        return Subject("DaemonSet", metadata.namespace, metadata.name)


RootCause = MissingProvider | MissingComponent | LabelDrift | StaleAllocation


def iter_missing_providers(providers: ProviderIndex, gaps: tuple[CoverageGap, ...], pod_fit: SchedulerAccount) -> Iterator[MissingProvider]:
    """For each extended resource that is short: the gaps of the DaemonSets that advertise it."""
    for resource in pod_fit.short_resources:
        if not is_extended_resource(resource):
            continue
        advertisers = [provider.daemonset for provider in providers.find_likely_advertisers(resource)]
        for gap in gaps:
            if (gap.nodes or gap.kind is GapKind.NOT_SELECTED) and any(gap.daemonset is daemonset for daemonset in advertisers):
                yield MissingProvider(resource, gap, is_certain=bool(providers.find_advertisers(resource)))


def iter_missing_components(
    providers: ProviderIndex, demand: DemandIndex, gaps: tuple[CoverageGap, ...], pod: PodState
) -> Iterator[MissingComponent]:
    """For volumes, devices of claims and labels that a pod waits for: the gaps of the DaemonSets that provide them.

    A gap of a DaemonSet that is kept out, or selects no node, only where what waits is evidence for it.
    """
    drivers, labels = demand.find_unbound_drivers(pod), collect_asked_labels(pod.spec)
    for gap in gaps:
        for sign in gap.signs:
            names = _select_names(sign, drivers, labels, pod)
            if names:
                yield MissingComponent(sign.kind, names, gap)
        if gap.kind not in (GapKind.KEPT_OUT, GapKind.NOT_SELECTED):
            provided = {driver for component in providers.recognize(gap.daemonset) for driver in component.drivers}
            if names := tuple(driver for driver in drivers if driver in provided):
                yield MissingComponent(SignKind.VOLUMES_REQUESTED, names, gap)


def _select_names(sign: BelongingSign, drivers: Collection[str], labels: Collection[str], pod: PodState) -> tuple[str, ...]:
    """Of what a sign is about, that which a pod waits for."""
    match sign.kind:
        case SignKind.VOLUMES_REQUESTED:
            return tuple(name for name in sign.names if name in drivers)
        case SignKind.LABELS_REQUESTED:
            return tuple(name for name in sign.names if name in labels)
        case SignKind.DEVICES_REQUESTED:
            return sign.names if pod.spec.resourceClaims else ()
        case _:
            return ()


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
    2. The DaemonSet that should make its volumes, hand out the devices of its claims or set its labels, and is missing.
    3. Nodes that lack a label which the pod asks for and which their peers carry.
    4. Pods that hold a resource that is short, and of which no container runs.
    """
    yield from iter_missing_providers(providers, gaps, pod_fit)
    yield from iter_missing_components(providers, demand, gaps, pod)
    labels = collect_asked_labels(pod.spec)
    yield from (drift for drift in label_drifts if drift.label in labels)
    yield from (allocation for allocation in stale_allocations if allocation.resource in pod_fit.short_resources)


def get_cause_subject(cause: RootCause) -> Subject:
    """What a finding on a root cause is about."""
    match cause:
        case MissingProvider() | MissingComponent():
            return cause.subject
        case LabelDrift():
            return Subject("Node", "", cause.nodes[0])
        case StaleAllocation():
            return Subject("Resource", "", cause.resource)
