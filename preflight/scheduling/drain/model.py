"""What a drain does, pod by pod and node by node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from enum import Enum
from typing import NamedTuple

from msgspec import Struct

from preflight.model.eviction_reasons import DrainReason, HealthyPods, KubectlRefusal, MissingInput, PodFilter
from preflight.model.pod_status import ClusterPod
from preflight.model.termination_reasons import StaysTerminating

_DEFAULT_GRACE_SECONDS = 30
RETRY_SECONDS = 5
"""Seconds after which kubectl asks again where it got a 429."""


class DrainVerdict(Enum):
    """What becomes of a pod."""

    EVICTED = "evicted"
    DELETED = "deleted"
    SKIPPED = "skipped"
    REFUSED = "refused by kubectl"
    HELD = "held"
    BLOCKED_FOREVER = "blocked for ever"
    BLOCKED_NOW = "blocked for now"
    UNKNOWN = "unknown"


class PodDrain(Struct, frozen=True):
    """A pod of a drained node, and what becomes of it.

    1. `filter` is the filter of kubectl that decides, None if none does. `missing_input` is what was not given if the verdict is unknown.
    2. `code`, `message` and `cause` are the API server's first answer: 201 (eviction), 200 (deletion), 429, 403, 500; 0 where kubectl sends
       no request, or nobody can tell. `healthy_pods` are the numbers in it. `budgets` are those that select the pod.
    3. `evicted_at` are the seconds, from the start of its node, at which it is let go, and `grace_seconds` is the time that it then has.
       `gave_up_at` are those at which kubectl stops asking for it. Both are None where kubectl asks for ever.
    4. `budget_peers` is how many pods of the node share its budget where that does not allow all of them at once, itself included; 0 else.
       Which of them go first is chance: here it is the order of their names.
    5. `is_lost`: nothing creates it again. `has_local_data`: its emptyDir goes with it. `may_return`: it tolerates a cordon, so that its
       replacement can land on the same node again.
    6. `hang` is why it stays in Terminating, or may; None where it ends in time.
    """

    pod: ClusterPod
    verdict: DrainVerdict
    reason: DrainReason
    filter: PodFilter | None = None
    code: int = 0
    message: str = ""
    cause: str = ""
    budgets: tuple[tuple[str, str], ...] = ()
    evicted_at: float | None = None
    gave_up_at: float | None = None
    grace_seconds: int = 0
    budget_peers: int = 0
    is_lost: bool = False
    has_local_data: bool = False
    may_return: bool = False
    hang: StaysTerminating | None = None
    healthy_pods: HealthyPods | None = None
    missing_input: MissingInput | None = None

    @property
    def missing_daemonset(self) -> str:
        """The name of its DaemonSet if that does not exist, "" for any other filter."""
        return get_missing_daemonset(self.pod, self.filter)

    @property
    def is_leaving(self) -> bool:
        """Whether it leaves the node: it is let go, and does not hang."""
        return self.verdict in (DrainVerdict.EVICTED, DrainVerdict.DELETED) and self.hang is None


class DrainCase(Enum):
    """How chance turns out in the first round of a budget: only the pods go that do for certain, or all that can."""

    CERTAIN = "certain"
    BEST = "best"


class FirstRound(Struct, frozen=True):
    """How many pods of a node a budget lets go in the first round.

    1. `pods` need a disruption of it (their namespaces and names), and it allows `allowed`.
    2. `least` go for certain; up to `max_evicted` by chance: the server asks again after a conflict, half a second later, when a
       replacement may be Ready already or a stale status renewed.
    """

    budget: tuple[str, str]
    pods: tuple[tuple[str, str], ...]
    allowed: int
    min_evicted: int
    max_evicted: int

    @property
    def is_contested(self) -> bool:
        """Whether some go and which ones is chance, or how many: not all of them go for certain, and not none."""
        return self.max_evicted > 0 and self.min_evicted < len(self.pods)


class NodeDrain(Struct, frozen=True):
    """One node of a drain.

    1. `refusals` are kubectl's errors; with one of them nothing goes from this node, and it stays cordoned. `warnings` are what it prints.
    2. `pods` are those of the node in the order in which kubectl lists them.
    3. `exit_codes` are those with which kubectl can end as far as this node goes: one where it is certain, both where it is chance or
       nobody can tell (then it may refuse the node as well). `does_end` is False where kubectl waits for ever, None where nobody can tell.
    4. `least` are the seconds that the node takes at least, when every pod ends at once; `grace_seconds` when each takes its whole grace
       period; pods of which nobody can tell do not count. It can be less by chance alone: where more go in the first round than for
       certain. None where kubectl waits for ever. At its timeout it gives up, and what it let go may still be there.
    5. `is_reached` is False where kubectl waits for ever at a node before it: the verdicts are then for the day when it gets here.
    """

    node: str
    pods: tuple[PodDrain, ...] = ()
    refusals: tuple[KubectlRefusal, ...] = ()
    warnings: tuple[str, ...] = ()
    first_round: tuple[FirstRound, ...] = ()
    exit_codes: tuple[int, ...] = (0,)
    does_end: bool | None = True
    min_seconds: float | None = 0
    grace_seconds: float | None = 0
    is_reached: bool = True

    @property
    def verdict_counts(self) -> dict[DrainVerdict, int]:
        """How many pods have each verdict, in the order of Verdict; one that no pod has is left out."""
        counts = Counter(pod.verdict for pod in self.pods)
        return {verdict: counts[verdict] for verdict in DrainVerdict if verdict in counts}

    @property
    def remaining_pods(self) -> tuple[PodDrain, ...]:
        """The pods that are still on the node afterwards."""
        return tuple(pod for pod in self.pods if not pod.is_leaving)


def get_missing_daemonset(pod: ClusterPod, pod_filter: PodFilter | None) -> str:
    """The name of a pod's DaemonSet, if the filter is that it does not exist; else ""."""
    return pod.controller.name if pod_filter is PodFilter.DAEMONSET_MISSING and pod.controller is not None else ""


