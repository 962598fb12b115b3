"""The words for facts about pods that have to go: one case for each template."""

from __future__ import annotations

import pytest

from preflight.messages.evictions import describe_advice, describe_assumption, describe_obstacles, describe_reason
from preflight.model.core import Taint
from preflight.model.eviction_reasons import (
    AddFlags,
    Advice,
    AwaitJob,
    BudgetAction,
    BudgetWithoutNamespace,
    BypassesBudgets,
    ChangeBudget,
    CoveredBySeveralBudgets,
    DrainFlag,
    DrainReason,
    EvictionAssumption,
    EvictionFact,
    EvictionNote,
    EvictionReason,
    HealthyPods,
    LastReadyPods,
    MakeRoom,
    MissingInput,
    MissingKind,
    NodeObstacle,
    OnlyNamespaces,
    OwnerJobFails,
    PartOfNodes,
    PlacementFact,
    PodFilter,
    RefusedByBudget,
    RefusedByKubectl,
    SavePods,
    SharesBudget,
    StaysPending,
    TimeLimitedTaints,
    TooFewFit,
    UnknownPlacement,
    UnprotectedByBudgets,
    UnreadBudgets,
    UnreadPods,
    UntoleratedTaints,
)
from preflight.model.job_reasons import JobFailure
from preflight.model.owners import OwnerKey
from preflight.model.termination_reasons import HangReason, StaysTerminating
from preflight.model.uncertainty import Uncertainty, UncertaintyKind

BUDGET, OTHER, DAEMONSET = "PodDisruptionBudget shop/a", "PodDisruptionBudget shop/b", "shop/log"
WEB = OwnerKey("Deployment", "shop", "web")
TAINT = Taint("a", "b", "NoExecute")
PENDING = "its replacement stays Pending"
UNKNOWN = "so the answer of the API server is unknown"

