"""What a diagnosis cannot determine, and which input is missing for it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.coverage.model import Impact
from preflight.doctor.index import ClusterIndex
from preflight.doctor.providers import ProviderIndex
from preflight.model.core import find_controller
from preflight.model.report import Outcome


class MissingRuntimeState(Struct, frozen=True):
    """The snapshot holds no conditions, container states and events."""


class MissingEvents(Struct, frozen=True):
    """Events were not given; `why` is the reason, "" where none is known."""

    why: str


class MissingCsiNodes(Struct, frozen=True):
    """CSINodes were not given; `why` is the reason, "" where none is known."""

    why: str


class UnlistedPods(Struct, frozen=True):
    """Only the pods of these namespaces were listed."""

    namespaces: tuple[str, ...]


class NodesBeingRemoved(Struct, frozen=True):
    """An autoscaler is about to remove these nodes: what they lack is not judged."""

    nodes: tuple[str, ...]


class UnknownPlacement(Struct, frozen=True):
    """Where these DaemonSets should run is unknown; `were_given` is False for those that only their pods name."""

    daemonsets: tuple[str, ...]
    were_given: bool


class NoDaemonSets(Struct, frozen=True):
    """No DaemonSet was given."""


class UnknownReadiness(Struct, frozen=True):
    """No condition says whether these nodes are Ready."""

    nodes: tuple[str, ...]


Limitation = (
    MissingRuntimeState
    | MissingEvents
    | MissingCsiNodes
    | UnlistedPods
    | NodesBeingRemoved
    | UnknownPlacement
    | NoDaemonSets
    | UnknownReadiness
)


def iter_limitations(index: ClusterIndex, impact: Impact | None, providers: ProviderIndex) -> Iterator[Limitation]:
    """Kinds that could not be listed or were not given, nodes without a condition, DaemonSets that may belong anywhere."""
    cluster = index.cluster
    if cluster.listing is not None and not cluster.listing.live and not cluster.listing.at:
        yield MissingRuntimeState()
    elif not index.has_events:
        yield MissingEvents(cluster.missing_kinds.get("Event", ""))
    has_drivers = any(provider.component.drivers for provider in providers.list_providers("csi-node-driver"))
    if not index.is_kind_known("CSINode") and has_drivers:
        yield MissingCsiNodes(cluster.missing_kinds.get("CSINode", ""))
    if cluster.listed_namespaces is not None:
        yield UnlistedPods(tuple(sorted(cluster.listed_namespaces)))
    if cluster.listing is None:
        yield from _iter_missing_inputs(index)
    if index.nodes_being_removed:
        yield NodesBeingRemoved(tuple(sorted(index.nodes_being_removed)))
    if impact is not None:
        keys = sorted({str(group.key) for group in impact.groups if group.outcome is Outcome.UNKNOWN})
        if keys:
            yield UnknownPlacement(tuple(keys), were_given=True)


def _iter_missing_inputs(index: ClusterIndex) -> Iterator[Limitation]:
    """What a list that somebody put together lacks, and that would not show in the answer."""
    cluster = index.cluster
    given = {key[:2] for key in cluster.daemonsets}
    owners = {(pod.metadata.namespace, owner.name) for pod in cluster.pods if (owner := find_controller(pod)) and owner.kind == "DaemonSet"}
    absent = sorted("/".join(key) for key in owners - given)
    if absent:
        yield UnknownPlacement(tuple(absent), were_given=False)
    elif not given:
        yield NoDaemonSets()
    silent = sorted(name for name, node in index.existing_nodes.items() if node.is_ready is None)
    if silent:
        yield UnknownReadiness(tuple(silent))
