"""The tolerations of all DaemonSets as a table: how each matches, and what it says to NoExecute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from preflight.inert_text import escape_unprintable
from preflight.messages.toleration_table import HEADINGS, list_toleration_rows
from preflight.model.report import Report
from preflight.report.terminal import Ink, count_columns, pad


class TolerationRow(NamedTuple):
    """One toleration of a DaemonSet, or its implicit ones; `daemonset` is "" for all but the first row of a DaemonSet."""

    daemonset: str
    tolerates: str
    no_execute: str


def make_toleration_rows(report: Report) -> list[TolerationRow]:
    """The rows of a report without a change, by DaemonSet; a file tells two of one name apart. A change has a column of its own."""
    if report.command:
        return []
    names = [tolerations.daemonset for tolerations in report.tolerations]
    rows = []
    for tolerations in report.tolerations:
        shown = tolerations.daemonset
        if names.count(shown) > 1 and tolerations.place:
            shown = f"{shown} ({tolerations.place})"
        for index, (tolerates, no_execute) in enumerate(list_toleration_rows(tolerations.tolerations)):
            rows.append(TolerationRow("" if index else shown, tolerates, no_execute))
    return rows


def draw_tolerations(report: Report, ink: Ink) -> Iterator[str]:
    """The table as lines of text."""
    rows = [TolerationRow(*map(escape_unprintable, row)) for row in make_toleration_rows(report)]
    if not rows:
        return
    names = max(count_columns(text) for text in (HEADINGS[0], *(row.daemonset for row in rows)))
    tolerates = max(count_columns(text) for text in (HEADINGS[1], *(row.tolerates for row in rows)))
    yield ink(f"  {pad(HEADINGS[0], names)}  {pad(HEADINGS[1], tolerates)}  {HEADINGS[2]}", "strong")
    for row in rows:
        yield f"  {pad(row.daemonset, names)}  {pad(row.tolerates, tolerates)}  {row.no_execute}"
