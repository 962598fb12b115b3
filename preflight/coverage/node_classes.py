"""Node classes: nodes that one DaemonSet cannot tell apart are judged once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from preflight.model.core import Node, PodSpec
from preflight.scheduling.affinity import collect_label_keys, get_label


class NodeMentions(NamedTuple):
    """What placement reads of a node: label keys, and whether its name counts."""

    label_keys: frozenset[str]
    by_name: bool


def collect_mentions(*templates: PodSpec) -> NodeMentions:
    """What placement reads of a node for any of these templates."""
    keys: frozenset[str] = frozenset()
    by_name = False
    for template in templates:
        more, named = collect_label_keys(template)
        keys |= more
        by_name |= named
    return NodeMentions(keys, by_name)


class NodeClass(Struct, frozen=True):
    """Nodes that one DaemonSet cannot tell apart.

    `views` has one of them in each view of the partition (before, after, as a replacement); None where the view lacks it.
    """

    nodes: frozenset[str]
    views: tuple[Node | None, ...]

    @property
    def before(self) -> Node | None:
        """A node of the class before the change, or in the only view."""
        return self.views[0]

    @property
    def after(self) -> Node | None:
        """The same node after the change."""
        return self.views[1]

    @property
    def replacement(self) -> Node | None:
        """What replaces it, where the change replaces nodes."""
        return self.views[2] if len(self.views) > 2 else None


class NodePartitions:
    """Partitions of the nodes, one for each distinct mention, shared by the DaemonSets that mention the same.

    1. The key of a node is its taints and the values of the mentioned labels (and its name where that counts), in every view.
    2. A partly known node is always a class of its own.
    """

    def __init__(self, *views: Mapping[str, Node]) -> None:
        """Over views of the same nodes by name: the world before, the world after, and others that a change brings."""
        self._views = views
        self._names = tuple(dict.fromkeys(name for view in views for name in view))
        self._taints: dict[Hashable, int] = {}
        self._sorted: dict[frozenset[str], tuple[str, ...]] = {}
        self._partitions: dict[tuple[NodeMentions, frozenset[str] | None], tuple[NodeClass, ...]] = {}

    def sort_names(self, nodes: frozenset[str]) -> tuple[str, ...]:
        """The names of nodes, sorted; the same set is sorted once."""
        names = self._sorted.get(nodes)
        if names is None:
            names = self._sorted[nodes] = tuple(sorted(nodes))
        return names

    def get_classes(self, mentions: NodeMentions, scope: frozenset[str] | None = None) -> tuple[NodeClass, ...]:
        """The classes within a scope of node names (None: all nodes)."""
        found = self._partitions.get((mentions, scope))
        if found is None:
            found = self._partition(mentions, self._names if scope is None else [name for name in self._names if name in scope])
            self._partitions[mentions, scope] = found
        return found

    def _partition(self, mentions: NodeMentions, names: Iterable[str]) -> tuple[NodeClass, ...]:
        keys = sorted(mentions.label_keys)
        members: defaultdict[Hashable, list[str]] = defaultdict(list)
        for name in names:
            previous: Node | None = None
            parts: list[Hashable] = []
            for view in self._views:
                node = view.get(name)
                parts.append(parts[-1] if parts and node is previous else self._make_class_key(node, keys, mentions.by_name))
                previous = node
            members[tuple(parts)].append(name)
        return tuple(NodeClass(frozenset(group), tuple(view.get(group[0]) for view in self._views)) for group in members.values())

    def _make_class_key(self, node: Node | None, keys: list[str], by_name: bool) -> Hashable:
        if node is None:
            return None
        taints = self._taints.setdefault(node.spec.taints, len(self._taints))
        name = node.name if by_name or node.is_partial else ""
        return (taints, name, *[get_label(node, key) for key in keys])


def split_nodes(nodes: frozenset[str], members: frozenset[str]) -> Iterator[tuple[bool, frozenset[str]]]:
    """Nodes cut in two by others, those that are among them and those that are not; a part without a node is left out."""
    if members and (inside := nodes & members):
        yield True, inside
        nodes = nodes - members
    if nodes:
        yield False, nodes
