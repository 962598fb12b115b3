"""DaemonSets of which an event says that the API server refuses their pods."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from preflight.components import Component
from preflight.coverage.model import Impact
from preflight.doctor.cluster_messages import get_creation_error
from preflight.doctor.coverage_gaps import CoverageGap, GapKind
from preflight.doctor.index import ClusterIndex
from preflight.doctor.pod_health import StatedReason
from preflight.doctor.providers import ProviderIndex
from preflight.doctor.waiting_times import RECENT_SECONDS
from preflight.model.apps import DaemonSet
from preflight.model.report import Outcome
from preflight.model.runtime_state import Event
from preflight.model.timestamps import count_seconds


def is_recent(index: ClusterIndex, event: Event) -> bool:
    """Whether an event was seen so lately that what it says holds still; one without a time counts."""
    age = count_seconds(event.last_seen, index.latest_time)
    return age is None or age <= RECENT_SECONDS


def make_refused_gap(daemonset: DaemonSet, nodes: tuple[str, ...], refusal: Event, component: Component | None) -> CoverageGap:
    """The gap that a refusal explains."""
    message = get_creation_error(refusal.message)
    reason = StatedReason(message) if message else None
    return CoverageGap(daemonset, GapKind.REFUSED, nodes, reason, since=refusal.last_seen, component=component)


def find_refused_gaps(
    index: ClusterIndex, impact: Impact | None, providers: ProviderIndex, gaps: Collection[CoverageGap]
) -> Iterator[CoverageGap]:
    """The DaemonSets whose pods were refused in the last minutes, where the nodes that lack them are not known.

    1. Not one that has a gap by refusal already.
    2. Not one that is known to have a pod on every node where it should: whatever was refused has been created since.
    """
    explained = {id(gap.daemonset) for gap in gaps if gap.kind is GapKind.REFUSED}
    for key, daemonset in index.cluster.daemonsets.items():
        refusals = index.events.get_events("DaemonSet", key.namespace, key.name, "FailedCreate")
        if refusals and is_recent(index, refusals[0]) and id(daemonset) not in explained:
            groups = [group for group in impact.groups if group.key == key] if impact is not None else []
            is_known = bool(groups) and index.cluster.are_pods_listed(key.namespace, key.name) and index.has_all_nodes
            if not is_known or any(group.outcome is Outcome.UNKNOWN for group in groups):
                yield make_refused_gap(daemonset, (), refusals[0], providers.get_worst_component(daemonset))
