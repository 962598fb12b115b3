"""Nodes and pods of a drain that have the same story, joined; nothing is compared by its words."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from preflight.messages import eviction_report as messages
from preflight.messages.lists import format_names
from preflight.model.evictions import Eviction, EvictionReport, NodeEvictions
from preflight.report.evictions import MARKER_ORDER, EvictionRow, make_eviction_row

_MOST_PLACES = 2


class PodGroup(NamedTuple):
    """Pods of owners of one kind with the same verdict, reasons and replacement, each with its node."""

    members: tuple[tuple[str, Eviction], ...]

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes, each once, in order."""
        return tuple(dict.fromkeys(node for node, _ in self.members))

    @property
    def row(self) -> EvictionRow:
        """The cells of the first pod; where there are several, numbers stand in the place of names."""
        first = self.members[0][1]
        row = make_eviction_row(first)
        if len(first.where) > _MOST_PLACES:
            row = row._replace(replacement=messages.ANOTHER_NODE)
        if len(self.members) == 1:
            return row
        places = {pod.where for _, pod in self.members}
        replacement = row.replacement if len(places) == 1 else messages.OTHER_NODES
        owners = {pod.owner for _, pod in self.members}
        kinds = [owner.kind for owner in owners if owner is not None]
        owner = row.owner if len(owners) == 1 else messages.count_owners(len(kinds), kinds[0])
        return row._replace(pod=messages.count_pods(len(self.members)), owner=owner, replacement=replacement)


def group_pods(evictions: EvictionReport) -> list[PodGroup]:
    """The pods of all nodes in groups, those that are blocked or lost first, else in order."""
    found: dict[Hashable, list[tuple[str, Eviction]]] = {}
    for node in evictions.nodes:
        for pod in node.pods:
            found.setdefault(_make_pod_key(pod), []).append((node.node, pod))
    groups = [PodGroup(tuple(members)) for members in found.values()]
    return sorted(groups, key=lambda group: MARKER_ORDER.index(group.row.marker))


def _make_pod_key(pod: Eviction) -> Hashable:
    kind = pod.owner.kind if pod.owner is not None else ""
    return kind, pod.verdict, pod.why, pod.reasons, pod.budgets, pod.replacement, pod.lost, pod.localData, pod.last, pod.hang


def join_nodes(nodes: Sequence[NodeEvictions]) -> list[NodeEvictions]:
    """Nodes that end alike as one, with the pods of all: a node that kubectl refuses, gets stuck on or does not reach stays told apart."""
    found: dict[Hashable, list[NodeEvictions]] = {}
    for node in nodes:
        found.setdefault((node.reached, node.ends, node.missing, bool(node.refusals), node.exitCodes, bool(node.pods)), []).append(node)
    return [_merge_nodes(same) for same in found.values()]


def _merge_nodes(nodes: Sequence[NodeEvictions]) -> NodeEvictions:
    first = nodes[0]
    if len(nodes) == 1:
        return first
    refusals = {refusal.filter: refusal for node in reversed(nodes) for refusal in node.refusals}
    return NodeEvictions(
        messages.name_nodes(len(nodes), format_names([node.node for node in nodes])),
        tuple(pod for node in nodes for pod in node.pods),
        sum(node.daemonsets for node in nodes),
        tuple(name for node in nodes for name in node.static),
        sum(node.staying for node in nodes),
        tuple(refusals.values()),
        first.missing,
        first.ends,
        first.exitCodes,
        least=None,
        withGrace=None,
        reached=first.reached,
    )
