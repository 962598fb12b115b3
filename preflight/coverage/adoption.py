"""Pods that change hands: those that a new DaemonSet adopts, and those that nobody owns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from preflight.change.model import Change
from preflight.change.orphaned_pods import adopts_pods, selects_pods
from preflight.coverage.daemonset_pods import DaemonSetPods, PodGroup, PodRevision
from preflight.coverage.model import CoverageGroup
from preflight.coverage.outcome import PodForecast
from preflight.coverage.pod_fields import parse_generation, parse_labels, parse_tolerations
from preflight.coverage.pod_revisions import is_updated, make_revision, split_by_age
from preflight.coverage.pod_templates import TemplateMatch, match_template
from preflight.model.apps import DaemonSet
from preflight.model.cascade import Cascade
from preflight.model.core import find_controller
from preflight.model.meta import ObjectKey
from preflight.model.report import Outcome
from preflight.model.world import ClusterState
from preflight.scheduling.placement import evaluate_placement
from preflight.scheduling.tolerations import add_implicit_tolerations


def adopt_pods(change: Change, daemonset_pods: Mapping[ObjectKey, DaemonSetPods]) -> Mapping[ObjectKey, DaemonSetPods]:
    """The pods, with those that each new DaemonSet adopts as its own.

    1. What a deleted DaemonSet has left in an earlier step is of its last template.
    2. Of which template a listed pod is that nothing controls, it shows itself; its label says the number of it.
    3. Where a node has pods of several, one counts.
    """
    new = [key for key in change.daemonsets if key in change.after.daemonsets and key not in change.before.daemonsets]
    found: dict[ObjectKey, DaemonSetPods] = {}
    for key in new:
        daemonset = change.after.daemonsets[key]
        groups: list[PodGroup] = []
        made: list[PodRevision] = []
        for left, other in change.before.orphaned_daemonsets.items():
            if left in daemonset_pods and adopts_pods(daemonset, other):
                groups += daemonset_pods[left].groups
                made += _iter_left_revisions(daemonset_pods[left], other)
        for group, one in _iter_bare_pods(change, daemonset):
            groups.append(group)
            made.append(one)
        if groups:
            found[key] = _add_adopted_pods(daemonset, groups, made)
    return {**daemonset_pods, **found} if found else daemonset_pods


def orphan_before_change(change: Change, key: ObjectKey) -> Change:
    """The change as pods meet it that a DaemonSet has left before: nothing owns them."""
    return replace(change, deleted_daemonsets={**change.deleted_daemonsets, key: Cascade.ORPHAN})


def clear_unaffected_outcome(group: CoverageGroup, after: ClusterState) -> CoverageGroup:
    """A group of such pods: those that stay have not come nearer to their end by the change."""
    node = after.nodes.get(group.node_names[0])
    if group.outcome is not Outcome.LOST_ON_RECREATION:
        spec = group.daemonset.spec.template.spec
        placement = evaluate_placement(spec, add_implicit_tolerations(spec), node, after.comparison_operators) if node else None
        evicted = placement is not None and placement.may_stay is False
        return replace(group, outcome_before=Outcome.ALREADY_FRAGILE, placement_after=placement if evicted else None)
    forecast = PodForecast(Outcome.ALREADY_FRAGILE, group.forecast.had_pod, group.forecast.pod_after, False)
    return replace(group, forecast=forecast, outcome_before=Outcome.ALREADY_FRAGILE)


def _add_adopted_pods(daemonset: DaemonSet, groups: list[PodGroup], made: list[PodRevision]) -> DaemonSetPods:
    old = frozenset().union(*(revision.nodes for revision in made if not is_updated(revision, daemonset)))
    parts: list[PodGroup] = []
    taken: frozenset[str] = frozenset()
    for group in groups:
        parts += (
            part if part.is_old else replace(part, may_be_updated=False)
            for part in split_by_age(replace(group, nodes=group.nodes - taken), old)
        )
        taken |= group.nodes
    return DaemonSetPods(
        tuple(parts), taken, revisions=tuple(replace(revision, nodes=revision.nodes & old) for revision in made if revision.nodes & old)
    )


def _iter_left_revisions(pods: DaemonSetPods, daemonset: DaemonSet) -> Iterator[PodRevision]:
    """The templates of the pods that a DaemonSet has left."""
    yield from pods.revisions
    there = frozenset().union(*(group.nodes for group in pods.groups))
    yield make_revision(daemonset, there.difference(*(revision.nodes for revision in pods.revisions)))


def _iter_bare_pods(change: Change, daemonset: DaemonSet) -> Iterator[tuple[PodGroup, PodRevision]]:
    """The live listed pods that nothing controls and that a DaemonSet selects."""
    found: defaultdict[tuple[bytes, int, TemplateMatch], set[str]] = defaultdict(set)
    namespace = daemonset.metadata.namespace
    for pod in change.before.pods:
        if pod.metadata.namespace != namespace or not pod.spec.nodeName or pod.metadata.deletionTimestamp or find_controller(pod):
            continue
        labels = parse_labels(bytes(pod.metadata.labels))
        if pod.status.phase not in ("Failed", "Succeeded") and selects_pods(daemonset, namespace, labels):
            key = (bytes(pod.spec.tolerations), parse_generation(labels), match_template(pod, daemonset))
            found[key].add(pod.spec.nodeName)
    for (tolerations, generation, match), names in sorted(found.items()):
        nodes = frozenset(names)
        group = PodGroup(nodes, parse_tolerations(tolerations), is_listed=True, may_be_updated=match is TemplateMatch.UNKNOWN)
        template = make_revision(daemonset, nodes).template if match is TemplateMatch.SAME else ""
        yield group, PodRevision(nodes, template, generation)
