"""`make vectors FILE=path`: recorded placements against ours, every mismatch printed.

A DaemonSet's case goes the program's way: plain data to objects, a command line, a change, an impact; what is compared are the placements
that the impact carries. A bare pod has no DaemonSet, so its case asks `scheduling` itself.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from preflight.change.apply_command import perform_command
from preflight.coverage.label_cascade import predict_impact
from preflight.kubectl.parser import parse_command
from preflight.model.apps import DaemonSet
from preflight.model.core import Node, Pod
from preflight.model.world import ClusterState
from preflight.scheduling.placement import Placement, evaluate_placement
from preflight.scheduling.tolerations import NEVER
from tests.builders import read_leniently

Answer = dict[str, Any]


def answers(case: dict[str, Any]) -> Answer:
    """Our answer to one case, in the shape of the recorded one."""
    gate = bool(case["comparisonOperators"])
    node = read_leniently(case["node"], Node)
    if "pod" in case:
        spec = read_leniently(case["pod"], Pod).spec
        return {**_shape(evaluate_placement(spec, spec.tolerations, node, gate)), "shouldRun": None, "shouldContinueRunning": None}
    daemonset = read_leniently(case["daemonset"], DaemonSet)
    world = ClusterState(nodes={node.name: node}, daemonsets={daemonset.key: daemonset}, comparison_operators=gate)
    change = perform_command(parse_command(["reboot", node.name]), world, lambda _: ())
    (group,) = predict_impact(change, {}).groups
    assert group.placement_after is not None
    return _shape(group.placement_after)


def _shape(placement: Placement) -> Answer:
    errors = placement.affinity.errors
    return {
        "shouldRun": placement.should_run,
        "shouldContinueRunning": placement.may_stay,
        "fitsAffinity": placement.affinity.matches,
        "affinityError": f"[{', '.join(errors)}]" if len(errors) > 1 else errors[0] if errors else None,
        "fitsTaints": not placement.untolerated_taints and not placement.unsure_taints,
        "evictAfterSeconds": -1 if placement.eviction_delay == NEVER else placement.eviction_delay,
    }


def mismatches(path: Path) -> Iterator[tuple[str, str, object, object] | None]:
    """For each compared value None where it is equal, else the case, the value's name, what was recorded and what we say."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            recorded = json.loads(line)
            case, want = recorded["case"], recorded["want"]
            got = answers(case)
            for name, value in want.items():
                if name != "id":
                    yield None if value == got[name] else (case["id"], name, value, got[name])


def main(arguments: list[str]) -> int:
    """Compare a file; 1 where anything differs."""
    equal = different = 0
    for found in mismatches(Path(arguments[0])):
        if found is None:
            equal += 1
        else:
            different += 1
            print("{}: {} is {!r} and we say {!r}".format(*found))
    print(f"{equal} values equal, {different} different")
    return 1 if different or not equal else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
