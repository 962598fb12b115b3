"""`make replay-rollout FILE=path`: recorded updates with unready pods and nodes against our prediction, every mismatch printed.

Nodes, DaemonSets and the pods before go the program's way, as listed objects; the change is the recorded command line, or an `apply` of
the DaemonSet after. Only how new pods begin is told to the prediction, for no object says it: the recording's kubelets obey an annotation
of the template and the name of its image.
"""

from __future__ import annotations

import gzip
import json
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from preflight.change.apply_command import perform_command
from preflight.coverage.daemonset_pods import collect_listed_pods
from preflight.coverage.label_cascade import predict_impact
from preflight.coverage.model import Impact
from preflight.coverage.outcome import PodAfter
from preflight.coverage.rollout.daemonset_rollout import Rollout
from preflight.kubectl.parser import parse_command
from preflight.model.apps import DaemonSet, DaemonSetSpec
from preflight.model.core import CoveragePod, Node
from preflight.model.meta import ObjectKey
from preflight.model.world import ClusterState
from preflight.scheduling.rollout_simulation import NewPodOutcome, PodsOnNode
from preflight.scheduling.tolerations import add_implicit_tolerations
from preflight.scheduling.update_strategy import uses_surge
from tests.builders import make_owner, make_pod, read_leniently

NEVER_READY = "truth/never-ready-on"

Row = dict[str, Any]


class Compared(NamedTuple):
    """One comparison: the kind of change, what was compared (a recorded outcome or the name of a number), where, and both answers."""

    kind: str
    what: str
    where: str
    want: object
    got: object

    @property
    def equal(self) -> bool:
        return self.want == self.got


def recorded_world(recording: Row, rows: list[Row]) -> ClusterState:
    """The world before the changes: nodes, DaemonSets, and their pods as a list of the cluster would show them."""
    nodes = {node["metadata"]["name"]: read_leniently(node, Node) for node in recording["nodesBefore"]}
    daemonsets = {each.key: each for each in (read_leniently(data, DaemonSet) for data in recording["daemonsetsBefore"])}
    owners = {key.name: daemonset for key, daemonset in daemonsets.items()}
    pods = tuple(_pod(row, pod, owners[row["ds"]]) for row in rows if "node" in row for pod in row["before"])
    return ClusterState(nodes=nodes, daemonsets=daemonsets, pods=pods, listed_namespaces=None, comparison_operators=False)


def _pod(row: Row, pod: Row, owner: DaemonSet) -> CoveragePod:
    """A recorded pod as a list shows it; its tolerations, which the recording leaves out, are those that the controller gave it."""
    data = make_pod(
        f"{row['ds']}-{row['node']}-{pod['id']}",
        owner.metadata.namespace,
        node=row["node"] if pod["bound"] else "",
        owner=make_owner("DaemonSet", row["ds"]),
        phase=pod["phase"],
        ready=str(pod["ready"]),
        metadata={"deletionTimestamp": "2026-01-01T00:00:00Z" if pod.get("terminating") else ""},
        tolerations=add_implicit_tolerations(owner.spec.template.spec),
    )
    return msgspec.json.decode(msgspec.json.encode(data), type=CoveragePod)


def starts(daemonset: Row, nodes: list[str]) -> Mapping[str, NewPodOutcome]:
    """On which nodes the recording's kubelets never make a new pod Ready: those of the annotation, and those of a bad image."""
    template = daemonset["spec"]["template"]
    never = set(template["metadata"].get("annotations", {}).get(NEVER_READY, "").split(","))
    for container in template["spec"]["containers"]:
        _, _, tag = container["image"].rpartition(":")
        if tag == "bad":
            never.update(nodes)
        elif tag.startswith("bad-on-"):
            never.update(tag.removeprefix("bad-on-").split("-"))
    return dict.fromkeys(never & set(nodes), NewPodOutcome.UNREADY)


def prediction(recording: Row, name: str, world: ClusterState) -> tuple[Impact, Rollout]:
    """The impact of a DaemonSet's change, and its update."""
    (before,) = (daemonset for daemonset in world.daemonsets.values() if daemonset.metadata.name == name)
    (after,) = (each for each in recording["daemonsetsAfter"] if each["metadata"]["name"] == name)
    change = recording["changes"][name]
    argv = shlex.split(change["command"])[1:] if change["kind"] == "image" else ["apply", "-f", name]
    step = perform_command(parse_command([*argv, "-n", before.metadata.namespace]), world, lambda _: [read_leniently(after, DaemonSet)])
    impact = predict_impact(step, collect_listed_pods(world), starts={before.key: starts(after, list(world.nodes))})
    return impact, impact.rollouts[before.key]


def word(there: PodsOnNode) -> str:
    """What is on a node in the recording's words."""
    new = "new" if there.is_bound else "pending"
    live = (
        ("both" if there.is_bound else "both-pending")
        if there.has_previous and there.has_new
        else "same"
        if there.has_previous
        else new
        if there.has_new
        else ""
    )
    return "+".join(filter(None, (live, "terminating" if there.hangs else ""))) or "absent"


