"""Ordinary pods that have to go, as text: what to do before, then nodes and pods, those with the same story joined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from msgspec.structs import replace

from preflight.inert_text import escape_unprintable
from preflight.messages import eviction_report as messages
from preflight.messages.evictions import describe_advice
from preflight.messages.lists import format_names
from preflight.model.eviction_reasons import AwaitJob, PodFilter
from preflight.model.evictions import EvictionReport
from preflight.model.job_reasons import JobFailure
from preflight.report.eviction_groups import PodGroup, group_pods, join_nodes
from preflight.report.evictions import (
    EvictionRow,
    format_node_heading,
    format_staying,
    iter_notes,
    iter_outcomes,
    make_eviction_rows,
)
from preflight.report.terminal import Ink, count_columns, fold, pad

_Item = TypeVar("_Item")

_MOST_GROUPS = 10
_MOST_NODES = 6
_MOST_ADVICE = 8
_MOST_OUTCOMES = 8
_STYLES = {"x": "error", "?": "warning", "!": "warning"}
_LEAST_WHY = 44


def draw_advice(evictions: EvictionReport, ink: Ink, width: int, all_rows: bool) -> list[str]:
    """What to do before, in order; [] where there is nothing."""
    advice = list(iter_advice(evictions))
    if not advice:
        return []
    shown = advice if all_rows else _cut(advice, _MOST_ADVICE)
    lines = [ink(messages.BEFORE_YOU_BEGIN, "strong")]
    for number, text in enumerate(shown, 1):
        lines += _fold_hanging(f"{number}. ", text, width)
    if hidden := len(advice) - len(shown):
        lines.append(messages.count_hidden_advice(hidden))
    return lines


def iter_advice(evictions: EvictionReport) -> Iterator[str]:
    """Each piece of advice; Jobs to wait for are one."""
    jobs = [advice.job for advice in evictions.first if isinstance(advice, AwaitJob)]
    for advice in evictions.first:
        if not isinstance(advice, AwaitJob):
            yield describe_advice(advice)
        elif advice.job == jobs[0]:
            yield messages.describe_awaited_jobs(jobs)


def draw_evictions(evictions: EvictionReport, ink: Ink, width: int, all_rows: bool) -> Iterator[list[str]]:
    """The blocks: nodes, pods, then what becomes of their owners.

    1. Nodes that end alike are one line, and pods with the same story are one row; those that block or are lost come first,
       and pods that simply move are counted. `all_rows` prints a table for each node, and joins and cuts nothing.
    2. `width` 0 means no limit; else a WHY that does not fit is folded, in its column or under the row.
    """
    if all_rows:
        yield from _draw_every_node(evictions, ink, width)
    else:
        yield from _draw_joined(evictions, ink, width)
    remarks = [*iter_outcomes(evictions if all_rows else _drop_failed_jobs(evictions)), *iter_notes(evictions)]
    shown = remarks if all_rows else _cut(remarks, _MOST_OUTCOMES)
    lines = [line for heading, text in shown for line in _fold_hanging(f"{heading}: ", text, width)]
    if hidden := len(remarks) - len(shown):
        lines.append(messages.count_hidden_remarks(hidden))
    if lines:
        yield lines


def _cut(items: Sequence[_Item], limit: int) -> Sequence[_Item]:
    """The first items; all where one would be left out."""
    return items if len(items) <= limit + 1 else items[:limit]


def _draw_every_node(evictions: EvictionReport, ink: Ink, width: int) -> Iterator[list[str]]:
    for node in evictions.nodes:
        lines = [ink(line, "strong") for line in fold(escape_unprintable(format_node_heading(evictions, node)), width)]
        for refusal in node.refusals:
            lines += _fold_hanging("kubectl: ", refusal.words, width)
        if rows := make_eviction_rows(node):
            lines += _draw_grid(rows, [], ink, width)
        if text := format_staying(node):
            lines += _fold_hanging("", text, width)
        yield lines


def _drop_failed_jobs(evictions: EvictionReport) -> EvictionReport:
    """Without the Jobs that fail: the rows of their pods say so."""
    return replace(evictions, jobs=tuple(job for job in evictions.jobs if job.fails is JobFailure.NONE or not job.certain))


def _draw_joined(evictions: EvictionReport, ink: Ink, width: int) -> Iterator[list[str]]:
    nodes = join_nodes(evictions.nodes)
    shown_nodes = _cut(nodes, _MOST_NODES)
    lines = []
    for node in shown_nodes:
        staying = format_staying(replace(node, daemonsets=0))
        heading = f"{format_node_heading(evictions, node)}{f'; {staying}' if staying else ''}"
        first, *rest = fold(escape_unprintable(heading), width - 2 if width else 0)
        lines += [ink(first, "strong"), *(f"  {line}" for line in rest)]
    if hidden_nodes := len(nodes) - len(shown_nodes):
        lines.append(messages.count_hidden_nodes(hidden_nodes))
    for text in iter_refusals(evictions):
        lines += _fold_hanging("kubectl: ", text, width)
    groups = group_pods(evictions)
    moving = [group for group in groups if group.row.marker == " " and group.members[0][1].is_leaving]
    marked = [group for group in groups if group.row.marker != " " or (len(moving) == 1 and group in moving)]
    shown = _cut(marked, _MOST_GROUPS)
    lines += _draw_grid([group.row for group in shown], [_name_nodes(group) for group in shown], ink, width) if shown else ()
    if hidden := marked[len(shown) :]:
        bad = sum(len(group.members) for group in hidden if group.row.marker == "x")
        lines.append(messages.count_hidden_pods(sum(len(group.members) for group in hidden), messages.count_bad_rows(bad) if bad else ""))
    if len(moving) > 1:
        pods = [pod for group in moving for _, pod in group.members]
        lines.append(messages.count_moving_pods(len(pods), sum(pod.localData for pod in pods)))
    yield lines


def iter_refusals(evictions: EvictionReport) -> Iterator[str]:
    """What kubectl refuses on all nodes, in its own words, with the first of the pods."""
    pods: dict[tuple[PodFilter, str], list[str]] = {}
    for node in evictions.nodes:
        for refusal in node.refusals:
            pods.setdefault((refusal.filter, refusal.daemonset), []).extend(refusal.pods)
    for (refused_by, daemonset), names in pods.items():
        yield messages.describe_refusal(refused_by, daemonset, names)


def _name_nodes(group: PodGroup) -> str:
    nodes = group.nodes
    return nodes[0] if len(nodes) == 1 else format_names(nodes, 1) if len(nodes) < 4 else messages.count_nodes(len(nodes))


def _fold_hanging(head: str, text: str, width: int) -> list[str]:
    """A line with a heading, folded under its text."""
    room = max(20, width - len(head) - 2) if width else 0
    return [f"  {head if at == 0 else ' ' * len(head)}{line}" for at, line in enumerate(fold(escape_unprintable(text), room))]


def _draw_grid(rows: Sequence[EvictionRow], nodes: Sequence[str], ink: Ink, width: int) -> Iterator[str]:
    """A table of pods; `nodes` is the column of their nodes, empty where all are of one.

    A table that is wider than the terminal has fewer columns: owners and replacements then stand with the reasons, below each row.
    """
    heads = ["POD", "OF", "WHAT", "REPLACEMENT"]
    cells = [[row.pod, row.owner, row.verdict, row.replacement] for row in rows]
    reasons = [row.reasons for row in rows]
    if nodes:
        heads.insert(0, "NODE")
        cells = [[node, *line] for node, line in zip(nodes, cells, strict=True)]
    sizes = _measure_columns(heads, cells)
    fixed = 2 + sum(sizes) + 2 * len(sizes)
    is_narrow = bool(width) and fixed - 2 > width
    if is_narrow:
        heads, cells = _drop_columns(heads), [_drop_columns(line) for line in cells]
        reasons = [messages.join_details(row.owner, row.replacement, row.reasons) for row in rows]
        sizes = _measure_columns(heads, cells)
    reasons = [escape_unprintable(reason) for reason in reasons]
    below = is_narrow or (bool(width) and width - fixed < min(_LEAST_WHY, max(map(count_columns, reasons))))
    yield ink(_format_line(" ", heads, sizes, "WHY" if any(reasons) and not below else ""), "strong")
    for row, line, reason in zip(rows, cells, reasons, strict=True):
        why = [""] if below else (fold(reason, width - fixed) if width else [reason]) or [""]
        text = _format_line(row.marker, line, sizes, why[0])
        yield ink(row.marker, _STYLES.get(row.marker, "")) + text[1:] if row.marker != " " else text
        yield from (" " * fixed + rest for rest in why[1:])
        if below and reason:
            yield from (f"    {rest}" for rest in fold(reason, max(20, width - 4)))


def _measure_columns(heads: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    return [max(count_columns(escape_unprintable(cell)) for cell in column) for column in zip(heads, *cells, strict=True)]


def _drop_columns(cells: Sequence[str]) -> list[str]:
    """The cells without the owner and the replacement."""
    *before, _, verdict, _ = cells
    return [*before, verdict]


def _format_line(marker: str, cells: Sequence[str], sizes: Sequence[int], why: str) -> str:
    return f"{marker} {'  '.join(pad(cell, size) for cell, size in zip(cells, sizes, strict=True))}  {why}".rstrip()
