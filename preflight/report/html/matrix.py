"""The table of a step: a row a DaemonSet, a column a class of nodes, in each cell what becomes of its pods there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from preflight.model.report import Coverage, Outcome, ReportStep
from preflight.report.formatting import format_count
from preflight.report.html.classes import PageNodeClasses, render_class_link, render_node_names
from preflight.report.html.escaping import (
    MARKER_CSS_CLASSES,
    MAX_TEXT,
    escape_text,
    format_grouped_count,
    format_number,
    render_code,
    render_mark,
)
from preflight.report.table import MARKERS, ORDER, CoverageRow, make_rows_with_coverage

MOST_COLUMNS = 12
_MOST_LINKS = 4
_MOST_PRINTED = 5
_WHOLE, _NONE, _SOME, _UNKNOWN, _AGAIN, _UNASKED = "●", "○", "◐", "?", "↻", "-"
_SIGN_WORDS = {_WHOLE: "yes", _NONE: "no", _SOME: "on some", _UNKNOWN: "not known", _AGAIN: "again and again", _UNASKED: "not asked"}


class CellState(NamedTuple):
    """What a cell says of nodes that share it: the outcome, and a sign for each column of the step, beginning with before."""

    outcome: Outcome
    signs: str


class MatrixColumn(NamedTuple):
    """Nodes that share a cell in every row, and the letters of their classes; `is_mixed` where they do not, since there is no room."""

    nodes: tuple[str, ...]
    letters: str
    is_mixed: bool = False


def render_matrix(step: ReportStep, classes: PageNodeClasses) -> Iterator[str]:
    """The table, and below it how many DaemonSets leave these nodes out.

    1. Before the cells stand the numbers that the text has; the rows are in its order, too, and all are there.
    2. There are 12 columns of nodes at most. Where there are more classes, the 11 largest have theirs, and the last one takes all
       other nodes: its cells count.
    """
    found, left_out = make_rows_with_coverage(step)
    rows = [row for row, _ in found]
    heads = _make_headings(step)
    fates = [_collect_cell_states(group, step) for _, group in found]
    columns = make_columns(step, classes, fates) if found else []
    if found:
        yield _render_legend(step, any(column.nodes[0] not in by_node for column in columns for by_node in fates))
        yield '<div class="scroll" role="region" aria-label="Coverage by class of nodes" tabindex="0">'
        yield f'<table class="matrix{" wide" if len(columns) > _MOST_PRINTED else ""}"><thead><tr><th scope=col>DaemonSet</th>'
        first = "before" if step.compares else "nodes"
        yield "".join(f"<th scope=col class=n>{escape_text(head, 60)}</th>" for head in (first, *heads[1:]))
        yield from (_render_heading(column, classes) for column in columns)
        yield "</tr></thead><tbody>"
        for row, by_node in zip(rows, fates, strict=True):
            yield from _render_row(row, by_node, columns, heads, compares=step.compares)
        yield "</tbody></table></div>"
    if left_out:
        verb, whose = ("leaves", "its") if left_out == 1 else ("leave", "their")
        which = "this node" if len(step.nodes) == 1 else "these nodes"
        yield f"<p class=quiet>{format_count(left_out, 'DaemonSet')} {verb} {which} out by {whose} selector.</p>"
    elif not found:
        yield "<p class=quiet>No DaemonSet to judge.</p>"


def _make_headings(step: ReportStep) -> list[str]:
    return ["before", *(column.lower() for column in step.columns)]


def _collect_cell_states(group: Sequence[Coverage], step: ReportStep) -> dict[str, CellState]:
    """What becomes of a DaemonSet on each node that it has an answer for; the worst counts."""
    found: dict[str, CellState] = {}
    for part in sorted(group, key=lambda each: -each.outcome.rank):
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
    here = dict.fromkeys((*step.nodes, *(node for row in step.coverage for node in row.nodes)))
    groups: dict[tuple[CellState | None, ...], list[str]] = {}
    for node_class in classes.all:
        if node_class.nodes[0] in here:
            groups.setdefault(tuple(by_node.get(node_class.nodes[0]) for by_node in cell_states), []).extend(node_class.nodes)
    found = sorted(groups.items(), key=lambda item: (-len(item[1]), min(item[1])))
    own = found if len(found) <= MOST_COLUMNS else found[: MOST_COLUMNS - 1]
    own.sort(key=lambda item: (min((_rank_cell(fate) for fate in item[0]), default=len(ORDER)), -len(item[1]), min(item[1])))
    columns = [MatrixColumn(tuple(sorted(nodes)), classes.get_letters(nodes)) for _, nodes in own]
    if rest := [node for _, nodes in found[len(own) :] for node in nodes]:
        columns.append(MatrixColumn(tuple(sorted(rest)), classes.get_letters(rest), is_mixed=True))
    return columns


def _rank_cell(state: CellState | None) -> int:
    return ORDER.index(MARKERS.get(state.outcome, " ")) if state else len(ORDER)


def _render_heading(column: MatrixColumn, classes: PageNodeClasses) -> str:
    made = classes.find_whole_classes(column.nodes) or []
    letters = ", ".join(map(render_class_link, made[:_MOST_LINKS])) + (f" + {len(made) - _MOST_LINKS}" if len(made) > _MOST_LINKS else "")
    if column.is_mixed:
        letters = "all others"
    return f'<th scope=col data-c="{column.letters}"><span class=letter>{letters}</span>' + (
        f"<span class=count>{format_grouped_count(len(column.nodes), 'node')}</span><span "
        f"class=who>{render_node_names(column.nodes)}</span></th>"
    )


def _render_row(
    row: CoverageRow, by_node: dict[str, CellState], columns: Sequence[MatrixColumn], heads: Sequence[str], *, compares: bool
) -> Iterator[str]:
    says_why = row.tolerates == "no" and row.reasons
    how = f"<span class=how>tolerates: {escape_text(row.tolerates, 200)}</span>" if row.tolerates and not says_why else ""
    lost = "lost on " if compares and not row.is_unknown else ""
    why = f"<span class=why>{lost}{escape_text(row.reasons, MAX_TEXT)}</span>" if row.reasons else ""
    yield f'<tr data-m="{row.marker.strip()}" class="{MARKER_CSS_CLASSES[row.marker]}">'
    yield f"<th scope=row>{render_mark(row.marker)}{render_code(row.name, 300)}{how}{why}</th>"
    yield f"<td class=n data-h={'before' if compares else 'nodes'}>{format_number(row.node_count)}</td>"
    whole = row.node_count
    for head, having in zip(heads[1:], row.counts, strict=False):
        shown = _UNASKED if having is None else f"{format_number(having)}{'?' if row.is_unsure else ''}"
        less = " less" if having is not None and having < whole and not row.is_unsure else ""
        yield f'<td class="n{less}" data-h="{escape_text(head, 60)}">{shown}</td>'
    yield from (_render_cell(column, by_node, heads, compares) for column in columns)
    yield "</tr>"


def _render_cell(column: MatrixColumn, by_node: dict[str, CellState], heads: Sequence[str], compares: bool) -> str:
    title = column.letters.split(" ")[0] if " " not in column.letters else render_node_names(column.nodes[:1])
    if column.is_mixed:
        return _render_mixed_cell(column, by_node, heads)
    fate = by_node.get(column.nodes[0])
    if fate is None:
        return (
            f'<td data-h="{title}"><span class=none aria-hidden=true>{_UNASKED}</span><span class=v>{_describe_gap(compares)}</span></td>'
        )
    if fate.outcome is Outcome.EXCLUDED:
        return f'<td data-h="{title}"><span class=none aria-hidden=true>·</span><span class=v>left out by its selector</span></td>'
    sign = MARKERS.get(fate.outcome, " ")
    said = ", ".join(f"{escape_text(head, 60)} {_SIGN_WORDS[each]}" for head, each in zip(heads, fate.signs, strict=True))
    return (
        f'<td class={MARKER_CSS_CLASSES[sign]} data-h="{title}">{render_mark(sign)}<span class=dots aria-hidden=true>{fate.signs}</span>'
        f"<span class=v>{fate.outcome}: {said}</span></td>"
    )


def _render_mixed_cell(column: MatrixColumn, by_node: dict[str, CellState], heads: Sequence[str]) -> str:
    """A cell of nodes that do not share it: how many of them have a pod, column by column."""
    fates = Counter(fate for fate in map(by_node.get, column.nodes) if fate is not None)
    judged = [(fate, times) for fate, times in fates.items() if fate.outcome is not Outcome.EXCLUDED]
    if not judged:
        return "<td data-h=others><span class=none aria-hidden=true>·</span><span class=v>on none of these nodes</span></td>"
    worst = min((fate.outcome for fate, _ in judged), key=lambda outcome: outcome.rank)
    sign = MARKERS.get(worst, " ")
    total = sum(times for _, times in judged)
    bad = sum(times for fate, times in judged if fate.outcome is worst)
    numbers = []
    for at in range(len(heads)):
        having = sum(times for fate, times in judged if fate.signs[at] in (_WHOLE, _AGAIN))
        unsure = any(fate.signs[at] in (_UNKNOWN, _SOME) for fate, _ in judged)
        numbers.append(f"{format_number(having)}{'?' if unsure else ''}")
    told = (
        f"{worst} on {format_number(bad)} of {format_grouped_count(total, 'node')}"
        if bad < total
        else f"{worst} on {format_grouped_count(total, 'node')}"
    )
    return (
        f"<td class={MARKER_CSS_CLASSES[sign]} data-h=others>{render_mark(sign)}<span class=mix>{'<i>→</i>'.join(numbers)}</span>"
        f"<span class=of>{told}</span></td>"
    )


def _render_legend(step: ReportStep, has_gaps: bool) -> str:
    """What the signs of this table mean; those that are not in it are left out. `has_gaps`: some pairs have no answer."""
    names = ", ".join(escape_text(head, 60) for head in _make_headings(step))
    outcomes = {part.outcome for part in step.coverage}
    signs = [(_WHOLE, "has a pod"), (_NONE, "has none")]
    if any(_SOME in _make_signs(part, step) for part in step.coverage):
        signs.append((_SOME, "on some of these nodes"))
    if Outcome.UNKNOWN in outcomes:
        signs.append((_UNKNOWN, "depends on what is not known"))
    if Outcome.LOOP in outcomes:
        signs.append((_AGAIN, "deleted and created again"))
    if Outcome.EXCLUDED in outcomes:
        signs.append(("·", "left out by its selector"))
    if has_gaps:
        signs.append((_UNASKED, _describe_gap(step.compares)))
    shown = "".join(f"<span><b aria-hidden=true>{sign}</b> {words}</span>" for sign, words in signs)
    by_marker: dict[str, list[str]] = {}
    for outcome in sorted(outcomes, key=lambda each: each.rank):
        by_marker.setdefault(MARKERS.get(outcome, " "), []).append(outcome.value)
    marked = "".join(f"<span>{render_mark(sign)} {', '.join(words)}</span>" for sign, words in by_marker.items() if render_mark(sign))
    return f"<p class=legend><span>In each cell: {names}.</span>{shown}{marked}</p>"


def _describe_gap(compares: bool) -> str:
    return "no pod, before and now" if compares else "not judged"
