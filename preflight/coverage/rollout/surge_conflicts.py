"""What keeps the new pod of a surge from starting beside the old one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct

from preflight.model.objects import Node, PodSpec
from preflight.scheduling.rollout import shared_ports
from preflight.scheduling.surge_fit import lacking, side_by_side


class InTheWay(Struct, frozen=True):
    """Ports of the node that both pods want, on every node; and the nodes that have too little of some resources for both."""

    ports: tuple[int, ...] = ()
    resources: Mapping[tuple[str, ...], frozenset[str]] = {}

    def nodes(self, of: frozenset[str]) -> frozenset[str]:
        """Those of some nodes where a new pod cannot start beside the old one."""
        return of if self.ports else of.intersection(frozenset().union(*self.resources.values()))


def in_the_way(old: PodSpec, new: PodSpec, nodes: Iterable[Node]) -> InTheWay:
    """What is in the way of a surge from one template to another. Other pods of the nodes are not looked at: they may go."""
    ports, both = shared_ports(old, new), side_by_side(old, new)
    short: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for node in nodes if both and not ports else ():
        if resources := lacking(both, node.status.allocatable):
            short[resources].add(node.name)
    return InTheWay(ports, {resources: frozenset(names) for resources, names in short.items()})
