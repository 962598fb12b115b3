"""Objects of apps: DaemonSets and the other controllers of pods."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from msgspec import Raw, field

from preflight.model.core import ClaimTemplate, PodTemplate
from preflight.model.declaration import Declaration
from preflight.model.meta import APIStruct, Condition, LabelSelector, Metadata, ObjectKey, SourcedObject, make_object_key

TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
"""The annotation of a DaemonSet with the number of its template, from 1 on; its pods carry it as the label pod-template-generation."""


class RollingUpdateDaemonSet(APIStruct, frozen=True, gc=False):
    """`spec.updateStrategy.rollingUpdate`; integers or percentages; None means the default (1 and 0)."""

    maxUnavailable: int | str | None = None
    maxSurge: int | str | None = None


class DaemonSetUpdateStrategy(APIStruct, frozen=True, gc=False):
    """`spec.updateStrategy`; an absent type means RollingUpdate."""

    type: str = ""
    rollingUpdate: RollingUpdateDaemonSet = RollingUpdateDaemonSet()


class DaemonSetSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a DaemonSet."""

    selector: LabelSelector | None = None
    template: PodTemplate = PodTemplate()
    updateStrategy: DaemonSetUpdateStrategy = DaemonSetUpdateStrategy()
    minReadySeconds: int = 0


class DaemonSet(SourcedObject, frozen=True):
    """apps/v1 DaemonSet.

    1. `data` is the whole object as plain data: any difference of its `spec.template` is an update, whatever the typed view reads.
       Never change it in place.
    2. `declaration` says how a custom resource of an operator declares it; None where the DaemonSet itself was read.
    3. `kept` is what a snapshot has of the rest, as text (`model/kept.py`): `data` is then only what is read. Empty for a whole object.
    """

    metadata: Metadata = Metadata()
    spec: DaemonSetSpec = DaemonSetSpec()
    data: dict[str, Any] = field(default_factory=dict, name="\ue000data")
    kept: Raw = field(default=Raw(), name="\ue000kept")
    declaration: Declaration | None = field(default=None, name="\ue000declaration")

    @property
    def key(self) -> ObjectKey:
        """What tells this DaemonSet from others."""
        return make_object_key(self.metadata, self.origin)

    def is_declaration_of(self, key: ObjectKey) -> bool:
        """Whether a DaemonSet that an operator made is this declared one, or one of those that its pattern stands for.

        The namespace decides only where it is known: a custom resource does not always state it.
        """
        name, declaration = self.metadata.name, self.declaration
        if declaration is not None and declaration.has_known_namespace and key.namespace not in ("", self.metadata.namespace):
            return False
        return fnmatchcase(key.name, name) if "*" in name else key.name == name


class WorkloadSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a Deployment, StatefulSet or ReplicaSet; `replicas` None means one."""

    selector: LabelSelector | None = None
    template: PodTemplate = PodTemplate()
    replicas: int | None = None
    volumeClaimTemplates: tuple[ClaimTemplate, ...] = ()


class WorkloadStatus(APIStruct, frozen=True, gc=False):
    """`status` of a workload: the conditions tell a Job that has ended."""

    conditions: tuple[Condition, ...] = ()


class Deployment(SourcedObject, frozen=True, gc=False):
    """apps/v1 Deployment."""

    metadata: Metadata = Metadata()
    spec: WorkloadSpec = WorkloadSpec()
    status: WorkloadStatus = WorkloadStatus()


class StatefulSet(Deployment, frozen=True, gc=False):
    """apps/v1 StatefulSet."""


class ReplicaSet(Deployment, frozen=True, gc=False):
    """apps/v1 ReplicaSet."""
