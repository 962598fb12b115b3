"""What became of a cluster since it was saved: DaemonSet by DaemonSet and node by node, as the pods show it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct

from preflight.comparison.nodes import NodeComparison, compare_nodes
from preflight.coverage.node_targeting import get_target_node
from preflight.coverage.reasons import list_exclusions
from preflight.model.apps import DaemonSet
from preflight.model.comparison_reasons import ComparisonGap, Limitation, Side, UnlistedDaemonSets, UnlistedSides
from preflight.model.core import Node
from preflight.model.pod_status import ClusterPod
from preflight.model.reasons import PlainReason, PodEnded, Reason, UnreadyPod
from preflight.model.world import ClusterState
from preflight.scheduling.placement import evaluate_placement
from preflight.scheduling.tolerations import add_implicit_tolerations

DaemonSetKey = tuple[str, str]
"""A namespace and a name."""


class DaemonSetComparison(Struct, frozen=True):
    """One DaemonSet, before and now; None where it was not there, or is not.

    1. `nodes_before` are the nodes that had a live pod of it, `nodes_now` those that have one: bound, neither ended nor being deleted.
    2. `lost_nodes` are the nodes of `nodes_before` without one now, with the reasons; nodes that are gone themselves are in
       `removed_nodes`. `gained_nodes` are the nodes of `nodes_now` without one before.
    3. `ready_nodes` are the nodes of `nodes_now` with a pod that is Ready, as far as it says; `unready_nodes` those where one was Ready and
       none is, with what the pod states. Those that had none before, or none that was Ready, are in neither.
    4. `recreated_nodes` are the nodes where all pods are others than before: they were re-created.
    5. `uncovered_new_nodes` are new nodes where it should run and has no pod.
    6. `unknown_reason` is why the rest cannot be said, None where it can; `nodes_before` or `nodes_now` may still be known.
    """

    key: DaemonSetKey
    daemonset_before: DaemonSet | None = None
    daemonset_now: DaemonSet | None = None
    nodes_before: frozenset[str] = frozenset()
    nodes_now: frozenset[str] = frozenset()
    lost_nodes: Mapping[str, tuple[Reason, ...]] = {}
    removed_nodes: frozenset[str] = frozenset()
    gained_nodes: frozenset[str] = frozenset()
    ready_nodes: frozenset[str] = frozenset()
    unready_nodes: Mapping[str, UnreadyPod] = {}
    recreated_nodes: frozenset[str] = frozenset()
    uncovered_new_nodes: frozenset[str] = frozenset()
    unknown_reason: Limitation | None = None

    @property
    def daemonset(self) -> DaemonSet:
        """The DaemonSet as it is, or as it was."""
        found = self.daemonset_now or self.daemonset_before
        assert found is not None
        return found


class ClusterComparison(Struct, frozen=True):
    """Two states of a cluster compared: `before` and `now` are their worlds, read with whole pods.

    DaemonSets and nodes are in order of their names; nodes in which nothing differs are among them. `limitations` are what cannot be
    compared at all.
    """

    world_before: ClusterState
    world_now: ClusterState
    daemonsets: tuple[DaemonSetComparison, ...]
    nodes: tuple[NodeComparison, ...]
    limitations: tuple[Limitation, ...] = ()

    @property
    def knows_daemonsets(self) -> bool:
        """Whether all DaemonSets of now are known, so that one that is not among them is gone."""
        return "DaemonSet" not in self.world_now.missing_kinds and not _has_no_daemonsets(self.world_now)


def compare_clusters(before: ClusterState, now: ClusterState) -> ClusterComparison:
    """Compare a cluster with what was saved of it.

    1. A DaemonSet is the same if its namespace and name are, a node if its name is.
    2. Where the pods of a namespace were listed on one side only, or on none, nothing is known of its DaemonSets.
    3. Where no node was given on one side, or not every node was listed, none is gone and none is new. So it is with DaemonSets.
    4. What was missing before is not missing since.
    """
    nodes, limitations = compare_nodes(before, now)
    states = {node.name: node for node in nodes}
    old, new = (_index_daemonsets(world) for world in (before, now))
    if _has_no_daemonsets(now):
        limitations += (ComparisonGap.NO_DAEMONSETS,)
    pods = tuple(_group_pods_by_owner(world) for world in (before, now))
    found = []
    for key in sorted({*old, *new}):
        daemonsets = (old.get(key), new.get(key))
        own = (pods[0].get(key, ()), pods[1].get(key, ()))
        unknown = _explain_unknown(key, before, now, daemonsets)
        if unknown is not None:
            was, there = (frozenset(_group_live_pods(side)) for side in own)
            found.append(DaemonSetComparison(key, *daemonsets, nodes_before=was, nodes_now=there, unknown_reason=unknown))
        else:
            found.append(_compare_daemonset(key, daemonsets, own, states, now))
    return ClusterComparison(before, now, tuple(found), nodes, limitations)


def _has_no_daemonsets(world: ClusterState) -> bool:
    """Whether no DaemonSet was given: files may leave them out, a cluster that was asked does not."""
    return not world.daemonsets and not (world.listing is not None and world.listing.server)


def _index_daemonsets(world: ClusterState) -> dict[DaemonSetKey, DaemonSet]:
    return {(key.namespace, key.name): daemonset for key, daemonset in world.daemonsets.items()}


def _group_pods_by_owner(world: ClusterState) -> Mapping[DaemonSetKey, list[ClusterPod]]:
    """The pods of each DaemonSet; the owner's uid decides where both are known."""
    uids = {key: daemonset.metadata.uid for key, daemonset in _index_daemonsets(world).items()}
    found: defaultdict[DaemonSetKey, list[ClusterPod]] = defaultdict(list)
    for pod in (world.pods_by_key or {}).values():
        owner = pod.controller
        key = (pod.metadata.namespace, owner.name) if owner and owner.kind == "DaemonSet" else ("", "")
        if owner and key in uids and (not uids[key] or not owner.uid or uids[key] == owner.uid):
            found[key].append(pod)
    return found


