"""The classes of a page: nodes that share every answer of a report, each with a letter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from preflight.model.report import Step
from preflight.report.html.escaping import code, counted, safe
from preflight.report.html.node_ranges import ranges

MOST_LETTERS = 60
"""How many classes have a letter at most: the largest. The nodes of all others are told by their names."""

REST = "others"
_MOST_NAMES = 4
_MOST_NAME = 24
_MOST_REFERRED = 6
_MOST_CHARACTERS = 400


class NodeClass(NamedTuple):
    """Nodes that are together in every row of coverage, sorted; `letter` is "" where there are too many classes."""

    letter: str
    nodes: tuple[str, ...]


class Classes:
    """The classes of a report, the largest first; each node is in one."""

    def __init__(self, classes: Sequence[NodeClass]) -> None:
        self.all = classes

    @cached_property
    def at(self) -> Mapping[str, int]:
        """Where in `all` the class of a node is, by the name of the node."""
        return {node: at for at, each in enumerate(self.all) for node in each.nodes}

    def made_of(self, nodes: Iterable[str]) -> list[NodeClass] | None:
        """The classes that these nodes are, in their order; None where one is there in part only or has no letter."""
        wanted = set(nodes)
        found = [self.all[at] for at in self._classes(wanted)]
        is_whole = all(each.letter for each in found) and wanted <= self.at.keys()
        return found if is_whole and sum(len(each.nodes) for each in found) == len(wanted) else None

    def letters(self, nodes: Iterable[str]) -> str:
        """The letters of all classes that these nodes are in, as the filter reads them: `A C others`."""
        return " ".join(dict.fromkeys(self.all[at].letter or REST for at in self._classes(nodes)))

    def _classes(self, nodes: Iterable[str]) -> list[int]:
        return sorted({self.at[node] for node in nodes if node in self.at})

    def told(self, nodes: Sequence[str]) -> str:
        """The nodes in a few words of HTML: up to four by name, more by the letters of their classes, else the beginning of their list."""
        if len(nodes) <= _MOST_NAMES:
            return ", ".join(code(node, 300) for node in nodes)
        made = self.made_of(nodes)
        if made is not None and len(made) <= _MOST_REFERRED:
            return f"{counted(len(nodes), 'node')}: class {', '.join(map(link, made))}"
        return f"{counted(len(nodes), 'node')}: {code(', '.join(ranges(nodes)), _MOST_CHARACTERS)}"


def link(each: NodeClass) -> str:
    """The letter of a class, which leads to its names."""
    return f'<a href="#class-{each.letter}">{each.letter}</a>'


def named(nodes: Sequence[str]) -> str:
    """A short name for some nodes: the only ones, or the first and the last; of a long name with a domain the domain is left out."""
    if len(nodes) <= 2:
        return "<br>".join(map(_short, nodes))
    return f"{_short(nodes[0])} …<br>{_short(nodes[-1])}"


def _short(name: str) -> str:
    label = name.partition(".")[0]
    return safe(label if len(name) > _MOST_NAME and not label.isdecimal() else name, 60)


def classes_of(steps: Sequence[Step]) -> Classes:
    """The classes of some steps, for all of them at once, so that a letter means the same nodes in each.

    1. Two nodes are in one class where the same steps judge them, and every row of coverage holds both or none.
    2. The largest is A. Ties go by the first name.
    """
    rows: dict[str, list[int]] = {}
    number = 0
    for step in steps:
        for nodes in (step.nodes, *(each.nodes for each in step.coverage)):
            number += 1
            for node in nodes:
                rows.setdefault(node, []).append(number)
    together: dict[tuple[int, ...], list[str]] = {}
    for node, where in rows.items():
        together.setdefault(tuple(where), []).append(node)
    found = sorted((tuple(sorted(nodes)) for nodes in together.values()), key=lambda nodes: (-len(nodes), nodes))
    return Classes([NodeClass(_letter(at) if at < MOST_LETTERS else "", nodes) for at, nodes in enumerate(found)])


def _letter(at: int) -> str:
    """A, B, ... Z, AA, AB, ..."""
    return (_letter(at // 26 - 1) if at >= 26 else "") + chr(ord("A") + at % 26)
