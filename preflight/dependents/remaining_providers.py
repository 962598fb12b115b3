"""What stays provided where: whether another DaemonSet gives a node the same, and which nodes keep it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from preflight.coverage.model import Impact
from preflight.coverage.node_classes import NodePartitions, collect_mentions
from preflight.model.apps import DaemonSet
from preflight.model.meta import ObjectKey
from preflight.scheduling.placement import evaluate_placement
from preflight.scheduling.tolerations import add_implicit_tolerations

if TYPE_CHECKING:
    from preflight.components import Component

# Kinds of which one on a node is enough, whoever it is.
_INTERCHANGEABLE_KINDS = frozenset(("kube-proxy", "node-local-dns", "cluster-dns", "cloud-controller"))

# Kinds whose own names tell one from another: without them there is nothing to compare.
_KINDS_BY_NAME = frozenset(
    (
        *("device-plugin", "csi-node-driver", "dra-driver", "cni", "mesh-cni", "secondary-cni"),
        *("label-producer", "startup-taint-remover"),
    )
)


class RemainingProviders:
    """What the DaemonSets provide after a change, once for all that ask."""

    def __init__(self, impact: Impact) -> None:
        """Of one impact; nothing is worked out before it is asked for."""
        self._impact = impact
        self._world = impact.change.after
        self._classes = NodePartitions(self._world.nodes)
        self._nodes: dict[tuple[ObjectKey, bool], frozenset[str]] = {}
        self._components: tuple[tuple[ObjectKey, Component], ...] | None = None

    def find_resource_nodes(self, resource: str, *, recreated: bool) -> frozenset[str]:
        """The nodes where some DaemonSet advertises an extended resource, or may do so: a plugin whose resources are not known."""
        return self._collect_nodes(
            (key for key, component in self._list_components() if component.advertises(resource) is not False), recreated=recreated
        )

    def find_provider_nodes(self, component: Component, *, recreated: bool) -> frozenset[str]:
        """The nodes where some DaemonSet provides what a component provides, itself included."""
        keys = (key for key, other in self._list_components() if other is component or can_replace_component(other, component))
        return self._collect_nodes(keys, recreated=recreated)

    def is_known_resource(self, resource: str) -> bool:
        """Whether some DaemonSet is known to advertise an extended resource."""
        return any(component.advertises(resource) for _, component in self._list_components())

    def find_other_nodes(self, key: ObjectKey, component: Component, *, recreated: bool) -> frozenset[str]:
        """The nodes where another DaemonSet provides the same."""
        keys = (other_key for other_key, other in self._list_components() if other_key != key and can_replace_component(other, component))
        return self._collect_nodes(keys, recreated=recreated)

    def find_networks(self, key: ObjectKey, *, recreated: bool) -> Mapping[ObjectKey, frozenset[str]]:
        """The other DaemonSets that are the network of every pod, or may be, and the nodes that keep them."""
        keys = (other for other, component in self._list_components() if other != key and may_be_network(component))
        return {other: self._find_covered_nodes(other, recreated=recreated) for other in dict.fromkeys(keys)}

    def _collect_nodes(self, keys: Iterable[ObjectKey], *, recreated: bool) -> frozenset[str]:
        return frozenset().union(*(self._find_covered_nodes(key, recreated=recreated) for key in dict.fromkeys(keys)))

    def _list_components(self) -> tuple[tuple[ObjectKey, Component], ...]:
        if self._components is None:
            recognised = self._impact.component_cache
            self._components = tuple(
                (key, component) for key, daemonset in self._world.daemonsets.items() for component in recognised.recognize(daemonset)
            )
        return self._components

    def _find_covered_nodes(self, key: ObjectKey, *, recreated: bool) -> frozenset[str]:
        """The nodes of a DaemonSet: where it was judged, by its pods now or after re-creation; elsewhere where it should run."""
        nodes = self._nodes.get((key, recreated))
        if nodes is None:
            groups = [group for group in self._impact.groups if group.key == key]
            kept = (group.nodes for group in groups if (group.forecast.is_recreated if recreated else group.forecast.has_pod))
            judged: frozenset[str] = frozenset().union(*(group.nodes for group in groups))
            nodes = frozenset().union(*kept, self._find_wanted_nodes(self._world.daemonsets[key]) - judged)
            self._nodes[key, recreated] = nodes
        return nodes

    def _find_wanted_nodes(self, daemonset: DaemonSet) -> frozenset[str]:
        spec = daemonset.spec.template.spec
        tolerations, gate = add_implicit_tolerations(spec), self._world.comparison_operators
        return frozenset().union(
            *(
                node_class.nodes
                for node_class in self._classes.get_classes(collect_mentions(spec))
                if (node := node_class.before) is not None and evaluate_placement(spec, tolerations, node, gate).should_run
            )
        )


def may_be_network(component: Component) -> bool:
    """Whether a component is the network of every pod, or is not known by name and may be it."""
    return component.kind.id == "cni" and (not component.networks or "pod" in component.networks)


def can_replace_component(one: Component, other: Component) -> bool:
    """Whether what one component provides stands in for the other.

    1. Device plugins with a resource in common, CSI and DRA drivers of one name, networks of the same pods, labels or startup taints in
       common. What is not known is never the same, nor are two resources of which only the beginning is known. A network that works
       together with another (a wrapper, a chained one) has names beside `pod`, and stands in for none that has not the same.
    2. One proxy of Services, DNS or cloud controller on a node is enough, whoever it is.
    3. Of the rest, those that run the same program: two agents that read logs send them to different places.
    """
    if one.kind.id != other.kind.id:
        return False
    if one.kind.id in _INTERCHANGEABLE_KINDS:
        return True
    if one.kind.id == "cni":
        return bool(one.networks) and set(one.networks) == set(other.networks)
    for mine, theirs in _iter_name_pairs(one, other):
        if mine or theirs:
            return any(not name.endswith("*") for name in set(mine) & set(theirs))
    return one.kind.id not in _KINDS_BY_NAME and {evidence.description for evidence in one.evidence} == {
        evidence.description for evidence in other.evidence
    }


def _iter_name_pairs(one: Component, other: Component) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    yield one.resources, other.resources
    yield one.drivers, other.drivers
    yield one.networks, other.networks
    yield one.labels, other.labels
    yield one.taints, other.taints
