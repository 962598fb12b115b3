"""Updates of DaemonSets that stand still: old pods beside the new template, and nothing that has moved for a while."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.coverage.daemonset_pods import DaemonSetPods, PodRevision
from preflight.doctor.jobsets import RECENT_SECONDS
from preflight.doctor.timestamps import SETTLING_SECONDS, count_seconds
from preflight.messages.lists import join_node_names
from preflight.model.objects import TEMPLATE_GENERATION, DaemonSet, find_controller
from preflight.scheduling.rollout import uses_surge
from preflight.scheduling.validation import resolve_int_or_percent

if TYPE_CHECKING:
    from preflight.doctor.context import ClusterFacts


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

    @property
    def old_pod_summary(self) -> str:
        """Which pods the nodes have: `n1, n2 have pods of an older template`."""
        which = f"of {self.template_count} templates, and one at most is its own" if self.template_count > 1 else "of an older template"
        return (
            f"{join_node_names(self.nodes)} {'has a pod' if len(self.nodes) == 1 else 'have pods'} "
            f"{which if self.is_certain else 'of an older number'}"
        )


def find_stalled_rollouts(facts: ClusterFacts) -> tuple[StalledRollout, ...]:
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
    for key, daemonset in facts.world.daemonsets.items():
        pods = facts.pods.get(key)
        if pods is None or not (pods.revisions or pods.undecided_revisions) or daemonset.spec.updateStrategy.type == "OnDelete":
            continue
        one = _find_stalled_rollout(facts, daemonset, pods)
        if one is not None:
            found.append(one)
    return tuple(sorted(found, key=lambda each: str(each.daemonset.key)))


def _find_stalled_rollout(facts: ClusterFacts, daemonset: DaemonSet, pods: DaemonSetPods) -> StalledRollout | None:
    key = (daemonset.metadata.namespace, daemonset.metadata.name)
    made = pods.revisions or pods.undecided_revisions
    nodes = _collect_nodes(made) - facts.not_ready_nodes - facts.removed_nodes
    last = _get_last_change(facts, key)
    age = count_seconds(last, facts.latest_time)
    if not nodes or (age is not None and age < SETTLING_SECONDS + daemonset.spec.minReadySeconds):
        return None
    groups = facts.impact.groups if facts.impact is not None else ()
    desired = {
        name
        for group in groups
        if group.key == daemonset.key and group.placement_after and group.placement_after.should_run
        for name in group.nodes
    }
    live = frozenset().union(*(group.nodes for group in pods.groups))
    own = facts.daemonset_pod_health.get(key)
    there = own.working_nodes if own is not None else frozenset()
    hanging = frozenset(own.nodes_in_transit) - {""} if own is not None else frozenset()
    budget = (
        0
        if uses_surge(daemonset.spec)
        else resolve_int_or_percent(daemonset.spec.updateStrategy.rollingUpdate.maxUnavailable, len(desired), default=1)
    )
    templates = 1 if pods.revisions else len({revision.template for revision in made})
    certain = bool(pods.revisions) or templates > 1
    without = ((desired | live | hanging) - there) if certain else ((desired | hanging) - live)
    if not budget and own is not None:
        without |= hanging | own.other_nodes
    if not certain and not (len(without) >= budget if budget else _is_creation_refused(facts, key)):
        return None
    return StalledRollout(
        daemonset,
        tuple(sorted(nodes)),
        certain,
        templates,
        tuple(sorted({each.generation for each in made})),
        daemonset.metadata.annotations.get(TEMPLATE_GENERATION, ""),
        tuple(sorted(without)),
        budget,
        last,
    )


def _is_creation_refused(facts: ClusterFacts, key: tuple[str, str]) -> bool:
    """Whether a recent event says that a pod could not be created: the controller tries again before long."""
    ages = (count_seconds(event.last_seen, facts.latest_time) for event in facts.events.get_events("DaemonSet", *key, "FailedCreate"))
    return any(age is None or age <= RECENT_SECONDS for age in ages)


def _collect_nodes(revisions: Iterable[PodRevision]) -> frozenset[str]:
    return frozenset().union(*(revision.nodes for revision in revisions))


def _get_last_change(facts: ClusterFacts, key: tuple[str, str]) -> str:
    """When a pod of a DaemonSet was created or deleted last."""
    running, times = facts.world.pods_by_key or {}, [""]
    for pod in facts.world.pods:
        owner = find_controller(pod)
        if owner is None or (pod.metadata.namespace, owner.name) != key or owner.kind != "DaemonSet":
            continue
        whole = running.get((pod.metadata.namespace, pod.metadata.name))
        if whole is not None:
            times += [whole.metadata.creationTimestamp, whole.metadata.deletionTimestamp]
    return max(times)
