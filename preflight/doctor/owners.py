"""Which workload a pod belongs to, as a person names it, and where that stands in the input."""

from __future__ import annotations

from preflight.model.meta import Origin
from preflight.model.pod_status import ClusterPod
from preflight.model.report import Subject
from preflight.model.world import ClusterState

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


def find_origin(cluster: ClusterState, subject: Subject) -> Origin:
    """Where a workload is in the input; `UNKNOWN_ORIGIN` where it was not given."""
    key = (subject.kind, subject.namespace, subject.name)
    for workload in (*cluster.job_sets, *cluster.workloads):
        if (type(workload).__name__, workload.metadata.namespace, workload.metadata.name) == key:
            return workload.origin
    return UNKNOWN_ORIGIN
