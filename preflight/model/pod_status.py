"""Pods as the cluster has them, whole: what a drain, a fit and the fate of a Job read."""

from __future__ import annotations

from preflight.model.core import PodSpec
from preflight.model.meta import APIStruct, Metadata, OwnerReference
from preflight.model.owners import find_controller


class ClusterPodMetadata(Metadata, frozen=True, gc=False):
    """`metadata` of a pod that is there; times as they are written, `deletionGracePeriodSeconds` None while it is not being deleted."""

    creationTimestamp: str = ""
    deletionGracePeriodSeconds: int | None = None


class PodCondition(APIStruct, frozen=True, gc=False):
    """`status.conditions[]` of a pod; status is True, False or Unknown."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""


class ClusterPodStatus(APIStruct, frozen=True, gc=False):
    """`status` of a pod."""

    phase: str = ""
    conditions: tuple[PodCondition, ...] = ()


class ClusterPod(APIStruct, tag="Pod", tag_field="kind", frozen=True, gc=False):
    """v1 Pod as the cluster has it: defaults are filled in, and admission has had its say."""

    metadata: ClusterPodMetadata = ClusterPodMetadata()
    spec: PodSpec = PodSpec()
    status: ClusterPodStatus = ClusterPodStatus()

    @property
    def key(self) -> tuple[str, str]:
        """Its namespace and its name."""
        return self.metadata.namespace, self.metadata.name

    @property
    def controller(self) -> OwnerReference | None:
        """The owner that controls it, as a ReplicaSet or a Job does; None where there is none."""
        return find_controller(self.metadata.ownerReferences)

    @property
    def is_ready(self) -> bool:
        """Whether its Ready condition is True."""
        return any(condition.type == "Ready" and condition.status == "True" for condition in self.status.conditions)

    @property
    def has_ended(self) -> bool:
        """Whether its phase is Succeeded or Failed."""
        return self.status.phase in ("Succeeded", "Failed")
