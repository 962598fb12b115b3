"""Whether the update of a DaemonSet goes on by itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from preflight.coverage.cohorts import NodeCohort, PodPresence
from preflight.coverage.daemonset_pods import DaemonSetPods
from preflight.model.apps import DaemonSet
from preflight.model.meta import ObjectKey
from preflight.model.releases import Behavior
from preflight.scheduling.update_strategy import uses_surge

if TYPE_CHECKING:
    from preflight.change.model import Change

_SCHEDULER_RETRY = 330
"""Seconds after which the scheduler has tried a pod again for which it found no room: 5 minutes, and half a minute between two looks."""


def continues_update(change: Change, daemonset: DaemonSet | None, pods: DaemonSetPods | None) -> bool:
    """Whether an update that was held up or under way before goes on, because the strategy lets it; nothing goes on without a change."""
    if not change.command or daemonset is None or pods is None:
        return False
    return replaces_pods_automatically(daemonset) and any(group.is_old for group in pods.groups)


def replaces_pods_automatically(daemonset: DaemonSet) -> bool:
    """Whether the controller replaces pods of an old template without anybody deleting them."""
    return daemonset.spec.updateStrategy.type != "OnDelete"


def keeps_template(before: DaemonSet | None, after: DaemonSet | None) -> bool:
    """Whether a DaemonSet has the same template after a change, so that new pods that are there already are new to it still."""
    if before is None or after is None:
        return False
    if before is after:
        return True
    from preflight.kubectl.apiserver.defaults import get_generation  # no part of a run without an update

    return 0 < get_generation(before.data) == get_generation(after.data)


def overlooks_stalled_update(
    change: Change, key: ObjectKey, pods: DaemonSetPods, cohorts: Iterable[NodeCohort], differing_nodes: frozenset[str], horizon: float
) -> bool | None:
    """Whether a surge that waits for room goes on waiting since the change does not make the controller look at the DaemonSet.

    1. A new pod waits beside an old one, and nothing terminates: no pod brings the next event.
    2. The DaemonSet itself stays, and no pod of it ends. A reboot of a node that has none, and should have none, is nothing to it.
    3. Of each node that differs the controller looks only whether the DaemonSet should run there and has no pod, may not stay and has
       one, or has one while its status counts a misscheduled pod. A taint with NoSchedule on a node with a pod is neither.
    4. The scheduler tries the waiting pod again after 5 minutes: where its node is tainted by then, it writes another reason into the pod,
       and the controller looks. What happens after more than `horizon` seconds has not happened yet.

    Where a placement or the status is not known, it is taken to look; so it is in versions before 1.33, which look where it is another
    answer whether the DaemonSet should run. None where it depends on the version.

    Source: `pkg/controller/daemon/daemon_controller.go`, syncNodeUpdate (1.37), updateNode (up to 1.32); `pkg/scheduler/backend/queue`,
    flushUnschedulablePodsLeftover.
    """
    daemonset = change.after.daemonsets.get(key)
    if daemonset is None or daemonset is not change.before.daemonsets.get(key) or not uses_surge(daemonset.spec):
        return False
    if not pods.surging_nodes or pods.terminating_nodes:
        return False
    from preflight.kubectl.apiserver.defaults import get_misscheduled  # few updates surge

    is_narrow = change.before.versions.has(Behavior.NARROW_NODE_SYNC)
    if get_misscheduled(daemonset.data) != 0 or is_narrow is False:
        return False
    retried = pods.surging_nodes if horizon >= _SCHEDULER_RETRY else frozenset()
    if any(_makes_controller_look(cohort, differing_nodes, retried) for cohort in cohorts):
        return False
    return is_narrow


def _makes_controller_look(cohort: NodeCohort, differing_nodes: frozenset[str], retried_nodes: frozenset[str]) -> bool:
    """Whether the nodes of a cohort make it look; `retried_nodes` have a waiting pod that is tried again, "" for one on any node."""
    before, after = cohort.placements
    if cohort.is_pod_ended or cohort.is_disrupted:
        return _may_have_pod(cohort) or after is None or after.should_run is not False
    differing = cohort.nodes & differing_nodes
    if not differing:
        return False
    if after is None or after.should_run is None or after.may_stay is None:
        return True
    is_sunset = before is not None and before.should_run is not False and not after.should_run
    if is_sunset and ("" in retried_nodes or not differing.isdisjoint(retried_nodes)):
        return True
    return not after.may_stay or after.eviction_delay == 0 if cohort.pod_group is not None else after.should_run


def _may_have_pod(cohort: NodeCohort) -> bool:
    """Whether a pod is there that ends, or a live one that is disrupted."""
    is_moving = cohort.presence in (PodPresence.IN_TRANSIT, PodPresence.UNSCHEDULABLE)
    return cohort.pod_group is not None or cohort.presence is PodPresence.ASSUMED or (is_moving and cohort.is_pod_ended)
