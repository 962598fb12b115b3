"""What keeps an answer of the scheduler from being known, named one by one."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from msgspec import Struct

from preflight.model.objects import PodSpec
from preflight.model.pod_scheduling import SchedulerPodSpec


class UncertaintyKind(Enum):
    """What was not judged, or could not be; what `Doubt.about` then names.

    1. Of the input: PODS (not every pod is known), NODES (not every node is known), NODE (a partly known node), ALLOCATABLE (a node
       that does not give it), LABELS (a label of a partly known node), COMPARISON (a taint that only Lt or Gt may tolerate), QUANTITY (an
       amount that cannot be read: the resource, or the pod), UNREAD (a pod of which only a part was read, or "" for the new one).
    2. Of the pod: SCHEDULER (another schedulerName), GATES (scheduling gates), GROUP (a group that is scheduled together), CLAIMS (device
       claims, or a resource that a DeviceClass may provide), VOLUMES (volumes with zones, nodes or limits), AFFINITY (required pod affinity
       or anti-affinity), SPREAD (topology spread), ADMISSION (what its RuntimeClass adds).
    3. Of others: NEIGHBOURS (the required anti-affinity of another pod), PREEMPTION (pods of lower priority may have to go for it).

    Nothing here says anything of quota, of admission besides RuntimeClass, of extenders and of another configuration of the scheduler.
    """

    PODS = "pods"
    NODES = "nodes"
    NODE = "node"
    ALLOCATABLE = "allocatable"
    LABELS = "labels"
    COMPARISON = "comparison"
    QUANTITY = "quantity"
    UNREAD = "unread"
    SCHEDULER = "scheduler"
    GATES = "gates"
    GROUP = "group"
    CLAIMS = "claims"
    VOLUMES = "volumes"
    AFFINITY = "affinity"
    SPREAD = "spread"
    ADMISSION = "admission"
    NEIGHBORS = "neighbours"
    PREEMPTION = "preemption"


class Uncertainty(Struct, frozen=True, order=True):
    """One reason not to know: `kind` as Unjudged's value, so that doubts sort, and what it is about, "" where that is plain."""

    kind: str
    subject: str = ""


def make_uncertainty(kind: UncertaintyKind, subject: str = "") -> Uncertainty:
    """A doubt of a kind."""
    return Uncertainty(kind.value, subject)


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
        yield make_uncertainty(UncertaintyKind.SCHEDULER, spec.schedulerName)
    if spec.runtimeClassName and not is_admitted:
        yield make_uncertainty(UncertaintyKind.ADMISSION, spec.runtimeClassName)
    for volume in spec.volumes:
        if volume.persistentVolumeClaim or volume.ephemeral or any(getattr(volume, kind, None) is not None for kind in _NODE_BOUND_VOLUMES):
            yield make_uncertainty(UncertaintyKind.VOLUMES, volume.name)
    if not isinstance(spec, SchedulerPodSpec):
        yield make_uncertainty(UncertaintyKind.UNREAD)
        return
    for gate in spec.schedulingGates:
        yield make_uncertainty(UncertaintyKind.GATES, gate.name)
    if spec.schedulingGroup:
        yield make_uncertainty(UncertaintyKind.GROUP)
    for claim in spec.resourceClaims:
        yield make_uncertainty(UncertaintyKind.CLAIMS, claim.name)
    affinity = spec.affinity
    for each in (affinity.podAffinity, affinity.podAntiAffinity) if affinity else ():
        if each and each.requiredDuringSchedulingIgnoredDuringExecution:
            yield make_uncertainty(UncertaintyKind.AFFINITY)
            break
    for constraint in spec.topologySpreadConstraints:
        if constraint.whenUnsatisfiable != "ScheduleAnyway":
            yield make_uncertainty(UncertaintyKind.SPREAD, constraint.topologyKey)
