"""Which PersistentVolume a claim is bound to, and on which nodes a pod can have it: node affinity and zone of the volume."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from preflight.model.core import Affinity, Node, NodeAffinity, PodSpec
from preflight.model.storage import PersistentVolume, PersistentVolumeClaim
from preflight.model.uncertainty import Uncertainty, UncertaintyKind
from preflight.scheduling.affinity import UNKNOWN, collect_label_keys, get_label, match_affinity
from preflight.scheduling.filters import FilterReason, FilterResult

VOLUME_BINDING = "VolumeBinding"
VOLUME_ZONE = "VolumeZone"

_GA_LABELS = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
}
_TOPOLOGY_LABELS = (*_GA_LABELS, *_GA_LABELS.values())


class BoundVolume(Struct, frozen=True):
    """A volume of a pod, by its name there, and the PersistentVolume that its claim is bound to."""

    name: str
    persistent_volume: PersistentVolume


def collect_volume_labels(volumes: Iterable[BoundVolume]) -> frozenset[str]:
    """The node labels that decide where bound volumes can be had."""
    keys: set[str] = set()
    for bound in volumes:
        volume = bound.persistent_volume
        required = volume.spec.nodeAffinity.required if volume.spec.nodeAffinity is not None else None
        keys |= collect_label_keys(PodSpec(affinity=Affinity(NodeAffinity(required))))[0]
        keys |= set(_TOPOLOGY_LABELS) if any(key in volume.metadata.labels for key in _TOPOLOGY_LABELS) else set()
    return frozenset(keys)


class VolumeIndex:
    """The claims and PersistentVolumes of a cluster, as far as they were given."""

    def __init__(self, claims: Iterable[PersistentVolumeClaim], volumes: Iterable[PersistentVolume]) -> None:
        """Claims by namespace and name; a volume by its name, and by the claim that it says it is bound to."""
        every = tuple(volumes)
        self._claims = {(claim.metadata.namespace, claim.metadata.name): claim for claim in claims}
        self._volumes = {volume.metadata.name: volume for volume in every}
        references = ((volume.spec.claimRef, volume) for volume in every)
        self._bound = {(reference.namespace, reference.name): volume for reference, volume in references if reference}

    def find_claim(self, namespace: str, name: str) -> PersistentVolumeClaim | None:
        """A claim; None where it was not given."""
        return self._claims.get((namespace, name))

    def find_volume(self, namespace: str, name: str) -> PersistentVolume | None:
        """The PersistentVolume that a claim is bound to; None where it is not bound, or its volume was not given."""
        claim, bound = self.find_claim(namespace, name), self._bound.get((namespace, name))
        return bound if claim is None else self._volumes.get(claim.spec.volumeName) or bound

    def list_bound_volumes(self, spec: PodSpec, namespace: str) -> tuple[BoundVolume, ...]:
        """The volumes of a pod by a claim that is bound. The claim of a generic ephemeral volume is another for every pod."""
        claimed = ((volume.name, volume.persistentVolumeClaim) for volume in spec.volumes)
        found = ((name, self.find_volume(namespace, source.claimName)) for name, source in claimed if source is not None)
        return tuple(BoundVolume(name, volume) for name, volume in found if volume is not None)


def filter_volumes(volumes: Iterable[BoundVolume], node: Node) -> Iterator[FilterResult]:
    """What the filters say that look at the bound volumes of a pod, in the order of the scheduler.

    1. The node affinity of a PersistentVolume is required node affinity of every pod that uses its claim. It looks at labels alone: the
       name of the node never matches. A volume without one can be had on every node.
    2. The zone and region labels of a PersistentVolume, where the node has one of these labels at all; several zones are divided by `__`.

    How many volumes a node may have is not looked at, nor claims that are not bound.

    Source: `pkg/scheduler/framework/plugins/` volumebinding/binder.go, checkBoundClaims, and volumezone/volume_zone.go, Filter.
    """
    every = tuple(volumes)
    matches = [can_use_volume(bound.persistent_volume, node) for bound in every]
    if False in matches:
        yield _refuse(VOLUME_BINDING, "node(s) didn't match PersistentVolume's node affinity")
    zones = [_match_zone(bound.persistent_volume, node) for bound in every]
    if False in zones:
        yield _refuse(VOLUME_ZONE, "node(s) had no available volume zone")
    unsure = (bound.name for bound, match, zone in zip(every, matches, zones, strict=True) if match is None or zone is None)
    yield FilterResult(uncertainties=tuple(Uncertainty(UncertaintyKind.VOLUMES, name) for name in unsure))


def _refuse(plugin: str, text: str) -> FilterResult:
    return FilterResult((FilterReason(plugin, text, is_unresolvable=True),))


def can_use_volume(volume: PersistentVolume, node: Node) -> bool | None:
    """Whether the node affinity of a volume matches a node; None where a partly known node does not state a label."""
    required = volume.spec.nodeAffinity.required if volume.spec.nodeAffinity is not None else None
    if required is None:
        return True
    if any(term.matchFields for term in required.nodeSelectorTerms):
        node = replace(node, metadata=replace(node.metadata, name=""))
    return match_affinity(PodSpec(affinity=Affinity(NodeAffinity(required))), node).matches


def _match_zone(volume: PersistentVolume, node: Node) -> bool | None:
    """None where a partly known node does not state a label."""
    wanted = {key: volume.metadata.labels[key] for key in _TOPOLOGY_LABELS if key in volume.metadata.labels}
    stated = [get_label(node, key) for key in _TOPOLOGY_LABELS]
    if not wanted or all(value is None for value in stated):
        return True
    answers: list[bool | None] = []
    for key, values in wanted.items():
        value = get_label(node, key)
        if value is None:
            value = get_label(node, _GA_LABELS.get(key, key))
        answers.append(None if value is UNKNOWN else value in values.split("__"))
    return False if False in answers else None if None in answers else True
