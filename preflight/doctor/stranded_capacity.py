"""Nodes whose room nobody can have: not Ready, cordoned, with a startup taint; and pods that hold devices though nothing runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.change.node_lifecycle import UNSCHEDULABLE_TAINT
from preflight.dependents.requirements import is_extended_resource
from preflight.doctor.pod_health import PodTrouble, UnhealthyPod, check_pod, get_extended_requests
from preflight.doctor.timestamps import SETTLING_SECONDS, count_seconds, format_since
from preflight.messages.lists import join_and
from preflight.scheduling.quantities import QuantityError, parse_millis

if TYPE_CHECKING:
    from preflight.doctor.context import ClusterFacts

_STARTUP_TAINTS = (
    "node.cloudprovider.kubernetes.io/uninitialized",
    "node.cilium.io/agent-not-ready",
    "karpenter.sh/unregistered",
)
_NO_NETWORK = "node.kubernetes.io/network-unavailable"
_STARTUP_SECONDS = 600.0


class IdleNodes(Struct, frozen=True):
    """Nodes that take no pod, for one reason; `free` are the extended resources on them that nobody uses, `is_new`: it has just begun."""

    nodes: tuple[str, ...]
    reason: str
    since: str = ""
    free_resources: Mapping[str, int] = {}
    cordoned_nodes: tuple[str, ...] = ()
    is_new: bool = False


class LeftoverTaint(Struct, frozen=True):
    """A startup taint that stays on nodes, and why as far as that is known."""

    key: str
    nodes: tuple[str, ...]
    reason: str


class StaleAllocation(Struct, frozen=True):
    """Pods that hold an extended resource though nothing of them runs."""

    resource: str
    amount: int
    nodes: tuple[str, ...]
    pods: tuple[tuple[str, str], ...]
    reasons: tuple[str, ...]


def find_not_ready_nodes(facts: ClusterFacts) -> tuple[IdleNodes, ...]:
    """The nodes that are not Ready, those with the same reason together; one that has just registered may become so yet."""
    found: dict[str, list[str]] = {}
    begun: dict[str, str] = {}
    for name in sorted(facts.not_ready_nodes):
        if facts.is_new_node(name):
            continue
        condition = facts.get_node_state(name).find_condition("Ready")
        why = " ".join(condition.message.split()) or condition.reason if condition else ""
        found.setdefault(why, []).append(name)
        begun[name] = condition.lastTransitionTime if condition else ""
    return tuple(
        IdleNodes(
            tuple(nodes),
            why,
            min((begun[name] for name in nodes if begun[name]), default=""),
            sum_free_resources(facts, nodes),
            tuple(name for name in nodes if facts.world.nodes[name].spec.unschedulable),
        )
        for why, nodes in found.items()
    )


def find_cordoned_nodes(facts: ClusterFacts) -> tuple[IdleNodes, ...]:
    """Each node that is Ready and cordoned, with the time that its taint states."""
    found = []
    for name, node in sorted(facts.world.nodes.items()):
        if node.spec.unschedulable and node.pool is None and name not in facts.not_ready_nodes:
            taints = facts.get_node_state(name).spec.taints
            begun = next((taint.timeAdded for taint in taints if taint.key == UNSCHEDULABLE_TAINT.key), "")
            age = count_seconds(begun, facts.latest_time)
            found.append(
                IdleNodes((name,), "", begun, sum_free_resources(facts, [name]), is_new=age is not None and age < SETTLING_SECONDS)
            )
    return tuple(found)


def sum_free_resources(facts: ClusterFacts, nodes: Iterable[str]) -> dict[str, int]:
    """The extended resources of nodes that no pod there asks for, those of which something is left."""
    left: dict[str, int] = {}
    for name in nodes:
        for resource, quantity in facts.world.nodes[name].status.allocatable.items():
            if is_extended_resource(resource):
                try:
                    left[resource] = left.get(resource, 0) + parse_millis(quantity) // 1000
                except QuantityError:
                    continue
        if left:
            for key in facts.pod_keys_by_node.get(name, ()):
                pod = (facts.world.pods_by_key or {}).get(key)
                for resource, amount in get_extended_requests(pod.spec).items() if pod is not None and not pod.has_ended else ():
                    left[resource] = left.get(resource, 0) - amount
    return {resource: amount for resource, amount in sorted(left.items()) if amount > 0}


def find_leftover_taints(facts: ClusterFacts) -> tuple[LeftoverTaint, ...]:
    """The startup taints on nodes that registered more than ten minutes ago, by key and reason.

    1. A key is one where a DaemonSet is known to remove it, or by its name.
    2. network-unavailable of a node that is Ready otherwise, where its condition has said so for as long: only pods with the network of the
       node come there.
    """
    found = _group_unrouted_nodes(facts)
    removers = {key: provider for provider in facts.get_providers("startup-taint-remover") for key in provider.component.taints}
    for name, node in sorted(facts.world.nodes.items()):
        age = count_seconds(facts.get_node_state(name).metadata.creationTimestamp, facts.latest_time)
        if node.pool is not None or (age is not None and age < _STARTUP_SECONDS):
            continue
        for taint in node.spec.taints:
            if taint.key in removers or _is_startup_taint(taint.key):
                remover = removers.get(taint.key)
                if remover is None:
                    why = "no DaemonSet is known that removes it"
                elif name in facts.get_working_nodes(remover.key):
                    why = f"{remover.daemonset.key} removes it, runs there and has not"
                else:
                    why = f"{remover.daemonset.key} removes it and has no working pod there"
                found.setdefault((taint.key, why), []).append(name)
    return tuple(LeftoverTaint(key, tuple(nodes), why) for (key, why), nodes in sorted(found.items()))


def _group_unrouted_nodes(facts: ClusterFacts) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for name, node in sorted(facts.world.nodes.items()):
        if node.pool is not None or name in facts.not_ready_nodes or not any(taint.key == _NO_NETWORK for taint in node.spec.taints):
            continue
        condition = facts.get_node_state(name).find_condition("NetworkUnavailable")
        age = count_seconds(condition.lastTransitionTime, facts.latest_time) if condition else None
        if age is None or age >= _STARTUP_SECONDS:
            said = " ".join(condition.message.split()) or condition.reason if condition else ""
            found.setdefault((_NO_NETWORK, said or "no condition says why"), []).append(name)
    return found


def _is_startup_taint(key: str) -> bool:
    return key in _STARTUP_TAINTS or key.endswith("/agent-not-ready") or key.startswith("startup-taint.cluster-autoscaler.kubernetes.io/")


def find_stale_allocations(facts: ClusterFacts) -> tuple[StaleAllocation, ...]:
    """By resource, the pods that are bound and do not run, or that hang in Terminating, and hold it."""
    held: dict[str, list[tuple[UnhealthyPod, int]]] = {}
    running = facts.world.pods_by_key or {}
    for pod in facts.world.pods:
        node = pod.spec.nodeName
        if not node or not (pod.metadata.deletionTimestamp or pod.status.phase == "Pending"):
            continue
        whole = running.get((pod.metadata.namespace, pod.metadata.name))
        silent = node in facts.not_ready_nodes or node in facts.removed_nodes
        found = check_pod(facts.get_stated_pod(whole), facts.latest_time, is_kubelet_silent=silent) if whole is not None else None
        if found is not None and found.trouble in (PodTrouble.TERMINATING, PodTrouble.WAITING, PodTrouble.NOT_STARTED):
            for resource, amount in get_extended_requests(found.pod.spec).items():
                held.setdefault(resource, []).append((found, amount))
    return tuple(
        StaleAllocation(
            resource,
            sum(amount for _, amount in pods),
            tuple(sorted({each.pod.spec.nodeName for each, _ in pods})),
            tuple(sorted(each.pod.key for each, _ in pods)),
            tuple(_explain_stale_pod(facts, each) for each, _ in sorted(pods, key=lambda one: one[0].pod.key)),
        )
        for resource, pods in sorted(held.items())
    )


def _explain_stale_pod(facts: ClusterFacts, unhealthy_pod: UnhealthyPod) -> str:
    pod = unhealthy_pod.pod
    node = pod.spec.nodeName
    where = (
        f"{node}, which is not Ready"
        if node in facts.not_ready_nodes
        else f"{node}, which is gone"
        if node in facts.removed_nodes
        else node
    )
    if unhealthy_pod.trouble is PodTrouble.TERMINATING:
        state = f"hangs in Terminating {format_since(pod.metadata.deletionTimestamp, facts.latest_time)}".rstrip()
    else:
        state = f"is Pending on its node {format_since(pod.metadata.creationTimestamp, facts.latest_time)}".rstrip()
        state += f" ({unhealthy_pod.reason})" if unhealthy_pod.reason else ""
    return f"{'/'.join(pod.key)} on {where}: {state}"


def format_resources(resources: Mapping[str, int]) -> str:
    """`8 nvidia.com/gpu and 2 rdma/hca`."""
    return join_and(f"{amount} {resource}" for resource, amount in resources.items())
