"""The top of the page: what is lost where, before anything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from preflight.model.report import Coverage, Outcome, Report, Severity
from preflight.report.ci_annotation import open_findings
from preflight.report.formatting import count
from preflight.report.html.classes import Classes
from preflight.report.html.escaping import CLASSES, code, counted, mark, number, safe
from preflight.report.html.findings import SIGNS
from preflight.report.summary import cluster, judged, unread

MOST_LINES = 6
"""How many findings the story tells at most."""

_LOST = (Outcome.LOST_NOW, Outcome.LOST_ON_RECREATION, Outcome.LOOP)
_TILES: tuple[tuple[str, str, Outcome], ...] = (
    ("x", "lost now", Outcome.LOST_NOW),
    ("x", "lost on re-creation", Outcome.LOST_ON_RECREATION),
    ("x", "in a loop", Outcome.LOOP),
    ("?", "unknown", Outcome.UNKNOWN),
    ("!", "already fragile", Outcome.ALREADY_FRAGILE),
    ("!", "missing", Outcome.MISSING),
    ("!", "not Ready", Outcome.NOT_READY),
    ("!", "with a node gone", Outcome.NODE_GONE),
    ("!", "kept out by a taint", Outcome.NEVER),
    ("+", "gained", Outcome.GAINED),
    ("=", "kept", Outcome.KEPT),
)


class Verdict(NamedTuple):
    """The marker of a page, and its first sentence."""

    sign: str
    text: str


class Tile(NamedTuple):
    """A number at the top, and what it counts."""

    sign: str
    value: int
    words: str
    below: str = ""

    def __str__(self) -> str:
        small = f"<small>{self.below}</small>" if self.below else ""
        return f"<li class={CLASSES[self.sign]}>{mark(self.sign)}<strong>{number(self.value)}</strong><span>{self.words}{small}</span></li>"


def verdict(report: Report) -> Verdict:
    """The worst that a report says, in one sentence.

    1. DaemonSets that lose a node come first, whether or not a finding is exempted; then ordinary pods that are stuck or lost for good;
       then errors, unknown answers, and warnings.
    2. "Nothing is lost" is said only where pairs were judged and all answers are known; where nothing was judged, this is the sentence.
    """
    lost = [each for each in _coverage(report) if each.outcome in _LOST]
    errors = sum(each.severity is Severity.ERROR for each in open_findings(report))
    warnings = sum(each.severity is Severity.WARNING for each in open_findings(report))
    if lost:
        return Verdict("x", _losing(lost, compares=any(step.compares for step in report.steps)))
    if text := _stuck(report):
        return Verdict("x", text)
    if errors:
        return Verdict("x", f"{count(errors, 'error')} found")
    if report.exit == 4:
        return Verdict("?", "A rule crashed: this report is not complete")
    if not (report.judged.objects or report.judged.daemonsets or report.judged.pairs or report.findings):
        return Verdict("?", "Nothing was judged")
    if report.exit == 3 or report.problems or _unknown(report):
        return Verdict("?", "Not everything is known")
    fine = "No DaemonSet loses a node" if any(each.outcome is not Outcome.EXCLUDED for each in _coverage(report)) else "No errors"
    if warnings:
        return Verdict("!", f"{fine}; {count(warnings, 'warning')}")
    return Verdict("=", fine if fine != "No errors" or open_findings(report) else "No findings")


def title(report: Report) -> str:
    """What a tab of the browser says: the verdict, and the command."""
    return f"preflight: {verdict(report).text}{f' · {report.command}' if report.command else ''}"


def section(report: Report, classes: Classes, all_rows: bool) -> Iterator[str]:
    """The verdict, what it is about, its numbers, the worst findings as a list, and what makes it less than sure."""
    del all_rows
    found = verdict(report)
    yield f'<header class="story {CLASSES[found.sign]}"><p class=brand>preflight</p>'
    yield f"<h1>{mark(found.sign)}<span>{safe(found.text)}</span></h1>"
    yield "<p class=command>" + (code(report.command) if report.command else "no change: judged as it is")
    if report.cluster is not None:
        yield f" <span class=cluster>{safe(cluster(report.cluster))}</span>"
    yield "</p>"
    if len(report.steps) == 1 and report.steps[0].headline and report.command:
        yield f"<p class=headline>{safe(report.steps[0].headline)}</p>"
    if tiles := sorted(_tiles(report), key=lambda tile: "x?!+i=".index(tile.sign)):
        yield f"<ul class=tiles>{''.join(map(str, tiles))}</ul>"
    yield from _worst(report, classes)
    if doubts := list(_doubts(report)):
        yield f"<ul class=doubts>{''.join(f'<li>{each}</li>' for each in doubts)}</ul>"
    yield "</header>"


def _coverage(report: Report) -> Iterator[Coverage]:
    return (each for step in report.steps for each in step.coverage)


def _keys(rows: Sequence[Coverage]) -> set[tuple[str, str]]:
    return {(each.daemonset, each.place) for each in rows}


def _losing(lost: Sequence[Coverage], *, compares: bool) -> str:
    names = sorted(_keys(lost))
    nodes = {node for each in lost for node in each.nodes}
    who = names[0][0] if len(names) == 1 else f"{number(len(names))} DaemonSets"
    where = min(nodes) if len(nodes) == 1 else f"{number(len(nodes))} nodes"
    if all(each.outcome is Outcome.LOOP for each in lost):
        return f"{who} {'loops' if len(names) == 1 else 'loop'} on {where}"
    verb = ("has lost" if len(names) == 1 else "have lost") if compares else "loses" if len(names) == 1 else "lose"
    return f"{who} {verb} {where}{_when({each.outcome for each in lost}, compares, len(names))}"


def _when(outcomes: set[Outcome], compares: bool, number_lost: int) -> str:
    if compares or len(outcomes) > 1:
        return ""
    whose = "its" if number_lost == 1 else "their"
    return " now" if Outcome.LOST_NOW in outcomes else f" when {whose} pods are re-created"


def _stuck(report: Report) -> str:
    """What becomes of ordinary pods, where some are stuck or lost for good; else ""."""
    for step in report.steps:
        if step.evictions is None:
            continue
        pods = [each for node in step.evictions.nodes for each in node.pods]
        blocked = sum(each.verdict == "blocked-for-ever" for each in pods)
        lost = sum(each.leaves and each.lost for each in pods)
        parts = [f"{count(blocked, 'pod')} blocked for ever"] if blocked else []
        parts += [f"{count(lost, 'pod')} lost for good"] if lost else []
        if any(node.refusals for node in step.evictions.nodes):
            return "kubectl refuses this drain"
        if step.evictions.way == "drain" and step.evictions.ends is False:
            return "; ".join(["This drain never ends", *parts])
        if parts:
            return ", ".join(parts)
    return ""


def _unknown(report: Report) -> bool:
    if any(each.outcome is Outcome.UNKNOWN for each in _coverage(report)):
        return True
    return any(step.evictions is not None and step.evictions.is_unknown for step in report.steps)


def _tiles(report: Report) -> Iterator[Tile]:
    """A number for each outcome that there is: DaemonSets by the worst that happens to them in any step, so that each counts once.

    Where no DaemonSet was judged, the findings are counted instead.
    """
    worst: dict[tuple[str, str], Outcome] = {}
    nodes: dict[tuple[tuple[str, str], Outcome], set[str]] = {}
    for each in _coverage(report):
        key = (each.daemonset, each.place)
        worst[key] = min(worst.get(key, each.outcome), each.outcome, key=lambda outcome: outcome.rank)
        nodes.setdefault((key, each.outcome), set()).update(each.nodes)
    compares = any(step.compares for step in report.steps)
    for sign, words, asked in _TILES:
        if keys := [key for key, outcome in worst.items() if outcome is asked]:
            where = len({node for key in keys for node in nodes[key, asked]})
            told = words.removesuffix(" now") if compares else words
            yield Tile(sign, len(keys), f"DaemonSet{'' if len(keys) == 1 else 's'} {told}", f"on {counted(where, 'node')}")
    yield from (Tile(sign, value, f"pod{'' if value == 1 else 's'} {words}") for sign, words, value in _pods(report) if value)
    for severity in Severity if not worst else ():
        found = [each.rule for each in open_findings(report) if each.severity is severity]
        if found:
            words = f"{severity}{'' if len(found) == 1 else 's'}"
            yield Tile(SIGNS[severity], len(found), words, f"of {counted(len(set(found)), 'rule')}")


def _pods(report: Report) -> Iterator[tuple[str, str, int]]:
    pods = [each for step in report.steps if step.evictions for node in step.evictions.nodes for each in node.pods]
    yield "x", "blocked for ever", sum(each.verdict == "blocked-for-ever" for each in pods)
    yield "x", "lost for good", sum(each.leaves and each.lost for each in pods)
    yield "x", "Pending afterwards", sum(each.leaves and each.replacement == "pending" for each in pods)
    yield "x", "refused by kubectl", sum(each.verdict == "refused" for each in pods)
    yield "!", "blocked for now", sum(each.verdict == "blocked-now" for each in pods)
    yield "?", "unknown", sum(each.verdict == "unknown" for each in pods)
    yield "=", "going", sum(each.leaves for each in pods)


def _worst(report: Report, classes: Classes) -> Iterator[str]:
    """The worst findings in a line each, which leads to the whole."""
    del classes
    ids = {id(each): at for at, each in enumerate(report.findings, 1)}
    found = [each for each in open_findings(report) if each.severity is not Severity.NOTE]
    if not found:
        return
    yield "<ol class=worst>"
    for each in found[:MOST_LINES]:
        step = f" <span class=step>step {each.step} of {len(report.steps)}</span>" if len(report.steps) > 1 and each.step else ""
        link = f'<a href="#f{ids[id(each)]}">{code(str(each.subject), 200)}</a>'
        yield f"<li>{mark(SIGNS[each.severity])}{link} {safe(each.message, 400)}{step}</li>"
    if more := found[MOST_LINES:]:
        yield f'<li class=more><a href="#findings">{count(len(more), "more finding")}</a></li>'
    yield "</ol>"


def _doubts(report: Report) -> Iterator[str]:
    """What a reader must know before believing the verdict."""
    yield safe(judged(report)) + "."
    if text := unread(report):
        yield f'{mark("?")}<a href="#problems">{safe(text)}</a>'
    elif report.problems:
        yield f'{mark("?")}<a href="#problems">{count(len(report.problems), "thing")} could not be read</a>'
    unknown = sum(len(each.nodes) for each in _coverage(report) if each.outcome is Outcome.UNKNOWN)
    if unknown:
        yield f"{mark('?')}{count(unknown, 'pair')} of a DaemonSet and a node cannot be judged"
    if report.exit == 4:
        yield f"{mark('?')}a rule crashed: the other rules went on"
    yield from map(safe, report.assumptions)
    if report.skipped:
        yield f'<a href="#basis">{count(len(report.skipped), "thing")} not judged</a>'
    if exempted := sum(each.exempted is not None for each in report.findings):
        yield f'<a href="#findings">{count(exempted, "finding")} exempted</a>'
