"""Updates of DaemonSets that stand still: old pods beside the new template, and nothing that has moved for a while."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from preflight.coverage.daemonset_pods import DaemonSetPods, PodRevision
from preflight.coverage.model import Impact
from preflight.doctor.daemonset_health import DaemonSetPodHealth, PodHealthByDaemonSet
from preflight.doctor.index import ClusterIndex
from preflight.doctor.waiting_times import RECENT_SECONDS, SETTLING_SECONDS
from preflight.model.apps import TEMPLATE_GENERATION, DaemonSet
from preflight.model.core import find_controller
from preflight.model.meta import ObjectKey
from preflight.model.timestamps import count_seconds
from preflight.scheduling.update_strategy import uses_surge
from preflight.scheduling.validation import resolve_int_or_percent

PodsByDaemonSet = Mapping[ObjectKey, DaemonSetPods]


class StalledRollout(Struct, frozen=True):
    """A DaemonSet with pods of another template than its own on `nodes`, of which none is about to be replaced.

    1. `is_certain`: some of them are of an older template: all, or where none carries the DaemonSet's own number and they are of several
       `template_count`, all but one at least. Else it may be a rollback, which leaves pods that carry an older number and are up to date.
    2. `generations` are those of the pods, `own_generation` is that of the DaemonSet.
    3. `unavailable_nodes` are the nodes that have no pod of it that is Ready, or one that hangs: they use up maxUnavailable, which comes to
       `budget`. Where it surges `budget` is 0, and the nodes are those where a pod beside the old one does not come up, or goes.
    4. `since` is when a pod of it was created or deleted last, "" where that is not known.
    """

    daemonset: DaemonSet
    nodes: tuple[str, ...]
    is_certain: bool
    template_count: int
    generations: tuple[int, ...]
    own_generation: str
    unavailable_nodes: tuple[str, ...]
    budget: int
    since: str


class OngoingUpdate(Struct, frozen=True):
    """An update of a DaemonSet that has not reached every node; `waits_for_deletion` where its strategy is OnDelete."""

    old_nodes: int
    all_nodes: int
    waits_for_deletion: bool


class CordonedNodes(Struct, frozen=True):
    """Nodes that are cordoned, as before a reboot or a replacement."""

    nodes: tuple[str, ...]


RecreationTrigger = OngoingUpdate | CordonedNodes
"""What is under way and ends pods."""


def find_ongoing_update(pods: PodsByDaemonSet, daemonset: DaemonSet) -> OngoingUpdate | None:
    """The update of a DaemonSet that is under way; None where every pod is of its own template."""
    found = pods.get(daemonset.key)
    groups = found.groups if found is not None else ()
    old_nodes = frozenset().union(*(group.nodes for group in groups if group.is_old))
    if not old_nodes:
        return None
    all_nodes = frozenset().union(*(group.nodes for group in groups))
    return OngoingUpdate(len(old_nodes), len(all_nodes), daemonset.spec.updateStrategy.type == "OnDelete")


def find_recreation_triggers(
    index: ClusterIndex, pods: PodsByDaemonSet, daemonset: DaemonSet, nodes: Iterable[str]
) -> tuple[RecreationTrigger, ...]:
    """What is under way that ends the pods of a DaemonSet on some nodes."""
    update = find_ongoing_update(pods, daemonset)
    found: list[RecreationTrigger] = [update] if update is not None and not update.waits_for_deletion else []
    cordoned = sorted(name for name in nodes if index.cluster.nodes[name].spec.unschedulable)
    return (*found, CordonedNodes(tuple(cordoned))) if cordoned else tuple(found)


def find_stalled_rollouts(
    index: ClusterIndex, impact: Impact | None, pods: PodsByDaemonSet, pod_health: PodHealthByDaemonSet
) -> tuple[StalledRollout, ...]:
    """Every such update.

    1. Only where pods are listed and carry a number, and the strategy is a rolling update: with OnDelete old pods are meant.
    2. A pod that was created or deleted within five minutes, and minReadySeconds, of the latest time that is known is progress.
    3. Old pods on nodes that are not Ready or gone do not count: nobody can replace them, and that is said of the node.
    4. Where no pod carries the DaemonSet's own number, pods of two templates show that one is old. Pods of one template are told only where
       maxUnavailable is used up by nodes without a live pod, or where it surges and a creation was refused of late: else the update would
       have begun. An old pod that is merely not Ready uses up nothing: the controller deletes it at once.

    Source: kubernetes `pkg/controller/daemon/update.go`, rollingUpdate.
    """
    found = []
    for key, daemonset in index.cluster.daemonsets.items():
        own_pods = pods.get(key)
        if own_pods is None or not (own_pods.revisions or own_pods.undecided_revisions) or daemonset.spec.updateStrategy.type == "OnDelete":
            continue
        stalled_rollout = _find_stalled_rollout(index, impact, daemonset, own_pods, pod_health.get(key[:2]))
        if stalled_rollout is not None:
            found.append(stalled_rollout)
    return tuple(sorted(found, key=lambda stalled_rollout: str(stalled_rollout.daemonset.key)))


def _find_stalled_rollout(
    index: ClusterIndex, impact: Impact | None, daemonset: DaemonSet, pods: DaemonSetPods, health: DaemonSetPodHealth | None
) -> StalledRollout | None:
    key = (daemonset.metadata.namespace, daemonset.metadata.name)
    made = pods.revisions or pods.undecided_revisions
    nodes = _collect_nodes(made) - index.not_ready_nodes - index.removed_nodes
    last = _get_last_change(index, key)
    age = count_seconds(last, index.latest_time)
    if not nodes or (age is not None and age < SETTLING_SECONDS + daemonset.spec.minReadySeconds):
        return None
    groups = impact.groups if impact is not None else ()
    desired = {
        name
        for group in groups
        if group.key == daemonset.key and group.placement_after and group.placement_after.should_run
        for name in group.nodes
    }
    live = frozenset().union(*(group.nodes for group in pods.groups))
    there = health.working_nodes if health is not None else frozenset()
    hanging = frozenset(health.nodes_in_transit) - {""} if health is not None else frozenset()
    budget = (
        0
        if uses_surge(daemonset.spec)
        else resolve_int_or_percent(daemonset.spec.updateStrategy.rollingUpdate.maxUnavailable, len(desired), default=1)
    )
    templates = 1 if pods.revisions else len({revision.template for revision in made})
    certain = bool(pods.revisions) or templates > 1
    without = ((desired | live | hanging) - there) if certain else ((desired | hanging) - live)
    if not budget and health is not None:
        without |= hanging | health.other_nodes
    if not certain and not (len(without) >= budget if budget else _is_creation_refused(index, key)):
        return None
    return StalledRollout(
        daemonset,
        tuple(sorted(nodes)),
        certain,
        templates,
        tuple(sorted({revision.generation for revision in made})),
        daemonset.metadata.annotations.get(TEMPLATE_GENERATION, ""),
        tuple(sorted(without)),
        budget,
        last,
    )


def _is_creation_refused(index: ClusterIndex, key: tuple[str, str]) -> bool:
    """Whether a recent event says that a pod could not be created: the controller tries again before long."""
    ages = (count_seconds(event.last_seen, index.latest_time) for event in index.events.get_events("DaemonSet", *key, "FailedCreate"))
    return any(age is None or age <= RECENT_SECONDS for age in ages)


def _collect_nodes(revisions: Iterable[PodRevision]) -> frozenset[str]:
    return frozenset().union(*(revision.nodes for revision in revisions))


def _get_last_change(index: ClusterIndex, key: tuple[str, str]) -> str:
    """When a pod of a DaemonSet was created or deleted last."""
    times = [""]
    for pod in index.cluster.pods:
        owner = find_controller(pod)
        if owner is None or (pod.metadata.namespace, owner.name) != key or owner.kind != "DaemonSet":
            continue
        whole = index.find_listed_pod(pod)
        if whole is not None:
            times += [whole.metadata.creationTimestamp, whole.metadata.deletionTimestamp]
    return max(times)
