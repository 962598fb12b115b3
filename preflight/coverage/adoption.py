"""Pods that change hands: those that a new DaemonSet adopts, and those that nobody owns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from preflight.change.model import Change
from preflight.change.orphaned_pods import adopts, selects
from preflight.coverage.daemonset_pods import Made, PodGroup, PodsOf, labels_of, number_of, tolerations_of
from preflight.coverage.model import Group
from preflight.coverage.outcome import Verdict
from preflight.coverage.pod_revisions import is_updated, made_by, marks
from preflight.model.objects import DaemonSet, ObjectKey, controller
from preflight.model.report import Outcome
from preflight.model.world import World
from preflight.scheduling.placement import place
from preflight.scheduling.tolerations import daemon_tolerations


def adopted(change: Change, pods: Mapping[ObjectKey, PodsOf]) -> Mapping[ObjectKey, PodsOf]:
    """The pods, with those that each new DaemonSet adopts as its own.

    1. What a deleted DaemonSet has left in an earlier step is of its last template.
    2. A listed pod that nothing controls is of another template; its label says the number of it.
    3. Where a node has pods of several, one counts.
    """
    new = [key for key in change.daemonsets if key in change.after.daemonsets and key not in change.before.daemonsets]
    found: dict[ObjectKey, PodsOf] = {}
    for key in new:
        daemonset = change.after.daemonsets[key]
        groups: list[PodGroup] = []
        made: list[Made] = []
        for left, other in change.before.orphaned.items():
            if left in pods and adopts(daemonset, other):
                groups += pods[left].groups
                made += _made(pods[left], other)
        for group, one in _bare(change, daemonset):
            groups.append(group)
            made.append(one)
        if groups:
            found[key] = _of(daemonset, groups, made)
    return {**pods, **found} if found else pods


def as_left(change: Change, key: ObjectKey) -> Change:
    """The change as pods meet it that a DaemonSet has left before: nothing owns them."""
    return replace(change, deleted={**change.deleted, key: "orphan"})


def left(group: Group, after: World) -> Group:
    """A group of such pods: those that stay have not come nearer to their end by the change."""
    node = after.nodes.get(group.names[0])
    if group.outcome is not Outcome.LOST_ON_RECREATION:
        spec = group.daemonset.spec.template.spec
        placement = place(spec, daemon_tolerations(spec), node, after.comparison_operators) if node else None
        evicted = placement is not None and placement.may_stay is False
        return replace(group, was=Outcome.ALREADY_FRAGILE, after=placement if evicted else None)
    verdict = Verdict(Outcome.ALREADY_FRAGILE, group.verdict.before, group.verdict.pod, False)
    return replace(group, verdict=verdict, was=Outcome.ALREADY_FRAGILE)


def _of(daemonset: DaemonSet, groups: list[PodGroup], made: list[Made]) -> PodsOf:
    old = frozenset().union(*(each.nodes for each in made if not is_updated(each, daemonset)))
    parts: list[PodGroup] = []
    taken: frozenset[str] = frozenset()
    for group in groups:
        parts += marks(replace(group, nodes=group.nodes - taken), old)
        taken |= group.nodes
    return PodsOf(tuple(parts), taken, made=tuple(replace(each, nodes=each.nodes & old) for each in made if each.nodes & old))


def _made(pods: PodsOf, daemonset: DaemonSet) -> Iterator[Made]:
    """The templates of the pods that a DaemonSet has left."""
    yield from pods.made
    there = frozenset().union(*(group.nodes for group in pods.groups))
    yield made_by(daemonset, there.difference(*(each.nodes for each in pods.made)))


def _bare(change: Change, daemonset: DaemonSet) -> Iterator[tuple[PodGroup, Made]]:
    """The live listed pods that nothing controls and that a DaemonSet selects."""
    found: defaultdict[tuple[bytes, int], set[str]] = defaultdict(set)
    namespace = daemonset.metadata.namespace
    for pod in change.before.pods:
        if pod.metadata.namespace != namespace or not pod.spec.nodeName or pod.metadata.deletionTimestamp or controller(pod):
            continue
        labels = labels_of(bytes(pod.metadata.labels))
        if pod.status.phase not in ("Failed", "Succeeded") and selects(daemonset, namespace, labels):
            found[bytes(pod.spec.tolerations), number_of(labels)].add(pod.spec.nodeName)
    for (tolerations, generation), names in sorted(found.items()):
        nodes = frozenset(names)
        yield PodGroup(nodes, tolerations_of(tolerations), listed=True), Made(nodes, "", generation)
