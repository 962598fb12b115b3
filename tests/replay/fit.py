"""`make replay-fit FILE=path`: recorded worlds of a real scheduler against our answer: how many pods bind, where, and what it says.

A world of a whole scheduler is nodes, pods that are there, and twelve equal pods that ask for a node. Compared are, of the
pod as it was sent and as the API server kept it: its tolerations after admission, the number that binds, whether each node may have got as
many as it did, how many nodes the scheduler counts under each reason, and for how many of them it says that preemption could not help.

A world of the scheduler's own filters (`filters-world`) has the answer of each node: what its pods take, how many copies it takes, why it
refuses the next one, and whether it would take the pod without the pods of lower priority.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from preflight.model.core import Node
from preflight.model.pod_scheduling import SchedulerPod, SchedulerPodSpec
from preflight.scheduling.fit import FitResult, fit_pod
from preflight.scheduling.occupancy import Occupancy, build_occupancy
from preflight.scheduling.tolerations import add_default_tolerations
from tests.builders import read_leniently

_COUNTED = re.compile(r"(\d+) (.+)")
_UNHELPFUL = "Preemption is not helpful for scheduling"
_NO_VICTIMS = "No preemption victims found for incoming pod"


def occupancy(world: dict[str, Any]) -> Occupancy:
    """The nodes of a recorded world, and what the pods that were there take of them."""
    nodes = [read_leniently(_node(node), Node) for node in world["nodes"]]
    lost = set(world.get("lostPods", ()))
    return build_occupancy(nodes, [read_leniently(_pod(pod), SchedulerPod) for pod in world["existingPods"] if pod["name"] not in lost])


def _node(recorded: dict[str, Any]) -> dict[str, Any]:
    conditions = [{"type": kind, "status": status} for kind, status in recorded["conditions"].items()]
    return {
        "kind": "Node",
        "metadata": {"name": recorded["name"], "labels": recorded["labels"]},
        "spec": {"taints": recorded["taints"], "unschedulable": recorded["unschedulable"]},
        "status": {"allocatable": recorded["allocatable"], "conditions": conditions},
    }


def _pod(recorded: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": recorded["name"], "namespace": "default"}
    return {
        "kind": "Pod",
        "metadata": metadata | ({"deletionTimestamp": "2026-01-01T00:00:00Z"} if recorded.get("terminating") else {}),
        "spec": recorded["spec"] | {"nodeName": recorded["node"]},
        "status": {"phase": recorded["phase"]},
    }


def answer(spec: SchedulerPodSpec, room: Occupancy) -> FitResult:
    """Where the pods of a recorded world fit: nothing is on the way besides what is recorded, and the gate of Lt and Gt is off."""
    return fit_pod(spec, room, labels={}, namespace="default", comparison_operators=False)


def said(message: str) -> tuple[dict[str, int], dict[str, int]]:
    """How many nodes a message of the scheduler counts under each reason, and under each answer to preemption."""
    filters, _, preemption = message.partition(" preemption: ")
    return _counts(filters), _counts(preemption)


def _counts(sentence: str) -> dict[str, int]:
    _, _, reasons = sentence.strip().removesuffix(".").partition(" nodes are available: ")
    counts: dict[str, int] = {}
    for reason in reasons.split(", ") if reasons else ():
        counted = _COUNTED.fullmatch(reason)
        counts[counted[2] if counted else reason] = int(counted[1]) if counted else 0
    return counts


def _preemption(found: FitResult) -> dict[str, int]:
    """What the scheduler says of preemption once all copies are bound: no pod here has a priority, so nobody goes for another."""
    counts = Counter(
        _UNHELPFUL if any(reason.is_unresolvable for reason in node.full_reasons or ()) else _NO_VICTIMS
        for node in found.nodes
        if not found.has_conflict
    )
    return dict(counts)


Compared = Iterator[tuple[str, object, object]]
"""Each compared value of a world: its name, what was recorded, and what we say."""


def of_a_scheduler(world: dict[str, Any]) -> Compared:
    """A world in which a whole scheduler bound pods."""
    room = occupancy(world)
    sent = read_leniently(world["podSpec"], SchedulerPodSpec)
    tolerations = [msgspec.to_builtins(add_default_toleration) for add_default_toleration in add_default_tolerations(sent.tolerations)]
    yield "tolerations", world["podTolerationsDefaulted"], tolerations
    kept = read_leniently(world["podSpecDefaulted"], SchedulerPodSpec)
    kept = msgspec.structs.replace(kept, nodeSelector=sent.nodeSelector, affinity=sent.affinity, tolerations=sent.tolerations)
    for shape, spec in (("as sent", sent), ("as kept", kept)):
        found = answer(spec, room)
        bound, created = world["bound"], world["created"]
        yield f"bound, {shape}", (bound, bound), (min(created, found.copies), min(created, found.max_copies or 0))
        by_node = {node.node: node.copies for node in found.nodes if node.copies}
        if bound < created:
            yield f"nodes, {shape}", world["boundTo"], by_node
        else:
            over = {name: count for name, count in world["boundTo"].items() if count > by_node.get(name, 0)}
            yield f"nodes beyond what they take, {shape}", {}, over
        for message in world["messages"]:
            reasons, preemption = said(message["message"])
            yield f"reasons, {shape}", reasons, dict(found.count_reasons(when_full=True) or {})
            yield f"preemption, {shape}", preemption, _preemption(found)
            yield f"message, {shape}", message["message"].partition(" preemption: ")[0], found.format_message(when_full=True)


def of_the_filters(world: dict[str, Any]) -> Compared:
    """A world in which the filters were asked node by node."""
    want = world["want"]
    room = build_occupancy(
        [read_leniently(node, Node) for node in world["nodes"]], [read_leniently(pod, SchedulerPod) for pod in world["pods"]]
    )
    found = fit_pod(
        read_leniently(world["podSpec"], SchedulerPodSpec),
        room,
        labels={},
        namespace="default",
        is_admitted=True,
        comparison_operators=False,
    )
    if "prefilter" in want:
        yield "message", f"0/{len(room.nodes)} nodes are available: {want['prefilter']}.", found.format_message()
        return
    for node in found.nodes:
        name = node.node
        amounts = room.nodes[name].bound_usage.amounts
        yield f"{name}, taken", _positive(want["used"][name]), _positive(amounts)
        copies = want["copies"].get(name, 0)
        yield f"{name}, copies", (copies, copies, copies > 0), (node.copies, node.max_copies, node.fits)
        yield f"{name}, reasons", want["stated"].get(name, []), sorted(reason.text for reason in node.stated_reasons or ())
        yield (
            f"{name}, reasons once full",
            want["full"].get(name, want["stated"].get(name)),
            sorted(reason.text for reason in node.full_reasons or ()),
        )
        yield f"{name}, lasting", want["lasting"][name], any(reason.is_unresolvable for reason in node.full_reasons or ())
        yield f"{name}, preempts", want["preempts"].get(name, False), node.may_preempt


def _positive(amounts: Mapping[str, int]) -> dict[str, int]:
    return {name: amount for name, amount in amounts.items() if amount}


def mismatches(path: Path) -> Iterator[tuple[int, str, object, object] | None]:
    """For each compared value None where it is equal, else the world, the value's name, what was recorded and what we say."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            world = json.loads(line)
            for name, want, got in of_the_filters(world) if world["kind"] == "filters-world" else of_a_scheduler(world):
                yield None if want == got else (world["world"], name, want, got)


def main(arguments: list[str]) -> int:
    """Compare a file; 1 where anything differs."""
    equal = different = 0
    for found in mismatches(Path(arguments[0])):
        if found is None:
            equal += 1
        else:
            different += 1
            print("world {}: {} is {!r} and we say {!r}".format(*found))
    print(f"{equal} values equal, {different} different")
    return 1 if different or not equal else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
