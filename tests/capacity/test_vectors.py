"""The recorded worlds of a real scheduler, through the command itself: files in, a report out."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.capacity.snapshots import asked, snapshot
from tests.paths import VECTORS
from tests.replay import fit

WORLDS = sorted(VECTORS.glob("fit-*.jsonl.gz"))


def recorded(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def report_of(world: dict[str, Any], folder: Path) -> Any:
    """What the command says of the pod of a recorded world."""
    lost = set(world.get("lostPods", ()))
    there = [fit._pod(pod) for pod in world["existingPods"] if pod["name"] not in lost]
    nodes, pods = (folder / "world.json"), (folder / "pod.json")
    nodes.write_text(snapshot([{"apiVersion": "v1", **each} for each in (*map(fit._node, world["nodes"]), *there)]))
    pods.write_text(json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "new"}, "spec": world["podSpec"]}))
    gate = "TaintTolerationComparisonOperators=false"
    result, report = asked("-f", str(pods), "--from", str(nodes), "--feature-gates", gate)
    assert report is not None, result.err
    return report["clusters"][0]["room"]


def differences(world: dict[str, Any], room: Any) -> list[object]:
    """What the command says otherwise than the scheduler did."""
    found: list[object] = []
    by_node = {node["node"]: node["copies"] for node in room["nodes"] if node["copies"]}
    bound, created = world["bound"], world["created"]
    if (min(created, room["copies"]), min(created, room["atMost"])) != (bound, bound):
        found.append(("bound", bound, room["copies"], room["atMost"]))
    if bound < created and by_node != world["boundTo"]:
        found.append(("nodes", world["boundTo"], by_node))
    found += [("beyond", name, count) for name, count in world["boundTo"].items() if count > by_node.get(name, 0)]
    if not bound:
        found += [message for message in world["messages"] if message["message"].partition(" preemption: ")[0] != room["message"]]
    left = room["allocatable"] - sum(step["amount"] for step in room["steps"])
    if left != room["copies"] * room["wanted"]:
        found.append(("the waterfall ends at", left, room["copies"], room["wanted"]))
    for group in (room["nodes"], room["classes"]):
        if sum(each["copies"] for each in group) != room["copies"] or sum(each["free"] for each in group) != room["free"]:
            found.append(("the tables do not add up", group))
    return found


def test_the_recordings_are_there() -> None:
    assert [path.name for path in WORLDS] == ["fit-loose-seed3.jsonl.gz", "fit-seed1.jsonl.gz", "fit-seed2.jsonl.gz"]


@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.name)
def test_every_recorded_world_is_answered_as_the_scheduler_did(path: Path, tmp_path: Path) -> None:
    worlds = recorded(path)
    assert {world["world"]: found for world in worlds if (found := differences(world, report_of(world, tmp_path)))} == {}


def test_a_recording_that_says_otherwise_is_seen(tmp_path: Path) -> None:
    world = next(each for each in recorded(WORLDS[0]) if 0 < each["bound"] < each["created"])
    room = report_of(world, tmp_path)
    name = min(world["boundTo"])
    assert differences({**world, "bound": world["bound"] + 1}, room)
    assert differences({**world, "boundTo": {**world["boundTo"], name: world["boundTo"][name] + 1}}, room)
