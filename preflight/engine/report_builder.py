"""From what rules say to a report: findings with their places, sorted, and the exit code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from preflight.coverage.model import Impact
from preflight.engine.exit_code import decide_exit_code
from preflight.engine.finding_roles import collect_touched_subjects, find_role
from preflight.engine.rule_runner import RuleResults, make_match_target
from preflight.engine.session import LoadedInputs
from preflight.engine.toleration_answers import answer_tolerations
from preflight.engine.unlisted_kinds import iter_unlisted_checks
from preflight.errors import RefusalError
from preflight.load import LoadResult
from preflight.load.inputs import Files
from preflight.messages import run as messages
from preflight.messages.load import describe_ambiguity
from preflight.messages.versions import describe_versions
from preflight.model.meta import Origin
from preflight.model.report import (
    CheckedCounts,
    ClusterIdentity,
    ExplanationLink,
    Finding,
    Location,
    NextCommands,
    Problem,
    RelatedLocation,
    Report,
    ReportStep,
    RuleInfo,
    SkippedCheck,
    Subject,
)
from preflight.policy.evaluate import settle_findings
from preflight.policy.matching import ExemptionScope, LocatedFinding
from preflight.rules.api import Hit, ManifestLocation
from preflight.rules.new_findings import RuleHit
from preflight.rules.select_rules import find_rules
from preflight.version import __version__

if TYPE_CHECKING:
    from preflight.policy.baseline import Baseline

_LOWEST_RANK = 99
"""The rank of what is no DaemonSet, and of a DaemonSet that is nothing known."""
_UNREQUESTED = ("PodDisruptionBudgets", messages.POD_NEEDS)


class Analysis(Struct, frozen=True):
    """What a function of the engine answers.

    1. `report` is what all formats are made of; `findings` and `exit_code` are its own.
    2. `inputs` is what was read; `impacts` what each step does to coverage, where that was predicted.
    3. `baseline` is the new one, where one was asked for. `crashes` are the errors of rules that crashed.
    4. `request_summary` tells what clusters were asked, "" where none was.
    """

    report: Report
    inputs: LoadedInputs
    impacts: tuple[Impact, ...] = ()
    baseline: Baseline | None = None
    crashes: tuple[Exception, ...] = ()
    request_summary: str = ""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, worst first within a step."""
        return self.report.findings

    @property
    def exit_code(self) -> int:
        """What the program would end with: 0 fine, 1 findings, 3 unknown or unread, 4 a rule crashed."""
        return self.report.exit


class ReportParts(Struct, frozen=True):
    """What a run found out, before it is a report.

    `problems` are those of the run besides the ones of its inputs, and `skipped` likewise. `is_change`: commands were judged, and what they
    do not touch is no answer.
    """

    command: str
    judged: CheckedCounts
    results: RuleResults
    steps: tuple[ReportStep, ...] = ()
    problems: tuple[Problem, ...] = ()
    skipped: tuple[SkippedCheck, ...] = ()
    links: tuple[ExplanationLink, ...] = ()
    impacts: tuple[Impact, ...] = ()
    is_unknown: bool = False
    next: NextCommands = NextCommands()
    is_change: bool = False


def build_report(inputs: LoadedInputs, parts: ReportParts) -> Analysis:
    """The answer of a run. Errors: UsageError where the options ask for the chain of a pair that was not judged."""
    options = inputs.options
    if options.why and not parts.links:
        hint = messages.POD_HINT if inputs.world.pods_by_key is not None else ""
        raise RefusalError(messages.describe_unjudged_pair(options.why, hint))
    findings, baseline = _make_findings(inputs, parts.results, collect_touched_subjects(parts.impacts) if parts.is_change else None)
    problems = (*inputs.problems, *parts.problems)
    report = Report(
        __version__,
        parts.command,
        parts.steps,
        parts.judged,
        (*_list_assumptions(parts.steps), *_list_version_assumptions(inputs)),
        tuple(_iter_skipped(inputs, parts)),
        problems,
        findings,
        decide_exit_code(
            findings,
            inputs.options,
            has_crashes=bool(parts.results.crashes),
            has_problems=bool(inputs.problems or parts.problems),
            is_unknown=parts.is_unknown,
        ),
        parts.links,
        _collect_rule_info(findings),
        _find_cluster(inputs),
        answer_tolerations(inputs, parts.impacts),
        parts.next,
    )
    return Analysis(report, inputs, parts.impacts, baseline, parts.results.crashes, inputs.request_summary)


