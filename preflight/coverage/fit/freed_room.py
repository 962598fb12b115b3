"""Pods of DaemonSets that wait for room on their nodes and may find what a change leaves: the next step of a plan meets them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from preflight.change.model import Change
from preflight.coverage.daemonset_pods import DaemonSetPods
from preflight.coverage.fit.node_contents import NodeContents
from preflight.coverage.fit.residents import JudgedDaemonSet
from preflight.coverage.model import CoverageGroup
from preflight.coverage.node_classes import NodePartitions
from preflight.coverage.outcome import PodAfter
from preflight.coverage.rollout.waiting_pods import gains_eviction, select_freed_nodes
from preflight.model.core import Node, PodSpec
from preflight.model.meta import ObjectKey
from preflight.model.world import ClusterState
from preflight.scheduling.fit import fit_pod
from preflight.scheduling.occupancy import PodUsage, assemble_occupancy
from preflight.scheduling.scheduler_behavior import find_scheduler_behavior


def find_nodes_with_freed_room(
    change: Change,
    pods: Mapping[ObjectKey, DaemonSetPods],
    judged: Sequence[JudgedDaemonSet],
    classes: NodePartitions,
    waiting: Mapping[ObjectKey, frozenset[str]],
) -> Iterator[tuple[ObjectKey, frozenset[str]]]:
    """By DaemonSet the nodes of `waiting` where its pod may be bound once the change has settled: it fits beside all that surely stays.

    What surely stays are the pods that the change leaves alone, and the new ones that are sure to be bound.
    """
    moving = (group for item in judged for group in item.groups if group.forecast.had_pod and not _surely_stays(group))
    every = frozenset().union(*waiting.values()) & change.before.nodes.keys() & change.after.nodes.keys()
    freed = select_freed_nodes(change, every, pods) | (every & frozenset().union(*(group.nodes for group in moving)))
    if not freed:
        return
    contents = NodeContents(change, pods, freed, classes)
    staying = _list_staying(change, contents, judged, freed)
    for key, nodes in sorted(waiting.items()):
        spec = contents.make_pod(change.after.daemonsets[key], change.after).spec
        found = (name for name in nodes & freed if _may_fit(spec, change.after.nodes[name], staying[name], key, change.after))
        if names := frozenset(found):
            yield key, names


def _list_staying(
    change: Change, contents: NodeContents, judged: Iterable[JudgedDaemonSet], nodes: frozenset[str]
) -> Mapping[str, list[tuple[ObjectKey | None, PodUsage]]]:
    """The pods that are surely on some nodes once the change has settled, with their DaemonSets."""
    staying: defaultdict[str, list[tuple[ObjectKey | None, PodUsage]]] = defaultdict(list)
    moving: set[tuple[ObjectKey, str]] = set()
    for item in judged:
        for group in item.groups:
            there = group.nodes & nodes
            if not there or _surely_stays(group):
                continue
            moving.update((item.key, name) for name in there)
            if item.after is not None and group.forecast.pod_after is PodAfter.NEW and group.fit is None and not group.possible_forecasts:
                usage = contents.measure_template(item.key, contents.make_pod(item.after, change.after).spec)
                for name in there:
                    staying[name].append((item.key, usage))
    for name in nodes:
        staying[name] += contents.hanging_pods.get(name, ())
        is_evicting = name in change.drained_nodes or gains_eviction(change.before.nodes[name], change.after.nodes[name])
        if not is_evicting and change.deleted_pods is None:
            staying[name] += ((None, usage) for usage in contents.other_pods.get(name, ()))
    for (key, name), usages in contents.daemonset_pods.items():
        if (key, name) not in moving:
            staying[name] += ((key, usage) for usage in usages)
    return staying


def _surely_stays(group: CoverageGroup) -> bool:
    return group.forecast.pod_after is PodAfter.SAME and len(group.possible_updates) == 1 and not group.possible_forecasts


def _may_fit(spec: PodSpec, node: Node, staying: Iterable[tuple[ObjectKey | None, PodUsage]], own: ObjectKey, world: ClusterState) -> bool:
    usages = [usage for key, usage in staying if key != own]
    occupancy = assemble_occupancy((node,), {node.name: usages}, (), ())
    behavior = find_scheduler_behavior(world.versions)
    found = fit_pod(spec, occupancy, is_admitted=True, comparison_operators=world.comparison_operators, behavior=behavior)
    return found.nodes[0].fits is not False
