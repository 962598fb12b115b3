"""What the rules say of a world, of a sequence of changes, and of the same after a fix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import msgspec
from msgspec import Struct

from preflight.change.apply_command import perform_command
from preflight.change.apply_files import ObjectReader
from preflight.change.model import Change
from preflight.coverage.daemonset_pods import DaemonSetPods, collect_listed_pods
from preflight.coverage.evaluate import make_empty_change
from preflight.coverage.label_cascade import predict_impact
from preflight.coverage.model import Impact
from preflight.dependents.consequences import find_consequences
from preflight.errors import PreflightError
from preflight.kubectl.commands import Command
from preflight.model.objects import DaemonSet, ObjectKey, Origin, Taint, Workload
from preflight.model.report import Outcome, Severity
from preflight.model.world import ClusterState
from preflight.rules.api import Context, Hit, Rule, keep_worst_hits
from preflight.rules.registry import common_rules

ROLLOUT = "the rollout of the fix"


class StepHit(Struct, frozen=True):
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


class EvaluationInput(Struct, frozen=True):
    """What is asked: a world, the commands to come (none: lint), and how their files are read.

    `linted_files` are the files that get findings in lint, None for all.
    """

    world: ClusterState
    commands: tuple[Command, ...]
    read_objects: ObjectReader
    linted_files: frozenset[str] | None = None


def evaluate_rules(evaluation_input: EvaluationInput, fixed_daemonsets: Mapping[Origin, DaemonSet] | None = None) -> Evaluation:
    """What the rules say; with DaemonSets that are fixed, by their origin: of the rollout of the fix, then of everything after it."""
    world = evaluation_input.world
    pods: Mapping[ObjectKey, DaemonSetPods] = collect_listed_pods(world)
    found: list[StepHit] = []
    if fixed_daemonsets:
        rollout = _make_rollout_change(world, fixed_daemonsets)
        impact = predict_impact(rollout, pods)
        found += _run_rules(_make_context(world, impact, (), (), lint=False), 0)
        world, pods = rollout.after, impact.pods_after
    if not evaluation_input.commands:
        return _evaluate_lint(evaluation_input, world, pods, found)
    return _evaluate_commands(evaluation_input, world, pods, found, fixed_daemonsets or {})


def _evaluate_commands(
    evaluation_input: EvaluationInput,
    world: ClusterState,
    pods: Mapping[ObjectKey, DaemonSetPods],
    step_hits: list[StepHit],
    fixed_daemonsets: Mapping[Origin, DaemonSet],
) -> Evaluation:
    impacts: list[Impact] = []
    unknown = False

    def read(path: str) -> Sequence[object]:
        return [
            fixed_daemonsets.get(daemonset.origin, daemonset) if isinstance(daemonset, DaemonSet) else daemonset
            for daemonset in evaluation_input.read_objects(path)
        ]

    for step, command in enumerate(evaluation_input.commands, 1):
        try:
            change = perform_command(command, world, read)
        except PreflightError as error:
            raise type(error)(f"step {step}, `{command.text}`: {error}" if len(evaluation_input.commands) > 1 else str(error)) from None
        impact = predict_impact(change, pods)
        impacts.append(impact)
        taints = tuple(taint for taint in change.taints if taint.key != "node.kubernetes.io/unschedulable")
        step_hits += _run_rules(_make_context(change.before, impact, change.after.workloads, taints, lint=False), step)
        unknown = unknown or bool(change.unknowns) or any(impact.iter_groups(Outcome.UNKNOWN))
        world, pods = change.after, impact.pods_after
    return Evaluation(
        tuple(step_hits), tuple(impacts), _collect_taints(evaluation_input.world, *(each.change.after for each in impacts)), unknown
    )


def _evaluate_lint(
    evaluation_input: EvaluationInput, world: ClusterState, pods: Mapping[ObjectKey, DaemonSetPods], step_hits: list[StepHit]
) -> Evaluation:
    impact = predict_impact(make_empty_change(world), pods) if world.nodes and world.daemonsets else None
    judged = evaluation_input.linted_files
    workloads = tuple(workload for workload in world.workloads if judged is None or workload.origin.file in judged)
    taints = _collect_taints(world)
    hits = _run_rules(_make_context(world, impact, workloads, taints, lint=True), 1)
    step_hits += (hit for hit in hits if judged is None or hit.hit.location.origin.file in judged)
    return Evaluation(tuple(step_hits), (impact,) if impact else (), taints)


def _make_context(
    world: ClusterState, impact: Impact | None, workloads: tuple[Workload, ...], taints: tuple[Taint, ...], *, lint: bool
) -> Context:
    follows = cache(lambda: find_consequences(impact) if impact else ())
    return Context(world, impact, is_lint=lint, workloads=workloads, nodes=(), taints=taints, get_consequences=follows)


def _run_rules(context: Context, step: int) -> list[StepHit]:
    hits = [(rule, hit) for rule in common_rules() if not (rule.needs_nodes and context.impact is None) for hit in rule.check(context)]
    return [StepHit(rule, hit, step) for rule, hit in keep_worst_hits(hits)]


def _collect_taints(*worlds: ClusterState) -> tuple[Taint, ...]:
    return tuple(dict.fromkeys(taint for world in worlds for node in world.nodes.values() for taint in node.spec.taints))


def _make_rollout_change(world: ClusterState, fixed_daemonsets: Mapping[Origin, DaemonSet]) -> Change:
    """The fix as a change of its own: every DaemonSet of the world that it touches is updated."""
    daemonsets = {key: fixed_daemonsets.get(daemonset.origin, daemonset) for key, daemonset in world.daemonsets.items()}
    touched = frozenset(key for key, each in daemonsets.items() if each is not world.daemonsets[key])
    workloads = tuple(
        fixed_daemonsets.get(workload.origin, workload) if isinstance(workload, DaemonSet) else workload for workload in world.workloads
    )
    after = msgspec.structs.replace(world, daemonsets=daemonsets, workloads=workloads)
    return Change(ROLLOUT, ROLLOUT, world, after, daemonsets=touched, updated_daemonsets=touched)
