"""What the rules say of a world, of a sequence of changes, and of the same after a fix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import msgspec
from msgspec import Struct

from preflight.change.apply_command import perform
from preflight.change.apply_files import Read
from preflight.change.model import Change
from preflight.coverage.daemonset_pods import PodsOf, listed_pods
from preflight.coverage.evaluate import unchanged
from preflight.coverage.label_cascade import predict
from preflight.coverage.model import Impact
from preflight.dependents.consequences import consequences
from preflight.errors import PreflightError
from preflight.kubectl.commands import Command
from preflight.model.objects import DaemonSet, ObjectKey, Origin, Taint, Workload
from preflight.model.report import Outcome, Severity
from preflight.model.world import World
from preflight.rules.api import Context, Hit, Rule, worst_of_each
from preflight.rules.registry import common_rules

ROLLOUT = "the rollout of the fix"


class Found(Struct, frozen=True):
    """What one rule says at one step: 0 is the rollout of the fix, and in lint the only one is 1."""

    rule: Rule
    hit: Hit
    step: int

    @property
    def severity(self) -> Severity:
        """How much it matters."""
        return self.hit.severity or self.rule.severity

    @property
    def sentence(self) -> str:
        """In one line, as every report says it."""
        return f"{self.severity}[{self.rule.id}] {self.hit.subject} {self.hit.message}"


class Judged(Struct, frozen=True):
    """What the rules say, and what it rests on: an impact a step, none where no node is known; `taints` are all taints known."""

    found: tuple[Found, ...]
    impacts: tuple[Impact, ...]
    taints: tuple[Taint, ...]
    unknown: bool = False

    def covered(self) -> dict[tuple[int, ObjectKey], frozenset[str]]:
        """The nodes on which each DaemonSet should run after each step."""
        nodes: dict[tuple[int, ObjectKey], frozenset[str]] = {}
        for step, impact in enumerate(self.impacts):
            for group in impact.groups:
                if group.after is not None and group.after.should_run:
                    nodes[step, group.key] = nodes.get((step, group.key), frozenset()) | group.nodes
        return nodes


class Question(Struct, frozen=True):
    """What is asked: a world, the commands to come (none: lint), and how their files are read.

    `judged` are the files that get findings in lint, None for all.
    """

    world: World
    commands: tuple[Command, ...]
    read: Read
    judged: frozenset[str] | None = None


def ask(question: Question, fixed: Mapping[Origin, DaemonSet] | None = None) -> Judged:
    """What the rules say; with DaemonSets that are fixed, by their origin: of the rollout of the fix, then of everything after it."""
    world = question.world
    pods: Mapping[ObjectKey, PodsOf] = listed_pods(world)
    found: list[Found] = []
    if fixed:
        rollout = _rollout(world, fixed)
        impact = predict(rollout, pods)
        found += _found(_context(world, impact, (), (), lint=False), 0)
        world, pods = rollout.after, impact.pods
    if not question.commands:
        return _lint(question, world, pods, found)
    return _changes(question, world, pods, found, fixed or {})


def _changes(
    question: Question, world: World, pods: Mapping[ObjectKey, PodsOf], found: list[Found], fixed: Mapping[Origin, DaemonSet]
) -> Judged:
    impacts: list[Impact] = []
    unknown = False

    def read(path: str) -> Sequence[object]:
        return [fixed.get(each.origin, each) if isinstance(each, DaemonSet) else each for each in question.read(path)]

    for step, command in enumerate(question.commands, 1):
        try:
            change = perform(command, world, read)
        except PreflightError as error:
            raise type(error)(f"step {step}, `{command.text}`: {error}" if len(question.commands) > 1 else str(error)) from None
        impact = predict(change, pods)
        impacts.append(impact)
        taints = tuple(taint for taint in change.taints if taint.key != "node.kubernetes.io/unschedulable")
        found += _found(_context(change.before, impact, change.after.workloads, taints, lint=False), step)
        unknown = unknown or bool(change.unknown) or any(impact.with_outcome(Outcome.UNKNOWN))
        world, pods = change.after, impact.pods
    return Judged(tuple(found), tuple(impacts), _taints(question.world, *(each.change.after for each in impacts)), unknown)


def _lint(question: Question, world: World, pods: Mapping[ObjectKey, PodsOf], found: list[Found]) -> Judged:
    impact = predict(unchanged(world), pods) if world.nodes and world.daemonsets else None
    judged = question.judged
    workloads = tuple(each for each in world.workloads if judged is None or each.origin.file in judged)
    taints = _taints(world)
    hits = _found(_context(world, impact, workloads, taints, lint=True), 1)
    found += (each for each in hits if judged is None or each.hit.place.origin.file in judged)
    return Judged(tuple(found), (impact,) if impact else (), taints)


def _context(world: World, impact: Impact | None, workloads: tuple[Workload, ...], taints: tuple[Taint, ...], *, lint: bool) -> Context:
    follows = cache(lambda: consequences(impact) if impact else ())
    return Context(world, impact, lint=lint, workloads=workloads, nodes=(), taints=taints, consequences=follows)


def _found(context: Context, step: int) -> list[Found]:
    hits = [(rule, hit) for rule in common_rules() if not (rule.needs_nodes and context.impact is None) for hit in rule.check(context)]
    return [Found(rule, hit, step) for rule, hit in worst_of_each(hits)]


def _taints(*worlds: World) -> tuple[Taint, ...]:
    return tuple(dict.fromkeys(taint for world in worlds for node in world.nodes.values() for taint in node.spec.taints))


def _rollout(world: World, fixed: Mapping[Origin, DaemonSet]) -> Change:
    """The fix as a change of its own: every DaemonSet of the world that it touches is updated."""
    daemonsets = {key: fixed.get(each.origin, each) for key, each in world.daemonsets.items()}
    touched = frozenset(key for key, each in daemonsets.items() if each is not world.daemonsets[key])
    workloads = tuple(fixed.get(each.origin, each) if isinstance(each, DaemonSet) else each for each in world.workloads)
    after = msgspec.structs.replace(world, daemonsets=daemonsets, workloads=workloads)
    return Change(ROLLOUT, ROLLOUT, world, after, daemonsets=touched, updated=touched)
