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
UNKNOWN = "so nobody knows what the API server answers"

REASONS: list[tuple[EvictionReason, str]] = [
    (EvictionFact.NODE_REFUSED, "kubectl refuses the node for another pod"),
    (EvictionFact.UNREADY_ALLOWED, "it is not Ready, and its budget lets such a pod go"),
    (EvictionFact.TOLERATES_CORDON, "it tolerates a cordon: its replacement may land on the same node"),
    (EvictionFact.TOLERATES_TAINTS, "its replacement may land here again, and be deleted again"),
    (
        EvictionFact.GATE_UNKNOWN,
        "whether it tolerates the taint depends on Lt or Gt, and the gate of these is not known (--feature-gates)",
    ),
    (EvictionFact.NOT_RECREATED, "nothing creates it again"),
    (EvictionFact.WAITS_FOR_NODE, "no other node takes its replacement: it waits until the node is back"),
    (
        CoveredBySeveralBudgets(("shop/a", "shop/b")),
        f"{BUDGET} and {OTHER} select it, and the eviction API refuses a pod with more than one (500)",
    ),
    (
        RefusedByBudget("shop/a", DrainReason.NEEDS_ALL_HEALTHY, HealthyPods(2, 2)),
        f"{BUDGET} needs 2 healthy pods and has 2 currently, and there can be no more: it never lets one go",
    ),
    (RefusedByBudget("shop/a", DrainReason.NOT_ENOUGH_HEALTHY, HealthyPods(3, 2)), f"{BUDGET} needs 3 healthy pods and has 2 currently"),
    (RefusedByBudget("shop/a", DrainReason.NOT_ENOUGH_HEALTHY), f"{BUDGET} has too few healthy pods"),
    (
        RefusedByBudget("shop/a", DrainReason.CANNOT_SYNC),
        f"{BUDGET} cannot be counted by the disruption controller, so it allows nothing",
    ),
    (
        RefusedByBudget("shop/a", DrainReason.NONE_EXPECTED),
        f"{BUDGET} expects no pod: what it selects is bare, or wanted 0 times, so it allows nothing",
    ),
    (RefusedByBudget("shop/a", DrainReason.NO_LIMIT), f"{BUDGET} states neither minAvailable nor maxUnavailable, so it allows nothing"),
    (RefusedByBudget("shop/a", DrainReason.ZERO_UNAVAILABLE), f"{BUDGET} has maxUnavailable 0: no pod of it may ever be evicted"),
    (
        RefusedByBudget("shop/a", DrainReason.SHARED),
        f"{BUDGET} allows no more at once, and other pods of this drain took what it allowed",
    ),
    (
        RefusedByBudget("shop/a", DrainReason.NOT_SYNCED, waits=True),
        f"{BUDGET} was changed, and the disruption controller has not looked since: it goes once a replacement is Ready",
    ),
    (RefusedByBudget("shop/a", DrainReason.STALE_STATUS), f"{BUDGET} allows nothing by its status, which is stale"),
    (RefusedByBudget("shop/a", DrainReason.FORBIDDEN), f"{BUDGET} has a status that the API server takes for broken"),
    (RefusedByKubectl(PodFilter.LOCAL_DATA), "Pods with local storage (use --delete-emptydir-data to override)"),
    (RefusedByKubectl(PodFilter.DAEMONSET_MISSING, "log"), 'daemonsets.apps "log" not found'),
    (MissingInput(MissingKind.BUDGETS), "nobody knows which budgets there are"),
    (MissingInput(MissingKind.DAEMONSET, "DaemonSet", DAEMONSET), "nobody knows whether DaemonSet shop/log exists"),
    (MissingInput(MissingKind.OWNER, "Deployment", "shop/web"), "Deployment shop/web is not known"),
    (MissingInput(MissingKind.OWNER_SCALE, "Rollout", "x.io/v1"), "nobody knows whether a Rollout of x.io/v1 has a scale"),
    (MissingInput(MissingKind.NAMESPACE_PODS, name="shop"), "not all pods of namespace shop were listed"),
    (BypassesBudgets(("shop/a",)), f"{BUDGET} is not asked (--disable-eviction)"),
    (BypassesBudgets(("shop/a", "shop/b")), f"{BUDGET} and {OTHER} are not asked (--disable-eviction)"),
    (SharesBudget(3), "3 pods share its budget, and which of them go first is chance"),
    (StaysTerminating(HangReason.SILENT_KUBELET, "n1"), "it stays in Terminating: the kubelet of n1 is silent"),
    (
        StaysTerminating(HangReason.PAST_GRACE_PERIOD, "n1"),
        "it stays in Terminating: it is being deleted already, and past its grace period",
    ),
    (StaysTerminating(HangReason.ASSUMED, "n1"), "it stays in Terminating: it does not end"),
    (UntoleratedTaints((TAINT,)), "does not tolerate a=b:NoExecute"),
    (TimeLimitedTaints((TAINT,), 60), "tolerates a=b:NoExecute for 60 s only"),
    (
        UnprotectedByBudgets(("shop/a", "shop/b")),
        f"{BUDGET} and shop/b does not protect it: taint eviction asks no budget",
    ),
    (OwnerJobFails(JobFailure.BACKOFF_LIMIT_EXCEEDED), "its Job fails: BackoffLimitExceeded"),
    (LastReadyPods(WEB, 1), "Deployment shop/web has no Ready pod until a replacement is: its only one goes"),
    (LastReadyPods(WEB, 2), "Deployment shop/web has no Ready pod until a replacement is: all 2 go"),
    (StaysPending("0/1 nodes are available: 1 Insufficient cpu."), f"{PENDING}: 0/1 nodes are available: 1 Insufficient cpu"),
    (StaysPending(node_counts=(("Too many pods", 1), ("Insufficient cpu", 2))), f"{PENDING}: 1 Too many pods, 2 Insufficient cpu"),
    (StaysPending(), f"{PENDING}: no node is there"),
    (TooFewFit(1, 3), f"only 1 of 3 such pods fit: {PENDING}"),
    (
        UnknownPlacement((PlacementFact.LEADER_DECIDES,)),
        "not known where its replacement goes: its JobSet places it by its leader",
    ),
    (
        UnknownPlacement((PlacementFact.CONTESTED_CAPACITY,)),
        "not known where its replacement goes: the replacements of other pods may take the room that is left",
    ),
    (
        UnknownPlacement(tuple(Uncertainty(UncertaintyKind.GATES, gate) for gate in "abcd")),
        "not known where its replacement goes: it has the scheduling gate a; it has the scheduling gate b; it has the scheduling gate c",
    ),
    (
        UnknownPlacement(tuple(Uncertainty(UncertaintyKind.AFFINITY, name) for name in "ab")),
        "not known where its replacement goes: it has affinity to other pods",
    ),
]