def _explain_unknown(
    key: DaemonSetKey, before: ClusterState, now: ClusterState, daemonsets: tuple[DaemonSet | None, DaemonSet | None]
) -> Limitation | None:
    """Why nothing can be said of a DaemonSet, None where its pods are known on both sides."""
    if not key[0]:
        return ComparisonGap.NO_NAMESPACE
    sides = tuple(side for side, world in ((Side.BEFORE, before), (Side.NOW, now)) if not world.are_pods_listed(*key))
    if sides:
        return UnlistedSides(sides)
    if daemonsets[1] is None and ("DaemonSet" in now.missing_kinds or _has_no_daemonsets(now)):
        return UnlistedDaemonSets(now.missing_kinds.get("DaemonSet", ""))
    return None


def _compare_daemonset(
    key: DaemonSetKey,
    daemonsets: tuple[DaemonSet | None, DaemonSet | None],
    pods: tuple[Iterable[ClusterPod], Iterable[ClusterPod]],
    states: Mapping[str, NodeComparison],
    now: ClusterState,
) -> DaemonSetComparison:
    old, new = (_group_live_pods(pod) for pod in pods)
    gone = {name for name, state in states.items() if state.is_gone}
    fresh = {name for name, state in states.items() if state.is_new}
    lost = old.keys() - new.keys() - gone
    moving = _find_moving_pods(pods[1])
    daemonset = daemonsets[1]
    ready = frozenset(name for name, there in new.items() if any(map(_may_be_ready, there)))
    was_ready = {name for name, there in old.items() if any(map(_may_be_ready, there))}
    kept = old.keys() & new.keys()
    return DaemonSetComparison(
        key,
        *daemonsets,
        nodes_before=frozenset(old),
        nodes_now=frozenset(new),
        lost_nodes={name: _explain_missing_pod(daemonset, now.nodes.get(name), moving.get(name), now) for name in sorted(lost)},
        removed_nodes=frozenset(old.keys() & gone),
        gained_nodes=frozenset(new.keys() - old.keys()),
        ready_nodes=ready,
        unready_nodes={name: _read_state(new[name][0]) for name in sorted((kept & was_ready) - ready)},
        recreated_nodes=frozenset(name for name in kept if _are_all_recreated(old[name], new[name])),
        uncovered_new_nodes=frozenset(
            name for name in fresh - new.keys() if daemonset and name in now.nodes and _should_run(daemonset, now.nodes[name], now)
        ),
    )


