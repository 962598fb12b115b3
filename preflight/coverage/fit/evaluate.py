"""Whether each pod that a change has a DaemonSet create is bound to its node: the scheduler's answer, node by node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from preflight.change.model import Change
from preflight.coverage.daemonset_pods import DaemonSetPods
from preflight.coverage.fit.created_pods import can_preempt, find_claimed_volumes, has_same_doubts
from preflight.coverage.fit.node_contents import NodeContents
from preflight.coverage.fit.obstacles import find_obstacles, find_volume_obstacles, list_shortages
from preflight.coverage.fit.preempted_pods import add_preempted_pods, fit_new_pods
from preflight.coverage.fit.residents import JudgedDaemonSet, NewPods, Residents
from preflight.coverage.fit.waiting_pods import judge_again, list_missing_nodes, list_waiting, select_refused
from preflight.coverage.node_classes import NodePartitions
from preflight.coverage.outcome import PodAfter
from preflight.coverage.update_progress import continues_update
from preflight.model.fit_reasons import FitVerdict, PodFit
from preflight.model.meta import ObjectKey
from preflight.model.report import Outcome
from preflight.model.uncertainty import Uncertainty, UncertaintyKind
from preflight.scheduling.fit import FitResult
from preflight.scheduling.node_fit import NodeFit
from preflight.scheduling.occupancy import PodUsage
from preflight.scheduling.tolerations import NEVER
from preflight.scheduling.update_strategy import uses_surge

PodFits = Mapping[ObjectKey, Mapping[str, PodFit]]
"""By DaemonSet and node, where a pod is created and does not simply fit or is not simply unknown."""

_OF_POD = frozenset(
    (
        UncertaintyKind.GATES,
        UncertaintyKind.GROUP,
        UncertaintyKind.CLAIMS,
        UncertaintyKind.VOLUMES,
        UncertaintyKind.AFFINITY,
        UncertaintyKind.SPREAD,
        UncertaintyKind.NEIGHBORS,
    )
)
_PREEMPTION = Uncertainty(UncertaintyKind.PREEMPTION)


def judge_created_pods(
    change: Change,
    pods: Mapping[ObjectKey, DaemonSetPods],
    judged: Sequence[JudgedDaemonSet],
    classes: NodePartitions,
    horizon: float = NEVER,
) -> PodFits:
    """Whether each pod that the change creates is bound to its node, by DaemonSet and node; {} where none is created.

    1. A pod that the change ends within `horizon` seconds has given its room free, and a pod that stays holds its own. Asked are the
       scheduler's filters: ports of the node, the number of pods, requests, and the PersistentVolumes of claims.
    2. Where several DaemonSets get a new pod on a node, or one waits there already, each is judged without the others first. One that fits
       only without them, of no lower priority, is DOUBTFUL.
    3. A pod that finds no room before the change is asked for again: what it waits for may come free.
    4. The template that an update brings is judged also where the old pod stays: its successor will be of it. Where a pod is missing,
       one that finds no room still holds the update up.
    5. A node that is only partly known, or the template of a pool, is not judged.
    """
    asked = ((item, _select_nodes(change, item, pods), list_missing_nodes(change, item)) for item in judged)
    wanted = [(item, nodes, missing) for item, nodes, missing in asked if nodes or missing]
    if not wanted:
        return {}
    every = frozenset().union(*(nodes | missing for _, nodes, missing in wanted))
    contents = NodeContents(change, pods, every, classes, horizon)
    made = [
        _make_new_pods(
            change, contents, item, nodes, select_refused(change, contents, item, missing), is_updated=_is_updated(change, item, pods)
        )
        for item, nodes, missing in wanted
    ]
    new = {new_pods.key: new_pods for new_pods in made if new_pods.nodes}
    residents = Residents(contents, judged, new, every)
    fits = {key: dict(judge_again(found, _judge_nodes(change, contents, residents, found))) for key, found in new.items()}
    add_preempted_pods(change, contents, residents, new, fits)
    return {key: found for key, found in fits.items() if found}


def _select_nodes(change: Change, judged: JudgedDaemonSet, pods: Mapping[ObjectKey, DaemonSetPods]) -> frozenset[str]:
    """The nodes that get a pod of a DaemonSet's template after the change, sooner or later by the change itself."""
    if judged.after is None:
        return frozenset()
    is_updated = _is_updated(change, judged, pods)
    names = {
        name
        for group in judged.groups
        if (group.outcome in (Outcome.GAINED, Outcome.KEPT, Outcome.LOOP) and group.forecast.pod_after is PodAfter.NEW)
        or (is_updated and group.outcome in (Outcome.KEPT, Outcome.MISSING))
        or group.keeps_old_pod
        for name in group.nodes
    }
    nodes = change.after.nodes
    return frozenset(name for name in names if not nodes[name].is_partial and nodes[name].pool is None)


