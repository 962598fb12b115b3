"""From a pod's volumes to the CSI drivers that mount them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from preflight.model.core import ClaimSpec, ClaimTemplate, PodSpec
from preflight.model.meta import Metadata
from preflight.model.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from preflight.model.world import ClusterState

VolumePath = tuple[str | int, ...]

_DEFAULT_CLASS_ANNOTATIONS = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
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


class CsiDriverIndex:
    """The CSI drivers of the claims of a world."""

    def __init__(self, world: ClusterState) -> None:
        """`world` holds the claims, volumes and storage classes that were given."""
        self._claims = {(claim.metadata.namespace, claim.metadata.name): claim for claim in world.claims}
        self._volumes = {volume.metadata.name: volume for volume in world.volumes}
        bound = (volume for volume in world.volumes if volume.spec.claimRef)
        self._bound = {(volume.spec.claimRef.namespace, volume.spec.claimRef.name): volume for volume in bound if volume.spec.claimRef}
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
                claim = self._claims.get((namespace, volume.persistentVolumeClaim.claimName))
                driver = self._get_claim_driver(claim, namespace, volume.persistentVolumeClaim.claimName)
            if driver:
                yield driver, ("volumes", index)
        for template in templates:
            driver = self._get_provisioner(template.spec, template.metadata, None)
            if driver:
                yield driver, ()

    def _get_claim_driver(self, claim: PersistentVolumeClaim | None, namespace: str, name: str) -> str:
        bound = self._bound.get((namespace, name))
        if claim is None:
            return _get_volume_driver(bound)
        return self._get_provisioner(claim.spec, claim.metadata, self._volumes.get(claim.spec.volumeName) or bound)

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
    return volume.spec.csi.driver if volume is not None and volume.spec.csi is not None else ""


def _find_default_class(classes: Iterable[StorageClass]) -> StorageClass | None:
    """The class of a claim that names none; None where several say that they are it, and the time of their creation decides."""
    found = [
        node_class
        for node_class in classes
        if any(node_class.metadata.annotations.get(key) == "true" for key in _DEFAULT_CLASS_ANNOTATIONS)
    ]
    return found[0] if len(found) == 1 else None
