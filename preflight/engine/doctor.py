"""`preflight doctor`: what is broken in a cluster today; nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from preflight.coverage.daemonset_pods import DaemonSetPods, collect_listed_pods
from preflight.coverage.label_cascade import predict_unchanged
from preflight.coverage.model import Impact
from preflight.doctor.diagnose import Diagnosis, diagnose
from preflight.engine.coverage_rows import build_coverage_rows
from preflight.engine.report_builder import Analysis, ReportParts, build_report, drop_skipped
from preflight.engine.rule_context import make_comparison_context, make_diagnosis_context
from preflight.engine.rule_runner import RuleResults, run_rules
from preflight.engine.session import LoadedInputs, PodDetail, Session, check_stdin_once, load_inputs
from preflight.errors import InputError, RefusalError
from preflight.load.inputs import list_paths
from preflight.messages.doctor import run as messages
from preflight.messages.doctor.limitations import describe_limitation
from preflight.messages.doctor.summary import write_headline, write_summary
from preflight.messages.suggestions import suggest
from preflight.model.meta import ObjectKey
from preflight.model.report import CheckedCounts, Coverage, ExplanationLink, Outcome, Problem, ReportStep, StoryOrder, Subject
from preflight.model.runtime_state import PodState
from preflight.model.world import ClusterState
from preflight.rules.api import Hit, make_subject_of


def diagnose_cluster(session: Session, node: str = "", since: str = "") -> Analysis:
    """What is broken today, of one node where it is named.

    `since` is a snapshot of before: what was there then and is not now is said too.

    Errors: UsageError where no such node is known.
    """
    check_stdin_once(since, *list_paths(session.input))
    inputs = _load_state(session)
    if since:
        from preflight.engine.verify import add_earlier_state  # most runs compare with nothing

        inputs = add_earlier_state(inputs, since)
    return _evaluate_cluster(inputs, node, since)


def diagnose_pod(session: Session, pod: str) -> Analysis:
    """Why a pod, `NAMESPACE/NAME` or one of the context's namespace, does not start: its chain, and the findings on what is in it.

    Errors: UsageError where there is no such pod; InputError where the pods of its namespace may not be read, or were not given.
    """
    inputs = _load_state(session)
    return _evaluate_pod(inputs, pod)


def _load_state(session: Session) -> LoadedInputs:
    from preflight.load.live.planner import FOR_DOCTOR

    return load_inputs(session, PodDetail.RUNTIME_STATE, query=FOR_DOCTOR)


def _predict(inputs: LoadedInputs) -> tuple[Impact | None, Mapping[ObjectKey, DaemonSetPods]]:
    """What coverage is, and the pods of DaemonSets that are listed."""
    pods = collect_listed_pods(inputs.world)
    return predict_unchanged(inputs.world, pods), pods


def _list_limitation_notes(diagnosis: Diagnosis) -> tuple[str, ...]:
    """What cannot be known."""
    return tuple(messages.describe_unknown(describe_limitation(limitation)) for limitation in diagnosis.limitations)


def _evaluate_cluster(inputs: LoadedInputs, node: str, since: str) -> Analysis:
    world = inputs.world
    before = inputs.others[0] if inputs.others else None
    if node and node not in world.nodes and (before is None or node not in before.world.nodes):
        raise RefusalError(messages.describe_missing_node(node, world.nodes))
    impact, pods = _predict(inputs)
    diagnosis = diagnose(world, impact, pods)
    results = run_rules(inputs, make_diagnosis_context(world, diagnosis), 1)
    notes = _list_limitation_notes(diagnosis)
    if before is not None and not before.problems:
        more, text = _compare_since(inputs, before.world, node, since)
        results, notes = replace(results.add(more), hits=(*more.hits, *results.hits)), (text, *notes)
    hits = tuple(rule_hit for rule_hit in results.hits if not node or _is_about(rule_hit[1], node))
    step = ReportStep(
        " ".join(["doctor", *(["--node", node] if node else []), *(["--since", since] if since else [])]),
        write_headline(diagnosis, node) if world.pods else messages.NO_PODS,
        notes,
        (node,) if node else tuple(world.nodes),
        coverage=_list_coverage(impact, node),
        story=write_summary(diagnosis, node) if world.pods else None,
        story_order=StoryOrder.CAUSES_FIRST if diagnosis.has_linked_faults else StoryOrder.INDEPENDENT,
    )
    return _build_report(inputs, diagnosis, impact, step, replace(results, hits=hits), node=node, problems=_list_empty_problems(inputs))


def _evaluate_pod(inputs: LoadedInputs, name: str) -> Analysis:
    from preflight.doctor.explain_pod import collect_subjects, explain_pod  # most runs are about the whole cluster
    from preflight.messages.doctor.pod import CHECK_HEADING, write_pod_explanation

    world = inputs.world
    pod = _find_pod(world, name)
    impact, pods = _predict(inputs)
    diagnosis = diagnose(world, impact, pods)
    explanation = write_pod_explanation(diagnosis, explain_pod(diagnosis, pod))
    links = tuple(ExplanationLink(1, heading, text) for heading, text in explanation)
    about = collect_subjects(diagnosis, pod)
    results = run_rules(inputs, make_diagnosis_context(world, diagnosis), 1)
    hits = tuple(rule_hit for rule_hit in results.hits if rule_hit[1].subject in about)
    nodes = (pod.spec.nodeName,) if pod.spec.nodeName in world.nodes else tuple(world.nodes)
    story = tuple(link.text for link in links[1:] if link.heading != CHECK_HEADING)
    step = ReportStep(f"doctor --pod {name}", links[0].text, _list_limitation_notes(diagnosis), nodes, story=story)
    return _build_report(inputs, diagnosis, impact, step, replace(results, hits=hits), links=links)


def _build_report(
    inputs: LoadedInputs,
    diagnosis: Diagnosis,
    impact: Impact | None,
    step: ReportStep,
    results: RuleResults,
    *,
    node: str = "",
    problems: tuple[Problem, ...] = (),
    links: tuple[ExplanationLink, ...] = (),
) -> Analysis:
    world = inputs.world
    ranks = {hit.subject: diagnosis.providers.rank_subject(hit.subject) for _, hit, _ in results.hits}
    # A node that is not Ready comes first, as in the story: what is wrong with DaemonSets may follow from it. One that is not for want of
    # its network follows from the DaemonSet of the network, of the worst rank.
    explained = {name for network in diagnosis.missing_networks if network.gap is not None for name in network.nodes}
    for not_ready in diagnosis.not_ready_nodes:
        ranks[Subject("Node", "", not_ready.nodes[0])] = 1 if explained.issuperset(not_ready.nodes) else -1
    pairs = (sum(node in group.nodes for group in impact.groups) if node else impact.pair_count) if impact else 0
    judged = CheckedCounts(inputs.loaded.files, inputs.loaded.objects, len(world.daemonsets), len(world.nodes), pairs)
    parts = ReportParts(
        step.command,
        judged,
        replace(results, ranks=ranks),
        (step,),
        problems,
        links=links,
        impacts=(impact,) if impact else (),
    )
    return drop_skipped(build_report(inputs, parts))


def _list_empty_problems(inputs: LoadedInputs) -> tuple[Problem, ...]:
    """That there is nothing to diagnose, as a problem."""
    if not inputs.world.nodes:
        return inputs.list_empty_problem(messages.NO_NODE)
    if not inputs.world.pods:
        return inputs.list_empty_problem(messages.ONLY_PODS_SHOW)
    return ()


def _compare_since(inputs: LoadedInputs, before: ClusterState, node: str, saved: str) -> tuple[RuleResults, str]:
    """What the comparison with a snapshot says, and a line on how many DaemonSets have what they had."""
    from preflight.comparison.pods import compare_clusters

    compared = compare_clusters(before, inputs.world)
    results = run_rules(inputs, make_comparison_context(before, compared), 1)
    known = [daemonset for daemonset in compared.daemonsets if not daemonset.unknown_reason]
    was = [daemonset for daemonset in known if (node in daemonset.nodes_before if node else daemonset.nodes_before)]
    back = [daemonset for daemonset in was if (node in daemonset.nodes_now if node else daemonset.nodes_before <= daemonset.nodes_now)]
    missing = sorted(str(make_subject_of(daemonset.daemonset)) for daemonset in was if daemonset not in back)
    unsure = [item for item in compared.daemonsets if item.unknown_reason and (not node or node in item.nodes_before)]
    text = messages.describe_recovery(saved, len(back), len(was), node)
    return results, "".join(_iter_since_parts(text, missing, len(unsure)))


def _iter_since_parts(text: str, missing: Sequence[str], unknown_count: int) -> Iterator[str]:
    yield text
    if missing:
        yield messages.name_missing(missing)
    if unknown_count:
        yield messages.count_unknown(unknown_count)


def _is_about(hit: Hit, node: str) -> bool:
    return node in hit.nodes or (hit.subject.kind == "Node" and hit.subject.name == node)


def _list_coverage(impact: Impact | None, node: str) -> tuple[Coverage, ...]:
    """The rows of the coverage table, of one node where it is named."""
    rows = build_coverage_rows(impact) if impact is not None else ()
    return tuple(_restrict_to_node(row, node) for row in rows if (not node or node in row.nodes) and row.outcome is not Outcome.EXCLUDED)


def _restrict_to_node(row: Coverage, node: str) -> Coverage:
    """The row of one node, where one is meant."""
    if not node or row.nodes == (node,):
        return row
    before, now, recreated = (min(1, count) if count == len(row.nodes) else 0 for count in (row.before, row.now, row.recreated))
    return replace(row, nodes=(node,), before=before, now=now, recreated=recreated)


def _find_pod(cluster: ClusterState, name: str) -> PodState:
    namespace, slash, rest = name.partition("/")
    key = (namespace, rest) if slash else (cluster.default_namespace, name)
    pod = (cluster.pods_by_key or {}).get(key)
    if pod is None:
        known = {"/".join(known_key) for known_key in cluster.pods_by_key or {}}
        is_live = cluster.listing is not None and cluster.listing.live
        if key[0] and not cluster.are_pods_listed(key[0]) and (is_live or not suggest("/".join(key), known)):
            raise InputError(messages.describe_unlisted_pod("/".join(key), key[0], cluster.missing_kinds.get("Pod", "")))
        raise RefusalError(messages.describe_missing_pod("/".join(key), known))
    assert isinstance(pod, PodState)
    return pod
