"""The room for a pod as a page: the answer, the waterfall drawn, and the tables of classes and nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from preflight.messages import capacity as formatting
from preflight.messages import capacity_report as messages
from preflight.messages.amounts import format_amount
from preflight.messages.counts import format_count
from preflight.messages.html import count_hidden_rows
from preflight.model.capacity import CapacityReport, ClusterCapacity, ClusterCapacityAnswer
from preflight.report.capacity import tables
from preflight.report.capacity.tables import Cells
from preflight.report.html.page import render_page
from preflight.report.html.waterfall import render_waterfall

MOST_ROWS = 1000
"""How many rows a table of the page has at most, unless all are asked for."""

_RIGHT = frozenset({"ALLOCATABLE", "USED", "STALE", "FREE", "FIT", "LARGEST"})


class TableColumn(NamedTuple):
    """The heading of a column; `is_right` where it holds numbers."""

    heading: str
    is_right: bool


class TableView(NamedTuple):
    """A table: the first cell of a row names it, each other one has a flag for numbers and a label. `more` says what is cut."""

    name: str
    columns: list[TableColumn]
    rows: list[tuple[str, list[tuple[bool, str, str]]]]
    more: str


class RoomView(NamedTuple):
    """The answer of a cluster: in words, drawn, and in tables; the drawing was written by a template."""

    subject: str
    answer: str
    waterfall: Markup
    terms: list[tuple[str, str]]
    tables: list[TableView]


class ClusterView(NamedTuple):
    """A cluster; one that could not be asked has an error in place of room. `label` tells its tables apart from those of others."""

    title: str
    label: str
    problems: Sequence[str]
    room: RoomView | None
    error: str


class CapacityPage(NamedTuple):
    """What the template of the page shows; the table of clusters is there where there are several."""

    sign: str
    verdict: str
    question: str
    clusters_table: TableView | None
    clusters: list[ClusterView]
    version: str
    exit_code: int


def render(report: CapacityReport, *, all_rows: bool = False, **_options: object) -> str:
    """A page of its own: see `preflight.report.html`.

    1. With one cluster its answer is the verdict. Several stand side by side first, the verdict says how many have room, and the tables of
       each are folded.
    2. "?" is the sign of a cluster that could not be asked, and of room that nobody can tell.
    3. A table has 1,000 rows at most, unless `all_rows`; the others are counted.
    """
    sign, verdict = _get_verdict(report)
    clusters_table = None
    if len(report.clusters) > 1:
        rows = [tables.make_cluster_row(answer) for answer in report.clusters]
        clusters_table = _make_table("Clusters", tables.CLUSTER_HEADS, rows, all_rows=True)
    page = CapacityPage(
        sign=sign,
        verdict=verdict,
        question=report.question,
        clusters_table=clusters_table,
        clusters=[_make_cluster_view(answer, all_rows, is_several=len(report.clusters) > 1) for answer in report.clusters],
        version=report.preflight,
        exit_code=report.exit,
    )
    return render_page("capacity.html.j2", messages.describe_page_title(verdict), page._asdict())


def _get_verdict(report: CapacityReport) -> tuple[str, str]:
    if len(report.clusters) == 1:
        (answer,) = report.clusters
        verdict = formatting.format_copies(answer.room) if answer.room else messages.describe_failed_cluster(answer.name)
        return (_get_sign(answer, report.atLeast), verdict)
    signs = [_get_sign(cluster, report.atLeast) for cluster in report.clusters]
    room = messages.count_clusters_with_room(signs.count("="), len(signs))
    failed = formatting.format_failures(report.clusters)
    return ("=" if "=" in signs else "?" if "?" in signs else "x", f"{room}; {failed}" if failed else room)


def _get_sign(answer: ClusterCapacityAnswer, at_least: int) -> str:
    room = answer.room
    if room is not None and room.copies >= at_least:
        return "="
    return "?" if room is None or room.atMost is None or room.atMost >= at_least else "x"


def _make_cluster_view(answer: ClusterCapacityAnswer, all_rows: bool, *, is_several: bool) -> ClusterView:
    title = formatting.format_cluster_title(answer)
    return ClusterView(
        title=title,
        label=title if is_several else "",
        problems=answer.problems,
        room=_make_room_view(answer, answer.room, all_rows) if answer.room is not None else None,
        error=answer.error,
    )


def _make_room_view(answer: ClusterCapacityAnswer, room: ClusterCapacity, all_rows: bool) -> RoomView:
    kinds = [tables.make_class_row(node_class, room.resource) for node_class in room.classes]
    nodes = [tables.make_node_row(node, room.resource) for node in room.nodes]
    return RoomView(
        subject=formatting.format_subject(answer, room),
        answer=formatting.format_answer(room),
        waterfall=_render_waterfall(room),
        terms=[
            ("largest", formatting.format_largest_block(room)),
            *(("stale allocation", formatting.format_stale_allocation(room, stale_pod)) for stale_pod in room.ghosts),
            *formatting.iter_remarks(room),
        ],
        tables=[
            _make_table(messages.CLASSES_OF_NODES, tables.CLASS_HEADS, kinds, all_rows=all_rows),
            _make_table("Nodes", tables.NODE_HEADS, nodes, all_rows=all_rows),
        ],
    )


def _render_waterfall(room: ClusterCapacity) -> Markup:
    first, *rest, last = tables.make_waterfall_rows(room)
    amounts: list[tuple[str, float]] = [(f"{room.resource} {first[2]}", room.allocatable)]
    for step, (_, free, text, nodes) in zip(room.steps, rest, strict=True):
        amounts.append((f"{text}{f': {nodes}' if nodes else ''}{f' ({free} free)' if free else ''}", -step.amount))
    caption = messages.WATERFALL
    return render_waterfall(caption, amounts, last[2], lambda value: format_amount(room.resource, int(value)))


def _make_table(name: str, heads: Cells, rows: Sequence[Cells], *, all_rows: bool) -> TableView:
    columns = [TableColumn(head.lower(), head in _RIGHT) for head in heads]
    labels = [(column.is_right, column.heading.partition(" ")[0]) for column in columns[1:]]
    shown = rows if all_rows else rows[:MOST_ROWS]
    hidden_count = len(rows) - len(shown)
    return TableView(
        name=name,
        columns=columns,
        rows=[(row[0], [(is_right, label, text) for (is_right, label), text in zip(labels, row[1:], strict=True)]) for row in shown],
        more=count_hidden_rows(format_count(hidden_count, "more row")) if hidden_count else "",
    )
