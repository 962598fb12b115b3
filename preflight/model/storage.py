"""Volumes and configuration as frozen Structs: what leads from a pod's volume to the CSI driver that mounts it, and ConfigMaps."""

from __future__ import annotations

from msgspec import field

from preflight.model.core import ClaimSpec, CSISource, NodeSelector
from preflight.model.meta import APIStruct, Metadata, SourcedObject


class CSIDriver(SourcedObject, frozen=True, gc=False):
    """storage.k8s.io/v1 CSIDriver."""

    metadata: Metadata = Metadata()


class PersistentVolumeClaim(SourcedObject, frozen=True, gc=False):
    """v1 PersistentVolumeClaim."""

    metadata: Metadata = Metadata()
    spec: ClaimSpec = ClaimSpec()


class ClaimReference(APIStruct, frozen=True, gc=False):
    """`spec.claimRef` of a PersistentVolume: the claim that it is bound to."""

    namespace: str = ""
    name: str = ""


class VolumeNodeAffinity(APIStruct, frozen=True, gc=False):
    """`spec.nodeAffinity` of a PersistentVolume: the nodes that can use it."""

    required: NodeSelector | None = None


class PersistentVolumeSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a PersistentVolume; `csi` None where it is no CSI volume, `nodeAffinity` None where every node can use it."""

    csi: CSISource | None = None
    claimRef: ClaimReference | None = None
    nodeAffinity: VolumeNodeAffinity | None = None


class PersistentVolume(SourcedObject, frozen=True, gc=False):
    """v1 PersistentVolume."""

    metadata: Metadata = Metadata()
    spec: PersistentVolumeSpec = PersistentVolumeSpec()


class StorageClass(SourcedObject, frozen=True, gc=False):
    """storage.k8s.io/v1 StorageClass: its provisioner is the name of the CSI driver, where it is one's."""

    metadata: Metadata = Metadata()
    provisioner: str = ""


class ConfigMap(SourcedObject, frozen=True, gc=False):
    """v1 ConfigMap."""

    metadata: Metadata = Metadata()
    data: dict[str, str] = field(default_factory=dict)
