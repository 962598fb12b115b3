"""The top of the page: the verdict that the text begins with, before anything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from preflight.messages import html as words
from preflight.messages.verdict import describe_fact, describe_verdict
from preflight.model.report import Report, Severity
from preflight.report.groups import FindingGroup
from preflight.report.html.cards import SEVERITY_SIGNS, describe_card, format_step
from preflight.report.html.findings import group_answers
from preflight.report.html.tiles import Tile, list_tiles
from preflight.report.summary import format_checked, format_cluster, format_skipped, format_unread
from preflight.report.verdict import decide_verdict

MOST_LINES = 6
"""How many groups of findings stand at the top at most."""


class WorstFinding(NamedTuple):
    """A group of findings in one line, which leads to the whole by its `number`; `subject` is the object of a single one, else ""."""

    sign: str
    number: int
    subject: str
    message: str
    step: str


class Doubt(NamedTuple):
    """What makes the answers less than sure; where there is more to read, the text leads to the part of the page called `target`."""

    text: str
    sign: str = ""
    target: str = ""


class SummaryView(NamedTuple):
    """The top of the page.

    1. `verdict` is the first fact of the sentence that the text begins with, `facts` are the others.
    2. `story` is what is broken, worst first, where a step tells it: it stands in the place of the worst findings.
    """

    sign: str
    verdict: str
    facts: list[str]
    command: str
    cluster: str
    headline: str
    tiles: list[Tile]
    story: tuple[str, ...]
    worst: list[WorstFinding]
    more_findings: str
    doubts: list[Doubt]


def format_page_title(report: Report) -> str:
    """What a tab of the browser says: the verdict, and the command."""
    return words.title_page(describe_verdict(decide_verdict(report)), report.command)


def make_summary_view(report: Report) -> SummaryView:
    """The top of the page, without anything that the report does not say."""
    verdict = decide_verdict(report)
    first, *others = map(describe_fact, verdict.facts)
    groups = [group for group in group_answers(report) if group.severity is not Severity.NOTE]
    hidden_count = sum(group.finding_count for group in groups[MOST_LINES:])
    story = (report.steps[0].story or ()) if len(report.steps) == 1 else ()
    return SummaryView(
        sign=str(verdict.sign),
        verdict=first,
        facts=others,
        command=report.command,
        cluster=format_cluster(report.cluster) if report.cluster is not None else "",
        headline=report.steps[0].headline if len(report.steps) == 1 and report.command else "",
        tiles=list_tiles(report),
        story=story,
        worst=[] if story else _make_worst(report, groups[:MOST_LINES]),
        more_findings=words.count_more_findings(hidden_count) if hidden_count else "",
        doubts=list(_iter_doubts(report)),
    )


def _make_worst(report: Report, groups: Sequence[FindingGroup]) -> list[WorstFinding]:
    """The worst findings in a line each."""
    numbers = {id(finding): number for number, finding in enumerate(report.findings, 1)}
    return [
        WorstFinding(
            sign=SEVERITY_SIGNS[group.severity],
            number=numbers[id(group.first)],
            subject=str(group.first.subject) if len(group.members) == 1 else "",
            message=describe_card(group),
            step=format_step(report, group.first),
        )
        for group in groups
    ]


def _iter_doubts(report: Report) -> Iterator[Doubt]:
    """What a reader must know before believing the verdict."""
    yield Doubt(f"{format_checked(report)}.")
    if text := format_unread(report):
        yield Doubt(text, "?", "problems")
    elif report.problems:
        yield Doubt(words.count_unread_things(len(report.problems)), "?", "problems")
    if report.exit == 4:
        yield Doubt(words.OTHER_RULES_RAN, "?")
    yield from map(Doubt, report.assumptions)
    if text := format_skipped(report):
        yield Doubt(text, target="basis")
    if exempted := sum(finding.exempted is not None and finding.role.is_about_change for finding in report.findings):
        yield Doubt(words.count_exempted(exempted), target="findings")
