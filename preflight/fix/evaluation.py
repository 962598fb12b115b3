"""What the rules say of a cluster state, of commands to come, and of the same after a fix: the types; who works it out is the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from preflight.coverage.model import Impact
from preflight.model.apps import DaemonSet
from preflight.model.core import Taint
from preflight.model.meta import ObjectKey, Origin
from preflight.model.report import Severity
from preflight.rules.api import Hit, Rule

ROLLOUT = "the rollout of the fix"


class StepHit(Struct, frozen=True):
    """What one rule says at one step: 0 is the rollout of the fix, and in lint the only one is 1."""

    rule: Rule
    hit: Hit
    step: int

    @property
    def identity(self) -> tuple[object, ...]:
        """What makes it another finding than the others: the step, the rule, the object and the rule's own key."""
        return (self.step, self.rule.id, self.hit.subject, self.hit.key)

    @property
    def severity(self) -> Severity:
        """How much it matters."""
        return self.hit.severity or self.rule.severity

    @property
    def sentence(self) -> str:
        """In one line, as every report says it."""
        return f"{self.severity}[{self.rule.id}] {self.hit.subject} {self.hit.message}"


class Evaluation(Struct, frozen=True):
    """What the rules say, and what it rests on: an impact a step, none where no node is known; `taints` are all taints known."""

    step_hits: tuple[StepHit, ...]
    impacts: tuple[Impact, ...]
    taints: tuple[Taint, ...]
    is_unknown: bool = False

    def collect_coverage(self) -> dict[tuple[int, ObjectKey], frozenset[str]]:
        """The nodes on which each DaemonSet should run after each step."""
        nodes: dict[tuple[int, ObjectKey], frozenset[str]] = {}
        for step, impact in enumerate(self.impacts):
            for group in impact.groups:
                if group.placement_after is not None and group.placement_after.should_run:
                    nodes[step, group.key] = nodes.get((step, group.key), frozenset()) | group.nodes
        return nodes


Evaluate = Callable[[Mapping[Origin, DaemonSet]], Evaluation]
"""What the rules say with DaemonSets that are fixed, by their origin: of the rollout of the fix, then of everything after it."""
