"""`preflight fix`: the smallest exact tolerations against what lint finds, or against what commands would cost; nothing is written here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from preflight.change.model import Change, ObjectReader
from preflight.coverage.label_cascade import predict_impact, predict_unchanged
from preflight.coverage.model import Impact
from preflight.engine.plan import Plan
from preflight.engine.rule_context import make_change_context, make_lint_context
from preflight.engine.rule_runner import check_rules
from preflight.engine.session import Session
from preflight.engine.simulate import StartState, make_start_state, simulate_commands
from preflight.fix.custom_resource import fix_resource
from preflight.fix.evaluation import ROLLOUT, Evaluation, StepHit
from preflight.fix.plan import FindingSelection
from preflight.fix.planner import FixOptions, FixResult, plan_fixes
from preflight.kubectl.commands import ApplyFiles, FileArgument
from preflight.load import LoadResult, read_objects
from preflight.load.inputs import LoadOptions, list_paths, load_input
from preflight.messages import run as messages
from preflight.messages.load import describe_empty_input
from preflight.model.apps import DaemonSet
from preflight.model.core import Taint
from preflight.model.declaration import OperatorResource
from preflight.model.meta import ObjectKey, Origin
from preflight.model.report import Problem
from preflight.model.world import ClusterState
from preflight.rules.api import Context, keep_worst_hits
from preflight.rules.select_rules import common_rules

_NO_COMMANDS = Plan((), "")


class FixRequest(Struct, frozen=True):
    """What is to be fixed, and how.

    1. `plan` are the changes that are to cost nothing; without commands what lint finds is fixed.
    2. `rules` are the ids of the rules whose findings are fixed, notes included; empty for errors and warnings about coverage.
    3. `makes_patches`: patches are made in place of edits of files. `edits_rendered`: what Helm rendered is edited, too.
    """

    plan: Plan = _NO_COMMANDS
    rules: frozenset[str] = frozenset()
    makes_patches: bool = False
    edits_rendered: bool = False


class FixProposal(Struct, frozen=True):
    """What a fix comes to, and what could not be read or judged."""

    result: FixResult
    problems: tuple[Problem, ...] = ()


class _FixInputs(Struct, frozen=True):
    """What was read, and how the files that commands name are read."""

    loaded: LoadResult
    plan: Plan
    read_objects: ObjectReader


def propose_fixes(session: Session, request: FixRequest) -> FixProposal:
    """The smallest edits of the manifests that the session names; what is around them is not edited.

    Errors: UsageError where a command is refused.
    """
    plan = request.plan
    load_options = LoadOptions(one_cluster=bool(plan.commands), versions=session.versions, exclusion=session.exclusion)
    loaded = load_input(session.input, load_options, stdin=session.stdin)
    read = cache(lambda argument: read_objects(argument.path, plan.file, stdin=session.stdin, depth=argument.depth).given_objects)
    inputs = _FixInputs(loaded, plan, read)
    surroundings = frozenset() if loaded.checked_files is None else loaded.sources - loaded.checked_files
    options = FixOptions(makes_patches=request.makes_patches, edits_rendered=request.edits_rendered, context_files=surroundings)
    empty = () if session.options.allow_empty else tuple(map(Problem, _find_empty_reasons(inputs, list_paths(session.input))))

    def evaluate(fixed_daemonsets: Mapping[Origin, DaemonSet]) -> Evaluation:
        return _evaluate(inputs, fixed_daemonsets)

    selection = FindingSelection(request.rules, is_lint=not plan.commands)
    return FixProposal(
        plan_fixes(evaluate, selection, options, _collect_originals(inputs), loaded.world.declared_daemonsets), (*loaded.problems, *empty)
    )


def _find_empty_reasons(inputs: _FixInputs, paths: Sequence[str]) -> list[str]:
    commands = inputs.plan.commands
    loaded = inputs.loaded
    if not loaded.objects and loaded.problems:
        return []
    if not loaded.objects:
        return [describe_empty_input(paths, [(check.what, check.why) for check in loaded.skipped])]
    if commands and not inputs.loaded.world.daemonsets and not any(isinstance(command, ApplyFiles) for command in commands):
        return [messages.NOTHING_TO_LOSE]
    return []


def _collect_originals(inputs: _FixInputs) -> dict[Origin, DaemonSet]:
    """The DaemonSets as they stand in their files, those of `apply -f` included."""
    arguments = [argument for command in inputs.plan.commands if isinstance(command, ApplyFiles) for argument in command.iter_arguments()]
    applied = [item for argument in arguments for item in inputs.read_objects(argument)]
    world = inputs.loaded.world
    declared = (daemonset for daemonset in world.daemonsets.values() if daemonset.declaration is not None)
    return {item.origin: item for item in (*applied, *world.workloads, *declared) if isinstance(item, DaemonSet)}


def _evaluate(inputs: _FixInputs, fixed_daemonsets: Mapping[Origin, DaemonSet]) -> Evaluation:
    """What the rules say; with DaemonSets that are fixed: of the rollout of the fix, then of everything after it."""
    start = make_start_state(inputs.loaded.world)
    step_hits: list[StepHit] = []
    if fixed_daemonsets:
        rollout = _make_rollout_change(start.world, fixed_daemonsets)
        impact = predict_impact(rollout, start.pods)
        step_hits += _list_step_hits(replace(make_change_context(rollout, impact), workloads=()), 0)
        start = StartState(rollout.after, impact.pods_after)
    if inputs.plan.commands:
        return _evaluate_commands(inputs, start, step_hits, fixed_daemonsets)
    return _evaluate_manifests(inputs.loaded, start, step_hits)


def _evaluate_commands(
    inputs: _FixInputs, start: StartState, step_hits: Sequence[StepHit], fixed_daemonsets: Mapping[Origin, DaemonSet]
) -> Evaluation:
    hits = list(step_hits)
    impacts: list[Impact] = []
    is_unknown = False

    def read(argument: FileArgument) -> Sequence[object]:
        return [_fix_object(item, fixed_daemonsets) for item in inputs.read_objects(argument)]

    for number, step in enumerate(simulate_commands(inputs.plan.commands, start, read, inputs.plan.file), 1):
        hits += _list_step_hits(make_change_context(step.change, step.impact), number)
        impacts.append(step.impact)
        is_unknown = is_unknown or step.is_unknown
    taints = _collect_taints(inputs.loaded.world, *(impact.change.after for impact in impacts))
    return Evaluation(tuple(hits), tuple(impacts), taints, is_unknown)


def _fix_object(item: object, fixed_daemonsets: Mapping[Origin, DaemonSet]) -> object:
    """An object of a file as it is once the DaemonSets are fixed."""
    if isinstance(item, OperatorResource):
        return fix_resource(item, fixed_daemonsets.values())
    return fixed_daemonsets.get(item.origin, item) if isinstance(item, DaemonSet) else item


def _evaluate_manifests(loaded: LoadResult, start: StartState, step_hits: Sequence[StepHit]) -> Evaluation:
    """What lint says of workloads: only they can be fixed."""
    impact = predict_unchanged(start.world, start.pods)
    context = replace(make_lint_context(replace(loaded, world=start.world), impact), nodes=(), repeated_fields=())
    linted = loaded.checked_files
    hits = [hit for hit in _list_step_hits(context, 1) if linted is None or hit.hit.location.origin.file in linted]
    return Evaluation((*step_hits, *hits), (impact,) if impact else (), _collect_taints(start.world))


def _list_step_hits(context: Context, step: int) -> list[StepHit]:
    """What the rules say of one step; nothing is fixed where one of them crashes."""
    hits, crashes = check_rules(common_rules(), context)
    if crashes:
        raise crashes[0]
    return [StepHit(rule, hit, step) for rule, hit in keep_worst_hits(hits)]


def _collect_taints(*worlds: ClusterState) -> tuple[Taint, ...]:
    return tuple(dict.fromkeys(taint for world in worlds for node in world.nodes.values() for taint in node.spec.taints))


def _make_rollout_change(world: ClusterState, fixed_daemonsets: Mapping[Origin, DaemonSet]) -> Change:
    """The fix as a change of its own: every DaemonSet of the cluster that it touches is updated."""
    daemonsets = {key: fixed_daemonsets.get(daemonset.origin, daemonset) for key, daemonset in world.daemonsets.items()}
    touched = frozenset(_iter_changed(world.daemonsets, daemonsets))
    workloads = tuple(
        fixed_daemonsets.get(workload.origin, workload) if isinstance(workload, DaemonSet) else workload for workload in world.workloads
    )
    after = replace(world, daemonsets=daemonsets, workloads=workloads)
    return Change(ROLLOUT, ROLLOUT, world, after, daemonsets=touched, updated_daemonsets=touched)


def _iter_changed(before: Mapping[ObjectKey, DaemonSet], after: Mapping[ObjectKey, DaemonSet]) -> Iterable[ObjectKey]:
    return (key for key, daemonset in after.items() if daemonset is not before[key])
