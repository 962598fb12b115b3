"""Which pods that are let go stay in Terminating: for a silent kubelet, or a volume that nothing on the node unmounts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from preflight.coverage.model import Impact
from preflight.dependents.csi_volumes import CsiDriverIndex, VolumeDriver
from preflight.dependents.driver_presence import DriverPresence, NodeDriver, NodeDrivers, get_name
from preflight.evictions.pod_index import PodIndex, PodKey
from preflight.model.core import Node
from preflight.model.pod_scheduling import SchedulerPod
from preflight.model.termination_reasons import HangReason, StaysTerminating
from preflight.scheduling.drain import DrainAssumptions
from preflight.scheduling.drain.durations import find_hang
from preflight.scheduling.drain.model import find_grace_period
from preflight.scheduling.owners import waits_for_end

_CAUSES = {
    DriverPresence.ABSENT: HangReason.MISSING_DRIVER,
    DriverPresence.LEAVING: HangReason.LEAVING_DRIVER,
    DriverPresence.UNREADY: HangReason.UNREADY_DRIVER,
    DriverPresence.UNLISTED: HangReason.UNLISTED_DRIVER,
}
_CERTAIN_CAUSES = frozenset((HangReason.MISSING_DRIVER, HangReason.LEAVING_DRIVER))


class TerminationIndex:
    """What keeps the pods of one change from ending."""

    def __init__(self, pod_index: PodIndex, impact: Impact) -> None:
        """`impact` is what the change does to DaemonSets; nothing is worked out before it is asked for."""
        self._pod_index = pod_index
        self._impact = impact
        self._nodes = impact.change.after.nodes

    @cached_property
    def _volumes(self) -> CsiDriverIndex:
        return CsiDriverIndex(self._pod_index.world)

    @cached_property
    def _drivers(self) -> NodeDrivers:
        return NodeDrivers(self._impact)

    def find_obstacles(self, pods: Iterable[SchedulerPod]) -> Mapping[PodKey, StaysTerminating]:
        """The pods whose volumes are not unmounted, or may not be, once they are let go at the start of the change."""
        found = ((pod.key, self._find_stuck_volume(pod, 0.0, find_grace_period(pod, -1))) for pod in pods)
        return {key: hang for key, hang in found if hang is not None}

    def find_hang(self, pod: SchedulerPod, leaves_after: float, grace_seconds: int) -> StaysTerminating | None:
        """Why a pod that is deleted after some seconds stays in Terminating, or may; None where it ends."""
        node = self._nodes.get(pod.spec.nodeName)
        if node is None:
            return None
        stuck = self._find_stuck_volume(pod, leaves_after, grace_seconds)
        assumed = DrainAssumptions(now=self._pod_index.earliest_now, obstacles={} if stuck is None else {pod.key: stuck})
        return find_hang(pod, grace_seconds, node, assumed)

    def _find_stuck_volume(self, pod: SchedulerPod, leaves_after: float, grace_seconds: int) -> StaysTerminating | None:
        """The volume that nothing unmounts, a certain one first.

        The kubelet lets a pod go only once its volumes are unmounted, and asks the node pod of their CSI driver for that. A pod that never
        began to run may have none mounted. Source: `pkg/kubelet/kubelet.go`, SyncTerminatedPod.
        """
        node = self._nodes.get(pod.spec.nodeName)
        if node is None or pod.has_ended:
            return None
        drivers = self._volumes.list_volume_drivers(pod.spec, pod.metadata.namespace, pod.metadata.name)
        found = [hang for driver in drivers if (hang := self._judge_volume(driver, pod, node, leaves_after, grace_seconds)) is not None]
        return min(found, key=lambda hang: not hang.certain, default=None)

    def _judge_volume(
        self, volume: VolumeDriver, pod: SchedulerPod, node: Node, leaves_after: float, grace_seconds: int
    ) -> StaysTerminating | None:
        if volume.driver is None:
            missing = next(iter(self._drivers.list_missing(node)), None)
            if missing is None:
                return None
            return StaysTerminating(
                HangReason.UNKNOWN_VOLUME, node.name, missing.driver, _list_names(missing), volume.volume, certain=False
            )
        if volume.driver not in self._drivers.drivers:
            return None
        driver = self._drivers.check(volume.driver, node)
        if driver.presence not in _CAUSES:
            return None
        cause = _CAUSES[driver.presence]
        is_certain = cause in _CERTAIN_CAUSES and pod.status.phase != "Pending"
        if cause is HangReason.LEAVING_DRIVER:
            if leaves_after + grace_seconds < driver.leaves_after:
                return None
            is_certain = is_certain and leaves_after > driver.leaves_after + self._find_longest_grace(driver, node)
        return StaysTerminating(cause, node.name, driver.driver, _list_names(driver), volume.volume, is_certain)

    def _find_longest_grace(self, driver: NodeDriver, node: Node) -> int:
        """The seconds that the pods of a driver may take to end."""
        names = {get_name(daemonset) for daemonset in driver.daemonsets}
        there = self._pod_index.pods_by_node.get(node.name, ())
        own = (pod for pod in there if pod.controller is not None and (pod.metadata.namespace, pod.controller.name) in names)
        return max((find_grace_period(pod, -1) for pod in own), default=0)


def _list_names(driver: NodeDriver) -> tuple[str, ...]:
    return tuple(str(daemonset.key) for daemonset in driver.daemonsets)


def is_replaced_after_end(pod_index: PodIndex, pod: SchedulerPod) -> bool:
    """Whether the owner of a pod creates the next one only once it is gone."""
    owner = pod.controller
    if owner is None:
        return False
    return waits_for_end(owner, pod_index.jobs.get((pod.metadata.namespace, owner.name)))
