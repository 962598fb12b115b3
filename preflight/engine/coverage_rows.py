"""An impact as rows of the report: one for each DaemonSet, outcome and reasons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from preflight.coverage.model import CoverageGroup, Impact
from preflight.coverage.reasons import list_outcome_reasons
from preflight.messages.coverage import describe_reasons
from preflight.model.core import PodSpec, Taint, Toleration
from preflight.model.reasons import EvictionLoop, Reason
from preflight.model.report import Coverage, TaintTolerance
from preflight.scheduling.tolerations import add_implicit_tolerations, find_toleration


def build_coverage_rows(impact: Impact) -> tuple[Coverage, ...]:
    """The rows of an impact, sorted by DaemonSet, then worst outcome first.

    1. Groups of one DaemonSet with the same outcome, period, reasons and tolerations are one row.
    2. `tolerates` answers for the taints of the change; where it has none, or ends pods whatever the taints, for the NoSchedule and
       NoExecute taints of the nodes too.
    """
    merged: defaultdict[tuple[object, ...], list[CoverageGroup]] = defaultdict(list)
    answers: dict[tuple[object, ...], tuple[TaintTolerance, ...]] = {}
    for group in impact.groups:
        taints = _list_relevant_taints(impact, group)
        tolerates = answers.get((group.key, taints))
        if tolerates is None:
            tolerates = describe_tolerance(group.daemonset.spec.template.spec, taints, impact.change.after.comparison_operators)
            answers[group.key, taints] = tolerates
        merged[
            group.key,
            group.outcome,
            group.forecast.loop_seconds,
            list_outcome_reasons(group),
            tolerates,
            group.is_assumed,
            group.runs_on_replacement is None,
        ].append(group)
    return tuple(_build_row(groups, key[3], key[4]) for key, groups in merged.items())  # type: ignore[arg-type]


def _build_row(groups: list[CoverageGroup], reasons: tuple[Reason, ...], tolerates: tuple[TaintTolerance, ...]) -> Coverage:
    first = groups[0]
    return Coverage(
        daemonset=str(first.key),
        place=first.key.file,
        nodes=first.node_names if len(groups) == 1 else tuple(sorted(name for group in groups for name in group.node_names)),
        outcome=first.outcome,
        assumed=first.is_assumed,
        before=sum(len(group.nodes) for group in groups if group.forecast.had_pod),
        now=sum(len(group.nodes) - group.lost_count for group in groups if group.forecast.has_pod),
        recreated=sum(len(group.nodes) for group in groups if group.forecast.is_recreated),
        replaced=None if first.runs_on_replacement is None else sum(len(group.nodes) for group in groups if group.runs_on_replacement),
        periodSeconds=first.forecast.loop_seconds,
        reasons=describe_reasons(reasons),
        tolerates=tolerates,
        reasons_state_loop=any(isinstance(reason, EvictionLoop) for reason in reasons),
        declaredBy=first.daemonset.declaration.resource if first.daemonset.declaration else None,
    )


def _list_relevant_taints(impact: Impact, group: CoverageGroup) -> tuple[Taint, ...]:
    change = impact.change
    if change.taints and not group.nodes & change.disrupted_nodes:
        return change.taints
    return tuple(dict.fromkeys((*change.taints, *(taint for taint in group.node.spec.taints if taint.effect != "PreferNoSchedule"))))


def describe_tolerance(spec: PodSpec, taints: Iterable[Taint], comparison_operators: bool | None) -> tuple[TaintTolerance, ...]:
    """How a DaemonSet tolerates each taint: by the first toleration that does, in list order, the implicit ones included.

    `classify_toleration` is exact (Equal, or Lt and Gt), key (Exists on the key), effect (no key, one effect), everything (no key, no
    effect), implicit, no, or unknown where it depends on the gate of Lt and Gt.
    """
    tolerations = add_implicit_tolerations(spec)
    found = []
    for taint in taints:
        toleration, certain = find_toleration(tolerations, taint, comparison_operators)
        if toleration is None:
            found.append(TaintTolerance(str(taint), "no" if certain else "unknown"))
            continue
        seconds = toleration.tolerationSeconds if taint.effect == "NoExecute" else None
        found.append(TaintTolerance(str(taint), classify_toleration(toleration, spec), not toleration.effect, seconds))
    return tuple(found)


def classify_toleration(toleration: Toleration, spec: PodSpec) -> str:
    """How wide a toleration of a DaemonSet's pod is: see `describe_tolerance`."""
    if not toleration.key:
        return "effect" if toleration.effect else "everything"
    if toleration not in spec.tolerations:
        return "implicit"
    return "key" if toleration.operator == "Exists" else "exact"
