"""CSI drivers that are missing where their volumes are, and registrations that outlived their driver."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from preflight.dependents.csi_volumes import CsiDriverIndex
from preflight.dependents.driver_presence import DriverPodIndex
from preflight.doctor.index import ClusterIndex
from preflight.model.apps import DaemonSet

DriversByNode = Mapping[str, frozenset[str]]

_VOLUME_MARKERS = (b"persistentVolumeClaim", b'"csi"', b'"ephemeral"')


class MissingDriver(Struct, frozen=True):
    """A driver without a pod on nodes: `pods` mount its volumes there, or `is_registered` says that the CSINode still lists it."""

    driver: str
    nodes: tuple[str, ...]
    daemonsets: tuple[DaemonSet, ...]
    pods: tuple[tuple[str, str], ...] = ()
    is_registered: bool = False


def find_missing_drivers(index: ClusterIndex, driver_pods: DriverPodIndex, absent_drivers: DriversByNode) -> tuple[MissingDriver, ...]:
    """Every driver that is known by its DaemonSet and has no pod on a node where pods mount its volumes.

    Nodes that are not Ready or have just registered are left out, and pods that have ended.
    """
    if not absent_drivers:
        return ()
    drivers = CsiDriverIndex(index.cluster)
    users: dict[str, list[tuple[str, tuple[str, str]]]] = {}
    for pod in index.cluster.pods:
        node, key = pod.spec.nodeName, (pod.metadata.namespace, pod.metadata.name)
        if node not in absent_drivers or pod.status.phase in ("Succeeded", "Failed") or not index.may_contain_words(key, *_VOLUME_MARKERS):
            continue
        whole = index.find_pod(key)
        if whole is None:
            continue
        for driver in sorted({driver for driver, _ in drivers.iter_drivers(whole.spec, key[0])}):
            if driver in absent_drivers[node]:
                users.setdefault(driver, []).append((node, key))
    return tuple(
        MissingDriver(
            driver,
            tuple(sorted({node for node, _ in found})),
            driver_pods.drivers[driver],
            tuple(sorted(key for _, key in found)),
        )
        for driver, found in sorted(users.items())
    )


def find_stale_drivers(index: ClusterIndex, driver_pods: DriverPodIndex, absent_drivers: DriversByNode) -> tuple[MissingDriver, ...]:
    """Every driver that a CSINode lists and whose DaemonSet has no pod on the node: the scheduler still sends pods there."""
    found: dict[str, list[str]] = {}
    for name, csi_node in index.runtime.csi_nodes.items():
        for driver in {entry.name for entry in csi_node.spec.drivers} & absent_drivers.get(name, frozenset()):
            found.setdefault(driver, []).append(name)
    return tuple(
        MissingDriver(
            driver,
            tuple(sorted(nodes)),
            driver_pods.drivers[driver],
            is_registered=True,
        )
        for driver, nodes in sorted(found.items())
    )


def find_absent_drivers(index: ClusterIndex, driver_pods: DriverPodIndex) -> DriversByNode:
    """The known drivers that have no pod on a node that is Ready and has not just registered, by the node."""
    nodes = [node for name, node in index.existing_nodes.items() if name not in index.not_ready_nodes and not index.is_new_node(name)]
    found = {node.name: frozenset(driver for driver in driver_pods.drivers if driver_pods.is_absent(driver, node)) for node in nodes}
    return {name: absent for name, absent in found.items() if absent}
