"""The numbers at the top of the page: DaemonSets, ordinary pods, or else findings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from preflight.messages import eviction_report as eviction_words
from preflight.messages import html as words
from preflight.model.evictions import Eviction, EvictionVerdict, ReplacementOutcome
from preflight.model.report import Outcome, Report, Severity
from preflight.report.html.cards import SEVERITY_SIGNS
from preflight.report.html.escaping import format_grouped_count
from preflight.report.table import MARKERS
from preflight.report.verdict import select_answering_findings

_SIGNS = {**MARKERS, Outcome.KEPT: "="}
"""The outcomes in the order of their tiles."""


class Tile(NamedTuple):
    """A number at the top, and what it counts."""

    sign: str
    value: int
    label: str
    detail: str = ""


def list_tiles(report: Report) -> list[Tile]:
    """The numbers, the worst first; findings are counted only where no DaemonSet was judged."""
    daemonsets = list(_iter_daemonset_tiles(report))
    pods = [pod for step in report.steps if step.evictions for node in step.evictions.nodes for pod in node.pods]
    tiles = [*daemonsets, *_iter_pod_tiles(pods), *([] if daemonsets else _iter_finding_tiles(report))]
    return sorted(tiles, key=lambda tile: "x?!+i=".index(tile.sign))


def _iter_daemonset_tiles(report: Report) -> Iterator[Tile]:
    """A number for each outcome that there is: DaemonSets by the worst that happens to them in any step, so that each counts once.

    What is kept is fine only where pods were given: else it is an assumption.
    """
    coverage = [row for step in report.steps for row in step.coverage]
    worst: dict[tuple[str, str], Outcome] = {}
    nodes: dict[tuple[tuple[str, str], Outcome], set[str]] = {}
    for row in coverage:
        key = (row.daemonset, row.place)
        worst[key] = min(worst.get(key, row.outcome), row.outcome, key=lambda outcome: outcome.rank)
        nodes.setdefault((key, row.outcome), set()).update(row.nodes)
    labels = words.TILE_LABELS
    if any(step.compares for step in report.steps):
        labels = words.PAST_TILE_LABELS
    elif not report.command or any(step.story is not None for step in report.steps):
        labels = words.STATE_TILE_LABELS
    assumed = {(row.daemonset, row.place) for row in coverage if row.assumed and row.outcome is Outcome.KEPT}
    for asked, sign in _SIGNS.items():
        if keys := [key for key, outcome in worst.items() if outcome is asked]:
            where = len({node for key in keys for node in nodes[key, asked]})
            what = labels[asked]
            is_assumed = asked is Outcome.KEPT and not assumed.isdisjoint(keys)
            label = words.label_daemonset_tile(len(keys), words.describe_assumed_tile(what) if is_assumed else what)
            yield Tile("i" if is_assumed else sign, len(keys), label, words.label_nodes(format_grouped_count(where, "node")))


def _iter_pod_tiles(pods: list[Eviction]) -> Iterator[Tile]:
    """What becomes of ordinary pods; only those that find another node are fine."""
    leaving = [pod for pod in pods if pod.is_leaving]
    found = (
        ("x", eviction_words.BLOCKED_FOREVER, sum(pod.verdict is EvictionVerdict.BLOCKED_FOREVER for pod in pods)),
        ("x", eviction_words.LOST, sum(pod.lost for pod in leaving)),
        ("x", eviction_words.PENDING, sum(pod.replacement is ReplacementOutcome.PENDING for pod in leaving)),
        ("x", words.STUCK, sum(pod.hang is not None and pod.hang.certain for pod in leaving)),
        ("x", eviction_words.REFUSED, sum(pod.verdict is EvictionVerdict.REFUSED for pod in pods)),
        ("!", eviction_words.BLOCKED_NOW, sum(pod.verdict is EvictionVerdict.BLOCKED_NOW for pod in pods)),
        ("?", eviction_words.UNKNOWN, sum(pod.verdict is EvictionVerdict.UNKNOWN for pod in pods)),
        ("?", words.UNPLACED, sum(pod.replacement is ReplacementOutcome.UNKNOWN for pod in leaving)),
        ("i", words.NOT_REPLACED, sum(pod.replacement is ReplacementOutcome.NONE and not pod.lost for pod in leaving)),
        ("=", words.PLACED, sum(pod.replacement is ReplacementOutcome.FITS and pod.hang is None for pod in leaving)),
    )
    yield from (Tile(sign, value, words.label_pod_tile(value, what)) for sign, what, value in found if value)


def _iter_finding_tiles(report: Report) -> Iterator[Tile]:
    findings = select_answering_findings(report)
    for severity in Severity:
        if found := [finding.rule for finding in findings if finding.severity is severity]:
            label = f"{severity}{'' if len(found) == 1 else 's'}"
            yield Tile(SEVERITY_SIGNS[severity], len(found), label, words.label_rules(format_grouped_count(len(set(found)), "rule")))
