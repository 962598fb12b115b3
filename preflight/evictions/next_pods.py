"""The next pods of workloads, as far as they say which nodes may ever take them: from templates, and from running pods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from preflight.coverage.node_targeting import targets_nodes
from preflight.coverage.pod_fields import parse_labels
from preflight.dependents.requirements import Consumer, list_consumers, make_subject
from preflight.model.apps import DaemonSet, Deployment, StatefulSet
from preflight.model.convert import convert
from preflight.model.core import CoveragePod, PodSpec, find_controller
from preflight.model.meta import Origin
from preflight.model.report import Subject
from preflight.model.world import ClusterState
from preflight.scheduling.jobs.exclusive_placement import EXCLUSIVE_TOPOLOGY, NODE_SELECTOR_STRATEGY
from preflight.scheduling.owners import Owners, find_owner_above, index_owners
from preflight.scheduling.runtime_class import RuntimeClassRefusedError, apply_runtime_class
from preflight.scheduling.volumes import BoundVolume, VolumeIndex

_RECREATING_KINDS = frozenset(("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController", "Job", "JobSet"))
_ENDED_PHASES = frozenset(("Succeeded", "Failed"))
_UPDATED_KINDS = frozenset(("Deployment", "ReplicaSet", "StatefulSet"))
"""The kinds whose next pod is of their template, whatever their pods were made from."""
_INDIVIDUAL_KINDS = frozenset(("StatefulSet", "Job"))
"""The kinds whose pods differ in volumes, or in what was chosen for each."""
_MAX_ORDINALS = 100
_JOB_SET_LABEL = "jobset.sigs.k8s.io/jobset-name"


class NextPod(Struct, frozen=True):
    """The next pod of a workload, as far as it decides on nodes.

    1. `origin` is where the workload stands; None where it was not given, only its pods.
    2. `topology` is a label that a node must have, whatever its value; "" for none.
    3. `replaced_pod` is the pod whose volumes it takes over, and `volumes` are those that are bound; "" where any pod of it is meant.
    4. `is_admitted`: what a RuntimeClass adds is in the spec.
    """

    subject: Subject
    origin: Origin | None
    spec: PodSpec
    topology: str = ""
    replaced_pod: str = ""
    volumes: tuple[BoundVolume, ...] = ()
    is_admitted: bool = True

    @property
    def names_nodes(self) -> bool:
        """Whether it asks for nodes of its own, and is no pod for anywhere."""
        return bool(self.topology or self.volumes or targets_nodes(self.spec))


def list_next_pods(world: ClusterState, nodes: frozenset[str]) -> Iterator[NextPod]:
    """The next pod of every workload that was given, and of those that have a pod on some nodes; none of a DaemonSet.

    1. A template speaks for all pods of its workload. A pod speaks for itself where its workload was not given, where it has volumes that
       only some nodes have, and where it is of a Job and selects other nodes than the template: something has chosen them for it.
    2. What a leader of a JobSet chooses for its followers is chosen anew with the leader.
    3. A pod that nothing controls has no next one, and of what is controlled by another kind nobody knows whether there is one.
    """
    consumers = [consumer for consumer in list_consumers(world) if not consumer.is_daemon and consumer.subject.kind != "Pod"]
    index = VolumeIndex(world.claims, world.volumes)
    for consumer in consumers:
        volumes = index.list_bound_volumes(consumer.spec, consumer.subject.namespace)
        yield _admit(world, NextPod(consumer.subject, consumer.origin, consumer.spec, consumer.topology, "", volumes))
    yield from _iter_claiming_pods(world, {consumer.subject: consumer for consumer in consumers}, index)
    yield from _RunningPods(world, consumers, index).list_next_pods(nodes)


def _iter_claiming_pods(world: ClusterState, consumers: Mapping[Subject, Consumer], volumes: VolumeIndex) -> Iterator[NextPod]:
    """The pods of each StatefulSet whose claims are bound; a claim is named after its template and the pod.

    Source: `pkg/controller/statefulset/stateful_set_utils.go`, getPersistentVolumeClaimName.
    """
    for workload in world.workloads if world.volumes else ():
        consumer = consumers.get(make_subject(workload))
        if not isinstance(workload, StatefulSet) or consumer is None:
            continue
        replicas = 1 if workload.spec.replicas is None else workload.spec.replicas
        for pod in (f"{workload.metadata.name}-{ordinal}" for ordinal in range(min(replicas, _MAX_ORDINALS))):
            names = [template.metadata.name for template in workload.spec.volumeClaimTemplates]
            found = ((name, volumes.find_volume(workload.metadata.namespace, f"{name}-{pod}")) for name in names)
            bound = tuple(BoundVolume(name, volume) for name, volume in found if volume is not None)
            if bound:
                yield NextPod(consumer.subject, consumer.origin, consumer.spec, "", pod, bound)


def _admit(world: ClusterState, pod: NextPod) -> NextPod:
    """The pod with what its RuntimeClass adds; one that is refused is left as it is."""
    name = pod.spec.runtimeClassName
    if not name:
        return pod
    known = next((found for found in world.runtime_classes if found.metadata.name == name), None)
    if known is None:
        return replace(pod, is_admitted=False)
    try:
        return replace(pod, spec=apply_runtime_class(pod.spec, known))
    except RuntimeClassRefusedError:
        return pod


class _RunningPods:
    """The listed pods of a world, and which of them say something that no template says."""

    def __init__(self, world: ClusterState, consumers: Iterable[Consumer], volumes: VolumeIndex) -> None:
        self._world, self._volumes = world, volumes
        self._consumers: dict[Subject, list[Consumer]] = {}
        for consumer in consumers:
            self._consumers.setdefault(consumer.subject, []).append(consumer)
        self._given = {make_subject(workload) for workload in (*world.workloads, *world.job_sets)}

    @cached_property
    def _owners(self) -> Owners:
        objects = (workload for workload in self._world.workloads if isinstance(workload, DaemonSet | Deployment))
        return index_owners(objects, self._world.complete_kinds)

    def list_next_pods(self, nodes: frozenset[str]) -> Iterator[NextPod]:
        """The successors of the pods on some nodes; of pods that differ in nothing that decides only the first."""
        seen: set[tuple[object, ...]] = set()
        kinds: dict[bytes, str] = {}
        for pod in self._world.pods:
            spec, metadata = pod.spec, pod.metadata
            if spec.nodeName not in nodes or not metadata.ownerReferences:
                continue
            owner = bytes(metadata.ownerReferences)
            kind = kinds.get(owner)
            if kind is None:
                reference = find_controller(pod)
                kind = kinds[owner] = reference.kind if reference is not None else ""
            if kind not in _RECREATING_KINDS or metadata.deletionTimestamp or pod.status.phase in _ENDED_PHASES:
                continue
            individual = (spec.nodeSelector, spec.affinity, spec.volumes) if kind in _INDIVIDUAL_KINDS else ()
            key = (metadata.namespace, owner, *map(bytes, individual))
            if key not in seen:
                seen.add(key)
                yield from self._iter_successor(pod)

    def _iter_successor(self, pod: CoveragePod) -> Iterator[NextPod]:
        reference, namespace = find_controller(pod), pod.metadata.namespace
        assert reference is not None
        labels = parse_labels(pod.metadata.labels)
        above = find_owner_above(reference, namespace, labels, self._owners)
        subjects = [Subject(above.kind, namespace, above.name), Subject(reference.kind, namespace, reference.name)]
        if reference.kind == "Job" and labels.get(_JOB_SET_LABEL):
            subjects.insert(0, Subject("JobSet", namespace, labels[_JOB_SET_LABEL]))
        subject = next((found for found in subjects if found in self._given), None)
        spec = _decode_spec(pod)
        volumes = self._volumes.list_bound_volumes(spec, namespace)
        consumers = self._consumers.get(subject, []) if subject is not None else []
        if subject is not None and not consumers:
            return  # it wants no pod, or its owner speaks for it
        topology = _get_annotation(pod, EXCLUSIVE_TOPOLOGY)
        if subject is not None and not volumes and (topology or not _chooses_other_nodes(subject, spec, consumers)):
            return
        if topology:
            spec = replace(spec, nodeSelector={key: value for key, value in spec.nodeSelector.items() if key != topology})
        if subject is not None and subject.kind in _UPDATED_KINDS:
            spec = replace(consumers[0].spec, volumes=spec.volumes)
        origin = consumers[0].origin if consumers else None
        replaced = pod.metadata.name if volumes else ""
        yield NextPod(subject or subjects[0], origin, spec, topology, replaced, volumes)


def _chooses_other_nodes(subject: Subject, spec: PodSpec, consumers: Iterable[Consumer]) -> bool:
    """Whether a pod of a Job selects other nodes than its template, which no update changes."""
    return subject.kind not in _UPDATED_KINDS and all(spec.nodeSelector != consumer.spec.nodeSelector for consumer in consumers)


def _get_annotation(pod: CoveragePod, name: str) -> str:
    raw = bytes(pod.metadata.annotations)
    return parse_labels(raw).get(name, "") if name.encode() in raw and NODE_SELECTOR_STRATEGY.encode() not in raw else ""


def _decode_spec(pod: CoveragePod) -> PodSpec:
    """What of a listed pod decides on nodes; what no API would hold is left out."""
    fields = ("nodeSelector", "affinity", "tolerations", "containers", "initContainers", "volumes")
    raws = {name: bytes(getattr(pod.spec, name)) for name in fields}
    spec, _ = convert({name: msgspec.json.decode(raw) for name, raw in raws.items() if raw}, PodSpec, Origin("<none>"))
    return spec or PodSpec()