def drop_skipped(analysis: Analysis) -> Analysis:
    """The answer without the skipped checks that a look at a cluster does not ask for, so that nobody misses them."""
    report = analysis.report
    return replace(analysis, report=replace(report, skipped=tuple(check for check in report.skipped if check.what not in _UNREQUESTED)))


def _list_assumptions(steps: Iterable[ReportStep]) -> tuple[str, ...]:
    assumed = [row.assumed for step in steps for row in step.coverage]
    if not any(assumed):
        return ()
    return (messages.ALL_ASSUMED if all(assumed) else messages.SOME_ASSUMED,)


def _list_version_assumptions(inputs: LoadedInputs) -> tuple[str, ...]:
    """Which Kubernetes the answers are about, where something states it."""
    said = describe_versions((inputs.listed_state or inputs.world).versions)
    return (said,) if said else ()


def _iter_skipped(inputs: LoadedInputs, parts: ReportParts) -> Iterator[SkippedCheck]:
    """What was not judged, and why."""
    world, listed = inputs.world, inputs.listed_state or inputs.world
    yield from inputs.loaded.skipped
    yield from parts.skipped
    yield from (check for read in inputs.others for check in read.skipped)
    yield from (SkippedCheck(describe_ambiguity(ambiguity), messages.GIVEN_TWICE) for ambiguity in world.ambiguities)
    yield from iter_unlisted_checks(listed)
    is_asked = _find_cluster(inputs) is not None
    asks_budgets = any(impact.change.drain_flags and not impact.change.drain_flags.disable_eviction for impact in parts.impacts)
    if asks_budgets and not world.budgets and not is_asked and "PodDisruptionBudget" not in world.complete_kinds:
        yield SkippedCheck("PodDisruptionBudgets", messages.NOT_GIVEN)
    if parts.results.has_dependents and world.pods:
        yield SkippedCheck(messages.POD_NEEDS, messages.ONLY_TEMPLATES)


def _find_cluster(inputs: LoadedInputs) -> ClusterIdentity | None:
    """The cluster that the report is about, where one was listed; manifests that are judged are about none, also next to a snapshot."""
    if inputs.is_lint and isinstance(inputs.session.input, Files):
        return None
    survey = (inputs.listed_state or inputs.world).listing
    return ClusterIdentity(survey.context, survey.server, survey.version) if survey is not None and survey.server else None


def _make_findings(
    inputs: LoadedInputs, results: RuleResults, touched: frozenset[Subject] | None
) -> tuple[tuple[Finding, ...], Baseline | None]:
    """The hits as findings, each with its place, sorted; what two steps of a plan say alike is said once, at the first."""
    once: dict[tuple[object, ...], RuleHit] = {}
    for rule, hit, step in results.hits:
        once.setdefault((rule.id, hit.subject, hit.key, hit.nodes, hit.location), (rule, hit, step))
    kept = tuple(once.values())
    hits = [hit for _, hit, _ in kept]
    places = _locate_places(inputs, {place for hit in hits for place in _iter_places(hit)})
    located = [
        LocatedFinding(
            _make_finding(inputs, rule_hit, places, touched), rule_hit[1].location.origin, make_match_target(inputs, rule_hit[1])
        )
        for rule_hit in kept
        if not _is_covered(rule_hit[1], places)
    ]
    findings, baseline = settle_findings(inputs.session.policy, located, _make_exemption_scope(inputs, located))

    def sort_key(finding: Finding) -> tuple[object, ...]:
        """By step, severity, how much the loss of the DaemonSet matters, rule, and place."""
        where = finding.location
        place = (where.file, where.line, where.column, where.path) if where else ("", 0, 0, "")
        worst = (finding.step, finding.severity.rank, results.ranks.get(finding.subject, _LOWEST_RANK))
        return (*worst, finding.rule, str(finding.subject), finding.nodes, place, finding.message)

    return tuple(sorted(findings, key=sort_key)), baseline


