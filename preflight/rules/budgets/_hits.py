"""What the rules on PodDisruptionBudgets say of manifests alone: imported where lint has budgets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from msgspec import Struct

from preflight.messages.lists import join_and
from preflight.model.budgets import PodDisruptionBudget
from preflight.model.objects import CronJob, DaemonSet, Deployment, Job, JobSet, PodTemplate
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
        elif isinstance(workload, Deployment) and not any(
            owner.controller and owner.kind in _OWNER_KINDS for owner in workload.metadata.ownerReferences
        ):
            is_job = isinstance(workload, Job)
            yield _SelectablePods(workload, _get_pod_labels(workload.spec.template), None if is_job else workload.spec.replicas, not is_job)
    for job_set in context.world.job_sets:
        for replicated in job_set.spec.replicatedJobs:
            added = {"jobset.sigs.k8s.io/jobset-name": job_set.metadata.name, "jobset.sigs.k8s.io/replicatedjob-name": replicated.name}
            yield _SelectablePods(job_set, {**_get_pod_labels(replicated.template.spec.template), **added}, has_scale=False)


def _get_pod_labels(template: PodTemplate) -> Mapping[str, str]:
    return template.metadata.labels


def _iter_selected(context: Context) -> Iterator[tuple[PodDisruptionBudget, list[_SelectablePods]]]:
    """The budgets, each with what it selects."""
    for budget, near in _iter_candidates(context):
        yield budget, [pods for pods in near if selects(budget, budget.metadata.namespace, pods.labels)]


def _iter_candidates(context: Context) -> Iterator[tuple[PodDisruptionBudget, list[_SelectablePods]]]:
    """The budgets, each with what it may select: of its namespace; where none is stated, of its file without one."""
    if not context.is_lint:
        return
    homes: defaultdict[tuple[str, str], list[_SelectablePods]] = defaultdict(list)
    for selectable_pod in _iter_selectable_pods(context):
        homes[_make_scope_key(selectable_pod.owner)].append(selectable_pod)
    for budget in context.world.budgets:
        yield budget, homes.get(_make_scope_key(budget), [])


def _make_scope_key(item: PodDisruptionBudget | DaemonSet | Deployment | CronJob | JobSet) -> tuple[str, str]:
    namespace = item.metadata.namespace
    return namespace, "" if namespace else item.origin.file


def _join_names(pods: list[_SelectablePods]) -> str:
    return join_and(dict.fromkeys(pod.name for pod in pods))


def _locate_limit(budget: PodDisruptionBudget) -> ManifestLocation:
    return ManifestLocation(budget.origin, ("spec", "maxUnavailable" if budget.spec.maxUnavailable is not None else "minAvailable"))


def find_zero_budgets(context: Context) -> Iterator[Hit]:
    """The budgets that can never allow a disruption."""
    for budget, pods in _iter_selected(context):
        why = _explain_zero_budget(budget, pods)
        if why:
            yield Hit(make_subject_of(budget), f"never allows a disruption: {why}", _locate_limit(budget))


def _explain_zero_budget(budget: PodDisruptionBudget, pods: list[_SelectablePods]) -> str:
    spec = budget.spec
    if spec.selector is None or (spec.minAvailable is not None and spec.maxUnavailable is not None):
        return ""
    if spec.minAvailable is None and spec.maxUnavailable is None:
        return "it states neither minAvailable nor maxUnavailable"
    if spec.maxUnavailable in (0, "0%"):
        return f"maxUnavailable is {spec.maxUnavailable}"
    if spec.minAvailable == "100%":
        return "minAvailable is 100%"
    if not isinstance(spec.minAvailable, int) or spec.maxUnavailable is not None or spec.minAvailable <= 0:
        return ""
    counts = [pod.replicas for pod in pods]
    wanted = sum(count or 0 for count in counts)
    if not pods or None in counts or wanted > spec.minAvailable or wanted == 0:
        return ""
    return (
        f"minAvailable is {spec.minAvailable}, and {join_and(each.name for each in pods)} {'has' if len(pods) == 1 else 'have'} {wanted} "
        + ("replica" if wanted == 1 else "replicas")
    )


def find_overlapping_budgets(context: Context) -> Iterator[Hit]:
    """The workloads whose pods more than one budget selects."""
    found: dict[int, tuple[_SelectablePods, list[PodDisruptionBudget]]] = {}
    for budget, pods in _iter_selected(context):
        for pod in pods:
            found.setdefault(id(pod.labels), (pod, []))[1].append(budget)
    said: dict[tuple[tuple[str, str], ...], list[_SelectablePods]] = {}
    budgets: dict[tuple[tuple[str, str], ...], list[PodDisruptionBudget]] = {}
    for each, several in found.values():
        if len(several) > 1:
            key = tuple(budget.key for budget in several)
            said.setdefault(key, []).append(each)
            budgets[key] = several
    for key, owners in said.items():
        first, *others = budgets[key]
        yield Hit(
            subject=make_subject_of(first),
            location=ManifestLocation(first.origin, ("spec", "selector")),
            message=f"and {join_and(str(make_subject_of(other)) for other in others)} select the pods of {_join_names(owners)}: "
            "no eviction of a pod with more than one budget is granted",
            related_locations=tuple(("the other selector", ManifestLocation(other.origin, ("spec", "selector"))) for other in others),
            key=tuple(str(make_subject_of(other)) for other in others),
        )


def find_empty_budgets(context: Context) -> Iterator[Hit]:
    """The budgets that select no pod."""
    for budget, beside in _iter_candidates(context):
        selector = budget.spec.selector
        if selector is None:
            yield Hit(make_subject_of(budget), "selects no pod: it has no selector", ManifestLocation(budget.origin, ("spec",)))
            continue
        if not selector.matchLabels or _is_counted_by_cluster(budget):
            continue
        if any(selects(budget, budget.metadata.namespace, pods.labels) for pods in beside):
            continue
        near = [each for each in beside if _count_shared_labels(selector.matchLabels, each.labels)]
        if near:
            first = max(near, key=lambda each: _count_shared_labels(selector.matchLabels, each.labels))
            parted = [f"{name}={value}" for name, value in selector.matchLabels.items() if first.labels.get(name) != value]
            if parted:
                yield Hit(
                    make_subject_of(budget),
                    f"selects no pod: {first.name} comes nearest, and its pods have no label {join_and(parted)}",
                    ManifestLocation(budget.origin, ("spec", "selector", "matchLabels")),
                )


def _is_counted_by_cluster(budget: PodDisruptionBudget) -> bool:
    """Whether the cluster counts pods of it: its manifests are then not all there is."""
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
        only = all(isinstance(each.owner, DaemonSet) for each in pods)
        field = "maxUnavailable" if spec.maxUnavailable is not None else "a percentage of minAvailable"
        yield Hit(
            subject=make_subject_of(budget),
            location=_locate_limit(budget),
            severity=lower_severity if only else None,
            message=f"allows nothing: {field} needs a scale, and {_join_names(without)} {'has' if len(without) == 1 else 'have'} none",
        )
