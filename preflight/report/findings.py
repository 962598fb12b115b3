"""One finding as rustc and ruff show theirs: what, where, the source line, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from preflight.model.report import Finding, Location
from preflight.report.formatting import format_headline, format_location
from preflight.report.terminal import Ink, count_columns, escape_unprintable, fold

_MOST_SOURCE = 120


def draw_finding(finding: Finding, ink: Ink, width: int, *, short: bool = False) -> Iterator[str]:
    """The lines of one finding.

    1. The source line stands in a gutter with its number, a caret under the column, and the label behind the caret. Of a long line
       the part around the column is shown: 120 characters, or what fits into `width` (0 means no limit).
    2. Where the source is not known, the label is a note.
    3. Notes, related places and the fix follow; their headings are padded so that the texts line up. The fix is never folded.
    4. `short` leaves out all but what and where.
    """
    sort, text = format_headline(finding)
    first, *rest = fold(sort + text, width)
    yield ink(sort, finding.severity) + ink(first.removeprefix(sort), "strong")
    yield from (ink(line, "strong") for line in rest)
    location = finding.location
    gutter = " " * (len(str(location.line)) if location and location.line else 1)
    pointed = False
    if location:
        yield f"{gutter}--> {format_location(location)}"
        if short:
            return
        if location.line and location.source.strip():
            pointed = bool(location.column)
            yield from _draw_source(finding, location, gutter, ink, width)
    texts = [("note", finding.label)] if finding.label and not pointed else []
    texts += finding.notes
    for related in finding.related:
        where = f" ({format_location(related.location)})" if related.location else ""
        texts.append(("note", f"{related.message}{where}"))
    for heading, text in texts:
        room = max(20, width - len(gutter) - 9) if width else 0
        yield from _draw_note(gutter, heading, fold(text, room), ink)
    if finding.suggestion and finding.suggestion.text:
        yield from _draw_note(gutter, "fix", finding.suggestion.text, ink)


def _draw_note(gutter: str, heading: str, lines: Iterable[str], ink: Ink) -> Iterator[str]:
    start = f"{gutter} = "
    head = f"{escape_unprintable(heading)}:"
    for at, line in enumerate(lines):
        lead = start + ink(f"{head:<5}", "strong") if at == 0 else " " * (len(start) + max(5, count_columns(head)))
        yield f"{lead} {escape_unprintable(line)}".rstrip()


def _draw_source(finding: Finding, location: Location, gutter: str, ink: Ink, width: int) -> Iterator[str]:
    most = min(_MOST_SOURCE, max(20, width - len(f"{gutter} | ......"))) if width else _MOST_SOURCE
    before, after = clip_source_line(location.source, location.column, most)
    yield f"{gutter} |"
    yield f"{location.line} | {before}{after}".rstrip()
    if location.column:
        pointer = f"^ {finding.label}".rstrip()
        yield f"{gutter} | {' ' * count_columns(before)}{ink(pointer, finding.severity)}"


def clip_source_line(source: str, column: int, max_length: int) -> tuple[str, str]:
    """What of a source line is shown before and from a 1-based column on; `...` stands for what is left out at an end."""
    at = min(max(column - 1, 0), len(source))
    start, end = 0, len(source)
    if len(source) > max_length:
        start = min(max(0, at - max_length // 3), len(source) - max_length)
        end = start + max_length
    before = ("..." if start else "") + source[start:at]
    after = source[at:end] + ("..." if end < len(source) else "")
    return escape_unprintable(before.replace("\t", "    ")), escape_unprintable(after.replace("\t", "    "))
