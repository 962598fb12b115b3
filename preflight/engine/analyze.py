"""What commands cost: each over the cluster state that the one before leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from preflight.engine.asked_cluster import check_commands, format_request_summary
from preflight.engine.explain_loss import iter_pair_links, iter_pod_links
from preflight.engine.next_commands import find_next_commands
from preflight.engine.plan import Plan, make_plan
from preflight.engine.report_builder import Analysis, ReportParts, build_report
from preflight.engine.rule_context import build_step, make_change_context
from preflight.engine.rule_runner import RuleResults, run_rules
from preflight.engine.session import LoadedInputs, PodDetail, Session, apply_session_policy, make_inputs, make_load_options
from preflight.engine.simulate import PodEvaluator, SimulatedStep, StartState, evaluate_pods, make_start_state, simulate_commands
from preflight.engine.unlisted_kinds import list_unlisted_problems
from preflight.errors import PreflightError, RefusalError
from preflight.kubectl.commands import ApplyFiles, Command, DeleteFiles, FileArgument, may_evict_from
from preflight.load import LoadResult
from preflight.load.inputs import Live, OpenInput, open_input
from preflight.messages import run as messages
from preflight.messages.run import describe_unjudged_line
from preflight.model.core import Node
from preflight.model.meta import ObjectKey
from preflight.model.report import CheckedCounts, ExplanationLink, Location, Outcome, Problem, ReportStep, SkippedCheck, Subject

if TYPE_CHECKING:
    from preflight.coverage.model import Impact
    from preflight.evictions.replacement_placement import MissingNodes
    from preflight.evictions.workload_exposure import WorkloadExposure
    from preflight.load.live.connection import ApiConnection
    from preflight.load.live.planner import ClusterQuery

_LOSING_OUTCOMES = (Outcome.LOST_NOW, Outcome.LOST_ON_RECREATION, Outcome.LOOP, Outcome.UNKNOWN)


class _Progress(Struct):
    """What comes up while the commands of a plan are performed, in its order."""

    problems: list[Problem]
    applied: list[LoadResult]
    refused_line: int = 0
    """The first line of a script that was refused, 0 where none was."""


def analyze(session: Session, commands: Sequence[Command | str | Sequence[str]]) -> Analysis:
    """What commands of kubectl's verbs cost, in the cluster of the session.

    A command is a line as a person types it (`taint nodes gpu-1 dedicated=rdma:NoSchedule`), a list of its arguments, or a parsed one.

    Errors: UsageError for a line that is no command, or that kubectl would refuse; InputError where the input cannot be read at all.
    """
    return analyze_plan(session, make_plan(commands))


def analyze_plan(session: Session, plan: Plan) -> Analysis:
    """What a plan costs; of a shell script what it surely runs, and what is not understood makes the answer unknown."""
    may_evict = any(_may_evict(session, plan, command) for command in plan.commands)
    options = make_load_options(session, PodDetail.WHOLE_PODS if may_evict else _find_pod_detail(plan))
    with open_input(session.input, options, stdin=session.stdin, query=_make_query(session, plan)) as opened:
        inputs = _load_dependents(_load_all_pods(make_inputs(session, opened), plan, opened), plan, opened)
        inputs = _load_missing_nodes(inputs, plan, opened)
    return _evaluate_plan(inputs, plan)


def _may_evict(session: Session, plan: Plan, command: Command) -> bool:
    """Whether ordinary pods may have to go; of files it depends on the nodes in them."""
    if not isinstance(command, ApplyFiles | DeleteFiles):
        return command.may_evict
    arguments = command.iter_arguments()
    nodes = (item for argument in arguments for item in plan.read_objects(argument, session.stdin).given_objects if isinstance(item, Node))
    return any(node.pool is None and may_evict_from(command, node.spec.taints) for node in nodes)


def _find_pod_detail(plan: Plan) -> PodDetail:
    """How much of listed pods a plan needs that lets no ordinary pod go."""
    creates = any(command.may_create_pods for command in plan.commands)
    return PodDetail.SOME_WHOLE_PODS if creates else PodDetail.COVERAGE


def _make_query(session: Session, plan: Plan) -> Callable[[ApiConnection], ClusterQuery] | None:
    """What a live cluster is asked for; it refuses commands that are about another one. None where files are read."""
    source = session.input
    if not isinstance(source, Live):
        return None
    from preflight.load.live.planner import plan_cluster_query

    def make_query(connection: ApiConnection) -> ClusterQuery:
        check_commands(plan.commands, connection, source.target)
        query = plan_cluster_query(
            plan.commands, connection.namespace, lambda argument: plan.read_objects(argument, session.stdin).given_objects
        )
        if plan.script and plan.script.context and plan.script.context != connection.context:
            chosen = plan.script.context
            advice = messages.advise_context(chosen)
            raise RefusalError(messages.describe_other_context(plan.file, chosen, connection.context, advice))
        return query

    return make_query


def _load_dependents(inputs: LoadedInputs, plan: Plan, opened: OpenInput) -> LoadedInputs:
    """Ask a live cluster for what few changes need: what may depend on DaemonSets, and the volumes of claims."""
    if opened.connection is None or not _needs_dependents(inputs, plan):
        return inputs
    return _replace_loaded(inputs, opened.load_dependents(), opened)


def _load_all_pods(inputs: LoadedInputs, plan: Plan, opened: OpenInput) -> LoadedInputs:
    """Ask a live cluster for all pods, where only some were listed and a new pod may want what the others hold."""
    listing = inputs.world.listing
    if opened.connection is None or listing is None or listing.daemonsets is None:
        return inputs
    from preflight.coverage.fit.demand import depends_on_other_pods  # no part of a run without a live cluster

    if not any(map(depends_on_other_pods, _predict_impacts(inputs, plan))):
        return inputs
    return _replace_loaded(inputs, opened.load_all_pods(), opened)


def _load_missing_nodes(inputs: LoadedInputs, plan: Plan, opened: OpenInput) -> LoadedInputs:
    """Ask a live cluster for nodes and their pods until it is certain where new pods find room, or that they find none."""
    while opened.connection is not None and (missing := _find_missing_nodes(inputs, plan)) is not None:
        loaded = opened.load_missing(missing)
        if loaded is None:
            break
        inputs = _replace_loaded(inputs, loaded, opened)
    return inputs


def _replace_loaded(inputs: LoadedInputs, loaded: LoadResult, opened: OpenInput) -> LoadedInputs:
    """The inputs with what was read since."""
    loaded = apply_session_policy(inputs.session, loaded)
    read = (*loaded.problems, *list_unlisted_problems(loaded.world))
    kinds = {problem.kind for problem in read if problem.kind}
    problems = (*read, *(problem for problem in inputs.problems if problem not in read and problem.kind not in kinds))
    return replace(inputs, loaded=loaded, problems=problems, request_summary=format_request_summary(opened.connection))


def _needs_dependents(inputs: LoadedInputs, plan: Plan) -> bool:
    """Whether a command loses a pod of a DaemonSet, or lets a pod with a claim go."""
    steps = _simulate_quietly(inputs, plan, evaluate_pods)
    return any(any(step.impact.iter_groups(*_LOSING_OUTCOMES)) or _lets_claims_go(step) for step in steps)


def _predict_impacts(inputs: LoadedInputs, plan: Plan) -> Iterator[Impact]:
    """What each command does to coverage."""
    return (step.impact for step in _simulate_quietly(inputs, plan, lambda _change, _impact: None))


def _find_missing_nodes(inputs: LoadedInputs, plan: Plan) -> MissingNodes | None:
    """What a step has to know of the cluster before all that it says is certain; None where no step has."""
    from preflight.evictions.replacement_placement import MissingNodes

    listing = inputs.world.listing
    if listing is None or listing.pod_nodes is None:
        return _find_unplaced_pods(inputs, plan)
    for step in _simulate_quietly(inputs, plan, evaluate_pods):
        if step.pod_impact is not None and step.pod_impact.missing is not None:
            return step.pod_impact.missing
        losing = frozenset().union(*(group.nodes for group in step.impact.iter_groups(*_LOSING_OUTCOMES)))
        if unlisted := losing - listing.pod_nodes:  # by an update that goes on: what follows depends on the other pods there
            return MissingNodes(undecided=unlisted)
    return None


def _find_unplaced_pods(inputs: LoadedInputs, plan: Plan) -> MissingNodes | None:
    """The next pods of pods that stay, which none of the known nodes takes any more: another node may."""
    if inputs.world.listing is None or inputs.world.listing.nodes:
        return None
    from preflight.evictions.replacement_placement import MissingNodes
    from preflight.evictions.stranded_workloads import list_unplaced_pods

    pods = tuple(spec for impact in _predict_impacts(inputs, plan) for spec in list_unplaced_pods(impact))
    return MissingNodes(next_pods=pods) if pods else None


def _simulate_quietly(inputs: LoadedInputs, plan: Plan, evaluate_pods: PodEvaluator) -> Iterator[SimulatedStep]:
    """What each command does; one that is refused is told when it is judged."""

    def read(argument: FileArgument) -> Sequence[object]:
        return plan.read_objects(argument, inputs.session.stdin).given_objects

    start = make_start_state(inputs.world)
    return simulate_commands(plan.commands, start, read, plan.file, on_refusal=lambda _index, _error: None, evaluate_pods=evaluate_pods)


def _lets_claims_go(step: SimulatedStep) -> bool:
    """Whether a pod that goes has a claim: its PersistentVolume decides whether it ends, and where its replacement goes."""
    pods = step.change.before.pods_by_key or {}
    leaving = (pod.pod for node in (step.evictions.nodes if step.evictions else ()) for pod in node.pods if pod.is_leaving)
    found = (pods.get((namespace, name)) for namespace, _, name in (key.partition("/") for key in leaving))
    volumes = (volume for pod in found if pod is not None for volume in pod.spec.volumes)
    return any(volume.persistentVolumeClaim is not None or volume.ephemeral is not None for volume in volumes)


def _evaluate_plan(inputs: LoadedInputs, plan: Plan) -> Analysis:
    progress = _Progress([], [])
    skipped = _list_script_remarks(plan, progress)
    read = _make_reader(inputs, plan, progress)
    refuse = _make_refusal_handler(plan, progress) if plan.script else None
    start = make_start_state(inputs.world)
    results = RuleResults()
    steps: list[SimulatedStep] = []
    shown: list[ReportStep] = []
    links: list[ExplanationLink] = []
    for step in simulate_commands(plan.commands, start, read, plan.file, on_refusal=refuse):
        number = len(steps) + 1
        steps.append(step)
        shown.append(
            build_step(
                step.change, step.impact, (*_list_assumption_notes(plan, step.index, progress), *_list_exposure_notes(step)), step.evictions
            )
        )
        links += iter_pair_links(inputs.options.why, step.impact, number)
        links += iter_pod_links(inputs.options.why, step.evictions, step.change, number)
        if len(progress.applied) != len(inputs.others):
            inputs = replace(inputs, others=tuple(progress.applied))
        context = make_change_context(step.change, step.impact, step.evictions, step.exposures, step.stranded_workloads)
        results = results.add(run_rules(inputs, context, number))
    judged = _count_judged(inputs, start, steps)
    empty = _find_empty_reason(plan, steps, judged)
    parts = ReportParts(
        plan.title,
        judged,
        results,
        tuple(shown),
        (*progress.problems, *(inputs.list_empty_problem(empty) if empty else ())),
        skipped,
        tuple(links),
        tuple(step.impact for step in steps),
        any(step.is_unknown for step in steps),
        find_next_commands(inputs.session, plan),
        is_change=True,
    )
    return build_report(replace(inputs, others=tuple(progress.applied)), parts)


def _list_script_remarks(plan: Plan, progress: _Progress) -> tuple[SkippedCheck, ...]:
    """What of a script changes nothing or never runs; what is not understood of it is a problem."""
    script = plan.script
    if script is None:
        return ()
    progress.problems += (_make_line_problem(plan.file, line.line, line.text, line.why) for line in script.unanalyzed)
    skipped = []
    if script.read_count:
        commands = "command" if script.read_count == 1 else "commands"
        skipped.append(SkippedCheck(f"{script.read_count} kubectl {commands}", messages.NO_CHANGE))
    if script.exit_line:
        skipped.append(SkippedCheck(messages.describe_unreached_lines(plan.file, script.exit_line), messages.SCRIPT_ENDS))
    return tuple(skipped)


def _make_line_problem(file: str, line: int, text: str, reason: str) -> Problem:
    """A line of a script that is not judged."""
    return Problem(describe_unjudged_line(text, reason), Location(file, line), is_line=True)


def _make_reader(inputs: LoadedInputs, plan: Plan, progress: _Progress) -> Callable[[FileArgument], Sequence[object]]:
    """Reads the objects of an `apply -f` file, relative to the plan that names it."""

    def read(argument: FileArgument) -> Sequence[object]:
        applied = plan.read_objects(argument, inputs.session.stdin, inputs.loaded.pools)
        progress.applied.append(applied)
        progress.problems += applied.problems
        return applied.given_objects

    return read


def _make_refusal_handler(plan: Plan, progress: _Progress) -> Callable[[int, PreflightError], None]:
    """A script goes on where a command is refused: it is a problem, and what follows rests on it."""
    lines = plan.script.commands if plan.script else ()

    def refuse(index: int, error: PreflightError) -> None:
        line = lines[index]
        progress.problems.append(_make_line_problem(plan.file, line.line, line.command.text, str(error).partition("\n")[0]))
        progress.refused_line = progress.refused_line or line.line

    return refuse


def _list_assumption_notes(plan: Plan, index: int, progress: _Progress) -> tuple[str, ...]:
    """That a line of a script rests on one before it that was not understood, or refused."""
    if plan.script is None:
        return ()
    before = min(filter(None, (plan.script.commands[index].follows_unread, progress.refused_line)), default=0)
    return (messages.describe_assumed_line(plan.file, before),) if before else ()


def _list_exposure_notes(step: SimulatedStep) -> tuple[str, ...]:
    """Where no DaemonSet is known: which workloads may have pods on the nodes, and keep them."""
    if step.impact.pair_count or step.change.before.daemonsets or not step.exposures or step.unknown_losers or step.evictions is not None:
        return ()
    from preflight.messages.workloads import note_possible_pods  # most runs know DaemonSets

    return (note_possible_pods(*_merge_exposures(step.exposures)),)


def _find_unknown_pods(steps: Sequence[SimulatedStep]) -> str:
    """Where no DaemonSet is known: which pods have to go, as far as is known; "" where what concerns workloads was judged."""
    if losing := [exposure for step in steps for exposure in step.unknown_losers]:
        from preflight.messages.workloads import describe_unknown_pods  # most runs know DaemonSets

        return describe_unknown_pods(*_merge_exposures(losing))
    if any(step.exposures or (step.change.nodes and step.change.before.pods) for step in steps):
        return ""
    return messages.NOTHING_TO_LOSE


def _merge_exposures(exposures: Sequence[WorkloadExposure]) -> tuple[list[str], list[Subject]]:
    """The nodes and the workloads of some exposures, each once."""
    nodes = sorted({name for exposure in exposures for name in exposure.nodes})
    return nodes, list(dict.fromkeys(exposure.subject for exposure in exposures))


def _count_judged(inputs: LoadedInputs, start: StartState, steps: Sequence[SimulatedStep]) -> CheckedCounts:
    daemonsets: set[ObjectKey] = set()
    for step in steps:
        daemonsets |= {*step.change.before.daemonsets, *step.change.after.daemonsets}
    nodes = steps[-1].impact.change.after.nodes if steps else start.world.nodes
    pairs = sum(step.impact.pair_count for step in steps)
    return CheckedCounts(inputs.loaded.files, inputs.loaded.objects, len(daemonsets), len(nodes), pairs)


def _find_empty_reason(plan: Plan, steps: Sequence[SimulatedStep], judged: CheckedCounts) -> str:
    """Why there was nothing to judge; "" where there was."""
    if not steps:
        return messages.describe_script_without_command(plan.file)
    if any(step.evictions is not None for step in steps):
        return ""  # what becomes of ordinary pods was there to judge
    if not judged.daemonsets:
        return _find_unknown_pods(steps)
    if judged.pairs:
        return ""
    if steps[-1].change.before.nodes:
        return messages.NOT_CONCERNED
    return messages.NO_PAIR
