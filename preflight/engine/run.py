"""One run: load, judge, sort."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec.structs import replace

import preflight
from preflight import load
from preflight.change.apply_command import perform_command
from preflight.change.model import Change
from preflight.coverage.daemonset_pods import DaemonSetPods, collect_listed_pods
from preflight.coverage.evaluate import make_empty_change
from preflight.coverage.label_cascade import predict_impact
from preflight.coverage.model import Impact
from preflight.engine.cluster_session import ClusterSession, open_cluster
from preflight.engine.coverage_rows import build_coverage_rows
from preflight.engine.options import RunOptions
from preflight.engine.rule_context import (
    build_step,
    collect_rule_info,
    format_traceback,
    make_change_context,
    make_crash_hit,
    make_lint_context,
    select_linted_workloads,
)
from preflight.errors import PreflightError, UsageError
from preflight.kubectl.commands import Command, PatchObjects
from preflight.kubectl.parser import parse_command
from preflight.kubectl.plan_file import parse_plan
from preflight.messages.load import describe_ambiguity
from preflight.model.objects import DaemonSet, ObjectKey, Origin
from preflight.model.report import (
    CheckedCounts,
    ClusterIdentity,
    ExplanationLink,
    Finding,
    Location,
    Outcome,
    Problem,
    RelatedLocation,
    Report,
    ReportStep,
    SkippedCheck,
    Subject,
)
from preflight.model.world import ClusterState
from preflight.policy.evaluate import apply_rule_severities, settle_findings
from preflight.policy.matching import ExemptibleObject, LocatedFinding, MatchTarget
from preflight.policy.matching import ExemptionScope as Exemptible
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, keep_worst_hits
from preflight.rules.registry import select_rules
from preflight.rules.team_convention import TeamConvention

if TYPE_CHECKING:
    from preflight.kubectl.runbook.reader import RunbookScript, ScriptCommand
    from preflight.model.evictions import EvictionReport
    from preflight.policy.baseline import Baseline

_LOSING_OUTCOMES = (Outcome.LOST_NOW, Outcome.LOST_ON_RECREATION, Outcome.LOOP, Outcome.UNKNOWN)
_LOWEST_RANK = 99
"""The rank of what is no DaemonSet, and of a DaemonSet that is nothing known."""


def _format_plural(kind: str) -> str:
    """The kind as people say more of it: `Pods`, `StorageClasses`."""
    return f"{kind}es" if kind.endswith("s") else f"{kind}s"


class Run:
    """One run: its report, the tracebacks of rules that crashed, and the new baseline where one was asked for; what a cluster was asked."""

    @classmethod
    def run_change(cls, argv: Sequence[str], sources: Sequence[str], options: RunOptions, stdin: BinaryIO | None = None) -> Run:
        """One command line of kubectl's verbs, over the world of the sources."""
        command = parse_command(argv)
        with open_cluster(options.target, [command]) as cluster:
            run = cls(sources, (), options, stdin, one_cluster=True, cluster=cluster, wants_whole_pods=command.may_evict)
            run.report = run._evaluate_commands([command], command.text)
        return run

    @classmethod
    def run_plan(cls, path: str, sources: Sequence[str], options: RunOptions, stdin: BinaryIO | None = None) -> Run:
        """A plan: a file with a list of command lines, or a shell script; each line over the world that the one before leaves."""
        text = load.read_script(path)
        if text is not None:
            from preflight.kubectl.runbook.reader import read_script

            return cls._run_script(path, read_script(text), sources, options, stdin)
        steps = load.read_plan(path)
        lines = parse_plan([item for _, item in steps], [f"{origin.file}:{origin.line}" for origin, _ in steps])
        with open_cluster(options.target, lines, path) as cluster:
            evicts = any(line.may_evict for line in lines)
            run = cls(sources, (), options, stdin, one_cluster=True, base=path, cluster=cluster, wants_whole_pods=evicts)
            run.report = run._evaluate_commands(lines, f"plan {path}")
        return run

    @classmethod
    def _run_script(cls, path: str, script: RunbookScript, sources: Sequence[str], options: RunOptions, stdin: BinaryIO | None) -> Run:
        """A shell script: what it surely runs is judged; what is not understood is named, and makes the answer unknown."""
        lines = [line.command for line in script.commands]
        with open_cluster(options.target, lines, path) as cluster:
            if cluster and script.context and script.context != cluster.context:
                advice = f"give --context {script.context}"
                raise UsageError(f"{path} chooses context {script.context}, and context {cluster.context} is asked: {advice}")
            evicts = any(command.may_evict for command in lines)
            run = cls(sources, (), options, stdin, one_cluster=True, base=path, cluster=cluster, wants_whole_pods=evicts)
            for each in script.unanalyzed:
                run._add_unjudged_line(each.line, each.text, each.why)
            if script.read_count:
                run._skipped.append(
                    SkippedCheck(f"{script.read_count} kubectl {'command' if script.read_count == 1 else 'commands'}", "no change")
                )
            if script.exit_line:
                run._skipped.append(SkippedCheck(f"what follows {path}:{script.exit_line}", "the script ends there"))
            run.report = run._evaluate_commands(lines, f"plan {path}", script.commands)
        return run

    @classmethod
    def run_lint(cls, paths: Sequence[str], context_sources: Sequence[str], options: RunOptions, stdin: BinaryIO | None = None) -> Run:
        """What is there: hygiene of the objects in `paths`, and coverage if nodes are known; `context_sources` gets no findings."""
        with open_cluster(options.target) as cluster:
            run = cls(paths, context_sources, options, stdin, one_cluster=False, cluster=cluster)
            run.report = run._lint()
        return run

    report: Report
    baseline: Baseline | None = None

    def __init__(
        self,
        sources: Sequence[str],
        context_sources: Sequence[str],
        options: RunOptions,
        stdin: BinaryIO | None,
        *,
        one_cluster: bool,
        base: str = "",
        cluster: ClusterSession | None = None,
        wants_whole_pods: bool = False,
        wants_state: bool = False,
    ) -> None:
        """Load the sources; `base` is the file that paths in commands are relative to, `cluster` the one to ask.

        `wants_whole_pods`: ordinary pods may have to go, or are compared, so that they are read as a whole. `wants_state`: so is how things
        are.
        """
        self.crashes: list[str] = []
        self._options = options
        loaded = load.load_world(
            sources,
            context_paths=context_sources,
            stdin=stdin,
            one_cluster=one_cluster,
            comparison_operators=options.comparison_operators,
            leaves_templates=options.allow_empty and not one_cluster,
            wants_whole_pods=wants_whole_pods,
            wants_state=wants_state,
            cluster=cluster.fill if cluster else None,
        )
        self._cluster, self.request_summary = cluster, cluster.format_cost() if cluster else ""
        self._loaded, self._convention = self._apply_policy(loaded), TeamConvention()
        if options.policy_options.policy.layers:
            from preflight.policy.apply_to_world import make_convention

            self._convention = make_convention(options.policy_options.policy)
        self._paths, self._is_lint = sources, not one_cluster
        self._indexed_inputs: tuple[load.LoadResult, ...] = ()
        self._objects_by_origin: dict[Origin, ExemptibleObject] = {}
        self._base = base
        self._applied_inputs: list[load.LoadResult] = []
        self._problems = [*self._loaded.problems, *self._iter_missing_daemonsets(loaded)]
        self._skipped: list[SkippedCheck] = []
        self._why_links: list[ExplanationLink] = []
        self._ranks: dict[Subject, int] = {}
        self._has_dependents = False

    @staticmethod
    def _iter_missing_daemonsets(loaded: load.LoadResult) -> Iterator[Problem]:
        """That a cluster did not show all DaemonSets."""
        if why := loaded.world.missing_kinds.get("DaemonSet"):
            yield Problem(f"not all DaemonSets are judged: {why}")

    @property
    def _cluster_world(self) -> ClusterState:
        """The world of the cluster that was asked, if one was."""
        return self._loaded.world

    def _apply_policy(self, loaded: load.LoadResult) -> load.LoadResult:
        """What was read, with what the policy states of it."""
        if not self._options.policy_options.policy.layers:
            return loaded
        from preflight.policy.apply_to_world import apply_policy

        return replace(loaded, world=apply_policy(self._options.policy_options.policy, loaded.world))

    def _load_dependents(self, steps: Sequence[Command]) -> None:
        """Ask the cluster what may depend on DaemonSets, where the steps lose one: most changes lose nothing, and it is much."""
        if self._cluster is None or self._loaded.reload is None:
            return
        world = self._loaded.world
        pods: Mapping[ObjectKey, DaemonSetPods] = collect_listed_pods(world)
        for step in steps:
            try:
                impact = predict_impact(perform_command(step, world, lambda path: load.read_objects(path, self._base).given_objects), pods)
            except PreflightError:
                continue  # said when the step is judged
            if any(impact.iter_groups(*_LOSING_OUTCOMES)):
                self._cluster.load_dependents()
                self.request_summary = self._cluster.format_cost()
                self._loaded = self._apply_policy(self._loaded.reload())
                self._problems = [*self._loaded.problems, *(problem for problem in self._problems if problem not in self._loaded.problems)]
                return
            world, pods = impact.change.after, impact.pods_after

    def _evaluate_commands(self, steps: Sequence[Command], command: str, lines: Sequence[ScriptCommand] = ()) -> Report:
        """Each command over the world that the one before leaves; `lines` are those of a script, which goes on where one is refused."""
        self._load_dependents(steps)
        world = self._loaded.world
        pods: Mapping[ObjectKey, DaemonSetPods] = collect_listed_pods(world)
        shown: list[ReportStep] = []
        hits: list[tuple[Rule, Hit, int]] = []
        daemonsets: set[ObjectKey] = set()
        pairs, unknown = 0, False
        impact: Impact | None = None
        refused = 0
        left: dict[str, Any] = {}
        for place, each in enumerate(steps):
            number = len(shown) + 1
            if impact is not None:
                world, pods = replace(impact.change.after, **left), impact.pods_after
            try:
                change = perform_command(self._inline_patch(each), world, self._read_applied_file)
            except PreflightError as error:
                if lines:
                    self._add_unjudged_line(lines[place].line, each.text, str(error).partition("\n")[0])
                    refused = refused or lines[place].line
                    continue
                raise type(error)(f"step {number}, `{each.text}`: {error}" if len(steps) > 1 else str(error)) from None
            impact = predict_impact(change, pods)
            evictions, left = self._evaluate_evictions(change)
            before = min(filter(None, (lines[place].follows_unread, refused)), default=0) if lines else 0
            more = (f"rests on {self._base}:{before} having changed nothing here",) if before else ()
            shown.append(build_step(change, impact, more, evictions))
            self._explain(impact, number)
            self._explain_pods(evictions, change, number)
            hits += self._run_rules(make_change_context(change, impact, evictions), number)
            pairs += impact.pair_count
            daemonsets |= {*change.before.daemonsets, *change.after.daemonsets}
            unknown = unknown or bool(change.unknowns) or any(impact.iter_groups(Outcome.UNKNOWN))
            unknown = unknown or (evictions is not None and evictions.has_unknown_pods)
        if not shown:
            self._add_empty_problem(f"{self._base} has no line that preflight can judge")
        elif any(step.evictions is not None for step in shown):
            pass  # what becomes of ordinary pods was there to judge
        elif not daemonsets:
            self._add_empty_problem("no DaemonSet was given: there is nothing that a change could cost")
        elif not pairs and world.nodes:
            self._add_empty_problem("no DaemonSet has anything to do with it: there is nothing that it could cost")
        elif not pairs:
            self._add_empty_problem(
                "no node was given, so there is no pair of DaemonSet and node to judge: add the output of `kubectl get nodes -o json`"
            )
        nodes = impact.change.after.nodes if impact else world.nodes
        judged = CheckedCounts(self._loaded.files, self._loaded.objects, len(daemonsets), len(nodes), pairs)
        return self._build_report(command, tuple(shown), judged, hits, unknown=unknown)

    def _evaluate_evictions(self, change: Change) -> tuple[EvictionReport | None, dict[str, Any]]:
        """What a change does to ordinary pods, and the parts of the world that it leaves otherwise; nothing where it lets none go."""
        if change.after.pods_by_key is None:
            return None, {}
        from preflight.evictions.evaluate import evaluate_evictions

        evicted = evaluate_evictions(change)
        if evicted is None:
            return None, {}
        after = evicted.after
        return evicted.evictions, {
            "pods_by_key": after.pods_by_key,
            "budgets": after.budgets,
            "has_displaced_pods": after.has_displaced_pods,
        }

    def _explain_pods(self, evictions: EvictionReport | None, change: Change, step: int) -> None:
        """The chain of the ordinary pod that `reason` asks for, where this step lets it go or keeps it."""
        if evictions is None or "/" not in self._options.why:
            return
        from preflight.messages.eviction_chain import explain_eviction

        self._why_links += (
            ExplanationLink(step, heading, text) for heading, text in explain_eviction(evictions, change.command, self._options.why)
        )

    def _lint(self) -> Report:
        """What is there, without a change."""
        world = self._loaded.world
        impact = predict_impact(make_empty_change(world), collect_listed_pods(world)) if world.nodes and world.daemonsets else None
        hits = list(self._run_rules(make_lint_context(self._loaded, impact), 0))
        steps: tuple[ReportStep, ...] = ()
        if impact is not None:
            self._explain(impact, 0)
            steps = (ReportStep(command="", headline="", nodes=tuple(world.nodes), coverage=build_coverage_rows(impact)),)
        if not self._loaded.objects:
            self._add_empty_problem("nothing was there to judge: no object of a kind that preflight knows")
        daemonsets = sum(isinstance(workload, DaemonSet) for workload in select_linted_workloads(self._loaded))
        judged = CheckedCounts(self._loaded.files, self._loaded.objects, daemonsets, len(world.nodes), impact.pair_count if impact else 0)
        unknown = self._options.strict and (bool(world.ambiguities) or (impact is not None and any(impact.iter_groups(Outcome.UNKNOWN))))
        return self._build_report("", steps, judged, hits, unknown=unknown)

    def _explain(self, impact: Impact, step: int) -> None:
        """The chain of the pair that `reason` asks for, where this step judges it."""
        if not self._options.why:
            return
        from preflight.coverage.explain import explain_loss
        from preflight.dependents.explain import explain_dependents
        from preflight.messages.loss_chain import describe_link

        *names, node = self._options.why.split("/")
        for group in impact.groups:
            if node in group.nodes and names in ([group.key.name], [group.key.namespace or "-", group.key.name]):
                self._why_links += (
                    ExplanationLink(step, *describe_link(link))
                    for link in explain_loss(impact, group, node, explain_dependents(impact, group, node))
                )

    def _read_applied_file(self, path: str) -> Sequence[object]:
        """The objects of an `apply -f` file, relative to the plan that names it."""
        applied = load.read_objects(path, self._base, pools=self._loaded.pools)
        self._applied_inputs.append(applied)
        self._problems += applied.problems
        return applied.given_objects

    def _inline_patch(self, command: Command) -> Command:
        """The command with the text of the patch file that it names."""
        if not isinstance(command, PatchObjects) or not command.file:
            return command
        return replace(command, patch=load.read_patch(command.file, self._base), file="")

    def _format_pod_hint(self) -> str:
        return ", or NAMESPACE/POD of a pod that may have to go" if self._loaded.world.pods_by_key is not None else ""

    def _add_unjudged_line(self, line: int, text: str, reason: str) -> None:
        """A line of a script that is not judged."""
        self._problems.append(Problem(f"not judged: `{text}`: {reason}" if text else f"not judged: {reason}", Location(self._base, line)))

    def _add_empty_problem(self, message: str) -> None:
        if not self._options.allow_empty:
            self._problems.append(Problem(message))

    def _run_rules(self, context: Context, step: int) -> Iterator[tuple[Rule, Hit, int]]:
        """What the rules say of one step; of an object that was given only as surroundings they say nothing."""
        declared = self._convention.declared_taints if context.is_lint else ()
        context = replace(context, convention=self._convention, taints=tuple(dict.fromkeys((*context.taints, *declared))))
        hits: list[tuple[Rule, Hit]] = []
        for rule in select_rules(context):
            if rule.needs_nodes and context.impact is None:
                continue
            try:
                hits += [(rule, hit) for hit in rule.check(context)]
            except Exception as error:
                self.crashes.append(format_traceback())
                hits.append(make_crash_hit(rule, error))
        if context.impact is not None:
            self._rank(context.impact, [hit for _, hit in hits])
            self._has_dependents |= not self.crashes and any(consequence.has_dependents for consequence in context.get_consequences())
        if self._options.policy_options.policy.rule_settings:
            hits = list(apply_rule_severities(self._options.policy_options.policy, hits, self._make_match_target))
        judged = self._loaded.checked_files
        for rule, hit in keep_worst_hits(hits):
            if not context.is_lint or judged is None or hit.location.origin.file in judged or rule.is_crash:
                yield rule, hit, step

    def _rank(self, impact: Impact, hits: Iterable[Hit]) -> None:
        """Note how much the loss of each DaemonSet matters that something is said of."""
        for hit in hits:
            subject = hit.subject
            if subject.kind == "DaemonSet" and subject not in self._ranks:
                key = ObjectKey(subject.namespace, subject.name, "" if subject.namespace else hit.location.origin.file)
                daemonset = impact.change.after.daemonsets.get(key) or impact.change.before.daemonsets.get(key)
                if daemonset is not None:
                    self._ranks[subject] = impact.component_cache.get_rank(daemonset)

    @property
    def _objects(self) -> Mapping[Origin, ExemptibleObject]:
        """The objects that hits are about, by their origin: of all that was read so far."""
        read = (self._loaded, *self._applied_inputs)
        if len(self._indexed_inputs) != len(read):
            of_worlds = (
                workload for world in (one.world for one in read) for workload in (*world.workloads, *world.job_sets, *world.budgets)
            )
            given = (*of_worlds, *(node for one in read for node in (*one.nodes, *one.given_objects)))
            self._indexed_inputs = read
            self._objects_by_origin = {each.origin: each for each in given if isinstance(each, ExemptibleObject)}
        return self._objects_by_origin

    def _make_match_target(self, hit: Hit) -> MatchTarget:
        """What a policy matches of the object that a hit is about."""
        found = self._objects.get(hit.location.origin)
        return MatchTarget(hit.subject, hit.location.origin.file, found.metadata.labels if found else {})

    def _apply_exemptions(self, located_findings: Sequence[LocatedFinding]) -> list[Finding]:
        """The findings as the policy, the exemptions and the baseline leave them."""
        about = {located_finding.origin for located_finding in located_findings}
        files = self._loaded.checked_files
        objects = [
            each for origin, each in self._objects.items() if (files is None or origin.file in files if self._is_lint else origin in about)
        ]
        texts = {key: text for read in (*self._applied_inputs, self._loaded) for key, text in read.texts.items()}
        judged = Exemptible(objects, texts, self._paths, self._is_lint, bool(self._loaded.world.nodes))
        findings, self.baseline = settle_findings(self._options.policy_options, located_findings, judged)
        return findings

    def _make_findings(self, hits: Iterable[tuple[Rule, Hit, int]]) -> tuple[Finding, ...]:
        """The hits as findings, each with its place, sorted; what two steps of a plan say alike is said once, at the first."""
        once: dict[tuple[object, ...], tuple[Rule, Hit, int]] = {}
        for rule, hit, step in hits:
            once.setdefault((rule.id, hit.subject, hit.message, hit.location), (rule, hit, step))
        kept = tuple(once.values())
        found = self._locate_places(
            {place for _, hit, _ in kept for place in (hit.location, *(related_location for _, related_location in hit.related_locations))}
        )
        findings = [
            LocatedFinding(
                Finding(
                    rule=rule.id,
                    name=rule.name,
                    severity=hit.severity or rule.severity,
                    subject=hit.subject,
                    message=hit.message,
                    nodes=hit.nodes,
                    key=hit.key,
                    location=found[hit.location],
                    label=hit.label,
                    notes=(*hit.notes, *self._iter_template_notes(hit.location.origin)),
                    related=tuple(RelatedLocation(message, found[place]) for message, place in hit.related_locations),
                    suggestion=hit.suggestion,
                    step=step,
                ),
                hit.location.origin,
                self._make_match_target(hit),
            )
            for rule, hit, step in kept
        ]
        return tuple(sorted(self._apply_exemptions(findings), key=self._make_sort_key))

    def _iter_template_notes(self, origin: Origin) -> Iterator[tuple[str, str]]:
        """The template of a chart that an object was rendered from, as a note: the place to edit."""
        owner = next(
            (applied_input for applied_input in (self._loaded, *self._applied_inputs) if origin.file in applied_input.sources), None
        )
        template = owner.find_source_template(origin) if owner else ""
        if template:
            yield "note", f"rendered from {template}"

    def _make_sort_key(self, finding: Finding) -> tuple[object, ...]:
        """By step, severity, how much the loss of the DaemonSet matters, rule, and place."""
        where = finding.location
        place = (where.file, where.line, where.column, where.path) if where else ("", 0, 0, "")
        worst = (finding.step, finding.severity.rank, self._ranks.get(finding.subject, _LOWEST_RANK))
        return (*worst, finding.rule, str(finding.subject), finding.nodes, place, finding.message)

    def _locate_places(self, places: Iterable[ManifestLocation]) -> dict[ManifestLocation, Location | None]:
        """The locations of places, all fields of one document at once; None for what no file holds."""
        found: dict[ManifestLocation, Location | None] = {}
        by_source: dict[int, list[ManifestLocation]] = {}
        every = (self._loaded, *self._applied_inputs)
        for place in places:
            found[place] = None
            owner = next((number for number, load_result in enumerate(every) if place.origin.file in load_result.sources), None)
            if owner is not None:
                by_source.setdefault(owner, []).append(place)
        for owner, asked in by_source.items():
            found.update(zip(asked, every[owner].locate_all([(place.origin, place.path) for place in asked]), strict=True))
        return found

    def _build_report(
        self, command: str, steps: tuple[ReportStep, ...], judged: CheckedCounts, hits: Iterable[tuple[Rule, Hit, int]], *, unknown: bool
    ) -> Report:
        if self._options.why and not self._why_links:
            raise UsageError(
                f"--why {self._options.why}: no such pair was judged; it is DAEMONSET/NODE or "
                f"NAMESPACE/DAEMONSET/NODE{self._format_pod_hint()}"
            )
        findings = self._make_findings(hits)
        assumed = [part.assumed for step in steps for part in step.coverage]
        assumptions: tuple[str, ...] = ()
        if any(assumed):
            assumptions = ("coverage assumed (no pods given)" if all(assumed) else "coverage assumed where no pods were given",)
        skipped = [*self._loaded.skipped, *self._skipped, *(check for applied in self._applied_inputs for check in applied.skipped)]
        skipped += [SkippedCheck(describe_ambiguity(ambiguity), "given twice") for ambiguity in self._loaded.world.ambiguities]
        survey = self._cluster_world.listing
        skipped += [
            SkippedCheck(_format_plural(kind), why) for kind, why in self._cluster_world.missing_kinds.items() if kind != "DaemonSet"
        ]
        is_asked = survey is not None and bool(survey.server)
        if steps and not self._loaded.world.budgets and not is_asked and "PodDisruptionBudget" not in self._loaded.world.complete_kinds:
            skipped.append(SkippedCheck("PodDisruptionBudgets", "not given"))
        if self._has_dependents and self._loaded.world.pods:
            skipped.append(SkippedCheck("what listed pods need", "only the templates of workloads are read"))
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
            tuple(self._why_links),
            collect_rule_info(findings),
            ClusterIdentity(survey.context, survey.server, survey.version) if survey is not None and is_asked else None,
        )
