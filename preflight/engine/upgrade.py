"""What an upgrade of Kubernetes changes for manifests and a cluster, and the order in which the nodes are upgraded."""

from __future__ import annotations

from preflight.coverage.label_cascade import predict_unchanged
from preflight.engine.coverage_rows import build_coverage_rows
from preflight.engine.next_commands import find_next_commands
from preflight.engine.report_builder import Analysis, ReportParts, build_report
from preflight.engine.rule_context import make_lint_context
from preflight.engine.rule_runner import run_rules
from preflight.engine.session import LoadedInputs, Session, make_inputs
from preflight.errors import RefusalError
from preflight.load.inputs import LoadOptions, open_input
from preflight.messages import upgrade as messages
from preflight.model.apps import DaemonSet
from preflight.model.releases import VersionRange
from preflight.model.report import CheckedCounts, ReportStep
from preflight.model.world import ClusterState
from preflight.scheduling.upgrade import Upgrade, compare_versions


def check_upgrade(session: Session, target: VersionRange) -> Analysis:
    """What an upgrade to a version changes in the input of the session, whose version is that of today.

    Errors: UsageError where that is not known, or the target is not newer.
    """
    with open_input(session.input, LoadOptions(one_cluster=False, versions=session.versions), stdin=session.stdin) as opened:
        inputs = make_inputs(session, opened, is_lint=True)
    return _evaluate_upgrade(inputs, target)


def _evaluate_upgrade(inputs: LoadedInputs, target: VersionRange) -> Analysis:
    world, before = inputs.world, inputs.world.versions
    if before.server is None:
        raise RefusalError(messages.NO_VERSION)
    if (target.highest.minor, target.highest) <= (before.server.lowest.minor, before.server.highest):
        raise RefusalError(messages.describe_not_newer(before.server, target))
    owners = (*world.workloads, *world.job_sets, *world.budgets)
    upgrade = compare_versions(owners, world.lost_fields, world.nodes, before, target)
    results = run_rules(inputs, make_lint_context(inputs.loaded, None, upgrade), 0)
    parts = ReportParts(
        command=messages.describe_headline(upgrade),
        judged=CheckedCounts(
            inputs.loaded.files,
            inputs.loaded.objects,
            sum(isinstance(workload, DaemonSet) for workload in world.workloads),
            len(world.nodes),
            0,
        ),
        results=results,
        steps=(_make_step(upgrade, world),),
        next=find_next_commands(inputs.session),
    )
    return build_report(inputs, parts)


def _make_step(upgrade: Upgrade, world: ClusterState) -> ReportStep:
    """The order of the upgrade, and the coverage of today, where nodes are known."""
    headline, impact = messages.describe_headline(upgrade), predict_unchanged(world)
    nodes, rows = (tuple(world.nodes), build_coverage_rows(impact)) if impact is not None else ((), ())
    return ReportStep(command=headline, headline=headline, notes=tuple(messages.iter_order(upgrade)), nodes=nodes, coverage=rows)
