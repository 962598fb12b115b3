"""The table of a step: a row a DaemonSet, a column a class of nodes, in each cell what becomes of its pods there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from preflight.messages import html as words
from preflight.model.report import Coverage, Outcome, ReportStep
from preflight.report.formatting import clip
from preflight.report.html.classes import REST, PageNodeClasses, shorten_name
from preflight.report.html.escaping import MARKER_SHAPES, format_grouped_count, format_number
from preflight.report.table import MARKERS, ORDER, CoverageRow, make_rows_with_coverage
from preflight.report.terminal import escape_unprintable

MOST_COLUMNS = 12
_MOST_LINKS = 4
_MOST_PRINTED = 5
_MOST_HEADING = 60
_WHOLE, _NONE, _SOME, _UNKNOWN, _AGAIN, _UNASKED, _EXCLUDED = "●", "○", "◐", "?", "↻", "-", "·"
_SIGN_WORDS = {
    _WHOLE: words.YES,
    _NONE: words.NO,
    _SOME: words.ON_SOME,
    _UNKNOWN: words.NOT_KNOWN,
    _AGAIN: words.AGAIN_AND_AGAIN,
    _UNASKED: words.NOT_ASKED,
}


class CellState(NamedTuple):
    """What a cell says of nodes that share it: the outcome, and a sign for each column of the step, beginning with before."""

    outcome: Outcome
    signs: str


class MatrixColumn(NamedTuple):
    """Nodes that share a cell in every row, and the letters of their classes; `is_mixed` where they do not, since there is no room."""

    nodes: tuple[str, ...]
    letters: str
    is_mixed: bool = False


class ColumnHeading(NamedTuple):
    """What stands over a column of nodes.

    1. `letters` are all its classes, as the filter reads them; `links` are those that are shown, `unlinked_count` further ones.
    2. `first` and `last` are names of nodes, `last` "" where there is one node only.
    """

    letters: str
    is_mixed: bool
    links: list[str]
    unlinked_count: int
    node_count: int
    first: str
    last: str


class NumberCell(NamedTuple):
    """A number of nodes under its heading; `is_less` where it is less than before."""

    title: str
    text: str
    is_less: bool


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


class MatrixRow(NamedTuple):
    """A DaemonSet; `filter_sign` is the sign that the filter goes by, "" for none."""

    sign: str
    filter_sign: str
    name: str
    tolerates: str
    reasons: str
    is_lost_on: bool
    node_count: int
    numbers: list[NumberCell]
    cells: list[NodeCell]


class Legend(NamedTuple):
    """What the signs of a table mean: the columns that each cell has a sign for, those signs, and the markers with their outcomes."""

    columns: str
    signs: list[tuple[str, str]]
    outcomes: list[tuple[str, str]]


class Matrix(NamedTuple):
    """The table of a step, and a remark below it; without rows there is no table.

    `steady_rows` are the DaemonSets that keep all their pods: a folded table of their own, under `steady_summary`.
    """

    legend: Legend
    is_wide: bool
    headings: list[str]
    columns: list[ColumnHeading]
    rows: list[MatrixRow]
    steady_rows: list[MatrixRow]
    steady_summary: str
    remark: str


def make_matrix(step: ReportStep, classes: PageNodeClasses) -> Matrix:
    """The table, and below it how many DaemonSets leave these nodes out.

    1. Before the cells stand the numbers that the text has; the rows are in its order, too, and all are there. Those that the text only
       counts, since they keep their pods, are apart.
    2. There are 12 columns of nodes at most. Where there are more classes, the 11 largest have theirs, and the last one takes all
       other nodes: its cells count.
    """
    found, left_out = make_rows_with_coverage(step)
    headings = _make_headings(step)
    states = [_collect_cell_states(group, step) for _, group in found]
    columns = make_columns(step, classes, states) if found else []
    cells = _CellMaker(headings, compares=step.compares)
    remark = "" if found else words.NO_DAEMONSET
    if left_out:
        remark = words.count_excluded(left_out, len(step.nodes))
    rows = [
        (row.is_steady, _make_row(row, headings, step.compares, [cells.make_cell(column, by_node) for column in columns]))
        for (row, _), by_node in zip(found, states, strict=True)
    ]
    is_assumed = any(part.assumed for part in step.coverage)
    steady_rows = [row for is_steady, row in rows if is_steady]
    return Matrix(
        legend=_make_legend(step, any(column.nodes[0] not in by_node for column in columns for by_node in states)),
        is_wide=len(columns) > _MOST_PRINTED,
        headings=["before" if step.compares else "nodes", *headings[1:]],
        columns=[_make_column_heading(column, classes) for column in columns],
        rows=[row for is_steady, row in rows if not is_steady],
        steady_rows=steady_rows,
        steady_summary=words.count_steady_rows(len(steady_rows), is_assumed=is_assumed),
        remark=remark,
    )


def _make_headings(step: ReportStep) -> list[str]:
    return ["before", *(clip(escape_unprintable(column.lower()), _MOST_HEADING) for column in step.columns)]


def _collect_cell_states(group: Sequence[Coverage], step: ReportStep) -> dict[str, CellState]:
    """What becomes of a DaemonSet on each node that it has an answer for; the worst counts."""
    found: dict[str, CellState] = {}
    for part in sorted(group, key=lambda coverage: -coverage.outcome.rank):
        found.update(dict.fromkeys(part.nodes, CellState(part.outcome, _make_signs(part, step))))
    return found


def _make_signs(part: Coverage, step: ReportStep) -> str:
    rest = (part.ready,) if step.compares else (part.recreated, part.replaced)
    counts = (part.before, part.now, *rest)[: len(step.columns) + 1]
    signs = []
    for at, having in enumerate(counts):
        if at and part.outcome is Outcome.UNKNOWN:
            signs.append(_UNKNOWN)
        elif at and part.outcome is Outcome.LOOP and having:
            signs.append(_AGAIN)
        elif having is None:
            signs.append(_UNASKED)
        else:
            signs.append(_WHOLE if having == len(part.nodes) else _SOME if having else _NONE)
    return "".join(signs)


def make_columns(step: ReportStep, classes: PageNodeClasses, cell_states: Sequence[dict[str, CellState]]) -> list[MatrixColumn]:
    """The columns, those with the worst cells first, then the largest; `cell_states` are the rows, by node."""
    here = set(step.nodes).union(*(row.nodes for row in step.coverage))
    groups: dict[tuple[CellState | None, ...], list[str]] = {}
    for node_class in classes.all:
        if node_class.nodes[0] in here:
            groups.setdefault(tuple(by_node.get(node_class.nodes[0]) for by_node in cell_states), []).extend(node_class.nodes)
    found = sorted(groups.items(), key=lambda item: (-len(item[1]), min(item[1])))
    own = found if len(found) <= MOST_COLUMNS else found[: MOST_COLUMNS - 1]
    own.sort(key=lambda item: (min((_rank_cell(state) for state in item[0]), default=len(ORDER)), -len(item[1]), min(item[1])))
    columns = [MatrixColumn(tuple(sorted(nodes)), classes.get_letters(nodes)) for _, nodes in own]
    if rest := [node for _, nodes in found[len(own) :] for node in nodes]:
        columns.append(MatrixColumn(tuple(sorted(rest)), classes.get_letters(rest), is_mixed=True))
    return columns


def _rank_cell(state: CellState | None) -> int:
    return ORDER.index(MARKERS.get(state.outcome, " ")) if state else len(ORDER)


def _make_column_heading(column: MatrixColumn, classes: PageNodeClasses) -> ColumnHeading:
    whole = classes.find_whole_classes(column.nodes) or []
    return ColumnHeading(
        letters=column.letters,
        is_mixed=column.is_mixed,
        links=[node_class.letter for node_class in whole[:_MOST_LINKS]],
        unlinked_count=max(0, len(whole) - _MOST_LINKS),
        node_count=len(column.nodes),
        first=shorten_name(column.nodes[0]),
        last=shorten_name(column.nodes[-1]) if len(column.nodes) > 1 else "",
    )


def _make_row(row: CoverageRow, headings: Sequence[str], compares: bool, cells: list[NodeCell]) -> MatrixRow:
    says_why = row.tolerates == "no" and row.reasons
    numbers = []
    for heading, having in zip(headings[1:], row.counts, strict=False):
        text = _UNASKED if having is None else f"{format_number(having)}{'?' if row.is_unsure else ''}"
        numbers.append(NumberCell(heading, text, having is not None and having < row.node_count and not row.is_unsure))
    return MatrixRow(
        sign=row.marker,
        filter_sign=row.marker.strip(),
        name=row.name,
        tolerates="" if says_why else row.tolerates,
        reasons=row.reasons,
        is_lost_on=compares and not row.is_unknown,
        node_count=row.node_count,
        numbers=numbers,
        cells=cells,
    )


class _CellMaker:
    """Makes the cells of a table, whose columns of signs have some headings."""

    def __init__(self, headings: Sequence[str], *, compares: bool) -> None:
        self._headings = headings
        self._gap = _describe_gap(compares)

    def make_cell(self, column: MatrixColumn, by_node: Mapping[str, CellState]) -> NodeCell:
        """What a DaemonSet, given by its states on each node, does on the nodes of a column."""
        if column.is_mixed:
            return self._make_mixed_cell(column, by_node)
        title = column.letters if " " not in column.letters else shorten_name(column.nodes[0])
        state = by_node.get(column.nodes[0])
        if state is None:
            return NodeCell("no answer", title, " ", _UNASKED, self._gap)
        if state.outcome is Outcome.EXCLUDED:
            return NodeCell("no answer", title, " ", _EXCLUDED, words.EXCLUDED_BY_SELECTOR)
        columns = ((heading, _SIGN_WORDS[sign]) for heading, sign in zip(self._headings, state.signs, strict=True))
        return NodeCell("outcome", title, MARKERS.get(state.outcome, " "), state.signs, words.describe_cell(state.outcome, columns))

    def _make_mixed_cell(self, column: MatrixColumn, by_node: Mapping[str, CellState]) -> NodeCell:
        """A cell of nodes that do not share it: how many of them have a pod, column by column."""
        states = Counter(state for state in map(by_node.get, column.nodes) if state is not None)
        judged = [(state, times) for state, times in states.items() if state.outcome is not Outcome.EXCLUDED]
        if not judged:
            return NodeCell("no answer", REST, " ", _EXCLUDED, words.ON_NO_NODE)
        worst = min((state.outcome for state, _ in judged), key=lambda outcome: outcome.rank)
        total = format_grouped_count(sum(times for _, times in judged), "node")
        bad = sum(times for state, times in judged if state.outcome is worst)
        numbers = []
        for at in range(len(self._headings)):
            having = sum(times for state, times in judged if state.signs[at] in (_WHOLE, _AGAIN))
            is_unsure = any(state.signs[at] in (_UNKNOWN, _SOME) for state, _ in judged)
            numbers.append(f"{format_number(having)}{'?' if is_unsure else ''}")
        is_all = all(state.outcome is worst for state, _ in judged)
        said = words.describe_mixed_cell(worst, total, "" if is_all else format_number(bad))
        return NodeCell("mixed", REST, MARKERS.get(worst, " "), numbers, said)


def _make_legend(step: ReportStep, has_gaps: bool) -> Legend:
    """What the signs of this table mean; those that are not in it are left out. `has_gaps`: some pairs have no answer."""
    outcomes = {part.outcome for part in step.coverage}
    signs = [(_WHOLE, words.ASSUMED_POD if any(part.assumed for part in step.coverage) else words.HAS_POD), (_NONE, words.HAS_NO_POD)]
    if any(_SOME in _make_signs(part, step) for part in step.coverage):
        signs.append((_SOME, words.ON_SOME_NODES))
    if Outcome.UNKNOWN in outcomes:
        signs.append((_UNKNOWN, words.DEPENDS_ON_UNKNOWN))
    if Outcome.LOOP in outcomes:
        signs.append((_AGAIN, words.CREATED_AGAIN))
    if Outcome.EXCLUDED in outcomes:
        signs.append((_EXCLUDED, words.EXCLUDED_BY_SELECTOR))
    if has_gaps:
        signs.append((_UNASKED, _describe_gap(step.compares)))
    by_marker: dict[str, list[str]] = {}
    for outcome in sorted(outcomes, key=lambda outcome: outcome.rank):
        by_marker.setdefault(MARKERS.get(outcome, " "), []).append(outcome.value)
    return Legend(
        columns=", ".join(_make_headings(step)),
        signs=signs,
        outcomes=[(marker, ", ".join(outcomes_shown)) for marker, outcomes_shown in by_marker.items() if marker in MARKER_SHAPES],
    )


def _describe_gap(compares: bool) -> str:
    return words.NO_POD_EITHER_TIME if compares else words.NOT_JUDGED
