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
            return "the device plugin reports the others as unhealthy"
        case FaultCause.NO_PLUGIN_POD:
            return f"{names} has no pod there" if len(reason.daemonsets) == 1 else f"{names} have no pod there"
        case FaultCause.PLUGIN_RUNS:
            return f"the pod of {names} runs there, so the devices are unhealthy or the plugin has not registered yet"
        case FaultCause.PLUGIN_MISSING:
            assert reason.gap is not None
            return f"{names}, which advertises it, does not work there: {explain_gap(reason.gap)}"
        case FaultCause.PLUGIN_NOT_WORKING:
            texts = "; ".join(describe_reasons(reason.exclusions))
            return f"{names} {'has' if len(reason.daemonsets) == 1 else 'have'} no working pod there{f': {texts}' if texts else ''}"
        case FaultCause.UNKNOWN_PLUGIN:
            return "no known DaemonSet advertises it"
        case FaultCause.PLUGIN_SILENT:
            why = "as if it found no device (possible causes: the driver, or the order in which plugin and kubelet started)"
            return f"the pod of {names} runs there but advertises nothing, {why}"


def describe_faulty_resource(faulty: FaultyResource) -> str:
    """PF420, PF421, PF422: what is wrong with a resource on some nodes."""
    nodes, why, amounts = join_node_names(faulty.nodes), explain_fault(faulty.reason), faulty.amounts
    match faulty.fault:
        case ResourceFault.NOT_ALLOCATABLE if amounts.capacity:
            return f"is in Capacity ({amounts.capacity}) but not in Allocatable on {nodes}: {why}"
        case ResourceFault.NOT_ALLOCATABLE:
            return f"is 0 in Capacity and Allocatable on {nodes}: {why}"
        case ResourceFault.UNHEALTHY:
            return f"is only partly allocatable on {nodes} ({amounts.allocatable} of {amounts.capacity}): {why}"
        case ResourceFault.NO_PROVIDER:
            return f"is in Allocatable ({amounts.allocatable}) on {nodes}, but {why}"
        case ResourceFault.NOT_ADVERTISED:
            return f"is not advertised on {nodes}: {why}"


def describe_waiting_requests(keys: Sequence[tuple[str, str]]) -> str:
    """Which pods wait for a resource."""
    pods = "1 pod is" if len(keys) == 1 else f"{len(keys)} pods are"
    return f"{pods} waiting for it: {join_names('/'.join(key) for key in keys)}"


def describe_missing_driver(driver: MissingDriver) -> str:
    """PF425: a driver without a pod where pods mount its volumes."""
    return f"has no pod on {join_node_names(driver.nodes)}, where pods mount volumes of {driver.driver}"


def describe_driver_users(driver: MissingDriver) -> str:
    """PF425: the pods that mount its volumes."""
    return f"mounted by {join_names('/'.join(key) for key in driver.pods)}"


def describe_stale_driver(driver: MissingDriver) -> str:
    """PF426: a driver that a CSINode lists and that has no pod there."""
    csi_node = "its CSINode still lists" if len(driver.nodes) == 1 else "their CSINodes still list"
    return f"has no pod on {join_node_names(driver.nodes)}, but {csi_node} {driver.driver}"


def describe_stale_allocation(allocation: StaleAllocation) -> str:
    """PF434: pods without a running container that hold a resource."""
    pods = "1 pod without a running container holds"
    if len(allocation.pods) > 1:
        pods = f"{len(allocation.pods)} pods without a running container hold"
    return f"has a stale allocation on {join_node_names(allocation.nodes)}: {pods} {allocation.amount}"


def describe_held_resource(allocation: StaleAllocation) -> str:
    """The same as a sentence of its own."""
    where, verb = join_node_names(allocation.nodes), "is" if allocation.amount == 1 else "are"
    return f"{allocation.amount} {allocation.resource} on {where} {verb} held by pods without a running container (stale allocation)"


def describe_stale_pod(unhealthy_pod: UnhealthyPod, index: ClusterIndex) -> str:
    """PF434: one of the pods, where it is and since when."""
    pod, node = unhealthy_pod.pod, unhealthy_pod.pod.spec.nodeName
    where = node
    if node in index.not_ready_nodes:
        where = f"{node}, which is not Ready"
    elif node in index.removed_nodes:
        where = f"{node}, which no longer exists"
    if unhealthy_pod.trouble is PodTrouble.TERMINATING:
        state = f"stuck in Terminating {format_since(pod.metadata.deletionTimestamp, index.latest_time)}".rstrip()
    else:
        state = f"Pending on its node {format_since(pod.metadata.creationTimestamp, index.latest_time)}".rstrip()
        reason = "" if isinstance(unhealthy_pod.reason, NotStarted) else describe_gap_reason(unhealthy_pod.reason)
        state += f" ({reason})" if reason else ""
    return f"{'/'.join(pod.key)} on {where}: {state}"
