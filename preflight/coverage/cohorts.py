"""What judging cuts a node class into: the same pods, and the same that a change does to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.coverage.daemonset_pods import PodGroup, PodsOf
from preflight.coverage.node_classes import NodeClass
from preflight.model.objects import DaemonSet
from preflight.scheduling.placement import Placement
from preflight.scheduling.rollout import Update

if TYPE_CHECKING:
    from preflight.change.model import Change
    from preflight.coverage.rollout.simulation import Fate


class Slice(Struct, frozen=True):
    """Nodes of one class with the same pods and the same events.

    1. `pods` is None where no live pod is there; with `transit` one is on its way out or in, and the controller would create the next.
    2. `assume`: nothing is known of pods there, and one is assumed where the DaemonSet should run.
    3. `ended` and `updates` are what the change does to the pod; `acted`: it reboots, drains or replaces the node.
    4. `updates` has more than one answer where it is not certain what the update does; `fate` says why.
    """

    nodes: frozenset[str]
    pods: PodGroup | None
    assume: bool
    transit: bool
    ended: bool
    acted: bool
    updates: tuple[Update | None, ...] = (None,)
    fate: Fate | None = None


Placed = tuple[Placement | None, Placement | None, NodeClass, Slice]
"""A slice with the placements before and after the change, and the class that it is cut from."""


def goes_on(change: Change, daemonset: DaemonSet | None, pods: PodsOf | None) -> bool:
    """Whether an update that was held up or under way before goes on, because the strategy lets it; nothing goes on without a change."""
    if not change.command or daemonset is None or pods is None:
        return False
    return goes_on_by_itself(daemonset) and any(each.old for each in pods.groups)


def goes_on_by_itself(daemonset: DaemonSet) -> bool:
    """Whether the controller replaces pods of an old template without anybody deleting them."""
    return daemonset.spec.updateStrategy.type != "OnDelete"
