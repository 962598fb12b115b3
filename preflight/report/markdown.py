"""The report as Markdown, for a comment on a merge request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from preflight.model.report import Finding, Report, Step
from preflight.report import findings as shape
from preflight.report.ci_annotation import open_findings, sentence, title
from preflight.report.formatting import clip, count, place
from preflight.report.summary import cluster, found, summary
from preflight.report.table import MOST_ROWS, Row, rows_of
from preflight.report.terminal import Ink, inert, plain
from preflight.report.text import render_problems

MOST = 60_000
"""How many characters the text has at most: GitHub takes comments of 65,536."""

_TABLES = 30_000
_NOTICE = 300
_LINES = 20


def render(report: Report, *, all_rows: bool = False, **_options: object) -> str:
    """The table of each step first, then each finding folded, the worst first, and one line that sums up.

    1. The text has at most 60,000 characters, of which the tables take at most half; what does not fit is counted in a notice. A table
       has 30 rows at most, unless `all_rows`.
    2. Without a step (lint, no nodes) the table counts the findings of each rule.
    3. Exempted findings stand folded at the end, each with its reason.
    4. What came from the input stands in code, where neither Markdown nor GitHub or GitLab reads links, mentions, references or HTML;
       a code span holds no backtick and no pipe, and no line of a block begins with a name, so none ends it or commands GitLab (`/close`).
    """
    page = _Page()
    page.put(["<!-- preflight -->", f"### preflight: {found(report)}", ""])
    if report.cluster is not None:
        page.put([code(cluster(report.cluster), 300), ""])
    _tables(page, report, all_rows)
    if report.problems:
        page.put(_folded("what could not be read", render_problems(report.problems).splitlines()))
    end = [code(summary(report), 3000)]
    if exempted := [finding for finding in report.findings if finding.exempted is not None]:
        end[:0] = _folded(f"{len(exempted)} exempted", (f"{title(each)}: {sentence(each)}: {each.exempted}" for each in exempted))
    room = MOST - sum(len(line) + 1 for line in end) - _NOTICE
    findings = open_findings(report)
    for at, finding in enumerate(findings):
        if not page.add(_finding(finding, len(report.steps)), room):
            left = count(len(findings) - at, "finding")
            page.put([f"**Cut here: {left} more, since a comment has room for {MOST:,} characters. `-o json` has all.**", ""])
            break
    page.put(end)
    return "\n".join(inert(line) for line in page.lines) + "\n"


class _Page:
    """Lines, and how many characters they have."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._size = 0

    def put(self, lines: Iterable[str]) -> None:
        """Adds the lines."""
        for line in lines:
            self.lines.append(line)
            self._size += len(line) + 1

    def add(self, lines: Sequence[str], most: int) -> bool:
        """Adds the lines if the page has at most so many characters with them, all or none; whether it did."""
        fits = self._size + sum(len(line) + 1 for line in lines) <= most
        if fits:
            self.put(lines)
        return fits


def _tables(page: _Page, report: Report, all_rows: bool) -> None:
    for number, step in enumerate(report.steps, 1):
        heading = f"step {number} of {len(report.steps)}: " if len(report.steps) > 1 else ""
        if not (_table(page, step, heading, all_rows) and _evictions(page, step, all_rows)):
            if left := len(report.steps) - number:
                page.put([f"**Cut here: {count(left, 'more step')}. `-o json` has all.**", ""])
            return
    findings = [] if report.steps else sorted(open_findings(report), key=lambda each: (each.severity.rank, each.rule, each.name))
    if findings:
        page.add([_line(["", "rule", "findings"]), _line(["---", "---", "--:"])], _TABLES)
        for severity, name in dict.fromkeys((each.severity, title(each)) for each in findings):
            number = sum(title(each) == name and each.severity is severity for each in findings)
            page.add([_line([severity, code(name), str(number)])], _TABLES)
        page.put([""])


