"""What the rules on PodDisruptionBudgets say of manifests alone: imported where lint has budgets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from msgspec import Struct

from preflight.messages.lists import listed
from preflight.model.budgets import PodDisruptionBudget
from preflight.model.objects import CronJob, DaemonSet, Deployment, Job, JobSet, PodTemplate
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Place, subject_of
from preflight.scheduling.budgets import selects

_OWNED = ("CronJob", "JobSet", "Deployment")


class _Pods(Struct, frozen=True):
    """Something whose pods a budget may select: the labels of its pods, and how many it wants; None where that is not written."""

    owner: DaemonSet | Deployment | CronJob | JobSet
    labels: Mapping[str, str]
    replicas: int | None = None
    has_scale: bool = True

    @property
    def name(self) -> str:
        return f"{type(self.owner).__name__} {subject_of(self.owner)}"


def _pods(context: Context) -> Iterator[_Pods]:
    """What controls pods and is controlled by nothing that was given too: a Job of a CronJob or a JobSet is left to that one."""
    for each in context.world.workloads:
        if isinstance(each, DaemonSet):
            yield _Pods(each, _labels(each.spec.template), has_scale=False)
        elif isinstance(each, CronJob):
            yield _Pods(each, _labels(each.spec.jobTemplate.spec.template), has_scale=False)
        elif isinstance(each, Deployment) and not any(owner.controller and owner.kind in _OWNED for owner in each.metadata.ownerReferences):
            is_job = isinstance(each, Job)
            yield _Pods(each, _labels(each.spec.template), None if is_job else each.spec.replicas, not is_job)
    for job_set in context.world.job_sets:
        for replicated in job_set.spec.replicatedJobs:
            added = {"jobset.sigs.k8s.io/jobset-name": job_set.metadata.name, "jobset.sigs.k8s.io/replicatedjob-name": replicated.name}
            yield _Pods(job_set, {**_labels(replicated.template.spec.template), **added}, has_scale=False)


def _labels(template: PodTemplate) -> Mapping[str, str]:
    return template.metadata.labels


def _selected(context: Context) -> Iterator[tuple[PodDisruptionBudget, list[_Pods]]]:
    """The budgets, each with what it selects."""
    for budget, near in _beside(context):
        yield budget, [each for each in near if selects(budget, budget.metadata.namespace, each.labels)]


def _beside(context: Context) -> Iterator[tuple[PodDisruptionBudget, list[_Pods]]]:
    """The budgets, each with what it may select: of its namespace; where none is stated, of its file without one."""
    if not context.lint:
        return
    homes: defaultdict[tuple[str, str], list[_Pods]] = defaultdict(list)
    for each in _pods(context):
        homes[_home(each.owner)].append(each)
    for budget in context.world.budgets:
        yield budget, homes.get(_home(budget), [])


def _home(each: PodDisruptionBudget | DaemonSet | Deployment | CronJob | JobSet) -> tuple[str, str]:
    namespace = each.metadata.namespace
    return namespace, "" if namespace else each.origin.file


def _names(pods: list[_Pods]) -> str:
    return listed(dict.fromkeys(each.name for each in pods))


def _limit(budget: PodDisruptionBudget) -> Place:
    return Place(budget.origin, ("spec", "maxUnavailable" if budget.spec.maxUnavailable is not None else "minAvailable"))


def allows_none(context: Context) -> Iterator[Hit]:
    """The budgets that can never allow a disruption."""
    for budget, pods in _selected(context):
        why = _never(budget, pods)
        if why:
            yield Hit(subject_of(budget), f"never allows a disruption: {why}", _limit(budget))


def _never(budget: PodDisruptionBudget, pods: list[_Pods]) -> str:
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
    counts = [each.replicas for each in pods]
    wanted = sum(count or 0 for count in counts)
    if not pods or None in counts or wanted > spec.minAvailable or wanted == 0:
        return ""
    return (
        f"minAvailable is {spec.minAvailable}, and {listed(each.name for each in pods)} {'has' if len(pods) == 1 else 'have'} {wanted} "
        + ("replica" if wanted == 1 else "replicas")
    )


def overlapping(context: Context) -> Iterator[Hit]:
    """The workloads whose pods more than one budget selects."""
    found: dict[int, tuple[_Pods, list[PodDisruptionBudget]]] = {}
    for budget, pods in _selected(context):
        for each in pods:
            found.setdefault(id(each.labels), (each, []))[1].append(budget)
    said: dict[tuple[tuple[str, str], ...], list[_Pods]] = {}
    budgets: dict[tuple[tuple[str, str], ...], list[PodDisruptionBudget]] = {}
    for each, several in found.values():
        if len(several) > 1:
            key = tuple(budget.key for budget in several)
            said.setdefault(key, []).append(each)
            budgets[key] = several
    for key, owners in said.items():
        first, *others = budgets[key]
        yield Hit(
            subject=subject_of(first),
            place=Place(first.origin, ("spec", "selector")),
            message=f"and {listed(str(subject_of(other)) for other in others)} select the pods of {_names(owners)}: "
            "no eviction of a pod with more than one budget is granted",
            related=tuple(("the other selector", Place(other.origin, ("spec", "selector"))) for other in others),
        )


def selects_nothing(context: Context) -> Iterator[Hit]:
    """The budgets that select no pod."""
    for budget, beside in _beside(context):
        selector = budget.spec.selector
        if selector is None:
            yield Hit(subject_of(budget), "selects no pod: it has no selector", Place(budget.origin, ("spec",)))
            continue
        if not selector.matchLabels or _is_counted(budget):
            continue
        if any(selects(budget, budget.metadata.namespace, each.labels) for each in beside):
            continue
        near = [each for each in beside if _share(selector.matchLabels, each.labels)]
        if near:
            first = max(near, key=lambda each: _share(selector.matchLabels, each.labels))
            parted = [f"{name}={value}" for name, value in selector.matchLabels.items() if first.labels.get(name) != value]
            if parted:
                yield Hit(
                    subject_of(budget),
                    f"selects no pod: {first.name} comes nearest, and its pods have no label {listed(parted)}",
                    Place(budget.origin, ("spec", "selector", "matchLabels")),
                )


def _is_counted(budget: PodDisruptionBudget) -> bool:
    """Whether the cluster counts pods of it: its manifests are then not all there is."""
    return budget.status is not None and budget.status.expectedPods > 0


def _share(wanted: Mapping[str, str], labels: Mapping[str, str]) -> int:
    return sum(labels.get(name) == value for name, value in wanted.items())


def without_scale(context: Context, *, milder: Severity) -> Iterator[Hit]:
    """The budgets that want a scale of what has none."""
    for budget, pods in _selected(context):
        spec = budget.spec
        if spec.maxUnavailable is None and not isinstance(spec.minAvailable, str):
            continue
        without = [each for each in pods if not each.has_scale]
        if not without:
            continue
        only = all(isinstance(each.owner, DaemonSet) for each in pods)
        field = "maxUnavailable" if spec.maxUnavailable is not None else "a percentage of minAvailable"
        yield Hit(
            subject=subject_of(budget),
            place=_limit(budget),
            severity=milder if only else None,
            message=f"allows nothing: {field} needs a scale, and {_names(without)} {'has' if len(without) == 1 else 'have'} none",
        )
