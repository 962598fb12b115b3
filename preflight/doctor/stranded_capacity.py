"""Nodes whose room nobody can have: not Ready, cordoned, with a startup taint; and pods that hold devices though nothing runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from msgspec import Struct

from preflight.change.node_lifecycle import UNSCHEDULABLE_TAINT
from preflight.components.catalog import find_startup_taint, is_startup_key
from preflight.dependents.requirements import is_extended_resource
from preflight.doctor.cluster_messages import normalize_message
from preflight.doctor.daemonset_health import PodHealthByDaemonSet, get_working_nodes
from preflight.doctor.index import ClusterIndex
from preflight.doctor.pod_health import PodTrouble, UnhealthyPod, check_pod, get_extended_requests
from preflight.doctor.providers import ProviderIndex
from preflight.doctor.waiting_times import SETTLING_SECONDS
from preflight.model.apps import DaemonSet
from preflight.model.meta import ObjectKey
from preflight.model.timestamps import count_seconds
from preflight.scheduling.affinity import match_affinity
from preflight.scheduling.quantities import QuantityError, parse_millis

_NO_NETWORK = "node.kubernetes.io/network-unavailable"
_STARTUP_SECONDS = 600.0


class IdleNodes(Struct, frozen=True):
    """Nodes that take no pod, for one reason.

    1. `stated_reason` is the message or the reason of their condition Ready; "" where they state none or are Ready.
    2. `free_resources` are the extended resources on them that no pod uses. `is_new`: it has just begun.
    """

    nodes: tuple[str, ...]
    stated_reason: str = ""
    since: str = ""
    free_resources: Mapping[str, int] = {}
    cordoned_nodes: tuple[str, ...] = ()
    is_new: bool = False


class TaintCause(Enum):
    """Why a startup taint stays on a node."""

    NO_REMOVER = "no-remover"
    CONTROLLER = "controller"
    REMOVER_RUNS = "remover-runs"
    REMOVER_NOT_WORKING = "remover-not-working"
    NO_NETWORK = "no-network"


class LeftoverTaint(Struct, frozen=True):
    """A startup taint that stays on nodes, and why.

    `remover` is the DaemonSet that should remove it; `stated_reason` is what the condition NetworkUnavailable states, "" where nothing.
    `controller` removes it where no DaemonSet does, and waits for the DaemonSets `awaited`.
    """

    taint_key: str
    nodes: tuple[str, ...]
    cause: TaintCause
    remover: DaemonSet | None = None
    stated_reason: str = ""
    controller: str = ""
    awaited: tuple[ObjectKey, ...] = ()


class StaleAllocation(Struct, frozen=True):
    """Pods that hold an extended resource although none of their containers runs, in order of their names."""

    resource: str
    amount: int
    nodes: tuple[str, ...]
    pods: tuple[UnhealthyPod, ...]


def find_not_ready_nodes(index: ClusterIndex) -> tuple[IdleNodes, ...]:
    """The nodes that are not Ready, those with the same reason together; one that has just registered may become so yet."""
    found: dict[str, list[str]] = {}
    start_times: dict[str, str] = {}
    for name in sorted(index.not_ready_nodes):
        if index.is_new_node(name):
            continue
        condition = index.get_node_state(name).find_condition("Ready")
        stated_reason = normalize_message(condition.message) or condition.reason if condition else ""
        found.setdefault(stated_reason, []).append(name)
        start_times[name] = condition.lastTransitionTime if condition else ""
    return tuple(
        IdleNodes(
            tuple(nodes),
            stated_reason,
            min((start_times[name] for name in nodes if start_times[name]), default=""),
            sum_free_resources(index, nodes),
            tuple(name for name in nodes if index.cluster.nodes[name].spec.unschedulable),
        )
        for stated_reason, nodes in found.items()
    )


def find_cordoned_nodes(index: ClusterIndex) -> tuple[IdleNodes, ...]:
    """Each node that is Ready and cordoned, with the time that its taint states."""
    found = []
    for name, node in sorted(index.existing_nodes.items()):
        if node.spec.unschedulable and name not in index.not_ready_nodes:
            taints = index.get_node_state(name).spec.taints
            since = next((taint.timeAdded for taint in taints if taint.key == UNSCHEDULABLE_TAINT.key), "")
            age = count_seconds(since, index.latest_time)
            free_resources = sum_free_resources(index, [name])
            found.append(IdleNodes((name,), since=since, free_resources=free_resources, is_new=age is not None and age < SETTLING_SECONDS))
    return tuple(found)


def sum_free_resources(index: ClusterIndex, nodes: Iterable[str]) -> dict[str, int]:
    """The extended resources of nodes that no pod there asks for, those of which something is left."""
    left: dict[str, int] = {}
    for name in nodes:
        for resource, quantity in index.cluster.nodes[name].status.allocatable.items():
            if is_extended_resource(resource):
                try:
                    left[resource] = left.get(resource, 0) + parse_millis(quantity) // 1000
                except QuantityError:
                    continue
        if left:
            for key in index.pod_keys_by_node.get(name, ()):
                pod = index.find_pod(key)
                for resource, amount in get_extended_requests(pod.spec).items() if pod is not None and not pod.has_ended else ():
                    left[resource] = left.get(resource, 0) - amount
    return {resource: amount for resource, amount in sorted(left.items()) if amount > 0}


def find_leftover_taints(index: ClusterIndex, providers: ProviderIndex, pod_health: PodHealthByDaemonSet) -> tuple[LeftoverTaint, ...]:
    """The startup taints on nodes that registered more than ten minutes ago, by key and reason.

    1. A key is one where a DaemonSet is known to remove it, or by its name.
    2. network-unavailable of a node that is Ready otherwise, where its condition has said so for as long: only pods with the network of the
       node come there.
    """
    found = _group_unrouted_nodes(index)
    removers = {key: provider for provider in providers.list_providers("startup-taint-remover") for key in provider.component.taints}
    for name, node in sorted(index.existing_nodes.items()):
        age = count_seconds(index.get_node_state(name).metadata.creationTimestamp, index.latest_time)
        if age is not None and age < _STARTUP_SECONDS:
            continue
        for taint in node.spec.taints:
            remover = removers.get(taint.key)
            if remover is None:
                if is_startup_key(taint.key):
                    cause = TaintCause.NO_REMOVER if not _get_controller(taint.key) else TaintCause.CONTROLLER
                    found.setdefault((taint.key, cause, ""), []).append(name)
                continue
            runs = name in get_working_nodes(pod_health, remover.key)
            cause = TaintCause.REMOVER_RUNS if runs else TaintCause.REMOVER_NOT_WORKING
            found.setdefault((taint.key, cause, ""), []).append(name)
    return tuple(
        LeftoverTaint(
            key,
            tuple(nodes),
            cause,
            removers[key].daemonset if cause in (TaintCause.REMOVER_RUNS, TaintCause.REMOVER_NOT_WORKING) else None,
            stated_reason,
            _get_controller(key) if cause is TaintCause.CONTROLLER else "",
            _list_awaited(index, providers, pod_health, key, nodes) if cause is TaintCause.CONTROLLER else (),
        )
        for (key, cause, stated_reason), nodes in sorted(found.items(), key=_make_taint_sort_key)
    )


def _make_taint_sort_key(item: tuple[tuple[str, TaintCause, str], list[str]]) -> tuple[str, str, bool, str]:
    key, cause, stated_reason = item[0]
    return key, cause.value, not stated_reason, stated_reason


def _group_unrouted_nodes(index: ClusterIndex) -> dict[tuple[str, TaintCause, str], list[str]]:
    found: dict[tuple[str, TaintCause, str], list[str]] = {}
    for name, node in sorted(index.existing_nodes.items()):
        if name in index.not_ready_nodes or not any(taint.key == _NO_NETWORK for taint in node.spec.taints):
            continue
        condition = index.get_node_state(name).find_condition("NetworkUnavailable")
        age = count_seconds(condition.lastTransitionTime, index.latest_time) if condition else None
        if age is None or age >= _STARTUP_SECONDS:
            stated_reason = normalize_message(condition.message) or condition.reason if condition else ""
            found.setdefault((_NO_NETWORK, TaintCause.NO_NETWORK, stated_reason), []).append(name)
    return found


def _get_controller(key: str) -> str:
    known = find_startup_taint(key)
    return known.controller if known is not None else ""


def _list_awaited(
    index: ClusterIndex, providers: ProviderIndex, pod_health: PodHealthByDaemonSet, key: str, nodes: Iterable[str]
) -> tuple[ObjectKey, ...]:
    """The DaemonSets without a working pod on some of the nodes that the controller of a startup taint waits for.

    Those whose pods have its label and whose selection takes the node, or those of the kind that it waits for.
    """
    known = find_startup_taint(key)
    if known is None:
        return ()
    if known.awaits:
        awaited = [provider.daemonset for provider in providers.list_providers(known.awaits)]
    else:
        daemonsets = index.cluster.daemonsets.values()
        awaited = [daemonset for daemonset in daemonsets if daemonset.spec.template.metadata.labels.get(known.pod_label) == "true"]
    return tuple(
        daemonset.key
        for daemonset in awaited
        if index.cluster.are_pods_listed(*daemonset.key[:2])
        and any(
            match_affinity(daemonset.spec.template.spec, index.cluster.nodes[name]).matches
            and name not in get_working_nodes(pod_health, daemonset.key[:2])
            for name in nodes
        )
    )


def find_stale_allocations(index: ClusterIndex) -> tuple[StaleAllocation, ...]:
    """By resource, the pods that are bound and do not run, or that hang in Terminating, and hold it."""
    held: dict[str, list[tuple[UnhealthyPod, int]]] = {}
    for pod in index.cluster.pods:
        node = pod.spec.nodeName
        if not node or not (pod.metadata.deletionTimestamp or pod.status.phase == "Pending"):
            continue
        whole = index.find_listed_pod(pod)
        if whole is None:
            continue
        is_kubelet_silent = node in index.not_ready_nodes or node in index.removed_nodes
        found = check_pod(whole, index.latest_time, is_kubelet_silent=is_kubelet_silent)
        if found is not None and found.trouble in (PodTrouble.TERMINATING, PodTrouble.WAITING, PodTrouble.NOT_STARTED):
            for resource, amount in get_extended_requests(whole.spec).items():
                held.setdefault(resource, []).append((found, amount))
    return tuple(
        StaleAllocation(
            resource,
            sum(amount for _, amount in holders),
            tuple(sorted({unhealthy_pod.pod.spec.nodeName for unhealthy_pod, _ in holders})),
            tuple(sorted((unhealthy_pod for unhealthy_pod, _ in holders), key=lambda unhealthy_pod: unhealthy_pod.pod.key)),
        )
        for resource, holders in sorted(held.items())
    )
