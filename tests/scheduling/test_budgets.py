"""Which budgets guard a pod, and what the disruption controller makes of one: semantics 10."""

from __future__ import annotations

import pytest

from preflight.model.eviction_reasons import MissingInput, MissingKind
from preflight.model.meta import LabelSelector, SelectorRequirement
from preflight.model.pod_status import ClusterPod
from preflight.model.policy import BudgetStatus, PodDisruptionBudget
from preflight.scheduling.budgets import BudgetHealth, evaluate_budget_health, find_covering_budgets, get_server_status, selects
from tests.scheduling.drain_objects import budget, owners, pod, reference, replicas, status, workload

WEB = owners(workload("ReplicaSet", "web", 4))
JOBS = reference("Job", "load", "batch/v1")


def expression(key: str, operator: str, *values: str) -> LabelSelector:
    return LabelSelector(matchExpressions=(SelectorRequirement(key, operator, values),))


@pytest.mark.parametrize(
    ("one", "answer"),
    [
        pytest.param(budget(1, app=None), False, id="no selector selects nothing"),
        pytest.param(budget(1, app="db"), False, id="another label"),
        pytest.param(budget(1, namespace="infra"), False, id="another namespace"),
        pytest.param(budget(1), True, id="its label"),
        pytest.param(budget(1, selector=LabelSelector()), True, id="an empty selector selects everything"),
        pytest.param(budget(1, selector=expression("app", "In", "web", "db")), True, id="In"),
        pytest.param(budget(1, selector=expression("app", "NotIn", "web")), False, id="NotIn"),
        pytest.param(budget(1, selector=expression("tier", "NotIn", "web")), True, id="NotIn of a label that it does not have"),
        pytest.param(budget(1, selector=expression("app", "Exists")), True, id="Exists"),
        pytest.param(budget(1, selector=expression("app", "DoesNotExist")), False, id="DoesNotExist"),
        pytest.param(budget(1, selector=expression("app", "In")), False, id="a selector that cannot be parsed selects nothing"),
        pytest.param(budget(1, selector=expression("app", "Gt", "1")), False, id="an operator of node selectors alone too"),
    ],
)
def test_selects(one: PodDisruptionBudget, answer: bool) -> None:
    assert selects(one, "shop", {"app": "web"}) is answer


def test_guarding_names_every_budget_that_selects_the_pod() -> None:
    first, second, other = budget(1, name="a"), budget(1, name="b", selector=LabelSelector()), budget(1, name="c", app="db")
    assert find_covering_budgets(pod(), (first, other, second)) == (first, second)


