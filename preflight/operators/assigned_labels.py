"""Labels that operators set on nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from preflight.model.apps import DaemonSet
from preflight.model.core import Node


def add_assigned_labels(nodes: Mapping[str, Node], declared: Sequence[DaemonSet]) -> dict[str, Node]:
    """The nodes with the labels that operators set on nodes, and that a manifest of a node does not state, as unknown.

    A node with a status was listed by a cluster: its labels are all there.
    """
    assigned = frozenset(label for daemonset in declared if daemonset.declaration for label in daemonset.declaration.assigned_labels)
    if not assigned:
        return dict(nodes)
    return {
        name: node
        if node.is_partial or node.status.conditions or node.status.allocatable or assigned <= node.unstated_labels
        else replace(node, unstated_labels=node.unstated_labels | assigned)
        for name, node in nodes.items()
    }
