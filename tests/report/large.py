"""A report of many DaemonSets on many nodes, as large as a cluster gets."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from preflight.model.report import (
    CheckedCounts,
    Coverage,
    Finding,
    Location,
    Outcome,
    RelatedLocation,
    Report,
    Severity,
    Subject,
    TolerationSuggestion,
)
from tests.report.reports import NO, TAINT, covered, finding, how, report, step

_OTHERS = (Outcome.UNKNOWN, Outcome.MISSING, Outcome.ALREADY_FRAGILE, Outcome.NEVER)


def large(daemonsets: int = 60, nodes: int = 5000, *, scattered: float = 0.002, seed: int = 7) -> Report:
    """Pools of nodes whose names can hardly be shortened; each DaemonSet is lost on some pools, and here and there on a node of its own."""
    random = Random(seed)
    pools: list[list[str]] = [[] for _ in range(9)]
    for name in dict.fromkeys(_name(random) for _ in range(nodes * 2)):
        if sum(map(len, pools)) < nodes:
            random.choice(pools).append(name)
    every = tuple(sorted(name for pool in pools for name in pool))
    coverage = [row for at in range(daemonsets) for row in _coverage(at, pools, random, scattered)]
    findings = tuple(_finding(each) for each in coverage if each.outcome in (Outcome.LOST_ON_RECREATION, Outcome.LOST_NOW, Outcome.UNKNOWN))
    return report(
        step(*coverage, nodes=every, headline=f"taint {TAINT} on {len(every)} nodes", taints=(TAINT,)),
        command=f"taint nodes --all {TAINT}",
        judged=CheckedCounts(files=1, objects=9000, daemonsets=daemonsets, nodes=nodes, pairs=daemonsets * nodes),
        findings=findings,
        exit=3,
    )


def _name(random: Random) -> str:
    address = "-".join(str(random.randrange(256)) for _ in range(3))
    return f"ip-10-{address}.region-1.compute.internal"


def _coverage(at: int, pools: list[list[str]], random: Random, scattered: float) -> Iterator[Coverage]:
    parts: dict[Outcome, list[str]] = {}
    for number, pool in enumerate(pools):
        usual = Outcome.LOST_ON_RECREATION if at % 7 == 0 and number < 3 else Outcome.EXCLUDED if at % 5 == number else Outcome.KEPT
        for name in pool:
            outcome = random.choice(_OTHERS) if random.random() < scattered else usual
            parts.setdefault(outcome, []).append(name)
    for outcome, nodes in parts.items():
        reasons = (
            () if outcome is Outcome.KEPT else (NO if outcome is Outcome.LOST_ON_RECREATION else f"{outcome} for a reason of its own",)
        )
        yield covered(f"team-{at % 9}/agent-{at:02}", outcome, *reasons, nodes=sorted(nodes), tolerates=(how("no"),))


def _finding(each: Coverage) -> Finding:
    namespace, _, name = each.daemonset.partition("/")
    shown = f"{', '.join(each.nodes[:3])} and {len(each.nodes) - 3} more nodes"
    return finding(
        f"loses {shown} when its pods are re-created: {NO}",
        Severity.WARNING if each.outcome is Outcome.UNKNOWN else Severity.ERROR,
        subject=Subject("DaemonSet", namespace, name),
        nodes=each.nodes,
        location=Location(f"manifests/{namespace}/{name}.yaml", 31, 7, "spec.template.spec.tolerations", "      tolerations:"),
        label=f"nothing here tolerates {TAINT}",
        notes=(("then", "mounts and unmounts hang on these nodes; 3 workloads use it"),),
        related=(RelatedLocation("the taint is here", Location("nodes.yaml", 9, 5)),),
        suggestion=TolerationSuggestion((), ("- {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}",)),
        step=1,
    )
