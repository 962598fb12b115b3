"""`make replay FILE=path`: a recorded cluster against our prediction, stage by stage, every mismatch printed.

The recording's changes become command lines, its DaemonSets and nodes objects, as if a person had typed them: everything goes through
change and impact. Stages: s0 after creation, s1 after a change for each node, s2 after a rollout restart of everything, s3 after all pods
were deleted.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from preflight.change.apply_command import perform_command
from preflight.coverage.daemonset_pods import DaemonSetPods
from preflight.coverage.label_cascade import predict_impact
from preflight.coverage.model import CoverageGroup
from preflight.coverage.outcome import PodAfter
from preflight.kubectl.parser import parse_command
from preflight.model.apps import DaemonSet
from preflight.model.core import Node
from preflight.model.meta import ObjectKey
from preflight.model.world import ClusterState
from tests.builders import read_leniently

HORIZON = 60.0
"""Seconds that a recording can see: evictions after 5 s happened, those after 3600 s did not."""

_STATES = {PodAfter.SAME: "same", PodAfter.NEW: "new", PodAfter.NONE: "absent"}

Pair = tuple[str, str]


def command_line(node: str, change: dict[str, Any]) -> list[str]:
    """What a person types for one recorded change; `reboot` stands for none: it names the node and leaves it as it is."""
    kind = change["kind"]
    if kind == "addTaint":
        taint = change["taint"]
        return ["taint", "nodes", node, f"{taint['key']}={taint.get('value', '')}:{taint['effect']}", "--overwrite"]
    if kind == "removeTaint":
        return ["taint", "nodes", node, f"{change['taint']['key']}:{change['taint']['effect']}-"]
    if kind in ("setLabel", "removeLabel"):
        ((key, value),) = change["label"].items()
        return ["label", "nodes", node, f"{key}-" if value is None else f"{key}={value}", "--overwrite"]
    if kind == "cordonSpecOnly":
        return ["apply", "-f", node]
    return {"cordon": ["cordon", node], "uncordon": ["uncordon", node], "nothing": ["reboot", node]}[kind]


def prediction(recording: dict[str, Any]) -> tuple[dict[Pair, tuple[str, str, str, str]], ClusterState]:
    """Our states of every pair at the four stages, and the world after the changes."""
    nodes = {node["metadata"]["name"]: read_leniently(node, Node) for node in recording["nodesBefore"]}
    daemonsets = [read_leniently(data, DaemonSet) for data in recording["daemonsets"]]
    after = {node["metadata"]["name"]: read_leniently(node, Node) for node in recording["nodesAfter"]}
    world = ClusterState(nodes=nodes, daemonsets={each.key: each for each in daemonsets}, comparison_operators=False)
    pods: Mapping[ObjectKey, DaemonSetPods] = {}
    first: dict[Pair, CoverageGroup] = {}
    for node, change in recording["changes"].items():
        step = perform_command(parse_command(command_line(node, change)), world, lambda argument: [after[argument.path]])
        impact = predict_impact(step, pods, HORIZON)
        first |= _by_pair(impact.groups, only=node)
        world, pods = impact.change.after, impact.pods_after
    second: dict[Pair, CoverageGroup] = {}
    for daemonset in daemonsets:
        line = ["rollout", "restart", f"ds/{daemonset.metadata.name}", "-n", daemonset.metadata.namespace]
        step = perform_command(parse_command(line), world, lambda _: ())
        impact = predict_impact(step, pods, HORIZON)
        second |= _by_pair(group for group in impact.groups if group.key == daemonset.key)
        world, pods = impact.change.after, impact.pods_after
    states = {}
    for pair, group in first.items():
        restarted = second[pair]
        states[pair] = (
            "running" if group.forecast.had_pod else "absent",
            _STATES[group.forecast.pod_after],
            _STATES[restarted.forecast.pod_after],
            "new" if restarted.forecast.is_recreated else "absent",
        )
    return states, world


def _by_pair(groups: Any, only: str | None = None) -> dict[Pair, CoverageGroup]:
    return {(group.key.name, node): group for group in groups for node in group.nodes if only is None or node == only}


def mismatches(path: Path) -> Iterator[tuple[Pair, str, str, str] | None]:
    """For each stage of each pair None where it is equal, else the pair, the stage, what was recorded and what we say.

    A node whose taints, labels or cordon are not the recorded ones after the changes is a mismatch of its own.
    """
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        recording, *rows = (json.loads(line) for line in lines)
    states, world = prediction(recording)
    for data in recording["nodesAfter"]:
        name = data["metadata"]["name"]
        want, got = _seen(read_leniently(data, Node)), _seen(world.nodes[name])
        if recording["changes"][name]["kind"] == "cordonSpecOnly":  # the controller that adds the taint was off
            want[0].add("node.kubernetes.io/unschedulable:NoSchedule")
        yield None if want == got else (("-", name), "node", str(want), str(got))
    for row in rows:
        if "node" in row:
            pair = (row["ds"], row["node"])
            for place, stage in enumerate(("s0", "s1", "s2", "s3")):
                got_state = states[pair][place]
                yield None if row[stage] == got_state else (pair, stage, row[stage], got_state)
    known = {(row["ds"], row["node"]) for row in rows if "node" in row}
    for pair, all_states in states.items():
        if pair not in known:
            yield None if set(all_states) == {"absent"} else (pair, "s0 to s3", "absent", str(all_states))


def _seen(node: Node) -> tuple[set[str], dict[str, str], bool]:
    return set(map(str, node.spec.taints)), dict(node.metadata.labels), node.spec.unschedulable


def main(arguments: list[str]) -> int:
    """Compare a file; 1 where anything differs."""
    different: Counter[str] = Counter()
    equal = 0
    for found in mismatches(Path(arguments[0])):
        if found is None:
            equal += 1
        else:
            (daemonset, node), stage, want, got = found
            different[stage] += 1
            print(f"{daemonset} on {node}, {stage}: is {want} and we say {got}")
    print(f"{equal} states equal, {different.total()} different")
    return 1 if different or not equal else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
