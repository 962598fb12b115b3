"""Facts about pods that have to go, as values: why a pod goes or stays, what an answer rests on, and what to do before.

Words for them are in `preflight.messages.evictions` and `preflight.messages.budgets`; nothing reads a fact back out of a sentence.
Names of objects are `namespace/name`.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from preflight.model.core import Taint
from preflight.model.job_reasons import JobFailure
from preflight.model.owners import OwnerKey
from preflight.model.termination_reasons import StaysTerminating
from preflight.model.uncertainty import Uncertainty


class DrainReason(StrEnum):
    """Why a drain treats a pod as it does. The values are the words of `why` in JSON.

    1. FILTERED: by kubectl's filters, see `PodFilter`. NODE_REFUSED: another pod of the node is refused, so none goes.
    2. NO_BUDGET, NO_BUDGET_CHECK (Pending, ended or being deleted), UNHEALTHY_ALLOWED (not Ready, and the budget does not mind), ALLOWED:
       why the API server lets it go. BYPASSED: deleted by --disable-eviction, no budget is asked.
    3. Permanent: SEVERAL_BUDGETS, CANNOT_SYNC (no scale), NONE_EXPECTED (its pods are bare, or their owners want none), NO_LIMIT (it
       states neither limit), ZERO_UNAVAILABLE (maxUnavailable is 0), NEEDS_ALL_HEALTHY (it desires as many as can be healthy, or more).
    4. Temporary: NOT_ENOUGH_HEALTHY today, SHARED (the budget allows some, and others of this drain take them), NOT_SYNCED (the controller
       has not seen the budget as it is), STALE_STATUS (the controller would allow some, and has not looked since), FORBIDDEN (a status
       that the server treats as broken).
    """

    FILTERED = "filtered"
    NODE_REFUSED = "node-refused"
    NO_BUDGET = "no-budget"
    NO_BUDGET_CHECK = "not-asked"
    UNHEALTHY_ALLOWED = "unhealthy-free"
    ALLOWED = "allowed"
    BYPASSED = "bypassed"
    SEVERAL_BUDGETS = "several-budgets"
    CANNOT_SYNC = "cannot-sync"
    NONE_EXPECTED = "none-expected"
    NO_LIMIT = "no-limit"
    ZERO_UNAVAILABLE = "none-may-lack"
    NEEDS_ALL_HEALTHY = "needs-all"
    NOT_ENOUGH_HEALTHY = "not-enough-healthy"
    SHARED = "shared"
    NOT_SYNCED = "not-synced"
    STALE_STATUS = "stale-status"
    FORBIDDEN = "forbidden"
    UNKNOWN = "not-known"


class EndReason(StrEnum):
    """Why a pod goes that no drain asks for. The values are the words of `why` in JSON.

    DELETED: it is deleted by name. TAINT: a NoExecute taint. NODE: the end of its node. OUT_OF_SERVICE: it is being deleted, and its node
    is out of service.
    """

    DELETED = "deleted"
    TAINT = "taint"
    OUT_OF_SERVICE = "out-of-service"
    NODE = "node"


class PodFilter(StrEnum):
    """The filter of `kubectl drain` that decides on a pod.

    1. It stays: NOT_SELECTED, OVERDUE (its deletion takes too long), DAEMONSET_IGNORED, MIRROR (of a static pod).
    2. kubectl refuses the node: DAEMONSET_REFUSED, DAEMONSET_MISSING (its DaemonSet does not exist), LOCAL_DATA, UNMANAGED_REFUSED.
    3. It goes: UNMANAGED_DELETED.
    """

    NOT_SELECTED = "not-selected"
    OVERDUE = "overdue"
    DAEMONSET_IGNORED = "daemonset-ignored"
    DAEMONSET_REFUSED = "daemonset"
    DAEMONSET_MISSING = "daemonset-missing"
    MIRROR = "mirror"
    LOCAL_DATA = "local-data"
    UNMANAGED_REFUSED = "unmanaged"
    UNMANAGED_DELETED = "unmanaged-deleted"


class KubectlRefusal(Struct, frozen=True):
    """An error with which kubectl refuses a node: the filter, the DaemonSet if that is missing, the pods, and kubectl's own words."""

    filter: PodFilter
    daemonset: str
    pods: tuple[str, ...]
    words: str