def _table(page: _Page, step: Step, heading: str, all_rows: bool) -> bool:
    """The table of a step; whether all of it that should be shown did fit."""
    rows, left_out = rows_of(step)
    words = step.headline or step.command
    told = [*([f"{heading}{code(words)}", ""] if words else []), *(f"- {code(note)}" for note in step.notes[:_LINES])]
    if step.notes[_LINES:]:
        told.append(f"- {count(len(step.notes) - _LINES, 'more note')}")
    if step.story is not None:
        lines = [f"- {code(each, 500)}" for each in step.story[:_LINES]] or ["nothing is broken that can be seen"]
        more = [f"- {count(len(step.story) - _LINES, 'more sentence')}"] if step.story[_LINES:] else []
        return page.add([*told, "", *lines, *more, ""], _TABLES)
    columns = (*(_word(column.lower()) for column in step.columns), "tolerates", "why")
    heads = ["", "DaemonSet", "before", *columns[:-2], "lost on"] if step.compares else ["", "DaemonSet", "nodes", *columns]
    last = 1 if step.compares else 2
    lines = ["--:" if 2 <= at < len(heads) - last else "---" for at in range(len(heads))]
    fits = page.add([*told, *([""] if step.notes else []), *([_line(heads), _line(lines)] if rows else [])], _TABLES)
    shown = 0
    for row in rows if all_rows else rows[:MOST_ROWS]:
        fits = fits and page.add([_row(row, compares=step.compares)], _TABLES)
        shown += fits
    page.put([""])
    if hidden := len(rows) - shown:
        page.put([f"{count(hidden, 'more DaemonSet')} not shown", ""])
    if left_out:
        page.put([f"{count(left_out, 'DaemonSet')} left out by selector", ""])
    if not rows and not left_out:
        page.put(["no DaemonSet to judge", ""])
    return fits


def _evictions(page: _Page, step: Step, all_rows: bool) -> bool:
    """The tables of ordinary pods, one a node, and what they come to; whether all of it did fit."""
    if step.evictions is None:
        return True
    from preflight.report import evictions as pods

    fits = True
    for node in step.evictions.nodes:
        rows = pods.rows_of(node)
        table = [_line(["", "pod", "of", "what", "replacement", "why"]), _line(["---"] * 6)] if rows else []
        told = [code(pods.heading(step.evictions, node), 500), "", *(f"- {code(each, 500)}" for each in node.refusals)]
        fits = fits and page.add([*told, *([""] if node.refusals else []), *table], _TABLES)
        shown = 0
        for row in rows if all_rows else rows[: pods.MOST_ROWS]:
            cells = [row.marker.strip(), row.pod, row.owner, row.what, row.where]
            fits = fits and page.add([_line([*(code(cell, 200) for cell in cells), code(row.why, 500)])], _TABLES)
            shown += fits
        page.put([""])
        if hidden := len(rows) - shown:
            page.put([f"{count(hidden, 'more pod')} not shown", ""])
    lines = [*(f"note: {each}" for each in step.evictions.notes), *pods.totals(step.evictions)]
    page.put([*(f"- {code(each, 500)}" for each in lines[:_LINES]), ""])
    return fits


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _row(row: Row, *, compares: bool) -> str:
    numbers = ["-" if number is None else f"{number}{'?' if row.unsure else ''}" for number in row.counts]
    tolerates = [] if compares else [code(row.tolerates)]
    return _line([code(row.marker.strip()), code(row.name, 200), str(row.nodes), *numbers, *tolerates, code(row.why, 500)])


def code(text: str, most: int = 300) -> str:
    r"""The text as a code span; "" for none. A backtick and a pipe are written as `\x60` and `\x7c`."""
    text = clip(plain(text), most).replace("`", r"\x60").replace("|", r"\x7c").strip()
    return f"`{text}`" if text else ""


def _word(text: str) -> str:
    """A few letters as they are, anything else as code."""
    return text if len(text) < 50 and text.replace("-", "").replace(" ", "").isalpha() else code(text)


def _finding(finding: Finding, steps: int) -> list[str]:
    where = f" at {_html(place(finding.location))}" if finding.location else ""
    step = f" (step {finding.step} of {steps})" if steps > 1 and finding.step else ""
    heading = f"{finding.severity} {_html(title(finding))}: {_html(str(finding.subject))}{where}{step}"
    return _details(heading, shape.draw(finding, Ink(False), 0))


def _folded(heading: str, lines: Iterable[str]) -> list[str]:
    """What is no finding, folded: it takes no more than about 4,000 characters."""
    return _details(escape(heading), (f"- {line}" for line in lines), 200)


def _details(heading: str, lines: Iterable[str], most: int = 500) -> list[str]:
    """A part that is folded: a block of code, whose lines all begin with a word of ours or with a gutter."""
    kept = [clip(plain(line), most) for line in lines]
    if len(kept) > _LINES:
        kept[_LINES:] = [f"... {len(kept) - _LINES} more lines"]
    return [f"<details><summary>{heading}</summary>", "", "```text", *kept, "```", "</details>", ""]


def _html(text: str) -> str:
    """The text as code of HTML, inside of which Markdown is not read: `<summary>` is such a place."""
    return f"<code>{escape(clip(plain(text), 200))}</code>"
