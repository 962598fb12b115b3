"""What is asked of a cluster, told without one; what its answers show; and its feature gate."""

from __future__ import annotations

import pytest

from preflight.load.live import lists
from preflight.load.live.feature_gates import detect_comparison_operators
from preflight.load.live.lists import UNBOUND_PODS
from preflight.load.live.planner import FOR_DAEMONSETS, FOR_FULL_CHECK, ClusterQuery
from preflight.load.live.resources import BUDGETS, CONFIGS, DAEMONSETS, NODES, OWNERS, PODS, ListQuery
from preflight.load.live.survey import ClusterSurvey, ListFailure
from preflight.model.apps import DaemonSet, DaemonSetSpec
from preflight.model.core import PodSpec, PodTemplate, Toleration
from preflight.model.meta import LabelSelector, Metadata, SelectorRequirement

FOR_EVICTIONS = ClusterQuery(all_nodes=True, needs_budgets=True, needs_owners=True)
SELECTOR = LabelSelector({"app": "a"}, (SelectorRequirement("tier", "NotIn", ("x", "y")), SelectorRequirement("old", "DoesNotExist")))
AGENT = DaemonSet(metadata=Metadata(name="agent", namespace="kube-system"), spec=DaemonSetSpec(selector=SELECTOR))
PODS_OF_AGENT = ListQuery(PODS, "kube-system", labels="app=a,tier notin (x,y),!old")
NEW = DaemonSet(metadata=Metadata(name="new", namespace="x"), spec=DaemonSetSpec(selector=LabelSelector({"app": "new"})))
CHANGED = DaemonSet(metadata=Metadata(name="agent", namespace="kube-system"), spec=DaemonSetSpec(selector=LabelSelector({"app": "b"})))
PODS_OF_NEW = ListQuery(PODS, "x", labels="app=new")
MANY = [f"n{number}" for number in range(1001)]


@pytest.mark.parametrize(
    ("query", "named", "expected"),
    [
        pytest.param(ClusterQuery(), [], [], id="no node"),
        pytest.param(FOR_FULL_CHECK, ["n1"], [ListQuery(NODES)], id="all nodes"),
        pytest.param(
            ClusterQuery(selectors=("pool=a",)),
            ["n2", "n1"],
            [ListQuery(NODES, fields="metadata.name=n1"), ListQuery(NODES, fields="metadata.name=n2"), ListQuery(NODES, labels="pool=a")],
            id="named nodes, and those of a selector",
        ),
        pytest.param(ClusterQuery(), MANY, [ListQuery(NODES)], id="many nodes in one list"),
    ],
)
def test_lists_of_nodes(query: ClusterQuery, named: list[str], expected: list[ListQuery]) -> None:
    assert list(lists.plan_node_lists(query, named)) == expected


@pytest.mark.parametrize(
    ("query", "nodes", "expected"),
    [
        pytest.param(ClusterQuery(), [], [], id="no node, no pod"),
        pytest.param(ClusterQuery(), ["n1"], [ListQuery(PODS, fields="spec.nodeName=n1"), UNBOUND_PODS], id="those of a node, and of none"),
        pytest.param(ClusterQuery(), MANY, [ListQuery(PODS)], id="of many nodes all"),
        pytest.param(FOR_EVICTIONS, ["n1"], [ListQuery(PODS)], id="of all nodes all"),
        pytest.param(ClusterQuery(all_nodes=True, daemonsets=frozenset({AGENT.key[:2]})), ["n1"], [PODS_OF_AGENT], id="of a DaemonSet"),
        pytest.param(ClusterQuery(all_nodes=True, daemonsets=frozenset({("x", "agent")})), ["n1"], [], id="of an unknown DaemonSet"),
        pytest.param(
            ClusterQuery(all_nodes=True, daemonsets=frozenset({AGENT.key[:2], NEW.key[:2]}), applied_daemonsets=(AGENT, NEW)),
            ["n1"],
            [PODS_OF_AGENT, PODS_OF_NEW],
            id="of a DaemonSet of a file, and those that a new one adopts",
        ),
        pytest.param(
            ClusterQuery(all_nodes=True, daemonsets=frozenset({CHANGED.key[:2]}), applied_daemonsets=(CHANGED,)),
            ["n1"],
            [PODS_OF_AGENT],
            id="of one that exists, by the selector that it has",
        ),
    ],
)
def test_lists_of_pods(query: ClusterQuery, nodes: list[str], expected: list[ListQuery]) -> None:
    assert list(lists.plan_pod_lists(query, nodes, [AGENT])) == expected


def test_kinds_that_a_change_needs() -> None:
    assert lists.plan_kinds(FOR_DAEMONSETS) == ()
    assert lists.plan_kinds(FOR_EVICTIONS) == (BUDGETS, *OWNERS)
    assert not set(OWNERS) & {query.resource for query in lists.plan_dependent_lists(OWNERS)}