def _group_live_pods(pods: Iterable[ClusterPod]) -> dict[str, list[ClusterPod]]:
    """The live pods by node."""
    found: defaultdict[str, list[ClusterPod]] = defaultdict(list)
    for pod in pods:
        if pod.spec.nodeName and not pod.has_ended and not pod.metadata.deletionTimestamp:
            found[pod.spec.nodeName].append(pod)
    return dict(found)


def _find_moving_pods(pods: Iterable[ClusterPod]) -> dict[str, Reason]:
    """What becomes of pods that are not live, by the node that they are on or wait for; of several, the one that comes."""
    found: dict[str, Reason] = {}
    for pod in pods:
        if not pod.spec.nodeName:
            found[get_target_node(pod)] = _read_state(pod)
        elif pod.metadata.deletionTimestamp:
            found.setdefault(pod.spec.nodeName, PlainReason.TERMINATING)
        elif pod.has_ended:
            found.setdefault(pod.spec.nodeName, PodEnded(pod.status.phase))
    return found


def _may_be_ready(pod: ClusterPod) -> bool:
    """Whether a pod is Ready; one without that condition is, unless it is Pending."""
    stated = [condition.status for condition in pod.status.conditions if condition.type == "Ready"]
    return stated[-1] == "True" if stated else pod.status.phase != "Pending"


def _read_state(pod: ClusterPod) -> UnreadyPod:
    """What a pod states where it is not Ready: its phase, and the message of the condition that fails."""
    failed = [
        condition for condition in pod.status.conditions if condition.status != "True" and condition.type in ("PodScheduled", "Ready")
    ]
    statements = (condition.message or condition.reason for condition in failed)
    return UnreadyPod(pod.status.phase == "Pending", next(filter(None, statements), ""))


def _are_all_recreated(old: Iterable[ClusterPod], new: Iterable[ClusterPod]) -> bool:
    """Whether no pod of before is there; where uids are not known, a name that stays is the same pod."""
    uids = [{pod.metadata.uid for pod in pods} for pods in (old, new)]
    if "" in uids[0] | uids[1]:
        return not {pod.metadata.name for pod in old} & {pod.metadata.name for pod in new}
    return not uids[0] & uids[1]


def _explain_missing_pod(daemonset: DaemonSet | None, node: Node | None, moving: Reason | None, now: ClusterState) -> tuple[Reason, ...]:
    """Why a DaemonSet has no pod on a node where it had one; () where nobody can say."""
    if daemonset is None or node is None:
        return (moving,) if moving else ()
    spec = daemonset.spec.template.spec
    placement = evaluate_placement(spec, add_implicit_tolerations(spec), node, now.comparison_operators)
    if placement.should_run is False:
        return list_exclusions(placement, spec)
    if moving:
        return (moving,)
    return (PlainReason.NOT_CREATED,) if placement.should_run else ()


def _should_run(daemonset: DaemonSet, node: Node, now: ClusterState) -> bool:
    spec = daemonset.spec.template.spec
    return evaluate_placement(spec, add_implicit_tolerations(spec), node, now.comparison_operators).should_run is True
