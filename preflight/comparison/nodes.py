"""What became of the nodes of a cluster since it was saved: labels, taints, readiness, and what they can allocate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from preflight.change.node_lifecycle import UNSCHEDULABLE_TAINT, is_controller_owned
from preflight.model.comparison_reasons import LabelDifference, Limitation, Side, TaintDifference, UnknownAllocatable, UnlistedNodes
from preflight.model.core import Node, Taint
from preflight.model.world import ClusterState
from preflight.scheduling.quantities import QuantityError, parse_millis

_ROUNDED_RESOURCES = frozenset(("memory", "ephemeral-storage"))
"""What a node has a little more or less of after each start."""


class ResourceDecrease(Struct, frozen=True, gc=False):
    """A resource of which a node can allocate less than before; `now` is "" where it is gone, and a quantity of nothing is gone too."""

    resource: str
    quantity_before: str
    quantity_now: str

    @property
    def is_gone(self) -> bool:
        """Whether nothing is left of it."""
        return not self.quantity_now


class NodeComparison(Struct, frozen=True):
    """One node, before and now; None where it was not there, or is not.

    1. `is_gone` and `is_new` only where every node was listed on the other side.
    2. `resource_decreases` are resources. `is_not_ready`: it was Ready and is not; `is_cordoned`: it was not, and is.
    3. `changed_labels` are first those that are gone, then new ones, then other values. `changed_taints` are first those that are gone;
       what the cluster sets by itself is left out.
    4. `was_recreated`: another node registered under the name.
    """

    name: str
    node_before: Node | None = None
    node_now: Node | None = None
    is_gone: bool = False
    is_new: bool = False
    resource_decreases: tuple[ResourceDecrease, ...] = ()
    is_not_ready: bool = False
    is_cordoned: bool = False
    changed_labels: tuple[LabelDifference, ...] = ()
    changed_taints: tuple[TaintDifference, ...] = ()
    was_recreated: bool = False


def compare_nodes(before: ClusterState, now: ClusterState) -> tuple[tuple[NodeComparison, ...], tuple[Limitation, ...]]:
    """Every node of both sides, in order of the names, and what cannot be compared.

    1. Where one side has no node, or not all, none is gone or new by it. Template nodes of pools and partly known ones are left out.
    2. What a node can allocate is compared where both sides say it: any less, but of memory and disk more than a hundredth.
    """
    old, new = (_select_real_nodes(world) for world in (before, now))
    limitations: list[Limitation] = [
        UnlistedNodes(side, has_some=bool(nodes))
        for side, world, nodes in ((Side.BEFORE, before, old), (Side.NOW, now, new))
        if not _has_all_nodes(world, nodes)
    ]
    all_old, all_new = _has_all_nodes(before, old), _has_all_nodes(now, new)
    found = []
    for name in sorted({*old, *new}):
        was, is_ = old.get(name), new.get(name)
        if was is None or is_ is None:
            found.append(NodeComparison(name, was, is_, is_gone=is_ is None and all_new, is_new=was is None and all_old))
        else:
            found.append(_compare_node(name, was, is_))
    silent = [name for name in old.keys() & new.keys() if bool(old[name].status.allocatable) != bool(new[name].status.allocatable)]
    if silent:
        limitations.append(UnknownAllocatable(len(silent)))
    return tuple(found), tuple(limitations)


def _select_real_nodes(world: ClusterState) -> Mapping[str, Node]:
    return {name: node for name, node in world.nodes.items() if node.pool is None and not node.is_partial}


def _has_all_nodes(world: ClusterState, nodes: Mapping[str, Node]) -> bool:
    return bool(nodes) if world.listing is None else world.listing.nodes and bool(nodes)


def _compare_node(name: str, node_before: Node, node_now: Node) -> NodeComparison:
    taints_before, taints_now = _list_manual_taints(node_before), _list_manual_taints(node_now)
    return NodeComparison(
        name,
        node_before,
        node_now,
        resource_decreases=tuple(_list_resource_decreases(node_before.status.allocatable, node_now.status.allocatable))
        if node_now.status.allocatable
        else (),
        is_not_ready=node_before.is_ready is True and node_now.is_ready is False,
        is_cordoned=_is_cordoned(node_now) and not _is_cordoned(node_before),
        changed_labels=tuple(_iter_changed_labels(node_before.metadata.labels, node_now.metadata.labels)),
        changed_taints=(
            *(TaintDifference(taint, is_added=False) for taint in taints_before if taint not in taints_now),
            *(TaintDifference(taint, is_added=True) for taint in taints_now if taint not in taints_before),
        ),
        was_recreated=bool(node_before.metadata.uid and node_now.metadata.uid) and node_before.metadata.uid != node_now.metadata.uid,
    )


def _list_manual_taints(node: Node) -> tuple[Taint, ...]:
    return tuple(taint for taint in node.spec.taints if not is_controller_owned(taint))


def _is_cordoned(node: Node) -> bool:
    return node.spec.unschedulable or any(taint == UNSCHEDULABLE_TAINT for taint in node.spec.taints)


def _iter_changed_labels(labels_before: Mapping[str, str], labels_now: Mapping[str, str]) -> Iterator[LabelDifference]:
    for key in sorted(labels_before.keys() - labels_now.keys()):
        yield LabelDifference(key, labels_before[key], None)
    for key in sorted(labels_now.keys() - labels_before.keys()):
        yield LabelDifference(key, None, labels_now[key])
    for key in sorted(labels_before.keys() & labels_now.keys()):
        if labels_before[key] != labels_now[key]:
            yield LabelDifference(key, labels_before[key], labels_now[key])


def _list_resource_decreases(
    quantities_before: Mapping[str, str | int | float], quantities_now: Mapping[str, str | int | float]
) -> list[ResourceDecrease]:
    found = []
    for resource, amount in sorted(quantities_before.items()):
        try:
            old, new = parse_millis(amount), parse_millis(quantities_now.get(resource, 0))
        except QuantityError:
            continue  # no server has it so
        if new < old and not new:
            found.append(ResourceDecrease(resource, str(amount), ""))
        elif new < old and (resource not in _ROUNDED_RESOURCES or 100 * new < 99 * old):
            found.append(ResourceDecrease(resource, str(amount), str(quantities_now[resource])))
    return found
