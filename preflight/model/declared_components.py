"""What somebody who knows says of DaemonSets: what they are, whatever their pods show."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from preflight.model.apps import DaemonSet


class ComponentOverride(Struct, frozen=True):
    """What some DaemonSets are, and what they provide.

    1. `selects_daemonset` tells which DaemonSets. `kinds` are the ids of all kinds of component that they are, in the place of what is
       recognised; None leaves that as it is. `added_kinds` come to it.
    2. `resources`, `drivers`, `labels` and `taints` are what the stated kinds provide, as in Component. `stated_by` say who states it.
    """

    selects_daemonset: Callable[[DaemonSet], bool]
    kinds: tuple[str, ...] | None = None
    added_kinds: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()
    stated_by: str = "stated"
