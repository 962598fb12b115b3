"""The report as Markdown, for a comment on a merge request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from preflight.inert_text import escape_ci_commands, escape_unprintable
from preflight.messages import report as messages
from preflight.messages.verdict import describe_verdict
from preflight.model.report import Report, ReportStep
from preflight.model.verdict import VerdictSign
from preflight.report import findings as shape
from preflight.report.ci_annotation import format_sentence, format_title
from preflight.report.formatting import clip, format_count, format_location
from preflight.report.groups import FindingGroup, group_findings
from preflight.report.next_steps import list_next_steps
from preflight.report.summary import format_cluster, format_finding_counts, format_summary
from preflight.report.table import MOST_ROWS, CoverageRow, make_coverage_rows
from preflight.report.terminal import Ink
from preflight.report.text import render_problems
from preflight.report.tolerations import make_toleration_rows
from preflight.report.verdict import decide_verdict, select_answering_findings

MOST = 60_000
"""How many characters the text has at most: GitHub takes comments of 65,536."""

_TABLES = 30_000
_NOTICE = 300
_LINES = 20
_GROUP_LINES = 100


def render(report: Report, *, all_rows: bool = False, **_options: object) -> str:
    """The verdict and the table of each step first, then findings with one cause folded, the worst first, and what to type next.

    1. The text has at most 60,000 characters, of which the tables take at most half; what does not fit is counted in a notice. A table
       has 30 rows at most, unless `all_rows`.
    2. Without a step (lint, no nodes) the table counts the findings of each rule.
    3. Exempted findings stand folded at the end, each with its reason.
    4. What came from the input stands in code, where neither Markdown nor GitHub or GitLab reads links, mentions, references or HTML;
       a code span holds no backtick and no pipe, and no line of a block begins with a name, so none ends it or commands GitLab (`/close`).
    """
    page = _MarkdownPage()
    verdict = decide_verdict(report)
    sign = "" if verdict.sign is VerdictSign.FINE else f"{format_code(verdict.sign)} "
    page.add_lines(["<!-- preflight -->", messages.describe_heading(format_finding_counts(report)), ""])
    page.add_lines([f"**{sign}{format_code(describe_verdict(verdict), 500)}**", ""])
    if report.cluster is not None:
        page.add_lines([format_code(format_cluster(report.cluster), 300), ""])
    _add_tables(page, report, all_rows)
    if all_rows:
        _add_tolerations(page, report)
    if report.problems:
        page.add_lines(_fold_lines(messages.UNREAD, render_problems(report.problems).splitlines()))
    end = [format_code(format_summary(report), 3000)]
    if exempted := [finding for finding in report.findings if finding.exempted is not None]:
        end[:0] = _fold_lines(
            messages.count_exempted(len(exempted)),
            (f"{format_title(finding)}: {format_sentence(finding)}: {finding.exempted}" for finding in exempted),
        )
    room = MOST - sum(len(line) + 1 for line in end) - _NOTICE
    groups = sorted(group_findings(select_answering_findings(report)), key=lambda group: group.severity.rank)
    for at, group in enumerate(groups):
        if not page.add_if_fits(_format_group(group, len(report.steps)), room):
            left = format_count(sum(group.finding_count for group in groups[at:]), "finding")
            page.add_lines([messages.describe_cut_findings(left, MOST), ""])
            break
    if steps := list_next_steps(report):
        page.add_if_fits(["```text", *(clip(escape_unprintable(str(line)), 1000) for line in steps), "```", ""], room + _NOTICE)
    page.add_lines(end)
    return "\n".join(escape_ci_commands(line) for line in page.lines) + "\n"


class _MarkdownPage:
    """Lines, and how many characters they have."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._size = 0

    def add_lines(self, lines: Iterable[str]) -> None:
        """Adds the lines."""
        for line in lines:
            self.lines.append(line)
            self._size += len(line) + 1

    def add_if_fits(self, lines: Sequence[str], max_size: int) -> bool:
        """Adds the lines if the page has at most so many characters with them, all or none; whether it did."""
        fits = self._size + sum(len(line) + 1 for line in lines) <= max_size
        if fits:
            self.add_lines(lines)
        return fits


