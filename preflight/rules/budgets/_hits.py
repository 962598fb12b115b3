"""Findings on PodDisruptionBudgets in manifests: imported if lint has budgets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from msgspec import Struct

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
from preflight.model.apps import DaemonSet, Deployment
from preflight.model.batch import CronJob, Job, JobSet
from preflight.model.budget_reasons import AllReplicasNeeded, BudgetLimit, FullLimit, NoLimit, ZeroBudgetReason
from preflight.model.core import PodTemplate
from preflight.model.owners import find_controller
from preflight.model.policy import PodDisruptionBudget
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, make_subject_of
from preflight.scheduling.budgets import selects

_OWNER_KINDS = ("CronJob", "JobSet", "Deployment")


class _SelectablePods(Struct, frozen=True):
    """Something whose pods a budget may select: the labels of its pods, and how many it wants; None where that is not written."""

    owner: DaemonSet | Deployment | CronJob | JobSet
    labels: Mapping[str, str]
    replicas: int | None = None
    has_scale: bool = True

    @property
    def name(self) -> str:
        return f"{type(self.owner).__name__} {make_subject_of(self.owner)}"


def _iter_selectable_pods(context: Context) -> Iterator[_SelectablePods]:
    """What controls pods and is controlled by nothing that was given too: a Job of a CronJob or a JobSet is left to that one."""
    for workload in context.world.workloads:
        if isinstance(workload, DaemonSet):
            yield _SelectablePods(workload, _get_pod_labels(workload.spec.template), has_scale=False)
        elif isinstance(workload, CronJob):
            yield _SelectablePods(workload, _get_pod_labels(workload.spec.jobTemplate.spec.template), has_scale=False)
        elif isinstance(workload, Deployment) and not _is_controlled(workload):
            is_job = isinstance(workload, Job)
            yield _SelectablePods(workload, _get_pod_labels(workload.spec.template), None if is_job else workload.spec.replicas, not is_job)
    for job_set in context.world.job_sets:
        for replicated in job_set.spec.replicatedJobs:
            added = {"jobset.sigs.k8s.io/jobset-name": job_set.metadata.name, "jobset.sigs.k8s.io/replicatedjob-name": replicated.name}
            yield _SelectablePods(job_set, {**_get_pod_labels(replicated.template.spec.template), **added}, has_scale=False)


def _is_controlled(workload: Deployment) -> bool:
    controller = find_controller(workload.metadata.ownerReferences)
    return controller is not None and controller.kind in _OWNER_KINDS


def _get_pod_labels(template: PodTemplate) -> Mapping[str, str]:
    return template.metadata.labels


def _iter_selected(context: Context) -> Iterator[tuple[PodDisruptionBudget, list[_SelectablePods]]]:
    """The budgets, each with what it selects."""
    for budget, near in _iter_candidates(context):
        yield budget, [pods for pods in near if selects(budget, budget.metadata.namespace, pods.labels)]


def _iter_candidates(context: Context) -> Iterator[tuple[PodDisruptionBudget, list[_SelectablePods]]]:
    """The budgets, each with what it may select: of its namespace; where none is stated, of its file without one.

    Under a change only what may lose pods that nobody listed, and the budgets of it.
    """
    homes: defaultdict[tuple[str, str], list[_SelectablePods]] = defaultdict(list)
    for selectable_pod in _iter_selectable_pods(context):
        if not context.is_lint and selectable_pod.owner.origin not in context.losing_workloads:
            continue
        homes[_make_scope_key(selectable_pod.owner)].append(selectable_pod)
    for budget in context.world.budgets:
        near = homes.get(_make_scope_key(budget), [])
        if context.is_lint or near:
            yield budget, near


def _make_scope_key(item: PodDisruptionBudget | DaemonSet | Deployment | CronJob | JobSet) -> tuple[str, str]:
    namespace = item.metadata.namespace
    return namespace, "" if namespace else item.origin.file


def _list_names(pods: list[_SelectablePods]) -> list[str]:
    return list(dict.fromkeys(pod.name for pod in pods))


def _locate_limit(budget: PodDisruptionBudget) -> ManifestLocation:
    return ManifestLocation(budget.origin, ("spec", "maxUnavailable" if budget.spec.maxUnavailable is not None else "minAvailable"))


def find_zero_budgets(context: Context) -> Iterator[Hit]:
    """The budgets that can never allow a disruption."""
    for budget, pods in _iter_selected(context):
        reason = _find_zero_budget_reason(budget, pods)
        if reason:
            yield Hit(make_subject_of(budget), describe_zero_budget(reason), _locate_limit(budget))


def _find_zero_budget_reason(budget: PodDisruptionBudget, pods: list[_SelectablePods]) -> ZeroBudgetReason | None:
    spec = budget.spec
    if spec.selector is None or (spec.minAvailable is not None and spec.maxUnavailable is not None):
        return None
    if spec.minAvailable is None and spec.maxUnavailable is None:
        return NoLimit()
    if spec.maxUnavailable is not None and spec.maxUnavailable in (0, "0%"):
        return FullLimit(BudgetLimit.MAX_UNAVAILABLE, spec.maxUnavailable)
    if spec.minAvailable == "100%":
        return FullLimit(BudgetLimit.MIN_AVAILABLE, spec.minAvailable)
    if not isinstance(spec.minAvailable, int) or spec.maxUnavailable is not None or spec.minAvailable <= 0:
        return None
    counts = [pod.replicas for pod in pods]
    wanted = sum(count or 0 for count in counts)
    if not pods or None in counts or wanted > spec.minAvailable or wanted == 0:
        return None
    return AllReplicasNeeded(spec.minAvailable, tuple(pod.name for pod in pods), wanted)


def find_overlapping_budgets(context: Context) -> Iterator[Hit]:
    """The workloads whose pods more than one budget selects."""
    found: dict[int, tuple[_SelectablePods, list[PodDisruptionBudget]]] = {}
    for budget, pods in _iter_selected(context):
        for pod in pods:
            found.setdefault(id(pod.labels), (pod, []))[1].append(budget)
    selected_by_key: dict[tuple[tuple[str, str], ...], list[_SelectablePods]] = {}
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
            message=describe_shared_pods(
                [str(make_subject_of(other)) for other in others], describe_pods_of(join_and(_list_names(owners)))
            ),
            related_locations=tuple((OTHER_SELECTOR, ManifestLocation(other.origin, ("spec", "selector"))) for other in others),
            key=tuple(str(make_subject_of(other)) for other in others),
        )


def find_empty_budgets(context: Context) -> Iterator[Hit]:
    """The budgets that select no pod."""
    for budget, candidates in _iter_candidates(context):
        selector = budget.spec.selector
        if selector is None:
            yield Hit(make_subject_of(budget), describe_missing_selector(), ManifestLocation(budget.origin, ("spec",)))
            continue
        if not selector.matchLabels or _is_counted_by_cluster(budget):
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


def _is_counted_by_cluster(budget: PodDisruptionBudget) -> bool:
    """Whether the cluster counts pods that it covers: the manifests are then incomplete."""
    return budget.status is not None and budget.status.expectedPods > 0


def _count_shared_labels(wanted: Mapping[str, str], labels: Mapping[str, str]) -> int:
    return sum(labels.get(name) == value for name, value in wanted.items())


def find_budgets_without_scale(context: Context, *, lower_severity: Severity) -> Iterator[Hit]:
    """The budgets that want a scale of what has none."""
    for budget, pods in _iter_selected(context):
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
            message=describe_missing_scale(limit, _list_names(without), len(without)),
        )
