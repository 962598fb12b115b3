"""What the API server answers when somebody asks it to evict a pod."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from preflight.model.budgets import PodDisruptionBudget
from preflight.model.pod_status import RunningPod
from preflight.scheduling.budgets import Health, stated

VIOLATES = "Cannot evict pod as it would violate the pod's disruption budget."
SEVERAL = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
_TOO_MANY = 2000


class Standing(Struct, frozen=True):
    """What the API server reads of a budget at one moment.

    1. `synced`: the controller has seen the budget as it is now. Where it has not, the numbers are not asked.
    2. `failure` is the error of its last sync, "" where that went well; `disrupted` how many pods it waits for.
    3. `unknown` is why nobody can tell, "" where the rest is known.
    """

    name: str
    always_allow: bool
    synced: bool = True
    current: int = 0
    desired: int = 0
    allowed: int = 0
    failure: str = ""
    disrupted: int = 0
    unknown: str = ""


class Answer(Struct, frozen=True):
    """The answer to an eviction.

    1. `code` 201 lets the pod go; 429 is for now, as far as the server knows; 403 and 500 are final. 0 where nobody can tell: the message
       then is why.
    2. `cause` is what the server says of the budget; `budget` its name, "" where none was asked.
    3. `takes`: the pod takes one of the disruptions that the budget allows.
    4. `retry_after` are the seconds after which the server wants to be asked again; 0 where it does not say.
    """

    code: int
    message: str = ""
    cause: str = ""
    budget: str = ""
    takes: bool = False
    retry_after: int = 0


EVICTED = Answer(201)


def asks_no_budget(pod: RunningPod) -> bool:
    """Whether a pod goes without a budget being asked: it is Pending, has ended, or is being deleted."""
    return pod.status.phase in ("Pending", "Succeeded", "Failed") or bool(pod.metadata.deletionTimestamp)


def standing(budget: PodDisruptionBudget, health: Health) -> Standing:
    """How a budget stands: by its status where a server has one, else as the controller will write it."""
    name, always = budget.metadata.name, budget.spec.unhealthyPodEvictionPolicy == "AlwaysAllow"
    status = stated(budget)
    if status is None:
        if health.unknown:
            return Standing(name, always, unknown=health.unknown)
        return Standing(name, always, True, health.current, health.desired, health.allowed, health.failure)
    condition = next((each for each in status.conditions if each.type == "DisruptionAllowed"), None)
    failed = condition is not None and condition.status == "False" and condition.reason == "SyncFailed"
    return Standing(
        name,
        always,
        status.observedGeneration >= budget.metadata.generation,
        status.currentHealthy,
        status.desiredHealthy,
        status.disruptionsAllowed,
        condition.message if condition is not None and failed else "",
        len(status.disruptedPods),
    )


def answer(pod: RunningPod, guards: Sequence[Standing]) -> Answer:
    """The API server's answer to an eviction, as the budgets that select the pod stand.

    1. A pod that asks no budget, or that none selects, goes. With more than one it is refused for good, whatever they say.
    2. A pod that is not Ready goes with `unhealthyPodEvictionPolicy: AlwaysAllow`, or where the budget has what it desires and desires
       something; it takes nothing of it.
    3. Else: not synced is "still being processed" (429, again after 10 s); allowed below 0, or more than 2,000 disrupted pods: forbidden;
       0 allowed: 429; above 0 the pod goes and takes one.

    Source: `pkg/registry/core/pod/storage/eviction.go`, Create and checkAndDecrement.
    """
    if asks_no_budget(pod) or not guards:
        return EVICTED
    if len(guards) > 1:
        return Answer(500, SEVERAL)
    (guard,) = guards
    name = guard.name
    if not pod.ready and (guard.always_allow or guard.current >= guard.desired > 0):
        return Answer(201, budget=name)
    if guard.unknown:
        return Answer(0, guard.unknown, budget=name)
    if not guard.synced:
        return Answer(429, VIOLATES, f"The disruption budget {name} is still being processed by the server.", name, retry_after=10)
    if guard.allowed < 0:
        return _forbidden(name, "pdb disruptions allowed is negative", "pdb disruptions allowed is negative")
    if guard.disrupted > _TOO_MANY:
        words = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        return _forbidden(name, words, "too many pending evictions not confirmed by PDB controller")
    if guard.allowed == 0:
        return Answer(429, VIOLATES, _cause(guard), name)
    return Answer(201, budget=name, takes=True)


def _forbidden(name: str, words: str, cause: str) -> Answer:
    return Answer(
        403,
        f'poddisruptionbudget.policy "{name}" is forbidden: {words}',
        f"The disruption budget {name} does not allow evicting pods currently: {cause}",
        name,
    )


def _cause(guard: Standing) -> str:
    if guard.failure:
        return f"The disruption budget {guard.name} does not allow evicting pods currently because it failed sync: {guard.failure}"
    if guard.current <= guard.desired:
        return f"The disruption budget {guard.name} needs {guard.desired} healthy pods and has {guard.current} currently"
    return f"The disruption budget {guard.name} does not allow evicting pods currently"