@pytest.mark.parametrize(
    ("one", "pods", "answer"),
    [
        pytest.param(budget(1), [], BudgetHealth(0, 1, 0, 0), id="nothing selected: nothing allowed"),
        pytest.param(budget(1), replicas(4), BudgetHealth(4, 1, 4, 3, capacity=4), id="minAvailable as a number"),
        pytest.param(budget(9), replicas(4), BudgetHealth(4, 9, 4, 0, capacity=4), id="more than there can be"),
        pytest.param(budget(0), replicas(4), BudgetHealth(4, 0, 4, 4, capacity=4), id="minAvailable 0"),
        pytest.param(budget("50%"), replicas(4), BudgetHealth(4, 2, 4, 2, capacity=4), id="minAvailable as a percentage"),
        pytest.param(budget("51%"), replicas(4), BudgetHealth(4, 3, 4, 1, capacity=4), id="a percentage rounds up"),
        pytest.param(budget("100%"), replicas(4), BudgetHealth(4, 4, 4, 0, capacity=4), id="all of them"),
        pytest.param(budget(max=1), replicas(4), BudgetHealth(4, 3, 4, 1, capacity=4), id="maxUnavailable"),
        pytest.param(budget(max=0), replicas(4), BudgetHealth(4, 4, 4, 0, capacity=4), id="maxUnavailable 0"),
        pytest.param(budget(max=9), replicas(4), BudgetHealth(4, 0, 4, 4, capacity=4), id="more than there are"),
        pytest.param(budget(max="25%"), replicas(4), BudgetHealth(4, 3, 4, 1, capacity=4), id="maxUnavailable as a percentage"),
        pytest.param(budget(max="26%"), replicas(4), BudgetHealth(4, 2, 4, 2, capacity=4), id="it rounds up as well"),
        pytest.param(budget(max=1), replicas(2), BudgetHealth(2, 3, 4, 0, capacity=4), id="what the owner wants counts, not what is there"),
        pytest.param(
            budget(2), replicas(2), BudgetHealth(2, 2, 2, 0, capacity=4), id="a number counts what is there, and may be reached yet"
        ),
        pytest.param(
            budget(1), replicas(4, ready=False), BudgetHealth(0, 1, 4, 0, capacity=4), id="pods that are not Ready are not healthy"
        ),
        pytest.param(
            budget(1),
            [pod("web-1", reference("ReplicaSet", "web"), deletion="now")],
            BudgetHealth(0, 1, 1, 0, capacity=4),
            id="nor one that goes",
        ),
        pytest.param(budget(), replicas(4), BudgetHealth(4, capacity=4), id="no limit stated: nothing expected, nothing allowed"),
        pytest.param(budget(1), [pod("web-1"), pod("web-2")], BudgetHealth(2, 1, 2, 1, capacity=2), id="bare pods under a number"),
        pytest.param(
            budget(max=1), [pod("web-1"), pod("web-2")], BudgetHealth(2, 0, 0, 0, capacity=2), id="bare pods under maxUnavailable"
        ),
        pytest.param(
            budget("50%"),
            [pod("web-0"), *replicas(4)],
            BudgetHealth(5, 2, 4, 3, capacity=5),
            id="a bare pod beside others is healthy, not expected",
        ),
        pytest.param(
            budget(2),
            [pod("web-1"), pod("web-2", phase="Failed", ready=False), pod("web-3", deletion="now")],
            BudgetHealth(1, 2, 3, 0, capacity=1),
            id="bare pods that have ended or go are selected, and can never be healthy",
        ),
        pytest.param(
            budget(2),
            [pod("web-1", JOBS), pod("web-2", JOBS, phase="Succeeded", ready=False)],
            BudgetHealth(1, 2, 2, 0, capacity=1),
            id="of an owner without a scale the pods that are there count",
        ),
        pytest.param(
            budget(max=1),
            [*replicas(2), pod("web-9", JOBS)],
            BudgetHealth(3, capacity=5, failure="jobs.batch does not implement the scale subresource"),
            id="one owner without a scale makes it fail",
        ),
        pytest.param(
            budget("half"),
            replicas(4),
            BudgetHealth(4, capacity=4, failure="invalid value for IntOrString: invalid type: string is not a percentage"),
            id="text that is no percentage",
        ),
        pytest.param(
            budget("x%"),
            replicas(4),
            BudgetHealth(
                4, capacity=4, failure='invalid value for IntOrString: invalid value "x%": strconv.Atoi: parsing "x": invalid syntax'
            ),
            id="a percentage of no number",
        ),
        pytest.param(
            budget(max=1),
            [pod("web-1", reference("CloneSet", "web", "apps.kruise.io/v1alpha1"))],
            BudgetHealth(1, capacity=1, unknown=MissingInput(MissingKind.OWNER_SCALE, "CloneSet", "apps.kruise.io/v1alpha1")),
            id="an owner of which nobody knows",
        ),
        pytest.param(
            budget(1),
            [pod("web-1", reference("CloneSet", "web", "apps.kruise.io/v1alpha1"))],
            BudgetHealth(1, 1, 1, 0, capacity=1),
            id="a number asks no owner",
        ),
        pytest.param(
            budget(max=1, status=BudgetStatus(disruptedPods={"web-1": "", "web-9": ""})),
            replicas(4),
            BudgetHealth(3, 3, 4, 0, capacity=4),
            id="a pod that was let go and is not gone yet is not healthy",
        ),
    ],
)
def test_health(one: PodDisruptionBudget, pods: list[ClusterPod], answer: BudgetHealth) -> None:
    assert evaluate_budget_health(one, pods, WEB) == answer


def test_each_owner_counts_once_and_all_of_them_do() -> None:
    pods = [*replicas(2), *(pod(f"web-b{each}", reference("ReplicaSet", "other")) for each in range(2))]
    known = owners(workload("ReplicaSet", "web", 4), workload("ReplicaSet", "other", 3))
    assert evaluate_budget_health(budget(max=1), pods, known) == BudgetHealth(4, 6, 7, 0, capacity=7)


def test_who_is_disrupted_can_be_said() -> None:
    there = budget(max=1, status=BudgetStatus(disruptedPods={"web-1": ""}))
    assert evaluate_budget_health(there, replicas(4), WEB, disrupted_pods=()).current == 4


@pytest.mark.parametrize(
    ("one", "answer"),
    [
        pytest.param(budget(1), None, id="a manifest"),
        pytest.param(PodDisruptionBudget(status=BudgetStatus()), None, id="a manifest with an empty status"),
        pytest.param(budget(1, status=BudgetStatus()), BudgetStatus(), id="a server's, which no controller has seen"),
        pytest.param(budget(1, status=status(1, 1, 1, 0)), status(1, 1, 1, 0), id="a server's"),
    ],
)
def test_stated(one: PodDisruptionBudget, answer: BudgetStatus | None) -> None:
    assert get_server_status(one) == answer
