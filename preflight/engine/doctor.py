"""`preflight doctor`: what is broken in a cluster today; nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from preflight.comparison.pods import compare_clusters
from preflight.coverage.daemonset_pods import collect_listed_pods
from preflight.coverage.model import Impact
from preflight.coverage.report_rows import build_coverage_rows
from preflight.doctor.context import ClusterFacts
from preflight.doctor.explain_pod import CHECK_HEADING, collect_subjects, explain_pod
from preflight.doctor.summary import write_headline, write_summary
from preflight.engine.report_builder import Analysis, ReportParts, build_report, drop_skipped
from preflight.engine.rule_context import make_comparison_context, make_diagnosis_context
from preflight.engine.rule_runner import RuleResults, run_rules
from preflight.engine.session import LoadedInputs, PodDetail, Session, check_stdin_once, load_inputs
from preflight.engine.simulate import predict_unchanged
from preflight.engine.verify import add_earlier_state
from preflight.errors import UsageError
from preflight.load.inputs import list_paths
from preflight.model.report import CheckedCounts, Coverage, ExplanationLink, Outcome, Problem, ReportStep
from preflight.model.runtime_state import PodState
from preflight.model.world import ClusterState
from preflight.rules.api import Hit, make_subject_of


class _Diagnosis(Struct, frozen=True):
    """A cluster as it is, and what is broken in it."""

    facts: ClusterFacts
    impact: Impact | None

    @property
    def limitation_notes(self) -> tuple[str, ...]:
        """What cannot be known."""
        return tuple(f"not known: {limitation}" for limitation in self.facts.limitations)


def diagnose(session: Session, node: str = "", since: str = "") -> Analysis:
    """What is broken today, of one node where it is named.

    `since` is a snapshot of before: what was there then and is not now is said too.

    Errors: UsageError where no such node is known.
    """
    check_stdin_once(since, *list_paths(session.input))
    inputs = _load_state(session)
    if since:
        inputs = add_earlier_state(inputs, since)
    return _evaluate_cluster(inputs, _index_cluster(inputs), node, since)


def diagnose_pod(session: Session, pod: str) -> Analysis:
    """Why a pod, `NAMESPACE/NAME` or one of the context's namespace, does not start: its chain, and the findings on what is in it.

    Errors: UsageError where no such pod is known.
    """
    inputs = _load_state(session)
    return _evaluate_pod(inputs, _index_cluster(inputs), pod)


def _load_state(session: Session) -> LoadedInputs:
    from preflight.load.live.planner import FOR_DOCTOR

    return load_inputs(session, PodDetail.RUNTIME_STATE, query=FOR_DOCTOR)


def _index_cluster(inputs: LoadedInputs) -> _Diagnosis:
    pods = collect_listed_pods(inputs.world)
    impact = predict_unchanged(inputs.world, pods)
    return _Diagnosis(ClusterFacts(inputs.world, impact, pods), impact)


def _evaluate_cluster(inputs: LoadedInputs, diagnosis: _Diagnosis, node: str, since: str) -> Analysis:
    facts, world = diagnosis.facts, inputs.world
    before = inputs.others[0] if inputs.others else None
    if node and node not in world.nodes and (before is None or node not in before.world.nodes):
        raise UsageError(f"no node {node}: give the name of one that is there")
    results = run_rules(inputs, make_diagnosis_context(facts), 1)
    notes = diagnosis.limitation_notes
    if before is not None and not before.problems:
        more, text = _compare_since(inputs, before.world, node, since)
        results, notes = replace(results.add(more), hits=(*more.hits, *results.hits)), (text, *notes)
    hits = tuple(rule_hit for rule_hit in results.hits if not node or _is_about(rule_hit[1], node))
    step = ReportStep(
        " ".join(["doctor", *(["--node", node] if node else []), *(["--since", since] if since else [])]),
        write_headline(facts, node) if world.pods else "not known: no pod was given",
        notes,
        (node,) if node else tuple(world.nodes),
        coverage=_list_coverage(diagnosis.impact, node),
        story=write_summary(facts, node) if world.pods else None,
    )
    return _build_report(inputs, diagnosis, step, replace(results, hits=hits), problems=_list_empty_problems(inputs))


def _evaluate_pod(inputs: LoadedInputs, diagnosis: _Diagnosis, name: str) -> Analysis:
    facts, world = diagnosis.facts, inputs.world
    pod = _find_pod(facts, name)
    links = tuple(ExplanationLink(1, heading, text) for heading, text in explain_pod(facts, pod))
    about = collect_subjects(facts, pod)
    results = run_rules(inputs, make_diagnosis_context(facts), 1)
    hits = tuple(rule_hit for rule_hit in results.hits if rule_hit[1].subject in about)
    nodes = (pod.spec.nodeName,) if pod.spec.nodeName in world.nodes else tuple(world.nodes)
    story = tuple(link.text for link in links[1:] if link.heading != CHECK_HEADING)
    step = ReportStep(f"doctor --pod {name}", links[0].text, diagnosis.limitation_notes, nodes, story=story)
    return _build_report(inputs, diagnosis, step, replace(results, hits=hits), links=links)


def _build_report(
    inputs: LoadedInputs,
    diagnosis: _Diagnosis,
    step: ReportStep,
    results: RuleResults,
    *,
    problems: tuple[Problem, ...] = (),
    links: tuple[ExplanationLink, ...] = (),
) -> Analysis:
    facts, impact, world = diagnosis.facts, diagnosis.impact, inputs.world
    ranks = {hit.subject: facts.rank_subject(hit.subject) for _, hit, _ in results.hits}
    pairs = impact.pair_count if impact else 0
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
        return inputs.list_empty_problem("no node was given: there is nothing to diagnose")
    if not inputs.world.pods:
        return inputs.list_empty_problem("no pod was given: what is broken shows only where pods are listed")
    return ()


def _compare_since(inputs: LoadedInputs, before: ClusterState, node: str, saved: str) -> tuple[RuleResults, str]:
    """What the comparison with a snapshot says, and a line on how many DaemonSets have what they had."""
    compared = compare_clusters(before, inputs.world)
    results = run_rules(inputs, make_comparison_context(before, compared), 1)
    known = [daemonset for daemonset in compared.daemonsets if not daemonset.unknown_reason]
    was = [daemonset for daemonset in known if (node in daemonset.nodes_before if node else daemonset.nodes_before)]
    back = [daemonset for daemonset in was if (node in daemonset.nodes_now if node else daemonset.nodes_before <= daemonset.nodes_now)]
    missing = sorted(str(make_subject_of(daemonset.daemonset)) for daemonset in was if daemonset not in back)
    unsure = [item for item in compared.daemonsets if item.unknown_reason and (not node or node in item.nodes_before)]
    text = f"since {saved}: {len(back)} of the {len(was)} DaemonSets that had a pod {f'on {node} ' if node else ''}have one"
    return results, "".join(_iter_since_parts(text, missing, len(unsure)))


def _iter_since_parts(text: str, missing: Sequence[str], unknown_count: int) -> Iterator[str]:
    yield text
    if missing:
        yield f", not {', '.join(missing[:4])}{f' and {len(missing) - 4} more' if missing[4:] else ''}"
    if unknown_count:
        yield f"; of {unknown_count} it is not known"


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


def _find_pod(facts: ClusterFacts, name: str) -> PodState:
    world = facts.world
    namespace, slash, rest = name.partition("/")
    key = (namespace, rest) if slash else (world.default_namespace, name)
    try:
        return facts.get_stated_pod((world.pods_by_key or {})[key])
    except KeyError:
        known = not key[0] or world.are_pods_listed(key[0])
        why = "give NAMESPACE/NAME of one that is there" if known else f"the pods of namespace {key[0]} were not given"
        raise UsageError(f"no pod {'/'.join(key)}: {why}") from None
