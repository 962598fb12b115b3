"""The room for a pod as text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from preflight.inert_text import escape_ci_commands, escape_unprintable
from preflight.messages import capacity as formatting
from preflight.messages import capacity_report as messages
from preflight.messages.counts import format_count
from preflight.messages.next_steps import NEXT
from preflight.model.capacity import CapacityReport, ClusterCapacity, ClusterCapacityAnswer
from preflight.model.verdict import VerdictSign
from preflight.report.capacity import tables
from preflight.report.capacity.tables import Cells
from preflight.report.next_steps import NextStep, fit_step
from preflight.report.terminal import Ink, count_columns, fold, pad

_MOST_STALE = 2
_RIGHT = frozenset({"ALLOCATABLE", "USED", "STALE", "FREE", "FIT", "AMOUNT", "LARGEST"})


def render(report: CapacityReport, *, width: int = 0, color: bool = False, all_rows: bool = False, **_options: object) -> str:
    """The answer in one line, then the waterfall, the classes of nodes and the nodes, and what is not known.

    1. Several clusters stand side by side in a table first, and each then has its waterfall; with `all_rows` their nodes too.
    2. A table has 30 rows at most, and none for a node with nothing free, unless `all_rows`. `width` 0 is as wide as it gets.
    """
    ink = Ink(color)
    lines: list[str] = []
    several = len(report.clusters) > 1
    if several:
        lines += [ink(messages.describe_question(report.question), "strong"), ""]
        lines += _render_table(tables.CLUSTER_HEADS, [tables.make_cluster_row(cluster) for cluster in report.clusters], width)
    for answer in report.clusters:
        lines += [""] if lines else []
        lines += _render_cluster(answer, ink, width, with_nodes=all_rows or not several, all_rows=all_rows)
    if any(answer.room is not None and not answer.room.copies for answer in report.clusters):
        lines += ["", ink(NEXT, "strong"), *(f"  {fit_step(step, width)}" for step in _list_next_steps(report.clusters))]
    if failed := formatting.format_failures(report.clusters):
        lines += ["", ink(f"{failed}.", "error")]
    return "\n".join(escape_ci_commands(line) for line in lines) + "\n"


def _list_next_steps(clusters: Sequence[ClusterCapacityAnswer]) -> Iterator[NextStep]:
    """What to type where nothing fits, in order.

    1. The pods that hold room though nothing of them runs: first each one without which its node takes a copy, then the largest.
    2. What else is out of use.
    """
    names: list[str] = []
    if len(clusters) == 1:
        [answer] = clusters
        context = answer.cluster.context if answer.cluster is not None else ""
        names = answer.name.split(", ") if answer.cluster is None else []
        if answer.room is not None:
            yield from _list_stale_pod_steps(answer.room, context)
    yield NextStep(messages.describe_doctor_command(names), messages.WHY_OUT_OF_USE)


def _list_stale_pod_steps(room: ClusterCapacity, context: str) -> Iterator[NextStep]:
    missing = {node.node: node.missing for node in room.nodes if node.missing is not None}
    ranked = [(row.amount < missing.get(row.node, row.amount + 1), row) for row in room.ghosts]
    for is_short, row in sorted(ranked, key=lambda item: (item[0], -item[1].amount))[:_MOST_STALE]:
        yield NextStep(
            messages.describe_stale_pod_command(row, context), messages.describe_gain(row, room.resource, is_enough=not is_short)
        )


def _render_cluster(answer: ClusterCapacityAnswer, ink: Ink, width: int, *, with_nodes: bool, all_rows: bool) -> Iterator[str]:
    yield ink(formatting.format_cluster_title(answer), "strong")
    room = answer.room
    if room is None:
        yield from _fold_indented(f"error: {answer.error}", width, "  ")
        return
    yield from _fold_indented(messages.describe_question(formatting.format_subject(answer, room)), width, "")
    yield from _draw_verdict(room, ink, width)
    yield ""
    yield from _render_waterfall(room, width)
    yield from _fold_indented(formatting.format_largest_block(room), width, "  ")
    if with_nodes:
        yield ""
        classes = [tables.make_class_row(node_class, room.resource) for node_class in room.classes]
        kept = tables.limit_rows(classes, all_rows=all_rows)
        yield from _render_limited_table(tables.CLASS_HEADS, kept, (messages.MORE_CLASS, messages.MORE_CLASSES), width)
        yield ""
        kept = tables.limit_node_rows(room, all_rows=all_rows)
        yield from _render_limited_table(tables.NODE_HEADS, kept, (messages.MORE_NODE, messages.MORE_NODES), width)
    if room.ghosts:
        yield ""
        for ghost in room.ghosts if all_rows else room.ghosts[: tables.MOST_ROWS]:
            yield from _fold_indented(f"stale allocation: {formatting.format_stale_allocation(room, ghost)}", width, "  ")
        if hidden := 0 if all_rows else len(room.ghosts[tables.MOST_ROWS :]):
            yield messages.count_hidden_ghosts(hidden)
    yield ""
    for heading, text in formatting.iter_remarks(room):
        yield from _fold_indented(f"{heading}: {text}", width, "  ")


def _draw_verdict(room: ClusterCapacity, ink: Ink, width: int) -> Iterator[str]:
    """How many copies fit, directly below the question, with the sign of a verdict."""
    style, marker = "gain", ""
    if not room.copies:
        style, marker = ("error", f"{VerdictSign.BAD} ") if room.atMost == 0 else ("warning", f"{VerdictSign.UNKNOWN} ")
    lines = fold(formatting.format_answer(room), max(width - len(marker), 40) if width else 0)
    for at, line in enumerate(lines):
        yield ink(f"{marker if at == 0 else ' ' * len(marker)}{line}", style)


def _render_waterfall(room: ClusterCapacity, width: int) -> Iterator[str]:
    rows = tables.make_waterfall_rows(room)
    heads = (room.resource, messages.OF_IT_FREE, "", "")
    wide = [max(count_columns(escape_unprintable(row[at])) for row in [heads, *rows]) for at in range(2)]
    between = 6 + sum(wide)
    yield f"  {heads[0].rjust(wide[0])}  {heads[1].rjust(wide[1])}"
    for taken, free, text, nodes in rows:
        lines = fold(f"{text}{f': {nodes}' if nodes else ''}", max(width - between, 30) if width else 0)
        yield f"  {escape_unprintable(taken).rjust(wide[0])}  {escape_unprintable(free).rjust(wide[1])}  {lines[0]}".rstrip()
        yield from (f"{' ' * between}{line}" for line in lines[1:])


def _render_limited_table(heads: Cells, limited_rows: tuple[Sequence[Cells], int], nouns: tuple[str, str], width: int) -> Iterator[str]:
    kept, hidden = limited_rows
    if kept:
        yield from _render_table(heads, kept, width)
    if hidden:
        yield f"  {messages.describe_hidden_rows(format_count(hidden, *nouns))}"


def _render_table(heads: Cells, rows: Sequence[Cells], width: int) -> Iterator[str]:
    """The cells in columns; a column with nothing in it is left out, and the last one is folded."""
    kept = [at for at in range(len(heads)) if any(row[at] not in ("", "-") for row in rows)]
    wide = {at: max(count_columns(escape_unprintable(row[at])) for row in [heads, *rows]) for at in kept}
    last = kept[-1]
    room = max(width - 2 - sum(wide[at] + 2 for at in kept[:-1]), 30) if width else 0
    for row in (heads, *rows):
        before = "".join(f"{_format_cell(row[at], wide[at], heads[at])}  " for at in kept[:-1])
        lines = fold(row[last], room) if heads[last] not in _RIGHT else [_format_cell(row[last], wide[last], heads[last])]
        yield f"  {before}{lines[0]}".rstrip()
        yield from (f"  {' ' * count_columns(before)}{line}" for line in lines[1:])


def _format_cell(text: str, width: int, head: str) -> str:
    return " " * (width - count_columns(escape_unprintable(text))) + escape_unprintable(text) if head in _RIGHT else pad(text, width)


def _fold_indented(text: str, width: int, indent: str) -> Iterable[str]:
    return [f"{indent}{line}" for line in fold(text, max(width - len(indent), 40) if width else 0)]
