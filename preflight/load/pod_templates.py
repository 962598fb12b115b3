"""The pod that a workload would create, whole: with all that the scheduler reads of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from msgspec.structs import replace

from preflight.errors import InputError, RefusalError
from preflight.load.collector import ObjectCollector
from preflight.load.kinds import CHECKED_KINDS, PlainObject, get_path
from preflight.load.loader import LoadResult, load_world
from preflight.messages.load import (
    NO_SENSE,
    describe_bound_pod,
    describe_listed_pod,
    describe_no_pod,
    describe_part_of_device,
    describe_pod_source,
    describe_refused_field,
    describe_refused_pod,
    describe_several_pods,
    format_problem,
)
from preflight.model.batch import JobSet
from preflight.model.capacity import NewPod
from preflight.model.convert import convert
from preflight.model.meta import Origin, Refusal
from preflight.model.pod_scheduling import SchedulerPodSpec
from preflight.model.workloads import Workload, locate_pod_spec
from preflight.scheduling.quantities import QuantityError, parse_millis
from preflight.scheduling.tolerations import add_implicit_tolerations
from preflight.scheduling.validation import validate_node_selection, validate_tolerations

KIND_ALIASES = {
    **dict.fromkeys(("deploy", "deployment", "deployments", "deployment.apps", "deployments.apps"), "Deployment"),
    **dict.fromkeys(("ds", "daemonset", "daemonsets", "daemonset.apps", "daemonsets.apps"), "DaemonSet"),
    **dict.fromkeys(("sts", "statefulset", "statefulsets", "statefulset.apps", "statefulsets.apps"), "StatefulSet"),
    **dict.fromkeys(("rs", "replicaset", "replicasets", "replicaset.apps", "replicasets.apps"), "ReplicaSet"),
    **dict.fromkeys(("job", "jobs", "job.batch", "jobs.batch"), "Job"),
    **dict.fromkeys(("cj", "cronjob", "cronjobs", "cronjob.batch", "cronjobs.batch"), "CronJob"),
    **dict.fromkeys(("po", "pod", "pods"), "Pod"),
}
"""What kubectl calls the kinds that have one pod template."""

_PATHS = {**{kind: CHECKED_KINDS[kind].pod_spec for kind in KIND_ALIASES.values()}, "JobSet": ()}


class WorkloadCollector(ObjectCollector):
    """A heap that also keeps the workloads of a kind and name as plain data; those of every kind and name where both are ""."""

    def __init__(self, kind: str = "", name: str = "") -> None:
        super().__init__(wants_whole_pods=True)
        self._kind, self._name = kind, name
        self.kept: list[tuple[PlainObject, Origin, bool]] = []

    def add_object(self, item: PlainObject, origin: Origin) -> None:
        """Take one object, and keep it where it is wanted: with its origin, and whether it is whole (a snapshot has less of it)."""
        super().add_object(item, origin)
        if item["kind"] in _PATHS and self._kind in ("", item["kind"]) and self._name in ("", get_path(item, ("metadata", "name"))):
            self.kept.append((item, origin, not self.is_from_snapshot(origin)))


def read_new_pod(path: str, namespace: str, stdin: BinaryIO | None) -> NewPod:
    """The pod of the one workload, or the one pod, in a file; `namespace` is that of one that states none.

    Errors: InputError where the file cannot be read, or the API server would refuse what is in it; UsageError where it holds no pod, or
    more than one.
    """
    heap = WorkloadCollector()
    loaded = load_world([path], stdin=stdin, one_cluster=False, collector=heap)
    for problem in loaded.problems:
        raise InputError(format_problem(problem))
    _check_accepted(loaded, path)
    found = [pod for item, origin, _ in heap.kept for pod in iter_new_pods(item, origin, namespace)]
    found += [
        NewPod(describe_listed_pod(*key, path), pod.spec, pod.metadata.labels, key[0], is_admitted=True)
        for key, pod in (loaded.world.pods_by_key or {}).items()
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise RefusalError(describe_no_pod(path, [(check.what, check.why) for check in loaded.skipped]))
    raise RefusalError(describe_several_pods(path, [pod.description for pod in found]))


def iter_new_pods(item: PlainObject, origin: Origin, namespace: str) -> Iterator[NewPod]:
    """The pods that a workload would create, one for each template; a JobSet has several."""
    kind, name = item["kind"], str(get_path(item, ("metadata", "name")) or "")
    own = str(get_path(item, ("metadata", "namespace")) or namespace)
    words = describe_pod_source(kind, own, name, origin.file)
    if kind == "JobSet":
        jobs = get_path(item, ("spec", "replicatedJobs"))
        for job in jobs if isinstance(jobs, list) else ():
            template = get_path(job, ("template", "spec", "template"))
            yield _build_new_pod(f"{words} ({get_path(job, ('name',))})", template, own, kind)
        return
    yield _build_new_pod(words, get_path(item, _PATHS[kind][:-1]) if _PATHS[kind][:-1] else item, own, kind)


def _build_new_pod(words: str, template: Any, namespace: str, kind: str) -> NewPod:
    spec, refusals = convert(get_path(template, ("spec",)) or {}, SchedulerPodSpec, Origin("<none>"))
    if spec is None or refusals:
        raise InputError(describe_refused_pod(words, refusals[0].reason if refusals else NO_SENSE))
    for container in (*spec.containers, *spec.initContainers):
        for name, quantity in {**container.resources.limits, **container.resources.requests}.items():
            if "/" in name and not _is_whole_number(quantity):
                raise InputError(describe_refused_pod(words, describe_part_of_device(name, quantity, container.name)))
    was_there = kind == "Pod" and bool(spec.nodeName)
    if spec.nodeName and not was_there:
        raise InputError(describe_bound_pod(words, spec.nodeName))
    if kind == "DaemonSet":
        spec = replace(spec, tolerations=add_implicit_tolerations(spec))
    labels = get_path(template, ("metadata", "labels"))
    labels = {str(key): str(value) for key, value in labels.items()} if isinstance(labels, dict) else {}
    return NewPod(words, spec, labels, namespace, was_there)


def _is_whole_number(quantity: str | float) -> bool:
    """Whether a device can be counted by it; what cannot be read is left to whoever counts."""
    try:
        return parse_millis(quantity) % 1000 == 0
    except QuantityError:
        return True


def _check_accepted(loaded: LoadResult, path: str) -> None:
    """InputError where the API server would refuse an object of a file."""
    for workload in (*loaded.world.workloads, *loaded.world.job_sets):
        for refusal in (*workload.refusals, *([] if isinstance(workload, JobSet) else _iter_pod_refusals(workload))):
            line = loaded.locate(workload.origin, refusal.path).line
            what = describe_refused_field(type(workload).__name__, workload.metadata.name, refusal.path, refusal.reason)
            raise InputError(f"{path}{f':{line}' if line else ''}: {what}")


def _iter_pod_refusals(workload: Workload) -> Iterator[Refusal]:
    """What is refused of the values of its pod, all of which have the right type."""
    spec, path = locate_pod_spec(workload)
    yield from validate_tolerations(spec.tolerations, (*path, "tolerations"), None)
    yield from validate_node_selection(spec, path)
