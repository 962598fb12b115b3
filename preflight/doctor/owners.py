"""Which workload a pod belongs to, as a person names it, and where that stands in the input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from preflight.model.objects import Origin
from preflight.model.report import Subject

if TYPE_CHECKING:
    from preflight.doctor.context import ClusterFacts
    from preflight.model.pod_status import ClusterPod

UNKNOWN_ORIGIN = Origin("<none>")


def get_owner(pod: ClusterPod) -> Subject:
    """The workload that controls a pod: the Deployment of a ReplicaSet, else its controller, else the pod itself."""
    owner, namespace = pod.controller, pod.metadata.namespace
    if owner is None:
        return Subject("Pod", namespace, pod.metadata.name)
    above, _, tail = owner.name.rpartition("-")
    if owner.kind == "ReplicaSet" and above and tail == pod.metadata.labels.get("pod-template-hash"):
        return Subject("Deployment", namespace, above)
    return Subject(owner.kind, namespace, owner.name)


def find_origin(facts: ClusterFacts, subject: Subject) -> Origin:
    """Where a workload stands; nowhere where it was not given."""
    for job_set in (*facts.world.job_sets, *facts.world.workloads):
        if (type(job_set).__name__, job_set.metadata.namespace, job_set.metadata.name) == (subject.kind, subject.namespace, subject.name):
            return job_set.origin
    return UNKNOWN_ORIGIN
