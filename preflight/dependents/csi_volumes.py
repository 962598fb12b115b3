"""From a pod's volumes to the CSI drivers that mount them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from preflight.model.core import ClaimSpec, ClaimTemplate, PodSpec, Volume
from preflight.model.meta import Metadata
from preflight.model.storage import PersistentVolume, StorageClass
from preflight.model.world import ClusterState
from preflight.scheduling.volumes import VolumeIndex

VolumePath = tuple[str | int, ...]

_DEFAULT_CLASS_ANNOTATIONS = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
_MIGRATION_ANNOTATION = "pv.kubernetes.io/migrated-to"
_PROVISIONER_ANNOTATIONS = ("volume.kubernetes.io/storage-provisioner", "volume.beta.kubernetes.io/storage-provisioner")

# The plugins that Kubernetes once had of its own, and the drivers that took over: staging/src/k8s.io/csi-translation-lib/plugins.
_MIGRATED_DRIVERS = {
    "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
    "kubernetes.io/azure-disk": "disk.csi.azure.com",
    "kubernetes.io/azure-file": "file.csi.azure.com",
    "kubernetes.io/cinder": "cinder.csi.openstack.org",
    "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
    "kubernetes.io/portworx-volume": "pxd.portworx.com",
    "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
}


class VolumeDriver(Struct, frozen=True):
    """A volume of a pod that a CSI driver may mount, and the driver: "" for one that none mounts, None where that is not known."""

    volume: str
    driver: str | None


class CsiDriverIndex:
    """The CSI drivers of the claims of a world."""

    def __init__(self, world: ClusterState) -> None:
        """`world` holds the claims, volumes and storage classes that were given."""
        self._volumes = VolumeIndex(world.claims, world.volumes)
        self._classes = {node_class.metadata.name: node_class for node_class in world.storage_classes}
        self._default = _find_default_class(world.storage_classes)

    def iter_drivers(self, spec: PodSpec, namespace: str, templates: Iterable[ClaimTemplate] = ()) -> Iterator[tuple[str, VolumePath]]:
        """The driver of each volume of a pod, with the path of the volume in the pod spec; `templates` are a StatefulSet's.

        1. An inline `csi` volume names its driver.
        2. A claim leads to it by its PersistentVolume, else by what the volume controller noted on the claim, else by its StorageClass.
        3. A generic ephemeral volume, and a template of a StatefulSet, lead to it by their StorageClass.
        4. Where no class is named, the default one counts; what is not given leads nowhere.
        5. The path of a StatefulSet's template is (): it stands outside of the pod spec.

        Source: the API of Volume and PersistentVolumeClaim; `pkg/controller/volume/persistentvolume/pv_controller.go`.
        """
        of_templates = {template.metadata.name for template in templates}
        for index, volume in enumerate(spec.volumes):
            driver = ""
            if volume.csi is not None:
                driver = volume.csi.driver
            elif volume.ephemeral is not None and volume.ephemeral.volumeClaimTemplate is not None:
                template = volume.ephemeral.volumeClaimTemplate
                driver = self._get_provisioner(template.spec, template.metadata, None)
            elif volume.persistentVolumeClaim is not None and volume.name not in of_templates:
                driver = self._get_claim_driver(namespace, volume.persistentVolumeClaim.claimName)
            if driver:
                yield driver, ("volumes", index)
        for template in templates:
            driver = self._get_provisioner(template.spec, template.metadata, None)
            if driver:
                yield driver, ()

    def list_volume_drivers(self, spec: PodSpec, namespace: str, pod_name: str) -> tuple[VolumeDriver, ...]:
        """The volumes of a pod that is there, as far as a CSI driver may mount them: as `iter_drivers`, and what is not known is said.

        1. The claim of a generic ephemeral volume has the name of the pod and of the volume.
        2. A claim that is bound is what its PersistentVolume is: a CSI volume or another. The driver is not known where neither that is
           given, nor the note of the volume controller, nor its StorageClass.
        """
        found = (self._find_volume_driver(volume, namespace, pod_name) for volume in spec.volumes)
        return tuple(driver for driver in found if driver is not None and driver.driver != "")

    def _find_volume_driver(self, volume: Volume, namespace: str, pod_name: str) -> VolumeDriver | None:
        """None for a volume without a claim that no CSI driver mounts."""
        if volume.csi is not None:
            return VolumeDriver(volume.name, volume.csi.driver)
        if volume.persistentVolumeClaim is not None:
            name = volume.persistentVolumeClaim.claimName
        elif volume.ephemeral is not None:
            name = f"{pod_name}-{volume.name}"
        else:
            return None
        claim, persistent_volume = self._volumes.find_claim(namespace, name), self._volumes.find_volume(namespace, name)
        if persistent_volume is not None:
            return VolumeDriver(volume.name, _get_volume_driver(persistent_volume))
        template = volume.ephemeral.volumeClaimTemplate if volume.ephemeral is not None else None
        if claim is not None:
            return VolumeDriver(volume.name, self._get_provisioner(claim.spec, claim.metadata, None) or None)
        return VolumeDriver(volume.name, (self._get_provisioner(template.spec, template.metadata, None) if template else "") or None)

    def _get_claim_driver(self, namespace: str, name: str) -> str:
        claim, volume = self._volumes.find_claim(namespace, name), self._volumes.find_volume(namespace, name)
        return _get_volume_driver(volume) if claim is None else self._get_provisioner(claim.spec, claim.metadata, volume)

    def _get_provisioner(self, spec: ClaimSpec, metadata: Metadata, volume: PersistentVolume | None) -> str:
        if volume is not None:
            return _get_volume_driver(volume)
        noted = next((metadata.annotations[key] for key in _PROVISIONER_ANNOTATIONS if key in metadata.annotations), "")
        if noted:
            return _MIGRATED_DRIVERS.get(noted, noted)
        name = metadata.annotations.get(_CLASS_ANNOTATION, spec.storageClassName)
        found = self._default if name is None else self._classes.get(name)
        return _MIGRATED_DRIVERS.get(found.provisioner, found.provisioner) if found else ""


def _get_volume_driver(volume: PersistentVolume | None) -> str:
    if volume is None:
        return ""
    return volume.spec.csi.driver if volume.spec.csi is not None else volume.metadata.annotations.get(_MIGRATION_ANNOTATION, "")


def _find_default_class(classes: Iterable[StorageClass]) -> StorageClass | None:
    """The class of a claim that names none; None where several say that they are it, and the time of their creation decides."""
    found = [
        node_class
        for node_class in classes
        if any(node_class.metadata.annotations.get(key) == "true" for key in _DEFAULT_CLASS_ANNOTATIONS)
    ]
    return found[0] if len(found) == 1 else None
