"""The room for a pod as a page: the answer, the waterfall drawn, and the tables of classes and nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from preflight.model.capacity import CapacityReport, ClusterAnswer, ClusterRoom
from preflight.report.capacity import formatting, tables
from preflight.report.capacity.tables import Cells
from preflight.report.formatting import count
from preflight.report.html.escaping import CLASSES, code, mark, safe, terms
from preflight.report.html.page import page
from preflight.report.html.waterfall import waterfall

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
    return page(f"preflight capacity: {_verdict(report)[1]}", _pieces(report, all_rows))


def _pieces(report: CapacityReport, all_rows: bool) -> Iterator[str]:
    sign, verdict = _verdict(report)
    several = len(report.clusters) > 1
    yield f'<header class="story {CLASSES[sign]}"><p class=brand>preflight capacity</p><h1>{mark(sign)}<span>{safe(verdict)}</span></h1>'
    yield f"<p class=command>{code(report.question)}</p></header>"
    if several:
        yield "<h2>Clusters</h2>"
        yield from _table("Clusters", tables.CLUSTER_HEADS, [tables.of_cluster(each) for each in report.clusters], all_rows=True)
    for each in report.clusters:
        yield from _cluster(each, several=several, all_rows=all_rows)
    yield f"<footer>preflight {safe(report.preflight, 60)}. Exit code {report.exit}.</footer>"


def _verdict(report: CapacityReport) -> tuple[str, str]:
    if len(report.clusters) == 1:
        (each,) = report.clusters
        return (_sign(each, report.atLeast), formatting.copies(each.room) if each.room else f"{each.name} could not be asked")
    signs = [_sign(each, report.atLeast) for each in report.clusters]
    room = f"{signs.count('=')} of {count(len(signs), 'cluster')} {'has' if signs.count('=') == 1 else 'have'} room"
    failed = formatting.failures(report.clusters)
    return ("=" if "=" in signs else "?" if "?" in signs else "x", f"{room}; {failed}" if failed else room)


def _sign(each: ClusterAnswer, least: int) -> str:
    room = each.room
    if room is not None and room.copies >= least:
        return "="
    return "?" if room is None or room.atMost is None or room.atMost >= least else "x"


def _cluster(answer: ClusterAnswer, *, several: bool, all_rows: bool) -> Iterator[str]:
    yield f"<section><h2>{safe(formatting.title(answer))}</h2>"
    yield from (f"<p>{mark('?')}{safe(problem)}</p>" for problem in answer.problems)
    room = answer.room
    if room is None:
        yield f"<p class=refusal>error: {safe(answer.error)}</p></section>"
        return
    yield f"<p>{safe(formatting.subject(answer, room))}</p><p class=answer>{safe(formatting.glance(room))}</p>"
    yield from _waterfall(room)
    told = [
        ("largest", formatting.largest(room)),
        *(("ghost", formatting.ghost(room, each)) for each in room.ghosts),
        *formatting.remarks(room),
    ]
    yield terms((safe(head), safe(text)) for head, text in told)
    kinds = [tables.of_class(each, room.resource) for each in room.classes]
    nodes = [tables.of_node(each, room.resource) for each in room.nodes]
    for name, heads, rows in (("Classes of nodes", tables.CLASS_HEADS, kinds), ("Nodes", tables.NODE_HEADS, nodes)):
        yield f"<details class=group{'' if several else ' open'}><summary><h3>{name}</h3></summary>"
        yield from _table(name, heads, rows, all_rows=all_rows)
        yield "</details>"
    yield "</section>"


def _waterfall(room: ClusterRoom) -> Iterator[str]:
    first, *rest, last = tables.waterfall(room)
    amounts: list[tuple[str, float]] = [(f"{room.resource} {first[2]}", room.allocatable)]
    for step, (_, free, text, nodes) in zip(room.steps, rest, strict=True):
        amounts.append((f"{text}{f': {nodes}' if nodes else ''}{f' ({free} free)' if free else ''}", -step.amount))
    caption = "From what nodes can allocate to what fits"
    yield from waterfall(caption, amounts, last[2], lambda value: formatting.amount(room.resource, int(value)))


def _table(name: str, heads: Cells, rows: Sequence[Cells], *, all_rows: bool) -> Iterator[str]:
    right = [" class=n" if head in _RIGHT else "" for head in heads]
    yield f'<div class="scroll" role="region" aria-label="{name}" tabindex="0"><table class=pods><thead><tr>'
    yield "".join(f"<th scope=col{sort}>{head.lower()}</th>" for head, sort in zip(heads, right, strict=True)) + "</tr></thead><tbody>"
    labels = [f"{sort} data-h={head.lower().partition(' ')[0]}" for head, sort in zip(heads, right, strict=True)]
    for row in rows if all_rows else rows[:MOST_ROWS]:
        first, *cells = (safe(cell) for cell in row)
        shown = "".join(f"<td{label}>{cell}</td>" for label, cell in zip(labels[1:], cells, strict=True))
        yield f"<tr><th scope=row>{first}</th>{shown}</tr>"
    yield "</tbody></table></div>"
    if hidden := 0 if all_rows else len(rows[MOST_ROWS:]):
        yield f"<p class=quiet>{count(hidden, 'more row')} not shown (--all-rows).</p>"
