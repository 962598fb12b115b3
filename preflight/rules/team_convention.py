"""What a team wants, as far as rules read it: a policy says it, and without one everything is left open."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from preflight.model.objects import Taint, Toleration, Workload


class RequiredTolerations(Struct, frozen=True):
    """Tolerations that some workloads must have.

    1. `is_meant` tells which workloads by their names and labels; `kinds` are kinds of component (ids), of which a DaemonSet must be
       one; () means that the kind does not matter.
    2. `exactly`: a wider toleration is not enough. `reason` is why, "" where nobody says.
    """

    name: str
    tolerations: tuple[Toleration, ...]
    is_meant: Callable[[Workload], bool]
    kinds: tuple[str, ...] = ()
    exactly: bool = False
    reason: str = ""


class Convention(Struct, frozen=True):
    """What a team wants.

    1. `no_execute` is what DaemonSets are to do on a node that is being emptied: `stay`, `leave`, or `decide`: each by itself.
    2. `required` are tolerations that must be there. `declared` are the taints of the convention, each with what it is for, or "".
    3. `options` are the options of rules by the rule's id.
    """

    no_execute: str = "decide"
    required: tuple[RequiredTolerations, ...] = ()
    declared: Mapping[Taint, str] = {}
    options: Mapping[str, Struct] = {}
