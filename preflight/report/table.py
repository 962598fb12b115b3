"""The table of a step: one row a DaemonSet, those that lose nodes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from preflight.inert_text import escape_unprintable
from preflight.messages import report as messages
from preflight.model.report import Coverage, Outcome, ReportStep, TaintTolerance
from preflight.report.formatting import format_names
from preflight.report.terminal import Ink, count_columns, fold, pad

MOST_ROWS = 30
_MOST_EXPLAINED = 10
MARKERS = {
    Outcome.LOST_NOW: "x",
    Outcome.LOST_ON_RECREATION: "x",
    Outcome.LOOP: "x",
    Outcome.UNKNOWN: "?",
    Outcome.ALREADY_FRAGILE: "!",
    Outcome.MISSING: "!",
    Outcome.NOT_READY: "!",
    Outcome.NODE_GONE: "!",
    Outcome.NEVER: "!",
    Outcome.GAINED: "+",
}
ORDER = "x?!+ "
_STYLES = {"x": "error", "?": "warning", "!": "warning", "+": "gain"}
_TOLERATES_ORDER = ("no", "unknown", "everything", "effect", "key", "exact", "implicit")
# With less room than this a WHY that does not fit stands under its row, over the whole width.
_LEAST_WHY = 44


class CoverageRow(NamedTuple):
    """A DaemonSet in the table.

    1. `node_count` are the nodes on which it is judged; where a step compares, those with a pod before. `counts` are the nodes with a pod,
       one for each column of the step, None where not asked. `reasons` are reasons; where a step compares, the nodes that lost their pod.
    2. `is_unsure` where some of these are counted under a condition: they are printed with a question mark.
    3. `is_unknown` where a step compares, and the pods that should run now are not known: `reasons` then say why.
    """

    marker: str
    name: str
    node_count: int
    counts: tuple[int | None, ...]
    tolerates: str
    reasons: str
    is_unsure: bool = False
    is_unknown: bool = False

    @property
    def is_steady(self) -> bool:
        """Whether the DaemonSet has its pod on each of the nodes, whatever the column."""
        return self.marker == " " and not self.is_unsure and all(count in (None, self.node_count) for count in self.counts)


class CoverageTable(NamedTuple):
    """The lines of a table: the rows with their heading, [] where none is shown, and those that count the others."""

    grid: list[str]
    counts: list[str]


def draw_table(step: ReportStep, ink: Ink, width: int, all_rows: bool, explained: Collection[str] = ()) -> CoverageTable:
    """The lines of the table.

    1. A DaemonSet that leaves every node out by its selector is no row: one line counts these, and another one those that keep all their
       pods.
    2. More than 30 rows are cut, with a line that says how many there are. `all_rows` lists and cuts nothing. One row is never left out for
       a line that counts it.
    3. `width` 0 means no limit. Else a WHY that does not fit is folded, in its column or under the row, and a name that does not
       fit stands on a line of its own. Nothing is cut.
    4. Of a DaemonSet that is `explained` by a finding the WHY is left out, unless `all_rows`; more than 10 are counted, for their findings
       list them.
    """
    rows, left_out = make_coverage_rows(step)
    if not all_rows and not step.compares:
        rows = [row._replace(reasons="") if row.name in explained else row for row in rows]
    kept = [] if all_rows else [row for row in rows if row.is_steady]
    if len(kept) == 1 and len(rows) > 1:
        kept = []
    listed_below = [row for row in rows if row.name in explained] if not all_rows and not step.compares else []
    if len(listed_below) <= _MOST_EXPLAINED:
        listed_below = []
    told = [row for row in rows if row not in kept and row not in listed_below]
    shown = told if all_rows or len(told) == MOST_ROWS + 1 else told[:MOST_ROWS]
    heads = ("BEFORE", *step.columns, "LOST ON") if step.compares else ("NODES", *step.columns, "WHY")
    grid = list(_draw_grid(shown, heads, ink, width)) if shown else []
    counts = [messages.count_explained_rows(len(listed_below), bool(grid))] if listed_below else []
    if hidden := told[len(shown) :]:
        losing = sum(row.marker == "x" for row in hidden)
        say = messages.count_losing_rows(losing) if losing else ""
        counts.append(messages.count_hidden_rows(len(hidden), say))
    if kept:
        name = escape_unprintable(kept[0].name) if len(kept) == 1 else ""
        counts.append(messages.count_steady_rows(name, len(kept), is_change=bool(step.command)))
    if left_out:
        counts.append(messages.count_left_out(left_out, len(step.nodes)))
    return CoverageTable(grid, counts if grid or counts else [messages.NO_ROW])


def make_coverage_rows(step: ReportStep) -> tuple[list[CoverageRow], int]:
    """The rows of a step, those that lose nodes first and then by marker and name; and how many DaemonSets leave every node out."""
    rows, left_out = make_rows_with_coverage(step)
    return [row for row, _ in rows], left_out


def make_rows_with_coverage(step: ReportStep) -> tuple[list[tuple[CoverageRow, Sequence[Coverage]]], int]:
    """The same, each row with all coverage of its DaemonSet, the nodes that it leaves out included."""
    groups: dict[tuple[str, str], list[Coverage]] = {}
    for coverage in step.coverage:
        groups.setdefault((coverage.daemonset, coverage.place), []).append(coverage)
    times = Counter(name for name, _ in groups)
    rows: list[tuple[CoverageRow, Sequence[Coverage]]] = []
    for (name, file), group in groups.items():
        parts = sorted((part for part in group if part.outcome is not Outcome.EXCLUDED), key=lambda part: part.outcome.rank)
        if parts:
            shown = f"{name} ({file})" if times[name] > 1 else name
            rows.append((_make_compared_row(shown, parts) if step.compares else _make_row(shown, parts, len(step.columns)), group))
    rows.sort(key=lambda pair: (ORDER.index(pair[0].marker), pair[0].name))
    return rows, len(groups) - len(rows)


def _make_row(name: str, parts: Sequence[Coverage], column_count: int) -> CoverageRow:
    replaced = [part.replaced for part in parts if part.replaced is not None]
    counts = (sum(part.now for part in parts), sum(part.recreated for part in parts), sum(replaced) if replaced else None)
    return CoverageRow(
        marker=MARKERS.get(parts[0].outcome, " "),
        name=name,
        node_count=sum(len(part.nodes) for part in parts),
        counts=counts[:column_count],
        tolerates=_format_tolerates(how for part in parts for how in part.tolerates),
        reasons=_format_reasons(parts),
        is_unsure=any(part.outcome is Outcome.UNKNOWN for part in parts),
    )


def _make_compared_row(name: str, parts: Sequence[Coverage]) -> CoverageRow:
    """The row of a DaemonSet that is compared with what it was."""
    lost = sorted(node for part in parts if part.outcome is Outcome.LOST_NOW for node in part.nodes)
    lost += [f"{node} (gone)" for part in parts if part.outcome is Outcome.NODE_GONE for node in part.nodes]
    unknown = next((part for part in parts if part.outcome is Outcome.UNKNOWN), None)
    return CoverageRow(
        marker=MARKERS.get(parts[0].outcome, " "),
        name=name,
        node_count=sum(part.before for part in parts),
        counts=(None, None) if unknown else (sum(part.now for part in parts), sum(part.ready or 0 for part in parts)),
        tolerates="",
        reasons=messages.describe_unknown(unknown.reasons) if unknown else format_names(lost),
        is_unknown=unknown is not None,
    )


def _format_tolerates(answers: Iterable[TaintTolerance]) -> str:
    """The answers for all taints, each once, the worst first."""
    words = {}
    for answer in answers:
        text = answer.how
        if answer.anyEffect and answer.how in ("key", "exact"):
            text += messages.ANY_EFFECT
        if answer.seconds is not None and answer.how not in ("no", "unknown"):
            text += messages.count_seconds(answer.seconds)
        words[text] = _TOLERATES_ORDER.index(answer.how) if answer.how in _TOLERATES_ORDER else 0
    return "; ".join(sorted(words, key=lambda word: (words[word], word)))


def _format_reasons(parts: Sequence[Coverage]) -> str:
    """The reasons, those of the worst outcome first; one that holds on some of the nodes only says on how many."""
    nodes: Counter[str] = Counter()
    for part in parts:
        for reason in _iter_reasons(part):
            nodes[reason] += len(part.nodes)
    total = sum(len(part.nodes) for part in parts)
    return "; ".join(reason if number == total else messages.limit_reason(reason, number, total) for reason, number in nodes.items())


def _iter_reasons(part: Coverage) -> Iterator[str]:
    if part.outcome is Outcome.LOOP and not part.reasons_state_loop:
        again = messages.AGAIN_AND_AGAIN if part.periodSeconds is None else messages.describe_period(part.periodSeconds)
        yield messages.describe_loop(again)
    yield from part.reasons


def _draw_grid(rows: Sequence[CoverageRow], headings: Sequence[str], ink: Ink, width: int) -> Iterator[str]:
    heads, last = list(headings[: len(rows[0].counts) + 1]), headings[-1]
    cells = [[str(row.node_count), *(_format_cell(number, row.is_unsure) for number in row.counts)] for row in rows]
    longest = max(len("DAEMONSET"), *(count_columns(escape_unprintable(row.name)) for row in rows))
    how = max(count_columns(escape_unprintable(row.tolerates)) for row in rows)
    grid = _TableLayout(longest, _get_widths([heads, *cells]), max(how, len("TOLERATES")) if how else 0)
    tops = [""] * len(heads)
    if width and grid.width > width:  # headings of two words take two lines, and long names a line of their own
        tops, heads = map(list, zip(*(head.rpartition(" ")[::2] for head in heads), strict=True))
        grid = grid._replace(numbers=_get_widths([tops, heads, *cells]))
        grid = grid._replace(name=max(len("DAEMONSET"), min(longest, longest + width - grid.width)))
    room = width - grid.width - 2 if width else 0
    below = bool(width) and room < min(_LEAST_WHY, max(count_columns(escape_unprintable(row.reasons)) for row in rows))
    if any(tops):
        yield ink(grid.format_line("", tops, "", ""), "strong")
    yield ink(grid.format_line("DAEMONSET", heads, "TOLERATES", last if any(row.reasons for row in rows) and not below else ""), "strong")
    for row, numbers in zip(rows, cells, strict=True):
        marker = ink(row.marker, _STYLES.get(row.marker, ""))
        lines = [""] if below else (fold(row.reasons, room) if width else [row.reasons]) or [""]
        if count_columns(escape_unprintable(row.name)) > grid.name:
            yield f"{marker} {escape_unprintable(row.name)}"
            yield grid.format_line("", numbers, row.tolerates, lines[0])
        else:
            yield marker + grid.format_line(row.name, numbers, row.tolerates, lines[0])[1:]
        yield from (" " * (grid.width + 2) + text for text in lines[1:])
        if below:
            yield from (f"    {text}" for text in fold(row.reasons, width - 4))


def _format_cell(number: int | None, is_unsure: bool) -> str:
    return "-" if number is None else f"{number}?" if is_unsure else str(number)


def _get_widths(lines: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*lines, strict=True)]


class _TableLayout(NamedTuple):
    """The widths of the columns; `how` is 0 where no row has anything to say about tolerations."""

    name: int
    numbers: Sequence[int]
    tolerates_width: int

    @property
    def width(self) -> int:
        """Everything but WHY."""
        return (
            2 + self.name + 1 + sum(self.numbers) + 2 * (len(self.numbers) - 1) + (2 + self.tolerates_width if self.tolerates_width else 0)
        )

    def format_line(self, name: str, numbers: Sequence[str], toleration_text: str, reasons: str) -> str:
        """A line of the table, the marker left blank."""
        cells = "  ".join(f"{number:>{size}}" for number, size in zip(numbers, self.numbers, strict=True))
        tolerates = f"  {pad(toleration_text, self.tolerates_width)}" if self.tolerates_width else ""
        return f"  {pad(name, self.name)} {cells}{tolerates}  {escape_unprintable(reasons)}".rstrip()
