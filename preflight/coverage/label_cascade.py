"""Second waves: a label producer that goes takes its labels, and the DaemonSets that select on them go at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from preflight.change.model import Change
from preflight.coverage.daemonset_pods import PodsOf
from preflight.coverage.evaluate import judge
from preflight.coverage.model import Fall, Group, Impact
from preflight.coverage.outcome import PodAfter, Verdict
from preflight.coverage.pool_rollout import renewed
from preflight.coverage.shared_analysis import Known
from preflight.model.objects import DaemonSet, Node, ObjectKey
from preflight.model.report import Outcome
from preflight.scheduling.affinity import mentioned_labels
from preflight.scheduling.tolerations import NEVER

if TYPE_CHECKING:
    from preflight.scheduling.rollout_simulation import Start

_LOST = (Outcome.LOST_NOW, Outcome.LOST_ON_RECREATION)

Labels = Mapping[str, frozenset[str]]


class _Vanished(Struct):
    """Labels that go, by node: at once, and once the pods of their producers are re-created; and which producer takes a label."""

    now: defaultdict[str, set[str]]
    later: defaultdict[str, set[str]]
    by: dict[tuple[str, str], ObjectKey]


def predict(
    change: Change, pods: Mapping[ObjectKey, PodsOf], horizon: float = NEVER, starts: Mapping[ObjectKey, Mapping[str, Start]] | None = None
) -> Impact:
    """The impact of a change, second waves included: see `judging.judge` for the first.

    1. A DaemonSet that sets labels and loses a node by the change takes its labels from that node, at once or with its re-creation,
       unless another one that sets the same label stays there. What selects on them is judged again over what is left, again and
       again until nothing more falls.
    2. A pair that falls because a producer is lost on re-creation is lost on re-creation itself, though nothing touches its own pod.
    3. `Group.falls` says which labels and whose; `Impact.falls` lists every fall in the order in which things go.
    4. The world after has the labels no more that go at once.
    5. Pods that a new DaemonSet adopts are its own, and pods that are of its template already are not updated.
    6. What reaches only the next nodes of a pool takes nothing from those that are there: see `renewing.renewed`.
    7. `starts` says how new pods begin: see `known.Known`.
    """
    if not change.before.daemonsets.keys() >= change.daemonsets & change.after.daemonsets.keys():
        from preflight.coverage.adoption import adopted  # no part of a run without a new DaemonSet

        pods = adopted(change, pods)
    if any(each.made for each in pods.values()):
        from preflight.coverage.pod_revisions import current  # nor of one without old pods

        change, pods = current(change, pods)
    return renewed(_fallen(change, pods, horizon, Known(change, starts)), pods, horizon)


def _fallen(change: Change, pods: Mapping[ObjectKey, PodsOf], horizon: float, shared: Known) -> Impact:
    impact = judge(change, pods, horizon, shared)
    mentioned = _mentioned(impact)
    if not mentioned:
        return impact
    vanished = _Vanished(defaultdict(set), defaultdict(set), {})
    while _grow(vanished, impact, mentioned):
        after = _without(change, vanished.now)
        impact = judge(after, pods, horizon, shared)
        if vanished.later:
            both = {node: vanished.now[node] | vanished.later[node] for node in (*vanished.now, *vanished.later)}
            impact = _with_later(impact, judge(_without(change, both), pods, horizon, shared))
        impact = _explained(impact, vanished, mentioned)
    return impact


def _mentioned(impact: Impact) -> dict[ObjectKey, frozenset[str]]:
    """The labels that each DaemonSet after the change selects on, where some are."""
    keys = {key: mentioned_labels(each.spec.template.spec)[0] for key, each in impact.change.after.daemonsets.items()}
    return {key: labels for key, labels in keys.items() if labels}


def _grow(vanished: _Vanished, impact: Impact, mentioned: Mapping[ObjectKey, frozenset[str]]) -> bool:
    """Add the labels that go with what is lost by now; whether there were more."""
    grew = False
    wanted = frozenset().union(*mentioned.values())
    for group in impact.with_outcome(*_LOST):
        if group.was is group.outcome:
            continue
        labels = _labels_of(impact, group.daemonset, wanted)
        if not labels:
            continue
        into = vanished.now if group.outcome is Outcome.LOST_NOW else vanished.later
        for name in group.names:
            node = impact.change.after.nodes.get(name)
            if node is None:
                continue
            for label in labels:
                known = label in node.metadata.labels or (node.partial and label not in node.absent)
                if known and label not in into[name] and not _also_set(impact, group, name, label):
                    into[name].add(label)
                    vanished.by.setdefault((name, label), group.key)
                    grew = True
    return grew


def _labels_of(impact: Impact, daemonset: DaemonSet, wanted: Iterable[str]) -> tuple[str, ...]:
    components = impact.recognised.of(daemonset)
    if not any(component.labels for component in components):
        return ()
    return tuple(sorted(label for label in wanted if any(component.sets_label(label) for component in components)))


def _also_set(impact: Impact, lost: Group, node: str, label: str) -> bool:
    """Whether another DaemonSet that stays on the node sets the same label."""
    return any(
        other.key != lost.key
        and node in other.nodes
        and other.verdict.now
        and other.verdict.recreated
        and any(component.sets_label(label) for component in impact.recognised.of(other.daemonset))
        for other in impact.groups
    )


def _without(change: Change, labels: Mapping[str, Iterable[str]]) -> Change:
    """The change with some labels gone from nodes afterwards; a partly known node is then known not to have them."""
    nodes = dict(change.after.nodes)
    for name, gone in labels.items():
        node = nodes[name]
        kept = {key: value for key, value in node.metadata.labels.items() if key not in gone}
        absent = node.absent | frozenset(gone) if node.partial else node.absent
        nodes[name] = _relabelled(node, kept, absent)
    return replace(change, after=replace(change.after, nodes=nodes))


def _relabelled(node: Node, labels: dict[str, str], absent: frozenset[str]) -> Node:
    return replace(node, metadata=replace(node.metadata, labels=labels), absent=absent)


def _with_later(impact: Impact, later: Impact) -> Impact:
    """The impact with what falls at a re-creation of a producer: kept so far, and gone without the labels."""
    gone: defaultdict[ObjectKey, list[Group]] = defaultdict(list)
    for group in later.with_outcome(Outcome.LOST_NOW):
        gone[group.key].append(group)
    groups: list[Group] = []
    for group in impact.groups:
        rest = group.nodes
        if group.verdict.pod is not PodAfter.NONE and group.verdict.recreated and group.outcome is not Outcome.UNKNOWN:
            for other in gone[group.key]:
                nodes = rest & other.nodes
                if nodes:
                    verdict = Verdict(Outcome.LOST_ON_RECREATION, group.verdict.before, group.verdict.pod, False, group.verdict.period)
                    groups.append(_part(group, nodes, verdict=verdict, after=other.after, touched=True))
                    rest -= nodes
        if rest:
            groups.append(group if rest is group.nodes else _part(group, rest))
    known = {(group.key, name) for group in impact.groups for name in group.nodes}
    for each in gone.values():  # pairs that the change itself does not reach
        for group in each:
            nodes = frozenset(name for name in group.nodes if (group.key, name) not in known)
            if nodes:
                verdict = Verdict(Outcome.LOST_ON_RECREATION, True, PodAfter.SAME, False)
                groups.append(_part(group, nodes, verdict=verdict))
    return replace(impact, groups=tuple(groups), scope=impact.scope | later.scope, pairs=max(impact.pairs, later.pairs))


def _part(group: Group, nodes: frozenset[str], **changes: object) -> Group:
    return replace(group, nodes=nodes, names=tuple(sorted(nodes)), **changes)


def _explained(impact: Impact, vanished: _Vanished, mentioned: Mapping[ObjectKey, frozenset[str]]) -> Impact:
    """The impact with each fall said: which labels, whose, on which nodes, and in which order."""
    groups: list[Group] = []
    falls: dict[tuple[ObjectKey, ObjectKey, tuple[str, ...], bool], set[str]] = {}
    for group in impact.groups:
        if group.outcome not in _LOST or group.key not in mentioned:
            groups.append(group)
            continue
        for reasons, nodes in _by_reason(group, vanished, mentioned[group.key]):
            part = group if len(nodes) == len(group.nodes) else _part(group, nodes)
            groups.append(replace(part, falls=reasons) if reasons else part)
            for fall in reasons:
                falls.setdefault((fall.producer, group.key, fall.labels, group.outcome is Outcome.LOST_NOW), set()).update(nodes)
    order = tuple(
        Fall(producer, labels, consumer, tuple(sorted(nodes)), now) for (producer, consumer, labels, now), nodes in sorted(falls.items())
    )
    return replace(impact, groups=tuple(sorted(groups, key=lambda group: group.order)), falls=_in_order(order))


def _by_reason(group: Group, vanished: _Vanished, labels: frozenset[str]) -> Iterator[tuple[tuple[Fall, ...], frozenset[str]]]:
    parts: defaultdict[tuple[tuple[ObjectKey, tuple[str, ...]], ...], set[str]] = defaultdict(set)
    for name in group.nodes:
        owners: defaultdict[ObjectKey, list[str]] = defaultdict(list)
        for label in sorted(labels):
            owner = vanished.by.get((name, label))
            if owner is not None and owner != group.key:
                owners[owner].append(label)
        parts[tuple(sorted((owner, tuple(found)) for owner, found in owners.items()))].add(name)
    now = group.outcome is Outcome.LOST_NOW
    for owned, names in sorted(parts.items()):
        nodes = frozenset(names)
        yield tuple(Fall(owner, found, group.key, tuple(sorted(nodes)), now) for owner, found in owned), nodes


def _in_order(falls: tuple[Fall, ...]) -> tuple[Fall, ...]:
    """Falls in the order in which things go: a producer that falls itself comes after its own fall."""
    left, ordered, fallen = list(falls), [], set()
    while left:
        waiting = {fall.consumer for fall in left}
        ready = [fall for fall in left if fall.producer not in waiting or fall.producer in fallen] or left[:1]
        for fall in ready:
            ordered.append(fall)
            fallen.add(fall.consumer)
            left.remove(fall)
    return tuple(ordered)