def test_the_daemonsets_whose_pods_were_had() -> None:
    query = ClusterQuery(all_nodes=True, daemonsets=frozenset({AGENT.key[:2], ("x", "y")}))
    assert lists.select_listed_daemonsets(FOR_FULL_CHECK, [AGENT], [PODS_OF_AGENT]) is None
    assert lists.select_listed_daemonsets(query, [AGENT], []) == frozenset({AGENT.key[:2], ("x", "y")})
    assert lists.select_listed_daemonsets(query, [AGENT], [PODS_OF_AGENT]) == frozenset({("x", "y")})
    applied = ClusterQuery(all_nodes=True, daemonsets=frozenset({AGENT.key[:2], NEW.key[:2]}), applied_daemonsets=(AGENT, NEW))
    assert lists.select_listed_daemonsets(applied, [AGENT], [PODS_OF_NEW]) == frozenset({AGENT.key[:2]})


# What the answers show


def test_a_kind_that_was_had_is_complete() -> None:
    survey = ClusterSurvey()
    assert not survey.add_answer(ListQuery(BUDGETS), None, "", is_whole_kind=True)
    assert not survey.add_answer(ListQuery(DAEMONSETS, "x"), None, "", is_whole_kind=False)
    assert (survey.complete, survey.missing, survey.listed, survey.unlisted) == ({"PodDisruptionBudget"}, {}, None, set())


def test_a_kind_that_the_server_does_not_serve_is_missing_and_not_for_want_of_a_right() -> None:
    survey = ClusterSurvey()
    assert not survey.add_answer(ListQuery(BUDGETS), ListFailure.NOT_SERVED, "not served", is_whole_kind=True)
    assert survey.add_answer(ListQuery(OWNERS[0]), ListFailure.FORBIDDEN, "no right", is_whole_kind=True)
    assert (survey.complete, survey.missing) == (set(), {"PodDisruptionBudget": "not served", "Deployment": "no right"})
    assert survey.forbidden == {"Deployment"}


def test_a_fault_of_one_list_of_a_kind_counts_more_than_a_right_that_another_lacks() -> None:
    survey = ClusterSurvey()
    survey.add_answer(ListQuery(CONFIGS, "a"), ListFailure.FORBIDDEN, "no right", is_whole_kind=False)
    survey.add_answer(ListQuery(CONFIGS, "b"), ListFailure.FAULT, "broken", is_whole_kind=False)
    survey.add_answer(ListQuery(CONFIGS, "c"), ListFailure.FORBIDDEN, "no right", is_whole_kind=False)
    assert (survey.missing, survey.forbidden) == ({"ConfigMap": "broken"}, set())


def test_a_right_that_is_missing_may_be_there_in_one_namespace() -> None:
    survey = ClusterSurvey()
    assert survey.add_answer(ListQuery(PODS), ListFailure.FORBIDDEN, "no right", is_whole_kind=True)
    assert survey.add_answer(UNBOUND_PODS, ListFailure.FORBIDDEN, "no right", is_whole_kind=False)
    survey.add_namespace_answers(ListQuery(PODS), [("mine", ""), ("ours", ""), ("theirs", "no right")])
    survey.add_namespace_answers(UNBOUND_PODS, [("mine", ""), ("ours", "no right"), ("theirs", "no right")])
    assert survey.missing == {"Pod": "only those in namespaces mine, ours: no right"}
    assert survey.listed == frozenset({"mine"})
    survey.add_namespace_answers(ListQuery(PODS), [("mine", "no right there either")])
    assert survey.listed == frozenset()


def test_a_kind_of_the_whole_cluster_is_in_no_namespace() -> None:
    survey = ClusterSurvey()
    assert not survey.add_answer(ListQuery(NODES), ListFailure.FORBIDDEN, "no right", is_whole_kind=True)
    assert not survey.add_answer(ListQuery(CONFIGS, "x"), ListFailure.FORBIDDEN, "no right", is_whole_kind=False)
    assert survey.missing == {"Node": "no right", "ConfigMap": "no right"}


# The feature gate

ON = b'kubernetes_feature_enabled{name="TaintTolerationComparisonOperators",stage="BETA"} 1\n'


def tolerating(operator: str) -> list[DaemonSet]:
    spec = PodSpec(tolerations=(Toleration("gpus", operator, "4"),))
    return [DaemonSet(spec=DaemonSetSpec(template=PodTemplate(spec=spec)))]


@pytest.mark.parametrize(
    ("operator", "version", "metrics", "answer"),
    [
        ("Equal", "v1.37.2", ON, None),
        ("Gt", "v1.34.4-gke.1", ON, False),
        ("Gt", "v1.35.0", ON, True),
        ("Lt", "", ON, True),
        ("Lt", "1.37+", ON.replace(b"} 1", b"} 0"), False),
        ("Lt", "1.37+", b"", None),
    ],
)
def test_comparison_operators(operator: str, version: str, metrics: bytes, answer: bool | None) -> None:
    assert detect_comparison_operators(tolerating(operator), version, lambda: metrics) is answer
