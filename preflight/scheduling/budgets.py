"""Which budgets guard a pod, and what the disruption controller makes of a budget."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from preflight.model.eviction_reasons import MissingInput
from preflight.model.pod_status import ClusterPod
from preflight.model.policy import BudgetStatus, PodDisruptionBudget
from preflight.scheduling.affinity import matches_labels, validate_requirement
from preflight.scheduling.owners import Owners, find_owner_scale

_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


def selects(budget: PodDisruptionBudget, namespace: str, labels: Mapping[str, str]) -> bool:
    """Whether a budget selects a pod with these labels.

    1. Only in its own namespace. `selector: {}` selects every pod, no selector none.
    2. A selector that cannot be parsed selects none.

    Source: `staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/helpers.go`, LabelSelectorAsSelector.
    """
    selector = budget.spec.selector
    if selector is None or budget.metadata.namespace != namespace:
        return False
    if any(expression.operator not in _OPERATORS or validate_requirement(expression, "") for expression in selector.matchExpressions):
        return False
    return matches_labels(selector.matchLabels, selector.matchExpressions, labels)


def has_empty_selector(budget: PodDisruptionBudget) -> bool:
    """Whether a budget has the selector `{}`, which selects every pod of its namespace."""
    selector = budget.spec.selector
    return selector is not None and not selector.matchLabels and not selector.matchExpressions


def find_covering_budgets(pod: ClusterPod, budgets: Iterable[PodDisruptionBudget]) -> tuple[PodDisruptionBudget, ...]:
    """The budgets that select a pod, in the order given."""
    return tuple(budget for budget in budgets if selects(budget, pod.metadata.namespace, pod.metadata.labels))


class BudgetHealth(Struct, frozen=True):
    """What the disruption controller makes of a budget and the pods that it selects.

    1. `current` healthy pods, `desired` ones, `expected` pods and how many disruptions are `count_allowed_disruptions`: the numbers of its
       status.
    2. `failure` is its error where it makes no numbers of it, in its words: then nothing is allowed.
    3. `capacity` is how many of the selected pods can be healthy at once when all is well: what the owners want, and the bare ones that
       are there. Of an owner without a scale the pods that are there count.
    4. `unknown` is the input without which nobody can tell; the numbers then mean nothing, but for `current` and `capacity`.
    """

    current: int = 0
    desired: int = 0
    expected: int = 0
    allowed: int = 0
    failure: str = ""
    capacity: int = 0
    unknown: MissingInput | None = None


def evaluate_budget_health(
    budget: PodDisruptionBudget, pods: Iterable[ClusterPod], owners: Owners, disrupted_pods: Collection[str] | None = None
) -> BudgetHealth:
    """What the disruption controller makes of a budget.

    1. Healthy is a selected pod that is Ready, not being deleted, and not among the `disrupted_pods` (None: those of its status).
    2. maxUnavailable, and minAvailable as a percentage, are of the sum of what the owners want, each once; bare pods do not count. A
       percentage is rounded up. One owner without a scale makes it fail.
    3. minAvailable as a number is that number, whatever the owners want; expected is how many pods are selected.
    4. Allowed is current less desired, and 0 where nothing is expected: a budget of bare pods, or one that states neither.

    `pods` are all pods of its namespace at least. Source: `pkg/controller/disruption/disruption.go`, trySync.
    """
    selected = [pod for pod in pods if selects(budget, pod.metadata.namespace, pod.metadata.labels)]
    if disrupted_pods is None:
        disrupted_pods = budget.status.disruptedPods if budget.status is not None else ()
    current = sum(pod.is_ready and not pod.metadata.deletionTimestamp and pod.metadata.name not in disrupted_pods for pod in selected)
    scales = [(pod, find_owner_scale(pod, owners)) for pod in selected]
    wanted = {scale.owner: scale.replicas for _, scale in scales if scale.owner and not scale.failure and not scale.unknown}
    live = sum(scale.owner not in wanted and not pod.has_ended and not pod.metadata.deletionTimestamp for pod, scale in scales)
    capacity = sum(wanted.values()) + live
    limit = budget.spec.minAvailable if budget.spec.maxUnavailable is None else budget.spec.maxUnavailable
    if limit is None:
        return BudgetHealth(current, capacity=capacity)
    if budget.spec.maxUnavailable is None and isinstance(limit, int):
        return _make_budget_health(current, limit, len(selected), capacity)
    failure = next((scale.failure for _, scale in scales if scale.failure), "")
    if failure:
        return BudgetHealth(current, capacity=capacity, failure=failure)
    unknown = next((scale.unknown for _, scale in scales if scale.unknown), None)
    if unknown:
        return BudgetHealth(current, capacity=capacity, unknown=unknown)
    expected = sum(wanted.values())
    share = _resolve_limit(limit, expected)
    if isinstance(share, str):
        return BudgetHealth(current, capacity=capacity, failure=share)
    desired = share if budget.spec.maxUnavailable is None else max(expected - share, 0)
    return _make_budget_health(current, desired, expected, capacity)


def _make_budget_health(current: int, desired: int, expected: int, capacity: int) -> BudgetHealth:
    return BudgetHealth(current, desired, expected, count_allowed_disruptions(current, desired, expected), capacity=capacity)


def count_allowed_disruptions(current: int, desired: int, expected: int) -> int:
    """How many disruptions the controller allows: see `evaluate_budget_health`, rule 4."""
    return max(current - desired, 0) if expected > 0 else 0


def find_sufficient_replicas(min_available: int | str) -> int | None:
    """From how many replicas on a budget with this minAvailable allows one disruption; None where it never does, or is no limit.

    A percentage is rounded up: 80 % of four is four, of five it is four.
    """
    if isinstance(min_available, int):
        return max(min_available, 0) + 1
    share = _resolve_limit(min_available, 100)
    if isinstance(share, str) or not 0 <= share < 100:
        return None
    return math.ceil(100 / (100 - share))


def _resolve_limit(limit: int | str, total: int) -> int | str:
    """A number, or a percentage of a total rounded up; the words of the error where it is neither.

    Source: `staging/src/k8s.io/apimachinery/pkg/util/intstr/intstr.go`, GetScaledValueFromIntOrPercent.
    """
    if isinstance(limit, int):
        return limit
    if not limit.endswith("%"):
        return "invalid value for IntOrString: invalid type: string is not a percentage"
    if not re.fullmatch(r"[+-]?[0-9]{1,9}%", limit, re.ASCII):
        return f'invalid value for IntOrString: invalid value "{limit}": strconv.Atoi: parsing "{limit[:-1]}": invalid syntax'
    return math.ceil(int(limit[:-1]) * total / 100)


def get_server_status(budget: PodDisruptionBudget) -> BudgetStatus | None:
    """The status that a server holds; None where the budget was never with one: a manifest, even with an empty `status`."""
    status = budget.status
    return None if status is None or (status == BudgetStatus() and not budget.metadata.generation) else status
