"""The pods of each DaemonSet: where they work, where they come or go, and what is wrong with the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct

from preflight.coverage.node_targeting import get_target_node
from preflight.doctor.index import ClusterIndex
from preflight.doctor.pod_health import UnhealthyPod, check_pod, is_listed_pod_ready
from preflight.model.core import CoveragePod, find_controller


class DaemonSetPodHealth(Struct, frozen=True):
    """The pods of one DaemonSet: what is wrong with those that do not simply run, by the node that they are on or are for.

    `working_nodes` are the nodes with a pod that runs and is Ready, `nodes_in_transit` those where one comes or goes, `other_nodes` those
    with one that is not Ready yet.
    """

    unhealthy_pods: Mapping[str, tuple[UnhealthyPod, ...]]
    working_nodes: frozenset[str]
    nodes_in_transit: frozenset[str]
    other_nodes: frozenset[str] = frozenset()


PodHealthByDaemonSet = Mapping[tuple[str, str], DaemonSetPodHealth]
"""The pods of DaemonSets, by namespace and name."""


class _PodsByHealth(NamedTuple):
    unhealthy_pods: defaultdict[str, list[UnhealthyPod]]
    working_nodes: set[str]
    nodes_in_transit: set[str]
    other_nodes: set[str]


def collect_pod_health(index: ClusterIndex) -> PodHealthByDaemonSet:
    """The pods of every DaemonSet that has any."""
    cluster = index.cluster
    uids = {(key.namespace, key.name): daemonset.metadata.uid for key, daemonset in cluster.daemonsets.items()}
    owners: dict[tuple[str, bytes], tuple[str, str] | None] = {}
    found: defaultdict[tuple[str, str], _PodsByHealth] = defaultdict(lambda: _PodsByHealth(defaultdict(list), set(), set(), set()))
    for pod in cluster.pods:
        references = (pod.metadata.namespace, bytes(pod.metadata.ownerReferences))
        if references not in owners:
            owners[references] = _get_owner(pod, uids)
        key = owners[references]
        if key is None:
            continue
        is_running = pod.spec.nodeName and not pod.metadata.deletionTimestamp and pod.status.phase == "Running"
        if is_running and is_listed_pod_ready(pod.status.phase, bytes(pod.status.conditions)):
            found[key].working_nodes.add(pod.spec.nodeName)
            continue
        whole = index.find_listed_pod(pod)
        if whole is None:
            continue
        node = whole.spec.nodeName or get_target_node(whole)
        (found[key].other_nodes if is_running else found[key].nodes_in_transit).add(node)
        unhealthy_pod = check_pod(whole, index.latest_time, is_kubelet_silent=node in index.not_ready_nodes)
        if unhealthy_pod is not None:
            found[key].unhealthy_pods[node].append(unhealthy_pod)
    return {
        key: DaemonSetPodHealth(
            {node: tuple(unhealthy_pods) for node, unhealthy_pods in pods.unhealthy_pods.items()},
            *map(frozenset, (pods.working_nodes, pods.nodes_in_transit, pods.other_nodes)),
        )
        for key, pods in found.items()
    }


def get_working_nodes(pod_health: PodHealthByDaemonSet, key: tuple[str, str]) -> frozenset[str]:
    """The nodes on which a pod of a DaemonSet runs and is Ready."""
    found = pod_health.get(key)
    return found.working_nodes if found is not None else frozenset()


def has_pod(pod_health: PodHealthByDaemonSet, key: tuple[str, str], node: str) -> bool:
    """Whether a DaemonSet has a pod on a node, in whatever state, or one that comes or goes."""
    found = pod_health.get(key)
    return found is not None and (
        node in found.working_nodes or node in found.unhealthy_pods or node in found.nodes_in_transit or node in found.other_nodes
    )


def _get_owner(pod: CoveragePod, uids: Mapping[tuple[str, str], str]) -> tuple[str, str] | None:
    owner = find_controller(pod)
    key = (pod.metadata.namespace, owner.name) if owner and owner.kind == "DaemonSet" else ("", "")
    uid = uids.get(key)
    return key if owner is not None and uid is not None and (not uid or not owner.uid or uid == owner.uid) else None
