"""Who controls a pod, and how many pods that owner wants: what a budget takes a percentage of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from preflight.model.objects import DaemonSet, Deployment, OwnerReference
from preflight.model.pod_status import RunningPod

_APPS = ("apps", "extensions")

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

    `complete` are the kinds of which all objects are there: one that is not among them does not exist. Of other kinds nobody knows.
    """

    by_key: Mapping[tuple[str, str, str], Owner] = {}
    complete: frozenset[str] = frozenset()

    def find(self, kind: str, namespace: str, name: str) -> Owner | bool | None:
        """The owner; False where it does not exist, None where nobody knows."""
        return self.by_key.get((kind, namespace, name)) or (False if kind in self.complete else None)


def owners_of(objects: Iterable[DaemonSet | Deployment], complete: Collection[str]) -> Owners:
    """The owners that these objects are; `complete` as in Owners. No replicas stated means one; a Job and a DaemonSet have none."""
    by_key: dict[tuple[str, str, str], Owner] = {}
    for each in objects:
        kind, metadata = type(each).__name__, each.metadata
        replicas: int | None = None
        if isinstance(each, Deployment) and kind != "Job":
            replicas = 1 if each.spec.replicas is None else each.spec.replicas
        controller = next((owner for owner in metadata.ownerReferences if owner.controller), None)
        by_key[kind, metadata.namespace, metadata.name] = Owner(kind, metadata.namespace, metadata.name, metadata.uid, replicas, controller)
    return Owners(by_key, frozenset(complete))


class Scale(Struct, frozen=True):
    """How many pods the owner of a pod wants.

    1. `owner` tells owners apart, so that each counts once; "" where the pod is bare.
    2. `failure` is the error of the disruption controller where there is no such number, in its words.
    3. `unknown` is why nobody can tell.
    """

    owner: str = ""
    replicas: int = 0
    failure: str = ""
    unknown: str = ""


def scale(pod: RunningPod, owners: Owners) -> Scale:
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
    if is_kind(reference, "ReplicaSet", _APPS):
        return _replica_set(pod, reference, owners)
    for kind, groups in (("StatefulSet", ("apps",)), ("ReplicationController", ("",))):
        if is_kind(reference, kind, groups):
            return _own(pod, owners.find(kind, namespace, reference.name), reference)
    for (kind, group), resource in _WITHOUT_SCALE.items():
        if is_kind(reference, kind, (group,)):
            return Scale(_label(reference, namespace), failure=f"{resource} does not implement the scale subresource")
    return Scale(_label(reference, namespace), unknown=f"nobody knows whether a {reference.kind} of {reference.apiVersion} has a scale")


def is_kind(reference: OwnerReference, kind: str, groups: Collection[str]) -> bool:
    """Whether a reference is to a kind of one of these API groups ("" is the core group); one without an apiVersion is."""
    return reference.kind == kind and (not reference.apiVersion or reference.apiVersion.rpartition("/")[0] in groups)


def _replica_set(pod: RunningPod, reference: OwnerReference, owners: Owners) -> Scale:
    namespace = pod.metadata.namespace
    found = owners.find("ReplicaSet", namespace, reference.name)
    if not isinstance(found, Owner):
        name, _, tail = reference.name.rpartition("-")
        by_name = owners.by_key.get(("Deployment", namespace, name))
        if found is None and by_name is not None and tail == pod.metadata.labels.get("pod-template-hash"):
            return _counted(by_name)
        return _own(pod, found, reference)
    if found.controller is not None and is_kind(found.controller, "Deployment", _APPS):
        deployment = owners.find("Deployment", namespace, found.controller.name)
        if deployment is None:
            return Scale(_label(found.controller, namespace), unknown=f"Deployment {namespace}/{found.controller.name} is not known")
        if isinstance(deployment, Owner) and _same(deployment.uid, found.controller.uid):
            return _counted(deployment)
    return _own(pod, found, reference)


def _own(pod: RunningPod, found: Owner | bool | None, reference: OwnerReference) -> Scale:
    if found is None:
        namespace = pod.metadata.namespace
        return Scale(_label(reference, namespace), unknown=f"{reference.kind} {namespace}/{reference.name} is not known")
    if isinstance(found, Owner) and _same(found.uid, reference.uid):
        return _counted(found)
    return Scale(_label(reference, pod.metadata.namespace), failure=f'found no controllers for pod "{pod.metadata.name}"')


def _counted(owner: Owner) -> Scale:
    return Scale(f"{owner.kind} {owner.namespace}/{owner.name}", owner.replicas or 0)


def _label(reference: OwnerReference, namespace: str) -> str:
    return f"{reference.kind} {namespace}/{reference.name}"


def _same(uid: str, other: str) -> bool:
    return not uid or not other or uid == other
