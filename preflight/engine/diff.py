"""`preflight diff BASE HEAD`: a run over two worlds, which says only what the second one brings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import BinaryIO

from msgspec.structs import replace

from preflight.change.diff.summary import said
from preflight.change.diff.worlds import DRIFT, TREES, Compared, Tree, compare
from preflight.change.model import Change
from preflight.coverage.daemonset_pods import PodGroup, PodsOf, listed_pods
from preflight.coverage.label_cascade import predict
from preflight.coverage.model import Impact
from preflight.engine import Options, Run
from preflight.engine.cluster_session import opened
from preflight.engine.rule_context import change_context, lint_context, step_of
from preflight.errors import UsageError
from preflight.kubectl.formatting import counted
from preflight.load.files import STDIN
from preflight.load.git import diff_sides
from preflight.load.git.diff_sides import Side
from preflight.model.objects import DaemonSet, ObjectKey
from preflight.model.report import Judged, Outcome, Problem, Report, Skipped, Step
from preflight.model.world import World
from preflight.rules.api import Hit, Place, subject_of
from preflight.rules.new_findings import Said, fresh
from preflight.rules.registry import common_rules
from preflight.scheduling.placement import place
from preflight.scheduling.tolerations import daemon_tolerations

_STANDING = ("PF106", "PF107")
"""Rules of what is so before a change and after it: never new."""
_NO_NODE = "no node is known, so coverage is not judged: give the nodes by --from"
_REFUSED = "PF207"
_CRASHED = "PF900"


class Difference(Run):
    """One run over two sides."""

    _live: World | None = None

    @property
    def _asked(self) -> World:
        """The side that is the cluster, else the world around both."""
        return self._live or self._loaded.world

    @classmethod
    def of_diff(
        cls, base: str, head: str, around: Sequence[str], options: Options, stdin: BinaryIO | None = None, *, merge_base: bool = False
    ) -> Difference:
        """What the change from BASE to HEAD costs, in the world `around` both; each is a path or a git revision: see `sides.which`.

        `merge_base`: BASE is the commit where HEAD parted from it, as in a merge request.
        """
        if [base, head, *around].count(STDIN) > 1:
            raise UsageError("standard input (-) can be read once only")
        theirs = diff_sides.which(head)
        ours = diff_sides.parted(base, head) if merge_base else diff_sides.which(base)
        live = [diff_sides.is_live(text, meant) for text, meant in ((base, ours), (head, theirs))]
        if all(live):
            raise UsageError("live and live are the same cluster: save one side with `preflight snapshot`")
        target = options.target or (options.live if any(live) else None)
        with opened(target) as cluster:
            run = cls(around, (), options, stdin, one_cluster=True, cluster=None if any(live) else cluster)
            fill, gate = cluster.fill if cluster else None, options.comparison_operators
            old = diff_sides.read_side(base, ours, stdin=stdin, comparison_operators=gate, cluster=fill if live[0] else None)
            taken = old.loaded.sources | run._loaded.sources
            new = diff_sides.read_side(head, theirs, stdin=stdin, taken=taken, comparison_operators=gate, cluster=fill if live[1] else None)
            run.cost = cluster.cost() if cluster else ""
        for side, is_live in zip((old, new), live, strict=True):
            if is_live:
                run._live = side.loaded.world
                run._problems += cls._not_all(side.loaded)
        run.report = run._compare(old, new, f"diff {'--merge-base ' if merge_base else ''}{old.text} {new.text}")
        return run

    def _compare(self, old: Side, new: Side, command: str) -> Report:
        before, after = (Tree(side.text, side.loaded.world, side.root) for side in (old, new))
        compared = compare(before, after, self._loaded.world, command)
        change = said(compared, old.text, new.text)
        change = replace(change, notes=(*old.notes, *new.notes, *change.notes))
        self._applied = [new.loaded, replace(old.loaded, skipped=())]
        skipped = self._unread(old, new, compared)
        if not (old.loaded.objects or new.loaded.objects):
            self._nothing(f"nothing was there to compare: no object of a kind that preflight knows in {old.text} or {new.text}")
        impact = self._predicted(change, compared)
        hits: list[Said] = []
        steps: tuple[Step, ...] = ()
        if impact is not None:
            steps = (step_of(impact.change, impact),)
            found = self._hits(replace(change_context(impact.change, impact), workloads=()), 1)
            hits = [each for each in found if each[0].needs_nodes or each[0].id == _CRASHED]
        elif not compared.is_empty:
            steps = (Step(command, change.headline, notes=(*change.notes, _NO_NODE)),)
        coverage = [each for each in hits if each[0].id not in _STANDING]
        now, was = self._hygiene(old, new, change, compared, step=len(steps))
        news = fresh(now, was, (new.root, old.root))
        unknown = impact is not None and any(group.was is not group.outcome for group in impact.with_outcome(Outcome.UNKNOWN))
        judged = self._judged(old, new, change, impact)
        report = self._report(command, steps, judged, [*coverage, *_refused(compared), *news], unknown=unknown)
        standing = len(now) - len(news) + len(hits) - len(coverage)
        known = len(was) + len(hits) - len(coverage)
        given = [each for each in report.skipped if each.what != "PodDisruptionBudgets" or (impact and not change.before.budgets)]
        assumptions = (*report.assumptions, *_known(old.text, known, standing), *_in_part(compared))
        return replace(report, assumptions=assumptions, skipped=(*given, *skipped))

    def _predicted(self, change: Change, compared: Compared) -> Impact | None:
        """The impact of the change; None where there is none, and where no node is known."""
        if compared.is_empty or not (change.before.nodes or change.after.nodes):
            return None
        pods: Mapping[ObjectKey, PodsOf] = listed_pods(change.before)
        if compared.how == DRIFT:
            change, pods = _as_found(change, pods)
        impact = predict(change, pods)
        self._explain(impact, 1)
        return impact

    def _judged(self, old: Side, new: Side, change: Change, impact: Impact | None) -> Judged:
        files = self._loaded.files + old.loaded.files + new.loaded.files
        daemonsets = len({*change.before.daemonsets, *change.after.daemonsets})
        return Judged(files, new.loaded.objects, daemonsets, len(change.after.nodes), impact.pairs if impact else 0)

    def _unread(self, old: Side, new: Side, compared: Compared) -> list[Skipped]:
        """Note what could not be read, and answer what is not judged.

        1. A problem of HEAD counts, unless BASE has it in the same file too. One that BASE alone has is mended, and its objects look new.
        2. Where one side is the list of a cluster, every problem counts.
        """
        twice = {text: None for side in (old, new) for text in side.loaded.world.ambiguous}
        skipped = [Skipped(text, "given twice") for text in twice]
        if compared.how != TREES:
            self._problems += (*old.loaded.problems, *new.loaded.problems)
            return skipped
        known = Counter(_problem(each, old.root) for each in old.loaded.problems)
        for each in new.loaded.problems:
            if known[_problem(each, new.root)]:
                known[_problem(each, new.root)] -= 1
                skipped.append(Skipped(_where(each), f"could not be read in {old.text} either"))
            else:
                self._problems.append(each)
        skipped += (Skipped(_where(each), "cannot be read") for each in old.loaded.problems if known[_problem(each, old.root)])
        return skipped

    def _hygiene(self, old: Side, new: Side, change: Change, compared: Compared, step: int) -> tuple[list[Said], list[Said]]:
        """What the rules of lint say of HEAD, and of BASE; in a DRIFT only of objects that BASE states too."""
        now, was = self._linted(new, change.after, step), self._linted(old, change.before, step)
        if compared.how == DRIFT:
            world = old.loaded.world
            stated = {(type(each).__name__, each.metadata.name) for each in (*world.workloads, *world.job_sets, *old.loaded.nodes)}
            now = [each for each in now if (each[1].subject.kind, each[1].subject.name) in stated]
        return now, [each for each in was if each[0].id != _CRASHED]

    def _linted(self, side: Side, world: World, step: int) -> list[Said]:
        loaded = replace(side.loaded, world=replace(side.loaded.world, nodes=world.nodes, stated=world.stated))
        return [each for each in self._hits(lint_context(loaded, None), step) if not each[0].needs_nodes]


def _as_found(change: Change, pods: Mapping[ObjectKey, PodsOf]) -> tuple[Change, Mapping[ObjectKey, PodsOf]]:
    """A drift, with the pods that there would be if the cluster were as BASE states it, and are not.

    A listed pod is there; one that is missing where BASE places it and the cluster does not was lost by the drift.
    """
    ended: dict[ObjectKey, frozenset[str]] = {}
    found = dict(pods)
    for key in change.daemonsets & pods.keys():
        old, new = change.before.daemonsets[key], change.after.daemonsets.get(key)
        there = frozenset().union(*(group.nodes for group in pods[key].groups))
        wanted = _placed(old, change.before)
        lost = wanted - there - (_placed(new, change.after, sure=False) if new else frozenset())
        if lost:
            own = PodGroup(lost, daemon_tolerations(old.spec.template.spec))
            found[key] = PodsOf((*pods[key].groups, own), pods[key].decided)
            ended[key] = lost
    return replace(change, ended=ended), found


def _placed(daemonset: DaemonSet, world: World, *, sure: bool = True) -> frozenset[str]:
    """The nodes where a DaemonSet should run; those where nobody knows are among them unless they have to be sure."""
    spec = daemonset.spec.template.spec
    tolerations = daemon_tolerations(spec)
    answers = {name: place(spec, tolerations, node, world.comparison_operators).should_run for name, node in world.nodes.items()}
    return frozenset(name for name, answer in answers.items() if answer or (answer is None and not sure))


def _known(base: str, known: int, standing: int) -> list[str]:
    """What BASE had to be said of it already, and what of that is gone."""
    words = []
    if standing:
        words.append(f"{counted(standing, 'finding')} {'is' if standing == 1 else 'are'} in {base} already and not said again")
    if known > standing:
        words.append(f"{counted(known - standing, 'finding')} of {base} {'is' if known - standing == 1 else 'are'} gone")
    return words


def _in_part(compared: Compared) -> list[str]:
    """What is alike as far as a snapshot shows."""
    number = len(compared.in_part)
    if not number:
        return []
    looks = "looks" if number == 1 else "look"
    return [f"{counted(number, 'DaemonSet')} {looks} the same in a snapshot, which shows only what preflight reads of a template"]


def _refused(compared: Compared) -> list[Said]:
    """What the API server refuses of the change itself: a selector that differs."""
    rule = next(each for each in common_rules() if each.id == _REFUSED)
    return [
        (
            rule,
            Hit(
                subject=subject_of(stated), place=Place(stated.origin, ("spec", "selector")), message=f"is refused by the API server: {why}"
            ),
            1,
        )
        for stated, why in compared.refused.values()
    ]


def _problem(problem: Problem, root: str) -> tuple[str, str]:
    return problem.location.file.removeprefix(root) if problem.location else "", problem.message


def _where(problem: Problem) -> str:
    place = problem.location
    return f"{place.file}:{place.line}" if place and place.line else place.file if place else problem.message
