"""One run: load, judge, sort."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec.structs import replace

import preflight
from preflight import load
from preflight.change.apply_command import perform
from preflight.change.model import Change
from preflight.coverage.daemonset_pods import PodsOf, listed_pods
from preflight.coverage.evaluate import unchanged
from preflight.coverage.label_cascade import predict
from preflight.coverage.model import Impact
from preflight.coverage.report_rows import coverage
from preflight.engine.cluster_session import Asking, opened
from preflight.engine.options import Options
from preflight.engine.rule_context import change_context, crash, judged_workloads, lint_context, rules_of, step_of, trace
from preflight.errors import PreflightError, UsageError
from preflight.kubectl.commands import Command, Patch
from preflight.kubectl.parser import parse
from preflight.kubectl.plan_file import commands
from preflight.model.objects import DaemonSet, ObjectKey, Origin
from preflight.model.report import Cluster, Finding, Judged, Link, Location, Outcome, Problem, Related, Report, Skipped, Step, Subject
from preflight.model.world import World
from preflight.policy.evaluate import ruled, settled
from preflight.policy.matching import Bearer, Found, Thing
from preflight.policy.matching import Judged as Exemptible
from preflight.rules.api import Context, Hit, Place, Rule, worst_of_each
from preflight.rules.registry import rules_for
from preflight.rules.team_convention import Convention

if TYPE_CHECKING:
    from preflight.kubectl.runbook.reader import Line, Script
    from preflight.model.evictions import Evictions
    from preflight.policy.baseline import Baseline

_FALLS = (Outcome.LOST_NOW, Outcome.LOST_ON_RECREATION, Outcome.LOOP, Outcome.UNKNOWN)
_LEAST = 99
"""The rank of what is no DaemonSet, and of a DaemonSet that is nothing known."""


def _plural(kind: str) -> str:
    """The kind as people say more of it: `Pods`, `StorageClasses`."""
    return f"{kind}es" if kind.endswith("s") else f"{kind}s"


class Run:
    """One run: its report, the tracebacks of rules that crashed, and the new baseline where one was asked for; what a cluster was asked."""

    @classmethod
    def of_change(cls, argv: Sequence[str], sources: Sequence[str], options: Options, stdin: BinaryIO | None = None) -> Run:
        """One command line of kubectl's verbs, over the world of the sources."""
        command = parse(argv)
        with opened(options.target, [command]) as cluster:
            run = cls(sources, (), options, stdin, one_cluster=True, cluster=cluster, evicts=command.evicts)
            run.report = run._changes([command], command.text)
        return run

    @classmethod
    def of_plan(cls, path: str, sources: Sequence[str], options: Options, stdin: BinaryIO | None = None) -> Run:
        """A plan: a file with a list of command lines, or a shell script; each line over the world that the one before leaves."""
        text = load.read_script(path)
        if text is not None:
            from preflight.kubectl.runbook.reader import read_script

            return cls._of_script(path, read_script(text), sources, options, stdin)
        steps = load.read_plan(path)
        lines = commands([item for _, item in steps], [f"{origin.file}:{origin.line}" for origin, _ in steps])
        with opened(options.target, lines, path) as cluster:
            evicts = any(each.evicts for each in lines)
            run = cls(sources, (), options, stdin, one_cluster=True, base=path, cluster=cluster, evicts=evicts)
            run.report = run._changes(lines, f"plan {path}")
        return run

    @classmethod
    def _of_script(cls, path: str, script: Script, sources: Sequence[str], options: Options, stdin: BinaryIO | None) -> Run:
        """A shell script: what it surely runs is judged; what is not understood is named, and makes the answer unknown."""
        lines = [line.command for line in script.lines]
        with opened(options.target, lines, path) as cluster:
            if cluster and script.context and script.context != cluster.context:
                advice = f"give --context {script.context}"
                raise UsageError(f"{path} chooses context {script.context}, and context {cluster.context} is asked: {advice}")
            evicts = any(each.evicts for each in lines)
            run = cls(sources, (), options, stdin, one_cluster=True, base=path, cluster=cluster, evicts=evicts)
            for each in script.unread:
                run._not_judged(each.line, each.text, each.why)
            if script.reads:
                run._skipped.append(Skipped(f"{script.reads} kubectl {'command' if script.reads == 1 else 'commands'}", "no change"))
            if script.ends:
                run._skipped.append(Skipped(f"what follows {path}:{script.ends}", "the script ends there"))
            run.report = run._changes(lines, f"plan {path}", script.lines)
        return run

    @classmethod
    def of_lint(cls, paths: Sequence[str], around: Sequence[str], options: Options, stdin: BinaryIO | None = None) -> Run:
        """What is there: hygiene of the objects in `paths`, and coverage if nodes are known; `around` gets no findings."""
        with opened(options.target) as cluster:
            run = cls(paths, around, options, stdin, one_cluster=False, cluster=cluster)
            run.report = run._lint()
        return run

    report: Report
    baseline: Baseline | None = None

    def __init__(
        self,
        sources: Sequence[str],
        around: Sequence[str],
        options: Options,
        stdin: BinaryIO | None,
        *,
        one_cluster: bool,
        base: str = "",
        cluster: Asking | None = None,
        evicts: bool = False,
        wants_state: bool = False,
    ) -> None:
        """Load the sources; `base` is the file that paths in commands are relative to, `cluster` the one to ask.

        `evicts`: ordinary pods may have to go, or are compared, so that they are read as a whole. `wants_state`: so is how things are.
        """
        self.crashes: list[str] = []
        self._options = options
        loaded = load.read(
            sources,
            around=around,
            stdin=stdin,
            one_cluster=one_cluster,
            comparison_operators=options.comparison_operators,
            leaves_templates=options.allow_empty and not one_cluster,
            wants_whole_pods=evicts,
            wants_state=wants_state,
            cluster=cluster.fill if cluster else None,
        )
        self._cluster, self.cost = cluster, cluster.cost() if cluster else ""
        self._loaded, self._convention = self._held(loaded), Convention()
        if options.terms.policy.layers:
            from preflight.policy.apply_to_world import convention

            self._convention = convention(options.terms.policy)
        self._paths, self._is_lint = sources, not one_cluster
        self._known: tuple[load.Loaded, ...] = ()
        self._by_origin: dict[Origin, Bearer] = {}
        self._base = base
        self._applied: list[load.Loaded] = []
        self._problems = [*self._loaded.problems, *self._not_all(loaded)]
        self._skipped: list[Skipped] = []
        self._why: list[Link] = []
        self._ranks: dict[Subject, int] = {}
        self._asked_who_depends = False

    @staticmethod
    def _not_all(loaded: load.Loaded) -> Iterator[Problem]:
        """That a cluster did not show all DaemonSets."""
        if why := loaded.world.missing.get("DaemonSet"):
            yield Problem(f"not all DaemonSets are judged: {why}")

    @property
    def _asked(self) -> World:
        """The world of the cluster that was asked, if one was."""
        return self._loaded.world

    def _held(self, loaded: load.Loaded) -> load.Loaded:
        """What was read, with what the policy states of it."""
        if not self._options.terms.policy.layers:
            return loaded
        from preflight.policy.apply_to_world import with_policy

        return replace(loaded, world=with_policy(self._options.terms.policy, loaded.world))

    def _ask_who_depends(self, steps: Sequence[Command]) -> None:
        """Ask the cluster what may depend on DaemonSets, where the steps lose one: most changes lose nothing, and it is much."""
        if self._cluster is None or self._loaded.again is None:
            return
        world = self._loaded.world
        pods: Mapping[ObjectKey, PodsOf] = listed_pods(world)
        for each in steps:
            try:
                impact = predict(perform(each, world, lambda path: load.read_objects(path, self._base).given), pods)
            except PreflightError:
                continue  # said when the step is judged
            if any(impact.with_outcome(*_FALLS)):
                self._cluster.dependents()
                self.cost = self._cluster.cost()
                self._loaded = self._held(self._loaded.again())
                self._problems = [*self._loaded.problems, *(each for each in self._problems if each not in self._loaded.problems)]
                return
            world, pods = impact.change.after, impact.pods

    def _changes(self, steps: Sequence[Command], command: str, lines: Sequence[Line] = ()) -> Report:
        """Each command over the world that the one before leaves; `lines` are those of a script, which goes on where one is refused."""
        self._ask_who_depends(steps)
        world = self._loaded.world
        pods: Mapping[ObjectKey, PodsOf] = listed_pods(world)
        shown: list[Step] = []
        hits: list[tuple[Rule, Hit, int]] = []
        daemonsets: set[ObjectKey] = set()
        pairs, unknown = 0, False
        impact: Impact | None = None
        refused = 0
        left: dict[str, Any] = {}
        for place, each in enumerate(steps):
            number = len(shown) + 1
            if impact is not None:
                world, pods = replace(impact.change.after, **left), impact.pods
            try:
                change = perform(self._with_patch(each), world, self._read)
            except PreflightError as error:
                if lines:
                    self._not_judged(lines[place].line, each.text, str(error).partition("\n")[0])
                    refused = refused or lines[place].line
                    continue
                raise type(error)(f"step {number}, `{each.text}`: {error}" if len(steps) > 1 else str(error)) from None
            impact = predict(change, pods)
            evictions, left = self._evicted(change)
            before = min(filter(None, (lines[place].after, refused)), default=0) if lines else 0
            more = (f"rests on {self._base}:{before} having changed nothing here",) if before else ()
            shown.append(step_of(change, impact, more, evictions))
            self._explain(impact, number)
            self._explain_pods(evictions, change, number)
            hits += self._hits(change_context(change, impact, evictions), number)
            pairs += impact.pairs
            daemonsets |= {*change.before.daemonsets, *change.after.daemonsets}
            unknown = unknown or bool(change.unknown) or any(impact.with_outcome(Outcome.UNKNOWN))
            unknown = unknown or (evictions is not None and evictions.is_unknown)
        if not shown:
            self._nothing(f"{self._base} has no line that preflight can judge")
        elif any(step.evictions is not None for step in shown):
            pass  # what becomes of ordinary pods was there to judge
        elif not daemonsets:
            self._nothing("no DaemonSet was given: there is nothing that a change could cost")
        elif not pairs and world.nodes:
            self._nothing("no DaemonSet has anything to do with it: there is nothing that it could cost")
        elif not pairs:
            self._nothing(
                "no node was given, so there is no pair of DaemonSet and node to judge: add the output of `kubectl get nodes -o json`"
            )
        nodes = impact.change.after.nodes if impact else world.nodes
        judged = Judged(self._loaded.files, self._loaded.objects, len(daemonsets), len(nodes), pairs)
        return self._report(command, tuple(shown), judged, hits, unknown=unknown)

    def _evicted(self, change: Change) -> tuple[Evictions | None, dict[str, Any]]:
        """What a change does to ordinary pods, and the parts of the world that it leaves otherwise; nothing where it lets none go."""
        if change.after.running is None:
            return None, {}
        from preflight.evictions.evaluate import evict

        evicted = evict(change)
        if evicted is None:
            return None, {}
        after = evicted.after
        return evicted.evictions, {"running": after.running, "budgets": after.budgets, "displaced": after.displaced}

    def _explain_pods(self, evictions: Evictions | None, change: Change, step: int) -> None:
        """The chain of the ordinary pod that `why` asks for, where this step lets it go or keeps it."""
        if evictions is None or "/" not in self._options.why:
            return
        from preflight.evictions.explain import chain

        self._why += (Link(step, heading, text) for heading, text in chain(evictions, change, self._options.why))

    def _lint(self) -> Report:
        """What is there, without a change."""
        world = self._loaded.world
        impact = predict(unchanged(world), listed_pods(world)) if world.nodes and world.daemonsets else None
        hits = list(self._hits(lint_context(self._loaded, impact), 0))
        steps: tuple[Step, ...] = ()
        if impact is not None:
            self._explain(impact, 0)
            steps = (Step(command="", headline="", nodes=tuple(world.nodes), coverage=coverage(impact)),)
        if not self._loaded.objects:
            self._nothing("nothing was there to judge: no object of a kind that preflight knows")
        daemonsets = sum(isinstance(workload, DaemonSet) for workload in judged_workloads(self._loaded))
        judged = Judged(self._loaded.files, self._loaded.objects, daemonsets, len(world.nodes), impact.pairs if impact else 0)
        unknown = self._options.strict and (bool(world.ambiguous) or (impact is not None and any(impact.with_outcome(Outcome.UNKNOWN))))
        return self._report("", steps, judged, hits, unknown=unknown)

    def _explain(self, impact: Impact, step: int) -> None:
        """The chain of the pair that `why` asks for, where this step judges it."""
        if not self._options.why:
            return
        from preflight.coverage.explain import chain
        from preflight.dependents.explain import explain_dependents

        *names, node = self._options.why.split("/")
        for group in impact.groups:
            if node in group.nodes and names in ([group.key.name], [group.key.namespace or "-", group.key.name]):
                self._why += (
                    Link(step, heading, text) for heading, text in chain(impact, group, node, explain_dependents(impact, group, node))
                )

    def _read(self, path: str) -> Sequence[object]:
        """The objects of an `apply -f` file, relative to the plan that names it."""
        applied = load.read_objects(path, self._base, pools=self._loaded.pools)
        self._applied.append(applied)
        self._problems += applied.problems
        return applied.given

    def _with_patch(self, command: Command) -> Command:
        """The command with the text of the patch file that it names."""
        if not isinstance(command, Patch) or not command.file:
            return command
        return replace(command, patch=load.read_patch(command.file, self._base), file="")

    def _or_pod(self) -> str:
        return ", or NAMESPACE/POD of a pod that may have to go" if self._loaded.world.running is not None else ""

    def _not_judged(self, line: int, text: str, why: str) -> None:
        """A line of a script that is not judged."""
        self._problems.append(Problem(f"not judged: `{text}`: {why}" if text else f"not judged: {why}", Location(self._base, line)))

    def _nothing(self, message: str) -> None:
        if not self._options.allow_empty:
            self._problems.append(Problem(message))

    def _hits(self, context: Context, step: int) -> Iterator[tuple[Rule, Hit, int]]:
        """What the rules say of one step; of an object that was given only as surroundings they say nothing."""
        declared = self._convention.declared if context.lint else ()
        context = replace(context, convention=self._convention, taints=tuple(dict.fromkeys((*context.taints, *declared))))
        hits: list[tuple[Rule, Hit]] = []
        for rule in rules_for(context):
            if rule.needs_nodes and context.impact is None:
                continue
            try:
                hits += [(rule, hit) for hit in rule.check(context)]
            except Exception as error:
                self.crashes.append(trace())
                hits.append(crash(rule, error))
        if context.impact is not None:
            self._rank(context.impact, [hit for _, hit in hits])
            self._asked_who_depends |= not self.crashes and any(each.has_dependents for each in context.consequences())
        if self._options.terms.policy.rulings:
            hits = list(ruled(self._options.terms.policy, hits, self._thing))
        judged = self._loaded.judged
        for rule, hit in worst_of_each(hits):
            if not context.lint or judged is None or hit.place.origin.file in judged or rule.id == "PF900":
                yield rule, hit, step

    def _rank(self, impact: Impact, hits: Iterable[Hit]) -> None:
        """Note how much the loss of each DaemonSet matters that something is said of."""
        for hit in hits:
            subject = hit.subject
            if subject.kind == "DaemonSet" and subject not in self._ranks:
                key = ObjectKey(subject.namespace, subject.name, "" if subject.namespace else hit.place.origin.file)
                daemonset = impact.change.after.daemonsets.get(key) or impact.change.before.daemonsets.get(key)
                if daemonset is not None:
                    self._ranks[subject] = impact.recognised.rank(daemonset)

    @property
    def _objects(self) -> Mapping[Origin, Bearer]:
        """The objects that hits are about, by their origin: of all that was read so far."""
        read = (self._loaded, *self._applied)
        if len(self._known) != len(read):
            of_worlds = (each for world in (one.world for one in read) for each in (*world.workloads, *world.job_sets, *world.budgets))
            given = (*of_worlds, *(each for one in read for each in (*one.nodes, *one.given)))
            self._known = read
            self._by_origin = {each.origin: each for each in given if isinstance(each, Bearer)}
        return self._by_origin

    def _thing(self, hit: Hit) -> Thing:
        """What a policy matches of the object that a hit is about."""
        found = self._objects.get(hit.place.origin)
        return Thing(hit.subject, hit.place.origin.file, found.metadata.labels if found else {})

    def _settled(self, found: Sequence[Found]) -> list[Finding]:
        """The findings as the policy, the exemptions and the baseline leave them."""
        about = {each.origin for each in found}
        files = self._loaded.judged
        objects = [
            each for origin, each in self._objects.items() if (files is None or origin.file in files if self._is_lint else origin in about)
        ]
        texts = {key: text for read in (*self._applied, self._loaded) for key, text in read.texts.items()}
        judged = Exemptible(objects, texts, self._paths, self._is_lint, bool(self._loaded.world.nodes))
        findings, self.baseline = settled(self._options.terms, found, judged)
        return findings

    def _located(self, hits: Iterable[tuple[Rule, Hit, int]]) -> tuple[Finding, ...]:
        """The hits as findings, each with its place, sorted; what two steps of a plan say alike is said once, at the first."""
        once: dict[tuple[object, ...], tuple[Rule, Hit, int]] = {}
        for rule, hit, step in hits:
            once.setdefault((rule.id, hit.subject, hit.message, hit.place), (rule, hit, step))
        kept = tuple(once.values())
        found = self._locations({place for _, hit, _ in kept for place in (hit.place, *(each for _, each in hit.related))})
        findings = [
            Found(
                Finding(
                    rule=rule.id,
                    name=rule.name,
                    severity=hit.severity or rule.severity,
                    subject=hit.subject,
                    message=hit.message,
                    nodes=hit.nodes,
                    location=found[hit.place],
                    label=hit.label,
                    notes=(*hit.notes, *self._rendered_from(hit.place.origin)),
                    related=tuple(Related(message, found[place]) for message, place in hit.related),
                    suggestion=hit.suggestion,
                    step=step,
                ),
                hit.place.origin,
                self._thing(hit),
            )
            for rule, hit, step in kept
        ]
        return tuple(sorted(self._settled(findings), key=self._order))

    def _rendered_from(self, origin: Origin) -> Iterator[tuple[str, str]]:
        """The template of a chart that an object was rendered from, as a note: the place to edit."""
        owner = next((each for each in (self._loaded, *self._applied) if origin.file in each.sources), None)
        template = owner.rendered_from(origin) if owner else ""
        if template:
            yield "note", f"rendered from {template}"

    def _order(self, finding: Finding) -> tuple[object, ...]:
        """By step, severity, how much the loss of the DaemonSet matters, rule, and place."""
        where = finding.location
        place = (where.file, where.line, where.column, where.path) if where else ("", 0, 0, "")
        worst = (finding.step, finding.severity.rank, self._ranks.get(finding.subject, _LEAST))
        return (*worst, finding.rule, str(finding.subject), finding.nodes, place, finding.message)

    def _locations(self, places: Iterable[Place]) -> dict[Place, Location | None]:
        """The locations of places, all fields of one document at once; None for what no file holds."""
        found: dict[Place, Location | None] = {}
        by_source: dict[int, list[Place]] = {}
        every = (self._loaded, *self._applied)
        for place in places:
            found[place] = None
            owner = next((number for number, each in enumerate(every) if place.origin.file in each.sources), None)
            if owner is not None:
                by_source.setdefault(owner, []).append(place)
        for owner, asked in by_source.items():
            found.update(zip(asked, every[owner].locate_all([(place.origin, place.path) for place in asked]), strict=True))
        return found

    def _report(
        self, command: str, steps: tuple[Step, ...], judged: Judged, hits: Iterable[tuple[Rule, Hit, int]], *, unknown: bool
    ) -> Report:
        if self._options.why and not self._why:
            raise UsageError(
                f"--why {self._options.why}: no such pair was judged; it is DAEMONSET/NODE or NAMESPACE/DAEMONSET/NODE{self._or_pod()}"
            )
        findings = self._located(hits)
        assumed = [part.assumed for step in steps for part in step.coverage]
        assumptions: tuple[str, ...] = ()
        if any(assumed):
            assumptions = ("coverage assumed (no pods given)" if all(assumed) else "coverage assumed where no pods were given",)
        skipped = [*self._loaded.skipped, *self._skipped, *(each for applied in self._applied for each in applied.skipped)]
        skipped += [Skipped(text, "given twice") for text in self._loaded.world.ambiguous]
        survey = self._asked.survey
        skipped += [Skipped(_plural(kind), why) for kind, why in self._asked.missing.items() if kind != "DaemonSet"]
        is_asked = survey is not None and bool(survey.server)
        if steps and not self._loaded.world.budgets and not is_asked and "PodDisruptionBudget" not in self._loaded.world.complete:
            skipped.append(Skipped("PodDisruptionBudgets", "not given"))
        if self._asked_who_depends and self._loaded.world.pods:
            skipped.append(Skipped("what listed pods need", "only the templates of workloads are read"))
        worst = min((finding.severity.rank for finding in findings if finding.exempted is None), default=3)
        exit_code = 0
        if worst <= self._options.fail_on.rank and not self._options.exit_zero:
            exit_code = 1
        if (self._problems or unknown) and not (self._options.exit_zero and not self._problems):
            exit_code = 3
        if self.crashes:
            exit_code = 4
        return Report(
            preflight.__version__,
            command,
            steps,
            judged,
            assumptions,
            tuple(skipped),
            tuple(self._problems),
            findings,
            exit_code,
            tuple(self._why),
            rules_of(findings),
            Cluster(survey.context, survey.server, survey.version) if survey is not None and is_asked else None,
        )
