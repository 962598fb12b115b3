"""`preflight diff BASE HEAD`: a run over two worlds, which says only what the second one brings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import BinaryIO

from msgspec.structs import replace

from preflight.change.diff.summary import add_summary
from preflight.change.diff.worlds import BOTH_MANIFESTS, CLUSTER_DRIFT, ComparisonSide, WorldDiff, compare_worlds
from preflight.change.model import Change
from preflight.coverage.daemonset_pods import DaemonSetPods, PodGroup, collect_listed_pods
from preflight.coverage.label_cascade import predict_impact
from preflight.coverage.model import Impact
from preflight.engine import Run, RunOptions
from preflight.engine.cluster_session import open_cluster
from preflight.engine.rule_context import build_step, make_change_context, make_lint_context
from preflight.errors import UsageError
from preflight.kubectl.formatting import format_count
from preflight.load.files import STDIN
from preflight.load.git import diff_sides
from preflight.load.git.diff_sides import LoadedSide
from preflight.messages.hygiene import describe_refused_field
from preflight.messages.load import describe_ambiguity
from preflight.model.objects import DaemonSet, ObjectKey
from preflight.model.report import CheckedCounts, Outcome, Problem, Report, ReportStep, SkippedCheck
from preflight.model.world import ClusterState
from preflight.rules.api import Hit, ManifestLocation, make_subject_of
from preflight.rules.hygiene import invalid_object
from preflight.rules.new_findings import RuleHit, select_new_hits
from preflight.rules.registry import common_rules
from preflight.scheduling.placement import evaluate_placement
from preflight.scheduling.tolerations import add_implicit_tolerations

_NO_NODE_TEXT = "no node is known, so coverage is not judged: give the nodes by --from"


class DiffRun(Run):
    """One run over two sides."""

    _live_world: ClusterState | None = None

    @property
    def _cluster_world(self) -> ClusterState:
        """The side that is the cluster, else the world around both."""
        return self._live_world or self._loaded.world

    @classmethod
    def run_diff(
        cls,
        base: str,
        head: str,
        surrounding_paths: Sequence[str],
        options: RunOptions,
        stdin: BinaryIO | None = None,
        *,
        merge_base: bool = False,
    ) -> DiffRun:
        """What the change from BASE to HEAD costs, in the world of `surrounding_paths`.

        BASE and HEAD are paths or git revisions: see `diff_sides`.
        `merge_base`: BASE is the commit where HEAD parted from it, as in a merge request.
        """
        if [base, head, *surrounding_paths].count(STDIN) > 1:
            raise UsageError("standard input (-) can be read once only")
        theirs = diff_sides.resolve_side(head)
        ours = diff_sides.resolve_merge_base(base, head) if merge_base else diff_sides.resolve_side(base)
        live = [diff_sides.is_live_side(text, meant) for text, meant in ((base, ours), (head, theirs))]
        if all(live):
            raise UsageError("live and live are the same cluster: save one side with `preflight snapshot`")
        target = options.target or (options.live_target if any(live) else None)
        with open_cluster(target) as cluster:
            run = cls(surrounding_paths, (), options, stdin, one_cluster=True, cluster=None if any(live) else cluster)
            fill, gate = cluster.fill if cluster else None, options.comparison_operators
            old = diff_sides.read_side(base, ours, stdin=stdin, comparison_operators=gate, cluster=fill if live[0] else None)
            taken = old.loaded.sources | run._loaded.sources
            new = diff_sides.read_side(
                head, theirs, stdin=stdin, reserved_names=taken, comparison_operators=gate, cluster=fill if live[1] else None
            )
            run.request_summary = cluster.format_cost() if cluster else ""
        for side, is_live in zip((old, new), live, strict=True):
            if is_live:
                run._live_world = side.loaded.world
                run._problems += cls._iter_missing_daemonsets(side.loaded)
        run.report = run._compare(old, new, f"diff {'--merge-base ' if merge_base else ''}{old.text} {new.text}")
        return run

    def _compare(self, old: LoadedSide, new: LoadedSide, command: str) -> Report:
        before, after = (ComparisonSide(side.text, side.loaded.world, side.root) for side in (old, new))
        compared = compare_worlds(before, after, self._loaded.world, command)
        change = add_summary(compared, old.text, new.text)
        change = replace(change, notes=(*old.notes, *new.notes, *change.notes))
        self._applied_inputs = [new.loaded, replace(old.loaded, skipped=())]
        skipped = self._collect_unread(old, new, compared)
        if not (old.loaded.objects or new.loaded.objects):
            self._add_empty_problem(f"nothing was there to compare: no object of a kind that preflight knows in {old.text} or {new.text}")
        impact = self._predict_impact(change, compared)
        hits: list[RuleHit] = []
        steps: tuple[ReportStep, ...] = ()
        if impact is not None:
            steps = (build_step(impact.change, impact),)
            found = self._run_rules(replace(make_change_context(impact.change, impact), workloads=()), 1)
            hits = [each for each in found if each[0].needs_nodes or each[0].is_crash]
        elif not compared.is_empty:
            steps = (ReportStep(command, change.headline, notes=(*change.notes, _NO_NODE_TEXT)),)
        coverage = [hit for hit in hits if not hit[0].is_standing]
        now, was = self._collect_lint_findings(old, new, change, compared, step=len(steps))
        news = select_new_hits(now, was, (new.root, old.root))
        unknown = impact is not None and any(group.outcome_before is not group.outcome for group in impact.iter_groups(Outcome.UNKNOWN))
        judged = self._count_judged(old, new, change, impact)
        report = self._build_report(command, steps, judged, [*coverage, *_find_refused_changes(compared), *news], unknown=unknown)
        standing = len(now) - len(news) + len(hits) - len(coverage)
        known = len(was) + len(hits) - len(coverage)
        given = [check for check in report.skipped if check.what != "PodDisruptionBudgets" or (impact and not change.before.budgets)]
        assumptions = (*report.assumptions, *_describe_known_findings(old.text, known, standing), *_describe_partial_comparison(compared))
        return replace(report, assumptions=assumptions, skipped=(*given, *skipped))

    def _predict_impact(self, change: Change, compared: WorldDiff) -> Impact | None:
        """The impact of the change; None where there is none, and where no node is known."""
        if compared.is_empty or not (change.before.nodes or change.after.nodes):
            return None
        pods: Mapping[ObjectKey, DaemonSetPods] = collect_listed_pods(change.before)
        if compared.mode == CLUSTER_DRIFT:
            change, pods = _apply_drift(change, pods)
        impact = predict_impact(change, pods)
        self._explain(impact, 1)
        return impact

    def _count_judged(self, old: LoadedSide, new: LoadedSide, change: Change, impact: Impact | None) -> CheckedCounts:
        files = self._loaded.files + old.loaded.files + new.loaded.files
        daemonsets = len({*change.before.daemonsets, *change.after.daemonsets})
        return CheckedCounts(files, new.loaded.objects, daemonsets, len(change.after.nodes), impact.pair_count if impact else 0)

    def _collect_unread(self, old: LoadedSide, new: LoadedSide, compared: WorldDiff) -> list[SkippedCheck]:
        """Note what could not be read, and answer what is not judged.

        1. A problem of HEAD counts, unless BASE has it in the same file too. One that BASE alone has is mended, and its objects look new.
        2. Where one side is the list of a cluster, every problem counts.
        """
        twice = {describe_ambiguity(ambiguity): None for side in (old, new) for ambiguity in side.loaded.world.ambiguities}
        skipped = [SkippedCheck(text, "given twice") for text in twice]
        if compared.mode != BOTH_MANIFESTS:
            self._problems += (*old.loaded.problems, *new.loaded.problems)
            return skipped
        known = Counter(_make_problem_key(problem, old.root) for problem in old.loaded.problems)
        for each in new.loaded.problems:
            if known[_make_problem_key(each, new.root)]:
                known[_make_problem_key(each, new.root)] -= 1
                skipped.append(SkippedCheck(_format_location(each), f"could not be read in {old.text} either"))
            else:
                self._problems.append(each)
        skipped += (
            SkippedCheck(_format_location(each), "cannot be read")
            for each in old.loaded.problems
            if known[_make_problem_key(each, old.root)]
        )
        return skipped

    def _collect_lint_findings(
        self, old: LoadedSide, new: LoadedSide, change: Change, compared: WorldDiff, step: int
    ) -> tuple[list[RuleHit], list[RuleHit]]:
        """What the rules of lint say of HEAD, and of BASE; in a DRIFT only of objects that BASE states too."""
        now, was = self._lint_side(new, change.after, step), self._lint_side(old, change.before, step)
        if compared.mode == CLUSTER_DRIFT:
            world = old.loaded.world
            stated = {
                (type(workload).__name__, workload.metadata.name) for workload in (*world.workloads, *world.job_sets, *old.loaded.nodes)
            }
            now = [each for each in now if (each[1].subject.kind, each[1].subject.name) in stated]
        return now, [each for each in was if not each[0].is_crash]

    def _lint_side(self, side: LoadedSide, world: ClusterState, step: int) -> list[RuleHit]:
        loaded = replace(side.loaded, world=replace(side.loaded.world, nodes=world.nodes, component_overrides=world.component_overrides))
        return [candidate for candidate in self._run_rules(make_lint_context(loaded, None), step) if not candidate[0].needs_nodes]


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
        words.append(
            f"{format_count(unchanged_count, 'finding')} {'is' if unchanged_count == 1 else 'are'} in {base} already and not said again"
        )
    if base_count > unchanged_count:
        words.append(
            f"{format_count(base_count - unchanged_count, 'finding')} of {base} {'is' if base_count - unchanged_count == 1 else 'are'} gone"
        )
    return words


def _describe_partial_comparison(compared: WorldDiff) -> list[str]:
    """What is alike as far as a snapshot shows."""
    number = len(compared.partly_known)
    if not number:
        return []
    looks = "looks" if number == 1 else "look"
    return [f"{format_count(number, 'DaemonSet')} {looks} the same in a snapshot, which shows only what preflight reads of a template"]


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
