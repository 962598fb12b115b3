"""The pod that a DaemonSet creates, as the scheduler sees it: whole, with implicit tolerations, RuntimeClass and priority."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from preflight.model.apps import DaemonSet
from preflight.model.convert import convert
from preflight.model.core import PodSpec
from preflight.model.meta import Origin
from preflight.model.pod_scheduling import SchedulerPodSpec
from preflight.model.storage import PersistentVolume
from preflight.model.world import ClusterState
from preflight.scheduling.fit import find_pod_priority
from preflight.scheduling.runtime_class import RuntimeClassRefusedError, apply_runtime_class
from preflight.scheduling.tolerations import add_implicit_tolerations
from preflight.scheduling.volumes import VolumeIndex

_NEVER = "Never"


class CreatedPod(Struct, frozen=True):
    """A pod that a DaemonSet creates; `is_admitted`: what its RuntimeClass adds is in `spec`, or it has none."""

    spec: PodSpec
    labels: Mapping[str, str]
    namespace: str
    is_admitted: bool


def make_created_pod(daemonset: DaemonSet, world: ClusterState) -> CreatedPod:
    """The pod of a DaemonSet's template, as admission leaves it as far as that is known."""
    spec = _read_whole_spec(daemonset)
    spec = _set_priority(replace(spec, nodeName="", tolerations=add_implicit_tolerations(spec)), world)
    spec, is_admitted = _admit_runtime_class(spec, world)
    return CreatedPod(spec, daemonset.spec.template.metadata.labels, daemonset.metadata.namespace, is_admitted)


def set_priority(pod: CreatedPod, shown: SchedulerPodSpec) -> CreatedPod:
    """The pod with the priority, and the right to preempt, of a listed pod of the same class."""
    spec = replace(pod.spec, priority=shown.priority)
    return replace(pod, spec=replace(spec, preemptionPolicy=shown.preemptionPolicy) if isinstance(spec, SchedulerPodSpec) else spec)


def can_preempt(pod: CreatedPod) -> bool:
    """Whether pods of lower priority have to go for it where there is no room."""
    return not (isinstance(pod.spec, SchedulerPodSpec) and pod.spec.preemptionPolicy == _NEVER)


def has_same_doubts(old: CreatedPod, new: CreatedPod) -> bool:
    """Whether nothing differs of what is not judged of both: where the old one was bound, the new one is too.

    Compared are the labels and all of the spec but containers, requests, ports and priority, which are judged.
    """
    return old.labels == new.labels and _drop_judged_fields(old.spec) == _drop_judged_fields(new.spec)


def _drop_judged_fields(spec: PodSpec) -> PodSpec:
    return replace(
        spec,
        containers=(),
        initContainers=(),
        resources=PodSpec().resources,
        overhead={},
        hostNetwork=False,
        tolerations=(),
        priority=None,
        priorityClassName="",
        terminationGracePeriodSeconds=None,
        restartPolicy="",
    )


def find_claimed_volumes(pod: CreatedPod, world: ClusterState) -> Iterator[tuple[str, PersistentVolume]]:
    """The PersistentVolumes that a pod uses by its claims, each with the name of the claim, as far as they are known."""
    names = [volume.persistentVolumeClaim.claimName for volume in pod.spec.volumes if volume.persistentVolumeClaim]
    if not names:
        return
    index = VolumeIndex(world.claims, world.volumes)
    for claim in world.claims:
        if claim.metadata.namespace == pod.namespace and claim.metadata.name in names:
            volume = index.find_volume(pod.namespace, claim.metadata.name)
            if volume is not None:
                yield claim.metadata.name, volume


def _read_whole_spec(daemonset: DaemonSet) -> PodSpec:
    typed = daemonset.spec.template.spec
    template: object = daemonset.data.get("spec")
    for name in ("template", "spec"):
        template = template.get(name) if isinstance(template, dict) else None
    if template is None:
        return typed
    whole, _ = convert(template, SchedulerPodSpec, Origin("<none>"))
    return typed if whole is None else whole


def _set_priority(spec: PodSpec, world: ClusterState) -> PodSpec:
    """The spec with the priority that admission gives it, where its class is known.

    Source: `plugin/pkg/admission/priority/admission.go`, admitPod.
    """
    name = spec.priorityClassName
    found = next(
        (known for known in world.priority_classes if (known.metadata.name == name if name else known.globalDefault)),
        None,
    )
    if found is None:
        return replace(spec, priority=find_pod_priority(spec))
    policy = found.preemptionPolicy
    if policy == _NEVER and isinstance(spec, SchedulerPodSpec):
        return replace(spec, priority=found.value, preemptionPolicy=policy)
    return replace(spec, priority=found.value)


def _admit_runtime_class(spec: PodSpec, world: ClusterState) -> tuple[PodSpec, bool]:
    name = spec.runtimeClassName
    if not name:
        return spec, True
    found = next((known for known in world.runtime_classes if known.metadata.name == name), None)
    if found is None:
        return spec, False
    try:
        return apply_runtime_class(spec, found), True
    except RuntimeClassRefusedError:
        return spec, False
