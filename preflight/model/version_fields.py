"""Fields of manifests that some servers drop: which feature gate guards each, and an object as such a server keeps it.

To add one: a line in `_JOB_GATES`, or a case in `_iter_pod_fields` and in `_drop_pod_fields`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from preflight.model.batch import CronJob, Job, JobSet, JobSpec, JobTemplate
from preflight.model.core import Pod, PodSpec, Resources
from preflight.model.policy import PodDisruptionBudget
from preflight.model.versions import ClusterVersions
from preflight.model.workloads import Workload

Path = tuple[str | int, ...]
FieldOwner = Workload | JobSet | PodDisruptionBudget
OwnerType = TypeVar("OwnerType", bound=FieldOwner)
PodSpecType = TypeVar("PodSpecType", bound=PodSpec)

_JOB_GATES: Mapping[str, str] = {
    "podFailurePolicy": "JobPodFailurePolicy",
    "podReplacementPolicy": "JobPodReplacementPolicy",
    "backoffLimitPerIndex": "JobBackoffLimitPerIndex",
    "maxFailedIndexes": "JobBackoffLimitPerIndex",
    "successPolicy": "JobSuccessPolicy",
    "managedBy": "JobManagedBy",
}
_SIDECARS, _POD_RESOURCES, _BUDGET_POLICY = "SidecarContainers", "PodLevelResources", "PDBUnhealthyPodEvictionPolicy"


def list_fields_by_gate() -> Mapping[str, tuple[str, ...]]:
    """The fields that each gate guards, as a person names them."""
    jobs = {gate: tuple(name for name, own in _JOB_GATES.items() if own == gate) for gate in _JOB_GATES.values()}
    others = {
        _SIDECARS: ("initContainers[].restartPolicy",),
        _POD_RESOURCES: ("spec.resources",),
        _BUDGET_POLICY: ("unhealthyPodEvictionPolicy",),
    }
    return {**jobs, **others}


class FieldFate(Enum):
    """What a server does with a field: it drops it, or does not know it, so that kubectl refuses the object; MAYBE: some versions do."""

    DROPPED = "dropped"
    UNKNOWN = "unknown"
    MAYBE = "maybe"


class GatedField(Struct, frozen=True):
    """A field of a manifest that not every version keeps: its path, the gate, and what becomes of it."""

    path: Path
    gate: str
    fate: FieldFate


def find_lost_fields(owner: FieldOwner, versions: ClusterVersions) -> tuple[GatedField, ...]:
    """The fields of an object that the servers of these versions do not keep, or may not; none of what a server holds already."""
    if versions.server is None and not versions.gates:
        return ()
    if owner.metadata.uid:
        return ()
    fates: dict[str, FieldFate | None] = {}
    found = []
    for path, gate in _iter_gated_fields(owner):
        if gate not in fates:
            fates[gate] = _find_fate(gate, versions)
        fate = fates[gate]
        if fate is not None:
            found.append(GatedField(path, gate, fate))
    return tuple(found)


def _find_fate(gate: str, versions: ClusterVersions) -> FieldFate | None:
    from preflight.model.behaviors import GATES  # only where a version or a gate is known

    is_on = versions.is_gate_on(gate)
    if is_on is None:
        return FieldFate.MAYBE
    if is_on:
        return None
    is_unknown = versions.server is not None and versions.server.highest.minor < GATES[gate].known_since
    return FieldFate.UNKNOWN if is_unknown else FieldFate.DROPPED


def _iter_gated_fields(owner: FieldOwner) -> Iterator[tuple[Path, str]]:
    match owner:
        case PodDisruptionBudget():
            if owner.spec.unhealthyPodEvictionPolicy:
                yield ("spec", "unhealthyPodEvictionPolicy"), _BUDGET_POLICY
        case JobSet():
            for place, job in enumerate(owner.spec.replicatedJobs):
                yield from _iter_job_fields(job.template.spec, ("spec", "replicatedJobs", place, "template", "spec"))
        case CronJob():
            yield from _iter_job_fields(owner.spec.jobTemplate.spec, ("spec", "jobTemplate", "spec"))
        case Job():
            yield from _iter_job_fields(owner.spec, ("spec",))
        case Pod():
            yield from _iter_pod_fields(owner.spec, ("spec",))
        case _:
            yield from _iter_pod_fields(owner.spec.template.spec, ("spec", "template", "spec"))


def _iter_job_fields(spec: JobSpec, path: Path) -> Iterator[tuple[Path, str]]:
    for name, gate in _JOB_GATES.items():
        if getattr(spec, name) is not None:
            yield (*path, name), gate
    yield from _iter_pod_fields(spec.template.spec, (*path, "template", "spec"))


def _iter_pod_fields(spec: PodSpec, path: Path) -> Iterator[tuple[Path, str]]:
    if spec.resources.requests or spec.resources.limits:
        yield (*path, "resources"), _POD_RESOURCES
    for place, container in enumerate(spec.initContainers):
        if container.restartPolicy == "Always":
            yield (*path, "initContainers", place, "restartPolicy"), _SIDECARS


def drop_fields(owner: OwnerType, lost_fields: Iterable[GatedField]) -> OwnerType:
    """An object as a server keeps it that drops some of its fields; those that only some versions drop stay."""
    gates = {lost.gate for lost in lost_fields if lost.fate is not FieldFate.MAYBE}
    if not gates:
        return owner
    dropped: Any = owner
    match owner:
        case PodDisruptionBudget():
            dropped = replace(owner, spec=replace(owner.spec, unhealthyPodEvictionPolicy=""))
        case JobSet():
            jobs = tuple(replace(job, template=_drop_template_fields(job.template, gates)) for job in owner.spec.replicatedJobs)
            dropped = replace(owner, spec=replace(owner.spec, replicatedJobs=jobs))
        case CronJob():
            dropped = replace(owner, spec=replace(owner.spec, jobTemplate=_drop_template_fields(owner.spec.jobTemplate, gates)))
        case Job():
            dropped = replace(owner, spec=_drop_job_fields(owner.spec, gates))
        case Pod():
            dropped = replace(owner, spec=drop_pod_fields(owner.spec, gates))
        case _:
            pods = owner.spec.template
            dropped = replace(owner, spec=replace(owner.spec, template=replace(pods, spec=drop_pod_fields(pods.spec, gates))))
    return dropped  # type: ignore[no-any-return]


def drop_pod_fields(spec: PodSpecType, gates: Collection[str]) -> PodSpecType:
    """A pod spec as a server keeps it where these gates are off."""
    if _POD_RESOURCES in gates:
        spec = replace(spec, resources=Resources())
    if _SIDECARS in gates:
        containers = tuple(
            replace(container, restartPolicy="") if container.restartPolicy == "Always" else container for container in spec.initContainers
        )
        spec = replace(spec, initContainers=containers)
    return spec


def _drop_template_fields(template: JobTemplate, gates: Collection[str]) -> JobTemplate:
    return replace(template, spec=_drop_job_fields(template.spec, gates))


def _drop_job_fields(spec: JobSpec, gates: Collection[str]) -> JobSpec:
    names = {name: None for name, gate in _JOB_GATES.items() if gate in gates}
    pods = drop_pod_fields(spec.template.spec, gates)
    return replace(spec, **names, template=replace(spec.template, spec=pods))


def remove_field(data: Any, path: Path) -> Any:
    """Plain data without one field; the same data where it is not there, which is never changed."""
    if not path or not isinstance(data, dict | list):
        return data
    here, *rest = path
    if isinstance(data, list):
        if not isinstance(here, int) or here >= len(data):
            return data
        return [remove_field(item, tuple(rest)) if place == here else item for place, item in enumerate(data)]
    if here not in data:
        return data
    if not rest:
        return {name: value for name, value in data.items() if name != here}
    return {**data, here: remove_field(data[here], tuple(rest))}