REASONS: list[tuple[EvictionReason, str]] = [
    (EvictionFact.NODE_REFUSED, "kubectl refuses the node because of another pod"),
    (EvictionFact.UNREADY_ALLOWED, "it is not Ready, and its PodDisruptionBudget allows the eviction of such pods"),
    (EvictionFact.TOLERATES_CORDON, "it tolerates a cordon: its replacement may be scheduled on the same node"),
    (EvictionFact.TOLERATES_TAINTS, "its replacement may be scheduled here again, and deleted again"),
    (
        EvictionFact.GATE_UNKNOWN,
        "unknown whether it tolerates the taint: Lt and Gt depend on feature gate TaintTolerationComparisonOperators, which is not given "
        "(--feature-gates)",
    ),
    (EvictionFact.NOT_RECREATED, "nothing re-creates it"),
    (EvictionFact.WAITS_FOR_NODE, "its replacement fits on no other node: it waits until the node is back"),
    (
        CoveredBySeveralBudgets(("shop/a", "shop/b")),
        f"{BUDGET} and {OTHER} cover it, and the eviction API refuses a pod covered by more than one (500)",
    ),
    (
        RefusedByBudget("shop/a", DrainReason.NEEDS_ALL_HEALTHY, HealthyPods(2, 2)),
        f"{BUDGET} needs 2 healthy pods and has 2 currently; its workloads do not run more pods, so it can never allow an eviction",
    ),
    (RefusedByBudget("shop/a", DrainReason.NOT_ENOUGH_HEALTHY, HealthyPods(3, 2)), f"{BUDGET} needs 3 healthy pods and has 2 currently"),
    (RefusedByBudget("shop/a", DrainReason.NOT_ENOUGH_HEALTHY), f"{BUDGET} has too few healthy pods"),
    (
        RefusedByBudget("shop/a", DrainReason.CANNOT_SYNC),
        f"{BUDGET} cannot be evaluated by the disruption controller, so it allows no disruption",
    ),
    (
        RefusedByBudget("shop/a", DrainReason.NONE_EXPECTED),
        f"{BUDGET} expects 0 pods (those it covers have no controller, or an owner scaled to 0), so it allows no disruption",
    ),
    (RefusedByBudget("shop/a", DrainReason.NO_LIMIT), f"{BUDGET} sets neither minAvailable nor maxUnavailable, so it allows no disruption"),
    (RefusedByBudget("shop/a", DrainReason.ZERO_UNAVAILABLE), f"{BUDGET} has maxUnavailable 0, so it never allows an eviction"),
    (
        RefusedByBudget("shop/a", DrainReason.SHARED),
        f"{BUDGET} allows no further disruption, because other pods of this drain have used up its allowance",
    ),
    (
        RefusedByBudget("shop/a", DrainReason.NOT_SYNCED, waits=True),
        f"{BUDGET} was changed, and the disruption controller has not updated its status since: the pod is evicted once a replacement "
        "is Ready",
    ),
    (RefusedByBudget("shop/a", DrainReason.STALE_STATUS), f"{BUDGET} allows no disruption according to its status, which is stale"),
    (RefusedByBudget("shop/a", DrainReason.FORBIDDEN), f"{BUDGET} has a status that the API server rejects as invalid"),
    (RefusedByKubectl(PodFilter.LOCAL_DATA), "Pods with local storage (use --delete-emptydir-data to override)"),
    (RefusedByKubectl(PodFilter.DAEMONSET_MISSING, "log"), 'daemonsets.apps "log" not found'),
    (MissingInput(MissingKind.BUDGETS), "the PodDisruptionBudgets are unknown"),
    (MissingInput(MissingKind.DAEMONSET, "DaemonSet", DAEMONSET), "unknown whether DaemonSet shop/log exists"),
    (MissingInput(MissingKind.OWNER, "Deployment", "shop/web"), "Deployment shop/web is unknown"),
    (MissingInput(MissingKind.OWNER_SCALE, "Rollout", "x.io/v1"), "unknown whether a Rollout of x.io/v1 has a scale subresource"),
    (MissingInput(MissingKind.NAMESPACE_PODS, name="shop"), "not all pods of namespace shop were listed"),
    (BypassesBudgets(("shop/a",)), f"{BUDGET} is not checked (--disable-eviction)"),
    (BypassesBudgets(("shop/a", "shop/b")), f"{BUDGET} and {OTHER} are not checked (--disable-eviction)"),
    (SharesBudget(3), "3 pods share its PodDisruptionBudget; which of them are evicted first is not deterministic"),
    (StaysTerminating(HangReason.SILENT_KUBELET, "n1"), "it stays in Terminating: the kubelet of n1 does not respond"),
    (
        StaysTerminating(HangReason.PAST_GRACE_PERIOD, "n1"),
        "it stays in Terminating: it is already being deleted, and past its grace period",
    ),
    (StaysTerminating(HangReason.ASSUMED, "n1"), "it stays in Terminating: it does not end"),
    (UntoleratedTaints((TAINT,)), "no toleration for a=b:NoExecute"),
    (TimeLimitedTaints((TAINT,), 60), "tolerates a=b:NoExecute for 60 s only"),
    (
        UnprotectedByBudgets(("shop/a", "shop/b")),
        f"{BUDGET} and {OTHER} do not protect it: taint eviction ignores PodDisruptionBudgets",
    ),
    (OwnerJobFails(JobFailure.BACKOFF_LIMIT_EXCEEDED), "its Job fails: BackoffLimitExceeded"),
    (LastReadyPods(WEB, 1), "Deployment shop/web has no Ready pod until a replacement is Ready: it loses its only one"),
    (LastReadyPods(WEB, 2), "Deployment shop/web has no Ready pod until a replacement is Ready: it loses all 2"),
    (StaysPending("0/1 nodes are available: 1 Insufficient cpu."), f"{PENDING}: 0/1 nodes are available: 1 Insufficient cpu"),
    (StaysPending(node_counts=(("Too many pods", 1), ("Insufficient cpu", 2))), f"{PENDING}: 1 Too many pods, 2 Insufficient cpu"),
    (StaysPending(), f"{PENDING}: there is no node"),
    (TooFewFit(1, 3), f"{PENDING}: only 1 of 3 such replacements fits"),
    (
        UnknownPlacement((PlacementFact.LEADER_DECIDES,)),
        "unknown where its replacement fits: the leader pod of its Job decides where it can run (JobSet)",
    ),
    (
        UnknownPlacement((PlacementFact.CONTESTED_CAPACITY,)),
        "unknown where its replacement fits: the replacements of other pods may use the remaining capacity",
    ),
    (
        UnknownPlacement(tuple(Uncertainty(UncertaintyKind.GATES, gate) for gate in "abcd")),
        "unknown where its replacement fits: it has the scheduling gate a; it has the scheduling gate b; it has the scheduling gate c",
    ),
    (
        UnknownPlacement(tuple(Uncertainty(UncertaintyKind.AFFINITY, name) for name in "ab")),
        "unknown where its replacement fits: it has inter-pod affinity",
    ),
]

