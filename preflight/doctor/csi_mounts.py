"""CSI drivers that are missing where their volumes are, and registrations that outlived their driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.dependents.csi_volumes import CsiDriverIndex
from preflight.model.objects import DaemonSet

if TYPE_CHECKING:
    from preflight.doctor.context import ClusterFacts

_VOLUME_MARKERS = (b"persistentVolumeClaim", b'"csi"', b'"ephemeral"')


class MissingDriver(Struct, frozen=True):
    """A driver without a pod on nodes: `pods` mount its volumes there, or `is_registered` says that the CSINode still lists it."""

    driver: str
    nodes: tuple[str, ...]
    daemonsets: tuple[DaemonSet, ...]
    pods: tuple[tuple[str, str], ...] = ()
    is_registered: bool = False


def find_missing_drivers(facts: ClusterFacts) -> tuple[MissingDriver, ...]:
    """Every driver that is known by its DaemonSet and has no pod on a node where pods mount its volumes.

    Nodes that are not Ready or have just registered are left out, and pods that have ended.
    """
    absent = _find_absent_drivers(facts)
    if not absent:
        return ()
    drivers, running = CsiDriverIndex(facts.world), facts.world.pods_by_key or {}
    users: dict[str, list[tuple[str, tuple[str, str]]]] = {}
    for pod in facts.world.pods:
        node, key = pod.spec.nodeName, (pod.metadata.namespace, pod.metadata.name)
        if node not in absent or pod.status.phase in ("Succeeded", "Failed") or not facts.may_contain_words(key, *_VOLUME_MARKERS):
            continue
        whole = running.get(key)
        if whole is None:
            continue
        for driver in sorted({driver for driver, _ in drivers.iter_drivers(whole.spec, key[0])}):
            if driver in absent[node]:
                users.setdefault(driver, []).append((node, key))
    return tuple(
        MissingDriver(
            driver,
            tuple(sorted({node for node, _ in found})),
            tuple(csi_driver.daemonset for csi_driver in facts.csi_drivers[driver]),
            tuple(sorted(key for _, key in found)),
        )
        for driver, found in sorted(users.items())
    )


def find_stale_drivers(facts: ClusterFacts) -> tuple[MissingDriver, ...]:
    """Every driver that a CSINode lists and whose DaemonSet has no pod on the node: the scheduler still sends pods there."""
    absent = _find_absent_drivers(facts)
    found: dict[str, list[str]] = {}
    for name, node in facts.state.csi_nodes.items():
        for driver in {each.name for each in node.spec.drivers} & absent.get(name, frozenset()):
            found.setdefault(driver, []).append(name)
    return tuple(
        MissingDriver(
            driver, tuple(sorted(nodes)), tuple(csi_driver.daemonset for csi_driver in facts.csi_drivers[driver]), is_registered=True
        )
        for driver, nodes in sorted(found.items())
    )


def _find_absent_drivers(facts: ClusterFacts) -> dict[str, frozenset[str]]:
    """The known drivers that have no pod on a node, by the node."""
    nodes = [
        name
        for name, node in facts.world.nodes.items()
        if node.pool is None and name not in facts.not_ready_nodes and not facts.is_new_node(name)
    ]
    found: dict[str, set[str]] = {}
    for driver, providers in facts.csi_drivers.items():
        if all(facts.world.are_pods_listed(*provider.key) for provider in providers):
            for name in nodes:
                if not any(facts.has_pod(each.key, name) for each in providers):
                    found.setdefault(name, set()).add(driver)
    return {name: frozenset(drivers) for name, drivers in found.items()}
