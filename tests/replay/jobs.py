"""`make replay-jobs FILE=path`: recorded Jobs that lost pods against ours, every mismatch printed.

A line is a combination of fields and a disruption. It goes the program's way: plain data to an object, its validation, and the forecast.
What is compared: acceptance, with the refusal word for word; whether the Job fails, when, with which reason, and how it ends; for each lost
pod whether and when it is replaced, and whether both were there at once; what the status counts, which indexes failed, and how many other
pods came.

Two pods that a shutdown ends may end within a second or not, which the recording does not say; the controller then sees one event or two.
Such a line is equal where all of it equals one of the two.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from preflight.model.batch import Job
from preflight.model.meta import Refusal
from preflight.scheduling.jobs.disruption import Disruption
from preflight.scheduling.jobs.forecast import JobForecast, forecast_job
from preflight.scheduling.jobs.lost_pods import SIGTERM, JobPod, PodLoss
from preflight.scheduling.jobs.validation import validate_job
from tests.builders import make_job, read_leniently

Data = dict[str, Any]

LAG = 1.0
"""Seconds to which recorded times are good."""

POLICIES: dict[str, list[Data] | None] = {
    "unset": None,
    "ignore-disruption": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}],
    "failjob-143": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [143]}}],
    "failjob-42": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}],
}
KINDS = {
    "drain": Disruption.EVICTION,
    "taint": Disruption.TAINT,
    "delete": Disruption.DELETION,
    "shutdown": Disruption.SHUTDOWN,
}
FIELDS = (
    *("completionMode", "parallelism", "completions", "backoffLimit", "backoffLimitPerIndex", "maxFailedIndexes"),
    "podReplacementPolicy",
)


class Mismatch(NamedTuple):
    """A value that differs: the line it is in, what it is, what was recorded and what we say."""

    line: str
    what: str
    recorded: object
    ours: object


class Compared(NamedTuple):
    """One line: how many values were compared, those that differ, and whether it is equal only where the pods ended apart."""

    line: str
    values: int
    mismatches: tuple[Mismatch, ...]
    apart: bool = False


def job(recorded: Data) -> Job:
    """The Job of a line, by way of plain data."""
    spec = {name: recorded[name] for name in FIELDS}
    if rules := POLICIES[recorded["podFailurePolicy"]]:
        spec["podFailurePolicy"] = {"rules": rules}
    return read_leniently(make_job("job", None, **spec), Job)


def refusal(given: Job) -> str:
    """What the API server answers, "" where it accepts."""
    reasons = [_whole(each) for each in validate_job(given.spec)]
    shown = f"[{', '.join(reasons)}]" if len(reasons) > 1 else "".join(reasons)
    return f'Job.batch "{given.metadata.name}" is invalid: {shown}' if reasons else ""


def _whole(refusal: Refusal) -> str:
    """A refusal with the whole path of its field."""
    path = "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in refusal.path).lstrip(".")
    return f"{path}:{refusal.reason.partition(':')[2]}"


def foreseen(recorded: Data, apart: float) -> JobForecast:
    """What we say of a line whose pods are lost so many seconds apart."""
    is_indexed = recorded["completionMode"] == "Indexed"
    pods = [JobPod(str(number), number if is_indexed else None, ("c",)) for number in range(recorded["parallelism"])]
    lost = recorded["disruptedIndexes"] if is_indexed else range(recorded["disruptedPods"])
    code = 0 if recorded.get("exitsZeroOnSIGTERM") else SIGTERM
    kind, seconds = KINDS[recorded["disruption"]], recorded["terminationSeconds"]
    return forecast_job(job(recorded), pods, [PodLoss(str(pod), kind, apart * place, seconds, code) for place, pod in enumerate(lost)])


def compare(recorded: Data) -> Compared:
    """One line against ours."""
    given = job(recorded)
    words = refusal(given)
    if not recorded["accepted"] or words:
        answer = ("the answer to its creation", recorded.get("message", ""), words)
        return Compared(_name(recorded), 1, tuple(_differing(recorded, [answer])))
    values = list(_values(recorded, foreseen(recorded, 0.0)))
    mismatches = tuple(_differing(recorded, values))
    may_be_apart = recorded["disruption"] == "shutdown" and recorded["disruptedPods"] > 1
    if mismatches and may_be_apart and not any(_differing(recorded, _values(recorded, foreseen(recorded, 2 * LAG)))):
        return Compared(_name(recorded), len(values), (), apart=True)
    return Compared(_name(recorded), len(values), mismatches)


def _differing(recorded: Data, values: Iterable[tuple[str, object, object]]) -> Iterator[Mismatch]:
    for what, theirs, ours in values:
        if theirs != ours:
            yield Mismatch(_name(recorded), what, theirs, ours)


def _values(recorded: Data, ours: JobForecast) -> Iterator[tuple[str, object, object]]:
    after, final = recorded["statusAfter"], recorded["statusFinal"]
    ended = next((condition["reason"] for condition in final["conditions"] or () if condition["type"] == "Failed"), "")
    early = any(each["type"] == "FailureTarget" for each in recorded["statusTwoSecondsIn"].get("conditions") or ())
    yield "whether it fails", recorded["failedByDisruption"], bool(ours.failure_reason)
    yield "whether it fails within two seconds", early, ours.fails_after is not None and ours.fails_after <= 2
    yield "the reason for which it ends Failed", ended, ours.end_reason
    yield "how it ends", recorded["finalCondition"], "Failed" if ours.end_reason else "Complete"
    yield "failed pods", after.get("failed", 0), ours.failed_count
    yield "failed indexes", after.get("failedIndexes", ""), ours.failed_indexes
    yield "other new pods", recorded["otherNewPods"], len(ours.other_indexes)
    yield "lost pods", len(recorded["replacements"]), len(ours.lost_pods)
    for theirs, fate in zip(recorded["replacements"], ours.lost_pods, strict=False):
        pod = f"pod {fate.pod}: "
        yield pod + "whether it is replaced", "none" not in theirs, fate.replaced_after is not None
        if "none" in theirs or fate.replaced_after is None:
            continue
        since_end = fate.replaced_after - recorded["terminationSeconds"]
        yield pod + "replaced after", theirs["afterDisruption"], _near(theirs["afterDisruption"], fate.replaced_after)
        yield pod + "replaced after its end", theirs["afterOldEnded"], _near(theirs["afterOldEnded"], since_end)
        yield pod + "both at once", theirs["whileOldStillRan"], fate.overlap > 0
        yield pod + "replaced after its end or before", not theirs["whileOldStillRan"], fate.waits_for_end
    alive = recorded["maxAliveAtOncePerIndex"]
    if alive is not None:
        twice = sorted(int(index) for index, pods in alive.items() if pods > 1)
        yield "indexes with two pods at once", twice, sorted(fate.index or 0 for fate in ours.lost_pods if fate.overlap > 0)
    yield "pods at once", recorded["maxAliveAtOnce"], ours.max_pods


def _near(theirs: float, ours: float) -> float:
    """The recorded time where ours is as near as recordings are good, else ours."""
    return theirs if abs(theirs - ours) <= LAG else ours


def _name(recorded: Data) -> str:
    asked = (*FIELDS, "podFailurePolicy", "disruption", "disruptedPods", "terminationSeconds", "exitsZeroOnSIGTERM")
    return ", ".join(f"{name} {recorded[name]}" for name in asked if recorded.get(name) is not None)


def lines(path: Path) -> Iterator[Compared]:
    """Every line of a file, compared."""
    with gzip.open(path, "rt", encoding="utf-8") as texts:
        for text in texts:
            yield compare(json.loads(text))


def main(arguments: list[str]) -> int:
    """Compare a file; 1 where anything differs."""
    counted: Counter[str] = Counter()
    for compared in lines(Path(arguments[0])):
        counted["lines"] += 1
        counted["apart"] += compared.apart
        counted["equal"] += compared.values - len(compared.mismatches)
        counted["different"] += len(compared.mismatches)
        for found in compared.mismatches:
            print(f"{found.line}: {found.what} is {found.recorded!r} and we say {found.ours!r}")
    apart = f", {counted['apart']} of the lines with pods that ended apart" if counted["apart"] else ""
    print(f"{counted['lines']} lines, {counted['equal']} values equal, {counted['different']} different{apart}")
    return 1 if counted["different"] or not counted["equal"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
