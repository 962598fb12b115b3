"""Findings on PodDisruptionBudgets in manifests: imported if lint has budgets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from preflight.coverage.pod_fields import parse_labels
from preflight.messages.budgets import (
    OTHER_SELECTOR,
    describe_missing_scale,
    describe_missing_selector,
    describe_pods_of,
    describe_shared_pods,
    describe_unselected_pods,
    describe_zero_budget,
)
from preflight.messages.lists import join_and
from preflight.model.apps import DaemonSet
from preflight.model.budget_reasons import AllReplicasNeeded, BudgetLimit, FullLimit, NoLimit, ReplicaSource, ZeroBudgetReason
from preflight.model.policy import PodDisruptionBudget
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, make_subject_of
from preflight.rules.budgets._selectable_pods import SelectablePods, iter_candidates, iter_selected, list_names
from preflight.scheduling.budgets import find_sufficient_replicas, selects


def _locate_limit(budget: PodDisruptionBudget) -> ManifestLocation:
    return ManifestLocation(budget.origin, ("spec", "maxUnavailable" if budget.spec.maxUnavailable is not None else "minAvailable"))


def find_zero_budgets(context: Context, *, partial_severity: Severity) -> Iterator[Hit]:
    """The budgets that allow no disruption: never, or while their workloads have no more replicas than are said.

    `partial_severity` is that of one whose manifest, or whose workload's, is only a part of it.
    """
    for budget, pods in iter_selected(context):
        reason = _find_zero_budget_reason(context, budget, pods)
        if reason:
            is_part = isinstance(reason, AllReplicasNeeded) and reason.is_patched
            severity = partial_severity if is_part else None
            yield Hit(make_subject_of(budget), describe_zero_budget(reason), _locate_limit(budget), severity=severity)


def _find_zero_budget_reason(context: Context, budget: PodDisruptionBudget, pods: list[SelectablePods]) -> ZeroBudgetReason | None:
    spec = budget.spec
    if spec.selector is None or (spec.minAvailable is not None and spec.maxUnavailable is not None):
        return None
    if spec.minAvailable is None and spec.maxUnavailable is None:
        return NoLimit()
    if spec.maxUnavailable is not None and spec.maxUnavailable in (0, "0%"):
        return FullLimit(BudgetLimit.MAX_UNAVAILABLE, spec.maxUnavailable)
    if spec.minAvailable == "100%":
        return FullLimit(BudgetLimit.MIN_AVAILABLE, spec.minAvailable)
    if spec.minAvailable is None or spec.maxUnavailable is not None or spec.minAvailable == 0:
        return None
    enough = find_sufficient_replicas(spec.minAvailable)
    counts = [pod.replicas for pod in pods]
    wanted = sum(count or 0 for count in counts)
    if enough is None or not pods or None in counts or wanted >= enough or wanted == 0:
        return None
    sources = {pod.source for pod in pods}
    context_of = context.world.manifest_context
    return AllReplicasNeeded(
        spec.minAvailable,
        tuple(pod.name for pod in pods),
        wanted,
        enough,
        next((source for source in (ReplicaSource.AUTOSCALER, ReplicaSource.DEFAULT) if source in sources), ReplicaSource.STATED),
        tuple(f"{type(pod.autoscaler).__name__} {make_subject_of(pod.autoscaler)}" for pod in pods if pod.autoscaler is not None),
        is_patched=any(context_of.is_patched(type(item).__name__, item.metadata.name) for item in (budget, *(pod.owner for pod in pods))),
    )


def find_overlapping_budgets(context: Context) -> Iterator[Hit]:
    """The workloads whose pods more than one budget selects."""
    found: dict[int, tuple[SelectablePods, list[PodDisruptionBudget]]] = {}
    for budget, pods in iter_selected(context):
        for pod in pods:
            found.setdefault(id(pod.labels), (pod, []))[1].append(budget)
    selected_by_key: dict[tuple[tuple[str, str], ...], list[SelectablePods]] = {}
    budgets: dict[tuple[tuple[str, str], ...], list[PodDisruptionBudget]] = {}
    for selected, several in found.values():
        if len(several) > 1:
            key = tuple(budget.key for budget in several)
            selected_by_key.setdefault(key, []).append(selected)
            budgets[key] = several
    for key, owners in selected_by_key.items():
        first, *others = budgets[key]
        yield Hit(
            subject=make_subject_of(first),
            location=ManifestLocation(first.origin, ("spec", "selector")),
            message=describe_shared_pods([str(make_subject_of(other)) for other in others], describe_pods_of(join_and(list_names(owners)))),
            related_locations=tuple((OTHER_SELECTOR, ManifestLocation(other.origin, ("spec", "selector"))) for other in others),
            key=tuple(str(make_subject_of(other)) for other in others),
        )


def find_empty_budgets(context: Context) -> Iterator[Hit]:
    """The budgets that select no pod of what was given; none where an operator may make pods for them, or a patch completes them."""
    for budget, candidates in iter_candidates(context):
        selector = budget.spec.selector
        if context.world.manifest_context.is_patched("PodDisruptionBudget", budget.metadata.name):
            continue
        if selector is None:
            yield Hit(make_subject_of(budget), describe_missing_selector(), ManifestLocation(budget.origin, ("spec",)))
            continue
        if not selector.matchLabels or _is_counted_by_cluster(budget) or _may_have_other_pods(context, budget):
            continue
        if any(selects(budget, budget.metadata.namespace, pods.labels) for pods in candidates):
            continue
        near = [pods for pods in candidates if _count_shared_labels(selector.matchLabels, pods.labels)]
        if near:
            first = max(near, key=lambda pods: _count_shared_labels(selector.matchLabels, pods.labels))
            parted = [f"{name}={value}" for name, value in selector.matchLabels.items() if first.labels.get(name) != value]
            if parted:
                yield Hit(
                    make_subject_of(budget),
                    describe_unselected_pods(first.name, parted),
                    ManifestLocation(budget.origin, ("spec", "selector", "matchLabels")),
                )


def _may_have_other_pods(context: Context, budget: PodDisruptionBudget) -> bool:
    """Whether it covers pods of no workload that was given, or may: listed pods tell, and without them custom resources leave it open."""
    namespace = budget.metadata.namespace
    listed = [pod for pod in context.world.pods if pod.metadata.namespace == namespace]
    if any(selects(budget, namespace, parse_labels(pod.metadata.labels)) for pod in listed):
        return True
    is_known = bool(listed) and context.world.are_pods_listed(namespace)
    return not is_known and context.world.manifest_context.may_have_operated_pods(namespace)


def _is_counted_by_cluster(budget: PodDisruptionBudget) -> bool:
    """Whether the cluster counts pods that it covers: the manifests are then incomplete."""
    return budget.status is not None and budget.status.expectedPods > 0


def _count_shared_labels(wanted: Mapping[str, str], labels: Mapping[str, str]) -> int:
    return sum(labels.get(name) == value for name, value in wanted.items())


def find_budgets_without_scale(context: Context, *, lower_severity: Severity) -> Iterator[Hit]:
    """The budgets that want a scale of what has none."""
    for budget, pods in iter_selected(context):
        spec = budget.spec
        if spec.maxUnavailable is None and not isinstance(spec.minAvailable, str):
            continue
        without = [pod for pod in pods if not pod.has_scale]
        if not without:
            continue
        only = all(isinstance(pod.owner, DaemonSet) for pod in pods)
        limit = BudgetLimit.MAX_UNAVAILABLE if spec.maxUnavailable is not None else BudgetLimit.MIN_AVAILABLE
        yield Hit(
            subject=make_subject_of(budget),
            location=_locate_limit(budget),
            severity=lower_severity if only else None,
            message=describe_missing_scale(limit, list_names(without), len(without)),
        )
