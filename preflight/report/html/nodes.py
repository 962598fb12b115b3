"""The names of the nodes, each once: the classes that the tables and the findings speak of."""

from __future__ import annotations

from typing import NamedTuple

from preflight.report.html.classes import REST, PageNodeClasses
from preflight.report.html.escaping import format_grouped_count, format_number
from preflight.report.html.node_ranges import compress_names

_MOST_SHOWN = 40
_MOST_CHARACTERS = 400


class NodeClassView(NamedTuple):
    """A class with the names of its nodes; `is_folded` where these are long."""

    letter: str
    size: int
    names: list[str]
    is_folded: bool


class NodesView(NamedTuple):
    """How many nodes and classes there are, and the classes."""

    total: str
    class_count: str
    classes: list[NodeClassView]


def make_nodes_view(classes: PageNodeClasses) -> NodesView | None:
    """A list of each class; what has no letter stands together at the end. None without a node."""
    if not classes.all:
        return None
    listed = [(node_class.letter, node_class.nodes) for node_class in classes.all if node_class.letter]
    if rest := tuple(node for node_class in classes.all if not node_class.letter for node in node_class.nodes):
        listed.append((REST, rest))
    return NodesView(
        total=format_grouped_count(sum(len(node_class.nodes) for node_class in classes.all), "node"),
        class_count=f"{format_number(len(classes.all))} class{'' if len(classes.all) == 1 else 'es'}",
        classes=[_make_class_view(letter, nodes) for letter, nodes in listed],
    )


def _make_class_view(letter: str, nodes: tuple[str, ...]) -> NodeClassView:
    names = compress_names(nodes)
    is_long = len(nodes) > _MOST_SHOWN and len(", ".join(names)) > _MOST_CHARACTERS
    return NodeClassView(letter, len(nodes), names, is_long)
