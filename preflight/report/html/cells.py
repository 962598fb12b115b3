"""The cells of the table of a step: what becomes of the pods of a DaemonSet on a class of nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from preflight.messages import html as words
from preflight.model.report import Coverage, Outcome, ReportStep
from preflight.report.html.classes import REST, shorten_name
from preflight.report.html.escaping import format_grouped_count, format_number
from preflight.report.table import MARKERS


class CellSign(StrEnum):
    """What is drawn of some nodes in one column: all, none or some of them have a pod, and so on."""

    WHOLE = "●"
    NONE = "○"
    SOME = "◐"
    UNKNOWN = "?"
    AGAIN = "↻"
    UNASKED = "-"
    EXCLUDED = "·"


_SIGN_WORDS = {
    CellSign.WHOLE: words.YES,
    CellSign.NONE: words.NO,
    CellSign.SOME: words.ON_SOME,
    CellSign.UNKNOWN: words.NOT_KNOWN,
    CellSign.AGAIN: words.AGAIN_AND_AGAIN,
    CellSign.UNASKED: words.NOT_ASKED,
}


class CellState(NamedTuple):
    """What a cell says of nodes that share it: the outcome, and a sign for each column of the step, beginning with before."""

    outcome: Outcome
    signs: tuple[CellSign, ...]


class MatrixColumn(NamedTuple):
    """Nodes that share a cell in every row, and the letters of their classes; `is_mixed` where they do not, since there is no room."""

    nodes: tuple[str, ...]
    letters: str
    is_mixed: bool = False


class NodeCell(NamedTuple):
    """A cell of a column of nodes.

    1. `kind` is "no answer", "outcome" or "mixed"; `text` are signs for the eye, of a mixed cell numbers; `words` say it all.
    2. `sign` is the marker of the outcome, " " for none; `title` repeats whose column it is.
    """

    kind: str
    title: str
    sign: str
    text: str | list[str]
    words: str


def collect_cell_states(group: Sequence[Coverage], step: ReportStep) -> dict[str, CellState]:
    """What becomes of a DaemonSet on each node that it has an answer for; the worst counts."""
    found: dict[str, CellState] = {}
    for part in sorted(group, key=lambda coverage: -coverage.outcome.rank):
        found.update(dict.fromkeys(part.nodes, CellState(part.outcome, make_signs(part, step))))
    return found


def make_signs(part: Coverage, step: ReportStep) -> tuple[CellSign, ...]:
    """A sign for each column of a step, beginning with before."""
    rest = (part.ready,) if step.compares else (part.recreated, part.replaced)
    counts = (part.before, part.now, *rest)[: len(step.columns) + 1]
    signs: list[CellSign] = []
    for at, having in enumerate(counts):
        if at and part.outcome is Outcome.UNKNOWN:
            signs.append(CellSign.UNKNOWN)
        elif at and part.outcome is Outcome.LOOP and having:
            signs.append(CellSign.AGAIN)
        elif having is None:
            signs.append(CellSign.UNASKED)
        else:
            signs.append(CellSign.WHOLE if having == len(part.nodes) else CellSign.SOME if having else CellSign.NONE)
    return tuple(signs)


class CellMaker:
    """Makes the cells of a table, whose columns of signs have some headings."""

    def __init__(self, headings: Sequence[str], *, compares: bool) -> None:
        self._headings = headings
        self._gap = describe_gap(compares)

    def make_cell(self, column: MatrixColumn, by_node: Mapping[str, CellState]) -> NodeCell:
        """What a DaemonSet, given by its states on each node, does on the nodes of a column."""
        if column.is_mixed:
            return self._make_mixed_cell(column, by_node)
        title = column.letters if " " not in column.letters else shorten_name(column.nodes[0])
        state = by_node.get(column.nodes[0])
        if state is None:
            return NodeCell("no answer", title, " ", CellSign.UNASKED, self._gap)
        if state.outcome is Outcome.EXCLUDED:
            return NodeCell("no answer", title, " ", CellSign.EXCLUDED, words.EXCLUDED_BY_SELECTOR)
        columns = ((heading, _SIGN_WORDS[sign]) for heading, sign in zip(self._headings, state.signs, strict=True))
        return NodeCell(
            "outcome", title, MARKERS.get(state.outcome, " "), "".join(state.signs), words.describe_cell(state.outcome, columns)
        )

    def _make_mixed_cell(self, column: MatrixColumn, by_node: Mapping[str, CellState]) -> NodeCell:
        """A cell of nodes that do not share it: how many of them have a pod, column by column."""
        states = Counter(state for state in map(by_node.get, column.nodes) if state is not None)
        judged = [(state, times) for state, times in states.items() if state.outcome is not Outcome.EXCLUDED]
        if not judged:
            return NodeCell("no answer", REST, " ", CellSign.EXCLUDED, words.ON_NO_NODE)
        worst = min((state.outcome for state, _ in judged), key=lambda outcome: outcome.rank)
        total = format_grouped_count(sum(times for _, times in judged), "node")
        bad = sum(times for state, times in judged if state.outcome is worst)
        numbers = []
        for at in range(len(self._headings)):
            having = sum(times for state, times in judged if state.signs[at] in (CellSign.WHOLE, CellSign.AGAIN))
            is_unsure = any(state.signs[at] in (CellSign.UNKNOWN, CellSign.SOME) for state, _ in judged)
            numbers.append(f"{format_number(having)}{'?' if is_unsure else ''}")
        is_all = all(state.outcome is worst for state, _ in judged)
        said = words.describe_mixed_cell(worst, total, "" if is_all else format_number(bad))
        return NodeCell("mixed", REST, MARKERS.get(worst, " "), numbers, said)


def describe_gap(compares: bool) -> str:
    """What a pair means that has no answer."""
    return words.NO_POD_EITHER_TIME if compares else words.NOT_JUDGED
