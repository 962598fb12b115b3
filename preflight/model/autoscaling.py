"""Autoscalers: what they scale, and how few replicas they may leave."""

from __future__ import annotations

from preflight.model.meta import APIStruct, Metadata, SourcedObject


class ScaleTarget(APIStruct, frozen=True, gc=False):
    """`spec.scaleTargetRef`; a ScaledObject without a kind means a Deployment."""

    kind: str = ""
    name: str = ""


class HorizontalPodAutoscalerSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a HorizontalPodAutoscaler; `minReplicas` None means one."""

    scaleTargetRef: ScaleTarget = ScaleTarget()
    minReplicas: int | None = None


class HorizontalPodAutoscaler(SourcedObject, frozen=True, gc=False):
    """autoscaling/v2 HorizontalPodAutoscaler."""

    metadata: Metadata = Metadata()
    spec: HorizontalPodAutoscalerSpec = HorizontalPodAutoscalerSpec()

    @property
    def min_replicas(self) -> int:
        """The replicas that it may scale down to."""
        return 1 if self.spec.minReplicas is None else self.spec.minReplicas


class ScaledObjectSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a ScaledObject; `minReplicaCount` None means none at all."""

    scaleTargetRef: ScaleTarget = ScaleTarget()
    minReplicaCount: int | None = None


class ScaledObject(SourcedObject, frozen=True, gc=False):
    """keda.sh/v1alpha1 ScaledObject, from which KEDA makes an autoscaler."""

    metadata: Metadata = Metadata()
    spec: ScaledObjectSpec = ScaledObjectSpec()

    @property
    def min_replicas(self) -> int:
        """The replicas that it may scale down to while there are any: a budget without pods is in nobody's way."""
        return max(self.spec.minReplicaCount or 0, 1)


Autoscaler = HorizontalPodAutoscaler | ScaledObject