def assume_never_ready(_: ClusterPod) -> float | None:
    """The assumption that no replacement becomes Ready while the drain lasts."""
    return None


def assume_ready_immediately(_: ClusterPod) -> float | None:
    """The assumption that a replacement is Ready when it is created."""
    return 0.0


def assume_full_grace(_: ClusterPod, grace: int) -> float | None:
    """The assumption that a pod takes its whole grace period to end."""
    return float(grace)


def assume_immediate_end(_: ClusterPod, __: int) -> float | None:
    """The assumption that a pod ends as soon as it is told to."""
    return 0.0


class DrainBehavior(NamedTuple):
    """What the server and kubectl do in a drain that older ones do not; None where that is not known: see `versions.Behavior`."""

    empty_selectors_guard: bool | None = True
    knows_apps_only: bool | None = True


class DrainAssumptions(Struct, frozen=True):
    """What a drain rests on that no object says.

    1. `ready_after`: seconds from the creation of a pod's replacement until it is Ready; None where it never is, or fits nowhere.
    2. `ends_after`: seconds from a pod's deletion, with its grace period, until it is gone; None where it never is.
    3. `stale_pod_seconds`: seconds, at most, for which the disruption controller takes a pod of a StatefulSet for gone that went without a
       grace period, though one of the same name is back: it sees the one go before the other comes, or does not.
    4. `now` in seconds since 1970; None where not known.
    5. `obstacles` are why single pods (by namespace and name) do not end once they are let go, or may not.
    6. `behavior` is that of the versions of the server and of kubectl.
    """

    ready_after: Callable[[ClusterPod], float | None] = assume_never_ready
    ends_after: Callable[[ClusterPod, int], float | None] = assume_full_grace
    stale_pod_seconds: float = 120.0
    now: float | None = None
    obstacles: Mapping[tuple[str, str], StaysTerminating] = {}
    behavior: DrainBehavior = DrainBehavior()


NO_REPLACEMENTS = DrainAssumptions()
"""No replacement becomes Ready, and each pod takes its whole grace period."""


def find_grace_period(pod: ClusterPod, grace_period: int) -> int:
    """The grace period of a deletion: --grace-period, else the pod's own (30 where not stated); 0 for a pod that has ended.

    Below 0 is 1. Source: `pkg/registry/core/pod/strategy.go`, CheckGracefulDelete.
    """
    if pod.has_ended or not pod.spec.nodeName:
        return 0
    if grace_period >= 0:
        return grace_period
    own = pod.spec.terminationGracePeriodSeconds
    return _DEFAULT_GRACE_SECONDS if own is None else own if own >= 0 else 1
