"""The report as one HTML page that needs no network: for a person, to read, to filter, to print and to keep."""

from __future__ import annotations

from typing import NamedTuple

from preflight.model.report import Report
from preflight.report.html.advice import StepAdvice, make_advice
from preflight.report.html.assumptions import BasisView, make_basis_view
from preflight.report.html.chain import ChainStep, make_chain
from preflight.report.html.classes import make_node_classes
from preflight.report.html.coverage import CoverageView, make_coverage_view
from preflight.report.html.findings import FindingsView, make_findings_view
from preflight.report.html.nodes import NodesView, make_nodes_view
from preflight.report.html.page import render_page
from preflight.report.html.summary import SummaryView, format_page_title, make_summary_view
from preflight.report.next_steps import NextStep, list_next_steps
from preflight.report.tolerations import TolerationRow, make_toleration_rows


class ReportView(NamedTuple):
    """What the page is made of, in its order: each field is what the template of its name shows. None is a section that is left out."""

    summary: SummaryView
    advice: list[StepAdvice]
    next: list[NextStep]
    chain: list[ChainStep]
    coverage: CoverageView
    tolerations: list[TolerationRow]
    findings: FindingsView | None
    nodes: NodesView | None
    basis: BasisView


def render(report: Report, *, all_rows: bool = False, **_options: object) -> str:
    """The report as a page of HTML, complete in itself: style, script and drawings are in it, and nothing is asked from elsewhere.

    1. The verdict and its numbers come first, what to do before the change begins, and what to type next; then `--why` where it was asked
       for, the steps with their coverage and their ordinary pods, with `all_rows` and without a change the tolerations of all DaemonSets,
       the findings, the names of the nodes, and what all this rests on.
    2. It is read without its script, which only filters, and opens what is folded for a printer.
    3. Everything that came from the input is escaped, and nothing from it is a link, an id, a class or an attribute of another kind.
    4. The columns are classes of nodes that share every answer, so that the size hardly depends on how many nodes there are. What is cut
       (pods of large drains, unless `all_rows`) is counted where it would stand.
    5. The same report gives the same bytes.
    """
    classes = make_node_classes(report.steps)
    view = ReportView(
        summary=make_summary_view(report),
        advice=make_advice(report),
        next=list_next_steps(report),
        chain=make_chain(report),
        coverage=make_coverage_view(report, classes, all_rows),
        tolerations=make_toleration_rows(report) if all_rows else [],
        findings=make_findings_view(report, classes),
        nodes=make_nodes_view(classes),
        basis=make_basis_view(report),
    )
    return render_page("report.html.j2", format_page_title(report), view._asdict())
