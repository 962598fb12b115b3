"""Pods of DaemonSets that wait for room on their nodes: which the change may leave some, and which may be quicker than a new pod."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from preflight.change.model import Change
from preflight.coverage.fit.created_pods import can_preempt
from preflight.coverage.fit.node_contents import NodeContents
from preflight.coverage.fit.residents import JudgedDaemonSet, NewPods, Residents
from preflight.model.core import Node, PodSpec
from preflight.model.fit_reasons import FitVerdict, PodFit
from preflight.model.meta import ObjectKey
from preflight.model.report import Outcome
from preflight.model.world import ClusterState
from preflight.scheduling.fit import fit_pod
from preflight.scheduling.node_fit import NodeFit
from preflight.scheduling.occupancy import PodUsage, assemble_occupancy
from preflight.scheduling.scheduler_behavior import find_scheduler_behavior


def list_missing_nodes(change: Change, judged: JudgedDaemonSet) -> frozenset[str]:
    """The nodes, before the change too, on which no pod of a DaemonSet runs that should: one may wait there."""
    if judged.before is None or judged.after is None:
        return frozenset()
    missing = (group for group in judged.groups if group.outcome is Outcome.MISSING and not group.forecast.had_pod)
    names = frozenset().union(*(group.nodes for group in missing))
    before, after = change.before.nodes, change.after.nodes
    known = (name for name in names if name in before and not before[name].is_partial)
    return frozenset(name for name in known if not after[name].is_partial and after[name].pool is None)


def select_refused(change: Change, contents: NodeContents, judged: JudgedDaemonSet, nodes: frozenset[str]) -> frozenset[str]:
    """Those of some nodes where a DaemonSet's pod waits that have no room for it before the change, for certain.

    Where it might preempt others, the scheduler has to have said so. Without a pod that waits something else is in the way: a quota or a
    webhook may refuse to create it.
    """
    nodes = frozenset(name for name in nodes if any(key == judged.key for key, _ in contents.waiting_pods.get(name, ())))
    if not nodes or judged.before is None:
        return frozenset()
    pod = contents.make_pod(judged.before, change.before)
    world = change.before
    answers = (_fit(pod.spec, world.nodes[name], contents.list_before(name, judged.key), world) for name in nodes)
    refused = (answer for answer in answers if answer.fits is False)
    return frozenset(answer.node for answer in refused if answer.may_preempt is False or contents.is_refused(answer.node, judged.key))


def judge_again(found: NewPods, fits: Iterator[tuple[str, PodFit]]) -> Iterator[tuple[str, PodFit]]:
    """The fits of the new pods of a DaemonSet, those of pods that wait among them: one that still finds no room is as before.

    It is certain to be bound only where all the pods of the node are known: some of them kept it waiting.
    """
    for name, fit in fits:
        if name not in found.waiting:
            yield name, fit
        elif fit.verdict is not FitVerdict.UNFIT:
            verdict = FitVerdict.DOUBTFUL if fit.verdict is FitVerdict.NOT_JUDGED else fit.verdict
            yield name, replace(fit, verdict=verdict, finds_room=True)
        elif found.is_updated:
            yield name, fit


def list_waiting(
    change: Change, contents: NodeContents, residents: Residents, found: NewPods, name: str, staying: Sequence[PodUsage]
) -> Iterator[tuple[ObjectKey, PodUsage]]:
    """The pods of other DaemonSets that wait for room on a node and find it in what the change leaves, or may have found it already.

    Those of lower priority give way, unless the pod may not preempt. One that an update replaces is of the new template.
    """
    own = found.pod.spec.priority if can_preempt(found.pod) else None
    listed = {key: (pod.spec, contents.measure(pod)) for key, pod in contents.waiting_pods.get(name, ())}
    asked = residents.list_waiting(name)
    waiting = {other.key: (other.pod.spec, other.usage) for other in asked if other.is_updated or other.key not in listed}
    waiting = listed | waiting
    for key, (spec, usage) in sorted(waiting.items(), key=lambda item: item[0]):
        if key == found.key or key not in change.after.daemonsets or residents.is_decided(name, key):
            continue
        if own is not None and usage.priority < own:
            continue
        if _fit(spec, change.after.nodes[name], staying, change.after).fits is not False:
            yield key, usage
    for key, usage in contents.possible_pods.get(name, ()):
        is_weaker = own is not None and usage.priority < own
        if key != found.key and key not in waiting and not is_weaker and not residents.is_decided(name, key):
            yield key, usage


def _fit(spec: PodSpec, node: Node, usages: Sequence[PodUsage], world: ClusterState) -> NodeFit:
    occupancy = assemble_occupancy((node,), {node.metadata.name: usages}, (), ())
    behavior = find_scheduler_behavior(world.versions)
    return fit_pod(spec, occupancy, is_admitted=True, comparison_operators=world.comparison_operators, behavior=behavior).nodes[0]
