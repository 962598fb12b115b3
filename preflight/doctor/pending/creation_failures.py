"""Workloads that lack pods because the API server refuses to create them: a quota, a webhook, Pod Security."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import Struct

from preflight.doctor.cluster_messages import find_quota_name, get_creation_error, refuses_followers
from preflight.doctor.index import ClusterIndex
from preflight.doctor.jobsets import StalledJob
from preflight.doctor.pod_health import is_waiting
from preflight.doctor.waiting_times import RECENT_SECONDS
from preflight.model.apps import Deployment
from preflight.model.batch import Job
from preflight.model.core import CoveragePod, ResourceQuota, find_controller
from preflight.model.report import Subject
from preflight.model.runtime_state import Event
from preflight.model.timestamps import count_seconds
from preflight.model.world import ClusterState

_OWNER_KINDS = ("ReplicaSet", "StatefulSet", "Job")
_SELF_EXPLAINED_KINDS = ("CronJob",)
"""Kinds of which a refused creation is of no pod: what it makes is another workload."""


class RefusedCreation(Struct, frozen=True):
    """A workload that wants more pods than it has, and whose creations are refused.

    `wanted` is None for a workload that was not given: only the event says that it lacks pods. `message` is the API server's, `last_seen`
    when it was said last, `event_object` the kind and name of what the event is about.

    `quota` is the name of the ResourceQuota that the words name, "" where they name none.
    """

    subject: Subject
    wanted: int | None
    existing: int
    message: str
    last_seen: str
    event_object: tuple[str, str]
    quota: str = ""


def find_refused_creations(index: ClusterIndex, stalled_jobs: tuple[StalledJob, ...]) -> tuple[RefusedCreation, ...]:
    """Every workload of which a recent event says so, and that lacks pods still; DaemonSets and followers of JobSets are told elsewhere.

    1. A controller tries again after a quarter of an hour at the latest: an older refusal is over, or its workload is gone.
    2. Of a workload that was not given nobody knows how many pods it wants: the event counts by itself, but for a workload of a kind that
       was given as a whole, which is gone then, and one that has got a pod since.
    """
    events = [event for event in index.events.get_events_of_reason("FailedCreate") if _is_relevant_event(index, event)]
    if not events:
        return ()
    workloads = {
        (type(workload).__name__, workload.metadata.namespace, workload.metadata.name): workload for workload in index.cluster.workloads
    }
    there, found = _count_pods(index), dict[Subject, RefusedCreation]()
    stalled = {(stalled_job.namespace, stalled_job.job) for stalled_job in stalled_jobs}
    for event in sorted(events, key=lambda event: event.last_seen, reverse=True):
        about = event.involvedObject
        if (about.namespace, about.name) in stalled:
            continue
        if _is_unknown_owner(index, event, workloads):
            subject = Subject(about.kind, about.namespace, about.name)
            found.setdefault(subject, _make_refusal(subject, None, there[subject], event))
            continue
        for subject in _iter_owners(about.kind, about.namespace, about.name):
            workload = workloads.get((subject.kind, subject.namespace, subject.name))
            if not isinstance(workload, Deployment) or subject in found:
                continue
            wanted, have = _get_wanted_replicas(workload), there[subject]
            if wanted > have and index.cluster.are_pods_listed(subject.namespace):
                found[subject] = _make_refusal(subject, wanted, have, event)
    return tuple(found[subject] for subject in sorted(found, key=lambda subject: (subject.namespace, subject.kind, subject.name)))


def _make_refusal(subject: Subject, wanted: int | None, existing: int, event: Event) -> RefusedCreation:
    message, about = get_creation_error(event.message), event.involvedObject
    return RefusedCreation(subject, wanted, existing, message, event.last_seen, (about.kind, about.name), find_quota_name(message))


def _is_unknown_owner(index: ClusterIndex, event: Event, workloads: Mapping[tuple[str, str, str], object]) -> bool:
    """Whether nothing but an event is known of a workload, and no pod of it was created after that."""
    about = event.involvedObject
    key = (about.namespace, about.name)
    if about.kind in _SELF_EXPLAINED_KINDS or index.is_kind_known(about.kind):
        return False
    if about.kind == "DaemonSet" and any(daemonset[:2] == key for daemonset in index.cluster.daemonsets):
        return False
    owners = list(_iter_owners(about.kind, *key))
    if any((owner.kind, owner.namespace, owner.name) in workloads for owner in owners):
        return False
    pods = (
        index.find_listed_pod(pod) for pod in index.cluster.pods if pod.metadata.namespace == about.namespace and _owns(about.name, pod)
    )
    return not any(pod is not None and (count_seconds(event.last_seen, pod.metadata.creationTimestamp) or 0) > 0 for pod in pods)


def _owns(name: str, pod: CoveragePod) -> bool:
    owner = find_controller(pod)
    return owner is not None and owner.name == name


def find_quota(cluster: ClusterState, refused_creation: RefusedCreation) -> ResourceQuota | None:
    """The ResourceQuota that a refusal names; None where it was not given."""
    key = (refused_creation.subject.namespace, refused_creation.quota)
    return next((quota for quota in cluster.quotas if (quota.metadata.namespace, quota.metadata.name) == key), None)


def _is_relevant_event(index: ClusterIndex, event: Event) -> bool:
    age = count_seconds(event.last_seen, index.latest_time)
    return not refuses_followers(event.message) and (age is None or age <= RECENT_SECONDS)


def _iter_owners(kind: str, namespace: str, name: str) -> Iterator[Subject]:
    """The workload that is meant: of a ReplicaSet its Deployment, where it has the hash of one in its name."""
    if kind == "ReplicaSet" and "-" in name:
        yield Subject("Deployment", namespace, name.rpartition("-")[0])
    yield Subject(kind, namespace, name)


def _get_wanted_replicas(workload: Deployment) -> int:
    if not isinstance(workload, Job):
        return 1 if workload.spec.replicas is None else workload.spec.replicas
    if workload.spec.suspend or any(
        condition.type in ("Complete", "Failed") and condition.status == "True" for condition in workload.status.conditions
    ):
        return 0
    parallelism = 1 if workload.spec.parallelism is None else workload.spec.parallelism
    return parallelism if workload.spec.completions is None else min(parallelism, workload.spec.completions - workload.status.succeeded)


def _count_pods(index: ClusterIndex) -> Mapping[Subject, int]:
    """How many pods each workload has, those that end left out."""
    found: Counter[Subject] = Counter()
    for pod in index.cluster.pods:
        owner = find_controller(pod)
        if owner is not None and owner.kind in _OWNER_KINDS and is_waiting(pod):
            found.update(_iter_owners(owner.kind, pod.metadata.namespace, owner.name))
    return found
