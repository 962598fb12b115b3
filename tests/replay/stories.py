"""What the tests of recorded life cycles share: what becomes of each pod, and small parts of an input."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from preflight import load
from preflight.change.apply_command import perform
from preflight.coverage.daemonset_pods import PodsOf, listed_pods
from preflight.coverage.label_cascade import predict
from preflight.coverage.model import Impact
from preflight.kubectl.parser import parse
from preflight.model.objects import ObjectKey
from tests.replay.lifecycle import Object, Pair, Seen, Story, write


def impacts(folder: Path, lines: Sequence[str], objects: Sequence[Object]) -> list[Impact]:
    """The impact of each line, over the world that the one before leaves."""
    world = load.read([write(folder, "world.json", objects)], one_cluster=True).world
    pods: Mapping[ObjectKey, PodsOf] = listed_pods(world)
    found: list[Impact] = []
    for line in lines:
        found.append(predict(perform(parse(shlex.split(line)), world, lambda path: load.read_objects(path).given), pods))
        world, pods = found[-1].change.after, found[-1].pods
    return found


def pods_after(impact: Impact) -> dict[Pair, str]:
    """What is on each node once a step has settled: the same pod, a new one, or none."""
    return {(group.key.name, node.rpartition("-")[2]): group.verdict.pod.value for group in impact.groups for node in group.nodes}


def apply(folder: Path, daemonset: Object) -> str:
    """The line that creates a DaemonSet, or updates it."""
    return f"apply -f {write(folder, daemonset['metadata']['name'] + '.json', [daemonset])}"


def running(story: Story, daemonsets: Sequence[Object], nodes: Sequence[int], unready: Sequence[Pair] = ()) -> list[Object]:
    """A Ready pod of each DaemonSet on each node, but for those that are not Ready."""
    names = [each["metadata"]["name"] for each in daemonsets]
    seen = [
        Seen(name, str(node), name, f"p0, rev1, Running, {'not ' if (name, str(node)) in unready else ''}Ready")
        for name in names
        for node in nodes
    ]
    return [story.pod(each, place) for place, each in enumerate(seen)]


def elsewhere(story: Story) -> Object:
    """A DaemonSet for no node of the experiment: a plan needs one to begin with."""
    other = story.created(next(each["create DaemonSet"] for each in story.steps if isinstance(each, dict) and "create DaemonSet" in each))
    other["metadata"]["name"] = "elsewhere"
    other["spec"]["template"]["spec"] |= {"nodeSelector": {"exp": "another"}}
    return other
