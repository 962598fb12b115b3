"""What the program says of a change: through its front door, and with it what its parts say of each pair within the time of a test."""

from __future__ import annotations

import contextlib
import json
import traceback
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from preflight.change.model import Change
from preflight.coverage.daemonset_pods import DaemonSetPods
from preflight.coverage.label_cascade import predict_impact
from preflight.coverage.model import CoverageGroup, Impact
from preflight.coverage.outcome import PodAfter
from preflight.engine import simulate
from preflight.model.meta import ObjectKey
from preflight.model.report import Outcome
from preflight.scheduling.placement import evaluate_placement
from preflight.scheduling.tolerations import add_implicit_tolerations
from tests.cli.program import Result, program
from tests.cluster.build import get_release
from tests.truth.state import Key
from tests.truth.watching import Pair

HORIZON = 60.0
"""Seconds that a test can see: evictions after 5 s happen, those after 3600 s do not."""

_POD = {PodAfter.SAME: "same", PodAfter.NEW: "new", PodAfter.NONE: "absent"}


class Said(NamedTuple):
    """What the program says of a pair.

    1. `outcome`, `before`, `now` and `recreated` are those of the report; `period` is that of a loop, None where there is none.
    2. `here` is whether a pod was there before. `pod` is what is there within HORIZON: same, new, absent or loop; a pod that is the same
       may begin to loop once it is re-created. `again` is what is there after a re-creation: a pod, none or loop.
    3. `later`: the report speaks of an eviction beyond HORIZON, so that only these three can be seen.
    4. `chance`: whether an update reaches this node or another is not certain; the pod is the same or a new one, and with `may_be_lost`
       one that waits in its place. `may_wait`: an earlier step may have left no more than a pod that waits.
    """

    outcome: str
    before: bool
    now: bool
    recreated: bool
    period: int | None
    pod: str
    later: bool
    here: bool
    again: str
    chance: bool = False
    may_be_lost: bool = False
    may_wait: bool = False


class Placed(NamedTuple):
    """A DaemonSet after a change: the nodes that should run it, and the nodes that have a pod of it."""

    wanted: frozenset[str]
    there: frozenset[str]


class Step(NamedTuple):
    """What the program says of one step: of each pair that it judged, and where every DaemonSet is then; `command` as the report has it.

    `gone` are the pairs whose pod nothing controls, since its DaemonSet was deleted, and which goes within HORIZON. `losses` are how many
    pods of some pairs an update takes whose successors wait, at least and at most.
    """

    pairs: Mapping[Pair, Said]
    placed: Mapping[Key, Placed]
    command: str = ""
    gone: frozenset[Pair] = frozenset()
    losses: tuple[tuple[frozenset[Pair], tuple[int, int]], ...] = ()

    def without(self, ended: Collection[Pair]) -> Step:
        """The step once the pods of these pairs have ended: what is placed there comes back, everything else is gone."""
        nodes: defaultdict[Key, set[str]] = defaultdict(set)
        for namespace, name, node in ended:
            nodes[namespace, name].add(node)
        return self._replace(
            placed={
                key: Placed(placed.wanted, (placed.there - nodes[key]) | (placed.wanted & nodes[key]))
                for key, placed in self.placed.items()
            }
        )


class Prediction(NamedTuple):
    """The program's run, and the steps that it judged: none where it refused, and of a script those that it takes to be accepted."""

    result: Result
    steps: list[Step]


class FrontDoorError(AssertionError):
    """The report does not say what its parts do: a fault of the program, or of this module."""


def prediction(argv: Sequence[str], dump: Path) -> Prediction:
    """Run `preflight ARGV --from DUMP -o json`."""
    with _overheard() as heard:
        result = program(*argv, "--from", str(dump), "-o", "json", "--no-policy", *get_release().argv)
    if result.code not in (0, 1, 3):
        return Prediction(result, [])
    report = json.loads(result.out)
    steps = []
    pods: Mapping[ObjectKey, DaemonSetPods] | None = None
    for number, (change, listed, impact) in enumerate(heard, 1):
        within = predict_impact(change, listed if pods is None else pods, HORIZON)
        pods = within.pods_after
        rows = [row for row in report["coverage"] if row["step"] == number]
        gone = frozenset(_gone(report["change"]["steps"][number - 1].get("evictions")))
        steps.append(Step(dict(_said(rows, impact, within)), dict(_placed(within)), change.command, gone, _list_losses(within)))
    if len(report["change"]["steps"]) != len(steps):
        raise FrontDoorError(f"{len(report['change']['steps'])} steps are reported and {len(steps)} were judged")
    return Prediction(result, steps)


