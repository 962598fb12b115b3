"""How well the nodes and the listed pods of a world are, worked out when an update asks and once for all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

from preflight.coverage.pod_fields import decode_maps
from preflight.model.core import CoveragePod, Node, find_controller
from preflight.model.meta import ObjectKey


class NodeHealth:
    """The nodes whose kubelet is silent or that are not Ready, and the listed pods that are not."""

    def __init__(self, nodes: Mapping[str, Node], pods: Iterable[CoveragePod]) -> None:
        """Of nodes by name, and of pods that were listed; nothing is worked out before it is asked for."""
        self._nodes, self._pods = nodes, pods
        self._unready: dict[ObjectKey, Mapping[str, str]] = {}

    @cached_property
    def silent_nodes(self) -> frozenset[str]:
        """The nodes whose kubelet says nothing: Ready is Unknown. A taint alone does not show it: anybody can set one."""
        return frozenset(name for name, node in self._nodes.items() if is_kubelet_silent(node))

    @cached_property
    def not_ready_nodes(self) -> frozenset[str]:
        """The nodes whose kubelet says that they are not Ready."""
        return frozenset(name for name, node in self._nodes.items() if node.is_ready is False and not is_kubelet_silent(node))

    def get_unready_pods(self, key: ObjectKey) -> Mapping[str, str]:
        """The names of the listed live pods of a DaemonSet that are not Ready, by node.

        The condition says so, or the pod is still Pending, or nothing is said and the node is silent.
        """
        found = self._unready.get(key)
        if found is None:
            pods = self._pods_by_daemonset.get((key.namespace, key.name), ())
            found = self._unready[key] = {pod.spec.nodeName: pod.metadata.name for pod in pods if not self._may_be_ready(pod)}
        return found

    @cached_property
    def _pods_by_daemonset(self) -> Mapping[tuple[str, str], list[CoveragePod]]:
        """The listed pods that are bound and live, by the namespace and name of their DaemonSet."""
        found: defaultdict[tuple[str, str], list[CoveragePod]] = defaultdict(list)
        for pod in self._pods:
            if pod.spec.nodeName and not pod.metadata.deletionTimestamp and pod.status.phase not in ("Failed", "Succeeded"):
                owner = find_controller(pod)
                if owner and owner.kind == "DaemonSet":
                    found[pod.metadata.namespace, owner.name].append(pod)
        return found

    def _may_be_ready(self, pod: CoveragePod) -> bool:
        if pod.status.phase == "Pending":
            return False
        stated = [decode_map.get("status") for decode_map in decode_maps(pod.status.conditions) if decode_map.get("type") == "Ready"]
        return stated[-1] == "True" if stated else pod.spec.nodeName not in self.silent_nodes


def is_kubelet_silent(node: Node) -> bool:
    """Whether the node's kubelet says nothing: the node lifecycle controller has set its Ready condition to Unknown."""
    return any(condition.type == "Ready" and condition.status == "Unknown" for condition in node.status.conditions)
