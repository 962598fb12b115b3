"""What the program says of a drain: through its front door, and with it what its two courses say of each pod."""

from __future__ import annotations

import contextlib
import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from preflight.scheduling.drain import DrainVerdict, NodeDrain, PodDrain, assume_never_ready, simulate_drain
from preflight.scheduling.drain.model import DrainAssumptions
from tests.cli.program import Result, program
from tests.cluster.build import get_release
from tests.truth.prediction import FrontDoorError

STAYS = "stays"
_WORDS = {
    DrainVerdict.EVICTED: "evicted",
    DrainVerdict.DELETED: "deleted",
    DrainVerdict.REFUSED: "refused",
    DrainVerdict.HELD: "held",
    DrainVerdict.BLOCKED_FOREVER: "blocked-for-ever",
    DrainVerdict.BLOCKED_NOW: "blocked-now",
    DrainVerdict.UNKNOWN: "unknown",
    DrainVerdict.SKIPPED: STAYS,
}
_Courses = list[tuple[DrainAssumptions, tuple[NodeDrain, ...]]]


class PodSaid(NamedTuple):
    """What the program says of a pod of a drained node.

    1. `verdict` is that of the report; `stays` for the pods that it only counts: of DaemonSets, static ones, those not selected.
    2. `worst` is what becomes of it where no replacement gets Ready, `best` where each is Ready at once that finds a node.
    """

    name: str
    verdict: str
    worst: PodDrain
    best: PodDrain


class NodeSaid(NamedTuple):
    """What the program says of a node: the report's words, its pods, and both courses."""

    told: Mapping[str, Any]
    pods: tuple[PodSaid, ...]
    worst: NodeDrain
    best: NodeDrain


class Said(NamedTuple):
    """The program's run, the report's `evictions`, and what both say of each node, in order; none where the program refused."""

    result: Result
    evictions: Mapping[str, Any]
    nodes: tuple[NodeSaid, ...]


def prediction(argv: Sequence[str], dump: Path) -> Said:
    """Run `preflight ARGV --from DUMP -o json`; FrontDoorError where the report does not say what was judged."""
    with _overheard() as heard:
        result = program(*argv, "--from", str(dump), "-o", "json", "--no-policy", *get_release().argv)
    if result.code not in (0, 1, 3):
        return Said(result, {}, ())
    (step,) = json.loads(result.out)["change"]["steps"]
    if "evictions" not in step:
        return Said(result, {}, ())
    last = max(number for number, (assumed, _) in enumerate(heard) if assumed.ready_after is assume_never_ready)
    worst, best = heard[last][1], heard[min(last + 1, len(heard) - 1)][1]
    told = step["evictions"]["nodes"]
    if [drain["node"] for drain in told] != [each.node for each in worst]:
        raise FrontDoorError(f"{[each['node'] for each in told]} are reported and {[each.node for each in worst]} were judged")
    nodes = (_node(*each) for each in zip(told, worst, best, strict=True))
    _check(step["evictions"], worst, best)
    return Said(result, step["evictions"], tuple(nodes))


def _check(evictions: Mapping[str, Any], worst: Sequence[NodeDrain], best: Sequence[NodeDrain]) -> None:
    """FrontDoorError where the report's end and least time are not those of its courses."""
    ends = True if all(drain.does_end for drain in worst) else False if any(each.does_end is False for each in best) else None
    least = [each.min_seconds for each in best]
    total = None if None in least else sum(filter(None, least))
    if (evictions["ends"], evictions["least"]) != (ends, total):
        raise FrontDoorError(f"{evictions['ends']} and {evictions['least']} are reported and {ends} and {total} were judged")


@contextlib.contextmanager
def _overheard() -> Iterator[_Courses]:
    """The courses that the run asks for, with what they assume."""
    heard: _Courses = []

    def listen(*given: Any) -> tuple[NodeDrain, ...]:
        found = simulate_drain(*given)
        heard.append((given[5], found))
        return found

    with mock.patch.object(importlib.import_module("preflight.evictions.evicted_pods"), "simulate_drain", listen):
        yield heard


def _node(told: Mapping[str, Any], worst: NodeDrain, best: NodeDrain) -> NodeSaid:
    """A node of the report and of both courses; FrontDoorError where they are not of one mind."""
    reported = {pod["pod"]: pod for pod in told["pods"]}
    pods, left_out = [], 0
    for first, second in zip(worst.pods, best.pods, strict=True):
        name = "/".join(first.pod.key)
        each = reported.pop(name, None)
        waits = first.verdict is DrainVerdict.BLOCKED_NOW and second.evicted_at is not None
        verdict = "waits" if waits else _WORDS[first.verdict]
        if each is None:
            left_out += 1
            if not _may_be_left_out(first):
                raise FrontDoorError(f"{name} is {first.verdict} and not reported")
        else:
            shown = second if waits else first
            want = (verdict, shown.evicted_at, shown.grace_seconds, ["/".join(key) for key in first.budgets], shown.is_lost)
            have = (each["verdict"], each["after"], each["grace"], each["budgets"], each["lost"])
            if have != want:
                raise FrontDoorError(f"{name} is reported as {have} and was judged as {want}")
        pods.append(PodSaid(name, verdict if each is not None else STAYS, first, second))
    counted = told["daemonsets"] + len(told["static"]) + told["staying"]
    codes = sorted({*worst.exit_codes, *best.exit_codes})
    if reported or counted != left_out or told["exitCodes"] != codes or told["refusals"] != [refusal.words for refusal in worst.refusals]:
        raise FrontDoorError(f"{told} is not what was judged: {sorted(reported)}, {left_out} that stay, {codes}, {worst.refusals}")
    return NodeSaid(told, tuple(pods), worst, best)


def _may_be_left_out(pod: PodDrain) -> bool:
    """Whether the report only counts a pod: one that stays, or of a DaemonSet."""
    controller = pod.pod.controller
    is_daemons = controller is not None and controller.kind == "DaemonSet"
    return pod.verdict is DrainVerdict.SKIPPED or (is_daemons and pod.verdict is DrainVerdict.REFUSED)