class DrainFlag(StrEnum):
    """A flag of `kubectl drain` without which it refuses a node."""

    IGNORE_DAEMONSETS = "--ignore-daemonsets"
    DELETE_LOCAL_DATA = "--delete-emptydir-data"
    FORCE = "--force"


class MissingKind(StrEnum):
    """What was not in the input: budgets, a DaemonSet, the owner of a pod, the API of an owner, all pods of a namespace, or a version."""

    BUDGETS = "budgets"
    DAEMONSET = "daemonset"
    OWNER = "owner"
    OWNER_SCALE = "owner-scale"
    NAMESPACE_PODS = "namespace-pods"
    VERSION = "version"


class MissingInput(Struct, frozen=True):
    """Input without which an answer is unknown.

    `name` is `namespace/name` of a DaemonSet or owner, the namespace for NAMESPACE_PODS, and for OWNER_SCALE the apiVersion of `kind`. For
    VERSION it is the `versions.Behavior` that some of the possible versions have.
    """

    missing: MissingKind
    kind: str = ""
    name: str = ""


class HealthyPods(Struct, frozen=True):
    """How many healthy pods a budget needs and how many it has, as the API server counts them."""

    needed: int
    current: int


# Why a pod goes, waits or stays.


class EvictionFact(StrEnum):
    """A reason without further facts.

    1. NODE_REFUSED: kubectl refuses the node for another pod. UNREADY_ALLOWED: it is not Ready, and its budget lets such a pod go.
    2. TOLERATES_CORDON: its replacement may land on the same node. TOLERATES_TAINTS: its replacement may land there and be deleted again.
    3. GATE_UNKNOWN: whether it tolerates a taint depends on an unknown feature gate.
    4. NOT_RECREATED: nothing creates it again. WAITS_FOR_NODE: no other node takes its replacement. AWAITS_END: none is created before it
       is gone. OUT_OF_SERVICE: pod garbage collection deletes it by force, for its node is out of service.
    """

    NODE_REFUSED = "node-refused"
    UNREADY_ALLOWED = "unready-allowed"
    TOLERATES_CORDON = "tolerates-cordon"
    TOLERATES_TAINTS = "tolerates-taints"
    GATE_UNKNOWN = "gate-unknown"
    NOT_RECREATED = "not-recreated"
    WAITS_FOR_NODE = "waits-for-node"
    AWAITS_END = "awaits-end"
    OUT_OF_SERVICE = "out-of-service"


class CoveredBySeveralBudgets(Struct, frozen=True):
    """More than one budget selects it, so that the eviction API refuses it."""

    budgets: tuple[str, ...]


class RefusedByBudget(Struct, frozen=True):
    """Its budget does not allow it; `waits` if it goes once a replacement is Ready."""

    budget: str
    reason: DrainReason
    healthy_pods: HealthyPods | None = None
    waits: bool = False


class RefusedByKubectl(Struct, frozen=True):
    """A filter of kubectl refuses it; `daemonset` is the missing DaemonSet."""

    filter: PodFilter
    daemonset: str = ""


class BypassesBudgets(Struct, frozen=True):
    """It is deleted, and its budgets are not asked."""

    budgets: tuple[str, ...]


class SharesBudget(Struct, frozen=True):
    """So many pods share its budget, and which of them go first is chance."""

    pods: int


class UntoleratedTaints(Struct, frozen=True):
    """NoExecute taints that it does not tolerate."""

    taints: tuple[Taint, ...]


class TimeLimitedTaints(Struct, frozen=True):
    """NoExecute taints that it tolerates for some seconds only."""

    taints: tuple[Taint, ...]
    seconds: int


class UnprotectedByBudgets(Struct, frozen=True):
    """Its budgets do not protect it from taint eviction."""

    budgets: tuple[str, ...]


class OwnerJobFails(Struct, frozen=True):
    """Its Job fails, so that nothing replaces it."""

    reason: JobFailure


class LastReadyPods(Struct, frozen=True):
    """All Ready pods of its owner go."""

    owner: OwnerKey
    count: int


class StaysPending(Struct, frozen=True):
    """No node takes its replacement: what the scheduler says of it, or how many nodes refuse it for which of the scheduler's reasons."""

    scheduler_message: str = ""
    node_counts: tuple[tuple[str, int], ...] = ()


class TooFewFit(Struct, frozen=True):
    """Only some of so many equal replacements fit, and it is one of the others."""

    fitting: int
    wanted: int


