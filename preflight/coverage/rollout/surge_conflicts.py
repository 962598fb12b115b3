"""What keeps the new pod of a surge from starting beside the old one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct

from preflight.model.core import Node, PodSpec
from preflight.scheduling.surge_fit import find_insufficient_resources, sum_surge_requests
from preflight.scheduling.update_strategy import find_shared_ports


class SurgeConflicts(Struct, frozen=True):
    """Ports of the node that both pods want, on every node; and the nodes that have too little of some resources for both.

    `evicting_nodes` are those where the new pod takes the place of the old one all the same: it is of higher priority.
    """

    ports: tuple[int, ...] = ()
    resources: Mapping[tuple[str, ...], frozenset[str]] = {}
    evicting_nodes: frozenset[str] = frozenset()

    def select_conflicting_nodes(self, candidates: frozenset[str]) -> frozenset[str]:
        """Those of some nodes where a new pod cannot start beside the old one."""
        there = candidates if self.ports else candidates.intersection(frozenset().union(*self.resources.values()))
        return there - self.evicting_nodes

    def add_shortages(self, shortages: Mapping[str, tuple[str, ...]]) -> SurgeConflicts:
        """The same with the nodes that have too little left for both beside the other pods that are there, by the resources."""
        known = frozenset().union(*self.resources.values())
        nodes_by_shortage = {resources: set(names) for resources, names in self.resources.items()}
        for name, resources in shortages.items():
            if resources and name not in known:
                nodes_by_shortage.setdefault(resources, set()).add(name)
        return SurgeConflicts(
            self.ports, {resources: frozenset(names) for resources, names in nodes_by_shortage.items()}, self.evicting_nodes
        )

    def except_nodes(self, names: frozenset[str]) -> SurgeConflicts:
        """The same where on some nodes the new pod has the scheduler evict the old one."""
        return SurgeConflicts(self.ports, self.resources, names)


def find_surge_conflicts(old: PodSpec, new: PodSpec, nodes: Iterable[Node]) -> SurgeConflicts:
    """What is in the way of a surge from one template to another. Other pods of the nodes are not looked at: they may go."""
    ports, both = find_shared_ports(old, new), sum_surge_requests(old, new)
    short: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for node in nodes if both and not ports else ():
        if resources := find_insufficient_resources(both, node.status.allocatable):
            short[resources].add(node.name)
    return SurgeConflicts(ports, {resources: frozenset(names) for resources, names in short.items()})