def _add_tables(page: _MarkdownPage, report: Report, all_rows: bool) -> None:
    for number, step in enumerate(report.steps, 1):
        heading = messages.number_step(number, len(report.steps)) if len(report.steps) > 1 else ""
        if not (_add_table(page, step, heading, all_rows) and _add_evictions(page, step, all_rows)):
            if left := len(report.steps) - number:
                page.add_lines([messages.describe_cut_steps(left), ""])
            return
    findings = (
        []
        if report.steps
        else sorted(select_answering_findings(report), key=lambda finding: (finding.severity.rank, finding.rule, finding.name))
    )
    if findings:
        page.add_if_fits([_format_line(["", "rule", "findings"]), _format_line(["---", "---", "--:"])], _TABLES)
        for severity, name in dict.fromkeys((finding.severity, format_title(finding)) for finding in findings):
            number = sum(format_title(finding) == name and finding.severity is severity for finding in findings)
            page.add_if_fits([_format_line([severity, format_code(name), str(number)])], _TABLES)
        page.add_lines([""])


def _add_tolerations(page: _MarkdownPage, report: Report) -> None:
    """The tolerations of all DaemonSets, as far as they fit."""
    rows = make_toleration_rows(report)
    heads = [_format_line(["DaemonSet", "tolerates", "NoExecute"]), _format_line(["---"] * 3)]
    fits = bool(rows) and page.add_if_fits(heads, _TABLES)
    for row in rows if fits else ():
        fits = fits and page.add_if_fits([_format_line([format_code(cell) for cell in row])], _TABLES)
    if rows:
        page.add_lines([""])


def _add_table(page: _MarkdownPage, step: ReportStep, heading: str, all_rows: bool) -> bool:
    """The table of a step; whether all of it that should be shown did fit."""
    rows, left_out = make_coverage_rows(step)
    kept = [] if all_rows else [row for row in rows if row.is_steady]
    if len(kept) == 1:
        kept = []
    rows = [row for row in rows if row not in kept]
    words = step.headline or step.command
    told = [*([f"{heading}{format_code(words)}", ""] if words else []), *(f"- {format_code(note)}" for note in step.notes[:_LINES])]
    if step.notes[_LINES:]:
        told.append(f"- {messages.count_more_notes(len(step.notes) - _LINES)}")
    if step.story is not None:
        lines = [f"- {format_code(sentence, 500)}" for sentence in step.story[:_LINES]] or [messages.NOTHING_IS_BROKEN]
        more = [f"- {messages.count_more_sentences(len(step.story) - _LINES)}"] if step.story[_LINES:] else []
        return page.add_if_fits([*told, "", *lines, *more, ""], _TABLES)
    columns = (*(_format_word(column.lower()) for column in step.columns), "tolerates", "why")
    heads = ["", "DaemonSet", "before", *columns[:-2], messages.LOST_ON] if step.compares else ["", "DaemonSet", "nodes", *columns]
    last = 1 if step.compares else 2
    lines = ["--:" if 2 <= at < len(heads) - last else "---" for at in range(len(heads))]
    fits = page.add_if_fits([*told, *([""] if step.notes else []), *([_format_line(heads), _format_line(lines)] if rows else [])], _TABLES)
    shown = 0
    for row in rows if all_rows else rows[:MOST_ROWS]:
        fits = fits and page.add_if_fits([_format_row(row, compares=step.compares)], _TABLES)
        shown += fits
    page.add_lines([""])
    if hidden := len(rows) - shown:
        page.add_lines([messages.count_hidden_daemonsets(hidden), ""])
    if kept:
        page.add_lines([messages.count_steady_daemonsets(len(kept)), ""])
    if left_out:
        page.add_lines([messages.count_excluded_daemonsets(left_out), ""])
    if not rows and not left_out and not kept:
        page.add_lines([messages.NO_DAEMONSET, ""])
    return fits


