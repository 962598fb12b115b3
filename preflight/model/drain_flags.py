"""The flags of `kubectl drain`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct


class LabelMatcher(Protocol):
    """What can tell whether it selects labels, as a label selector can."""

    def selects(self, labels: Mapping[str, str], /) -> bool:
        """Whether it selects an object with these labels."""


class DrainFlags(Struct, frozen=True):
    """The flags of `kubectl drain` that matter; the defaults are kubectl's.

    `grace_period` below 0 leaves each pod its own; `timeout` in seconds, per node, 0 for no limit; `pod_selector` None selects every pod.
    `has_old_flag`: --delete-local-data is there, which newer versions do not know.
    """

    ignore_daemonsets: bool = False
    delete_emptydir_data: bool = False
    force: bool = False
    disable_eviction: bool = False
    grace_period: int = -1
    timeout: float = 0
    pod_selector: LabelMatcher | None = None
    skip_wait_for_delete_timeout: int = 0
    has_old_flag: bool = False
