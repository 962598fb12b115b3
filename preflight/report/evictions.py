"""The tables of ordinary pods that have to go: one a node, in the order in which it is done, and what to do first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from preflight.model.evictions import Eviction, Evictions, JobFate, JobSetFate, NodeEvictions
from preflight.report.formatting import count, names
from preflight.report.terminal import Ink, columns, fold, pad, plain

MOST_ROWS = 30
_BAD = ("blocked-for-ever", "refused")
_MARKERS = {
    **dict.fromkeys(_BAD, "x"),
    "unknown": "?",
    **dict.fromkeys(("blocked-now", "held", "waits"), "!"),
}
_ORDER = "x?! "
_STYLES = {"x": "error", "?": "warning", "!": "warning"}
_LEAST_WHY = 44
_WAYS = {
    "drain": "drain",
    "taint": "NoExecute: taint eviction, which no budget holds up",
    "shutdown": "graceful shutdown: all its pods end, and no budget is asked",
    "gone": "the node is gone: all its pods are, and no budget is asked",
}


class Row(NamedTuple):
    """A pod in the table of its node; `where` is what becomes of its replacement."""

    marker: str
    pod: str
    owner: str
    what: str
    where: str
    why: str


def rows_of(node: NodeEvictions) -> list[Row]:
    """The rows of a node: what blocks or is lost first, else in order."""
    rows = [_row(each) for each in node.pods]
    return sorted(rows, key=lambda row: _ORDER.index(row.marker))


def _row(each: Eviction) -> Row:
    marker = _MARKERS.get(each.verdict, " ")
    if each.leaves and (each.lost or each.replacement == "pending"):
        marker = "x"
    elif each.leaves and (each.last or each.replacement == "none") and marker == " ":
        marker = "!"
    return Row(marker, each.pod, each.owner or "-", _what(each), _where(each), "; ".join(_why(each)))


def _what(each: Eviction) -> str:
    words = each.verdict.replace("-", " ")
    if each.leaves and each.lost:
        return f"{words}, lost for good"
    if each.verdict == "deleted" and each.why == "taint":
        return f"deleted after {each.after:g} s" if each.after else "deleted now"
    return words


def _where(each: Eviction) -> str:
    if each.replacement == "fits":
        return names(each.where, 2)
    return {"pending": "Pending", "unknown": "?"}.get(each.replacement, "-")


def _why(each: Eviction) -> Iterator[str]:
    yield from (reason for reason in each.reasons if reason != "nothing creates it again")
    if each.localData and each.leaves:
        yield "the data of its emptyDir is lost"


def heading(evictions: Evictions, node: NodeEvictions) -> str:
    """What becomes of a node, in one line."""
    going = sum(each.leaves for each in node.pods)
    parts = [f"{count(going, 'pod')} {'goes' if going == 1 else 'go'}" if going else "no pod goes"]
    for verdict in ("blocked-for-ever", "blocked-now", "refused", "held", "waits", "unknown"):
        number = sum(each.verdict == verdict for each in node.pods)
        if number and verdict != "waits":
            parts.append(f"{number} {verdict.replace('-', ' ')}")
        elif number:
            parts.append(f"{number} of them {'waits' if number == 1 else 'wait'} for replacements")
    if evictions.way != "drain":
        parts.append(_WAYS.get(evictions.way, evictions.way))
    elif not node.reached:
        parts.append("kubectl never gets here")
    elif node.ends is False:
        parts.append("kubectl waits for ever")
    elif node.least is not None and not node.refusals:
        parts.append(_takes(node.least, node.withGrace))
    return f"{node.node}: {', '.join(parts)}"


def _takes(least: float, grace: float | None) -> str:
    if grace is None or grace <= least:
        return f"takes {time(least)} at least"
    return f"takes {time(least)} at least, {time(grace)} with the whole grace periods"


def time(seconds: float) -> str:
    """`8 s`, `2 min 5 s`, `1 h 3 min`."""
    whole = int(seconds + 0.5)
    if whole < 100:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 100:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def staying(node: NodeEvictions) -> str:
    """The pods that stay for what they are; "" where there are none."""
    parts = []
    if node.daemonsets:
        parts.append(f"{count(node.daemonsets, 'pod')} of DaemonSets")
    if node.static:
        parts.append(f"{count(len(node.static), 'static pod')} ({names(node.static)})")
    if node.staying:
        parts.append(count(node.staying, "other pod"))
    return f"not asked to go: {', '.join(parts)}" if parts else ""


def totals(evictions: Evictions) -> list[str]:
    """What all nodes come to, what becomes of Jobs and JobSets, and what to do first; each line with its heading."""
    pods = [each for node in evictions.nodes for each in node.pods]
    going = sum(each.leaves for each in pods)
    parts = [f"{count(going, 'pod')} of {count(len(evictions.nodes), 'node')} {'goes' if going == 1 else 'go'}"]
    for words, number in (
        ("lost for good", sum(each.leaves and each.lost for each in pods)),
        ("Pending afterwards", sum(each.leaves and each.replacement == "pending" for each in pods)),
        ("blocked for ever", sum(each.verdict == "blocked-for-ever" for each in pods)),
        ("blocked for now", sum(each.verdict == "blocked-now" for each in pods)),
        ("refused by kubectl", sum(each.verdict == "refused" for each in pods)),
        ("unknown", sum(each.verdict == "unknown" for each in pods)),
    ):
        if number:
            parts.append(f"{number} {words}")
    if evictions.way == "drain":
        if evictions.ends is False:
            parts.append("kubectl never ends")
        elif evictions.least is not None:
            parts.append(_takes(evictions.least, evictions.withGrace))
    lines = [f"total: {', '.join(parts)}"]
    lines += (f"Job: {_job(each)}" for each in evictions.jobs)
    lines += (f"JobSet: {_job_set(each)}" for each in evictions.jobSets)
    for node in evictions.nodes:
        lines += (
            f"DaemonSet: {each.daemonset} finds no room on {node.node} when it comes back: {'; '.join(each.reasons)}"
            for each in node.returning
        )
    lines += (f"first: {each}" for each in evictions.first)
    return lines


def _job(each: JobFate) -> str:
    lost = f"{each.job} loses {count(len(each.pods), 'pod')}"
    if each.unknown:
        return f"{lost}: nobody can tell what becomes of it: {each.unknown}"
    parts = []
    if each.fails:
        parts.append(f"{'fails' if each.certain else 'may fail'}: {each.fails}")
    elif each.limit:
        parts.append(f"goes on, and counts it against {' and '.join(each.limit)}")
    else:
        parts.append("goes on")
    if each.overlap and not (each.fails and each.certain):
        what = "of one index " if each.indexed else ""
        parts.append(f"two pods {what}run at once for up to {time(each.overlap)}")
    return "; ".join([f"{lost}, and {parts[0]}", *parts[1:], *each.reasons])


def _job_set(each: JobSetFate) -> str:
    if each.unknown:
        return f"{each.jobSet}: nobody can tell what becomes of it: {each.unknown}"
    what = "goes on"
    if each.fails:
        what = f"{'fails' if each.certain else 'may fail'}: {each.fails}"
    elif each.restarts != "none":
        which = "all its Jobs" if each.restarts == "all" else "one of its Jobs"
        what = f"{'starts' if each.certain else 'may start'} {which} anew; {count(each.left, 'restart')} left then"
    return "; ".join([f"{each.jobSet} {what}", *each.reasons])


def draw(evictions: Evictions, ink: Ink, width: int, all_rows: bool) -> Iterator[list[str]]:
    """The blocks: one a node, then the totals.

    1. A node has 30 rows at most, with a line that counts the others, unless `all_rows`; those that block or are lost come first.
    2. `width` 0 means no limit; else a WHY that does not fit is folded, in its column or under the row.
    """
    for node in evictions.nodes:
        lines = [ink(line, "strong") for line in fold(plain(heading(evictions, node)), width)]
        for refusal in node.refusals:
            lines += _hanging("kubectl: ", refusal, width)
        rows = rows_of(node)
        shown = rows if all_rows else rows[:MOST_ROWS]
        if shown:
            lines += _grid(shown, ink, width)
        if hidden := rows[len(shown) :]:
            bad = sum(row.marker == "x" for row in hidden)
            say = f", {bad} of them blocked or lost" if bad else ""
            lines.append(f"  {count(len(hidden), 'more pod')}{say} (--all-rows shows all)")
        if text := staying(node):
            lines += [f"  {line}" for line in fold(plain(text), max(20, width - 2) if width else 0)]
        yield lines
    lines = []
    for note in evictions.notes:
        lines += _hanging("note: ", note, width)
    for line in totals(evictions):
        head, _, text = line.partition(": ")
        lines += _hanging(f"{head}: ", text, width)
    yield lines


def _hanging(head: str, text: str, width: int) -> list[str]:
    """A line with a heading, folded under its text."""
    room = max(20, width - len(head) - 2) if width else 0
    return [f"  {head if at == 0 else ' ' * len(head)}{line}" for at, line in enumerate(fold(plain(text), room))]


def _grid(rows: Sequence[Row], ink: Ink, width: int) -> Iterator[str]:
    heads = Row(" ", "POD", "OF", "WHAT", "REPLACEMENT", "WHY")
    sizes = [max(columns(plain(row[at])) for row in (heads, *rows)) for at in range(1, 5)]
    fixed = 2 + sum(sizes) + 2 * len(sizes)
    below = bool(width) and width - fixed < min(_LEAST_WHY, max(columns(plain(row.why)) for row in rows))
    has_why = any(row.why for row in rows) and not below
    yield ink(_line(heads, sizes, "WHY" if has_why else ""), "strong")
    for row in rows:
        lines = [""] if below else (fold(plain(row.why), width - fixed) if width else [plain(row.why)]) or [""]
        text = _line(row, sizes, lines[0])
        yield ink(row.marker, _STYLES.get(row.marker, "")) + text[1:] if row.marker != " " else text
        yield from (" " * fixed + line for line in lines[1:])
        if below and row.why:
            yield from (f"    {line}" for line in fold(plain(row.why), max(20, width - 4)))


def _line(row: Row, sizes: Sequence[int], why: str) -> str:
    cells = "  ".join(pad(row[at], size) for at, size in enumerate(sizes, 1))
    return f"{row.marker} {cells}  {why}".rstrip()
