"""The impact of one change: every pair of DaemonSet and node that it touches, judged by node class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from preflight.change.model import Change
from preflight.coverage.cohorts import Slice, goes_on
from preflight.coverage.daemonset_evaluator import Pair
from preflight.coverage.daemonset_pods import PodsOf
from preflight.coverage.model import Group, Impact
from preflight.coverage.node_classes import Classes
from preflight.coverage.shared_analysis import Known
from preflight.model.objects import ObjectKey
from preflight.model.world import World
from preflight.scheduling.tolerations import NEVER

if TYPE_CHECKING:
    from preflight.coverage.rollout.simulation import Rollout


def judge(change: Change, pods: Mapping[ObjectKey, PodsOf], horizon: float = NEVER, shared: Known | None = None) -> Impact:
    """Judge a change over the pods that are there.

    1. A change of nodes judges every DaemonSet on the nodes that it names or differs; one that names or differs DaemonSets judges
       these on all nodes, and so does one that lets an update go on; without a change (`change.command` empty) everything is judged.
    2. Nodes are judged by class: one matcher call for each class and DaemonSet, before and after.
    3. An eviction after more than `horizon` seconds has not happened yet once the change has settled (see verdict.settle).
    4. A DaemonSet in `pods` has the pods given there; elsewhere a pod is assumed where it should run before the change.
    5. Pods that nobody owns any more are judged like those of a DaemonSet, on the nodes of the change: taints alone end them.
    6. `shared` is what an earlier look at the same change worked out; None where this is the first one.
    """
    before, after = change.before, change.after
    shared = shared or Known(change)
    views = [before.nodes, after.nodes, change.replacements] if change.replacements else [before.nodes, after.nodes]
    classes = Classes(*views)
    everything = frozenset((*before.nodes, *after.nodes))
    differing = frozenset(name for name in everything if before.nodes.get(name) is not after.nodes.get(name))
    scope = (change.nodes | differing) & everything if change.command else everything
    groups: list[Group] = []
    judged: list[tuple[Pair, list[tuple[Group, Slice]], frozenset[str]]] = []
    whole = set()
    rollouts: dict[ObjectKey, Rollout] = {}
    pairs = 0
    for key in sorted({*before.daemonsets, *after.daemonsets}):
        old, new = before.daemonsets.get(key), after.daemonsets.get(key)
        named = key in change.daemonsets or old is not new or key in change.updated or key in change.ended
        named = named or goes_on(change, new, pods.get(key))
        if named:
            whole.add(key)
        elif change.command and not scope:
            continue
        pair = Pair(change, classes, key, old, new, pods.get(key, PodsOf()), differing, horizon, shared)
        wanted = None if named or not change.command else scope
        found = pair.judge(wanted)
        groups += (group for group, _ in found)
        judged.append((pair, found, everything if wanted is None else wanted))
        pairs += len(everything if wanted is None else wanted)
        if pair.rollout is not None:
            rollouts[key] = pair.rollout

    if before.orphaned:
        from preflight.coverage.adoption import as_left, left  # no part of a run without a deletion
    for key, daemonset in before.orphaned.items():
        ends = change.ended.get(key, frozenset())
        if key in after.orphaned and key in pods and (scope or ends):
            pair = Pair(as_left(change, key), classes, key, daemonset, None, pods[key], differing, horizon, shared)
            found = [(left(group, change.after), part) for group, part in pair.judge(scope | ends)]
            groups += (group for group, _ in found)
            judged.append((pair, found, scope | ends))
            pairs += len(scope | ends)

    def settled() -> Mapping[ObjectKey, PodsOf]:
        there = {key: each for key, each in pods.items() if key not in before.orphaned or key in after.orphaned}
        for pair, found, nodes in judged:
            key = pair.key
            if pair.new is not None or key in before.orphaned:
                there[key] = pair.pods_after(found, nodes)
                if any(group.old for group in there[key].groups):
                    from preflight.coverage.pod_revisions import remembered  # no part of a run without old pods

                    there[key] = remembered(change, key, pods.get(key, PodsOf()), there[key])
            elif key in change.deleted:
                from preflight.change.orphaned_pods import left_key  # no part of a run without a deletion

                there.pop(key, None)
                if left_key(key) in after.orphaned:
                    there[left_key(key)] = pair.pods_after(found, nodes)
        return there

    return Impact(
        change,
        tuple(sorted(groups, key=lambda group: group.order)),
        scope,
        frozenset(whole),
        settled,
        pairs,
        rollouts,
        shared,
    )


def unchanged(world: World) -> Change:
    """No change at all, over a world: what lint judges."""
    return Change(command="", headline="", before=world, after=world, nodes=frozenset(world.nodes))