def _is_updated(change: Change, judged: JudgedDaemonSet, pods: Mapping[ObjectKey, DaemonSetPods]) -> bool:
    """Whether an update starts, or one of before goes on; under OnDelete, whether the successors of pods are of another template."""
    if judged.key in change.updated_daemonsets or continues_update(change, judged.after, pods.get(judged.key)):
        return True
    before, after = judged.before, judged.after
    return before is not None and after is not None and before.spec.template.spec != after.spec.template.spec


def _make_new_pods(
    change: Change, contents: NodeContents, judged: JudgedDaemonSet, nodes: frozenset[str], waiting: frozenset[str], *, is_updated: bool
) -> NewPods:
    assert judged.after is not None
    pod = contents.make_pod(judged.after, change.after)
    old = contents.make_pod(judged.before, change.before) if judged.before is not None else None
    return NewPods(
        judged.key,
        pod,
        contents.measure_template(judged.key, pod.spec),
        nodes | waiting,
        frozenset(name for group in judged.groups if group.forecast.had_pod for name in group.nodes),
        old is not None and has_same_doubts(old, pod),
        judged.before is not None and uses_surge(judged.after.spec),
        waiting,
        is_updated,
    )


def _judge_nodes(change: Change, contents: NodeContents, residents: Residents, found: NewPods) -> Iterator[tuple[str, PodFit]]:
    """The fit of the new pods of one DaemonSet, node by node."""
    staying = {name: residents.list_staying(name, found.key) for name in sorted(found.nodes)}
    answer = fit_new_pods(change, contents, found, staying, contents.uncertainties)
    volumes = list(find_claimed_volumes(found.pod, change.after))
    beside = _find_surge_shortages(change, contents, found, staying)
    for node_fit in answer.nodes:
        name = node_fit.node
        node = change.after.nodes[name]
        if lost := find_volume_obstacles(volumes, node):
            yield name, PodFit(FitVerdict.UNFIT, (*find_obstacles(node_fit, found.pod.spec, staying[name], contents), *lost))
        elif node_fit.fits is False:
            yield name, _judge_refusal(change, contents, found, node_fit, staying[name])
        else:
            rivals = [*residents.list_rivals(name, found), *list_waiting(change, contents, residents, found, name, staying[name])]
            fit = _judge_rivals(change, contents, found, name, staying[name], rivals)
            if fit is None and rivals and (old := _list_old(contents, found, name)):
                both = [*staying[name], *old]
                is_alone = fit_new_pods(change, contents, found, {name: both}).nodes[0].fits is not False
                fit = _judge_rivals(change, contents, found, name, both, rivals) if is_alone else None
            fit = fit or _judge_doubts(found, answer, node_fit, frozenset(claim for claim, _ in volumes))
            yield name, replace(fit, surge_shortages=beside.get(name, ()), evicts_old=_evicts_old(contents, found, name))


def _judge_refusal(change: Change, contents: NodeContents, found: NewPods, node_fit: NodeFit, staying: Sequence[PodUsage]) -> PodFit:
    """A node that refuses the pod now: for good, or until pods of lower priority are gone."""
    obstacles = find_obstacles(node_fit, found.pod.spec, staying, contents)
    priority = found.pod.spec.priority
    if node_fit.may_preempt is False or node_fit.node in contents.silent_nodes:
        return PodFit(FitVerdict.UNFIT, obstacles)
    if priority is None:
        return PodFit(FitVerdict.DOUBTFUL, obstacles, uncertainties=(_PREEMPTION,))
    above = [usage for usage in staying if usage.priority >= priority]
    only_those = fit_new_pods(change, contents, found, {node_fit.node: above}).nodes[0]
    if only_those.fits is False:
        return PodFit(FitVerdict.UNFIT, find_obstacles(only_those, found.pod.spec, above, contents))
    victims = tuple(sorted("/".join(usage.key) for usage in staying if usage.priority < priority))
    return PodFit(FitVerdict.PREEMPTS, obstacles, victims=victims)


