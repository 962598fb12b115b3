"""The classes of a page: nodes that share every answer of a report, each with a letter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from markupsafe import Markup

from preflight.model.report import ReportStep
from preflight.report.html.environment import render_macro
from preflight.report.html.node_ranges import compress_names

MOST_LETTERS = 60
"""How many classes have a letter at most: the largest. The nodes of all others are told by their names."""

REST = "others"
_MOST_NAMES = 4
_MOST_NAME = 24
_MOST_REFERRED = 6


class PageNodeClass(NamedTuple):
    """Nodes that are together in every row of coverage, sorted; `letter` is "" where there are too many classes."""

    letter: str
    nodes: tuple[str, ...]


class NodeList(NamedTuple):
    """Nodes in a few words: their names; or, where there are many, their `number` and the letters of their classes, or else `ranges`."""

    names: tuple[str, ...] = ()
    number: int = 0
    letters: tuple[str, ...] = ()
    ranges: str = ""


class PageNodeClasses:
    """The classes of a report, the largest first; each node is in one."""

    def __init__(self, classes: Sequence[PageNodeClass]) -> None:
        self.all = classes

    @cached_property
    def index_by_node(self) -> Mapping[str, int]:
        """Where in `all` the class of a node is, by the name of the node."""
        return {node: at for at, node_class in enumerate(self.all) for node in node_class.nodes}

    def find_whole_classes(self, nodes: Iterable[str]) -> list[PageNodeClass] | None:
        """The classes that these nodes are, in their order; None where one is there in part only or has no letter."""
        wanted = set(nodes)
        found = [self.all[at] for at in self._find_indexes(wanted)]
        is_whole = all(node_class.letter for node_class in found) and wanted <= self.index_by_node.keys()
        return found if is_whole and sum(len(node_class.nodes) for node_class in found) == len(wanted) else None

    def get_letters(self, nodes: Iterable[str]) -> str:
        """The letters of all classes that these nodes are in, as the filter reads them: `A C others`."""
        return " ".join(dict.fromkeys(self.all[at].letter or REST for at in self._find_indexes(nodes)))

    def _find_indexes(self, nodes: Iterable[str]) -> list[int]:
        return sorted({self.index_by_node[node] for node in nodes if node in self.index_by_node})

    def render_nodes(self, nodes: Sequence[str]) -> Markup:
        """The nodes in a few words of HTML: up to four by name, more by the letters of their classes, else the beginning of their list."""
        return render_macro("names.html.j2", "node_list", self._make_node_list(nodes))

    def _make_node_list(self, nodes: Sequence[str]) -> NodeList:
        if len(nodes) <= _MOST_NAMES:
            return NodeList(tuple(nodes))
        found = self.find_whole_classes(nodes)
        if found is not None and len(found) <= _MOST_REFERRED:
            return NodeList(number=len(nodes), letters=tuple(node_class.letter for node_class in found))
        return NodeList(number=len(nodes), ranges=", ".join(compress_names(nodes)))


def shorten_name(name: str) -> str:
    """A name for a heading: of a long name with a domain the domain is left out."""
    label = name.partition(".")[0]
    return label if len(name) > _MOST_NAME and not label.isdecimal() else name


def make_node_classes(steps: Sequence[ReportStep]) -> PageNodeClasses:
    """The classes of some steps, for all of them at once, so that a letter means the same nodes in each.

    1. Two nodes are in one class where the same steps judge them, and every row of coverage holds both or none.
    2. The largest is A. Ties go by the first name.
    """
    rows: dict[str, list[int]] = {}
    number = 0
    for step in steps:
        for nodes in (step.nodes, *(row.nodes for row in step.coverage)):
            number += 1
            for node in nodes:
                rows.setdefault(node, []).append(number)
    together: dict[tuple[int, ...], list[str]] = {}
    for node, where in rows.items():
        together.setdefault(tuple(where), []).append(node)
    found = sorted((tuple(sorted(nodes)) for nodes in together.values()), key=lambda nodes: (-len(nodes), nodes))
    return PageNodeClasses([PageNodeClass(_make_letter(at) if at < MOST_LETTERS else "", nodes) for at, nodes in enumerate(found)])


def _make_letter(index: int) -> str:
    """A, B, ... Z, AA, AB, ..."""
    return (_make_letter(index // 26 - 1) if index >= 26 else "") + chr(ord("A") + index % 26)
