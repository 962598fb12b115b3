"""New pods that wait for room while an update is held up, and where they surely go on waiting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.coverage.daemonset_pods import DaemonSetPods
from preflight.coverage.update_progress import keeps_template, replaces_pods_automatically
from preflight.model.apps import DaemonSet
from preflight.model.core import Node
from preflight.model.meta import ObjectKey
from preflight.model.world import ClusterState
from preflight.scheduling.node_health import is_kubelet_silent
from preflight.scheduling.placement import evaluate_placement
from preflight.scheduling.tolerations import add_implicit_tolerations

if TYPE_CHECKING:
    from preflight.change.model import Change

_NO_NODES: frozenset[str] = frozenset()


class WaitingPods(Struct, frozen=True):
    """The nodes where a pod of the template that the update brings waits for room.

    1. `nodes` are those without a live pod, `settled_nodes` those of them where no room comes free by the change.
    2. `settled_surging_nodes` are those with an old pod where none comes free.
    """

    nodes: frozenset[str] = frozenset()
    settled_nodes: frozenset[str] = frozenset()
    settled_surging_nodes: frozenset[str] = frozenset()


def find_waiting_pods(change: Change, key: ObjectKey, pods: Mapping[ObjectKey, DaemonSetPods]) -> WaitingPods:
    """The pods of a DaemonSet that wait for room, as the scheduler has said.

    1. With another template they are created again, and what the scheduler said of them is no longer known to hold. Pods that wait are
       of the DaemonSet's own template only where a rolling update has replaced those that were not.
    2. One that waits goes on waiting on a node of which the change ends no pod, and which loses none by its labels and taints. What an
       update of before does there to other DaemonSets is not asked: that one did not make room before either.
    """
    before, after, own = change.before.daemonsets.get(key), change.after.daemonsets.get(key), pods.get(key, DaemonSetPods())
    if not (own.waiting_nodes or own.surging_nodes) or before is None or not keeps_template(before, after):
        return WaitingPods()
    if not replaces_pods_automatically(before):
        return WaitingPods()
    ending = _find_ending_nodes(change, key, pods)
    settled = frozenset(name for name in own.waiting_nodes | own.surging_nodes if not _may_free_room(change, name, ending, pods))
    deleted = change.recreation_nodes | change.deleted_pod_nodes.get(key, _NO_NODES)
    return WaitingPods(own.waiting_nodes - deleted, own.waiting_nodes & settled, own.surging_nodes & settled)


def select_freed_nodes(change: Change, names: Iterable[str], pods: Mapping[ObjectKey, DaemonSetPods]) -> frozenset[str]:
    """Those of some nodes where room may come free by a change."""
    ending = _find_ending_nodes(change, None, pods)
    return frozenset(name for name in names if _may_free_room(change, name, ending, pods))


def gains_eviction(before: Node, after: Node) -> bool:
    """Whether a node gets a taint with NoExecute."""
    return any(taint.effect == "NoExecute" and taint not in before.spec.taints for taint in after.spec.taints)


def _find_ending_nodes(change: Change, own: ObjectKey | None, pods: Mapping[ObjectKey, DaemonSetPods]) -> frozenset[str]:
    """The nodes where the change ends pods, or one is on its way out; every node where it is not known which they are."""
    before = change.before.nodes
    moving = [key for key, daemonset in change.before.daemonsets.items() if key != own and _is_moving(change, key, daemonset)]
    if change.deleted_pods is not None or any(key not in pods for key in moving):
        return frozenset(before)
    ending = set(change.recreation_nodes | change.drained_nodes).union(*change.deleted_pod_nodes.values())
    ending |= {name for key in moving for group in pods[key].groups for name in group.nodes}
    for pod in change.before.pods:
        node = before.get(pod.spec.nodeName)
        if pod.metadata.deletionTimestamp and node is not None and not is_kubelet_silent(node):
            ending.add(node.name)
    return frozenset(ending)


def _is_moving(change: Change, key: ObjectKey, daemonset: DaemonSet) -> bool:
    """Whether the change differs or deletes a DaemonSet."""
    return key in change.updated_daemonsets or change.after.daemonsets.get(key) is not daemonset


def _may_free_room(change: Change, name: str, ending: frozenset[str], pods: Mapping[ObjectKey, DaemonSetPods]) -> bool:
    """Whether room may come free on a node: pods end there, it offers more, or what is new of its taints and labels takes pods from it."""
    before, after = change.before.nodes.get(name), change.after.nodes.get(name)
    if before is None or after is None or name in ending:
        return True
    if before is after:
        return False
    if before.status.allocatable != after.status.allocatable or before.is_ready is not after.is_ready:
        return True
    if gains_eviction(before, after):
        return True
    return before.metadata.labels != after.metadata.labels and any(
        key in change.after.daemonsets and not _may_stay(change.after, key, after)
        for key, live_pods in pods.items()
        if any(name in group.nodes for group in live_pods.groups)
    )


def _may_stay(world: ClusterState, key: ObjectKey, node: Node) -> bool:
    spec = world.daemonsets[key].spec.template.spec
    return bool(evaluate_placement(spec, add_implicit_tolerations(spec), node, world.comparison_operators).may_stay)
