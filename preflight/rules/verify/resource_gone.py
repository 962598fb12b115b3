"""A node has less of a resource in Allocatable than before.

Why it matters
    An extended resource leaves Allocatable when its device plugin is missing or finds fewer devices: pods that request it stay Pending,
    while running pods keep their devices. With less cpu, memory or disk, pods that fitted before may no longer fit. A difference of one
    percent of memory or disk is ignored, because it varies from boot to boot.
How to fix
    First check the device plugin of the resource on this node: does its pod exist, and is it Ready? Then check the driver and the devices.
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
    """One hit for each resource that nodes no longer have, and one, a warning, for each that has decreased."""
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