ASSUMPTIONS: list[tuple[EvictionAssumption, str]] = [
    (EvictionNote.REPLACEMENTS_READY, "assumes that replacements that fit on a node become Ready; until then kubectl retries every 5 s"),
    (EvictionNote.DISPLACED_PODS_READY, "assumes that pods evicted in earlier steps are Ready again, on unknown nodes"),
    (EvictionNote.BUDGETS_BYPASSED, "--disable-eviction deletes pods without checking PodDisruptionBudgets"),
    (OnlyNamespaces(("a", "b")), "only pods of namespaces a and b are in the input: pods of other namespaces are not checked"),
    (
        PartOfNodes(17),
        "only the pods of 17 nodes were requested: replacements may fit on other nodes too, and anti-affinity of pods there that extends "
        "beyond their own node is unknown",
    ),
    (UnreadPods(1), "1 pod could not be read and is not checked"),
    (UnreadPods(2), "2 pods could not be read and are not checked"),
    (BudgetWithoutNamespace("a"), f"PodDisruptionBudget -/a has no namespace, {UNKNOWN}"),
    (UnreadBudgets("no right"), f"not all PodDisruptionBudgets could be read, {UNKNOWN}: no right"),
    (
        UnreadBudgets(),
        f"no PodDisruptionBudgets in the input, {UNKNOWN}: add the output of `kubectl get pdb -A -o yaml` or, if there are none, of "
        "`kubectl get --raw /apis/policy/v1/poddisruptionbudgets`",
    ),
]

PODS = ("shop/p-1", "shop/p-2", "shop/p-3", "shop/p-4", "shop/p-5")
ADVICE: list[tuple[Advice, str]] = [
    (
        AddFlags((DrainFlag.FORCE, DrainFlag.IGNORE_DAEMONSETS)),
        "add --force and --ignore-daemonsets; without them kubectl evicts nothing there",
    ),
    (ChangeBudget(BudgetAction.DELETE_OTHERS, ("shop/a", "shop/b")), f"delete all but one of {BUDGET} and {OTHER}, or narrow a selector"),
    (
        ChangeBudget(BudgetAction.STATE_INTEGER, ("shop/a",)),
        f"set an integer minAvailable in {BUDGET}: the owner of its pods has no scale",
    ),
    (ChangeBudget(BudgetAction.ALLOW_ONE, ("shop/a",)), f"set maxUnavailable of {BUDGET} to 1 or more during the drain"),
    (ChangeBudget(BudgetAction.DELETE_OR_ADOPT, ("shop/a",)), f"delete {BUDGET} during the drain, or give its pods a controller"),
    (
        ChangeBudget(BudgetAction.SCALE_UP, ("shop/a",), WEB, 3),
        f"scale Deployment shop/web to 3 or more, or lower minAvailable of {BUDGET}",
    ),
    (ChangeBudget(BudgetAction.LOWER_LIMIT, ("shop/a",)), f"lower minAvailable of {BUDGET}, or raise its maxUnavailable, during the drain"),
    (
        ChangeBudget(BudgetAction.GET_READY, ("shop/a",), pods=PODS[:2]),
        f"get shop/p-1 and shop/p-2 Ready: {BUDGET} requires more healthy pods",
    ),
    (ChangeBudget(BudgetAction.CHECK_HEALTH, ("shop/a",)), f"check why {BUDGET} counts too few healthy pods"),
    (
        ChangeBudget(BudgetAction.SCALE_UP_SHARED, ("shop/a",), WEB),
        f"scale Deployment shop/web up: {BUDGET} waits for replacements that fit on no node",
    ),
    (MakeRoom(("n1",), PODS[:1]), "uncordon n1 for the replacement of shop/p-1"),
    (MakeRoom((), PODS), "free capacity or add nodes for the 5 replacements of shop/p-1, shop/p-2, shop/p-3 and 2 more"),
    (SavePods(PODS[:1]), "save what you need from shop/p-1: nothing re-creates it"),
    (SavePods(PODS[:2]), "save what you need from shop/p-1 and shop/p-2: nothing re-creates them"),
    (
        AwaitJob("shop/train"),
        "let Job shop/train finish first, or create it with a podFailurePolicy that ignores DisruptionTarget",
    ),
]


@pytest.mark.parametrize(("reason", "words"), REASONS)
def test_reason(reason: EvictionReason, words: str) -> None:
    assert describe_reason(reason) == words


@pytest.mark.parametrize(("assumption", "words"), ASSUMPTIONS)
def test_assumption(assumption: EvictionAssumption, words: str) -> None:
    assert describe_assumption(assumption) == words


@pytest.mark.parametrize(("advice", "words"), ADVICE)
def test_advice(advice: Advice, words: str) -> None:
    assert describe_advice(advice) == words


def test_the_same_words_of_two_obstacles_are_said_once() -> None:
    obstacles = (
        NodeObstacle("NodeResourcesFit", "cpu", "Insufficient cpu"),
        NodeObstacle("NodeResourcesFit", "cpu", "Insufficient cpu"),
        NodeObstacle("NodeResourcesFit", "pods", "Too many pods"),
    )
    assert describe_obstacles(obstacles) == "Insufficient cpu and Too many pods"
