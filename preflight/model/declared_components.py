"""What somebody who knows says of DaemonSets: what they are, whatever their pods show."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from preflight.model.objects import DaemonSet


class StatedKinds(Struct, frozen=True):
    """What some DaemonSets are, and what they provide.

    1. `is_meant` tells which DaemonSets. `kinds` are the ids of all kinds of component that they are, in the place of what is recognised;
       None leaves that as it is. `added` come to it.
    2. `resources`, `drivers`, `labels` and `taints` are what the stated kinds provide, as in Component. `words` say who states it.
    """

    is_meant: Callable[[DaemonSet], bool]
    kinds: tuple[str, ...] | None = None
    added: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()
    words: str = "stated"
