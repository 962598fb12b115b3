"""The impact of one change: every pair of DaemonSet and node that it touches, judged by node class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from preflight.change.model import Change
from preflight.coverage.cohorts import NodeCohort, continues_update
from preflight.coverage.daemonset_evaluator import DaemonSetEvaluator
from preflight.coverage.daemonset_pods import DaemonSetPods
from preflight.coverage.model import CoverageGroup, Impact
from preflight.coverage.node_classes import NodePartitions
from preflight.coverage.shared_analysis import SharedAnalysis
from preflight.model.objects import ObjectKey
from preflight.model.world import ClusterState
from preflight.scheduling.tolerations import NEVER

if TYPE_CHECKING:
    from preflight.coverage.rollout.simulation import Rollout


def evaluate_change(
    change: Change, pods: Mapping[ObjectKey, DaemonSetPods], horizon: float = NEVER, shared_analysis: SharedAnalysis | None = None
) -> Impact:
    """Judge a change over the pods that are there.

    1. A change of nodes judges every DaemonSet on the nodes that it names or differs; one that names or differs DaemonSets judges
       these on all nodes, and so does one that lets an update go on; without a change (`change.command` empty) everything is judged.
    2. Nodes are judged by class: one matcher call for each class and DaemonSet, before and after.
    3. An eviction after more than `horizon` seconds has not happened yet once the change has settled (see verdict.settle).
    4. A DaemonSet in `pods` has the pods given there; elsewhere a pod is assumed where it should run before the change.
    5. Pods that nobody owns any more are judged like those of a DaemonSet, on the nodes of the change: taints alone end them.
    6. `shared_analysis` is what an earlier look at the same change worked out; None where this is the first one.
    """
    before, after = change.before, change.after
    shared_analysis = shared_analysis or SharedAnalysis(change)
    views = [before.nodes, after.nodes, change.replacements] if change.replacements else [before.nodes, after.nodes]
    classes = NodePartitions(*views)
    everything = frozenset((*before.nodes, *after.nodes))
    differing = frozenset(name for name in everything if before.nodes.get(name) is not after.nodes.get(name))
    scope = (change.nodes | differing) & everything if change.command else everything
    groups: list[CoverageGroup] = []
    judged: list[tuple[DaemonSetEvaluator, list[tuple[CoverageGroup, NodeCohort]], frozenset[str]]] = []
    whole = set()
    rollouts: dict[ObjectKey, Rollout] = {}
    pairs = 0
    for key in sorted({*before.daemonsets, *after.daemonsets}):
        old, new = before.daemonsets.get(key), after.daemonsets.get(key)
        named = key in change.daemonsets or old is not new or key in change.updated_daemonsets or key in change.deleted_pod_nodes
        named = named or continues_update(change, new, pods.get(key))
        if named:
            whole.add(key)
        elif change.command and not scope:
            continue
        pair = DaemonSetEvaluator(change, classes, key, old, new, pods.get(key, DaemonSetPods()), differing, horizon, shared_analysis)
        wanted = None if named or not change.command else scope
        found = pair.evaluate_groups(wanted)
        groups += (group for group, _ in found)
        judged.append((pair, found, everything if wanted is None else wanted))
        pairs += len(everything if wanted is None else wanted)
        if pair.rollout is not None:
            rollouts[key] = pair.rollout

    if before.orphaned_daemonsets:
        from preflight.coverage.adoption import clear_unaffected_outcome, orphan_before_change  # no part of a run without a deletion
    for key, daemonset in before.orphaned_daemonsets.items():
        ends = change.deleted_pod_nodes.get(key, frozenset())
        if key in after.orphaned_daemonsets and key in pods and (scope or ends):
            pair = DaemonSetEvaluator(
                orphan_before_change(change, key), classes, key, daemonset, None, pods[key], differing, horizon, shared_analysis
            )
            found = [(clear_unaffected_outcome(group, change.after), part) for group, part in pair.evaluate_groups(scope | ends)]
            groups += (group for group, _ in found)
            judged.append((pair, found, scope | ends))
            pairs += len(scope | ends)

    def settled() -> Mapping[ObjectKey, DaemonSetPods]:
        there = {key: pod for key, pod in pods.items() if key not in before.orphaned_daemonsets or key in after.orphaned_daemonsets}
        for pair, found, nodes in judged:
            key = pair.key
            if pair.daemonset_after is not None or key in before.orphaned_daemonsets:
                there[key] = pair.collect_pods_after(found, nodes)
                if any(group.is_old for group in there[key].groups):
                    from preflight.coverage.pod_revisions import record_revisions  # no part of a run without old pods

                    there[key] = record_revisions(change, key, pods.get(key, DaemonSetPods()), there[key])
            elif key in change.deleted_daemonsets:
                from preflight.change.orphaned_pods import orphaned_pods_key  # no part of a run without a deletion

                there.pop(key, None)
                if orphaned_pods_key(key) in after.orphaned_daemonsets:
                    there[orphaned_pods_key(key)] = pair.collect_pods_after(found, nodes)
        return there

    return Impact(
        change,
        tuple(sorted(groups, key=lambda group: group.sort_key)),
        scope,
        frozenset(whole),
        settled,
        pairs,
        rollouts,
        shared_analysis,
    )


def make_empty_change(world: ClusterState) -> Change:
    """No change at all, over a world: what lint judges."""
    return Change(command="", headline="", before=world, after=world, nodes=frozenset(world.nodes))
