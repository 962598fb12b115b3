"""`preflight verify SNAPSHOT`: what became of a cluster since it was saved; nothing is changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from preflight.comparison.pods import ClusterComparison, DaemonSetComparison, compare_clusters
from preflight.coverage.component_cache import ComponentCache
from preflight.coverage.label_cascade import predict_unchanged
from preflight.engine.report_builder import Analysis, ReportParts, build_report, drop_skipped
from preflight.engine.rule_context import make_comparison_context
from preflight.engine.rule_runner import RuleResults, run_rules
from preflight.engine.session import LoadedInputs, PodDetail, Session, apply_session_policy, check_stdin_once, load_inputs
from preflight.engine.unlisted_kinds import list_unlisted_problems
from preflight.errors import InputError
from preflight.load import load_world
from preflight.load.inputs import list_paths
from preflight.messages import verify as messages
from preflight.messages.counts import format_count
from preflight.messages.coverage import describe_reasons
from preflight.messages.verify import DAEMONSET_IS_GONE, NODE_IS_GONE, NODE_IS_NOT_READY, POD_IS_NOT_READY, describe_limitation
from preflight.model.report import CheckedCounts, Coverage, Outcome, Problem, ReportStep
from preflight.model.world import ClusterState
from preflight.rules.api import make_subject_of


def verify(session: Session, saved: str) -> Analysis:
    """What became of a cluster since `saved`, a snapshot or any other list with pods; the input of the session is the cluster now.

    Errors: InputError where the two are known to be of two clusters.
    """
    check_stdin_once(saved, *list_paths(session.input))
    from preflight.load.live.planner import FOR_COMPARISON

    inputs = load_inputs(session, PodDetail.WHOLE_PODS, query=FOR_COMPARISON)
    inputs = add_earlier_state(inputs, saved)
    (before,) = inputs.others
    if not before.objects and (before.problems or inputs.loaded.objects):  # nothing is known of before, so nothing is new
        empty = () if before.problems else inputs.list_empty_problem(messages.describe_empty_state(saved))
        return build_report(inputs, ReportParts(f"verify {saved}", CheckedCounts(), RuleResults(), problems=empty))
    return _evaluate_comparison(inputs, saved)


def add_earlier_state(inputs: LoadedInputs, saved: str) -> LoadedInputs:
    """The inputs with the state before, of the same cluster, as the only other one; its problems are those of the run."""
    session = inputs.session
    loaded = load_world(
        [saved],
        stdin=session.stdin,
        one_cluster=True,
        versions=session.versions,
        wants_whole_pods=True,
    )
    before = apply_session_policy(session, loaded)
    _check_same_cluster(before.world, inputs.world, saved)
    return replace(inputs, others=(before,), problems=(*inputs.problems, *before.problems, *list_unlisted_problems(before.world)))


def _evaluate_comparison(inputs: LoadedInputs, saved: str) -> Analysis:
    (before,) = inputs.others
    now = inputs.world
    compared = compare_clusters(before.world, now)
    coverage = tuple(_iter_coverage(compared))
    nodes = tuple(node.name for node in compared.nodes if node.node_now is not None)
    command = f"verify {saved}"
    unknown = _list_unknown(compared)
    notes = (*_iter_notes(compared), *(messages.note_unknown(reason) for reason in unknown))
    step = ReportStep(command, _format_headline(compared, saved), notes, nodes, columns=("NOW", "READY"), compares=True, coverage=coverage)
    components = ComponentCache(now)
    ranks = {make_subject_of(item.daemonset): components.get_rank(item.daemonset) for item in compared.daemonsets}
    results = run_rules(inputs, make_comparison_context(before.world, compared), 1)
    parts = ReportParts(
        command,
        CheckedCounts(
            files=inputs.loaded.files + before.files,
            objects=inputs.loaded.objects,
            daemonsets=len(compared.daemonsets),
            nodes=len(nodes),
            pairs=sum(len(row.nodes) for row in coverage),
        ),
        replace(results, ranks=ranks),
        (step,),
        _list_empty_problems(inputs, before.world, now),
        is_unknown=bool(unknown) or any(row.outcome is Outcome.UNKNOWN for row in coverage),
    )
    return drop_skipped(build_report(inputs, parts))


def _list_empty_problems(inputs: LoadedInputs, before: ClusterState, now: ClusterState) -> tuple[Problem, ...]:
    """That there is nothing to compare, as a problem."""
    if not (before.daemonsets or now.daemonsets):
        return inputs.list_empty_problem(messages.NOTHING_TO_COMPARE)
    if not (before.pods or now.pods):
        return inputs.list_empty_problem(messages.NO_PODS_TO_COMPARE)
    return ()


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
        raise InputError(messages.describe_other_cluster(saved, of[0], of[1]))


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
    impact = predict_unchanged(comparison.world_now)
    if impact is None:
        return {}
    nodes: dict[tuple[str, str], frozenset[str]] = {}
    for group in impact.groups:
        if group.forecast.is_recreated:
            key = (group.key.namespace, group.key.name)
            nodes[key] = nodes.get(key, frozenset()) | group.nodes
    return nodes


def _format_headline(comparison: ClusterComparison, saved: str) -> str:
    known = [daemonset for daemonset in comparison.daemonsets if not daemonset.unknown_reason]
    was = sum(len(daemonset.nodes_before) for daemonset in known)
    there = sum(len(daemonset.nodes_now) for daemonset in known)
    return messages.summarize_comparison(saved, was, there)


def _iter_notes(comparison: ClusterComparison) -> Iterator[str]:
    """What is fine and worth a line: pods that were re-created, nodes that registered anew."""
    again = sum(len(daemonset.recreated_nodes) for daemonset in comparison.daemonsets)
    known = [daemonset for daemonset in comparison.daemonsets if not daemonset.unknown_reason]
    both = sum(len(daemonset.nodes_before & daemonset.nodes_now) for daemonset in known)
    if both:
        yield messages.count_recreated(again, both)
    anew = [node.name for node in comparison.nodes if node.was_recreated]
    if anew:
        yield messages.count_registered_nodes(len(anew))
