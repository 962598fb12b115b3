"""What a PodDisruptionBudget in a manifest may select: the pods of the workloads beside it, and how many there are at least."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from msgspec import Struct

from preflight.model.apps import DaemonSet, Deployment
from preflight.model.autoscaling import Autoscaler
from preflight.model.batch import CronJob, Job, JobSet
from preflight.model.budget_reasons import ReplicaSource
from preflight.model.core import PodTemplate
from preflight.model.owners import find_controller
from preflight.model.policy import PodDisruptionBudget
from preflight.rules.api import Context, make_subject_of
from preflight.scheduling.budgets import selects

_Scoped = PodDisruptionBudget | DaemonSet | Deployment | CronJob | JobSet | Autoscaler
_ScaleTarget = tuple[str, str, tuple[str, str]]
"""The kind and name of what an autoscaler scales, and where both are."""
_OWNER_KINDS = ("CronJob", "JobSet", "Deployment")


class SelectablePods(Struct, frozen=True):
    """Something whose pods a budget may select: the labels of its pods, and how many it wants at least.

    `autoscaler` is what may scale it down to so few; None where the manifest, or the default of Kubernetes, says the number.
    """

    owner: DaemonSet | Deployment | CronJob | JobSet
    labels: Mapping[str, str]
    replicas: int | None = None
    has_scale: bool = True
    autoscaler: Autoscaler | None = None

    @property
    def source(self) -> ReplicaSource:
        """Who says how many replicas there are."""
        if self.autoscaler is not None:
            return ReplicaSource.AUTOSCALER
        is_stated = isinstance(self.owner, Deployment) and self.owner.spec.replicas is not None
        return ReplicaSource.STATED if is_stated else ReplicaSource.DEFAULT

    @property
    def name(self) -> str:
        return f"{type(self.owner).__name__} {make_subject_of(self.owner)}"


def _iter_selectable_pods(context: Context) -> Iterator[SelectablePods]:
    """What controls pods and is controlled by nothing that was given too: a Job of a CronJob or a JobSet is left to that one."""
    autoscalers: dict[_ScaleTarget, Autoscaler] = {}
    for autoscaler in context.world.autoscalers:
        target = autoscaler.spec.scaleTargetRef
        autoscalers.setdefault((target.kind or "Deployment", target.name, _make_scope_key(context, autoscaler)), autoscaler)
    for workload in context.world.workloads:
        if isinstance(workload, DaemonSet):
            yield SelectablePods(workload, _get_pod_labels(workload.spec.template), has_scale=False)
        elif isinstance(workload, CronJob):
            yield SelectablePods(workload, _get_pod_labels(workload.spec.jobTemplate.spec.template), has_scale=False)
        elif isinstance(workload, Deployment) and not _is_controlled(workload):
            labels = _get_pod_labels(workload.spec.template)
            if isinstance(workload, Job):
                yield SelectablePods(workload, labels, has_scale=False)
            else:
                own = autoscalers.get((type(workload).__name__, workload.metadata.name, _make_scope_key(context, workload)))
                stated = 1 if workload.spec.replicas is None else workload.spec.replicas
                replicas = own.min_replicas if own is not None and stated else stated  # 0 replicas switch an autoscaler off
                yield SelectablePods(workload, labels, replicas, autoscaler=own)
    for job_set in context.world.job_sets:
        for replicated in job_set.spec.replicatedJobs:
            added = {"jobset.sigs.k8s.io/jobset-name": job_set.metadata.name, "jobset.sigs.k8s.io/replicatedjob-name": replicated.name}
            yield SelectablePods(job_set, {**_get_pod_labels(replicated.template.spec.template), **added}, has_scale=False)


def _is_controlled(workload: Deployment) -> bool:
    controller = find_controller(workload.metadata.ownerReferences)
    return controller is not None and controller.kind in _OWNER_KINDS


def _get_pod_labels(template: PodTemplate) -> Mapping[str, str]:
    return template.metadata.labels


def iter_selected(context: Context) -> Iterator[tuple[PodDisruptionBudget, list[SelectablePods]]]:
    """The budgets, each with what it selects."""
    for budget, near in iter_candidates(context):
        yield budget, [pods for pods in near if selects(budget, budget.metadata.namespace, pods.labels)]


def iter_candidates(context: Context) -> Iterator[tuple[PodDisruptionBudget, list[SelectablePods]]]:
    """The budgets, each with what it may select: of its namespace; where none is stated, of its file or kustomization without one.

    Under a change only what may lose pods that nobody listed, and the budgets of it.
    """
    homes: defaultdict[tuple[str, str], list[SelectablePods]] = defaultdict(list)
    for selectable_pod in _iter_selectable_pods(context):
        if not context.is_lint and selectable_pod.owner.origin not in context.losing_workloads:
            continue
        homes[_make_scope_key(context, selectable_pod.owner)].append(selectable_pod)
    for budget in context.world.budgets:
        near = homes.get(_make_scope_key(context, budget), [])
        if context.is_lint or near:
            yield budget, near


def _make_scope_key(
    context: Context, item: PodDisruptionBudget | DaemonSet | Deployment | CronJob | JobSet | Autoscaler
) -> tuple[str, str]:
    """The namespace of an object; where none is stated its file, or the kustomization that puts its file beside others."""
    namespace, file = item.metadata.namespace, item.origin.file
    return namespace, "" if namespace else context.world.manifest_context.kustomizations.get(file, file)


def list_names(pods: list[SelectablePods]) -> list[str]:
    return list(dict.fromkeys(pod.name for pod in pods))
