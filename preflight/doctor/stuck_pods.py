"""Pods of no DaemonSet that hang in Terminating, and the taint out-of-service on nodes that are Ready."""

from __future__ import annotations

from msgspec import Struct

from preflight.doctor.csi_mounts import MissingDriver
from preflight.doctor.index import ClusterIndex, NamespacedKey
from preflight.doctor.owners import get_owner
from preflight.doctor.pod_health import PodTrouble, check_pod
from preflight.doctor.waiting_times import SETTLING_SECONDS
from preflight.model.batch import Job
from preflight.model.core import CoveragePod, Node, find_controller
from preflight.model.report import Subject
from preflight.model.runtime_state import PodState
from preflight.model.termination_reasons import HangReason, StaysTerminating
from preflight.model.timestamps import count_seconds
from preflight.scheduling.node_health import has_out_of_service_taint, is_kubelet_silent, is_out_of_service
from preflight.scheduling.owners import waits_for_end


class StuckPods(Struct, frozen=True):
    """Pods that hang in Terminating for one reason.

    1. `hang` is why, on the first of the nodes; PAST_GRACE_PERIOD where nothing says more. `since` is when the first should have ended.
    2. `is_awaited`: they are of one owner, the `subject`, which creates no new pod before the old one is gone. All others are those of a
       node, which is the `subject` then.
    3. `are_daemons`: all are of DaemonSets on a node that is not Ready, so that nothing waits for them but the node itself.
    """

    subject: Subject
    hang: StaysTerminating
    nodes: tuple[str, ...]
    pods: tuple[NamespacedKey, ...]
    since: str
    is_awaited: bool
    are_daemons: bool = False


def find_stuck_pods(index: ClusterIndex, missing_drivers: tuple[MissingDriver, ...]) -> tuple[StuckPods, ...]:
    """The pods that hang in Terminating, by reason, and by the owner that waits for their end, else by node.

    1. A pod hangs a minute after its time to end is over, and at once where the kubelet of its node is silent.
    2. Not where pod garbage collection is about to delete it: its node is out of service. Where its node does not exist, it should have
       done so within minutes.
    3. Pods of DaemonSets are gaps in their coverage where their node is Ready, and left to these.
    """
    without_driver = {(node, pod): driver for driver in missing_drivers for node in driver.nodes for pod in driver.pods}
    found: dict[tuple[Subject, HangReason, str], list[tuple[PodState, StaysTerminating]]] = {}
    for listed in index.cluster.pods:
        name = listed.spec.nodeName
        node = index.existing_nodes.get(name)
        if not listed.metadata.deletionTimestamp or not (node or name in index.removed_nodes) or _is_elsewhere(index, listed, node):
            continue
        pod = index.find_listed_pod(listed)
        is_silent = node is not None and is_kubelet_silent(node)
        unhealthy_pod = check_pod(pod, index.latest_time, is_kubelet_silent=is_silent) if pod is not None else None
        if pod is None or unhealthy_pod is None or unhealthy_pod.trouble is not PodTrouble.TERMINATING:
            continue
        if node is None and not _is_forgotten(index, pod):
            continue
        hang = StaysTerminating(HangReason.REMOVED_NODE, name)
        if node is not None:
            hang = _explain_hang(name, without_driver.get((name, pod.key)), is_silent=is_silent)
        subject = get_owner(pod) if _is_awaited(index, pod) else Subject("Node", "", name)
        found.setdefault((subject, hang.cause, hang.driver), []).append((pod, hang))
    return tuple(
        StuckPods(
            subject,
            pods[0][1],
            tuple(sorted({pod.spec.nodeName for pod, _ in pods})),
            tuple(sorted(pod.key for pod, _ in pods)),
            min(pod.metadata.deletionTimestamp for pod, _ in pods),
            subject.kind != "Node",
            all(pod.controller is not None and pod.controller.kind == "DaemonSet" for pod, _ in pods),
        )
        for (subject, *_), pods in sorted(found.items(), key=lambda item: (str(item[0][0]), item[0][1].value, item[0][2]))
    )


def _is_elsewhere(index: ClusterIndex, pod: CoveragePod, node: Node | None) -> bool:
    """Whether pod garbage collection is about to delete a pod, or it is a gap of its DaemonSet."""
    owner = find_controller(pod)
    is_daemon = owner is not None and owner.kind == "DaemonSet"
    return (node is not None and is_out_of_service(node)) or (is_daemon and pod.spec.nodeName not in index.not_ready_nodes)


def _is_forgotten(index: ClusterIndex, pod: PodState) -> bool:
    """Whether a pod of a node that does not exist has been there for longer than pod garbage collection takes."""
    late = count_seconds(pod.metadata.deletionTimestamp, index.latest_time)
    return late is not None and late >= SETTLING_SECONDS


def _explain_hang(node: str, driver: MissingDriver | None, *, is_silent: bool) -> StaysTerminating:
    if is_silent:
        return StaysTerminating(HangReason.SILENT_KUBELET, node)
    if driver is None:
        return StaysTerminating(HangReason.PAST_GRACE_PERIOD, node)
    names = tuple(str(daemonset.key) for daemonset in driver.daemonsets)
    return StaysTerminating(HangReason.MISSING_DRIVER, node, driver.driver, names)


def _is_awaited(index: ClusterIndex, pod: PodState) -> bool:
    owner = pod.controller
    if owner is None:
        return False
    key = (pod.metadata.namespace, owner.name)
    jobs = (workload for workload in index.cluster.workloads if isinstance(workload, Job))
    job = next((job for job in jobs if (job.metadata.namespace, job.metadata.name) == key), None) if owner.kind == "Job" else None
    return waits_for_end(owner, job)


def find_misplaced_taints(index: ClusterIndex) -> tuple[str, ...]:
    """The nodes that are Ready and have the taint out-of-service still."""
    return tuple(sorted(name for name, node in index.existing_nodes.items() if node.is_ready and has_out_of_service_taint(node)))
