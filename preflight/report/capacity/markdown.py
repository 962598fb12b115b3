"""The room for a pod as Markdown, for a ticket or a comment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from preflight.model.capacity import CapacityReport, ClusterAnswer
from preflight.report.capacity import formatting, tables
from preflight.report.capacity.tables import Cells
from preflight.report.formatting import count
from preflight.report.markdown import code
from preflight.report.terminal import inert

_RIGHT = frozenset({"AMOUNT", "ALLOCATABLE", "USED", "GHOSTS", "FREE", "FIT", "LARGEST"})


def render(report: CapacityReport, *, all_rows: bool = False, **_options: object) -> str:
    """The clusters side by side where there are several, then for each the answer, the waterfall, and tables of classes and nodes.

    1. A table has 30 rows at most, unless `all_rows`; with several clusters only `all_rows` shows their nodes.
    2. What came from the input stands in code, where nothing in it is read as Markdown or HTML.
    """
    lines = ["<!-- preflight capacity -->", f"### capacity for {code(report.question)}", ""]
    several = len(report.clusters) > 1
    if several:
        lines += [*_table(tables.CLUSTER_HEADS, [tables.of_cluster(each) for each in report.clusters]), ""]
    for each in report.clusters:
        lines += _cluster(each, with_nodes=all_rows or not several, all_rows=all_rows)
    return "\n".join(inert(line) for line in lines) + "\n"


def _cluster(answer: ClusterAnswer, *, with_nodes: bool, all_rows: bool) -> Iterator[str]:
    yield f"#### {code(formatting.title(answer))}"
    yield ""
    room = answer.room
    if room is None:
        yield from (f"error: {code(answer.error, 1000)}", "")
        return
    yield from (f"{code(formatting.subject(answer, room), 500)}", "", f"**{code(formatting.glance(room), 500)}**", "")
    yield from _table(("AMOUNT", "FREE", "WHAT", "NODES"), tables.waterfall(room))
    yield from ("", f"- {code(formatting.largest(room), 500)}")
    yield from (f"- {heading}: {code(text, 1000)}" for heading, text in formatting.remarks(room))
    yield ""
    classes = [tables.of_class(each, room.resource) for each in room.classes]
    nodes = [tables.of_node(each, room.resource) for each in room.nodes]
    for heads, rows in ((tables.CLASS_HEADS, classes), (tables.NODE_HEADS, nodes)) if with_nodes else ():
        kept, hidden = tables.shown(rows, all_rows=all_rows)
        yield from (*_table(heads, kept), "")
        if hidden:
            yield from (f"{count(hidden, 'more row')} not shown", "")


def _table(heads: Cells, rows: Sequence[Cells]) -> Iterator[str]:
    yield f"| {' | '.join(head.lower() for head in heads)} |"
    yield f"| {' | '.join('--:' if head in _RIGHT else '---' for head in heads)} |"
    yield from (f"| {' | '.join(code(cell, 500) for cell in row)} |" for row in rows)
