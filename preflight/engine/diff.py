"""`preflight diff BASE HEAD`: what the change from one state of manifests to another costs; only what HEAD brings is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from preflight.change.diff.summary import add_summary
from preflight.change.diff.worlds import ComparisonMode, ComparisonSide, WorldDiff, compare_worlds
from preflight.change.model import Change
from preflight.coverage.daemonset_pods import DaemonSetPods, PodGroup, collect_listed_pods
from preflight.coverage.label_cascade import predict_impact
from preflight.coverage.model import Impact
from preflight.engine.asked_cluster import format_request_summary
from preflight.engine.explain_loss import iter_pair_links
from preflight.engine.report_builder import Analysis, ReportParts, build_report
from preflight.engine.rule_context import build_step, make_change_context, make_lint_context
from preflight.engine.rule_runner import RuleResults, run_rules
from preflight.engine.session import LoadedInputs, Session, check_stdin_once, load_inputs
from preflight.engine.unlisted_kinds import list_unlisted_problems
from preflight.errors import RefusalError
from preflight.load.git import diff_sides
from preflight.load.git.diff_sides import LoadedSide
from preflight.load.git.revisions import Revision
from preflight.load.inputs import Files, Live, LoadOptions, list_paths, open_input
from preflight.messages import compare as messages
from preflight.messages.hygiene import describe_refused_field
from preflight.messages.load import describe_ambiguity
from preflight.model.apps import DaemonSet
from preflight.model.meta import ObjectKey
from preflight.model.report import CheckedCounts, Outcome, Problem, Report, ReportStep, SkippedCheck
from preflight.model.world import ClusterState
from preflight.rules.api import Hit, ManifestLocation, make_subject_of
from preflight.rules.hygiene import invalid_object
from preflight.rules.new_findings import RuleHit, select_new_hits
from preflight.rules.select_rules import common_rules
from preflight.scheduling.placement import evaluate_placement
from preflight.scheduling.tolerations import add_implicit_tolerations

_CURRENT_CONTEXT = Live()


class _Comparison(Struct, frozen=True):
    """Two sides, the one before and the one after, and how they differ."""

    old: LoadedSide
    new: LoadedSide
    command: str
    differences: WorldDiff
    change: Change


class _Ends(Struct, frozen=True):
    """Both sides as they were typed, and the path or revision that each means."""

    base: str
    head: str
    ours: Revision | str
    theirs: Revision | str


_LiveSides = tuple[LoadedSide | None, LoadedSide | None]


class _NewFindings(Struct, frozen=True):
    """What HEAD brings, and what does not count as new.

    `known_count` is how many findings BASE has, `unchanged_count` how many of them HEAD has too.
    """

    results: RuleResults
    known_count: int
    unchanged_count: int


def diff(session: Session, base: str, head: str, *, merge_base: bool = False, live: Live = _CURRENT_CONTEXT) -> Analysis:
    """What the change from BASE to HEAD costs, in the cluster of the session.

    BASE and HEAD are paths or git revisions: see `diff_sides`; the word `live` is the cluster of the session, else `live`.
    `merge_base`: BASE is the commit where HEAD parted from it, as in a merge request.
    """
    check_stdin_once(base, head, *list_paths(session.input))
    theirs = diff_sides.resolve_side(head)
    ours = diff_sides.resolve_merge_base(base, head) if merge_base else diff_sides.resolve_side(base)
    is_live = [diff_sides.is_live_side(text, meant) for text, meant in ((base, ours), (head, theirs))]
    if all(is_live):
        raise RefusalError(messages.SAME_CLUSTER)
    command = f"diff {'--merge-base ' if merge_base else ''}"
    if any(is_live):
        inputs, old, new = _read_live_side(session, _Ends(base, head, ours, theirs), live, is_base=is_live[0])
    else:
        inputs = load_inputs(session)
        old, new = _read_sides(inputs, _Ends(base, head, ours, theirs))
    inputs = replace(inputs, others=(new.loaded, replace(old.loaded, skipped=())))
    return _evaluate_diff(inputs, _compare_sides(inputs, old, new, f"{command}{old.text} {new.text}"))


def _read_sides(inputs: LoadedInputs, ends: _Ends, live: _LiveSides = (None, None)) -> tuple[LoadedSide, LoadedSide]:
    """Read both sides; one that is a live cluster was read before."""
    session = inputs.session
    around = [side.loaded.world for side in live if side is not None] or [inputs.world]
    versions = around[0].versions.apply_to(session.versions)
    options = LoadOptions(one_cluster=False, versions=versions, exclusion=session.exclusion)
    old = live[0] or diff_sides.read_side(ends.base, ends.ours, options, stdin=session.stdin)
    taken = old.loaded.sources | inputs.loaded.sources
    new = live[1] or diff_sides.read_side(ends.head, ends.theirs, options, stdin=session.stdin, reserved_names=taken)
    return old, new


def _read_live_side(session: Session, ends: _Ends, live: Live, *, is_base: bool) -> tuple[LoadedInputs, LoadedSide, LoadedSide]:
    """Read both sides where one is a live cluster: that of the session, else `live`; what is around both are files."""
    if isinstance(session.input, Live):
        live, session = session.input, replace(session, input=Files())
    inputs = load_inputs(session)
    options = LoadOptions(one_cluster=False, versions=session.versions)
    with open_input(Live(live.target), options) as opened:
        side = LoadedSide(ends.base if is_base else ends.head, opened.loaded)
        old, new = _read_sides(inputs, ends, (side, None) if is_base else (None, side))
        summary = format_request_summary(opened.connection)
    problems = (*inputs.problems, *list_unlisted_problems(side.loaded.world))
    return replace(inputs, listed_state=side.loaded.world, problems=problems, request_summary=summary), old, new


def _compare_sides(inputs: LoadedInputs, old: LoadedSide, new: LoadedSide, command: str) -> _Comparison:
    before, after = (ComparisonSide(side.text, side.loaded.world, side.root) for side in (old, new))
    differences = compare_worlds(before, after, inputs.world, command)
    change = add_summary(differences, old.text, new.text)
    return _Comparison(old, new, command, differences, replace(change, notes=(*old.notes, *new.notes, *change.notes)))


def _evaluate_diff(inputs: LoadedInputs, compared: _Comparison) -> Analysis:
    old, new, change, differences = compared.old, compared.new, compared.change, compared.differences
    problems, skipped = _sort_unread(compared)
    if not (old.loaded.objects or new.loaded.objects):
        text = messages.describe_nothing_to_compare(old.text, new.text)
        problems += inputs.list_empty_problem(text)
    impact = _predict_impact(change, differences)
    steps: tuple[ReportStep, ...] = ()
    if impact is not None:
        steps = (build_step(impact.change, impact),)
    elif not differences.is_empty:
        steps = (ReportStep(compared.command, change.headline, notes=(*change.notes, messages.NO_NODE)),)
    found = _find_new(inputs, compared, impact, len(steps))
    parts = ReportParts(
        compared.command,
        _count_judged(inputs, compared, impact),
        found.results,
        steps,
        tuple(problems),
        links=tuple(iter_pair_links(inputs.options.why, impact, 1)) if impact else (),
        impacts=(impact,) if impact else (),
        is_unknown=impact is not None and any(group.outcome_before is not group.outcome for group in impact.iter_groups(Outcome.UNKNOWN)),
    )
    analysis = build_report(inputs, parts)
    return replace(analysis, report=_complete_report(analysis.report, compared, found, skipped))


def _complete_report(report: Report, compared: _Comparison, found: _NewFindings, skipped: Sequence[SkippedCheck]) -> Report:
    """The report with what it rests on, and what was not compared."""
    known = _describe_known_findings(compared.old.text, found.known_count, found.unchanged_count)
    assumptions = (*report.assumptions, *known, *_describe_partial_comparison(compared.differences))
    return replace(report, assumptions=assumptions, skipped=(*report.skipped, *skipped))


def _find_new(inputs: LoadedInputs, compared: _Comparison, impact: Impact | None, step: int) -> _NewFindings:
    """What the rules say of the change, and of HEAD but not of BASE."""
    of_change = RuleResults()
    judged: list[RuleHit] = []
    if impact is not None:
        of_change = run_rules(inputs, replace(make_change_context(impact.change, impact), workloads=()), 1)
        judged = [rule_hit for rule_hit in of_change.hits if rule_hit[0].needs_nodes or rule_hit[0].is_crash]
    coverage = [rule_hit for rule_hit in judged if not rule_hit[0].is_standing]
    of_head = _lint_side(inputs, compared.new, compared.change.after, step)
    of_base = _lint_side(inputs, compared.old, compared.change.before, step)
    now = _select_own_hits(of_head.hits)
    if compared.differences.mode is ComparisonMode.DRIFT:
        now = _select_stated(now, compared.old)
    was = [rule_hit for rule_hit in _select_own_hits(of_base.hits) if not rule_hit[0].is_crash]
    if compared.differences.mode is ComparisonMode.APPLY:  # what HEAD does not state is left alone
        was = _select_stated(was, compared.new)
    news = select_new_hits(now, was, (compared.new.root, compared.old.root))
    hits = (*coverage, *_find_refused_changes(compared.differences), *news)
    standing = len(judged) - len(coverage)
    results = replace(of_change.add(of_head).add(of_base), hits=hits)
    return _NewFindings(results, len(was) + standing, len(now) - len(news) + standing)


def _lint_side(inputs: LoadedInputs, side: LoadedSide, world: ClusterState, step: int) -> RuleResults:
    """What the rules of lint say of one side, with the nodes and the stated components of the whole comparison."""
    state = replace(side.loaded.world, nodes=world.nodes, component_overrides=world.component_overrides)
    return run_rules(inputs, make_lint_context(replace(side.loaded, world=state), None), step)


def _select_own_hits(hits: Sequence[RuleHit]) -> list[RuleHit]:
    """What is said of manifests alone."""
    return [rule_hit for rule_hit in hits if not rule_hit[0].needs_nodes]


def _select_stated(hits: Sequence[RuleHit], manifests: LoadedSide) -> list[RuleHit]:
    """Of what is said of a cluster only that of objects which the other side, its manifests, states too."""
    world = manifests.loaded.world
    stated = {(type(item).__name__, item.metadata.name) for item in (*world.workloads, *world.job_sets, *manifests.loaded.nodes)}
    return [rule_hit for rule_hit in hits if (rule_hit[1].subject.kind, rule_hit[1].subject.name) in stated]


def _predict_impact(change: Change, differences: WorldDiff) -> Impact | None:
    """The impact of the change; None where there is none, and where no node is known."""
    if differences.is_empty or not (change.before.nodes or change.after.nodes):
        return None
    pods: Mapping[ObjectKey, DaemonSetPods] = collect_listed_pods(change.before)
    if differences.mode is ComparisonMode.DRIFT:
        change, pods = _apply_drift(change, pods)
    return predict_impact(change, pods)


def _count_judged(inputs: LoadedInputs, compared: _Comparison, impact: Impact | None) -> CheckedCounts:
    change, new = compared.change, compared.new.loaded
    files = inputs.loaded.files + compared.old.loaded.files + new.files
    daemonsets = len({*change.before.daemonsets, *change.after.daemonsets})
    return CheckedCounts(files, new.objects, daemonsets, len(change.after.nodes), impact.pair_count if impact else 0)


def _sort_unread(compared: _Comparison) -> tuple[list[Problem], list[SkippedCheck]]:
    """What could not be read, as problems, and what is not judged.

    1. A problem of HEAD counts, unless BASE has it in the same file too. One that BASE alone has is fixed, and its objects look new.
    2. Where one side is the list of a cluster, every problem counts.
    """
    old, new = compared.old, compared.new
    twice = {describe_ambiguity(ambiguity): None for side in (old, new) for ambiguity in side.loaded.world.ambiguities}
    skipped = [SkippedCheck(text, messages.GIVEN_TWICE) for text in twice]
    if compared.differences.mode is not ComparisonMode.TREES:
        return [*old.loaded.problems, *new.loaded.problems], skipped
    known = Counter(_make_problem_key(problem, old.root) for problem in old.loaded.problems)
    problems = []
    for problem in new.loaded.problems:
        key = _make_problem_key(problem, new.root)
        if known[key]:
            known[key] -= 1
            skipped.append(SkippedCheck(_format_location(problem), messages.describe_same_problem(old.text)))
        else:
            problems.append(problem)
    skipped += (
        SkippedCheck(_format_location(problem), messages.CANNOT_BE_READ)
        for problem in old.loaded.problems
        if known[_make_problem_key(problem, old.root)]
    )
    return problems, skipped


def _apply_drift(change: Change, pods: Mapping[ObjectKey, DaemonSetPods]) -> tuple[Change, Mapping[ObjectKey, DaemonSetPods]]:
    """A drift, with the pods that there would be if the cluster were as BASE states it, and are not.

    A listed pod is there; one that is missing where BASE places it and the cluster does not was lost by the drift.
    """
    ended: dict[ObjectKey, frozenset[str]] = {}
    found = dict(pods)
    for key in change.daemonsets & pods.keys():
        old, new = change.before.daemonsets[key], change.after.daemonsets.get(key)
        there = frozenset().union(*(group.nodes for group in pods[key].groups))
        wanted = _find_wanted_nodes(old, change.before)
        lost = wanted - there - (_find_wanted_nodes(new, change.after, only_certain=False) if new else frozenset())
        if lost:
            own = PodGroup(lost, add_implicit_tolerations(old.spec.template.spec))
            found[key] = DaemonSetPods((*pods[key].groups, own), pods[key].decided_nodes)
            ended[key] = lost
    return replace(change, deleted_pod_nodes=ended), found


def _find_wanted_nodes(daemonset: DaemonSet, world: ClusterState, *, only_certain: bool = True) -> frozenset[str]:
    """The nodes where a DaemonSet should run; those where nobody knows are among them unless they have to be sure."""
    spec = daemonset.spec.template.spec
    tolerations = add_implicit_tolerations(spec)
    answers = {
        name: evaluate_placement(spec, tolerations, node, world.comparison_operators).should_run for name, node in world.nodes.items()
    }
    return frozenset(name for name, answer in answers.items() if answer or (answer is None and not only_certain))


def _describe_known_findings(base: str, base_count: int, unchanged_count: int) -> list[str]:
    """What BASE had to be said of it already, and what of that is gone."""
    words = []
    if unchanged_count:
        words.append(messages.describe_unchanged_findings(base, unchanged_count))
    if base_count > unchanged_count:
        words.append(messages.describe_gone_findings(base, base_count - unchanged_count))
    return words


def _describe_partial_comparison(compared: WorldDiff) -> list[str]:
    """What is alike as far as a snapshot shows."""
    number = len(compared.partly_known)
    if not number:
        return []
    return [messages.describe_partial_comparison(number)]


def _find_refused_changes(compared: WorldDiff) -> list[RuleHit]:
    """What the API server refuses of the change itself: a selector that differs."""
    rule = next(candidate for candidate in common_rules() if candidate.id == invalid_object.RULE.id)
    return [
        (
            rule,
            Hit(
                subject=make_subject_of(stated),
                key=("spec.selector",),
                location=ManifestLocation(stated.origin, ("spec", "selector")),
                message=describe_refused_field(why),
            ),
            1,
        )
        for stated, why in compared.refused.values()
    ]


def _make_problem_key(problem: Problem, root: str) -> tuple[str, str]:
    return problem.location.file.removeprefix(root) if problem.location else "", problem.message


def _format_location(problem: Problem) -> str:
    place = problem.location
    return f"{place.file}:{place.line}" if place and place.line else place.file if place else problem.message