class PlacementFact(StrEnum):
    """Why it is unknown where a replacement goes: the leader of its JobSet decides, or other replacements may use the capacity."""

    LEADER_DECIDES = "leader-decides"
    CONTESTED_CAPACITY = "contested-capacity"


class UnknownPlacement(Struct, frozen=True):
    """Why it is unknown where a replacement goes."""

    causes: tuple[PlacementFact | Uncertainty, ...]


PendingReason = StaysPending | TooFewFit
EvictionReason = (
    EvictionFact
    | CoveredBySeveralBudgets
    | RefusedByBudget
    | RefusedByKubectl
    | MissingInput
    | BypassesBudgets
    | SharesBudget
    | StaysTerminating
    | UntoleratedTaints
    | TimeLimitedTaints
    | UnprotectedByBudgets
    | OwnerJobFails
    | LastReadyPods
    | PendingReason
    | UnknownPlacement
)


class NodeObstacle(Struct, frozen=True):
    """A filter of the scheduler that refuses a node, the resource that is short if it is one, and the scheduler's own words."""

    filter: str
    resource: str
    words: str


# What an answer rests on.


class EvictionNote(StrEnum):
    """An assumption without further facts.

    REPLACEMENTS_READY: replacements that find a node become Ready. DISPLACED_PODS_READY: what went in earlier steps is Ready on unknown
    nodes. BUDGETS_BYPASSED: --disable-eviction asks no budget.
    """

    REPLACEMENTS_READY = "replacements-ready"
    DISPLACED_PODS_READY = "displaced-pods-ready"
    BUDGETS_BYPASSED = "budgets-bypassed"


class OnlyNamespaces(Struct, frozen=True):
    """Only the pods of these namespaces were in the input."""

    namespaces: tuple[str, ...]


class UnreadPods(Struct, frozen=True):
    """So many pods could not be read."""

    count: int


class BudgetWithoutNamespace(Struct, frozen=True):
    """The budgets are unknown, because one of them states no namespace."""

    name: str


class UnreadBudgets(Struct, frozen=True):
    """The budgets are unknown: `cause` is why not all could be read, "" if none were in the input."""

    cause: str = ""


class PartOfNodes(Struct, frozen=True):
    """The replacements were placed on a part of the nodes of a cluster: only of so many were the pods asked for."""

    count: int


EvictionAssumption = EvictionNote | OnlyNamespaces | PartOfNodes | UnreadPods | BudgetWithoutNamespace | UnreadBudgets


# What to do before.


class BudgetAction(StrEnum):
    """What to do about a budget that blocks."""

    DELETE_OTHERS = "delete-others"
    STATE_INTEGER = "state-integer"
    ALLOW_ONE = "allow-one"
    DELETE_OR_ADOPT = "delete-or-adopt"
    SCALE_UP = "scale-up"
    LOWER_LIMIT = "lower-limit"
    GET_READY = "get-ready"
    CHECK_HEALTH = "check-health"
    SCALE_UP_SHARED = "scale-up-shared"


class AddFlags(Struct, frozen=True):
    """Flags without which kubectl evicts nothing."""

    flags: tuple[DrainFlag, ...]


class ChangeBudget(Struct, frozen=True):
    """A change of a budget, of its owner (to so many `replicas`), or of the pods that it waits for."""

    action: BudgetAction
    budgets: tuple[str, ...]
    owner: OwnerKey | None = None
    replicas: int = 0
    pods: tuple[str, ...] = ()


class MakeRoom(Struct, frozen=True):
    """Nodes to uncordon for the replacements of pods; none if no cordoned node would take one."""

    nodes: tuple[str, ...]
    pods: tuple[str, ...]


class SavePods(Struct, frozen=True):
    """Pods that nothing creates again."""

    pods: tuple[str, ...]


class AwaitJob(Struct, frozen=True):
    """A Job that fails if it loses pods."""

    job: str


class WaitFlag(StrEnum):
    """The flag with which kubectl no longer waits for pods that do not end: of `kubectl drain`, and of `kubectl delete`."""

    SKIP_WAIT = "--skip-wait-for-delete-timeout=60"
    NO_WAIT = "--wait=false"


class FreePods(Struct, frozen=True):
    """Pods that stay in Terminating on a node for one reason; `flag` is what helps a kubectl that waits for them, None if none does."""

    hang: StaysTerminating
    pods: tuple[str, ...]
    flag: WaitFlag | None = None


Advice = AddFlags | ChangeBudget | MakeRoom | SavePods | AwaitJob | FreePods
