"""Who controls a pod, and how many pods that owner wants: what a budget takes a percentage of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from preflight.model.apps import DaemonSet, Deployment
from preflight.model.batch import Job
from preflight.model.eviction_reasons import MissingInput, MissingKind
from preflight.model.meta import OwnerReference
from preflight.model.owners import OwnerKey, find_controller
from preflight.model.pod_status import ClusterPod

_APPS_GROUPS = ("apps", "extensions")

# Kinds of Kubernetes itself that control pods and have no scale, as the server calls them.
_WITHOUT_SCALE = {("Job", "batch"): "jobs.batch", ("DaemonSet", "apps"): "daemonsets.apps", ("Node", ""): "nodes"}


class Owner(Struct, frozen=True):
    """An object that controls pods, or ReplicaSets that do; `replicas` is None where its kind has none."""

    kind: str
    namespace: str
    name: str
    uid: str = ""
    replicas: int | None = None
    controller: OwnerReference | None = None


class Owners(Struct, frozen=True):
    """The owners that are known, by kind, namespace and name.

    `complete_kinds` are the kinds of which all objects are there: one that is not among them does not exist. Of other kinds nobody knows.
    """

    by_key: Mapping[tuple[str, str, str], Owner] = {}
    complete_kinds: frozenset[str] = frozenset()

    def find(self, kind: str, namespace: str, name: str) -> Owner | bool | None:
        """The owner; False where it does not exist, None where nobody knows."""
        return self.by_key.get((kind, namespace, name)) or (False if kind in self.complete_kinds else None)


def index_owners(objects: Iterable[DaemonSet | Deployment], complete_kinds: Collection[str]) -> Owners:
    """The owners that these objects are; `complete_kinds` as in Owners. No replicas stated means one; a Job and a DaemonSet have none."""
    by_key: dict[tuple[str, str, str], Owner] = {}
    for workload in objects:
        kind, metadata = type(workload).__name__, workload.metadata
        replicas: int | None = None
        if isinstance(workload, Deployment) and kind != "Job":
            replicas = 1 if workload.spec.replicas is None else workload.spec.replicas
        controller = find_controller(metadata.ownerReferences)
        by_key[kind, metadata.namespace, metadata.name] = Owner(kind, metadata.namespace, metadata.name, metadata.uid, replicas, controller)
    return Owners(by_key, frozenset(complete_kinds))


class Scale(Struct, frozen=True):
    """How many pods the owner of a pod wants.

    1. `owner` tells owners apart, so that each counts once; None where the pod is bare.
    2. `failure` is the error of the disruption controller where there is no such number, in its words.
    3. `unknown` is the input without which nobody can tell.
    """

    owner: OwnerKey | None = None
    replicas: int = 0
    failure: str = ""
    unknown: MissingInput | None = None


def find_owner_scale(pod: ClusterPod, owners: Owners) -> Scale:
    """The scale of the owner that controls a pod.

    1. No controller: a bare pod, which has no owner.
    2. A ReplicaSet of a Deployment that is there (with the UID that the ReplicaSet names): the Deployment's. Else the ReplicaSet's own, if
       its UID is the one that the pod names.
    3. A StatefulSet or ReplicationController with the UID that the pod names: its own.
    4. None of these found: `found no controllers for pod`. A Job, DaemonSet or Node has no scale: so it says, whether it exists or not.
    5. A kind that Kubernetes does not have may have a scale or not: unknown.
    6. A ReplicaSet of which nobody knows is taken for that of the Deployment whose name stands before the hash in its name.

    A UID that is not stated fits. Source: `pkg/controller/disruption/disruption.go`, getExpectedScale and finders.
    """
    reference = pod.controller
    if reference is None:
        return Scale()
    namespace = pod.metadata.namespace
    if is_kind(reference, "ReplicaSet", _APPS_GROUPS):
        return _find_replica_set_scale(pod, reference, owners)
    for kind, groups in (("StatefulSet", ("apps",)), ("ReplicationController", ("",))):
        if is_kind(reference, kind, groups):
            return _find_own_scale(pod, owners.find(kind, namespace, reference.name), reference)
    for (kind, group), resource in _WITHOUT_SCALE.items():
        if is_kind(reference, kind, (group,)):
            return Scale(_make_owner_key(reference, namespace), failure=f"{resource} does not implement the scale subresource")
    missing = MissingInput(MissingKind.OWNER_SCALE, reference.kind, reference.apiVersion)
    return Scale(_make_owner_key(reference, namespace), unknown=missing)


def find_top_owner(pod: ClusterPod, owners: Owners) -> OwnerKey | None:
    """What controls a pod; of a ReplicaSet the Deployment above it, where that one is known. None for nothing."""
    reference = pod.controller
    return None if reference is None else find_owner_above(reference, pod.metadata.namespace, pod.metadata.labels, owners)


def find_owner_above(reference: OwnerReference, namespace: str, labels: Mapping[str, str], owners: Owners) -> OwnerKey:
    """What controls a pod with these labels, which refers to its controller: see `find_top_owner`."""
    if is_kind(reference, "ReplicaSet", _APPS_GROUPS):
        found = owners.find("ReplicaSet", namespace, reference.name)
        if isinstance(found, Owner) and found.controller is not None:
            return _make_owner_key(found.controller, namespace)
        if by_name := _find_deployment_by_hash(namespace, labels, reference, owners):
            return OwnerKey(by_name.kind, namespace, by_name.name)
    return _make_owner_key(reference, namespace)


def _find_deployment_by_hash(namespace: str, labels: Mapping[str, str], reference: OwnerReference, owners: Owners) -> Owner | None:
    """The Deployment whose name stands before the hash of the pod's template in the name of its ReplicaSet."""
    name, _, tail = reference.name.rpartition("-")
    is_hash = tail == labels.get("pod-template-hash")
    return owners.by_key.get(("Deployment", namespace, name)) if is_hash else None


