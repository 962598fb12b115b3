"""What is wrong today, without a change: hygiene of manifests, and coverage where nodes are known."""

from __future__ import annotations

from preflight.coverage.label_cascade import predict_unchanged
from preflight.coverage.model import Impact
from preflight.engine.coverage_rows import build_coverage_rows
from preflight.engine.explain_loss import iter_pair_links
from preflight.engine.next_commands import find_next_commands
from preflight.engine.report_builder import Analysis, ReportParts, build_report
from preflight.engine.rule_context import make_lint_context, select_linted_daemonsets
from preflight.engine.rule_runner import run_rules
from preflight.engine.session import LoadedInputs, Session, make_inputs
from preflight.load.inputs import LoadOptions, open_input
from preflight.messages import run as messages
from preflight.messages.load import describe_empty_input
from preflight.model.report import CheckedCounts, Outcome, ReportStep
from preflight.model.world import ClusterState


def lint(session: Session) -> Analysis:
    """What is wrong today in the input of the session; what is only around its paths gets no findings."""
    options = LoadOptions(
        one_cluster=False,
        versions=session.versions,
        exclusion=session.exclusion,
        leaves_templates=session.options.allow_empty,
    )
    with open_input(session.input, options, stdin=session.stdin) as opened:
        inputs = make_inputs(session, opened, is_lint=True)
    return _evaluate_manifests(inputs)


def _evaluate_manifests(inputs: LoadedInputs) -> Analysis:
    options = inputs.options
    world = inputs.world
    impact = predict_unchanged(world)
    results = run_rules(inputs, make_lint_context(inputs.loaded, impact), 0)
    is_unknown = bool(world.ambiguities) or (impact is not None and any(impact.iter_groups(Outcome.UNKNOWN)))
    parts = ReportParts(
        command="",
        judged=CheckedCounts(
            inputs.loaded.files,
            inputs.loaded.objects,
            len(select_linted_daemonsets(inputs.loaded)),
            len(world.nodes),
            impact.pair_count if impact else 0,
        ),
        results=results,
        steps=_make_steps(world, impact),
        problems=() if inputs.loaded.objects or inputs.problems else inputs.list_empty_problem(_describe_nothing(inputs)),
        links=tuple(iter_pair_links(options.why, impact, 0)) if impact else (),
        impacts=(impact,) if impact else (),
        is_unknown=options.strict and (is_unknown or inputs.loaded.unknown_resources > 0),
        next=find_next_commands(inputs.session),
    )
    return build_report(inputs, parts)


def _describe_nothing(inputs: LoadedInputs) -> str:
    """That there is nothing to check: in files, or in a whole cluster."""
    if not inputs.paths:
        return messages.NOTHING_TO_JUDGE
    return describe_empty_input(inputs.paths, [(check.what, check.why) for check in inputs.loaded.skipped])


def _make_steps(world: ClusterState, impact: Impact | None) -> tuple[ReportStep, ...]:
    """The one step that changes nothing, where coverage is known."""
    if impact is None:
        return ()
    return (ReportStep(command="", headline="", nodes=tuple(world.nodes), coverage=build_coverage_rows(impact)),)
