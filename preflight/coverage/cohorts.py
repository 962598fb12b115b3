"""What judging cuts a node class into: the same pods, and the same that a change does to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.coverage.daemonset_pods import DaemonSetPods, PodGroup
from preflight.coverage.node_classes import NodeViews
from preflight.model.objects import DaemonSet
from preflight.model.reasons import UpdateUncertainty
from preflight.scheduling.placement import Placement
from preflight.scheduling.rollout import UpdateEffect

if TYPE_CHECKING:
    from preflight.change.model import Change


class NodeCohort(Struct, frozen=True):
    """Nodes of one class with the same pods and the same events.

    1. `pod_group` is None where no live pod is there; with `is_in_transit` one is on its way out or in, and the controller would create the
       next.
    2. `may_assume_pod`: nothing is known of pods there, and one is assumed where the DaemonSet should run.
    3. `is_pod_ended` and `possible_updates` are what the change does to the pod; `is_acted_on`: it reboots, drains or replaces the node.
    4. `possible_updates` has more than one answer where it is not certain what the update does; `update_uncertainty` says why.
    """

    nodes: frozenset[str]
    pod_group: PodGroup | None
    may_assume_pod: bool
    is_in_transit: bool
    is_pod_ended: bool
    is_acted_on: bool
    possible_updates: tuple[UpdateEffect | None, ...] = (None,)
    update_uncertainty: UpdateUncertainty | None = None


PlacedCohort = tuple[Placement | None, Placement | None, NodeViews, NodeCohort]
"""A slice with the placements before and after the change, and the class that it is cut from."""


def continues_update(change: Change, daemonset: DaemonSet | None, pods: DaemonSetPods | None) -> bool:
    """Whether an update that was held up or under way before goes on, because the strategy lets it; nothing goes on without a change."""
    if not change.command or daemonset is None or pods is None:
        return False
    return replaces_pods_automatically(daemonset) and any(group.is_old for group in pods.groups)


def replaces_pods_automatically(daemonset: DaemonSet) -> bool:
    """Whether the controller replaces pods of an old template without anybody deleting them."""
    return daemonset.spec.updateStrategy.type != "OnDelete"