def _judge_rivals(
    change: Change,
    contents: NodeContents,
    found: NewPods,
    name: str,
    staying: Sequence[PodUsage],
    rivals: Sequence[tuple[ObjectKey, PodUsage]],
) -> PodFit | None:
    """A pod that fits, but not beside the new and the waiting pods of all other DaemonSets; None where they all fit."""
    if not rivals:
        return None
    usages = [*staying, *(usage for _, usage in rivals)]
    together = fit_new_pods(change, contents, found, {name: usages}).nodes[0]
    if together.fits is not False:
        return None
    if together.may_preempt and (refusal := _judge_refusal(change, contents, found, together, usages)).verdict is FitVerdict.PREEMPTS:
        return refusal
    obstacles = find_obstacles(together, found.pod.spec, usages, contents)
    wanted = list_shortages(obstacles)
    ports = {port.number for port in found.usage.ports}
    keys = [
        key
        for key, usage in rivals
        if any(usage.amounts.get(resource) for resource in wanted) or any(port.number in ports for port in usage.ports)
    ]
    return PodFit(FitVerdict.DOUBTFUL, obstacles, rivals=tuple(keys) or tuple(key for key, _ in rivals))


def _judge_doubts(found: NewPods, answer: FitResult, node_fit: NodeFit, known_claims: frozenset[str]) -> PodFit:
    """A pod that nothing refuses: what keeps that from being certain.

    What is not judged of a pod counts only where it differs from the pod that was there: that one was bound.
    """
    if node_fit.fits:
        return PodFit(FitVerdict.FITS)
    doubts = [doubt for doubt in dict.fromkeys((*answer.uncertainties, *node_fit.uncertainties)) if doubt != _PREEMPTION]
    of_pod = tuple(doubt for doubt in doubts if doubt.kind in _OF_POD and not _is_known_volume(found, doubt, known_claims))
    if of_pod and not (found.has_same_doubts and node_fit.node in found.replacing):
        return PodFit(FitVerdict.DOUBTFUL, uncertainties=of_pod)
    rest = tuple(doubt for doubt in doubts if doubt.kind not in _OF_POD)
    return PodFit(FitVerdict.NOT_JUDGED, uncertainties=rest) if rest else PodFit(FitVerdict.FITS)


def _is_known_volume(found: NewPods, doubt: Uncertainty, known_claims: frozenset[str]) -> bool:
    """Whether a doubt is about a volume whose PersistentVolume was looked at."""
    return doubt.kind is UncertaintyKind.VOLUMES and any(
        volume.name == doubt.subject and volume.persistentVolumeClaim is not None and volume.persistentVolumeClaim.claimName in known_claims
        for volume in found.pod.spec.volumes
    )


def _list_old(contents: NodeContents, found: NewPods, name: str) -> Sequence[PodUsage]:
    """The old pod that the new one of a surge has to fit beside, and beside the new pods of others; () where it goes first."""
    is_beside = found.has_surge and name in found.replacing and not _evicts_old(contents, found, name)
    return contents.daemonset_pods.get((found.key, name), ()) if is_beside else ()


def _evicts_old(contents: NodeContents, found: NewPods, name: str) -> bool:
    """Whether the new pod of a surge has the scheduler evict the old one where they do not both fit."""
    own, old = found.pod.spec.priority, contents.daemonset_pods.get((found.key, name), ())
    is_able = found.has_surge and can_preempt(found.pod) and name not in contents.silent_nodes
    return is_able and own is not None and bool(old) and all(usage.priority < own for usage in old)


def _find_surge_shortages(
    change: Change, contents: NodeContents, found: NewPods, staying: Mapping[str, Sequence[PodUsage]]
) -> Mapping[str, tuple[str, ...]]:
    """With a surge, the resources of which a node has too little left beside the old pod, by node."""
    if not found.has_surge:
        return {}
    both = {
        name: [*usages, *old]
        for name, usages in staying.items()
        if (old := contents.daemonset_pods.get((found.key, name))) and name in found.replacing
    }
    if not both:
        return {}
    refusals = (
        node_fit
        for node_fit in fit_new_pods(change, contents, found, both).nodes
        if node_fit.fits is False and node_fit.may_preempt is False
    )
    return {
        node_fit.node: shortages
        for node_fit in refusals
        if (shortages := list_shortages(find_obstacles(node_fit, found.pod.spec, both[node_fit.node], contents)))
    }
