"""`preflight verify SNAPSHOT`: a run that changes nothing, and says what became of a cluster since it was saved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO

from msgspec.structs import replace

from preflight import load
from preflight.comparison.pods import ClusterComparison, DaemonSetComparison, compare_clusters
from preflight.coverage.component_cache import ComponentCache
from preflight.coverage.daemonset_pods import collect_listed_pods
from preflight.coverage.evaluate import make_empty_change
from preflight.coverage.label_cascade import predict_impact
from preflight.engine.cluster_session import open_cluster
from preflight.engine.options import RunOptions
from preflight.engine.run import Run
from preflight.errors import InputError, UsageError
from preflight.kubectl.formatting import format_count
from preflight.load.files import STDIN
from preflight.messages.coverage import describe_reasons
from preflight.messages.verify import DAEMONSET_IS_GONE, NODE_IS_GONE, NODE_IS_NOT_READY, POD_IS_NOT_READY, describe_limitation
from preflight.model.report import CheckedCounts, Coverage, Outcome, Report, ReportStep
from preflight.model.world import ClusterState
from preflight.rules.api import Context, make_subject_of

_UNREQUESTED_INPUTS = ("PodDisruptionBudgets", "what listed pods need")


class VerifyRun(Run):
    """One run over two states of a cluster."""

    @classmethod
    def run_verify(cls, saved: str, sources: Sequence[str], options: RunOptions, stdin: BinaryIO | None = None) -> VerifyRun:
        """What became of a cluster since `saved`, a snapshot or any other list with pods; the sources are the cluster now."""
        if [saved, *sources].count(STDIN) > 1:
            raise UsageError("standard input (-) can be read once only")
        from preflight.load.live.planner import FOR_COMPARISON

        with open_cluster(options.target, needs=FOR_COMPARISON) as cluster:
            run = cls(sources, (), options, stdin, one_cluster=True, cluster=cluster, wants_whole_pods=True)
        run.report = run._verify(run._read_saved(saved, stdin), saved)
        return run

    def _read_saved(self, saved: str, stdin: BinaryIO | None) -> load.LoadResult:
        """The state before, of the same cluster; its problems are those of the run."""
        gate = self._options.comparison_operators
        before = self._apply_policy(
            load.load_world([saved], stdin=stdin, one_cluster=True, comparison_operators=gate, wants_whole_pods=True)
        )
        self._applied_inputs = [before]
        self._problems += before.problems
        _check_same_cluster(before.world, self._loaded.world, saved)
        return before

    def _verify(self, before: load.LoadResult, saved: str) -> Report:
        now = self._loaded.world
        found = compare_clusters(before.world, now)
        if not (before.world.daemonsets or now.daemonsets):
            self._add_empty_problem("no DaemonSet was given on either side: there is nothing to compare")
        elif not (before.world.pods or now.pods):
            self._add_empty_problem("no pod was given on either side: whether one is gone shows only where pods are listed")
        coverage = tuple(_iter_coverage(found))
        nodes = tuple(node.name for node in found.nodes if node.node_now is not None)
        command = f"verify {saved}"
        unknown = _list_unknown(found)
        notes = (*_iter_notes(found), *(f"not known: {each}" for each in unknown))
        step = ReportStep(command, _format_headline(found, saved), notes, nodes, columns=("NOW", "READY"), compares=True, coverage=coverage)
        recognised = ComponentCache(now)
        self._ranks |= {make_subject_of(daemonset.daemonset): recognised.get_rank(daemonset.daemonset) for daemonset in found.daemonsets}
        hits = list(self._run_rules(Context(before.world, None, is_lint=False, workloads=(), nodes=(), taints=(), comparison=found), 1))
        judged = CheckedCounts(
            files=self._loaded.files + before.files,
            objects=self._loaded.objects,
            daemonsets=len(found.daemonsets),
            nodes=len(nodes),
            pairs=sum(len(row.nodes) for row in coverage),
        )
        is_unknown = bool(unknown) or any(each.outcome is Outcome.UNKNOWN for each in coverage)
        report = self._build_report(command, (step,), judged, hits, unknown=is_unknown)
        return replace(report, skipped=tuple(check for check in report.skipped if check.what not in _UNREQUESTED_INPUTS))


def _check_same_cluster(before: ClusterState, now: ClusterState, saved: str) -> None:
    """InputError where the two are known to be of two clusters: their kube-system namespaces are not the same."""
    uids = [
        {namespace.metadata.uid for namespace in world.namespaces if namespace.metadata.name == "kube-system"} - {""}
        for world in (before, now)
    ]
    if uids[0] and uids[1] and not uids[0] & uids[1]:
        of = [
            f"{listing.context} ({listing.server})" if listing and listing.server else "another"
            for listing in (before.listing, now.listing)
        ]
        raise InputError(f"{saved} is of the cluster {of[0]}, not of {of[1]}: choose its context with --context")


def _list_unknown(comparison: ClusterComparison) -> tuple[str, ...]:
    """What cannot be compared: of nodes, and of DaemonSets whose pods nobody listed."""
    silent = [
        daemonset for daemonset in comparison.daemonsets if daemonset.unknown_reason and not (daemonset.nodes_before or daemonset.nodes_now)
    ]
    counts = Counter(daemonset.unknown_reason for daemonset in silent if daemonset.unknown_reason)
    return (
        *map(describe_limitation, comparison.limitations),
        *(f"{format_count(number, 'DaemonSet')}: {describe_limitation(reason)}" for reason, number in counts.items()),
    )


def _iter_coverage(comparison: ClusterComparison) -> Iterator[Coverage]:
    """A row for each DaemonSet and each thing that became of its pods; none for one that had no pod and has none."""
    lasting = _find_lasting_nodes(comparison)
    down = {node.name for node in comparison.nodes if node.node_now is not None and node.node_now.is_ready is False}
    for daemonset in comparison.daemonsets:
        for outcome, reasons, nodes in _iter_outcomes(daemonset, down):
            shown = tuple(sorted(nodes))
            if shown:
                yield Coverage(
                    daemonset=str(daemonset.daemonset.key),
                    nodes=shown,
                    outcome=outcome,
                    assumed=False,
                    before=len(nodes & daemonset.nodes_before),
                    now=len(nodes & daemonset.nodes_now),
                    recreated=len(nodes & lasting.get(daemonset.key, frozenset())),
                    reasons=reasons,
                    place=daemonset.daemonset.key.file,
                    ready=len(nodes & daemonset.ready_nodes),
                )


def _iter_outcomes(
    daemonset_pods: DaemonSetComparison, unready_nodes: set[str]
) -> Iterator[tuple[Outcome, tuple[str, ...], frozenset[str]]]:
    """The outcomes of one DaemonSet, with their reasons and nodes."""
    if daemonset_pods.unknown_reason:
        yield Outcome.UNKNOWN, (describe_limitation(daemonset_pods.unknown_reason),), daemonset_pods.nodes_before | daemonset_pods.nodes_now
        return
    by_reason: dict[tuple[str, ...], set[str]] = {}
    for name, reasons in daemonset_pods.lost_nodes.items():
        texts = (DAEMONSET_IS_GONE,) if daemonset_pods.daemonset_now is None else describe_reasons(reasons)
        by_reason.setdefault(texts, set()).add(name)
    for texts, names in by_reason.items():
        yield Outcome.LOST_NOW, texts, frozenset(names)
    yield Outcome.NODE_GONE, (NODE_IS_GONE,), daemonset_pods.removed_nodes
    unready = frozenset(daemonset_pods.unready_nodes)
    yield Outcome.NOT_READY, (NODE_IS_NOT_READY,), unready & unready_nodes
    yield Outcome.NOT_READY, (POD_IS_NOT_READY,), unready - unready_nodes
    yield Outcome.GAINED, (), daemonset_pods.gained_nodes
    yield Outcome.KEPT, (), (daemonset_pods.nodes_before & daemonset_pods.nodes_now) - unready


def _find_lasting_nodes(comparison: ClusterComparison) -> Mapping[tuple[str, str], frozenset[str]]:
    """The nodes where a DaemonSet would still have a pod after every one was re-created."""
    if not comparison.world_now.nodes or not comparison.world_now.daemonsets:
        return {}
    nodes: dict[tuple[str, str], frozenset[str]] = {}
    for group in predict_impact(make_empty_change(comparison.world_now), collect_listed_pods(comparison.world_now)).groups:
        if group.forecast.is_recreated:
            key = (group.key.namespace, group.key.name)
            nodes[key] = nodes.get(key, frozenset()) | group.nodes
    return nodes


def _format_headline(comparison: ClusterComparison, saved: str) -> str:
    known = [daemonset for daemonset in comparison.daemonsets if not daemonset.unknown_reason]
    was, there = (sum(len(nodes) for nodes in side) for side in ([each.nodes_before for each in known], [each.nodes_now for each in known]))
    return f"since {saved}: {was} pods of DaemonSets before, {there} now"


def _iter_notes(comparison: ClusterComparison) -> Iterator[str]:
    """What is fine and worth a line: pods that were re-created, nodes that registered anew."""
    again = sum(len(daemonset.recreated_nodes) for daemonset in comparison.daemonsets)
    both = sum(len(each.nodes_before & each.nodes_now) for each in comparison.daemonsets if not each.unknown_reason)
    if both:
        yield f"re-created since then: {again or 'none'} of the {format_count(both, 'pod')} of DaemonSets that are still there"
    anew = [node.name for node in comparison.nodes if node.was_recreated]
    if anew:
        yield f"{format_count(len(anew), 'node')} registered anew under the old name"
