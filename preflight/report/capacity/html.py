"""The room for a pod as a page: the answer, the waterfall drawn, and the tables of classes and nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from preflight.messages import capacity as formatting
from preflight.messages import capacity_report as messages
from preflight.messages.counts import format_count
from preflight.model.capacity import CapacityReport, ClusterCapacity, ClusterCapacityAnswer
from preflight.report.capacity import tables
from preflight.report.capacity.tables import Cells
from preflight.report.html.escaping import MARKER_CSS_CLASSES, escape_text, render_code, render_mark, render_terms
from preflight.report.html.page import render_page
from preflight.report.html.waterfall import render_waterfall

MOST_ROWS = 1000
"""How many rows a table of the page has at most, unless all are asked for."""

_RIGHT = frozenset({"ALLOCATABLE", "USED", "GHOSTS", "FREE", "FIT", "LARGEST"})


def render(report: CapacityReport, *, all_rows: bool = False, **_options: object) -> str:
    """A page of its own: see `report.html`.

    1. With one cluster its answer is the verdict. Several stand side by side first, the verdict says how many have room, and the tables of
       each are folded.
    2. "?" is the sign of a cluster that could not be asked, and of room that nobody can tell.
    3. A table has 1,000 rows at most, unless `all_rows`; the others are counted.
    """
    return render_page(messages.describe_page_title(_get_verdict(report)[1]), _iter_pieces(report, all_rows))


def _iter_pieces(report: CapacityReport, all_rows: bool) -> Iterator[str]:
    sign, verdict = _get_verdict(report)
    several = len(report.clusters) > 1
    yield f'<header class="story {MARKER_CSS_CLASSES[sign]}"><p class=brand>preflight capacity</p>'
    yield f"<h1>{render_mark(sign)}<span>{escape_text(verdict)}</span></h1>"
    yield f"<p class=command>{render_code(report.question)}</p></header>"
    if several:
        yield "<h2>Clusters</h2>"
        yield from _render_table(
            "Clusters", tables.CLUSTER_HEADS, [tables.make_cluster_row(cluster) for cluster in report.clusters], all_rows=True
        )
    for answer in report.clusters:
        yield from _render_cluster(answer, several=several, all_rows=all_rows)
    yield f"<footer>preflight {escape_text(report.preflight, 60)}. Exit code {report.exit}.</footer>"


def _get_verdict(report: CapacityReport) -> tuple[str, str]:
    if len(report.clusters) == 1:
        (answer,) = report.clusters
        return (
            _get_sign(answer, report.atLeast),
            formatting.format_copies(answer.room) if answer.room else messages.describe_failed_cluster(answer.name),
        )
    signs = [_get_sign(cluster, report.atLeast) for cluster in report.clusters]
    room = messages.count_clusters_with_room(signs.count("="), len(signs))
    failed = formatting.format_failures(report.clusters)
    return ("=" if "=" in signs else "?" if "?" in signs else "x", f"{room}; {failed}" if failed else room)


def _get_sign(answer: ClusterCapacityAnswer, at_least: int) -> str:
    room = answer.room
    if room is not None and room.copies >= at_least:
        return "="
    return "?" if room is None or room.atMost is None or room.atMost >= at_least else "x"


def _render_cluster(answer: ClusterCapacityAnswer, *, several: bool, all_rows: bool) -> Iterator[str]:
    yield f"<section><h2>{escape_text(formatting.format_cluster_title(answer))}</h2>"
    yield from (f"<p>{render_mark('?')}{escape_text(problem)}</p>" for problem in answer.problems)
    room = answer.room
    if room is None:
        yield f"<p class=refusal>error: {escape_text(answer.error)}</p></section>"
        return
    yield f"<p>{escape_text(formatting.format_subject(answer, room))}</p><p class=answer>{escape_text(formatting.format_answer(room))}</p>"
    yield from _render_waterfall(room)
    told = [
        ("largest", formatting.format_largest_block(room)),
        *(("ghost", formatting.format_stale_allocation(room, ghost)) for ghost in room.ghosts),
        *formatting.iter_remarks(room),
    ]
    yield render_terms((escape_text(head), escape_text(text)) for head, text in told)
    kinds = [tables.make_class_row(node_class, room.resource) for node_class in room.classes]
    nodes = [tables.make_node_row(node, room.resource) for node in room.nodes]
    for name, heads, rows in ((messages.CLASSES_OF_NODES, tables.CLASS_HEADS, kinds), ("Nodes", tables.NODE_HEADS, nodes)):
        yield f"<details class=group{'' if several else ' open'}><summary><h3>{name}</h3></summary>"
        yield from _render_table(name, heads, rows, all_rows=all_rows)
        yield "</details>"
    yield "</section>"


def _render_waterfall(room: ClusterCapacity) -> Iterator[str]:
    first, *rest, last = tables.make_waterfall_rows(room)
    amounts: list[tuple[str, float]] = [(f"{room.resource} {first[2]}", room.allocatable)]
    for step, (_, free, text, nodes) in zip(room.steps, rest, strict=True):
        amounts.append((f"{text}{f': {nodes}' if nodes else ''}{f' ({free} free)' if free else ''}", -step.amount))
    caption = messages.WATERFALL
    yield from render_waterfall(caption, amounts, last[2], lambda value: formatting.format_amount(room.resource, int(value)))


def _render_table(name: str, heads: Cells, rows: Sequence[Cells], *, all_rows: bool) -> Iterator[str]:
    right = [" class=n" if head in _RIGHT else "" for head in heads]
    yield f'<div class="scroll" role="region" aria-label="{name}" tabindex="0"><table class=pods><thead><tr>'
    yield "".join(f"<th scope=col{sort}>{head.lower()}</th>" for head, sort in zip(heads, right, strict=True)) + "</tr></thead><tbody>"
    labels = [f"{sort} data-h={head.lower().partition(' ')[0]}" for head, sort in zip(heads, right, strict=True)]
    for row in rows if all_rows else rows[:MOST_ROWS]:
        first, *cells = (escape_text(cell) for cell in row)
        shown = "".join(f"<td{label}>{cell}</td>" for label, cell in zip(labels[1:], cells, strict=True))
        yield f"<tr><th scope=row>{first}</th>{shown}</tr>"
    yield "</tbody></table></div>"
    if hidden := 0 if all_rows else len(rows[MOST_ROWS:]):
        yield f"<p class=quiet>{format_count(hidden, 'more row')} not shown (--all-rows).</p>"