def predict_or_fail(argv: Sequence[str], dump: Path) -> Prediction:
    """The same; a run that ends with a fault of the program has no steps, and the fault is its error."""
    try:
        return prediction(argv, dump)
    except Exception as error:  # one of the program ends no batch
        return Prediction(Result(-1, "", "".join(traceback.format_exception(error))), [])


@contextlib.contextmanager
def _overheard() -> Iterator[list[tuple[Change, Mapping[ObjectKey, DaemonSetPods], Impact]]]:
    """What the run asks of the impact layer, and its answers."""
    heard: list[tuple[Change, Mapping[ObjectKey, DaemonSetPods], Impact]] = []

    def listen(change: Change, pods: Mapping[ObjectKey, DaemonSetPods]) -> Impact:
        impact = predict_impact(change, pods)
        heard.append((change, pods, impact))
        return impact

    with mock.patch.object(simulate, "predict_impact", listen):
        yield heard


def _by_pair(impact: Impact) -> dict[Pair, CoverageGroup]:
    return {(group.key.namespace, group.key.name, node): group for group in impact.groups for node in group.nodes}


def _said(rows: Sequence[Mapping[str, Any]], impact: Impact, within: Impact) -> Iterator[tuple[Pair, Said]]:
    """Each pair of the report; FrontDoorError where the report does not add up to what the impact layer answered."""
    whole, part = _by_pair(impact), _by_pair(within)
    seen = 0
    for row in rows:
        pairs = [(*row["daemonset"].split("/", 1), node) for node in row["nodes"]]
        verdicts = [whole[pair].forecast for pair in pairs]
        had, has, again = (sum(getattr(forecast, name) for forecast in verdicts) for name in ("had_pod", "has_pod", "is_recreated"))
        groups = {id(whole[pair]): whole[pair] for pair in pairs}
        counts = (had, has - sum(group.lost_count for group in groups.values()), again)
        outcomes = {(each.outcome, each.loop_seconds) for each in verdicts}
        if counts != (row["before"], row["now"], row["recreated"]) or outcomes != {(Outcome(row["outcome"]), row["periodSeconds"])}:
            raise FrontDoorError(f"{row} is not what was judged: {counts}, {outcomes}")
        for pair, verdict in zip(pairs, verdicts, strict=True):
            near = part[pair].forecast
            loops = near.loop_seconds is not None and near.loop_seconds <= HORIZON
            later = near.outcome is not verdict.outcome or near.has_pod != verdict.has_pod or (near.loop_seconds is not None and not loops)
            pod = "loop" if loops and near.pod_after is not PodAfter.SAME else _POD[near.pod_after]
            again = "loop" if loops else "a pod" if near.is_recreated else "none"
            seen += 1
            yield (
                pair,
                Said(
                    outcome=row["outcome"],
                    before=verdict.had_pod,
                    now=verdict.has_pod,
                    recreated=verdict.is_recreated,
                    period=verdict.loop_seconds,
                    pod=pod,
                    later=later,
                    here=near.had_pod,
                    again=again,
                    chance=len(part[pair].possible_updates) > 1,
                    may_be_lost=part[pair].partial_loss is not None,
                    may_wait=(found := part[pair].pod_group) is not None and found.may_be_pending,
                ),
            )
    if seen != len(whole):
        raise FrontDoorError(f"{seen} pairs are reported and {len(whole)} were judged")


def _list_losses(within: Impact) -> tuple[tuple[frozenset[Pair], tuple[int, int]], ...]:
    losses = {(group.key, loss) for group in within.groups if (loss := group.partial_loss) is not None}
    return tuple((frozenset((key.namespace, key.name, node) for node in loss.nodes), loss.lost_range) for key, loss in losses)


def _gone(evictions: Mapping[str, Any] | None) -> Iterator[Pair]:
    """The pairs of pods that nothing controls and that go within HORIZON: their names are those of their DaemonSet and five letters."""
    for node in evictions["nodes"] if evictions else ():
        for pod in node["pods"]:
            if pod["verdict"] in ("evicted", "deleted", "ends") and not pod["owner"] and (pod["after"] or 0) <= HORIZON:
                namespace, _, name = pod["pod"].partition("/")
                yield namespace, name.rpartition("-")[0], node["node"]


def _placed(within: Impact) -> Iterator[tuple[Key, Placed]]:
    """Every DaemonSet after the change, by our own placement of the world after it."""
    after = within.change.after
    pods = within.pods_after
    for key, daemonset in after.daemonsets.items():
        template = daemonset.spec.template.spec
        tolerations = add_implicit_tolerations(template)
        wanted = (
            name
            for name, node in after.nodes.items()
            if evaluate_placement(template, tolerations, node, after.comparison_operators).should_run
        )
        there: frozenset[str] = frozenset().union(*(group.nodes for group in pods[key].groups)) if key in pods else frozenset()
        yield (key.namespace, key.name), Placed(frozenset(wanted), there)
