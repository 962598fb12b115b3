"""The table of a step: a row a DaemonSet, a column a class of nodes, in each cell what becomes of its pods there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from preflight.inert_text import escape_unprintable
from preflight.messages import html as words
from preflight.model.report import Outcome, ReportStep
from preflight.report.formatting import clip
from preflight.report.html.cells import (
    CellMaker,
    CellSign,
    CellState,
    MatrixColumn,
    NodeCell,
    collect_cell_states,
    describe_gap,
    make_signs,
)
from preflight.report.html.classes import PageNodeClasses, shorten_name
from preflight.report.html.escaping import MARKER_SHAPES, format_number
from preflight.report.table import MARKERS, ORDER, CoverageRow, make_rows_with_coverage

MOST_COLUMNS = 12
_MOST_LINKS = 4
_MOST_PRINTED = 5
_MOST_HEADING = 60


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
    states = [collect_cell_states(group, step) for _, group in found]
    columns = make_columns(step, classes, states) if found else []
    cells = CellMaker(headings, compares=step.compares)
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
        text = CellSign.UNASKED if having is None else f"{format_number(having)}{'?' if row.is_unsure else ''}"
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


def _make_legend(step: ReportStep, has_gaps: bool) -> Legend:
    """What the signs of this table mean; those that are not in it are left out. `has_gaps`: some pairs have no answer."""
    outcomes = {part.outcome for part in step.coverage}
    having = words.ASSUMED_POD if any(part.assumed for part in step.coverage) else words.HAS_POD
    signs: list[tuple[str, str]] = [(CellSign.WHOLE, having), (CellSign.NONE, words.HAS_NO_POD)]
    if any(CellSign.SOME in make_signs(part, step) for part in step.coverage):
        signs.append((CellSign.SOME, words.ON_SOME_NODES))
    if Outcome.UNKNOWN in outcomes:
        signs.append((CellSign.UNKNOWN, words.DEPENDS_ON_UNKNOWN))
    if Outcome.LOOP in outcomes:
        signs.append((CellSign.AGAIN, words.CREATED_AGAIN))
    if Outcome.EXCLUDED in outcomes:
        signs.append((CellSign.EXCLUDED, words.EXCLUDED_BY_SELECTOR))
    if has_gaps:
        signs.append((CellSign.UNASKED, describe_gap(step.compares)))
    by_marker: dict[str, list[str]] = {}
    for outcome in sorted(outcomes, key=lambda outcome: outcome.rank):
        by_marker.setdefault(MARKERS.get(outcome, " "), []).append(outcome.value)
    return Legend(
        columns=", ".join(_make_headings(step)),
        signs=signs,
        outcomes=[(marker, ", ".join(outcomes_shown)) for marker, outcomes_shown in by_marker.items() if marker in MARKER_SHAPES],
    )
