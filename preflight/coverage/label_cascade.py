"""Second waves: a label producer that goes takes its labels, and the DaemonSets that select on them go at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from preflight.change.model import Change
from preflight.coverage.daemonset_pods import DaemonSetPods, collect_listed_pods
from preflight.coverage.evaluate import evaluate_change, make_empty_change
from preflight.coverage.model import CascadeLoss, CoverageGroup, Impact
from preflight.coverage.outcome import PodAfter, PodForecast
from preflight.coverage.pool_rollout import apply_delayed_pools
from preflight.coverage.selected_labels import SelectedLabels
from preflight.coverage.shared_analysis import SharedAnalysis
from preflight.model.apps import DaemonSet
from preflight.model.core import Node
from preflight.model.meta import ObjectKey
from preflight.model.report import Outcome
from preflight.model.world import ClusterState
from preflight.scheduling.tolerations import NEVER

if TYPE_CHECKING:
    from preflight.scheduling.rollout_simulation import NewPodOutcome

_LOSS_OUTCOMES = (Outcome.LOST_NOW, Outcome.LOST_ON_RECREATION)

LabelsByNode = Mapping[str, frozenset[str]]


class _LostLabels(Struct):
    """Labels that go, by node: at once, and once the pods of their producers are re-created; and which producer takes a label."""

    lost_now: defaultdict[str, set[str]]
    lost_later: defaultdict[str, set[str]]
    producers: dict[tuple[str, str], ObjectKey]


def predict_impact(
    change: Change,
    pods: Mapping[ObjectKey, DaemonSetPods],
    horizon: float = NEVER,
    starts: Mapping[ObjectKey, Mapping[str, NewPodOutcome]] | None = None,
) -> Impact:
    """The impact of a change, second waves included: see `evaluate.evaluate_change` for the first.

    1. A DaemonSet that sets labels and loses a node by the change takes its labels from that node, at once or with its re-creation,
       unless another one that sets the same label stays there. What selects on them is judged again over what is left, again and
       again until nothing more is lost.
    2. A pair that is lost because a producer is lost on re-creation is lost on re-creation itself, though nothing touches its own pod.
    3. `CoverageGroup.cascade_losses` says which labels and whose; `Impact.cascade_losses` lists every loss in the order in which they
       happen.
    4. The world after has the labels no more that go at once.
    5. Pods that a new DaemonSet adopts are its own, and pods that are of its template already are not updated.
    6. `Impact.fading_labels` are the labels that go once a producer is re-created: ordinary pods may select on them too.
    7. What reaches only the next nodes of a pool takes nothing from those that are there: see `pool_rollout.apply_delayed_pools`.
    8. `starts` says how new pods begin: see `shared_analysis.SharedAnalysis`.
    """
    if not change.before.daemonsets.keys() >= change.daemonsets & change.after.daemonsets.keys():
        from preflight.coverage.adoption import adopt_pods  # no part of a run without a new DaemonSet

        pods = adopt_pods(change, pods)
    if any(pod.revisions for pod in pods.values()):
        from preflight.coverage.pod_revisions import mark_old_pods  # nor of one without old pods

        change, pods = mark_old_pods(change, pods)
    return apply_delayed_pools(_evaluate_cascade(change, pods, horizon, SharedAnalysis(change, starts)), pods, horizon)


def predict_unchanged(world: ClusterState, pods: Mapping[ObjectKey, DaemonSetPods] | None = None) -> Impact | None:
    """What coverage is without a change; None where no node or no DaemonSet is known. `pods` are those that are listed, once collected."""
    if not (world.nodes and world.daemonsets):
        return None
    return predict_impact(make_empty_change(world), collect_listed_pods(world) if pods is None else pods)


def _evaluate_cascade(change: Change, pods: Mapping[ObjectKey, DaemonSetPods], horizon: float, shared_analysis: SharedAnalysis) -> Impact:
    impact = evaluate_change(change, pods, horizon, shared_analysis)
    selected = SelectedLabels(impact.change.after)
    if selected.is_empty:
        return impact
    vanished = _LostLabels(defaultdict(set), defaultdict(set), {})
    while _add_lost_labels(vanished, impact, selected):
        after = _remove_labels(change, vanished.lost_now)
        impact = evaluate_change(after, pods, horizon, shared_analysis)
        if vanished.lost_later:
            both = {node: vanished.lost_now[node] | vanished.lost_later[node] for node in (*vanished.lost_now, *vanished.lost_later)}
            impact = _merge_later_losses(impact, evaluate_change(_remove_labels(change, both), pods, horizon, shared_analysis))
        impact = _attach_cascade_losses(impact, vanished, selected.by_daemonset)
    if vanished.lost_later:
        fading = {node: {label: vanished.producers[node, label] for label in labels} for node, labels in vanished.lost_later.items()}
        impact = replace(impact, fading_labels=fading)
    return impact


def _add_lost_labels(lost_labels: _LostLabels, impact: Impact, selected_labels: SelectedLabels) -> bool:
    """Add the labels that go with what is lost by now; whether there were more."""
    grew = False
    for group in impact.iter_groups(*_LOSS_OUTCOMES):
        if group.outcome_before is group.outcome:
            continue
        labels = _list_produced_labels(impact, group.daemonset, selected_labels)
        if not labels:
            continue
        into = lost_labels.lost_now if group.outcome is Outcome.LOST_NOW else lost_labels.lost_later
        for name in group.node_names:
            node = impact.change.after.nodes.get(name)
            if node is None:
                continue
            for label in labels:
                known = label in node.metadata.labels or (node.is_partial and label not in node.absent_labels)
                if known and label not in into[name] and not _has_other_producer(impact, group, name, label):
                    into[name].add(label)
                    lost_labels.producers.setdefault((name, label), group.key)
                    grew = True
    return grew


def _list_produced_labels(impact: Impact, daemonset: DaemonSet, selected_labels: SelectedLabels) -> tuple[str, ...]:
    components = impact.component_cache.recognize(daemonset)
    if not any(component.labels for component in components):
        return ()
    return tuple(sorted(label for label in selected_labels.every if any(component.sets_label(label) for component in components)))


def _has_other_producer(impact: Impact, lost: CoverageGroup, node: str, label: str) -> bool:
    """Whether another DaemonSet that stays on the node sets the same label."""
    return any(
        other.key != lost.key
        and node in other.nodes
        and other.forecast.has_pod
        and other.forecast.is_recreated
        and any(component.sets_label(label) for component in impact.component_cache.recognize(other.daemonset))
        for other in impact.groups
    )


def _remove_labels(change: Change, labels: Mapping[str, Iterable[str]]) -> Change:
    return replace(change, after=replace(change.after, nodes=remove_labels(change.after.nodes, labels)))


def remove_labels(nodes: Mapping[str, Node], labels: Mapping[str, Iterable[str]]) -> Mapping[str, Node]:
    """Nodes without some labels; a partly known node is then known not to have them."""
    found = dict(nodes)
    for name, gone in labels.items():
        node = found[name]
        kept = {key: value for key, value in node.metadata.labels.items() if key not in gone}
        absent = node.absent_labels | frozenset(gone) if node.has_unknown_labels else node.absent_labels
        found[name] = _set_labels(node, kept, absent)
    return found


def _set_labels(node: Node, labels: dict[str, str], absent: frozenset[str]) -> Node:
    return replace(node, metadata=replace(node.metadata, labels=labels), absent_labels=absent)


def _merge_later_losses(impact: Impact, later_impact: Impact) -> Impact:
    """The impact with what is lost once a producer is re-created: kept so far, and gone without the labels."""
    gone: defaultdict[ObjectKey, list[CoverageGroup]] = defaultdict(list)
    for group in later_impact.iter_groups(Outcome.LOST_NOW):
        gone[group.key].append(group)
    groups: list[CoverageGroup] = []
    for group in impact.groups:
        rest = group.nodes
        if group.forecast.pod_after is not PodAfter.NONE and group.forecast.is_recreated and group.outcome is not Outcome.UNKNOWN:
            for other in gone[group.key]:
                nodes = rest & other.nodes
                if nodes:
                    forecast = PodForecast(
                        Outcome.LOST_ON_RECREATION, group.forecast.had_pod, group.forecast.pod_after, False, group.forecast.loop_seconds
                    )
                    groups.append(_select_nodes(group, nodes, forecast=forecast, placement_after=other.placement_after, is_touched=True))
                    rest -= nodes
        if rest:
            groups.append(group if rest is group.nodes else _select_nodes(group, rest))
    known = {(group.key, name) for group in impact.groups for name in group.nodes}
    for group in (group for lost_groups in gone.values() for group in lost_groups):  # pairs that the change itself does not reach
        nodes = frozenset(name for name in group.nodes if (group.key, name) not in known)
        if nodes:
            forecast = PodForecast(Outcome.LOST_ON_RECREATION, True, PodAfter.SAME, False)
            groups.append(_select_nodes(group, nodes, forecast=forecast))
    return replace(
        impact, groups=tuple(groups), scope=impact.scope | later_impact.scope, pair_count=max(impact.pair_count, later_impact.pair_count)
    )


def _select_nodes(group: CoverageGroup, nodes: frozenset[str], **changes: object) -> CoverageGroup:
    return replace(group, nodes=nodes, node_names=tuple(sorted(nodes)), **changes)


def _attach_cascade_losses(impact: Impact, lost_labels: _LostLabels, selected_labels: Mapping[ObjectKey, frozenset[str]]) -> Impact:
    """The impact with each loss of the cascade: which labels, whose, on which nodes, and in which order."""
    groups: list[CoverageGroup] = []
    nodes_by_loss: defaultdict[CascadeLoss, set[str]] = defaultdict(set)
    for group in impact.groups:
        if group.outcome not in _LOSS_OUTCOMES or group.key not in selected_labels:
            groups.append(group)
            continue
        for losses, nodes in _split_by_producer(group, lost_labels, selected_labels[group.key]):
            part = group if len(nodes) == len(group.nodes) else _select_nodes(group, nodes)
            groups.append(replace(part, cascade_losses=losses) if losses else part)
            for loss in losses:
                nodes_by_loss[replace(loss, nodes=())].update(nodes)
    every = [replace(loss, nodes=tuple(sorted(nodes))) for loss, nodes in nodes_by_loss.items()]
    every.sort(key=lambda loss: (loss.producer, loss.consumer, loss.labels, loss.is_immediate))
    return replace(impact, groups=tuple(sorted(groups, key=lambda group: group.sort_key)), cascade_losses=_sort_cascade(every))


def _split_by_producer(
    group: CoverageGroup, lost_labels: _LostLabels, labels: frozenset[str]
) -> Iterator[tuple[tuple[CascadeLoss, ...], frozenset[str]]]:
    """The nodes of a group by the losses of the cascade that reach them, () for those that no producer takes labels from."""
    nodes_by_losses: defaultdict[tuple[CascadeLoss, ...], set[str]] = defaultdict(set)
    is_immediate = group.outcome is Outcome.LOST_NOW
    for name in group.nodes:
        labels_by_producer: defaultdict[ObjectKey, list[str]] = defaultdict(list)
        for label in sorted(labels):
            producer = lost_labels.producers.get((name, label))
            if producer is not None and producer != group.key:
                labels_by_producer[producer].append(label)
        losses = tuple(CascadeLoss(owner, tuple(lost), group.key, (), is_immediate) for owner, lost in sorted(labels_by_producer.items()))
        nodes_by_losses[losses].add(name)
    for losses, names in sorted(nodes_by_losses.items(), key=lambda item: [(loss.producer, loss.labels) for loss in item[0]]):
        nodes = tuple(sorted(names))
        yield tuple(replace(loss, nodes=nodes) for loss in losses), frozenset(names)


def _sort_cascade(losses: Sequence[CascadeLoss]) -> tuple[CascadeLoss, ...]:
    """Losses in the order in which they happen: what a DaemonSet takes with it comes after its own loss."""
    left, ordered, lost = list(losses), [], set()
    while left:
        waiting = {loss.consumer for loss in left}
        ready = [loss for loss in left if loss.producer not in waiting or loss.producer in lost] or left[:1]
        for loss in ready:
            ordered.append(loss)
            lost.add(loss.consumer)
            left.remove(loss)
    return tuple(ordered)
