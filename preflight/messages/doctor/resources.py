"""Texts about extended resources, devices and CSI drivers."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.doctor.csi_mounts import MissingDriver
from preflight.doctor.devices import FaultCause, FaultReason, FaultyResource, ResourceFault
from preflight.doctor.index import ClusterIndex
from preflight.doctor.pod_health import NotStarted, PodTrouble, UnhealthyPod
from preflight.doctor.stranded_capacity import StaleAllocation
from preflight.messages.coverage import describe_reasons
from preflight.messages.doctor.gaps import describe_gap_reason, explain_gap
from preflight.messages.lists import join_and, join_names, join_node_names
from preflight.messages.times import format_since

HANGING_MOUNTS_TEXT = "mounts and unmounts of these volumes hang"


def explain_fault(reason: FaultReason) -> str:
    """Why a resource has a fault."""
    names = join_and(daemonset.key for daemonset in reason.daemonsets)
    match reason.cause:
        case FaultCause.PLUGIN_REPORTS_UNHEALTHY:
            return "the plugin holds the others for unhealthy"
        case FaultCause.NO_PLUGIN_POD:
            return f"no pod of {names} is there"
        case FaultCause.PLUGIN_RUNS:
            return f"the pod of {names} runs there, so the devices are unhealthy or the plugin has yet to register"
        case FaultCause.PLUGIN_MISSING:
            assert reason.gap is not None
            return f"{names} advertises it and is missing there: {explain_gap(reason.gap)}"
        case FaultCause.PLUGIN_NOT_WORKING:
            texts = "; ".join(describe_reasons(reason.exclusions))
            return f"no pod of {names} works there{f': {texts}' if texts else ''}"
        case FaultCause.UNKNOWN_PLUGIN:
            return "no DaemonSet is known that advertises it"
        case FaultCause.PLUGIN_SILENT:
            why = "as if it found no device: the driver, or the order in which plugin and kubelet started"
            return f"the pod of {names} runs there and advertises nothing, {why}"


def describe_faulty_resource(faulty: FaultyResource) -> str:
    """PF420, PF421, PF422: what is wrong with a resource on some nodes."""
    nodes, why, amounts = join_node_names(faulty.nodes), explain_fault(faulty.reason), faulty.amounts
    match faulty.fault:
        case ResourceFault.NOT_ALLOCATABLE if amounts.capacity:
            return f"is in Capacity ({amounts.capacity}) and not in Allocatable on {nodes}: {why}"
        case ResourceFault.NOT_ALLOCATABLE:
            return f"reads 0 in Capacity and Allocatable on {nodes}: {why}"
        case ResourceFault.UNHEALTHY:
            return f"has only {amounts.allocatable} of {amounts.capacity} in Allocatable on {nodes}: {why}"
        case ResourceFault.NO_PROVIDER:
            return f"is in Allocatable ({amounts.allocatable}) on {nodes}, and {why}"
        case ResourceFault.NOT_ADVERTISED:
            return f"is missing on {nodes}: {why}"


def describe_waiting_requests(keys: Sequence[tuple[str, str]]) -> str:
    """Which pods wait for a resource."""
    one = len(keys) == 1
    return f"{len(keys)} pod{'' if one else 's'} wait{'s' if one else ''} for it: {join_names('/'.join(key) for key in keys)}"


def describe_missing_driver(driver: MissingDriver) -> str:
    """PF425: a driver without a pod where pods mount its volumes."""
    return f"has no pod on {join_node_names(driver.nodes)}, where pods mount volumes of {driver.driver}"


def describe_driver_users(driver: MissingDriver) -> str:
    """PF425: the pods that mount its volumes."""
    return f"mounted by {join_names('/'.join(key) for key in driver.pods)}"


def describe_stale_driver(driver: MissingDriver) -> str:
    """PF426: a driver that a CSINode lists and that has no pod there."""
    return f"has no pod on {join_node_names(driver.nodes)}, where the CSINode still lists {driver.driver}"


def describe_stale_allocation(allocation: StaleAllocation) -> str:
    """PF434: pods that hold a resource though nothing of them runs."""
    pods = "1 pod holds" if len(allocation.pods) == 1 else f"{len(allocation.pods)} pods hold"
    return f"is held on {join_node_names(allocation.nodes)} though nothing runs: {pods} {allocation.amount}"


def describe_held_resource(allocation: StaleAllocation) -> str:
    """The same as a sentence of its own."""
    return f"{allocation.amount} {allocation.resource} on {join_node_names(allocation.nodes)} are held by pods of which nothing runs"


def describe_stale_pod(unhealthy_pod: UnhealthyPod, index: ClusterIndex) -> str:
    """PF434: one of the pods, where it is and since when."""
    pod, node = unhealthy_pod.pod, unhealthy_pod.pod.spec.nodeName
    where = node
    if node in index.not_ready_nodes:
        where = f"{node}, which is not Ready"
    elif node in index.removed_nodes:
        where = f"{node}, which is gone"
    if unhealthy_pod.trouble is PodTrouble.TERMINATING:
        state = f"hangs in Terminating {format_since(pod.metadata.deletionTimestamp, index.latest_time)}".rstrip()
    else:
        state = f"is Pending on its node {format_since(pod.metadata.creationTimestamp, index.latest_time)}".rstrip()
        reason = "" if isinstance(unhealthy_pod.reason, NotStarted) else describe_gap_reason(unhealthy_pod.reason)
        state += f" ({reason})" if reason else ""
    return f"{'/'.join(pod.key)} on {where}: {state}"
