"""Which nodes have a live pod of which DaemonSet: from listed pods, or assumed where the DaemonSet should run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from preflight.coverage.pod_fields import (
    GENERATION_LABEL,
    REVISION_LABEL,
    find_target_node,
    is_unschedulable,
    parse_generation,
    parse_labels,
    parse_tolerations,
)
from preflight.model.apps import TEMPLATE_GENERATION, DaemonSet
from preflight.model.core import Toleration, find_controller
from preflight.model.meta import ObjectKey
from preflight.model.world import ClusterState


class PodGroup(Struct, frozen=True):
    """Live pods of one DaemonSet, one a node, that share their own tolerations (the implicit ones included).

    1. `is_assumed`: no pods were given; the pod is there because the DaemonSet should run.
    2. `is_conditional`: it is there only if labels that are not known match.
    3. `is_old`: of a template before the DaemonSet's own; an update is held up. `is_listed`: the pod was listed and is the same since.
    4. `may_be_pending`: an earlier step left open whether the node took them.
    5. `may_be_updated`: they count as old, but may be of the DaemonSet's own template: see `pod_templates.match_template`.
    """

    nodes: frozenset[str]
    tolerations: tuple[Toleration, ...]
    is_assumed: bool = False
    is_conditional: bool = False
    is_old: bool = False
    is_listed: bool = False
    may_be_updated: bool = False
    may_be_pending: bool = False


_NodesByLabels = defaultdict[bytes, list[tuple[bytes, set[str]]]]
"""The nodes of pods by their labels and, of those with the same, by their tolerations: these are long, and compared quicker than hashed."""


class _PodNodes(NamedTuple):
    """The nodes with pods of one DaemonSet: live ones by what they are, those on the way out or in; "" for one that is not bound.

    `terminating_nodes` are those where one terminates. `transit_labels` are the labels of pods on the way out or in. `unschedulable_nodes`
    are those that the scheduler found no room on for a pod that is meant for them; "" where a pod does not tell.
    """

    live_pods: _NodesByLabels
    nodes_in_transit: set[str]
    terminating_nodes: set[str]
    transit_labels: set[bytes]
    unschedulable_nodes: set[str]


class PodRevision(Struct, frozen=True):
    """Pods, by their nodes, of a template that is not their DaemonSet's own.

    `template` is a text that tells it from others; `generation` the number that the pods carry as a label, 0 where it is not known.
    """

    nodes: frozenset[str]
    template: str
    generation: int = 0


class DaemonSetPods(Struct, frozen=True):
    """The pods of one DaemonSet.

    `decided_nodes` are the nodes of which it is settled whether a pod is there: those judged before, and for listed pods the nodes given
    and the nodes that any listed pod is on. On any other node a pod is assumed where the DaemonSet should run. `nodes_in_transit` are nodes
    without a live pod where one is on its way out or in: being deleted, failed, or not bound yet. `terminating_nodes` are nodes where one
    is being deleted. `surging_nodes` are nodes with an old pod where a new one waits beside it that the scheduler finds no room for; ""
    where it is not known on which. `waiting_nodes` are nodes without a live pod where one waits so. `revisions` says of which template the
    old pods are. `undecided_revisions` are live pods of another number than their DaemonSet's where none is of its own: a rollback brought
    their template back, or an update has yet to begin.
    """

    groups: tuple[PodGroup, ...] = ()
    decided_nodes: frozenset[str] = frozenset()
    nodes_in_transit: frozenset[str] = frozenset()
    terminating_nodes: frozenset[str] = frozenset()
    revisions: tuple[PodRevision, ...] = ()
    surging_nodes: frozenset[str] = frozenset()
    undecided_revisions: tuple[PodRevision, ...] = ()
    waiting_nodes: frozenset[str] = frozenset()

    def leave_pending(self, names: frozenset[str]) -> DaemonSetPods:
        """The same where on some nodes the pod may have been preempted: then one of the DaemonSet's own template waits in its place."""
        groups = []
        for group in self.groups:
            changed = group.nodes & names
            if changed:
                groups.append(replace(group, nodes=changed, is_listed=False, may_be_pending=True, may_be_updated=group.is_old))
            if rest := group.nodes - names:
                groups.append(replace(group, nodes=rest) if changed else group)
        return replace(self, groups=tuple(groups))

    def leave_bound(self, names: frozenset[str], tolerations: tuple[Toleration, ...]) -> DaemonSetPods:
        """The same where on some nodes the pod that waits may have found room."""
        found = PodGroup(names, tolerations, may_be_pending=True)
        return replace(
            self,
            groups=(*self.groups, found),
            nodes_in_transit=self.nodes_in_transit - names,
            waiting_nodes=self.waiting_nodes - names,
            decided_nodes=self.decided_nodes | names,
        )