def possible(rollout: Rollout) -> dict[str, tuple[str, ...]]:
    """What may be on each node in the end, in the recording's words; one word where it is certain."""
    ends = zip(rollout.cells, rollout.likely_course.ends, strict=True)
    return {name: tuple(sorted({word(there) for there in end.possible_states})) for cell, end in ends for name in cell.nodes}


def numbers(rollout: Rollout, spec: DaemonSetSpec) -> dict[str, int]:
    """The certain numbers of an update, by the recording's names for them.

    A surge that comes to 0, for no node is desired, is recorded as a surge: all its old pods are where they should not run, and stay.
    """
    course = rollout.likely_course
    found = {"desired": course.desired, "budget": course.budget, "bad": course.failing_nodes, "badReplaced": course.failing_reached}
    fewest, most = course.reached_range
    if course.is_surge:
        return found | {"candidates": course.waiting_nodes, "sunset": course.removable_pods, "sunsetKept": course.removable_kept[1]}
    if uses_surge(spec):
        return found | {"candidates": 0, "sunset": course.waiting_nodes, "sunsetKept": course.waiting_nodes - most}
    return found | {"candidates": course.waiting_nodes, "fixed": course.blocked_nodes} | ({"replaced": most} if fewest == most else {})


def comparisons(path: Path) -> Iterator[Compared | str]:
    """Every comparison of a file; a name of a DaemonSet that is left out, for its end was no function of the objects."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        recording, *rows = (json.loads(line) for line in lines)
    world = recorded_world(recording, rows)
    for row in rows:
        if "daemonset" not in row:
            continue
        name = row["daemonset"]
        if row.get("stalledBy"):
            yield name
            continue
        impact, rollout = prediction(recording, name, world)
        pairs = {each["node"]: each["outcome"] for each in rows if each.get("ds") == name}
        yield from _numbers(row, rollout, impact.change.after.daemonsets)
        yield from _pairs(row, pairs, possible(rollout), world)
        yield from _pods(row, pairs, impact)


def _numbers(row: Row, rollout: Rollout, daemonsets: Mapping[ObjectKey, DaemonSet]) -> Iterator[Compared]:
    (spec,) = (daemonset.spec for key, daemonset in daemonsets.items() if key.name == row["daemonset"])
    ours = numbers(rollout, spec)
    for number, value in row["rule"].items():
        if row["strategy"]["type"] != "OnDelete" or number == "desired":
            yield Compared(row["change"], f"number {number}", row["daemonset"], value, ours.get(number))


def _pairs(row: Row, pairs: Mapping[str, str], ours: Mapping[str, tuple[str, ...]], world: ClusterState) -> Iterator[Compared]:
    """Each pair: where the recording says what is possible, that it was possible with us too, and that we say no more than it."""
    for node in world.nodes:
        outcome, where = pairs.get(node, "absent"), f"{row['daemonset']} on {node}"
        answers = ours.get(node, ("absent",))
        either = row.get("possible", {}).get(node)
        if either is None:
            yield Compared(row["change"], outcome, where, (outcome,), answers)
        else:
            certain = len(answers) == 1 and answers[0] in either
            yield Compared(row["change"], outcome, where, (outcome,) if certain else tuple(sorted(either)), answers)
            yield Compared(row["change"], f"{outcome}, one of {len(either)}", where, True, outcome in answers)


def _pods(row: Row, pairs: Mapping[str, str], impact: Impact) -> Iterator[Compared]:
    """The pod of each pair as the impact has it, where it is certain."""
    for group in impact.groups:
        if group.key.name != row["daemonset"] or group.update_uncertainty is not None:
            continue
        for node in group.nodes:
            outcome = pairs.get(node, "absent")
            live = outcome.removesuffix("terminating").removesuffix("+")
            want = PodAfter.NONE if live in ("", "absent") else PodAfter.SAME if live in ("same", "both", "both-pending") else PodAfter.NEW
            created = not group.forecast.had_pod and want is PodAfter.NEW  # missing before, and nobody knows why
            got = PodAfter.NEW if created and group.forecast.pod_after is PodAfter.NONE else group.forecast.pod_after
            yield Compared(row["change"], f"{outcome}, by the impact", f"{row['daemonset']} on {node}", want, got)


def main(arguments: list[str]) -> int:
    """Compare a file; 1 where anything differs."""
    compared: Counter[tuple[str, str]] = Counter()
    different: Counter[tuple[str, str]] = Counter()
    left_out = []
    for found in comparisons(Path(arguments[0])):
        if isinstance(found, str):
            left_out.append(found)
            continue
        compared[found.kind, found.what] += 1
        if not found.equal:
            different[found.kind, found.what] += 1
            print(f"{found.where}, {found.kind}: {found.what} is {found.want} and we say {found.got}")
    for kind, what in sorted(compared):
        print(f"{kind:15} {what:40} {compared[kind, what]:6} {different[kind, what]:4} different")
    print(f"{compared.total() - different.total()} equal, {different.total()} different; left out: {', '.join(left_out) or 'none'}")
    return 1 if different or not compared else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
