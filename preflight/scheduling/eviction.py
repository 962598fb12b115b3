"""What the API server answers when somebody asks it to evict a pod."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from preflight.model.eviction_reasons import HealthyPods, MissingInput, MissingKind
from preflight.model.pod_status import ClusterPod
from preflight.model.policy import PodDisruptionBudget
from preflight.model.releases import Behavior
from preflight.scheduling.budgets import BudgetHealth, get_server_status

VIOLATES_BUDGET = "Cannot evict pod as it would violate the pod's disruption budget."
SEVERAL_BUDGETS = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
_MAX_DISRUPTED_PODS = 2000


class BudgetView(Struct, frozen=True):
    """What the API server reads of a budget at one moment.

    1. `is_synced`: the controller has seen the budget as it is now. Where it has not, the numbers are not asked.
    2. `failure` is the error of its last sync, "" where that went well; `disrupted_count` how many pods it waits for.
    3. `missing_input` is what was not given, None where the rest is known.
    4. `may_be_ignored`: some of the versions that the server may have do not ask it, since its selector is empty.
    """

    name: str
    always_allow: bool
    is_synced: bool = True
    current: int = 0
    desired: int = 0
    allowed: int = 0
    failure: str = ""
    disrupted_count: int = 0
    missing_input: MissingInput | None = None
    may_be_ignored: bool = False


class EvictionResponse(Struct, frozen=True):
    """The answer to an eviction.

    1. `code` 201 lets the pod go; 429 is for now, as far as the server knows; 403 and 500 are final. 0 where nobody can tell, because
       of `missing_input`.
    2. `cause` is what the server says of the budget, `healthy_pods` the numbers in it; `budget` its name, "" where none was asked.
    3. `takes_disruption`: the pod takes one of the disruptions that the budget allows.
    4. `retry_after` are the seconds after which the server wants to be asked again; 0 where it does not say.
    """

    code: int
    message: str = ""
    cause: str = ""
    budget: str = ""
    takes_disruption: bool = False
    retry_after: int = 0
    healthy_pods: HealthyPods | None = None
    missing_input: MissingInput | None = None


EVICTION_ALLOWED = EvictionResponse(201)


def skips_budget_check(pod: ClusterPod) -> bool:
    """Whether a pod goes without a budget being asked: it is Pending, has ended, or is being deleted."""
    return pod.status.phase in ("Pending", "Succeeded", "Failed") or bool(pod.metadata.deletionTimestamp)


def view_budget(budget: PodDisruptionBudget, health: BudgetHealth) -> BudgetView:
    """How a budget stands: by its status where a server has one, else as the controller will write it."""
    name, always = budget.metadata.name, budget.spec.unhealthyPodEvictionPolicy == "AlwaysAllow"
    status = get_server_status(budget)
    if status is None:
        if health.unknown:
            return BudgetView(name, always, missing_input=health.unknown)
        return BudgetView(name, always, True, health.current, health.desired, health.allowed, health.failure)
    condition = next((condition for condition in status.conditions if condition.type == "DisruptionAllowed"), None)
    failed = condition is not None and condition.status == "False" and condition.reason == "SyncFailed"
    return BudgetView(
        name,
        always,
        status.observedGeneration >= budget.metadata.generation,
        status.currentHealthy,
        status.desiredHealthy,
        status.disruptionsAllowed,
        condition.message if condition is not None and failed else "",
        len(status.disruptedPods),
    )


def answer_eviction(pod: ClusterPod, budget_views: Sequence[BudgetView]) -> EvictionResponse:
    """The API server's answer to an eviction, as the budgets that select the pod stand.

    1. A pod that asks no budget, or that none selects, goes. With more than one it is refused for good, whatever they say.
    2. A pod that is not Ready goes with `unhealthyPodEvictionPolicy: AlwaysAllow`, or where the budget has what it desires and desires
       something; it takes nothing of it.
    3. Else: not synced is "still being processed" (429, again after 10 s); allowed below 0, or more than 2,000 disrupted pods: forbidden;
       0 allowed: 429; above 0 the pod goes and takes one.

    4. Where some versions ignore a budget, the answer is known if it is the same without it.

    Source: `pkg/registry/core/pod/storage/eviction.go`, Create and checkAndDecrement.
    """
    asked = [view for view in budget_views if not view.may_be_ignored]
    response = _answer_eviction(pod, budget_views)
    if len(asked) == len(budget_views) or response.code == _answer_eviction(pod, asked).code:
        return response
    missing = MissingInput(MissingKind.VERSION, name=Behavior.EMPTY_SELECTOR_GUARDS)
    return EvictionResponse(0, budget=response.budget, missing_input=missing)


def _answer_eviction(pod: ClusterPod, budget_views: Sequence[BudgetView]) -> EvictionResponse:
    if skips_budget_check(pod) or not budget_views:
        return EVICTION_ALLOWED
    if len(budget_views) > 1:
        return EvictionResponse(500, SEVERAL_BUDGETS)
    (guard,) = budget_views
    name = guard.name
    if not pod.is_ready and (guard.always_allow or guard.current >= guard.desired > 0):
        return EvictionResponse(201, budget=name)
    if guard.missing_input:
        return EvictionResponse(0, budget=name, missing_input=guard.missing_input)
    if not guard.is_synced:
        return EvictionResponse(
            429, VIOLATES_BUDGET, f"The disruption budget {name} is still being processed by the server.", name, retry_after=10
        )
    if guard.allowed < 0:
        return _make_forbidden_response(name, "pdb disruptions allowed is negative", "pdb disruptions allowed is negative")
    if guard.disrupted_count > _MAX_DISRUPTED_PODS:
        words = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        return _make_forbidden_response(name, words, "too many pending evictions not confirmed by PDB controller")
    if guard.allowed == 0:
        healthy_pods = HealthyPods(guard.desired, guard.current) if not guard.failure and guard.current <= guard.desired else None
        return EvictionResponse(429, VIOLATES_BUDGET, _quote_cause(guard, healthy_pods), name, healthy_pods=healthy_pods)
    return EvictionResponse(201, budget=name, takes_disruption=True)


def _make_forbidden_response(name: str, words: str, cause: str) -> EvictionResponse:
    return EvictionResponse(
        403,
        f'poddisruptionbudget.policy "{name}" is forbidden: {words}',
        f"The disruption budget {name} does not allow evicting pods currently: {cause}",
        name,
    )


def _quote_cause(budget_view: BudgetView, healthy_pods: HealthyPods | None) -> str:
    """The API server's own words."""
    if budget_view.failure:
        return (
            f"The disruption budget {budget_view.name} does not allow evicting pods currently because it failed sync: {budget_view.failure}"
        )
    if healthy_pods:
        return f"The disruption budget {budget_view.name} needs {healthy_pods.needed} healthy pods and has {healthy_pods.current} currently"
    return f"The disruption budget {budget_view.name} does not allow evicting pods currently"
