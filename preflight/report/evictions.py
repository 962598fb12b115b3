"""The tables of ordinary pods that have to go: one a node, in the order in which it is done, and what to do first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from preflight.messages import eviction_report as messages
from preflight.messages.evictions import describe_advice, describe_assumption, describe_obstacles, iter_row_reasons
from preflight.messages.jobs import describe_job_reason, describe_unknown
from preflight.messages.lists import format_names
from preflight.messages.times import format_seconds
from preflight.model.eviction_reasons import EndReason
from preflight.model.evictions import (
    Eviction,
    EvictionMechanism,
    EvictionReport,
    EvictionVerdict,
    JobOutcome,
    JobSetOutcome,
    NodeEvictions,
    ReplacementOutcome,
)
from preflight.model.job_reasons import JobSetRestarts

MOST_ROWS = 30
_MARKERS = {
    EvictionVerdict.BLOCKED_FOREVER: "x",
    EvictionVerdict.REFUSED: "x",
    EvictionVerdict.UNKNOWN: "?",
    EvictionVerdict.BLOCKED_NOW: "!",
    EvictionVerdict.HELD: "!",
    EvictionVerdict.WAITS: "!",
}
_COUNTED_VERDICTS = (
    EvictionVerdict.BLOCKED_FOREVER,
    EvictionVerdict.BLOCKED_NOW,
    EvictionVerdict.REFUSED,
    EvictionVerdict.HELD,
    EvictionVerdict.WAITS,
    EvictionVerdict.UNKNOWN,
)
MARKER_ORDER = "x?! "
_METHOD_TEXTS = {
    EvictionMechanism.DRAIN: "drain",
    EvictionMechanism.DELETION: messages.BY_DELETION,
    EvictionMechanism.TAINT: messages.BY_TAINT,
    EvictionMechanism.SHUTDOWN: messages.BY_SHUTDOWN,
    EvictionMechanism.GONE: messages.BY_LOSS,
}

Remark = tuple[str, str]
"""A heading and a text."""


class EvictionRow(NamedTuple):
    """A pod in the table of its node; `replacement` is what becomes of its replacement."""

    marker: str
    pod: str
    owner: str
    verdict: str
    replacement: str
    reasons: str


def make_eviction_rows(node: NodeEvictions) -> list[EvictionRow]:
    """The rows of a node: what blocks or is lost first, else in order."""
    rows = [make_eviction_row(pod) for pod in node.pods]
    return sorted(rows, key=lambda row: MARKER_ORDER.index(row.marker))


def make_eviction_row(eviction: Eviction) -> EvictionRow:
    """The row of a pod."""
    marker = _MARKERS.get(eviction.verdict, " ")
    if eviction.is_leaving and (eviction.lost or eviction.replacement is ReplacementOutcome.PENDING):
        marker = "x"
    elif eviction.is_leaving and eviction.hang is not None:
        marker = "x" if eviction.hang.certain else "?"
    elif eviction.is_leaving and eviction.replacement is ReplacementOutcome.UNKNOWN and marker == " ":
        marker = "?"
    elif eviction.is_leaving and (eviction.last or eviction.replacement is ReplacementOutcome.NONE) and marker == " ":
        marker = "!"
    return EvictionRow(
        marker,
        eviction.pod,
        str(eviction.owner or "-"),
        _format_verdict(eviction),
        _format_replacement(eviction),
        "; ".join(iter_row_reasons(eviction)),
    )


def _format_verdict(eviction: Eviction) -> str:
    words = messages.VERDICT_WORDS.get(eviction.verdict, eviction.verdict.value)
    if eviction.leaves_unless_covered:
        return messages.EVICTED_UNLESS_COVERED
    if eviction.is_leaving and eviction.lost:
        return messages.describe_lost_pod(words)
    if eviction.verdict is EvictionVerdict.DELETED and isinstance(eviction.why, EndReason):
        return messages.describe_delay(eviction.after) if eviction.after else messages.DELETED_NOW
    return words


def _format_replacement(eviction: Eviction) -> str:
    if eviction.replacement is ReplacementOutcome.FITS:
        return format_names(eviction.where, 2)
    return {ReplacementOutcome.PENDING: "Pending", ReplacementOutcome.UNKNOWN: "?"}.get(eviction.replacement, "-")


def format_node_heading(evictions: EvictionReport, node: NodeEvictions) -> str:
    """What becomes of a node, in one line."""
    going = sum(pod.is_leaving for pod in node.pods)
    uncovered = sum(pod.leaves_unless_covered for pod in node.pods)
    parts = [messages.count_leaving_pods(going, len(node.pods) - uncovered)] if going or not uncovered else []
    parts += [messages.count_unless_covered(uncovered)] if uncovered else []
    for verdict in _COUNTED_VERDICTS:
        number = sum(eviction.verdict is verdict and not eviction.leaves_unless_covered for eviction in node.pods)
        if number and verdict is not EvictionVerdict.WAITS:
            parts.append(f"{number} {messages.VERDICT_WORDS.get(verdict, verdict.value)}")
        elif number:
            parts.append(messages.count_waiting(number))
    if node.pods and all(pod.why is EndReason.OUT_OF_SERVICE for pod in node.pods):
        parts.append(messages.BY_COLLECTION)
    elif evictions.way is not EvictionMechanism.DRAIN:
        parts.append(_METHOD_TEXTS[evictions.way])
    elif not node.reached:
        parts.append(messages.NOT_REACHED)
    elif node.ends is not True:
        parts.append(messages.NEVER_ENDS_HERE if node.ends is False else _explain_open_end(node.pods))
    elif node.least is not None and going and not node.refusals:
        parts.append(_format_duration(node.least, node.withGrace))
    return f"{node.node or messages.ON_NO_NODE}: {', '.join(parts)}"


def _explain_open_end(pods: Sequence[Eviction]) -> str:
    """What it depends on when kubectl ends: on what is unknown, else on replacements."""
    if any(pod.verdict is EvictionVerdict.UNKNOWN or (pod.is_leaving and pod.hang is not None) for pod in pods):
        return messages.END_UNKNOWN
    return messages.ENDS_WITH_REPLACEMENTS


def _format_duration(least: float, grace: float | None) -> str:
    if grace is None or grace <= least:
        return messages.describe_least_time(format_seconds(least))
    return messages.describe_times(format_seconds(least), format_seconds(grace))


def format_staying(node: NodeEvictions) -> str:
    """The pods that stay for what they are; "" where there are none."""
    parts = []
    if node.daemonsets:
        parts.append(messages.count_daemonset_pods(node.daemonsets))
    if node.static:
        parts.append(messages.describe_static_pods(node.static))
    if node.staying:
        parts.append(messages.count_other_pods(node.staying))
    return messages.describe_staying(parts, is_one=node.daemonsets + len(node.static) + node.staying == 1) if parts else ""


def format_total(evictions: EvictionReport) -> str:
    """What all nodes come to."""
    pods = [pod for node in evictions.nodes for pod in node.pods]
    going = sum(eviction.is_leaving for eviction in pods)
    parts = [messages.count_all_leaving_pods(going, len(evictions.nodes))]
    for words, number in (
        (messages.LOST, sum(pod.is_leaving and pod.lost for pod in pods)),
        (messages.PENDING, sum(pod.is_leaving and pod.replacement is ReplacementOutcome.PENDING for pod in pods)),
        (messages.BLOCKED_FOREVER, sum(pod.verdict is EvictionVerdict.BLOCKED_FOREVER for pod in pods)),
        (messages.BLOCKED_NOW, sum(pod.verdict is EvictionVerdict.BLOCKED_NOW for pod in pods)),
        (messages.REFUSED, sum(pod.verdict is EvictionVerdict.REFUSED for pod in pods)),
        (messages.UNLESS_COVERED, sum(pod.leaves_unless_covered for pod in pods)),
        (messages.UNKNOWN, sum(pod.verdict is EvictionVerdict.UNKNOWN and not pod.leaves_unless_covered for pod in pods)),
    ):
        if number:
            parts.append(f"{number} {words}")
    if evictions.way is EvictionMechanism.DRAIN:
        if evictions.ends is not True:
            parts.append(messages.NEVER_ENDS if evictions.ends is False else _explain_open_end(pods))
        elif evictions.least is not None:
            parts.append(_format_duration(evictions.least, evictions.withGrace))
    elif evictions.ends is False:
        parts.append(messages.NEVER_ENDS)
    return ", ".join(parts)


def iter_outcomes(evictions: EvictionReport) -> Iterator[Remark]:
    """What becomes of Jobs, of JobSets, and of DaemonSets whose pods come back."""
    yield from (("Job", _format_job(job)) for job in evictions.jobs)
    yield from (("JobSet", _format_job_set(job_set)) for job_set in evictions.jobSets)
    for node in evictions.nodes:
        for pod in node.returning:
            yield "DaemonSet", messages.describe_no_return(pod.daemonset, node.node, describe_obstacles(pod.obstacles))


def iter_notes(evictions: EvictionReport) -> Iterator[Remark]:
    """What the answer rests on."""
    return (("note", describe_assumption(note)) for note in evictions.notes)


def iter_remarks(evictions: EvictionReport) -> Iterator[Remark]:
    """What it rests on, what all nodes come to, the outcomes, and what to do first."""
    yield from iter_notes(evictions)
    yield "total", format_total(evictions)
    yield from iter_outcomes(evictions)
    yield from (("first", describe_advice(advice)) for advice in evictions.first)


def _format_job(forecast: JobOutcome) -> str:
    lost = messages.describe_lost_pods(forecast.job, len(forecast.pods))
    if forecast.unknown:
        return messages.describe_unknown_fate(lost, describe_unknown(forecast.unknown))
    parts = []
    if forecast.fails:
        parts.append(messages.describe_failure(forecast.fails, is_certain=forecast.certain))
    elif forecast.limit:
        parts.append(messages.describe_counted_loss(forecast.limit))
    else:
        parts.append(messages.GOES_ON)
    if forecast.overlap and not (forecast.fails and forecast.certain):
        what = messages.OF_ONE_INDEX if forecast.indexed else ""
        parts.append(messages.describe_overlap(what, format_seconds(forecast.overlap)))
    return "; ".join([messages.describe_effect(lost, parts[0]), *parts[1:], *map(describe_job_reason, forecast.reasons)])


def _format_job_set(forecast: JobSetOutcome) -> str:
    if forecast.unknown:
        return messages.describe_unknown_fate(forecast.jobSet, describe_unknown(forecast.unknown))
    what = messages.GOES_ON
    if forecast.fails:
        what = messages.describe_failure(forecast.fails, is_certain=forecast.certain)
    elif forecast.restarts is not JobSetRestarts.NONE:
        which = messages.ALL_JOBS if forecast.restarts is JobSetRestarts.ALL else messages.ONE_JOB
        what = messages.describe_restart(forecast.certain, which, forecast.left)
    return "; ".join([f"{forecast.jobSet} {what}", *map(describe_job_reason, forecast.reasons)])
