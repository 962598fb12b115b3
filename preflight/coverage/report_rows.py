"""An impact as rows of the report: one for each DaemonSet, outcome and reasons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from preflight.coverage.model import Group, Impact
from preflight.coverage.reasons import why
from preflight.model.objects import PodSpec, Taint, Toleration
from preflight.model.report import Coverage, Tolerates
from preflight.scheduling.tolerations import daemon_tolerations, find_toleration


def coverage(impact: Impact) -> tuple[Coverage, ...]:
    """The rows of an impact, sorted by DaemonSet, then worst outcome first.

    1. Groups of one DaemonSet with the same outcome, period, reasons and tolerations are one row.
    2. `tolerates` answers for the taints of the change; where it has none, or ends pods whatever the taints, for the NoSchedule and
       NoExecute taints of the nodes too.
    """
    merged: defaultdict[tuple[object, ...], list[Group]] = defaultdict(list)
    answers: dict[tuple[object, ...], tuple[Tolerates, ...]] = {}
    for group in impact.groups:
        taints = _taints(impact, group)
        tolerates = answers.get((group.key, taints))
        if tolerates is None:
            tolerates = tolerance(group.daemonset.spec.template.spec, taints, impact.change.after.comparison_operators)
            answers[group.key, taints] = tolerates
        merged[group.key, group.outcome, group.verdict.period, why(group), tolerates, group.assumed, group.replaced is None].append(group)
    return tuple(_row(groups, key[3], key[4]) for key, groups in merged.items())  # type: ignore[arg-type]


def _row(groups: list[Group], reasons: tuple[str, ...], tolerates: tuple[Tolerates, ...]) -> Coverage:
    first = groups[0]
    return Coverage(
        daemonset=str(first.key),
        place=first.key.place,
        nodes=first.names if len(groups) == 1 else tuple(sorted(name for group in groups for name in group.names)),
        outcome=first.outcome,
        assumed=first.assumed,
        before=sum(len(group.nodes) for group in groups if group.verdict.before),
        now=sum(len(group.nodes) for group in groups if group.verdict.now),
        recreated=sum(len(group.nodes) for group in groups if group.verdict.recreated),
        replaced=None if first.replaced is None else sum(len(group.nodes) for group in groups if group.replaced),
        periodSeconds=first.verdict.period,
        reasons=reasons,
        tolerates=tolerates,
    )


def _taints(impact: Impact, group: Group) -> tuple[Taint, ...]:
    change = impact.change
    if change.taints and not group.nodes & change.acted:
        return change.taints
    return tuple(dict.fromkeys((*change.taints, *(taint for taint in group.node.spec.taints if taint.effect != "PreferNoSchedule"))))


def tolerance(spec: PodSpec, taints: Iterable[Taint], comparison_operators: bool | None) -> tuple[Tolerates, ...]:
    """How a DaemonSet tolerates each taint: by the first toleration that does, in list order, the implicit ones included.

    `how` is exact (Equal, or Lt and Gt), key (Exists on the key), effect (no key, one effect), everything (no key, no effect), implicit,
    no, or unknown where it depends on the gate of Lt and Gt.
    """
    tolerations = daemon_tolerations(spec)
    found = []
    for taint in taints:
        toleration, certain = find_toleration(tolerations, taint, comparison_operators)
        if toleration is None:
            found.append(Tolerates(str(taint), "no" if certain else "unknown"))
            continue
        seconds = toleration.tolerationSeconds if taint.effect == "NoExecute" else None
        found.append(Tolerates(str(taint), how(toleration, spec), not toleration.effect, seconds))
    return tuple(found)


def how(toleration: Toleration, spec: PodSpec) -> str:
    """How wide a toleration of a DaemonSet's pod is: see `tolerance`."""
    if not toleration.key:
        return "effect" if toleration.effect else "everything"
    if toleration not in spec.tolerations:
        return "implicit"
    return "key" if toleration.operator == "Exists" else "exact"
