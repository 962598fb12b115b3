"""The table of a step: a row a DaemonSet, a column a class of nodes, in each cell what becomes of its pods there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from preflight.model.report import Coverage, Outcome, Step
from preflight.report.formatting import count
from preflight.report.html.classes import Classes, link, named
from preflight.report.html.escaping import CLASSES, MOST, code, counted, mark, number, safe
from preflight.report.table import MARKERS, ORDER, Row, rows_with_coverage

MOST_COLUMNS = 12
_MOST_LINKS = 4
_MOST_PRINTED = 5
_WHOLE, _NONE, _SOME, _UNKNOWN, _AGAIN, _UNASKED = "●", "○", "◐", "?", "↻", "-"
_SAID = {_WHOLE: "yes", _NONE: "no", _SOME: "on some", _UNKNOWN: "not known", _AGAIN: "again and again", _UNASKED: "not asked"}


class Fate(NamedTuple):
    """What a cell says of nodes that share it: the outcome, and a sign for each column of the step, beginning with before."""

    outcome: Outcome
    signs: str


class Column(NamedTuple):
    """Nodes that share a cell in every row, and the letters of their classes; `mixed` where they do not, since there is no room."""

    nodes: tuple[str, ...]
    letters: str
    mixed: bool = False


def table(step: Step, classes: Classes) -> Iterator[str]:
    """The table, and below it how many DaemonSets leave these nodes out.

    1. Before the cells stand the numbers that the text has; the rows are in its order, too, and all are there.
    2. There are 12 columns of nodes at most. Where there are more classes, the 11 largest have theirs, and the last one takes all
       other nodes: its cells count.
    """
    found, left_out = rows_with_coverage(step)
    rows = [row for row, _ in found]
    heads = _heads(step)
    fates = [_fates(group, step) for _, group in found]
    columns = columns_of(step, classes, fates) if found else []
    if found:
        yield _legend(step, any(column.nodes[0] not in by_node for column in columns for by_node in fates))
        yield '<div class="scroll" role="region" aria-label="Coverage by class of nodes" tabindex="0">'
        yield f'<table class="matrix{" wide" if len(columns) > _MOST_PRINTED else ""}"><thead><tr><th scope=col>DaemonSet</th>'
        first = "before" if step.compares else "nodes"
        yield "".join(f"<th scope=col class=n>{safe(head, 60)}</th>" for head in (first, *heads[1:]))
        yield from (_head(column, classes) for column in columns)
        yield "</tr></thead><tbody>"
        for row, by_node in zip(rows, fates, strict=True):
            yield from _row(row, by_node, columns, heads, compares=step.compares)
        yield "</tbody></table></div>"
    if left_out:
        verb, whose = ("leaves", "its") if left_out == 1 else ("leave", "their")
        which = "this node" if len(step.nodes) == 1 else "these nodes"
        yield f"<p class=quiet>{count(left_out, 'DaemonSet')} {verb} {which} out by {whose} selector.</p>"
    elif not found:
        yield "<p class=quiet>No DaemonSet to judge.</p>"


def _heads(step: Step) -> list[str]:
    return ["before", *(column.lower() for column in step.columns)]


def _fates(group: Sequence[Coverage], step: Step) -> dict[str, Fate]:
    """What becomes of a DaemonSet on each node that it has an answer for; the worst counts."""
    found: dict[str, Fate] = {}
    for part in sorted(group, key=lambda each: -each.outcome.rank):
        found.update(dict.fromkeys(part.nodes, Fate(part.outcome, _signs(part, step))))
    return found


def _signs(part: Coverage, step: Step) -> str:
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


def columns_of(step: Step, classes: Classes, fates: Sequence[dict[str, Fate]]) -> list[Column]:
    """The columns, those with the worst cells first, then the largest; `fates` are the rows, by node."""
    here = dict.fromkeys((*step.nodes, *(node for each in step.coverage for node in each.nodes)))
    groups: dict[tuple[Fate | None, ...], list[str]] = {}
    for each in classes.all:
        if each.nodes[0] in here:
            groups.setdefault(tuple(by_node.get(each.nodes[0]) for by_node in fates), []).extend(each.nodes)
    found = sorted(groups.items(), key=lambda item: (-len(item[1]), min(item[1])))
    own = found if len(found) <= MOST_COLUMNS else found[: MOST_COLUMNS - 1]
    own.sort(key=lambda item: (min((_order(fate) for fate in item[0]), default=len(ORDER)), -len(item[1]), min(item[1])))
    columns = [Column(tuple(sorted(nodes)), classes.letters(nodes)) for _, nodes in own]
    if rest := [node for _, nodes in found[len(own) :] for node in nodes]:
        columns.append(Column(tuple(sorted(rest)), classes.letters(rest), mixed=True))
    return columns


def _order(fate: Fate | None) -> int:
    return ORDER.index(MARKERS.get(fate.outcome, " ")) if fate else len(ORDER)


def _head(column: Column, classes: Classes) -> str:
    made = classes.made_of(column.nodes) or []
    letters = ", ".join(map(link, made[:_MOST_LINKS])) + (f" + {len(made) - _MOST_LINKS}" if len(made) > _MOST_LINKS else "")
    if column.mixed:
        letters = "all others"
    return (
        f'<th scope=col data-c="{column.letters}"><span class=letter>{letters}</span>'
        f"<span class=count>{counted(len(column.nodes), 'node')}</span><span class=who>{named(column.nodes)}</span></th>"
    )


def _row(row: Row, by_node: dict[str, Fate], columns: Sequence[Column], heads: Sequence[str], *, compares: bool) -> Iterator[str]:
    says_why = row.tolerates == "no" and row.why
    how = f"<span class=how>tolerates: {safe(row.tolerates, 200)}</span>" if row.tolerates and not says_why else ""
    lost = "lost on " if compares and not row.why.startswith("not known") else ""
    why = f"<span class=why>{lost}{safe(row.why, MOST)}</span>" if row.why else ""
    yield f'<tr data-m="{row.marker.strip()}" class="{CLASSES[row.marker]}">'
    yield f"<th scope=row>{mark(row.marker)}{code(row.name, 300)}{how}{why}</th>"
    yield f"<td class=n data-h={'before' if compares else 'nodes'}>{number(row.nodes)}</td>"
    whole = row.nodes
    for head, having in zip(heads[1:], row.counts, strict=False):
        shown = _UNASKED if having is None else f"{number(having)}{'?' if row.unsure else ''}"
        less = " less" if having is not None and having < whole and not row.unsure else ""
        yield f'<td class="n{less}" data-h="{safe(head, 60)}">{shown}</td>'
    yield from (_cell(column, by_node, heads, compares) for column in columns)
    yield "</tr>"


def _cell(column: Column, by_node: dict[str, Fate], heads: Sequence[str], compares: bool) -> str:
    title = column.letters.split(" ")[0] if " " not in column.letters else named(column.nodes[:1])
    if column.mixed:
        return _counting(column, by_node, heads)
    fate = by_node.get(column.nodes[0])
    if fate is None:
        return f'<td data-h="{title}"><span class=none aria-hidden=true>{_UNASKED}</span><span class=v>{_gap(compares)}</span></td>'
    if fate.outcome is Outcome.EXCLUDED:
        return f'<td data-h="{title}"><span class=none aria-hidden=true>·</span><span class=v>left out by its selector</span></td>'
    sign = MARKERS.get(fate.outcome, " ")
    said = ", ".join(f"{safe(head, 60)} {_SAID[each]}" for head, each in zip(heads, fate.signs, strict=True))
    return (
        f'<td class={CLASSES[sign]} data-h="{title}">{mark(sign)}<span class=dots aria-hidden=true>{fate.signs}</span>'
        f"<span class=v>{fate.outcome}: {said}</span></td>"
    )


def _counting(column: Column, by_node: dict[str, Fate], heads: Sequence[str]) -> str:
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
        numbers.append(f"{number(having)}{'?' if unsure else ''}")
    told = f"{worst} on {number(bad)} of {counted(total, 'node')}" if bad < total else f"{worst} on {counted(total, 'node')}"
    return (
        f"<td class={CLASSES[sign]} data-h=others>{mark(sign)}<span class=mix>{'<i>→</i>'.join(numbers)}</span>"
        f"<span class=of>{told}</span></td>"
    )


def _legend(step: Step, has_gaps: bool) -> str:
    """What the signs of this table mean; those that are not in it are left out. `has_gaps`: some pairs have no answer."""
    names = ", ".join(safe(head, 60) for head in _heads(step))
    outcomes = {part.outcome for part in step.coverage}
    signs = [(_WHOLE, "has a pod"), (_NONE, "has none")]
    if any(_SOME in _signs(part, step) for part in step.coverage):
        signs.append((_SOME, "on some of these nodes"))
    if Outcome.UNKNOWN in outcomes:
        signs.append((_UNKNOWN, "depends on what is not known"))
    if Outcome.LOOP in outcomes:
        signs.append((_AGAIN, "deleted and created again"))
    if Outcome.EXCLUDED in outcomes:
        signs.append(("·", "left out by its selector"))
    if has_gaps:
        signs.append((_UNASKED, _gap(step.compares)))
    shown = "".join(f"<span><b aria-hidden=true>{sign}</b> {words}</span>" for sign, words in signs)
    by_marker: dict[str, list[str]] = {}
    for outcome in sorted(outcomes, key=lambda each: each.rank):
        by_marker.setdefault(MARKERS.get(outcome, " "), []).append(outcome.value)
    marked = "".join(f"<span>{mark(sign)} {', '.join(words)}</span>" for sign, words in by_marker.items() if mark(sign))
    return f"<p class=legend><span>In each cell: {names}.</span>{shown}{marked}</p>"


def _gap(compares: bool) -> str:
    return "no pod, before and now" if compares else "not judged"
