"""The report as one HTML page that needs no network: for a person, to read, to filter, to print and to keep."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from preflight.model.report import Report
from preflight.report.html import assumptions, chain, coverage, findings, nodes, summary
from preflight.report.html.classes import PageNodeClasses, make_node_classes
from preflight.report.html.page import render_page

SECTIONS: tuple[Callable[[Report, PageNodeClasses, bool], Iterator[str]], ...] = (
    summary.render_section,
    chain.render_section,
    coverage.render_section,
    findings.render_section,
    nodes.render_section,
    assumptions.render_section,
)
"""What the page is made of, in its order: each part answers pieces of HTML, and none where it has nothing to say."""


def render(report: Report, *, all_rows: bool = False, **_options: object) -> str:
    """The report as a page of HTML, complete in itself: style, script and drawings are in it, and nothing is asked from elsewhere.

    1. The verdict and its numbers come first; then `--why` where it was asked for, the steps with their coverage and their ordinary
       pods, the findings, the names of the nodes, and what all this rests on.
    2. It is read without its script, which only filters, and opens what is folded for a printer.
    3. Everything that came from the input is escaped, and nothing from it is a link, an id, a class or an attribute of another kind.
    4. The columns are classes of nodes that share every answer, so that the size hardly depends on how many nodes there are. What is cut
       (pods of large drains, unless `all_rows`) is counted where it would stand.
    5. The same report gives the same bytes.
    """
    classes = make_node_classes(report.steps)
    return render_page(summary.format_page_title(report), (piece for section in SECTIONS for piece in section(report, classes, all_rows)))