def is_kind(reference: OwnerReference, kind: str, groups: Collection[str]) -> bool:
    """Whether a reference is to a kind of one of these API groups ("" is the core group); one without an apiVersion is."""
    return reference.kind == kind and (not reference.apiVersion or reference.apiVersion.rpartition("/")[0] in groups)


def waits_for_end(reference: OwnerReference, job: Job | None) -> bool:
    """Whether an owner creates the next pod only once the old one is gone; `job` is the Job of that name, None where it is not known.

    A StatefulSet does, whose pods keep their names, and a Job with `podReplacementPolicy: Failed`, which is the default of one with a
    `podFailurePolicy`.

    Source: `pkg/controller/statefulset/stateful_set_control.go`; `pkg/controller/job/job_controller.go`, onlyReplaceFailedPods;
    `pkg/apis/batch/v1/defaults.go`.
    """
    if is_kind(reference, "StatefulSet", ("apps",)):
        return True
    if job is None or not is_kind(reference, "Job", ("batch",)):
        return False
    return job.spec.podReplacementPolicy == "Failed" or job.spec.podFailurePolicy is not None


def _find_replica_set_scale(pod: ClusterPod, reference: OwnerReference, owners: Owners) -> Scale:
    namespace = pod.metadata.namespace
    found = owners.find("ReplicaSet", namespace, reference.name)
    if not isinstance(found, Owner):
        by_name = _find_deployment_by_hash(namespace, pod.metadata.labels, reference, owners)
        if found is None and by_name is not None:
            return _make_scale(by_name)
        return _find_own_scale(pod, found, reference)
    if found.controller is not None and is_kind(found.controller, "Deployment", _APPS_GROUPS):
        deployment = owners.find("Deployment", namespace, found.controller.name)
        if deployment is None:
            return _make_unknown_scale(found.controller, namespace)
        if isinstance(deployment, Owner) and _is_same_uid(deployment.uid, found.controller.uid):
            return _make_scale(deployment)
    return _find_own_scale(pod, found, reference)


def _find_own_scale(pod: ClusterPod, owner: Owner | bool | None, reference: OwnerReference) -> Scale:
    if owner is None:
        return _make_unknown_scale(reference, pod.metadata.namespace)
    if isinstance(owner, Owner) and _is_same_uid(owner.uid, reference.uid):
        return _make_scale(owner)
    return Scale(_make_owner_key(reference, pod.metadata.namespace), failure=f'found no controllers for pod "{pod.metadata.name}"')


def _make_scale(owner: Owner) -> Scale:
    return Scale(OwnerKey(owner.kind, owner.namespace, owner.name), owner.replicas or 0)


def _make_unknown_scale(reference: OwnerReference, namespace: str) -> Scale:
    """The scale of an owner that was not given."""
    return Scale(
        _make_owner_key(reference, namespace),
        unknown=MissingInput(MissingKind.OWNER, reference.kind, f"{namespace}/{reference.name}"),
    )


def _make_owner_key(reference: OwnerReference, namespace: str) -> OwnerKey:
    return OwnerKey(reference.kind, namespace, reference.name)


def _is_same_uid(uid: str, other: str) -> bool:
    return not uid or not other or uid == other