def _add_evictions(page: _MarkdownPage, step: ReportStep, all_rows: bool) -> bool:
    """The tables of ordinary pods, one a node, and what they come to; whether all of it did fit."""
    if step.evictions is None:
        return True
    from preflight.report import evictions as pods

    fits = True
    for node in step.evictions.nodes:
        rows = pods.make_eviction_rows(node)
        table = [_format_line(["", "pod", "of", "what", "replacement", "why"]), _format_line(["---"] * 6)] if rows else []
        told = [
            format_code(pods.format_node_heading(step.evictions, node), 500),
            "",
            *(f"- {format_code(refusal.words, 500)}" for refusal in node.refusals),
        ]
        fits = fits and page.add_if_fits([*told, *([""] if node.refusals else []), *table], _TABLES)
        shown = 0
        for row in rows if all_rows else rows[: pods.MOST_ROWS]:
            cells = [row.marker.strip(), row.pod, row.owner, row.verdict, row.replacement]
            fits = fits and page.add_if_fits(
                [_format_line([*(format_code(cell, 200) for cell in cells), format_code(row.reasons, 500)])], _TABLES
            )
            shown += fits
        page.add_lines([""])
        if hidden := len(rows) - shown:
            page.add_lines([messages.count_hidden_pods(hidden), ""])
    lines = [f"{heading}: {text}" for heading, text in pods.iter_remarks(step.evictions)]
    page.add_lines([*(f"- {format_code(line, 500)}" for line in lines[:_LINES]), ""])
    return fits


def _format_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _format_row(row: CoverageRow, *, compares: bool) -> str:
    numbers = ["-" if number is None else f"{number}{'?' if row.is_unsure else ''}" for number in row.counts]
    tolerates = [] if compares else [format_code(row.tolerates)]
    return _format_line(
        [
            format_code(row.marker.strip()),
            format_code(row.name, 200),
            str(row.node_count),
            *numbers,
            *tolerates,
            format_code(row.reasons, 500),
        ]
    )


def format_code(text: str, max_length: int = 300) -> str:
    r"""The text as a code span; "" for none. A backtick and a pipe are written as `\x60` and `\x7c`."""
    text = clip(escape_unprintable(text), max_length).replace("`", r"\x60").replace("|", r"\x7c").strip()
    return f"`{text}`" if text else ""


def _format_word(text: str) -> str:
    """A few letters as they are, anything else as code."""
    return text if len(text) < 50 and text.replace("-", "").replace(" ", "").isalpha() else format_code(text)


def _format_group(group: FindingGroup, steps: int) -> list[str]:
    finding = group.first
    where = f" at {_format_html_code(format_location(finding.location))}" if finding.location and len(group.members) == 1 else ""
    step = messages.number_finding_step(finding.step, steps) if steps > 1 and finding.step else ""
    subject = str(finding.subject) if len(group.members) == 1 else shape.describe_group(group)
    heading = f"{finding.severity} {_format_html_code(format_title(finding))}: {_format_html_code(subject)}{where}{step}"
    return _format_details(heading, shape.draw_group(group, Ink(False), 0), most=_LINES if len(group.members) == 1 else _GROUP_LINES)


def _fold_lines(heading: str, lines: Iterable[str]) -> list[str]:
    """What is no finding, folded: it takes no more than about 4,000 characters."""
    return _format_details(escape(heading), (f"- {line}" for line in lines), 200)


def _format_details(heading: str, lines: Iterable[str], max_length: int = 500, *, most: int = _LINES) -> list[str]:
    """A part that is folded: a block of code, whose lines all begin with a word of ours or with a gutter."""
    kept = [clip(escape_unprintable(line), max_length) for line in lines]
    if len(kept) > most:
        kept[most:] = [messages.count_more_lines(len(kept) - most)]
    return [f"<details><summary>{heading}</summary>", "", "```text", *kept, "```", "</details>", ""]


def _format_html_code(text: str) -> str:
    """The text as code of HTML, inside of which Markdown is not read: `<summary>` is such a place."""
    return f"<code>{escape(clip(escape_unprintable(text), 200))}</code>"