ASSUMPTIONS: list[tuple[EvictionAssumption, str]] = [
    (EvictionNote.REPLACEMENTS_READY, "assumed: replacements that find a node become Ready; until then kubectl asks again every 5 s"),
    (EvictionNote.DISPLACED_PODS_READY, "assumed: what went in the steps before is Ready again, on nodes that nobody knows"),
    (EvictionNote.BUDGETS_BYPASSED, "--disable-eviction deletes pods: no budget is asked"),
    (OnlyNamespaces(("a", "b")), "only the pods of a and b were given: those of other namespaces are not judged"),
    (
        PartOfNodes(17),
        "only the pods of 17 nodes were asked for: other nodes may take replacements too, and anti-affinity of pods there that reaches "
        "beyond their own node is not known",
    ),
    (UnreadPods(1), "1 pod is not understood, and not judged"),
    (UnreadPods(2), "2 pods are not understood, and not judged"),
    (BudgetWithoutNamespace("a"), f"PodDisruptionBudget -/a states no namespace, {UNKNOWN}"),
    (UnreadBudgets("no right"), f"not all PodDisruptionBudgets could be had, {UNKNOWN}: no right"),
    (
        UnreadBudgets(),
        f"no PodDisruptionBudget was given, {UNKNOWN}: add the output of `kubectl get pdb -A -o yaml`, or, where there is none, of "
        "`kubectl get --raw /apis/policy/v1/poddisruptionbudgets`",
    ),
]

PODS = ("shop/p-1", "shop/p-2", "shop/p-3", "shop/p-4", "shop/p-5")
ADVICE: list[tuple[Advice, str]] = [
    (AddFlags((DrainFlag.FORCE, DrainFlag.IGNORE_DAEMONSETS)), "add --force and --ignore-daemonsets, or kubectl evicts nothing there"),
    (ChangeBudget(BudgetAction.DELETE_OTHERS, ("shop/a", "shop/b")), f"delete all but one of {BUDGET} and {OTHER}, or narrow a selector"),
    (
        ChangeBudget(BudgetAction.STATE_INTEGER, ("shop/a",)),
        f"give {BUDGET} an integer minAvailable: its pods have an owner without a scale",
    ),
    (ChangeBudget(BudgetAction.ALLOW_ONE, ("shop/a",)), f"set maxUnavailable of {BUDGET} to 1 or more while you drain"),
    (ChangeBudget(BudgetAction.DELETE_OR_ADOPT, ("shop/a",)), f"delete {BUDGET} while you drain, or give its pods a controller"),
    (
        ChangeBudget(BudgetAction.SCALE_UP, ("shop/a",), WEB, 3),
        f"scale Deployment shop/web to 3 or more, or lower minAvailable of {BUDGET}",
    ),
    (ChangeBudget(BudgetAction.LOWER_LIMIT, ("shop/a",)), f"lower minAvailable of {BUDGET}, or raise its maxUnavailable, while you drain"),
    (ChangeBudget(BudgetAction.GET_READY, ("shop/a",), pods=PODS[:2]), f"get shop/p-1 and shop/p-2 Ready, which {BUDGET} waits for"),
    (ChangeBudget(BudgetAction.CHECK_HEALTH, ("shop/a",)), f"see why {BUDGET} counts too few healthy pods"),
    (
        ChangeBudget(BudgetAction.SCALE_UP_SHARED, ("shop/a",), WEB),
        f"scale Deployment shop/web up, for {BUDGET} waits for replacements that fit nowhere",
    ),
    (MakeRoom(("n1",), PODS[:1]), "uncordon n1 for the replacement of shop/p-1"),
    (MakeRoom((), PODS), "make room, or add nodes for the 5 replacements of shop/p-1, shop/p-2, shop/p-3 and 2 more"),
    (SavePods(PODS[:1]), "save what you need of shop/p-1: nothing creates it again"),
    (SavePods(PODS[:2]), "save what you need of shop/p-1 and shop/p-2: nothing creates them again"),
    (
        AwaitJob("shop/train"),
        "let Job shop/train end first, or ignore DisruptionTarget by a podFailurePolicy when it is created",
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
