"""The room for a pod as text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from preflight.model.capacity import CapacityReport, ClusterAnswer, ClusterRoom
from preflight.report.capacity import formatting, tables
from preflight.report.capacity.tables import Cells
from preflight.report.formatting import count
from preflight.report.terminal import Ink, columns, fold, inert, pad, plain

_RIGHT = frozenset({"ALLOCATABLE", "USED", "GHOSTS", "FREE", "FIT", "AMOUNT", "LARGEST"})


def render(report: CapacityReport, *, width: int = 0, color: bool = False, all_rows: bool = False, **_options: object) -> str:
    """The answer in one line, then the waterfall, the classes of nodes and the nodes, and what is not known.

    1. Several clusters stand side by side in a table first, and each then has its waterfall; with `all_rows` their nodes too.
    2. A table has 30 rows at most, unless `all_rows`. `width` 0 is as wide as it gets.
    """
    ink = Ink(color)
    lines: list[str] = []
    several = len(report.clusters) > 1
    if several:
        lines += [ink(f"capacity for {report.question}", "strong"), ""]
        lines += _table(tables.CLUSTER_HEADS, [tables.of_cluster(each) for each in report.clusters], width)
    for each in report.clusters:
        lines += [""] if lines else []
        lines += _cluster(each, ink, width, with_nodes=all_rows or not several, all_rows=all_rows)
    if failed := formatting.failures(report.clusters):
        lines += ["", ink(f"{failed}.", "error")]
    return "\n".join(inert(line) for line in lines) + "\n"


def _cluster(answer: ClusterAnswer, ink: Ink, width: int, *, with_nodes: bool, all_rows: bool) -> Iterator[str]:
    yield ink(formatting.title(answer), "strong")
    room = answer.room
    if room is None:
        yield from _folded(f"error: {answer.error}", width, "  ")
        return
    yield from _folded(f"capacity for {formatting.subject(answer, room)}", width, "")
    yield ""
    style = "gain" if room.copies else "error" if room.atMost == 0 else "warning"
    yield from (ink(line, style) for line in _folded(formatting.glance(room), width, "  "))
    yield ""
    yield from _waterfall(room, width)
    yield from _folded(formatting.largest(room), width, "  ")
    if with_nodes:
        yield ""
        yield from _some(tables.CLASS_HEADS, [tables.of_class(each, room.resource) for each in room.classes], "class", width, all_rows)
        yield ""
        yield from _some(tables.NODE_HEADS, [tables.of_node(each, room.resource) for each in room.nodes], "node", width, all_rows)
    if room.ghosts:
        yield ""
        for ghost in room.ghosts if all_rows else room.ghosts[: tables.MOST_ROWS]:
            yield from _folded(f"ghost: {formatting.ghost(room, ghost)}", width, "  ")
        if hidden := 0 if all_rows else len(room.ghosts[tables.MOST_ROWS :]):
            yield f"  {count(hidden, 'more ghost')} not shown (--all-rows)"
    yield ""
    for heading, text in formatting.remarks(room):
        yield from _folded(f"{heading}: {text}", width, "  ")


def _waterfall(room: ClusterRoom, width: int) -> Iterator[str]:
    rows = tables.waterfall(room)
    heads = (room.resource, "FREE", "", "")
    wide = [max(columns(plain(row[at])) for row in [heads, *rows]) for at in range(2)]
    between = 6 + sum(wide)
    yield f"  {heads[0].rjust(wide[0])}  {heads[1].rjust(wide[1])}"
    for taken, free, text, nodes in rows:
        lines = fold(f"{text}{f': {nodes}' if nodes else ''}", max(width - between, 30) if width else 0)
        yield f"  {plain(taken).rjust(wide[0])}  {plain(free).rjust(wide[1])}  {lines[0]}".rstrip()
        yield from (f"{' ' * between}{line}" for line in lines[1:])


def _some(heads: Cells, rows: Sequence[Cells], noun: str, width: int, all_rows: bool) -> Iterator[str]:
    kept, hidden = tables.shown(rows, all_rows=all_rows)
    yield from _table(heads, kept, width)
    if hidden:
        more = count(hidden, "more node") if noun == "node" else f"{hidden} more {'class' if hidden == 1 else 'classes'}"
        yield f"  {more} not shown (--all-rows)"


def _table(heads: Cells, rows: Sequence[Cells], width: int) -> Iterator[str]:
    """The cells in columns; a column with nothing in it is left out, and the last one is folded."""
    kept = [at for at in range(len(heads)) if any(row[at] not in ("", "-") for row in rows)]
    wide = {at: max(columns(plain(row[at])) for row in [heads, *rows]) for at in kept}
    last = kept[-1]
    room = max(width - 2 - sum(wide[at] + 2 for at in kept[:-1]), 30) if width else 0
    for row in (heads, *rows):
        before = "".join(f"{_cell(row[at], wide[at], heads[at])}  " for at in kept[:-1])
        lines = fold(row[last], room) if heads[last] not in _RIGHT else [_cell(row[last], wide[last], heads[last])]
        yield f"  {before}{lines[0]}".rstrip()
        yield from (f"  {' ' * columns(before)}{line}" for line in lines[1:])


def _cell(text: str, width: int, head: str) -> str:
    return " " * (width - columns(plain(text))) + plain(text) if head in _RIGHT else pad(text, width)


def _folded(text: str, width: int, indent: str) -> Iterable[str]:
    return [f"{indent}{line}" for line in fold(text, max(width - len(indent), 40) if width else 0)]