def collect_listed_pods(world: ClusterState) -> dict[ObjectKey, DaemonSetPods]:
    """The pods of every DaemonSet whose namespace was listed.

    1. A pod counts where its controller is a DaemonSet, it is bound to a node, neither Failed nor Succeeded, and not being deleted.
    2. The owner's uid decides where both are known, else kind, namespace and name.
    3. The template node of a pool is not settled by a list: its next node is not there yet.
    4. A DaemonSet without a stated namespace has no listed pods: which namespace it is applied to is not known.
    5. Which pods are old: see `_find_old_labels`.
    """
    found: defaultdict[tuple[str, str], _PodNodes] = defaultdict(lambda: _PodNodes(defaultdict(list), set(), set(), set(), set()))
    uids = {(key.namespace, key.name): daemonset.metadata.uid for key, daemonset in world.daemonsets.items()}
    owned: dict[tuple[str, bytes], _PodNodes | None] = {}
    for pod in world.pods:
        metadata, spec = pod.metadata, pod.spec
        owners = (metadata.namespace, bytes(metadata.ownerReferences))
        if owners not in owned:
            owner = find_controller(pod)
            key = (metadata.namespace, owner.name) if owner and owner.kind == "DaemonSet" else ("", "")
            uid = uids.get(key)
            is_its = owner is not None and uid is not None and (not uid or not owner.uid or uid == owner.uid)
            owned[owners] = found[key] if is_its else None
        pods = owned[owners]
        if pods is None:
            continue
        name, has_ended = spec.nodeName, pod.status.phase in ("Failed", "Succeeded")
        if not name or has_ended or metadata.deletionTimestamp:
            pods.nodes_in_transit.add(name)
            pods.transit_labels.add(bytes(metadata.labels))
            if name and not has_ended:
                pods.terminating_nodes.add(name)
            if not name and not has_ended and not metadata.deletionTimestamp and is_unschedulable(pod):
                pods.unschedulable_nodes.add(find_target_node(pod))
            continue
        tolerations, same = bytes(spec.tolerations), pods.live_pods[bytes(metadata.labels)]
        for others, nodes in same:
            if others == tolerations:
                nodes.add(name)
                break
        else:
            same.append((tolerations, {name}))
    there = {name for name, node in world.nodes.items() if node.pool is None}
    decided = frozenset(there | {pod.spec.nodeName for pod in world.pods})
    return {
        key: _build_daemonset_pods(found[key.namespace, key.name], daemonset, decided)
        for key, daemonset in world.daemonsets.items()
        if key.namespace and world.are_pods_listed(key.namespace, key.name)
    }


