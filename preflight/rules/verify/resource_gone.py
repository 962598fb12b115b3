"""A node can allocate less of a resource than before.

Why it matters
    An extended resource leaves Allocatable when its device plugin is gone, or finds fewer devices: pods that ask for it stay Pending, while
    those that run keep what they have. Less cpu, memory or disk means that pods which fitted before may fit no more. Of memory and disk a
    hundredth is not counted: it differs from start to start.
How to fix
    Look at the device plugin of the resource on this node first: is its pod there, and Ready? Then at the driver and the devices.
Example
    `preflight verify world.json.gz` after the reboot of a node whose RDMA device plugin does not tolerate the taint of the node.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.comparison.nodes import NodeComparison, ResourceDecrease
from preflight.comparison.pods import ClusterComparison
from preflight.components import recognize_components
from preflight.messages.verify import describe_advertiser, describe_resource_decrease
from preflight.model.meta import ObjectKey
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, ManifestLocation, Rule


def check(context: Context) -> Iterator[Hit]:
    """One hit for each resource that is gone from nodes, and one, a warning, for each of which there is less."""
    since = context.comparison
    assert since is not None
    found: dict[tuple[str, bool], list[tuple[NodeComparison, ResourceDecrease]]] = {}
    for node in since.nodes:
        for shrunk in node.resource_decreases:
            found.setdefault((shrunk.resource, shrunk.is_gone), []).append((node, shrunk))
    for (resource, is_gone), places in sorted(found.items()):
        nodes = tuple(node.name for node, _ in places)
        first = places[0][0].node_now
        assert first is not None
        quantities = [(decrease.quantity_before, decrease.quantity_now) for _, decrease in places]
        yield Hit(
            subject=Subject("Resource", "", resource),
            nodes=nodes,
            location=ManifestLocation(first.origin, ("status", "allocatable", resource)),
            severity=None if is_gone else Severity.WARNING,
            message=describe_resource_decrease(nodes, quantities, is_gone=is_gone),
            key=("gone" if is_gone else "less",),
            notes=tuple(("note", describe_advertiser(daemonset)) for daemonset in _iter_advertisers(since, resource)),
        )


def _iter_advertisers(cluster_comparison: ClusterComparison, resource: str) -> Iterator[ObjectKey]:
    """The DaemonSets that made the resource allocatable before."""
    for daemonset in cluster_comparison.daemonsets:
        if daemonset.daemonset_before is not None and "/" in resource:
            components = recognize_components(
                daemonset.daemonset_before, cluster_comparison.world_before.config_maps, cluster_comparison.world_before.component_overrides
            )
            if any(component.advertises(resource) for component in components):
                yield daemonset.daemonset_before.key


RULE = Rule(id="PF403", name="resource-gone", severity=Severity.ERROR, check=check)
