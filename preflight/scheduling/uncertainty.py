"""What of a pod keeps an answer of the scheduler from being known."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.core import PodSpec
from preflight.model.pod_scheduling import SchedulerPodSpec
from preflight.model.uncertainty import Uncertainty, UncertaintyKind

_NODE_BOUND_VOLUMES = (
    "awsElasticBlockStore",
    "azureDisk",
    "azureFile",
    "cinder",
    "gcePersistentDisk",
    "iscsi",
    "portworxVolume",
    "rbd",
    "vsphereVolume",
)


def iter_pod_uncertainties(spec: PodSpec, is_admitted: bool) -> Iterator[Uncertainty]:
    """What of a pod the filters here do not judge; nothing where they judge all of it.

    1. A scheduler of another name may do as it likes.
    2. A pod with a scheduling gate is not looked at until the gate is gone; a pod of a group waits for the group.
    3. Claims, ephemeral volumes that make a claim, and volumes of a cloud or a storage cluster may be had on some nodes alone. An inline
       CSI volume, emptyDir, hostPath, configMap and the like are had everywhere.
    4. Only required pod affinity and anti-affinity, and spread with DoNotSchedule, keep a pod from a node.
    5. A RuntimeClass may add overhead, a nodeSelector and tolerations: not known of a pod that was not `is_admitted` yet.
    6. A pod that is no ScheduledSpec was not read whole: gates, claims, groups, pod affinity and spread of it are not known.
    """
    if spec.schedulerName not in ("", "default-scheduler"):
        yield Uncertainty(UncertaintyKind.SCHEDULER, spec.schedulerName)
    if spec.runtimeClassName and not is_admitted:
        yield Uncertainty(UncertaintyKind.ADMISSION, spec.runtimeClassName)
    for volume in spec.volumes:
        if volume.persistentVolumeClaim or volume.ephemeral or any(getattr(volume, kind, None) is not None for kind in _NODE_BOUND_VOLUMES):
            yield Uncertainty(UncertaintyKind.VOLUMES, volume.name)
    if not isinstance(spec, SchedulerPodSpec):
        yield Uncertainty(UncertaintyKind.UNREAD)
        return
    for gate in spec.schedulingGates:
        yield Uncertainty(UncertaintyKind.GATES, gate.name)
    if spec.schedulingGroup:
        yield Uncertainty(UncertaintyKind.GROUP)
    for claim in spec.resourceClaims:
        yield Uncertainty(UncertaintyKind.CLAIMS, claim.name)
    affinity = spec.affinity
    for terms in (affinity.podAffinity, affinity.podAntiAffinity) if affinity else ():
        if terms and terms.requiredDuringSchedulingIgnoredDuringExecution:
            yield Uncertainty(UncertaintyKind.AFFINITY)
            break
    for constraint in spec.topologySpreadConstraints:
        if constraint.whenUnsatisfiable != "ScheduleAnyway":
            yield Uncertainty(UncertaintyKind.SPREAD, constraint.topologyKey)