def _build_daemonset_pods(pod_nodes: _PodNodes, daemonset: DaemonSet, decided_nodes: frozenset[str]) -> DaemonSetPods:
    old = _find_old_labels(pod_nodes.live_pods, daemonset, pod_nodes.transit_labels)
    alike: defaultdict[tuple[bytes, int], set[str]] = defaultdict(set)
    for labels, same in pod_nodes.live_pods.items():
        for tolerations, nodes in same:
            alike[tolerations, old.get(labels, 0)] |= nodes
    groups, made = [], []
    for (tolerations, number), nodes in sorted(alike.items()):
        groups.append(PodGroup(frozenset(nodes), parse_tolerations(tolerations), is_old=number > 0, is_listed=True))
        if number:
            made.append(PodRevision(frozenset(nodes), "", number))
    undecided = () if made else _list_undecided_revisions(pod_nodes.live_pods, daemonset)
    if not pod_nodes.nodes_in_transit:
        return DaemonSetPods(tuple(groups), decided_nodes, revisions=tuple(made), undecided_revisions=undecided)
    moving = decided_nodes if "" in pod_nodes.nodes_in_transit else frozenset(pod_nodes.nodes_in_transit)
    transit = moving.difference(*(group.nodes for group in groups))
    old_nodes = frozenset().union(*(group.nodes for group in groups if group.is_old))
    return DaemonSetPods(
        tuple(groups),
        decided_nodes | moving,
        transit,
        frozenset(pod_nodes.terminating_nodes),
        tuple(made),
        (old_nodes | {""}) & pod_nodes.unschedulable_nodes if old_nodes else frozenset(),
        undecided,
        frozenset(pod_nodes.unschedulable_nodes - {""}).difference(*(group.nodes for group in groups)),
    )


def _list_undecided_revisions(live_pods: _NodesByLabels, daemonset: DaemonSet) -> tuple[PodRevision, ...]:
    """The live pods of another number than their DaemonSet's, by that number, where a rolling update would have replaced them."""
    own = daemonset.metadata.annotations.get(TEMPLATE_GENERATION, "")
    if not (own.isdecimal() and own.isascii()) or daemonset.spec.updateStrategy.type == "OnDelete":
        return ()
    alike: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    for labels, same in live_pods.items():
        decoded = parse_labels(labels)
        if decoded.get(GENERATION_LABEL) == own:
            return ()
        if number := parse_generation(decoded):
            alike[decoded.get(REVISION_LABEL, ""), number].update(*(nodes for _, nodes in same))
    return tuple(PodRevision(frozenset(nodes), template, number) for (template, number), nodes in sorted(alike.items()))


def _has_no_updated_pod(daemonset: DaemonSet) -> bool:
    from preflight.kubectl.apiserver.defaults import has_no_updated_pod  # few pods are of none of the templates that are known

    return has_no_updated_pod(daemonset.data)


def _find_old_labels(raw_labels: Iterable[bytes], daemonset: DaemonSet, transit_labels: Iterable[bytes] = ()) -> dict[bytes, int]:
    """Of the labels of a DaemonSet's pods those of a template before its own, with the number of that template.

    1. A pod is up to date where it carries the number of its DaemonSet's template, or the revision of one that does: after a rollback
       pods of before are up to date that were never re-created.
    2. Where none carries that number, all are old with OnDelete. With a rolling update they are up to date: the controller would have begun
       to replace them, so that what is there is a rollback. A pod on the way out or in (`transit_labels`) shows as well that it has begun.
       They are old where the status counts none that is up to date: the update cannot begin, since others use its budget up.
    3. Nothing is old where a number is not known: a manifest has none.

    Source: kubernetes `pkg/controller/daemon/util/daemonset_util.go`, IsPodUpdated.
    """
    own = daemonset.metadata.annotations.get(TEMPLATE_GENERATION, "")
    if not own:
        return {}
    every = {raw: parse_labels(raw) for raw in raw_labels}
    seen = (*every.values(), *map(parse_labels, transit_labels))
    revisions = {labels.get(REVISION_LABEL) for labels in seen if labels.get(GENERATION_LABEL) == own} - {None}
    if not revisions and daemonset.spec.updateStrategy.type != "OnDelete" and not _has_no_updated_pod(daemonset):
        return {}
    others = (
        (raw, parse_generation(labels))
        for raw, labels in every.items()
        if labels.get(GENERATION_LABEL) != own and labels.get(REVISION_LABEL) not in revisions
    )
    return {raw: number for raw, number in others if number}
