"""The impact of one change: every pair of DaemonSet and node that it touches, judged by node class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from preflight.change.model import Change
from preflight.coverage.daemonset_evaluator import ChangeEvaluation, DaemonSetEvaluator
from preflight.coverage.daemonset_pods import DaemonSetPods
from preflight.coverage.model import CoverageGroup, Impact
from preflight.coverage.node_classes import NodePartitions
from preflight.coverage.outcome import PodAfter
from preflight.coverage.shared_analysis import SharedAnalysis
from preflight.coverage.update_progress import continues_update
from preflight.model.fit_reasons import PodFit
from preflight.model.meta import ObjectKey
from preflight.model.report import Outcome
from preflight.model.world import ClusterState
from preflight.scheduling.tolerations import NEVER, add_implicit_tolerations

if TYPE_CHECKING:
    from preflight.coverage.fit.residents import JudgedDaemonSet


def evaluate_change(
    change: Change, pods: Mapping[ObjectKey, DaemonSetPods], horizon: float = NEVER, shared_analysis: SharedAnalysis | None = None
) -> Impact:
    """Judge a change over the pods that are there.

    1. A change of nodes judges every DaemonSet on the nodes that it names or differs; one that names or differs DaemonSets judges
       these on all nodes, and so does one that lets an update go on; without a change (`change.command` empty) everything is judged.
    2. Nodes are judged by class: one matcher call for each class and DaemonSet, before and after.
    3. An eviction after more than `horizon` seconds has not happened yet once the change has settled (see `outcome.forecast_pod`).
    4. A DaemonSet in `pods` has the pods given there; elsewhere a pod is assumed where it should run before the change.
    5. Pods that nobody owns any more are judged like those of a DaemonSet, on the nodes of the change: taints alone end them.
    6. Pods that are created have to fit on their nodes: see `fit.evaluate`. Not asked where it is told how new pods begin.
    7. `shared_analysis` is what an earlier look at the same change worked out; None where this is the first one.
    """
    before, after = change.before, change.after
    shared_analysis = shared_analysis or SharedAnalysis(change)
    views = [before.nodes, after.nodes, change.replacements] if change.replacements else [before.nodes, after.nodes]
    everything = frozenset((*before.nodes, *after.nodes))
    differing = frozenset(name for name in everything if before.nodes.get(name) is not after.nodes.get(name))
    scope = (change.nodes | differing) & everything if change.command else everything
    evaluation = ChangeEvaluation(change, NodePartitions(*views), differing, horizon, shared_analysis, pods)
    evaluated: list[_EvaluatedDaemonSet] = []
    fully_judged = set()
    for key in sorted({*before.daemonsets, *after.daemonsets}):
        old, new = before.daemonsets.get(key), after.daemonsets.get(key)
        is_named = key in change.daemonsets or old is not new or key in change.updated_daemonsets or key in change.deleted_pod_nodes
        is_named = is_named or continues_update(change, new, pods.get(key))
        if is_named:
            fully_judged.add(key)
        elif change.command and not scope:
            continue
        evaluator = DaemonSetEvaluator(evaluation, key, old, new, pods.get(key, DaemonSetPods()))
        wanted = None if is_named or not change.command else scope
        evaluated.append(_EvaluatedDaemonSet(evaluator, evaluator.evaluate(wanted), everything if wanted is None else wanted, wanted))
    fits: Mapping[ObjectKey, Mapping[str, PodFit]] = {}
    if change.command and shared_analysis.starts is None:
        evaluated, fits = _apply_fits(evaluation, pods, evaluated)
    if before.orphaned_daemonsets:
        evaluated += _evaluate_orphaned_pods(evaluation, pods, scope)
    return Impact(
        change,
        tuple(sorted((group for daemonset in evaluated for group in daemonset.groups), key=lambda group: group.sort_key)),
        scope,
        frozenset(fully_judged),
        lambda: _collect_pods_after(evaluation, pods, evaluated, fits),
        sum(len(daemonset.nodes) for daemonset in evaluated),
        {daemonset.evaluator.key: rollout for daemonset in evaluated if (rollout := daemonset.evaluator.rollout) is not None},
        shared_analysis,
        pods_before=pods,
        pod_fits=fits,
    )


class _EvaluatedDaemonSet(NamedTuple):
    """A DaemonSet with its groups, the nodes that it was judged on, and the same as a scope (None: all nodes)."""

    evaluator: DaemonSetEvaluator
    groups: list[CoverageGroup]
    nodes: frozenset[str]
    scope: frozenset[str] | None = None


def _apply_fits(
    evaluation: ChangeEvaluation, pods: Mapping[ObjectKey, DaemonSetPods], evaluated: list[_EvaluatedDaemonSet]
) -> tuple[list[_EvaluatedDaemonSet], Mapping[ObjectKey, Mapping[str, PodFit]]]:
    """The DaemonSets, judged again where a pod that is created does not fit or may not, and the fits."""
    updated = evaluation.change.updated_daemonsets
    if not any(item.evaluator.key in updated or item.evaluator.changes_template for item in evaluated) and not any(
        group.forecast.pod_after is PodAfter.NEW or group.outcome is Outcome.MISSING or group.keeps_old_pod
        for item in evaluated
        for group in item.groups
    ):
        return evaluated, {}
    from preflight.coverage.fit.evaluate import judge_created_pods  # no part of a run that creates no pod

    asked = [_as_judged(item) for item in evaluated]
    fits = judge_created_pods(evaluation.change, pods, asked, evaluation.classes, evaluation.horizon)
    return [
        item._replace(groups=item.evaluator.evaluate(item.scope, fits[item.evaluator.key]))
        if any(fit.changes_outcome for fit in fits.get(item.evaluator.key, {}).values())
        else item
        for item in evaluated
    ], fits


def _as_judged(item: _EvaluatedDaemonSet) -> JudgedDaemonSet:
    from preflight.coverage.fit.residents import JudgedDaemonSet

    return JudgedDaemonSet(item.evaluator.key, item.evaluator.daemonset_before, item.evaluator.daemonset_after, item.groups)


def _evaluate_orphaned_pods(
    evaluation: ChangeEvaluation, pods: Mapping[ObjectKey, DaemonSetPods], scope: frozenset[str]
) -> Iterator[_EvaluatedDaemonSet]:
    """The pods that nobody owns any more, on the nodes of the change."""
    from preflight.coverage.adoption import clear_unaffected_outcome, orphan_before_change  # no part of a run without a deletion

    change = evaluation.change
    for key, daemonset in change.before.orphaned_daemonsets.items():
        nodes = scope | change.deleted_pod_nodes.get(key, frozenset())
        if key in change.after.orphaned_daemonsets and key in pods and nodes:
            orphaning = replace(evaluation, change=orphan_before_change(change, key))
            evaluator = DaemonSetEvaluator(orphaning, key, daemonset, None, pods[key])
            groups = [clear_unaffected_outcome(group, change.after) for group in evaluator.evaluate(nodes)]
            yield _EvaluatedDaemonSet(evaluator, groups, nodes)


def _collect_pods_after(
    evaluation: ChangeEvaluation,
    pods: Mapping[ObjectKey, DaemonSetPods],
    evaluated: Sequence[_EvaluatedDaemonSet],
    fits: Mapping[ObjectKey, Mapping[str, PodFit]],
) -> Mapping[ObjectKey, DaemonSetPods]:
    """The pods once the change has settled; `fits` are those of the pods that it creates, and of those that may be preempted for them."""
    change = evaluation.change
    orphaned_before, orphaned_after = change.before.orphaned_daemonsets, change.after.orphaned_daemonsets
    there = {key: found for key, found in pods.items() if key not in orphaned_before or key in orphaned_after}
    for evaluator, groups, nodes, _ in evaluated:
        key = evaluator.key
        if evaluator.daemonset_after is not None or key in orphaned_before:
            there[key] = evaluator.collect_pods_after(groups, nodes)
            if any(group.is_old for group in there[key].groups):
                from preflight.coverage.pod_revisions import record_revisions  # no part of a run without old pods

                there[key] = record_revisions(change, key, pods.get(key, DaemonSetPods()), there[key])
        elif key in change.deleted_daemonsets:
            from preflight.change.orphaned_pods import orphaned_pods_key  # no part of a run without a deletion

            there.pop(key, None)
            if orphaned_pods_key(key) in orphaned_after:
                there[orphaned_pods_key(key)] = evaluator.collect_pods_after(groups, nodes)
    for key, found in fits.items():
        preempted = frozenset(name for name, fit in found.items() if fit.preemptors)
        if preempted and key in there:
            there[key] = there[key].leave_pending(preempted)
    _leave_freed_room(evaluation, pods, evaluated, there)
    return there


def _leave_freed_room(
    evaluation: ChangeEvaluation,
    pods: Mapping[ObjectKey, DaemonSetPods],
    evaluated: Sequence[_EvaluatedDaemonSet],
    there: MutableMapping[ObjectKey, DaemonSetPods],
) -> None:
    """Pods that wait, and were not judged themselves, may find the room that the change leaves."""
    judged = {item.evaluator.key: item.nodes for item in evaluated}
    waiting = {
        key: found.waiting_nodes - judged.get(key, frozenset())
        for key, found in there.items()
        if found.waiting_nodes and key in evaluation.change.after.daemonsets
    }
    waiting = {key: nodes for key, nodes in waiting.items() if nodes}
    if not waiting or not evaluation.change.command:
        return
    from preflight.coverage.fit.freed_room import find_nodes_with_freed_room  # no part of a run where no pod waits

    change = evaluation.change
    for key, names in find_nodes_with_freed_room(change, pods, [_as_judged(item) for item in evaluated], evaluation.classes, waiting):
        spec = change.after.daemonsets[key].spec.template.spec
        there[key] = there[key].leave_bound(names, add_implicit_tolerations(spec))


def make_empty_change(world: ClusterState) -> Change:
    """No change at all, over a world: what lint judges."""
    return Change(command="", headline="", before=world, after=world, nodes=frozenset(world.nodes))
