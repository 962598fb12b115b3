"""What rules are given, and what the report says of a step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from preflight import load
from preflight.change.model import Change
from preflight.coverage.model import Impact
from preflight.coverage.report_rows import coverage
from preflight.dependents.consequences import consequences
from preflight.model.objects import Node, Origin, Taint, Workload
from preflight.model.report import Finding, RuleInfo, Step, Subject
from preflight.rules.api import Context, Hit, Place, Repeated, Rule
from preflight.rules.registry import all_rules, common_rules

if TYPE_CHECKING:
    from preflight.model.evictions import Evictions

_REPLACED = ("NOW", "AFTER REBOOT", "AFTER REPLACEMENT")


def rules_of(findings: Sequence[Finding]) -> tuple[RuleInfo, ...]:
    """The rules that have findings, for the formats that explain them."""
    found = {finding.rule for finding in findings}
    rules = common_rules()
    if not found <= {each.id for each in rules}:
        rules = all_rules()
    return tuple(RuleInfo(each.id, each.name, each.severity, each.summary, each.explanation) for each in rules if each.id in found)


def step_of(change: Change, impact: Impact, more: tuple[str, ...] = (), evictions: Evictions | None = None) -> Step:
    """A change and its impact as a step of the report; `more` are further notes."""
    nodes = frozenset().union(impact.scope, *(group.nodes for group in impact.groups))
    if impact.rollouts:
        from preflight.coverage.rollout.effects import under_way  # no part of a run without an update

        more = (*more, *under_way(impact))
    return Step(
        command=change.command,
        headline=change.headline,
        notes=(*change.notes, *more, *(f"not known: {reason}" for reason in change.unknown)),
        nodes=tuple(sorted(nodes)),
        taints=tuple(str(taint) for taint in change.taints),
        columns=_REPLACED if change.replacements else ("NOW", "RE-CREATED"),
        coverage=coverage(impact),
        evictions=evictions,
    )


def change_context(change: Change, impact: Impact, evictions: Evictions | None = None) -> Context:
    """What rules may look at under a change."""
    taints = tuple(
        taint for taint in change.taints if taint.key != "node.kubernetes.io/unschedulable"
    )  # a cordon is nobody's choice of words
    return Context(
        change.before,
        impact,
        lint=False,
        workloads=change.after.workloads,
        nodes=(),
        taints=taints,
        consequences=cache(lambda: consequences(impact)),
        evictions=evictions,
    )


def lint_context(loaded: load.Loaded, impact: Impact | None) -> Context:
    """What rules may look at where nothing is changed."""
    world = loaded.world
    taints: dict[Taint, None] = {taint: None for node in world.nodes.values() for taint in node.spec.taints}
    return Context(
        world,
        impact,
        lint=True,
        workloads=judged_workloads(loaded),
        nodes=loaded.nodes,
        taints=tuple(taints),
        repeated=tuple(_repeated(loaded)),
        consequences=cache(lambda: consequences(impact) if impact else ()),
    )


def judged_workloads(loaded: load.Loaded) -> tuple[Workload, ...]:
    """The workloads that lint judges: all, but for those of the surroundings."""
    return tuple(each for each in loaded.world.workloads if loaded.judged is None or each.origin.file in loaded.judged)


def _repeated(loaded: load.Loaded) -> Iterator[Repeated]:
    """The repeated keys, each with the object that it stands in."""
    objects: dict[tuple[str, int], list[Workload | Node]] = {}
    for each in (*loaded.world.workloads, *loaded.nodes):
        objects.setdefault((each.origin.file, each.origin.document), []).append(each)
    for origin, key in loaded.repeated:
        for each in objects.get((origin.file, origin.document), ()):
            path = each.origin.path
            if key.path[: len(path)] == path:
                subject = Subject(type(each).__name__, each.metadata.namespace, each.metadata.name)
                yield Repeated(subject, Place(each.origin, key.path[len(path) :]), key.key, key.first_line, key.line)
                break


def trace() -> str:
    """The traceback of the exception that is being handled."""
    import traceback

    return traceback.format_exc()


def crash(rule: Rule, error: Exception) -> tuple[Rule, Hit]:
    """The finding on a rule that crashed."""
    crashed = next(each for each in common_rules() if each.id == "PF900")
    return crashed, Hit(Subject("Rule", "", rule.id), f"crashed: {type(error).__name__}: {error}", Place(Origin("<none>")))