def _iter_places(hit: Hit) -> Iterator[ManifestLocation]:
    yield hit.location
    yield from (place for _, place in hit.related_locations)
    if hit.covering_location is not None:
        yield hit.covering_location


def _is_covered(hit: Hit, places: Mapping[ManifestLocation, Location | None]) -> bool:
    """Whether another finding on the same line says enough."""
    own, other = places[hit.location], places[hit.covering_location] if hit.covering_location is not None else None
    return own is not None and other is not None and (own.file, own.line) == (other.file, other.line)


def _make_finding(
    inputs: LoadedInputs, rule_hit: RuleHit, places: dict[ManifestLocation, Location | None], touched: frozenset[Subject] | None
) -> Finding:
    rule, hit, step = rule_hit
    return Finding(
        rule=rule.id,
        name=rule.name,
        severity=hit.severity or rule.severity,
        subject=hit.subject,
        message=hit.message,
        nodes=hit.nodes,
        key=hit.key,
        role=find_role(rule, hit, touched),
        effect=hit.effect,
        workloads=hit.workloads,
        location=places[hit.location],
        label=hit.label,
        notes=(*hit.notes, *_iter_template_notes(inputs, hit.location.origin)),
        related=tuple(RelatedLocation(message, places[place]) for message, place in hit.related_locations),
        suggestion=hit.suggestion,
        step=step,
    )


def _make_exemption_scope(inputs: LoadedInputs, located_findings: Sequence[LocatedFinding]) -> ExemptionScope:
    """The objects whose exemptions are read: in lint all that are judged, under a change those that a finding is about."""
    about = {located_finding.origin for located_finding in located_findings}
    linted = inputs.loaded.checked_files
    objects = [
        item for origin, item in inputs.objects.items() if (linted is None or origin.file in linted if inputs.is_lint else origin in about)
    ]
    chunks = {key: text for read in (*inputs.others, inputs.loaded) for key, text in read.texts.items()}
    return ExemptionScope(objects, chunks, inputs.paths, inputs.is_lint, bool(inputs.world.nodes))


def _find_owner(inputs: LoadedInputs, origin: Origin) -> LoadResult | None:
    """What read the file of an object first."""
    return next((read for read in inputs.every if origin.file in read.sources), None)


def _iter_template_notes(inputs: LoadedInputs, origin: Origin) -> Iterator[tuple[str, str]]:
    """The template of a chart that an object was rendered from, as a note: the place to edit."""
    owner = _find_owner(inputs, origin)
    template = owner.find_source_template(origin) if owner else ""
    if template:
        yield "note", messages.note_template(template)


def _locate_places(inputs: LoadedInputs, places: Iterable[ManifestLocation]) -> dict[ManifestLocation, Location | None]:
    """The locations of places, all fields of one document at once; None for what no file holds."""
    found: dict[ManifestLocation, Location | None] = {}
    by_owner: dict[int, tuple[LoadResult, list[ManifestLocation]]] = {}
    for place in places:
        found[place] = None
        owner = _find_owner(inputs, place.origin)
        if owner is not None:
            by_owner.setdefault(id(owner), (owner, []))[1].append(place)
    for owner, asked in by_owner.values():
        found.update(zip(asked, owner.locate_all([(place.origin, place.path) for place in asked]), strict=True))
    return found


def _collect_rule_info(findings: Sequence[Finding]) -> tuple[RuleInfo, ...]:
    """The rules that have findings, for the formats that explain them."""
    rules = find_rules(finding.rule for finding in findings)
    return tuple(RuleInfo(rule.id, rule.name, rule.severity, rule.summary, rule.explanation, rule.fix is not None) for rule in rules)
