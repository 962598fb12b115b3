"""Reports made by hand, and short words to make more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from preflight.model.eviction_reasons import (
    BudgetAction,
    ChangeBudget,
    DrainFlag,
    DrainReason,
    EvictionFact,
    EvictionNote,
    HealthyPods,
    KubectlRefusal,
    NodeObstacle,
    PodFilter,
    RefusedByBudget,
    StaysPending,
)
from preflight.model.evictions import (
    Eviction,
    EvictionMechanism,
    EvictionReport,
    EvictionVerdict,
    JobOutcome,
    JobSetOutcome,
    NodeEvictions,
    ReplacementOutcome,
    ReturningPod,
)
from preflight.model.job_reasons import JobFailure, JobLimit, JobSetRestarts, LeaderMoves, QueueNotChecked
from preflight.model.owners import OwnerKey
from preflight.model.report import (
    CheckedCounts,
    Coverage,
    CoverageEffect,
    Finding,
    Location,
    Outcome,
    Problem,
    RelatedLocation,
    Report,
    ReportStep,
    Severity,
    SkippedCheck,
    Subject,
    TaintTolerance,
    TolerationSuggestion,
)

TAINT = "dedicated=rdma:NoSchedule"
NO = "does not tolerate dedicated=rdma:NoSchedule"
NODES = ("rdma-1", "rdma-2")


def how(word: str, taint: str = TAINT, any_effect: bool = False, seconds: int | None = None) -> TaintTolerance:
    return TaintTolerance(taint, word, any_effect, seconds)


def covered(name: str, outcome: Outcome, *reasons: str, nodes: Sequence[str] = NODES, **fields: Any) -> Coverage:
    """Coverage whose counts are those that the outcome has on all of its nodes."""
    every = len(nodes)
    before, now, recreated = {
        Outcome.LOST_NOW: (every, 0, 0),
        Outcome.LOST_ON_RECREATION: (every, every, 0),
        Outcome.ALREADY_FRAGILE: (every, every, 0),
        Outcome.LOOP: (every, every, every),
        Outcome.KEPT: (every, every, every),
        Outcome.GAINED: (0, every, every),
        Outcome.MISSING: (0, 0, every),
    }.get(outcome, (0, 0, 0))
    values: dict[str, Any] = {"assumed": True, "before": before, "now": now, "recreated": recreated, "reasons": reasons}
    return Coverage(name, tuple(nodes), outcome, **(values | fields))


def step(
    *coverage: Coverage, headline: str = f"taint {TAINT} on rdma-1, rdma-2", nodes: Sequence[str] = NODES, **fields: Any
) -> ReportStep:
    return ReportStep(**({"command": "taint nodes", "headline": headline, "nodes": tuple(nodes), "coverage": coverage} | fields))


def finding(
    message: str = "loses rdma-1, rdma-2",
    severity: Severity = Severity.ERROR,
    rule: str = "PF102",
    name: str = "lost-on-recreation",
    **fields: Any,
) -> Finding:
    losses = {"PF101": Outcome.LOST_NOW, "PF102": Outcome.LOST_ON_RECREATION, "PF103": Outcome.LOOP}
    effect = CoverageEffect(losses[rule]) if rule in losses else None
    values: dict[str, Any] = {"subject": Subject("DaemonSet", "storage", "csi-rdma-node"), "message": message, "effect": effect}
    return Finding(rule=rule, name=name, severity=severity, **(values | fields))


def report(*steps: ReportStep, command: str = "taint nodes", **fields: Any) -> Report:
    values: dict[str, Any] = {
        "judged": CheckedCounts(files=1, objects=9, daemonsets=2, nodes=6, pairs=4),
        "assumptions": (),
        "skipped": (),
        "problems": (),
        "findings": (),
        "exit": 0,
    }
    return Report(preflight="0.1.0", command=command, steps=steps, **(values | fields))


RDMA = report(
    step(
        covered("kube-system/kube-proxy", Outcome.KEPT, tolerates=(how("everything"),)),
        covered("storage/csi-rdma-node", Outcome.LOST_ON_RECREATION, NO, tolerates=(how("no"),)),
        covered("kube-system/rdma-device-plugin", Outcome.LOST_ON_RECREATION, NO, tolerates=(how("no"),)),
        covered("monitoring/node-exporter", Outcome.KEPT, tolerates=(how("exact"),)),
        covered("a/general", Outcome.EXCLUDED, "its nodeSelector leaves the node out", tolerates=(how("no"),)),
        covered("a/gpu", Outcome.EXCLUDED, "its nodeSelector leaves the node out", tolerates=(how("no"),)),
        covered(
            "logging/log-agent",
            Outcome.LOST_ON_RECREATION,
            "tolerates dedicated only with an empty value (no operator means Equal)",
            tolerates=(how("no"),),
        ),
        command=f"taint nodes rdma-1 rdma-2 {TAINT}",
        taints=(TAINT,),
    ),
    command=f"taint nodes rdma-1 rdma-2 {TAINT}",
    judged=CheckedCounts(files=5, objects=31, daemonsets=7, nodes=6, pairs=14),
    assumptions=("coverage assumed (no pods given)",),
    skipped=(SkippedCheck("PodDisruptionBudgets", "not given"),),
    findings=(
        finding(
            "loses rdma-1, rdma-2 when its pods are re-created",
            nodes=NODES,
            location=Location("daemonsets/csi.yaml", 31, 7, "spec.template.spec.tolerations", "      tolerations:"),
            label="nothing here tolerates dedicated=rdma:NoSchedule",
            notes=(("then", "mounts and unmounts of csi.rdma.example.com hang on these nodes; 3 workloads use it"),),
            suggestion=TolerationSuggestion(
                ({"key": "dedicated", "operator": "Equal", "value": "rdma", "effect": "NoSchedule"},),
                ("- {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}",),
            ),
            step=1,
        ),
    ),
    exit=1,
)

PLAN = report(
    step(
        covered("storage/csi-rdma-node", Outcome.LOST_ON_RECREATION, NO, tolerates=(how("no"),)),
        covered("storage/other", Outcome.KEPT, tolerates=(how("key", any_effect=True),)),
        taints=(TAINT,),
    ),
    step(
        covered("storage/csi-rdma-node", Outcome.LOST_NOW, "the update deletes its pod, and no new one is made"),
        command="set image ds/csi-rdma-node csi=csi:2",
        headline="update storage/csi-rdma-node",
        notes=("the rollout is taken to finish",),
    ),
    command="plan plan.yaml",
    judged=CheckedCounts(files=2, objects=9, daemonsets=2, nodes=6, pairs=6),
    findings=(
        finding("loses rdma-1, rdma-2 when its pods are re-created", step=1),
        finding("loses rdma-1, rdma-2 now", rule="PF101", name="lost-now", step=2),
        finding("tolerates every taint", Severity.WARNING, "PF201", "tolerates-everything", subject=Subject("Deployment", "", "web")),
    ),
    exit=1,
)

LINT = report(
    step(
        covered("a/agent", Outcome.LOOP, tolerates=(how("key", "a:NoExecute", seconds=300),), periodSeconds=300),
        covered("a/agent", Outcome.EXCLUDED, nodes=("n-3",)),
        covered("-/late", Outcome.UNKNOWN, "its namespace is not given", place="late.yaml"),
        command="",
        headline="coverage as it is",
        nodes=("rdma-1", "rdma-2", "n-3"),
    ),
    command="",
    judged=CheckedCounts(files=3, objects=12, daemonsets=2, nodes=3, pairs=5),
    skipped=(SkippedCheck("chart/templates/a.yaml", "render it first: helm template chart"), SkippedCheck("budgets", "")),
    problems=(Problem("mapping values are not allowed here", Location("broken.yaml", 3, 8)), Problem("no such context")),
    findings=(
        finding(
            "is deleted and re-created every 300 s",
            rule="PF103",
            name="evict-loop",
            location=Location("a.yaml", 3),
            related=(RelatedLocation("the taint is here", Location("nodes.yaml", 9, 5)), RelatedLocation("elsewhere")),
        ),
        finding("tolerates any value", Severity.NOTE, "PF202", "tolerates-any-value", exempted="accepted until the move"),
        finding("has an invalid taint", rule="PF206", name="invalid-taint", subject=Subject("Node", "", "n-3")),
    ),
    exit=3,
)

VERIFY = report(
    step(
        covered("storage/csi-rdma-node", Outcome.LOST_NOW, NO, assumed=False, ready=0),
        covered("logging/log-agent", Outcome.LOST_NOW, NO, nodes=("rdma-1",), assumed=False, ready=0),
        covered("logging/log-agent", Outcome.NODE_GONE, "the node is gone", nodes=("n-4",), assumed=False, before=1, ready=0),
        covered("logging/log-agent", Outcome.KEPT, nodes=("n-3",), assumed=False, ready=1),
        covered("monitoring/exporter", Outcome.NOT_READY, "its pod is not Ready", assumed=False, before=2, now=2, ready=0),
        covered("kube-system/proxy", Outcome.KEPT, assumed=False, ready=2),
        covered("kube-system/new", Outcome.GAINED, nodes=("n-3",), assumed=False, ready=1),
        covered("other/unlisted", Outcome.UNKNOWN, "its pods were not listed now", assumed=False, before=2, ready=0),
        command="verify world.json.gz",
        headline="since world.json.gz: 10 pods of DaemonSets before, 7 now",
        notes=("re-created since then: 3 of the 5 pods of DaemonSets that are still there",),
        columns=("NOW", "READY"),
        compares=True,
    ),
    command="verify world.json.gz",
    judged=CheckedCounts(files=2, objects=31, daemonsets=6, nodes=3, pairs=14),
    findings=(
        finding("has no pod on rdma-1, rdma-2 any more", rule="PF401", name="pod-gone", nodes=NODES, step=1),
        finding(
            "has left Allocatable on rdma-1, rdma-2 (2 -> 0)",
            rule="PF403",
            name="resource-gone",
            subject=Subject("Resource", "", "rdma/hca"),
            nodes=NODES,
            step=1,
        ),
    ),
    exit=3,
)

NOTHING = report(command="", judged=CheckedCounts())

EVICTIONS = EvictionReport(
    EvictionMechanism.DRAIN,
    (
        NodeEvictions(
            "n-1",
            (
                Eviction(
                    "shop/web-1",
                    OwnerKey("Deployment", "shop", "web"),
                    EvictionVerdict.WAITS,
                    DrainReason.SHARED,
                    (RefusedByBudget("shop/web", DrainReason.SHARED, waits=True),),
                    5,
                    30,
                    ("shop/web",),
                    ReplacementOutcome.FITS,
                    ("n-2", "n-3"),
                ),
                Eviction(
                    "shop/db-0",
                    OwnerKey("StatefulSet", "shop", "db"),
                    EvictionVerdict.BLOCKED_FOREVER,
                    DrainReason.NEEDS_ALL_HEALTHY,
                    (RefusedByBudget("shop/db", DrainReason.NEEDS_ALL_HEALTHY, HealthyPods(2, 2)),),
                    budgets=("shop/db",),
                ),
                Eviction(
                    "ops/shell",
                    None,
                    EvictionVerdict.EVICTED,
                    DrainReason.NO_BUDGET,
                    (EvictionFact.NOT_RECREATED,),
                    after=0,
                    grace=30,
                    replacement=ReplacementOutcome.NONE,
                    lost=True,
                    localData=True,
                ),
                Eviction(
                    "ml/big-0",
                    OwnerKey("Job", "ml", "big"),
                    EvictionVerdict.EVICTED,
                    DrainReason.NO_BUDGET,
                    (StaysPending(node_counts=(("Insufficient cpu", 2),)),),
                    0,
                    90,
                    (),
                    ReplacementOutcome.PENDING,
                    last=True,
                ),
            ),
            daemonsets=2,
            static=("kube-system/etcd-n-1",),
            staying=1,
            ends=False,
            least=None,
            withGrace=None,
            returning=(ReturningPod("a/agent", False, (NodeObstacle("NodeResourcesFit", "cpu", "Insufficient cpu"),)),),
        ),
        NodeEvictions(
            "n-2",
            refusals=(KubectlRefusal(PodFilter.UNMANAGED_REFUSED, "", ("x/y",), "cannot delete Pods: x/y"),),
            missing=(DrainFlag.FORCE,),
            exitCodes=(1,),
            reached=False,
        ),
    ),
    (
        JobOutcome(
            "ml/big",
            ("ml/big-0",),
            JobFailure.BACKOFF_LIMIT_EXCEEDED,
            False,
            (JobLimit.BACKOFF_LIMIT,),
            80,
            True,
            10,
            reasons=(QueueNotChecked("kueue.x-k8s.io/queue-name"),),
        ),
    ),
    (
        JobSetOutcome(
            "ml/set",
            ("ml/set-w-0",),
            restarts=JobSetRestarts.ALL,
            left=2,
            leader=True,
            reasons=(LeaderMoves("ml/set-w-0", "rack", "r1"),),
        ),
    ),
    ends=False,
    first=(ChangeBudget(BudgetAction.LOWER_LIMIT, ("shop/db",)),),
    notes=(EvictionNote.REPLACEMENTS_READY,),
)

DRAIN = report(
    step(covered("a/agent", Outcome.KEPT), command="drain n-1 n-2", headline="drain n-1, n-2", evictions=EVICTIONS),
    command="drain n-1 n-2",
)

ALL = {"nothing": NOTHING, "a taint": RDMA, "a plan": PLAN, "lint": LINT, "a drain": DRAIN, "verify": VERIFY}
