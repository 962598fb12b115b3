"""Why nodes that are not Ready for want of a pod network have none."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from preflight.doctor.coverage_gaps import CoverageGap, GapKind
from preflight.doctor.daemonset_health import PodHealthByDaemonSet, get_working_nodes
from preflight.doctor.index import ClusterIndex
from preflight.doctor.providers import ProviderIndex
from preflight.model.apps import DaemonSet


class MissingNetwork(Struct, frozen=True):
    """Nodes without a network, for one reason.

    1. `gap` is that of the pod network there; where it is None, `daemonsets` are the networks that work there all the same.
    2. Where there are none either, `unlisted` are the networks whose pods were not listed. Neither says that no DaemonSet is known to be
       the network of these nodes.
    """

    nodes: tuple[str, ...]
    since: str
    gap: CoverageGap | None = None
    daemonsets: tuple[DaemonSet, ...] = ()
    unlisted: tuple[DaemonSet, ...] = ()


def find_missing_networks(
    index: ClusterIndex, providers: ProviderIndex, pod_health: PodHealthByDaemonSet, gaps: tuple[CoverageGap, ...]
) -> tuple[MissingNetwork, ...]:
    """The nodes whose kubelet reports that the network is missing, by why; not those that have just registered."""
    networks = [provider for provider in providers.list_providers("cni") if providers.is_pod_network(provider.daemonset)]
    unlisted = tuple(network.daemonset for network in networks if not index.cluster.are_pods_listed(*network.key))
    found: dict[object, MissingNetwork] = {}
    for name in sorted(index.nodes_without_network):
        if index.is_new_node(name):
            continue
        here = [gap for gap in gaps if name in gap.nodes or (gap.kind is GapKind.REFUSED and not gap.nodes)]
        own = [gap for gap in here if any(gap.daemonset is network.daemonset for network in networks)]
        working = [network.daemonset for network in networks if name in get_working_nodes(pod_health, network.key)]
        key = own[0].key if own else tuple(daemonset.key for daemonset in working)
        condition = index.get_node_state(name).find_condition("Ready")
        since = condition.lastTransitionTime if condition else ""
        if key in found:
            others = found[key]
            found[key] = replace(others, nodes=(*others.nodes, name), since=min(others.since, since))
        else:
            found[key] = MissingNetwork((name,), since, own[0] if own else None, () if own else tuple(working), unlisted)
    return tuple(found.values())
