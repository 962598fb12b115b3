"""Pods with all that the scheduler reads of them: what nothing else asks for is in no other view of a pod."""

from __future__ import annotations

from typing import Any

from msgspec import field

from preflight.model.core import Affinity, PodSpec, Resources, Volume
from preflight.model.meta import APIStruct, LabelSelector
from preflight.model.pod_status import ClusterPod, ClusterPodStatus


class PodAffinityTerm(APIStruct, frozen=True, gc=False):
    """A required term of `podAffinity` or `podAntiAffinity`.

    1. `labelSelector` None selects no pod; `namespaceSelector` None adds no namespace, an empty one every namespace.
    2. With neither `namespaces` nor a `namespaceSelector` it looks at the namespace of its own pod.
    """

    labelSelector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()
    namespaceSelector: LabelSelector | None = None
    topologyKey: str = ""


class PodAffinity(APIStruct, frozen=True, gc=False):
    """`affinity.podAffinity` and `affinity.podAntiAffinity`; preferred terms keep no pod from a node and are not read."""

    requiredDuringSchedulingIgnoredDuringExecution: tuple[PodAffinityTerm, ...] = ()


class SchedulerAffinity(Affinity, frozen=True, gc=False):
    """`affinity` of a pod, whole."""

    podAffinity: PodAffinity | None = None
    podAntiAffinity: PodAffinity | None = None


class TopologySpreadConstraint(APIStruct, frozen=True, gc=False):
    """`topologySpreadConstraints[]`; only DoNotSchedule keeps a pod from a node."""

    topologyKey: str = ""
    whenUnsatisfiable: str = ""


class NamedEntry(APIStruct, frozen=True, gc=False):
    """`schedulingGates[]` and `resourceClaims[]`."""

    name: str = ""


class SchedulerVolume(Volume, frozen=True, gc=False):
    """`volumes[]` of a pod, with the kinds inside Kubernetes itself that only some nodes can have; None where it is another."""

    awsElasticBlockStore: dict[str, Any] | None = None
    azureDisk: dict[str, Any] | None = None
    azureFile: dict[str, Any] | None = None
    cinder: dict[str, Any] | None = None
    gcePersistentDisk: dict[str, Any] | None = None
    iscsi: dict[str, Any] | None = None
    portworxVolume: dict[str, Any] | None = None
    rbd: dict[str, Any] | None = None
    vsphereVolume: dict[str, Any] | None = None


class SchedulerPodSpec(PodSpec, frozen=True, gc=False):
    """`spec` of a pod or pod template, with all that decides which node it gets; `schedulingGroup` is {} where it is in none."""

    affinity: SchedulerAffinity | None = None
    volumes: tuple[SchedulerVolume, ...] = ()
    topologySpreadConstraints: tuple[TopologySpreadConstraint, ...] = ()
    schedulingGates: tuple[NamedEntry, ...] = ()
    resourceClaims: tuple[NamedEntry, ...] = ()
    schedulingGroup: dict[str, Any] = field(default_factory=dict)
    preemptionPolicy: str = ""


class ContainerStatus(APIStruct, frozen=True, gc=False):
    """`status.containerStatuses[]`: what the node set aside for a container and what it was given; {}, None where not said."""

    name: str = ""
    allocatedResources: dict[str, str | int | float] = field(default_factory=dict)
    resources: Resources | None = None


class SchedulerPodStatus(ClusterPodStatus, frozen=True, gc=False):
    """`status` of a pod, with what a change of its size leaves behind, the node that a preemption clears for it, and when it started."""

    nominatedNodeName: str = ""
    startTime: str = ""
    containerStatuses: tuple[ContainerStatus, ...] = ()
    initContainerStatuses: tuple[ContainerStatus, ...] = ()
    allocatedResources: dict[str, str | int | float] = field(default_factory=dict)
    resources: Resources | None = None


class SchedulerPod(ClusterPod, tag="Pod", tag_field="kind", frozen=True, gc=False):
    """v1 Pod as the cluster has it, with all that the scheduler counts."""

    spec: SchedulerPodSpec = SchedulerPodSpec()
    status: SchedulerPodStatus = SchedulerPodStatus()
