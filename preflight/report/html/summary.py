"""The top of the page: what is lost where, before anything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from preflight.messages import html as words
from preflight.messages.verdict import describe_verdict
from preflight.model.evictions import EvictionVerdict, ReplacementOutcome
from preflight.model.report import Coverage, Finding, Outcome, Report, Severity
from preflight.report.ci_annotation import select_open_findings
from preflight.report.html.escaping import format_grouped_count
from preflight.report.html.findings import SEVERITY_SIGNS, format_step
from preflight.report.summary import format_checked, format_cluster, format_unread
from preflight.report.table import MARKERS
from preflight.report.verdict import decide_verdict

MOST_LINES = 6
"""How many findings the story tells at most."""

_TILE_SIGNS = {**MARKERS, Outcome.KEPT: "="}
"""The outcomes in the order of their tiles."""


class Tile(NamedTuple):
    """A number at the top, and what it counts."""

    sign: str
    value: int
    label: str
    detail: str = ""


class WorstFinding(NamedTuple):
    """A finding in one line, which leads to the whole by its `number`."""

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
    """The verdict, what it is about, its numbers, the worst findings and how many more there are, and what makes it less than sure."""

    sign: str
    verdict: str
    command: str
    cluster: str
    headline: str
    tiles: list[Tile]
    worst: list[WorstFinding]
    more_findings: str
    doubts: list[Doubt]


def format_page_title(report: Report) -> str:
    """What a tab of the browser says: the verdict, and the command."""
    return words.title_page(describe_verdict(decide_verdict(report)), report.command)


def make_summary_view(report: Report) -> SummaryView:
    """The top of the page, without anything that the report does not say."""
    verdict = decide_verdict(report)
    open_findings = [finding for finding in select_open_findings(report) if finding.severity is not Severity.NOTE]
    hidden_count = len(open_findings) - MOST_LINES
    return SummaryView(
        sign=str(verdict.sign),
        verdict=describe_verdict(verdict),
        command=report.command,
        cluster=format_cluster(report.cluster) if report.cluster is not None else "",
        headline=report.steps[0].headline if len(report.steps) == 1 and report.command else "",
        tiles=sorted(_iter_tiles(report), key=lambda tile: "x?!+i=".index(tile.sign)),
        worst=_make_worst(report, open_findings[:MOST_LINES]),
        more_findings=words.count_more_findings(hidden_count) if hidden_count > 0 else "",
        doubts=list(_iter_doubts(report)),
    )


def _iter_coverage(report: Report) -> Iterator[Coverage]:
    return (row for step in report.steps for row in step.coverage)


def _iter_tiles(report: Report) -> Iterator[Tile]:
    """A number for each outcome that there is: DaemonSets by the worst that happens to them in any step, so that each counts once.

    Where no DaemonSet was judged, the findings are counted instead.
    """
    worst: dict[tuple[str, str], Outcome] = {}
    nodes: dict[tuple[tuple[str, str], Outcome], set[str]] = {}
    for row in _iter_coverage(report):
        key = (row.daemonset, row.place)
        worst[key] = min(worst.get(key, row.outcome), row.outcome, key=lambda outcome: outcome.rank)
        nodes.setdefault((key, row.outcome), set()).update(row.nodes)
    compares = any(step.compares for step in report.steps)
    for asked, sign in _TILE_SIGNS.items():
        if keys := [key for key, outcome in worst.items() if outcome is asked]:
            where = len({node for key in keys for node in nodes[key, asked]})
            label = words.label_daemonset_tile(len(keys), (words.PAST_TILE_LABELS if compares else words.TILE_LABELS)[asked])
            yield Tile(sign, len(keys), label, words.label_nodes(format_grouped_count(where, "node")))
    yield from (Tile(sign, value, words.label_pod_tile(value, what)) for sign, what, value in _iter_pod_counts(report) if value)
    for severity in Severity if not worst else ():
        found = [open_finding.rule for open_finding in select_open_findings(report) if open_finding.severity is severity]
        if found:
            label = f"{severity}{'' if len(found) == 1 else 's'}"
            yield Tile(SEVERITY_SIGNS[severity], len(found), label, words.label_rules(format_grouped_count(len(set(found)), "rule")))


def _iter_pod_counts(report: Report) -> Iterator[tuple[str, str, int]]:
    pods = [pod for step in report.steps if step.evictions for node in step.evictions.nodes for pod in node.pods]
    yield "x", words.BLOCKED_FOREVER, sum(eviction.verdict is EvictionVerdict.BLOCKED_FOREVER for eviction in pods)
    yield "x", words.LOST_FOR_GOOD, sum(pod.is_leaving and pod.lost for pod in pods)
    yield "x", words.PENDING_AFTERWARDS, sum(pod.is_leaving and pod.replacement is ReplacementOutcome.PENDING for pod in pods)
    yield "x", words.REFUSED_BY_KUBECTL, sum(pod.verdict is EvictionVerdict.REFUSED for pod in pods)
    yield "!", words.BLOCKED_FOR_NOW, sum(pod.verdict is EvictionVerdict.BLOCKED_NOW for pod in pods)
    yield "?", words.UNKNOWN, sum(pod.verdict is EvictionVerdict.UNKNOWN for pod in pods)
    yield "=", words.GOING, sum(pod.is_leaving for pod in pods)


def _make_worst(report: Report, findings: Sequence[Finding]) -> list[WorstFinding]:
    """The worst findings in a line each."""
    numbers = {id(finding): number for number, finding in enumerate(report.findings, 1)}
    return [
        WorstFinding(
            sign=SEVERITY_SIGNS[finding.severity],
            number=numbers[id(finding)],
            subject=str(finding.subject),
            message=finding.message,
            step=format_step(report, finding),
        )
        for finding in findings
    ]


def _iter_doubts(report: Report) -> Iterator[Doubt]:
    """What a reader must know before believing the verdict."""
    yield Doubt(f"{format_checked(report)}.")
    if text := format_unread(report):
        yield Doubt(text, "?", "problems")
    elif report.problems:
        yield Doubt(words.count_unread_things(len(report.problems)), "?", "problems")
    unknown = sum(len(row.nodes) for row in _iter_coverage(report) if row.outcome is Outcome.UNKNOWN)
    if unknown:
        yield Doubt(words.count_unknown_pairs(unknown), "?")
    if report.exit == 4:
        yield Doubt(words.OTHER_RULES_RAN, "?")
    yield from map(Doubt, report.assumptions)
    if report.skipped:
        yield Doubt(words.count_unjudged_things(len(report.skipped)), target="basis")
    if exempted := sum(finding.exempted is not None for finding in report.findings):
        yield Doubt(words.count_exempted(exempted), target="findings")
