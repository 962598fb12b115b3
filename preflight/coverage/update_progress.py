"""Whether the update of a DaemonSet goes on by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from preflight.coverage.daemonset_pods import DaemonSetPods
from preflight.model.apps import DaemonSet

if TYPE_CHECKING:
    from preflight.change.model import Change


def continues_update(change: Change, daemonset: DaemonSet | None, pods: DaemonSetPods | None) -> bool:
    """Whether an update that was held up or under way before goes on, because the strategy lets it; nothing goes on without a change."""
    if not change.command or daemonset is None or pods is None:
        return False
    return replaces_pods_automatically(daemonset) and any(group.is_old for group in pods.groups)


def replaces_pods_automatically(daemonset: DaemonSet) -> bool:
    """Whether the controller replaces pods of an old template without anybody deleting them."""
    return daemonset.spec.updateStrategy.type != "OnDelete"
