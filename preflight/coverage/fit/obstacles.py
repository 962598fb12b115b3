"""What is in the way of a pod on one node, with the pods that hold its ports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from preflight.coverage.fit.node_contents import NodeContents
from preflight.model.core import Node, PodSpec
from preflight.model.fit_reasons import (
    FilterRefusal,
    FitObstacle,
    PodLimitReached,
    PortConflict,
    ResourceShortage,
    VolumeElsewhere,
)
from preflight.model.storage import PersistentVolume
from preflight.scheduling.filters import NODE_PORTS
from preflight.scheduling.node_fit import NodeFit
from preflight.scheduling.occupancy import PodUsage
from preflight.scheduling.ports import is_port_taken, list_host_ports
from preflight.scheduling.volumes import can_use_volume


def find_obstacles(node_fit: NodeFit, spec: PodSpec, usages: Sequence[PodUsage], contents: NodeContents) -> tuple[FitObstacle, ...]:
    """What a node that refuses a pod has against it; `usages` are the pods that are there."""
    found: list[FitObstacle] = []
    for reason in node_fit.reasons:
        shortage = reason.shortage
        if reason.plugin == NODE_PORTS:
            found += _iter_port_conflicts(spec, usages, contents)
        elif shortage is None:
            found.append(FilterRefusal(reason.text))
        elif shortage.resource == "pods":
            found.append(PodLimitReached(shortage.allocatable))
        else:
            free = max(0, shortage.allocatable - shortage.used)
            found.append(ResourceShortage(shortage.resource, shortage.requested, free, shortage.allocatable))
    return tuple(dict.fromkeys(found))


def list_shortages(obstacles: Iterable[FitObstacle]) -> tuple[str, ...]:
    """The resources among some obstacles; the number of pods is one too."""
    resources = {
        obstacle.resource if isinstance(obstacle, ResourceShortage) else "pods"
        for obstacle in obstacles
        if isinstance(obstacle, (ResourceShortage, PodLimitReached))
    }
    return tuple(sorted(resources))


def _iter_port_conflicts(spec: PodSpec, usages: Sequence[PodUsage], contents: NodeContents) -> Iterator[PortConflict]:
    for port in sorted(list_host_ports(spec)):
        holder = next((usage for usage in usages if is_port_taken(port, usage.ports)), None)
        if holder is not None:
            name = "" if holder.key in contents.unlisted_pods else "/".join(holder.key)
            yield PortConflict(port.number, port.protocol, contents.owners.get(holder.key, ""), name)


def find_volume_obstacles(volumes: Iterable[tuple[str, PersistentVolume]], node: Node) -> tuple[VolumeElsewhere, ...]:
    """The claims, each with its PersistentVolume, that other nodes alone can use: see `can_use_volume`."""
    return tuple(VolumeElsewhere(claim, volume.metadata.name) for claim, volume in volumes if can_use_volume(volume, node) is False)
