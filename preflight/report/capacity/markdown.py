"""The room for a pod as Markdown, for a ticket or a comment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from preflight.inert_text import escape_ci_commands
from preflight.messages import capacity as formatting
from preflight.messages import capacity_report as messages
from preflight.model.capacity import CapacityReport, ClusterCapacityAnswer
from preflight.report.capacity import tables
from preflight.report.capacity.tables import Cells
from preflight.report.markdown import format_code

_RIGHT = frozenset({"AMOUNT", messages.OF_IT_FREE, "ALLOCATABLE", "USED", "STALE", "FREE", "FIT", "LARGEST"})


def render(report: CapacityReport, *, all_rows: bool = False, **_options: object) -> str:
    """The clusters side by side where there are several, then for each the answer, the waterfall, and tables of classes and nodes.

    1. A table has 30 rows at most, and none for a node with nothing free, unless `all_rows`. With several clusters only `all_rows` shows
       their nodes.
    2. What came from the input stands in code, where nothing in it is read as Markdown or HTML.
    """
    lines = ["<!-- preflight capacity -->", messages.describe_heading(format_code(report.question)), ""]
    several = len(report.clusters) > 1
    if several:
        lines += [*_format_table(tables.CLUSTER_HEADS, [tables.make_cluster_row(cluster) for cluster in report.clusters]), ""]
    for answer in report.clusters:
        lines += _format_cluster(answer, with_nodes=all_rows or not several, all_rows=all_rows)
    return "\n".join(escape_ci_commands(line) for line in lines) + "\n"


def _format_cluster(answer: ClusterCapacityAnswer, *, with_nodes: bool, all_rows: bool) -> Iterator[str]:
    yield f"#### {format_code(formatting.format_cluster_title(answer))}"
    yield ""
    room = answer.room
    if room is None:
        yield from (f"error: {format_code(answer.error, 1000)}", "")
        return
    yield from (
        f"{format_code(formatting.format_subject(answer, room), 500)}",
        "",
        f"**{format_code(formatting.format_answer(room), 500)}**",
        "",
    )
    yield from _format_table(("AMOUNT", messages.OF_IT_FREE, "WHAT", "NODES"), tables.make_waterfall_rows(room))
    yield from ("", f"- {format_code(formatting.format_largest_block(room), 500)}")
    yield from (f"- {heading}: {format_code(text, 1000)}" for heading, text in formatting.iter_remarks(room))
    yield ""
    classes = [tables.make_class_row(node_class, room.resource) for node_class in room.classes]
    limited_tables = (
        (tables.CLASS_HEADS, tables.limit_rows(classes, all_rows=all_rows)),
        (tables.NODE_HEADS, tables.limit_node_rows(room, all_rows=all_rows)),
    )
    for heads, (kept, hidden) in limited_tables if with_nodes else ():
        if kept:
            yield from (*_format_table(heads, kept), "")
        if hidden:
            yield from (messages.count_hidden_rows(hidden), "")


def _format_table(heads: Cells, rows: Sequence[Cells]) -> Iterator[str]:
    yield f"| {' | '.join(head.lower() for head in heads)} |"
    yield f"| {' | '.join('--:' if head in _RIGHT else '---' for head in heads)} |"
    yield from (f"| {' | '.join(format_code(cell, 500) for cell in row)} |" for row in rows)
