"""`preflight doctor`: a run that changes nothing, and says what is broken today."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from msgspec.structs import replace

from preflight import load
from preflight.comparison.pods import compare_clusters as compared
from preflight.coverage.daemonset_pods import collect_listed_pods
from preflight.coverage.evaluate import make_empty_change
from preflight.coverage.label_cascade import predict_impact
from preflight.doctor.diagnose import diagnose
from preflight.engine.cluster_session import open_cluster
from preflight.engine.coverage_rows import build_coverage_rows
from preflight.engine.options import RunOptions
from preflight.engine.verify import VerifyRun
from preflight.errors import UsageError
from preflight.load.files import STDIN
from preflight.messages.doctor.limitations import describe_limitation
from preflight.messages.doctor.summary import write_headline, write_summary
from preflight.model.report import CheckedCounts, Coverage, Outcome, Report, ReportStep
from preflight.rules.api import Context, Hit, Rule, make_subject_of

_UNREQUESTED_INPUTS = ("PodDisruptionBudgets", "what listed pods need")


class DoctorRun(VerifyRun):
    """One run over a cluster as it is, and as it was where that is asked."""

    @classmethod
    def run_doctor(
        cls, sources: Sequence[str], options: RunOptions, node: str = "", since: str = "", stdin: BinaryIO | None = None
    ) -> DoctorRun:
        """What is broken today, of one node where it is named; the sources are the cluster, or the target is asked.

        `since` is a snapshot of before: what was there then and is not now is said too.
        """
        if [since, *sources].count(STDIN) > 1:
            raise UsageError("standard input (-) can be read once only")
        from preflight.load.live.planner import FOR_DOCTOR

        with open_cluster(options.target, needs=FOR_DOCTOR) as cluster:
            run = cls(sources, (), options, stdin, one_cluster=True, cluster=cluster, wants_state=True)
        run.report = run._diagnose(node, since, run._read_saved(since, stdin) if since else None)
        return run

    def _diagnose(self, node: str, saved: str, before: load.LoadResult | None) -> Report:
        world = self._loaded.world
        pods = collect_listed_pods(world)
        impact = predict_impact(make_empty_change(world), pods) if world.nodes and world.daemonsets else None
        diagnosis = diagnose(world, impact, pods)
        if node and node not in world.nodes and (before is None or node not in before.world.nodes):
            raise UsageError(f"no node {node}: give the name of one that is there")
        if not world.nodes:
            self._add_empty_problem("no node was given: there is nothing to diagnose")
        elif not world.pods:
            self._add_empty_problem("no pod was given: what is broken shows only where pods are listed")
        notes = tuple(f"not known: {describe_limitation(limitation)}" for limitation in diagnosis.limitations)
        hits = list(self._run_rules(Context(world, None, is_lint=False, workloads=(), nodes=(), taints=(), diagnosis=diagnosis), 1))
        if before is not None and not before.problems:
            more, text = self._compare_since(before, node, saved)
            hits, notes = [*more, *hits], (text, *notes)
        hits = [each for each in hits if not node or _is_about(each[1], node)]
        shown = (
            tuple(coverage_row for coverage_row in build_coverage_rows(impact) if not node or node in coverage_row.nodes)
            if impact is not None
            else ()
        )
        step = ReportStep(
            " ".join(["doctor", *(["--node", node] if node else []), *(["--since", saved] if saved else [])]),
            write_headline(diagnosis, node) if world.pods else "not known: no pod was given",
            notes,
            (node,) if node else tuple(world.nodes),
            coverage=tuple(_restrict_to_node(coverage, node) for coverage in shown if coverage.outcome is not Outcome.EXCLUDED),
            story=write_summary(diagnosis, node) if world.pods else None,
        )
        self._ranks |= {hit.subject: diagnosis.providers.rank_subject(hit.subject) for _, hit, _ in hits}
        judged = CheckedCounts(
            self._loaded.files, self._loaded.objects, len(world.daemonsets), len(world.nodes), impact.pair_count if impact else 0
        )
        report = self._build_report(step.command, (step,), judged, hits, unknown=False)
        return self._remove_unrequested(report)

    @staticmethod
    def _remove_unrequested(report: Report) -> Report:
        """The report without what a diagnosis does not ask for, so that nobody misses it."""
        return replace(report, skipped=tuple(check for check in report.skipped if check.what not in _UNREQUESTED_INPUTS))

    def _compare_since(self, before: load.LoadResult, node: str, saved: str) -> tuple[list[tuple[Rule, Hit, int]], str]:
        """What the comparison with a snapshot says, and a line on how many DaemonSets have what they had."""
        found = compared(before.world, self._loaded.world)
        hits = list(self._run_rules(Context(before.world, None, is_lint=False, workloads=(), nodes=(), taints=(), comparison=found), 1))
        known = [daemonset for daemonset in found.daemonsets if not daemonset.unknown_reason]
        was = [comparison for comparison in known if (node in comparison.nodes_before if node else comparison.nodes_before)]
        back = [each for each in was if (node in each.nodes_now if node else each.nodes_before <= each.nodes_now)]
        missing = sorted(str(make_subject_of(each.daemonset)) for each in was if each not in back)
        unsure = [each for each in found.daemonsets if each.unknown_reason and (not node or node in each.nodes_before)]
        text = f"since {saved}: {len(back)} of the {len(was)} DaemonSets that had a pod {f'on {node} ' if node else ''}have one"
        return hits, "".join(_iter_since_parts(text, missing, len(unsure)))


def _iter_since_parts(text: str, missing: Sequence[str], unknown_count: int) -> Iterator[str]:
    yield text
    if missing:
        yield f", not {', '.join(missing[:4])}{f' and {len(missing) - 4} more' if missing[4:] else ''}"
    if unknown_count:
        yield f"; of {unknown_count} it is not known"


def _is_about(hit: Hit, node: str) -> bool:
    return node in hit.nodes or (hit.subject.kind == "Node" and hit.subject.name == node)


def _restrict_to_node(row: Coverage, node: str) -> Coverage:
    """The row of one node, where one is meant."""
    if not node or row.nodes == (node,):
        return row
    counts = [min(1, each) if each == len(row.nodes) else 0 for each in (row.before, row.now, row.recreated)]
    return replace(row, nodes=(node,), before=counts[0], now=counts[1], recreated=counts[2])
