"""Whether the node pod of a CSI driver is on a node, now and after a change: what mounts and unmounts volumes there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cached_property

from msgspec import Struct

from preflight.coverage.component_cache import ComponentCache
from preflight.coverage.model import CoverageGroup, Impact
from preflight.coverage.node_targeting import get_target_node
from preflight.coverage.outcome import PodAfter
from preflight.dependents.model import get_eviction_seconds
from preflight.model.apps import DaemonSet
from preflight.model.core import Node, find_controller
from preflight.model.meta import ObjectKey
from preflight.model.report import Outcome
from preflight.model.world import ClusterState
from preflight.scheduling.node_health import is_virtual

PodKey = tuple[str, str]
"""The namespace and name of a pod."""


class DriverPresence(Enum):
    """Whether a CSI driver has a node pod on a node, the best first.

    1. WORKING: one is there, or the change brings one. UNREADY: one is there and is not Ready, or is coming or going.
    2. UNLISTED: its pods were not listed, and it is not known whether one is there. LEAVING: the change takes it away. ABSENT: none is.
    """

    WORKING = "working"
    UNREADY = "unready"
    UNLISTED = "unlisted"
    LEAVING = "leaving"
    ABSENT = "absent"


class NodeDriver(Struct, frozen=True):
    """A CSI driver on a node: the DaemonSets that provide it, and, where its pod is LEAVING, after how many seconds that is deleted."""

    driver: str
    daemonsets: tuple[DaemonSet, ...]
    presence: DriverPresence
    leaves_after: float = 0.0


class DriverPodIndex:
    """The node pods of CSI drivers of one cluster state, in whatever state they are: what doctor and every change ask."""

    def __init__(self, cluster: ClusterState, component_cache: ComponentCache) -> None:
        """Nothing is recognized before it is needed."""
        self._cluster = cluster
        self._component_cache = component_cache

    @cached_property
    def drivers(self) -> Mapping[str, tuple[DaemonSet, ...]]:
        """The CSI drivers that DaemonSets are known to provide."""
        found: dict[str, list[DaemonSet]] = {}
        for daemonset in self._cluster.daemonsets.values():
            for component in self._component_cache.recognize(daemonset):
                for driver in component.drivers if component.kind.id == "csi-node-driver" else ():
                    found.setdefault(driver, []).append(daemonset)
        return {driver: tuple(daemonsets) for driver, daemonsets in found.items()}

    @cached_property
    def _pods(self) -> Mapping[tuple[str, str, str], list[PodKey]]:
        """The pods of these DaemonSets by the namespace and name of the DaemonSet and the node that they are on, or are for."""
        uids = {get_name(daemonset): daemonset.metadata.uid for daemonsets in self.drivers.values() for daemonset in daemonsets}
        found: dict[tuple[str, str, str], list[PodKey]] = {}
        for pod in self._cluster.pods:
            owner = find_controller(pod)
            if owner is None or owner.kind != "DaemonSet" or (pod.metadata.namespace, owner.name) not in uids:
                continue
            uid = uids[pod.metadata.namespace, owner.name]
            if not uid or not owner.uid or uid == owner.uid:
                key = (pod.metadata.namespace, pod.metadata.name)
                node = pod.spec.nodeName or self._find_target_node(key)
                found.setdefault((pod.metadata.namespace, owner.name, node), []).append(key)
        return found

    def _find_target_node(self, key: PodKey) -> str:
        pod = (self._cluster.pods_by_key or {}).get(key)
        return get_target_node(pod) if pod is not None else ""

    def are_pods_listed(self, driver: str) -> bool:
        """Whether the pods of every DaemonSet that provides a driver were listed, so that one that is missing is known to be."""
        return all(self._cluster.are_pods_listed(*get_name(daemonset)) for daemonset in self.drivers[driver])

    def list_pods(self, daemonset: DaemonSet, node: str) -> list[PodKey]:
        """The pods of a DaemonSet that are on a node, or are for it."""
        return self._pods.get((*get_name(daemonset), node), [])

    def is_absent(self, driver: str, node: Node) -> bool:
        """Whether a driver certainly has no pod on a node, in whatever state; of a virtual node nobody can tell what mounts there."""
        return (
            self.are_pods_listed(driver)
            and not is_virtual(node)
            and not any(self.list_pods(daemonset, node.name) for daemonset in self.drivers[driver])
        )

    def has_ready_pod(self, daemonset: DaemonSet, node: str) -> bool:
        """Whether a pod of a DaemonSet on a node is Ready and stays; one that was not read as a whole, or states nothing, is."""
        pods = self._cluster.pods_by_key or {}
        whole = [pods.get(key) for key in self.list_pods(daemonset, node)]
        return any(
            pod is None
            or (
                pod.status.phase in ("Running", "")
                and not pod.metadata.deletionTimestamp
                and not any(condition.type == "Ready" and condition.status != "True" for condition in pod.status.conditions)
            )
            for pod in whole
        )


class NodeDrivers:
    """The CSI drivers on nodes once a change has settled: by the coverage of their DaemonSets, and the pods that are there."""

    def __init__(self, impact: Impact) -> None:
        """Of one impact; nothing is worked out before it is asked for."""
        self._impact = impact
        self._index = DriverPodIndex(impact.change.before, impact.component_cache)

    @property
    def drivers(self) -> Mapping[str, tuple[DaemonSet, ...]]:
        """The CSI drivers that DaemonSets are known to provide."""
        return self._index.drivers

    @cached_property
    def _groups(self) -> Mapping[ObjectKey, Mapping[str, CoverageGroup]]:
        """The coverage of each of these DaemonSets, by its key and by the node."""
        keys = {daemonset.key for daemonsets in self.drivers.values() for daemonset in daemonsets}
        found: dict[ObjectKey, dict[str, CoverageGroup]] = {key: {} for key in keys}
        for group in self._impact.groups:
            if group.key in keys:
                found[group.key].update(dict.fromkeys(group.node_names, group))
        return found

    def check(self, driver: str, node: Node) -> NodeDriver:
        """A driver on a node: the best of what its DaemonSets are there."""
        daemonsets = self.drivers[driver]
        if is_virtual(node):
            return NodeDriver(driver, daemonsets, DriverPresence.WORKING)
        found = [self._check_daemonset(daemonset, node.name) for daemonset in daemonsets]
        ranks = list(DriverPresence)
        presence, after = min(found, key=lambda item: (ranks.index(item[0]), -item[1]))
        return NodeDriver(driver, daemonsets, presence, after)

    def list_missing(self, node: Node) -> Iterable[NodeDriver]:
        """The drivers without a pod on a node that is there and stays."""
        checked = (self.check(driver, node) for driver in self.drivers)
        return (driver for driver in checked if driver.presence in (DriverPresence.ABSENT, DriverPresence.LEAVING))

    def _check_daemonset(self, daemonset: DaemonSet, node: str) -> tuple[DriverPresence, float]:
        """What a DaemonSet is on a node, and after how many seconds its pod is deleted where it leaves.

        1. Coverage says whether a pod was there and whether one is afterwards. A pod that is taken away and comes back is there.
        2. Of a pod that is there, and was listed, it counts whether it is Ready. Where none counts, one in another state may be there.
        3. A node that the change does not touch has the pods that it had.
        """
        group = self._groups[daemonset.key].get(node)
        if group is None:
            return self._check_untouched(daemonset, node), 0.0
        if group.outcome is Outcome.UNKNOWN:
            return DriverPresence.UNLISTED, 0.0
        forecast = group.forecast
        if forecast.had_pod and not forecast.has_pod:
            return DriverPresence.LEAVING, float(get_eviction_seconds(group))
        if forecast.had_pod:
            is_known = forecast.pod_after is PodAfter.SAME and group.pod_group is not None and group.pod_group.is_listed
            is_ready = not is_known or self._index.has_ready_pod(daemonset, node)
            return (DriverPresence.WORKING if is_ready else DriverPresence.UNREADY), 0.0
        if forecast.has_pod:
            return DriverPresence.WORKING, 0.0
        return self._check_absence(daemonset, node), 0.0

    def _check_untouched(self, daemonset: DaemonSet, node: str) -> DriverPresence:
        pods = self._impact.pods_before.get(daemonset.key)
        group = next((group for group in pods.groups if node in group.nodes), None) if pods is not None else None
        if group is not None:
            is_ready = not group.is_listed or self._index.has_ready_pod(daemonset, node)
            return DriverPresence.WORKING if is_ready else DriverPresence.UNREADY
        return self._check_absence(daemonset, node)

    def _check_absence(self, daemonset: DaemonSet, node: str) -> DriverPresence:
        """What a DaemonSet is on a node without a live pod: one may be on its way out or in; an earlier step may have taken it away."""
        pods = self._impact.pods_before.get(daemonset.key)
        if pods is None or node not in pods.decided_nodes:
            return DriverPresence.UNLISTED
        is_moving = node in pods.nodes_in_transit and bool(self._index.list_pods(daemonset, node))
        return DriverPresence.UNREADY if is_moving else DriverPresence.ABSENT


def get_name(daemonset: DaemonSet) -> tuple[str, str]:
    """The namespace and name of a DaemonSet."""
    return daemonset.metadata.namespace, daemonset.metadata.name
