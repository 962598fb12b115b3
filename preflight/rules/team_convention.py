"""What a team wants, as far as rules read it: a policy says it, and without one everything is left open."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from preflight.model.core import Taint, Toleration
from preflight.model.workloads import Workload


class RequiredTolerations(Struct, frozen=True):
    """Tolerations that some workloads must have.

    1. `applies_to` tells which workloads by their names and labels; `kinds` are kinds of component (ids), of which a DaemonSet must be
       one; () means that the kind does not matter.
    2. `is_exact`: a wider toleration is not enough. `reason` is why, "" where nobody says.
    """

    name: str
    tolerations: tuple[Toleration, ...]
    applies_to: Callable[[Workload], bool]
    kinds: tuple[str, ...] = ()
    is_exact: bool = False
    reason: str = ""


class TeamConvention(Struct, frozen=True):
    """What a team wants.

    1. `no_execute` is what DaemonSets are to do on a node that is being emptied: `stay`, `leave`, or `decide`: each by itself.
    2. `required_tolerations` are tolerations that must be there. `declared_taints` are the taints of the convention, each with what it is
       for, or "".
    3. `rule_options` are the options of rules by the rule's id.
    """

    no_execute: str = "decide"
    required_tolerations: tuple[RequiredTolerations, ...] = ()
    declared_taints: Mapping[Taint, str] = {}
    rule_options: Mapping[str, Struct] = {}
