"""Which budgets guard a pod, and what the disruption controller makes of a budget."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from preflight.model.budgets import BudgetStatus, PodDisruptionBudget
from preflight.model.pod_status import RunningPod
from preflight.scheduling.affinity import matches_labels, requirement_errors
from preflight.scheduling.owners import Owners, scale

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
    if any(each.operator not in _OPERATORS or requirement_errors(each, "") for each in selector.matchExpressions):
        return False
    return matches_labels(selector.matchLabels, selector.matchExpressions, labels)


def guarding(pod: RunningPod, budgets: Iterable[PodDisruptionBudget]) -> tuple[PodDisruptionBudget, ...]:
    """The budgets that select a pod, in the order given."""
    return tuple(each for each in budgets if selects(each, pod.metadata.namespace, pod.metadata.labels))


class Health(Struct, frozen=True):
    """What the disruption controller makes of a budget and the pods that it selects.

    1. `current` healthy pods, `desired` ones, `expected` pods and how many disruptions are `allowed`: the numbers of its status.
    2. `failure` is its error where it makes no numbers of it, in its words: then nothing is allowed.
    3. `capacity` is how many of the selected pods can be healthy at once when all is well: what the owners want, and the bare ones that
       are there. Of an owner without a scale the pods that are there count.
    4. `unknown` is why nobody can tell; the numbers then mean nothing, but for `current` and `capacity`.
    """

    current: int = 0
    desired: int = 0
    expected: int = 0
    allowed: int = 0
    failure: str = ""
    capacity: int = 0
    unknown: str = ""


def health(budget: PodDisruptionBudget, pods: Iterable[RunningPod], owners: Owners, disrupted: Collection[str] | None = None) -> Health:
    """What the disruption controller makes of a budget.

    1. Healthy is a selected pod that is Ready, not being deleted, and not among the `disrupted` (None: those of its status).
    2. maxUnavailable, and minAvailable as a percentage, are of the sum of what the owners want, each once; bare pods do not count. A
       percentage is rounded up. One owner without a scale makes it fail.
    3. minAvailable as a number is that number, whatever the owners want; expected is how many pods are selected.
    4. Allowed is current less desired, and 0 where nothing is expected: a budget of bare pods, or one that states neither.

    `pods` are all pods of its namespace at least. Source: `pkg/controller/disruption/disruption.go`, trySync.
    """
    selected = [pod for pod in pods if selects(budget, pod.metadata.namespace, pod.metadata.labels)]
    if disrupted is None:
        disrupted = budget.status.disruptedPods if budget.status is not None else ()
    current = sum(pod.ready and not pod.metadata.deletionTimestamp and pod.metadata.name not in disrupted for pod in selected)
    scales = [(pod, scale(pod, owners)) for pod in selected]
    wanted = {each.owner: each.replicas for _, each in scales if each.owner and not each.failure and not each.unknown}
    live = sum(each.owner not in wanted and not pod.has_ended and not pod.metadata.deletionTimestamp for pod, each in scales)
    capacity = sum(wanted.values()) + live
    limit = budget.spec.minAvailable if budget.spec.maxUnavailable is None else budget.spec.maxUnavailable
    if limit is None:
        return Health(current, capacity=capacity)
    if budget.spec.maxUnavailable is None and isinstance(limit, int):
        return _allowing(current, limit, len(selected), capacity)
    failure = next((each.failure for _, each in scales if each.failure), "")
    if failure:
        return Health(current, capacity=capacity, failure=failure)
    unknown = next((each.unknown for _, each in scales if each.unknown), "")
    if unknown:
        return Health(current, capacity=capacity, unknown=unknown)
    expected = sum(wanted.values())
    share = _share(limit, expected)
    if isinstance(share, str):
        return Health(current, capacity=capacity, failure=share)
    desired = share if budget.spec.maxUnavailable is None else max(expected - share, 0)
    return _allowing(current, desired, expected, capacity)


def _allowing(current: int, desired: int, expected: int, capacity: int) -> Health:
    return Health(current, desired, expected, allowed(current, desired, expected), capacity=capacity)


def allowed(current: int, desired: int, expected: int) -> int:
    """How many disruptions the controller allows: see `health`, rule 4."""
    return max(current - desired, 0) if expected > 0 else 0


def _share(limit: int | str, total: int) -> int | str:
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


def stated(budget: PodDisruptionBudget) -> BudgetStatus | None:
    """The status that a server holds; None where the budget was never with one: a manifest, even with an empty `status`."""
    status = budget.status
    return None if status is None or (status == BudgetStatus() and not budget.metadata.generation) else status
