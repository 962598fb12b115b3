"""What the tests of recorded life cycles share: what becomes of each pod, and small parts of an input."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from preflight import load
from preflight.change.apply_command import perform_command
from preflight.coverage.daemonset_pods import DaemonSetPods, collect_listed_pods
from preflight.coverage.label_cascade import predict_impact
from preflight.coverage.model import Impact
from preflight.kubectl.parser import parse_command
from preflight.model.meta import ObjectKey
from tests.builders import Object
from tests.replay.lifecycle import Pair, Seen, Story, write


def impacts(folder: Path, lines: Sequence[str], objects: Sequence[Object]) -> list[Impact]:
    """The impact of each line, over the world that the one before leaves."""
    world = load.load_world([write(folder, "world.json", objects)], one_cluster=True).world
    pods: Mapping[ObjectKey, DaemonSetPods] = collect_listed_pods(world)
    found: list[Impact] = []
    for line in lines:
        found.append(
            predict_impact(
                perform_command(parse_command(shlex.split(line)), world, lambda file: load.read_objects(file.path).given_objects), pods
            )
        )
        world, pods = found[-1].change.after, found[-1].pods_after
    return found


def pods_after(impact: Impact) -> dict[Pair, str]:
    """What is on each node once a step has settled: the same pod, a new one, or none."""
    return {(group.key.name, node.rpartition("-")[2]): group.forecast.pod_after.value for group in impact.groups for node in group.nodes}


def apply(folder: Path, daemonset: Object) -> str:
    """The line that creates a DaemonSet, or updates it."""
    return f"apply -f {write(folder, daemonset['metadata']['name'] + '.json', [daemonset])}"


def running(story: Story, daemonsets: Sequence[Object], nodes: Sequence[int], unready: Sequence[Pair] = ()) -> list[Object]:
    """A Ready pod of each DaemonSet on each node, but for those that are not Ready."""
    names = [daemonset["metadata"]["name"] for daemonset in daemonsets]
    seen = [
        Seen(name, str(node), name, f"p0, rev1, Running, {'not ' if (name, str(node)) in unready else ''}Ready")
        for name in names
        for node in nodes
    ]
    return [story.pod(each, place) for place, each in enumerate(seen)]


def elsewhere(story: Story) -> Object:
    """A DaemonSet for no node of the experiment: a plan needs one to begin with."""
    other = story.created(next(step["create DaemonSet"] for step in story.steps if isinstance(step, dict) and "create DaemonSet" in step))
    other["metadata"]["name"] = "elsewhere"
    other["spec"]["template"]["spec"] |= {"nodeSelector": {"exp": "another"}}
    return other
